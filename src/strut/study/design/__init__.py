"""Design: what a study shows and asks, in which order, and how many people it needs."""
