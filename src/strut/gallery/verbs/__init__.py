"""Verbs of the gallery."""
