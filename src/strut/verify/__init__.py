"""Motion → what it needs from the body, whether the body can give it, and how much expression it can afford."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
