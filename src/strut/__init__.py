"""Make legged robots and human models move with a feeling, and prove that the motion is sound.

Everything that the command line does, as functions: `__init__.pyi` lists their names by what they are for, and is the
only list. Each is imported when it is used: the engines take a second, and `import strut` alone needs nothing at all.
"""


def __getattr__(name: str) -> object:
    """Return one of the listed names, imported from its room."""
    from strut.front_door import offered  # noqa: PLC0415 -- the command line starts here, too, and needs no list

    return globals().setdefault(name, offered(name))  # one for all threads


def __dir__() -> list[str]:
    """Return what users type."""
    from strut.front_door import NAMES  # noqa: PLC0415

    return NAMES
