"""Plan expressive motions for legged robots and human models, check them, and measure whether people see the emotion.

`strut` has the nouns and a function for every verb of the command line; its rooms, such as `strut.ocp` and
`strut.study`, have the rest. `__init__.pyi` lists the names. Each is imported when it is first used, because the
engines take a second.
"""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
