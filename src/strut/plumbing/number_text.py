"""Number words: shares, counts and amounts as people read them, written alike everywhere."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

BRISK_M_S = 0.05  # from here on speeds are told in m/s
_ONE_OR_SEVERAL = re.compile(r"\[(.*?)\|(.*?)\]")


def format_percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent, with a space before the sign (ISO 80000-1): 0.75 is `75 %`.

    Rounded as a share of so many digits is, so that 0.925 is both 0.93 and 93 %.
    """
    return f"{float(f'{share:.{digits + 2}f}') * 100.0 + 0.0:.{digits}f} %"  # + 0 so that -0 is 0


class Share(float):
    """A number that fills `{:.0%}` of a sentence as `percent` writes it, and any other place as numbers do."""

    def __format__(self, form: str) -> str:
        digits = re.fullmatch(r"\.(\d)%", form)
        return float(self).__format__(form) if digits is None else format_percent(self, int(digits[1]))


def format_count(count: int, words: str) -> str:
    """Return a number and words about so many things, in which `[joint has|joints have]` stands for one or several.

    Example:
        >>> one_or_several(1, "[joint has|joints have] no range")
        '1 joint has no range'
    """
    return f"{count} {plural_form(count, words)}"


def plural_form(count: int, words: str) -> str:
    """Return such words without the number, where names of the things stand before them.

    Example:
        >>> of_one_or_several(2, "[was|were] let down")
        'were let down'
    """
    return _ONE_OR_SEVERAL.sub(lambda said: said[1 if count == 1 else 2], words)


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return words joined as in a sentence: `a, b and c`, or with another word before the `last`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def format_speed(speed_m_s: float) -> str:
    """Return a speed in m/s; in mm/s where it is too slow to be read so."""
    return f"{speed_m_s:.2f} m/s" if abs(speed_m_s) >= BRISK_M_S else f"{speed_m_s * 1e3:.0f} mm/s"


def format_amount(value: float, unit: str) -> str:
    """Return what was asked or found, in SI, in the unit that people read.

    Lengths are told in mm, speeds (`mm/s`) in m/s unless they are slow, turns in °/s.
    """
    if unit == "°/s":
        return f"{math.degrees(value):.1f}°/s"
    brisk = unit == "mm/s" and abs(value) >= BRISK_M_S
    return f"{round(value, 3):g} m/s" if brisk else f"{value * 1e3:.0f} {unit}"
