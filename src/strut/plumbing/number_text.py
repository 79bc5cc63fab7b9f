"""Number text: shares, counts and amounts as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

FEW = 0.01  # smaller shares are not written as numbers
MIN_M_S = 0.05  # slower speeds are written in mm/s
_ONE_OR_SEVERAL = re.compile(r"\[(.*?)\|(.*?)\]")


def format_percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent, with a space before the sign (ISO 80000-1): 0.75 is `75 %`.

    Rounded as a share of so many digits is, so that 0.925 is both 0.93 and 93 %.
    """
    return f"{float(f'{share:.{digits + 2}f}') * 100.0 + 0.0:.{digits}f} %"  # + 0 so that -0 is 0


def format_share_of_time(share: float) -> str:
    """Return for how much of the time something holds: `31 % of the time`, and `less than 1 % of the time`."""
    return f"{'less than 1 %' if 0.0 < share < FEW else format_percent(share)} of the time"


class Share(float):
    """A number that is formatted by `{:.0%}` as by `format_percent`, and otherwise as numbers are."""

    def __format__(self, form: str) -> str:
        digits = re.fullmatch(r"\.(\d)%", form)
        return float(self).__format__(form) if digits is None else format_percent(self, int(digits[1]))


def format_count(count: int, words: str) -> str:
    """Return a count with words about the things, in which `[joint has|joints have]` gives singular and plural.

    Example:
        >>> format_count(1, "[joint has|joints have] no range")
        '1 joint has no range'
    """
    return f"{count} {plural_form(count, words)}"


def plural_form(count: int, words: str) -> str:
    """Return such words without the count.

    Example:
        >>> plural_form(2, "[was|were] let down")
        'were let down'
    """
    return _ONE_OR_SEVERAL.sub(lambda forms: forms[1 if count == 1 else 2], words)


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return words joined as in a sentence: `a, b and c`; `last` replaces `and`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def format_speed(speed_m_s: float) -> str:
    """Return a speed in m/s, or in mm/s if it is slow."""
    return f"{speed_m_s:.2f} m/s" if abs(speed_m_s) >= MIN_M_S else f"{speed_m_s * 1e3:.0f} mm/s"


def format_amount(value: float, unit: str) -> str:
    """Return an SI value in the unit that people read: mm, m/s or (if slow) mm/s for the unit `mm/s`, and °/s."""
    if unit == "°/s":
        return f"{math.degrees(value):.1f}°/s"
    is_fast = unit == "mm/s" and abs(value) >= MIN_M_S
    return f"{round(value, 3):g} m/s" if is_fast else f"{value * 1e3:.0f} {unit}"


def format_gap(distance_m: float, form: str = ".1f") -> str:
    """Return a distance of two surfaces: `4.2 mm apart`, or `4.2 mm inside each other` if it is negative."""
    return f"{abs(1e3 * distance_m):{form}} mm {'apart' if distance_m >= 0.0 else 'inside each other'}"
