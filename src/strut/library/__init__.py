"""Library: motions of any robot in one file, found by what they express."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
