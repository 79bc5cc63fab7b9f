"""The gait problem: one step of a human as an optimal-control problem, its cost functions and constraints."""
