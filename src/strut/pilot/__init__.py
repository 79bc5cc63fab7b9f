"""Control: reference and measured state → torques or servo goals: standing, walking, and the state machine of both."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
