"""Motions in numbers: gait parameters, elevation angles, similarity, criteria."""
