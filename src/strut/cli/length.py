"""Length: how people type one on the command line."""

from __future__ import annotations

import re

import typer


def length_m(text: str, *, bare: str | None = None) -> float:
    """Return a length in metres from `80mm`, `8cm` or `0.08m`.

    Args:
        text: What was typed.
        bare: Unit of a number without one; if None, metres below 1 and millimetres from 1 on.
    """
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(mm|cm|m)?\s*", text.lower())
    if match is None:
        raise typer.BadParameter(f"'{text}' is no length; write for instance 80mm or 0.08m.")
    value = float(match[1])
    unit = match[2] or bare or ("m" if abs(value) < 1.0 else "mm")
    return value * {"mm": 1e-3, "cm": 1e-2, "m": 1.0}[unit]
