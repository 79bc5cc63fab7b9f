"""Length: how people type one on the command line."""

from __future__ import annotations

import re

import typer

_METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
_LONGEST_BARE_M = 5.0  # nothing here is longer: whoever types more forgot the unit


def length_m(text: str) -> float:
    """Return a length in metres from `80mm`, `8cm`, `0.08m` or `0.08`: a bare number is metres, always."""
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(mm|cm|m)?\s*", text.lower())
    if match is None:
        raise typer.BadParameter(f"'{text}' is no length; write for instance 80mm or 0.08m.")
    number, unit = match.groups()
    if unit is None and abs(float(number)) > _LONGEST_BARE_M:
        raise typer.BadParameter(f"'{text}' without a unit is {number} metres; write {number}mm or {number}cm.")
    return float(number) * _METRES[unit or "m"]
