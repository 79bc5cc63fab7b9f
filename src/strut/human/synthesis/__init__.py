"""Gait synthesis: a gait without a recording, from an initial guess or from solved gaits."""
