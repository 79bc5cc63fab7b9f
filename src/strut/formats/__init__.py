"""Motions on disk: files, other formats."""
