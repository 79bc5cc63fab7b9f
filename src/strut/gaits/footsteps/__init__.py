"""Footsteps: a biped walks in planned steps to a goal (Alice)."""
