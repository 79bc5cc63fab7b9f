"""Pattern: any robot on two or four legs walks by a gait pattern."""
