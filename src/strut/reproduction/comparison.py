"""Comparison: one number of a published system beside the same number computed by strut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["same", "erratum", "differs", "ours only"]
Numbers = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A quantity, published and ours, both in `unit`.

    Args:
        group: What the quantity belongs to, for people who read a long table.
        quantity: What is compared.
        published: The published number or numbers; of an erratum, what the printed form yields when it is run; None
            where nothing was published.
        ours: The same as strut computes it.
        unit: Of both; empty for plain numbers.
        verdict: `same` within the tolerance, `differs` beyond it, `erratum` where the printed form is wrong and ours
            replaces it, `ours only` where nothing was published.
        tolerance: Largest difference that counts as the same; None where nothing is judged.
        erratum: Its number in the system's page of the documentation.
        where: Where the published number stands.
        note: What a reader should know besides.
    """

    group: str
    quantity: str
    published: Numbers | None
    ours: Numbers
    unit: str
    verdict: Verdict
    tolerance: float | None = None
    erratum: str | None = None
    where: str = ""
    note: str = ""

    @property
    def difference(self) -> float | None:
        """The largest difference between published and ours; None where nothing was published."""
        if self.published is None:
            return None
        return max(abs(theirs - own) for theirs, own in zip(self.published, self.ours, strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON would hold it."""
        return asdict(self) | {
            "published": None if self.published is None else list(self.published),
            "ours": list(self.ours),
            "difference": self.difference,
        }


def compared(
    group: str, quantity: str, section: Mapping[str, Any], name: str, ours: float | Sequence[float], *, note: str = ""
) -> Comparison:
    """Return a comparison with the published number `name` of a section of a robot's `published.toml`.

    Args:
        group: What the quantity belongs to.
        quantity: What is compared.
        section: Holds the published numbers by name, and `where` they stand, their `unit` and `tolerance`.
        name: Which of them.
        ours: What strut computes.
        note: What to say if the two differ.
    """
    theirs, own, tolerance = _numbers(section[name]), _numbers(ours), float(section["tolerance"])
    same = all(abs(a - b) <= tolerance for a, b in zip(theirs, own, strict=True))
    return Comparison(
        group=group,
        quantity=quantity,
        published=theirs,
        ours=own,
        unit=section["unit"],
        verdict="same" if same else "differs",
        tolerance=tolerance,
        where=section["where"],
        note="" if same else note,
    )


def corrected(
    erratum: str, quantity: str, printed: float | Sequence[float], ours: float | Sequence[float], unit: str, note: str
) -> Comparison:
    """Return what a misprint costs: the printed form as run by us, beside ours."""
    numbers = _numbers(printed), _numbers(ours)
    return Comparison(
        "errata", quantity, *numbers, unit, "erratum", erratum=erratum, where="printed form, run", note=note
    )


def unpublished(group: str, quantity: str, ours: float | Sequence[float], unit: str, note: str = "") -> Comparison:
    """Return a number that only strut has."""
    return Comparison(group, quantity, None, _numbers(ours), unit, "ours only", note=note)


def _numbers(value: float | Sequence[float]) -> Numbers:
    """Return a tuple of floats, minus zero as zero."""
    return tuple(float(number) + 0.0 for number in (value if isinstance(value, Sequence) else (value,)))
