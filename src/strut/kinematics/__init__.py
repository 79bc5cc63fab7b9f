"""Kinematics: inverse kinematics of legs and whole bodies, contact sets and mirror maps."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
