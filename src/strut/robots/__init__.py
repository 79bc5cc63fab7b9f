"""One folder per robot: numbers and where they come from. `catalogue` finds them, `mjcf` builds the body."""
