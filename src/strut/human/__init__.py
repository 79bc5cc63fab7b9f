"""The human: subjects, gait problems on the optimal-control engine, and whether a gait looks like a person's."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
