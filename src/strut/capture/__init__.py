"""Capture: recordings of a gait laboratory → subject, joint angles, gait events, ground forces and joint torques."""
