"""Reconstruction: torques and ground reaction forces of a recorded motion."""
