"""Simulation: a motion played in MuJoCo by servos, balance control or whole-body control."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
