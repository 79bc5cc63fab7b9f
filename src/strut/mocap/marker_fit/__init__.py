"""Marker fit: markers → the model of a person and joint angles in every frame."""
