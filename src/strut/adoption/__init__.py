"""Adoption: imports robots from MJCF and URDF files."""
