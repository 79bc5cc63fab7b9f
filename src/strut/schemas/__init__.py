"""Typed tables: what a robot's folder says, file by file. Data only; `models` reads them, `Robot` carries them."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
