"""Verbs of the command line that belong to this feature, one file each."""
