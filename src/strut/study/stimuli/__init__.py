"""Stimuli: motions as participants see them."""
