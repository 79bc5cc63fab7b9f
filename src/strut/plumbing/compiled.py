"""Compiled: functions of loops over arrays as machine code, for what arrays of numpy would do slowly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def compiled(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return a function as machine code that releases the GIL and divides as numpy does.

    It is compiled at its first call. The code is kept beside the module, or in the cache of the user, for other
    processes; where neither can be written, each process compiles it.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder for the cache
        made = numba.njit(**options)(function)
    return cast("Callable[Arguments, Result]", made)
