"""Link inertia: find masses and moments of inertia that no link can have."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree as ET

TERMS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_MOMENTS = ("mass", *TERMS[:3])  # products of inertia may be negative
_MIN = -1e-12  # 0 with a rounding error


def urdf_inertia_fault(link: ET.Element) -> str:
    """Return a sentence about an invalid mass or inertia of a URDF link; empty if there is none.

    The text of the file is checked, because MuJoCo treats NaN as a missing number.
    """
    written = {"mass": link.findall("inertial/mass")} | dict.fromkeys(TERMS, link.findall("inertial/inertia"))
    terms = (
        (what, element.get("value" if what == "mass" else what, "0")) for what in written for element in written[what]
    )
    return _first_fault(link.get("name", ""), terms)


def inertia_fault(body: Any) -> str:
    """Return a sentence about an invalid mass or inertia of a body of an MjSpec; empty if there is none."""
    if not body.explicitinertial:
        return ""
    moments = body.inertia if math.isnan(body.fullinertia[0]) else body.fullinertia
    return _first_fault(body.name, zip(("mass", *TERMS), map(str, (body.mass, *moments)), strict=False))


def _first_fault(link: str, terms: Iterable[tuple[str, str]]) -> str:
    for what, text in terms:
        fault = _fault(text, may_be_negative=what not in _MOMENTS)
        if fault:
            name = what if what == "mass" else f"inertia {what}"
            return f"the {name} of the link {link} is '{text}', which {fault}; correct it."
    return ""


def _fault(text: str, *, may_be_negative: bool) -> str:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        return "is not a finite number"
    return "must not be negative" if value < _MIN and not may_be_negative else ""
