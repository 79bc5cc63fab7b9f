"""A published system → its numbers, computed again with strut and put beside the published ones."""
