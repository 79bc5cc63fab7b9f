"""Gaits: one folder per kind of motion, with its plan, its kinematics and its drafts."""
