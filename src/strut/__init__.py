"""Make legged robots and human models move with a feeling, and prove that the motion is sound.

Everything that the command line does, as functions: `__init__.pyi` lists their names by what they are for, and is the
only list. Each is imported when it is used: the engines take a second, and `import strut` alone needs none of them.
"""

import ast
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from typing import Any

_LISTED = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8")).body
_HOMES = {name.name: node.module for node in _LISTED if isinstance(node, ast.ImportFrom) for name in node.names}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Return one of the listed names, imported from its room."""
    if name not in _HOMES:
        raise AttributeError(f"module 'strut' has no attribute '{name}'")
    from strut.argument_types import coercing  # noqa: PLC0415 -- itself needed only with the first name

    found = getattr(import_module(_HOMES[name]), name)
    return globals().setdefault(name, coercing(found, name) if isfunction(found) else found)  # one for all threads


def __dir__() -> list[str]:
    """Return what users type."""
    return __all__
