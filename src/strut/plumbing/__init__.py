"""Plumbing: files, signals, argument checks and numbers as text, which every room needs and no field names."""
