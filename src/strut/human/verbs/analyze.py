"""`strut analyze`: gait parameters, curves and comparison of human walks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, print_table, progress
from strut.formats.motion_file import load_motion
from strut.human.analysis.condition_comparison import ConditionComparison, compare_conditions
from strut.human.analysis.gait_analysis import GaitAnalysis
from strut.human.analysis.gait_analysis import analyze as measure
from strut.human.report.condition_text import condition_summary, condition_tables
from strut.human.report.gait_text import (
    contactless_sentence,
    doubt_sentences,
    gait_tables,
    left_out_sentences,
    summary_table,
)
from strut.human.verbs.conditions import condition_of, trial_of
from strut.plumbing.atomic_files import check_all_writable, write_atomically


def analyze(
    motions: Annotated[
        list[str],
        typer.Argument(help="Motion files of human models; `sad=walk.npz` is a trial of the condition sad."),
    ],
    html: Annotated[Path | None, typer.Option(help="File to write a page with curves over the gait cycle to.")] = None,
    pdf: Annotated[Path | None, typer.Option(help="File to write the same as sheets of A4 paper to.")] = None,
    csv: Annotated[
        Path | None, typer.Option(help="File for angles, torques, powers and forces at 0 to 100 % of the cycle.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure and compare human walks. Example: strut analyze neutral=1.npz sad=2.npz --html report.html."""
    check_all_writable({".html": html, ".pdf": pdf, ".csv": csv}, force=force)
    trials = [trial_of(word) for word in motions]
    paths = _names([path for _, path in trials])
    named = condition_of(trials)
    with progress("measures the walks") as waiting:
        found = measure({name: load_motion(path) for name, path in paths.items()})
        conditions = None if named is None else compare_conditions(found, {k: named[path] for k, path in paths.items()})
        waiting("draws the report")
        _write(found, conditions, [path for path in (html, pdf) if path is not None], csv, force=force)
    print_lines(*(contactless_sentence(name) for name, (_, motion) in found.walks.items() if not motion.contact.any()))
    print_lines(*(words for name, walk in found.walks.items() for words in doubt_sentences(name, *walk)))
    if json:
        print_json(found.as_dict() | ({} if conditions is None else {"conditions": conditions.as_dict()}))
        return
    summary = summary_table(found) if conditions is None else condition_summary(conditions)
    print_table(summary.title, summary.header, summary.rows)
    print_lines(*left_out_sentences(found) if len(found.walks) > 1 else ())
    print_lines(*() if conditions is None else conditions.muscle_remarks)
    tables = list(gait_tables(found) if conditions is None else condition_tables(conditions))
    count = sum(len(table.rows) for table in tables)
    where = html or pdf or "a report (--html or --pdf)"
    print_lines(f"{where} has all {count} rows of {len(tables)} tables, and the curves")
    print_next(*("strut analyze", *motions, "--html", "report.html") if html is None else ("strut show", trials[0][1]))


def _write(
    found: GaitAnalysis,
    conditions: ConditionComparison | None,
    reports: Sequence[Path],
    csv: Path | None,
    *,
    force: bool,
) -> None:
    """Write the reports and the table that were asked for."""
    if csv is not None:
        write_atomically(csv, found.cycles_csv().encode(), force=force)
    if reports:
        from strut.human.report.gait_report import save_gait_report  # noqa: PLC0415  (plots are slow to import)

        for path in reports:
            save_gait_report(found, path, conditions=conditions, force=force)
    print_lines(*(f"wrote {path}" for path in (csv, *reports) if path is not None))


def _names(paths: list[Path]) -> dict[str, Path]:
    """Return the files by stem; by folder or whole path if two have the same one."""
    for short in (lambda path: path.stem, lambda path: path.parent.name, str):
        named = {short(path): path for path in paths}
        if len(named) == len(set(paths)):
            break
    return named
