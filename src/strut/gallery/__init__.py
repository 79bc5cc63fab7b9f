"""Gallery: robots and emotions side by side on one page."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
