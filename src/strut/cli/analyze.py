"""`strut analyze`: human walks in numbers and curves, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.analysis.gait_analysis import GaitAnalysis
from strut.analysis.gait_analysis import analyze as measure
from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, print_table
from strut.io.atomic import check_writable, write_atomically
from strut.io.motion_file import load_motion
from strut.show.gait_wording import (
    contactless_sentence,
    criteria_rows,
    dissimilarity_rows,
    doubt_sentences,
    left_out_sentence,
    parameter_rows,
    work_rows,
)


def analyze(
    motions: Annotated[list[Path], typer.Argument(help="Motion files of human models.")],
    html: Annotated[Path | None, typer.Option(help="Page with curves over the gait cycle to write.")] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Table to write: angles, torques, powers and forces at 0 to 100 % of the cycle.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure and compare human walks. Example: strut analyze neutral.npz sad.npz --html report.html."""
    for path, ending in ((html, ".html"), (csv, ".csv")):
        if path is not None:
            check_writable(path, force=force, ending=ending)
    found = measure({name: load_motion(path) for name, path in _names(motions).items()})
    _write(found, html, csv, force=force)
    print_lines(*(contactless_sentence(name) for name, (_, motion) in found.walks.items() if not motion.contact.any()))
    print_lines(*(words for name, walk in found.walks.items() for words in doubt_sentences(name, *walk)))
    if json:
        print_json(found.as_dict())
        return
    _print_tables(found)
    if html is None:
        print_next("strut analyze", *motions, "--html", "report.html")


def _write(found: GaitAnalysis, html: Path | None, csv: Path | None, *, force: bool) -> None:
    if csv is not None:
        write_atomically(csv, found.cycles_csv().encode(), force=force)
        print_lines(f"wrote {csv}")
    if html is not None:
        from strut.show.gait_report import save_gait_report  # noqa: PLC0415  (plots are slow to import)

        save_gait_report(found, html, force=force)
        print_lines(f"wrote {html}")


def _print_tables(found: GaitAnalysis) -> None:
    parameters, comparison = list(found.parameters.values()), found.comparison
    print_table("gait parameters", ["", *found.parameters], parameter_rows(parameters))
    if work := work_rows(parameters):
        print_table("work of the joints in one cycle, given and taken [J/kg]", ["", *found.parameters], work)
    if any(comparison.judged(name) for name in comparison.names):
        print_table("criteria of one step, * is the best", *criteria_rows(comparison))
    if len(comparison.names) > 1:
        title = "how far apart, posture and whole time term (with half of it, E27)"
        print_table(title, ["", *comparison.names], dissimilarity_rows(comparison))
    left_out = [name for name in found.parameters if name not in comparison.names]
    if left_out and len(found.parameters) > 1:
        print_lines(left_out_sentence(left_out))


def _names(paths: list[Path]) -> dict[str, Path]:
    """Return the files by short name; by their whole path if two would be called the same."""
    short = {path.stem: path for path in paths}
    return short if len(short) == len(set(paths)) else {str(path): path for path in paths}
