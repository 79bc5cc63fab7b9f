"""Reproduction: the published numbers of a system, computed again with strut."""
