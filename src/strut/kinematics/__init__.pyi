"""Contacts of a body with the ground, row by row."""

# Contacts
from .contact_set import ContactRow as ContactRow, ContactSet as ContactSet

# Types in their signatures
from .mirror import Mirror as Mirror
