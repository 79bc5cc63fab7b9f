"""Cells: reads the cells of a table of answers. A ValueError says what a cell is instead."""

from __future__ import annotations

import math
from collections.abc import Callable

CellReader = Callable[[str, tuple[float, float]], object]  # the text of a cell, and the lowest and highest raw rating


def read_word(cell: str, _scale: tuple[float, float] = (-1.0, 1.0)) -> str:
    """Return a text that must not be empty.

    Example:
        >>> strut.study.read_word("happy")
        'happy'
    """
    if not cell:
        raise ValueError("empty.")
    return cell


def read_any_text(cell: str, _scale: tuple[float, float] = (-1.0, 1.0)) -> str:
    """Return a text that may be empty.

    Example:
        >>> strut.study.read_any_text("")
        ''
    """
    return cell


def read_whole_number(cell: str, _scale: tuple[float, float] = (-1.0, 1.0)) -> int:
    """Return a whole number.

    Example:
        >>> strut.study.read_whole_number("3")
        3
    """
    try:
        return int(cell)
    except ValueError as error:
        raise ValueError(f"'{cell}', not a whole number.") from error


def read_number(cell: str, bounds: tuple[float, float] = (-math.inf, math.inf)) -> float:
    """Return a number within bounds; NaN if the cell is empty.

    Example:
        >>> strut.study.read_number("2.5", (0.0, 10.0))
        2.5
    """
    if cell.casefold() in ("", "nan", "na"):
        return math.nan
    try:
        value = float(cell)
    except ValueError as error:
        raise ValueError(f"'{cell}', not a number.") from error
    if not (math.isfinite(value) and bounds[0] <= value <= bounds[1]):
        raise ValueError(f"{cell}; ratings lie between {bounds[0]:g} and {bounds[1]:g}.")
    return value


def read_rating(cell: str, scale: tuple[float, float] = (-1.0, 1.0)) -> float:
    """Return a rating, rescaled from the raw scale to [-1, 1]; NaN if the cell is empty.

    Example:
        >>> strut.study.read_rating("7", (1.0, 9.0))
        0.5
    """
    low, high = scale
    try:
        return (2.0 * read_number(cell, scale) - low - high) / (high - low)
    except ValueError as error:
        hint = " Raw ratings are rescaled with --scale, such as --scale 1 9." if scale == (-1.0, 1.0) else ""
        raise ValueError(f"{error}{hint}") from error
