"""MJCF, URDF or our own tables → Robot."""
