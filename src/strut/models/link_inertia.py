"""Link inertia: masses and moments of inertia that no link can have, each told in a sentence that names the link."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree as ET

TERMS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_MOMENTS = ("mass", *TERMS[:3])  # products of inertia may be negative
_LEAST = -1e-12  # what is less is more than a rounding error


def urdf_inertia_fault(link: ET.Element) -> str:
    """Return what is wrong with the mass or inertia of a link of a URDF; nothing if all is well.

    MuJoCo takes a NaN for a number that was not written, so the text is judged.
    """
    written = {"mass": link.findall("inertial/mass")} | dict.fromkeys(TERMS, link.findall("inertial/inertia"))
    terms = (
        (what, element.get("value" if what == "mass" else what, "0")) for what in written for element in written[what]
    )
    return _first_fault(link.get("name", ""), terms)


def inertia_fault(body: Any) -> str:
    """Return what is wrong with the mass or inertia of a body of a MuJoCo specification; nothing if all is well."""
    if not body.explicitinertial:
        return ""
    moments = body.inertia if math.isnan(body.fullinertia[0]) else body.fullinertia
    return _first_fault(body.name, zip(("mass", *TERMS), map(str, (body.mass, *moments)), strict=False))


def _first_fault(link: str, terms: Iterable[tuple[str, str]]) -> str:
    faults = ((what, words, _fault(words, may_be_negative=what not in _MOMENTS)) for what, words in terms)
    for what, words, fault in faults:
        if fault:
            name = what if what == "mass" else f"inertia {what}"
            return f"the {name} of the link {link} is '{words}', which {fault}; write the one that it has."
    return ""


def _fault(words: str, *, may_be_negative: bool) -> str:
    try:
        value = float(words)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        return "is no finite number"
    return "nothing can have" if value < _LEAST and not may_be_negative else ""
