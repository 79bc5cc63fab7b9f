"""Front door: the names that `import strut` offers, read from `__init__.pyi`, and what stands behind each."""

from __future__ import annotations

import ast
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from typing import Any

from strut.plumbing.argument_types import check_arguments

_STUB = ast.parse(Path(__file__).with_name("__init__.pyi").read_text("utf-8")).body
_HOMES = {name.name: str(node.module) for node in _STUB if isinstance(node, ast.ImportFrom) for name in node.names}
NAMES = sorted(_HOMES)


def offered(name: str) -> Any:
    """Return what a name of the list stands for, or the list itself; functions check what they are given."""
    if name == "__all__":
        return NAMES
    if name not in _HOMES:
        raise AttributeError(f"module 'strut' has no attribute '{name}'")
    found = getattr(import_module(_HOMES[name]), name)
    return check_arguments(found, name) if isfunction(found) else found
