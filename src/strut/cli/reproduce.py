"""`strut reproduce`: published numbers beside ours."""

from __future__ import annotations

from typing import Annotated

import typer

from strut.cli.screen import people, print_json, print_table, progress
from strut.reproduction.comparison import Comparison
from strut.reproduction.systems import SYSTEMS
from strut.reproduction.systems import reproduce as compute


def reproduce(
    system: Annotated[str, typer.Argument(help=f"One of: {', '.join(SYSTEMS)}.")],
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON to stdout.")] = False,
) -> None:
    """Compute the published numbers of a system again. Example: strut reproduce mrpete."""
    with progress(f"computes {system} again") as bar:

        def tell(words: str, done: int, total: int) -> None:
            bar.update(bar.task_ids[0], description=words, completed=done, total=total)

        comparisons = compute(system, tell)
    if json:
        print_json([comparison.as_dict() for comparison in comparisons])
        return
    rows = [
        [row.quantity, _numbers(row.published), _numbers(row.ours), row.unit, row.verdict, row.erratum or "", row.note]
        for row in comparisons
    ]
    print_table(system, ["quantity", "published", "ours", "unit", "verdict", "erratum", "note"], rows)
    counts = {verdict: sum(row.verdict == verdict for row in comparisons) for verdict in _verdicts(comparisons)}
    people.print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))


def _verdicts(comparisons: tuple[Comparison, ...]) -> list[str]:
    return sorted({row.verdict for row in comparisons})


def _numbers(values: tuple[float, ...] | None) -> str:
    return "" if values is None else ", ".join(f"{value:.6g}" for value in values)
