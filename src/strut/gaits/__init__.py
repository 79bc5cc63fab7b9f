"""Gaits: one folder per kind of motion, with its plan, its kinematics and its drafts."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
