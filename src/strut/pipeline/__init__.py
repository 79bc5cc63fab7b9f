"""Request → Style → draft → limits → weakened until it passes → Motion with its receipt."""
