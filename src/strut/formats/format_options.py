"""Options of a format: the keyword-only parameters of a reader's `read` or a writer's `encode`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any

from strut.errors import OutOfRangeError


def format_options(function: Callable[..., Any]) -> dict[str, bool]:
    """Return the options of a format by name, and whether each must be given."""
    parameters = inspect.signature(function).parameters.values()
    return {item.name: item.default is item.empty for item in parameters if item.kind is item.KEYWORD_ONLY}


def accepts(function: Callable[..., Any], given: Collection[str]) -> bool:
    """Return whether a format has all options that are given, and needs no other."""
    options = format_options(function)
    return set(given) <= set(options) and all(name in given for name, is_needed in options.items() if is_needed)


def check_options(function: Callable[..., Any], given: Collection[str], ending: str) -> None:
    """Raise OutOfRangeError unless a format accepts the options that are given."""
    if not accepts(function, given):
        options = ", ".join(format_options(function)) or "none"
        raise OutOfRangeError(f"The options of a {ending} file are: {options}; given: {', '.join(given) or 'none'}.")
