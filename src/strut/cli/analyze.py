"""`strut analyze`: human walks in numbers and curves, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.analysis.gait_comparison import gait_comparison
from strut.analysis.gait_parameters import gait_parameters
from strut.cli.screen import print_json, print_lines, print_next, print_table
from strut.library.atomic import check_writable
from strut.library.motion_file import load_motion
from strut.robots.catalogue import robot_of
from strut.show.gait_wording import criteria_rows, dissimilarity_rows, parameter_rows


def analyze(
    motions: Annotated[list[Path], typer.Argument(help="Motion files of human models.")],
    html: Annotated[Path | None, typer.Option(help="Page with curves over the gait cycle to write.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing page.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON to stdout.")] = False,
) -> None:
    """Measure and compare human walks. Example: strut analyze neutral.npz sad.npz --html report.html."""
    if html is not None:
        check_writable(html, force=force, ending=".html")
    walks = {}
    for name, path in _names(motions).items():
        motion = load_motion(path)
        walks[name] = (robot_of(motion), motion)
    found = {name: gait_parameters(robot, motion) for name, (robot, motion) in walks.items()}
    comparison = gait_comparison(walks)
    if html is not None:
        from strut.show.gait_report import save_gait_report  # noqa: PLC0415  (plots are slow to import)

        save_gait_report(walks, found, comparison, html, force=force)
        print_lines(f"wrote {html}")
    if json:
        print_json({"motions": {name: each.as_dict() for name, each in found.items()}} | comparison.as_dict())
        return
    print_table("gait parameters", ["", *found], parameter_rows(list(found.values())))
    if any(comparison.judged(name) for name in comparison.names):
        print_table("criteria of one step, * is the best", *criteria_rows(comparison))
    if len(comparison.names) > 1:
        title = "how far apart, posture and whole time term (with half of it, E27)"
        print_table(title, ["", *comparison.names], dissimilarity_rows(comparison))
    if html is None:
        print_next(f"strut analyze {' '.join(map(str, motions))} --html report.html")


def _names(paths: list[Path]) -> dict[str, Path]:
    """Return the files by short name; by their whole path if two would be called the same."""
    short = {path.stem: path for path in paths}
    return short if len(short) == len(set(paths)) else {str(path): path for path in paths}
