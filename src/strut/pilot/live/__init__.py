"""Live driving: a person drives the simulated robot from a browser."""
