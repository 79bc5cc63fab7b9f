"""Inverse optimal control: the cost weights under which a recorded walk is optimal."""
