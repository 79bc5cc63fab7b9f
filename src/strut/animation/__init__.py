"""Animation: keyframes and rigs → feasible motions."""
