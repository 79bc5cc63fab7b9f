"""Comparison: a number of a published system and the same number computed by strut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

ComparisonVerdict = Literal["same", "given", "erratum", "differs", "ours only"]
RowKind = Literal["computed", "constant", "formula"]
Numbers = tuple[float, ...]
Values = float | Sequence[float]
Parts = Mapping[str, Callable[[], "list[Comparison]"]]  # functions that compute the rows of a system, by label


@dataclass(frozen=True, slots=True)
class Comparison:
    """A quantity, published and ours, both in `unit`.

    Args:
        group: Heading of the quantity in the table.
        quantity: Its label.
        published: The published numbers; for an erratum, the result of the printed form; None if nothing was published.
        ours: The numbers computed by strut.
        unit: Of both; empty for dimensionless numbers.
        verdict: `same` within the tolerance, `differs` beyond it, `erratum` if the printed form is wrong, `ours only`
            if nothing was published; `given` if the numbers agree but our own was not computed.
        tolerance: Largest difference that counts as the same, in `unit`; None without a comparison.
        kind: `computed` by code that users run; `constant` if it stands in a table of strut; `formula` if it was
            calculated here from published numbers or tables, without code that users run.
        erratum: Number of the erratum in the documentation of the system.
        where: Table, figure or section with the published number.
        note: Remark for the reader.
    """

    group: str
    quantity: str
    published: Numbers | None
    ours: Numbers
    unit: str
    verdict: ComparisonVerdict
    tolerance: float | None = None
    kind: RowKind = "computed"
    erratum: str | None = None
    where: str = ""
    note: str = ""

    @property
    def difference(self) -> float | None:
        """The largest difference between published and ours; None if nothing was published."""
        if self.published is None:
            return None
        return max(abs(theirs - own) for theirs, own in zip(self.published, self.ours, strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return asdict(self) | {
            "published": None if self.published is None else list(self.published),
            "ours": list(self.ours),
            "difference": self.difference,
        }


@dataclass(frozen=True, slots=True)
class Sheet:
    """Collects the comparisons of one group.

    Args:
        group: Heading of the quantities.
        published: The `published.toml` of a robot or a published study: sections with numbers by name, and their
            source (`where`), `unit` and `tolerance`.
        rows: The comparisons.
    """

    group: str
    published: Mapping[str, Any] = field(default_factory=dict)
    rows: list[Comparison] = field(default_factory=list)

    def compare(
        self,
        quantity: str,
        section: str | Mapping[str, Any],
        name: str,
        ours: Values,
        *,
        kind: RowKind = "computed",
        note: str = "",
    ) -> None:
        """Add a quantity beside the published number `name` of a section; the row has `note` if the two differ."""
        entry = self.published[section] if isinstance(section, str) else section
        theirs = _numbers(entry[name])
        own = _numbers(ours)
        tolerance = float(entry["tolerance"])
        is_same = all(abs(a - b) <= tolerance for a, b in zip(theirs, own, strict=True))
        agreement: ComparisonVerdict = "same" if kind == "computed" else "given"
        verdict = agreement if is_same else "differs"
        row = Comparison(
            self.group, quantity, theirs, own, entry["unit"], verdict, tolerance, kind, where=entry["where"]
        )
        self.rows.append(row if is_same else replace(row, note=note))

    def correct(
        self,
        erratum: str,
        quantity: str,
        printed: Values,
        ours: Values,
        unit: str,
        note: str,
        *,
        kind: RowKind = "computed",
    ) -> None:
        """Add the effect of an erratum: the result of the printed form beside ours."""
        row = Comparison(
            "errata",
            quantity,
            _numbers(printed),
            _numbers(ours),
            unit,
            "erratum",
            kind=kind,
            erratum=erratum,
            where="printed form, run",
            note=note,
        )
        self.rows.append(row)

    def add(self, quantity: str, ours: Values, unit: str, note: str = "") -> None:
        """Add a number that was not published."""
        self.rows.append(Comparison(self.group, quantity, None, _numbers(ours), unit, "ours only", note=note))


def _numbers(value: Values) -> Numbers:
    """Return a tuple of floats, minus zero as zero."""
    return tuple(float(number) + 0.0 for number in (value if isinstance(value, Sequence) else (value,)))
