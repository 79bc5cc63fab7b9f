"""Comparison: one number of a published system beside the same number computed by strut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

ComparisonVerdict = Literal["same", "erratum", "differs", "ours only"]
Numbers = tuple[float, ...]
Values = float | Sequence[float]
Parts = Mapping[str, Callable[[], "list[Comparison]"]]  # what computes the rows of a system, by what people call it


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
    verdict: ComparisonVerdict
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


@dataclass(frozen=True, slots=True)
class Sheet:
    """The comparisons of one group, made one after the other.

    Args:
        group: What the quantities belong to.
        published: A robot's `published.toml` or a published study: sections that hold numbers by name, and `where` they
            stand, their `unit` and `tolerance`.
        rows: What was added so far.
    """

    group: str
    published: Mapping[str, Any] = field(default_factory=dict)
    rows: list[Comparison] = field(default_factory=list)

    def compare(
        self, quantity: str, section: str | Mapping[str, Any], name: str, ours: Values, *, note: str = ""
    ) -> None:
        """Add a quantity beside the published number `name` of a section; `note` is said if the two differ."""
        held = self.published[section] if isinstance(section, str) else section
        theirs = _numbers(held[name])
        own = _numbers(ours)
        tolerance = float(held["tolerance"])
        same = all(abs(a - b) <= tolerance for a, b in zip(theirs, own, strict=True))
        verdict: ComparisonVerdict = "same" if same else "differs"
        row = Comparison(self.group, quantity, theirs, own, held["unit"], verdict, tolerance, where=held["where"])
        self.rows.append(row if same else replace(row, note=note))

    def correct(self, erratum: str, quantity: str, printed: Values, ours: Values, unit: str, note: str) -> None:
        """Add what a misprint costs: the printed form as run by us, beside ours."""
        numbers = (_numbers(printed), _numbers(ours))
        where = "printed form, run"
        row = Comparison("errata", quantity, *numbers, unit, "erratum", erratum=erratum, where=where, note=note)
        self.rows.append(row)

    def add(self, quantity: str, ours: Values, unit: str, note: str = "") -> None:
        """Add a number that only strut has."""
        self.rows.append(Comparison(self.group, quantity, None, _numbers(ours), unit, "ours only", note=note))


def _numbers(value: Values) -> Numbers:
    """Return a tuple of floats, minus zero as zero."""
    return tuple(float(number) + 0.0 for number in (value if isinstance(value, Sequence) else (value,)))
