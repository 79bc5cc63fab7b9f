"""Mathematics: rotations, sampled signals, easing and one-dimensional searches, as pure functions."""
