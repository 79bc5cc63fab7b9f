"""Gait library: periodic gaits over speed and height, found by optimal control, stored, looked up and evaluated."""
