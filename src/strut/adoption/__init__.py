"""Adoption: an MJCF or URDF of others → legs, feet, trunk, head, arms, front, stand, limits → a folder."""
