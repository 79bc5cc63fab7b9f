"""Capture: recordings of a gait laboratory → subject, joint angles, gait events, ground forces and joint torques."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
