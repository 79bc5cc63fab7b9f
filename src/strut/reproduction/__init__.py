"""Reproduction: the published numbers of a system, computed again with strut."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
