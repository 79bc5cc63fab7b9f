"""The verb `strut perform`."""
