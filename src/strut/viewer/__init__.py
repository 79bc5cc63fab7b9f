"""Motions → pictures people look at: a still, a film, plots, a page, a live viewer."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
