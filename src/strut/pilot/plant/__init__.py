"""The simulated plant: a robot's own MJCF model with motors, springs and sensors, and the audit of its recordings."""
