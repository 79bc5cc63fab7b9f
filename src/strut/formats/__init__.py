"""Formats: readers and writers of files, one per format."""
