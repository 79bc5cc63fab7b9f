"""`strut reproduce`: the published numbers of a system beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import typer

from strut.cli.options import Json
from strut.cli.screen import print_json, print_lines, print_next, print_table, progress
from strut.models.catalogue import robots
from strut.reproduction.comparison import Comparison
from strut.reproduction.systems import SYSTEMS
from strut.reproduction.systems import reproduce as compute

_MAX_NUMBERS = 4  # in a cell of the table; --json has all of them


def reproduce(
    system: Annotated[str, typer.Argument(help=f"One of: {', '.join(SYSTEMS)}.")],
    json: Json = False,
) -> None:
    """Compute the published numbers of a system again. Example: strut reproduce mrpete."""
    with progress(f"computes {system} again") as waiting:
        comparisons = compute(system, waiting)
    if json:
        print_json([comparison.as_dict() for comparison in comparisons])
        return
    computed = [row for row in comparisons if row.kind == "computed"]
    others = [row for row in comparisons if row.kind != "computed"]
    for group, rows in _by_group(computed).items():
        _print_group(group, rows)
    for group, rows in _by_group(others).items():
        _print_group(f"Not counted, constants and formulas: {group}", rows)
    counts = Counter(row.verdict for row in computed)
    print_lines(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    if others:
        kinds = Counter(f"{row.kind}, {row.verdict}" for row in others)
        print_lines(f"not counted: {'; '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}")
    print_next(f"strut robots {system}" if system in robots() else "strut reproduce --help")


def _by_group(comparisons: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    groups: dict[str, list[Comparison]] = {}
    for row in comparisons:
        groups.setdefault(row.group, []).append(row)
    return groups


def _print_group(group: str, comparisons: list[Comparison]) -> None:
    rows = [
        [
            row.quantity,
            _published(row),
            _numbers(row.ours),
            row.unit,
            "" if row.tolerance is None else f"{row.tolerance:.3g}",
            _verdict(row),
            row.note,
        ]
        for row in comparisons
    ]
    sources = dict.fromkeys(row.where for row in comparisons if row.where)
    title = f"{group} ({'; '.join(sources)})" if sources else group
    print_table(title, ["quantity", "reference", "ours", "unit", "tolerance", "verdict", "note"], rows)


def _verdict(row: Comparison) -> str:
    verdict = row.verdict if row.erratum is None else f"{row.verdict} {row.erratum}"
    return verdict if row.kind == "computed" else f"{verdict}, {row.kind}"


def _published(row: Comparison) -> str:
    if row.published is not None and len(row.published) > _MAX_NUMBERS:
        return f"within {row.difference:.1e} of ours"
    return _numbers(row.published)


def _numbers(values: tuple[float, ...] | None) -> str:
    if values is None:
        return ""
    if len(values) > _MAX_NUMBERS:
        return f"{len(values)} numbers"
    return ", ".join(f"{value:.4g}" for value in values)
