"""Request checks: raise, in one sentence, for numbers and words that no robot could use."""

from __future__ import annotations

import math

from strut.errors import OutOfRangeError, UnknownNameError
from strut.place import Place

MOST_CYCLES = 1000
LARGEST_LENGTH_M = 10.0
FARTHEST_M = 1000.0  # of a person, a target or a goal


def check_cycles(cycles: int, fewest: int) -> None:
    """Raise if a number of cycles is not whole, too small or too large."""
    if not fewest <= cycles <= MOST_CYCLES or cycles != int(cycles):
        raise OutOfRangeError(f"cycles is {cycles}; choose {fewest} to {MOST_CYCLES}.")


def check_goal(place: Place) -> None:
    """Raise if a goal is too far away, or its heading more than a whole turn."""
    if (away_m := max(abs(place.x_m), abs(place.y_m))) > FARTHEST_M:
        raise OutOfRangeError(f"The goal is {away_m:.3g} m away; choose one within {FARTHEST_M:g} m.")
    if abs(place.heading_rad) > 2.0 * math.pi + 1e-9:
        degrees = math.degrees(place.heading_rad)
        raise OutOfRangeError(f"The goal's heading is {degrees:g} degrees; write it from -360 to 360.")


def check_length(name: str, length_m: float | None, *, above_zero: bool = False) -> None:
    """Raise if a length is none that a legged robot could have."""
    if length_m is None:
        return
    if not math.isfinite(length_m) or length_m < 0.0 or (above_zero and length_m == 0.0):
        least = "above 0" if above_zero else "of at least 0"
        raise OutOfRangeError(f"The {name} is {length_m:g} m; it must be a number {least}.")
    if length_m > LARGEST_LENGTH_M:
        raise OutOfRangeError(f"The {name} is {length_m:g} m; no legged robot is that large.")


def check_word(kind: str, word: str, known: tuple[str, ...]) -> None:
    """Raise UnknownNameError if a word is not one of those that are known."""
    if word not in known:
        raise UnknownNameError(kind, word, known, "`strut walk --help`")
