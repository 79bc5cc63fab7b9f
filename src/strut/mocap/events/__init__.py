"""Gait events: heel strike, foot flat, heel off and toe off, from markers and from force plates."""
