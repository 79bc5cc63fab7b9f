"""Adoption: an MJCF or URDF of others → what is in it (legs, feet, trunk, head, arms, front, stand, limits) → a folder."""
