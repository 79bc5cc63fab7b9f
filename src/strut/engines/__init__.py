"""Rigid-body engine: functions of whole trajectories around MuJoCo, which fix the conventions of frames and units."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
