"""Form fields: reads and checks the fields of a participant's form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from strut.errors import BadReplyError


def read_number_field(form: Mapping[str, str], name: str, low: int, high: int) -> int:
    """Return a field as a whole number from `low` to `high`.

    Example:
        >>> strut.study.read_number_field({"warmth": "5"}, "warmth", 1, 7)
        5
    """
    text = form.get(name, "").strip()
    if not text:
        raise BadReplyError(f"{name.replace('_', ' ')} has no answer.")
    if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not low <= int(text) <= high:
        raise BadReplyError(f"{name.replace('_', ' ')} must be a whole number from {low} to {high}.")
    return int(text)


def read_choice_field(form: Mapping[str, str], options: Sequence[str]) -> str:
    """Return the field `answer`, which must be one of the options.

    Example:
        >>> strut.study.read_choice_field({"answer": "left"}, ("left", "right"))
        'left'
    """
    answer = form.get("answer", "")
    if answer not in options:
        raise BadReplyError(f"'{answer[:40]}' is not among the answers." if answer else "no answer was chosen.")
    return answer
