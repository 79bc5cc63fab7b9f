"""The only home of the engines: thin adapters that own the conventions."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
