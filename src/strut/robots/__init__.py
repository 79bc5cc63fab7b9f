"""One folder per robot: numbers and where they come from. No Python."""
