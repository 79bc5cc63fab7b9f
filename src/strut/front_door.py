"""Front door: the names that `import strut` and its rooms offer, each imported when it is first used.

The `__init__.pyi` beside a package's `__init__.py` is the only list of its names; type checkers read it, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import isfunction
from typing import Any

import lazy_loader


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose functions check the types of their arguments.

    Args:
        package: `__name__` of the package.
        file: `__file__` of the package, with an `__init__.pyi` beside it.
    """
    load, list_names, names = lazy_loader.attach_stub(package, file)
    checked: dict[str, Any] = {}

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = load(name)
        if isfunction(value):
            from strut.plumbing.argument_types import check_arguments  # noqa: PLC0415 -- loads NumPy

            value = checked.setdefault(name, check_arguments(value, name, package))  # one object for all threads
        setattr(sys.modules[package], name, value)
        return value

    return get, list_names, names
