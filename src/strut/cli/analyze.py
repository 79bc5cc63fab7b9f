"""`strut analyze`: human walks in numbers and curves, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.analysis.gait_comparison import GaitComparison, gait_comparison
from strut.analysis.gait_parameters import GaitParameters, gait_parameters
from strut.analysis.normalised_cycle import normalised_cycle
from strut.cli.screen import print_json, print_lines, print_next, print_table
from strut.errors import BadMotionError
from strut.io.atomic import check_writable, write_atomically
from strut.io.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Robot
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
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON to stdout.")] = False,
) -> None:
    """Measure and compare human walks. Example: strut analyze neutral.npz sad.npz --html report.html."""
    for path, ending in ((html, ".html"), (csv, ".csv")):
        if path is not None:
            check_writable(path, force=force, ending=ending)
    walks = {}
    for name, path in _names(motions).items():
        motion = load_motion(path)
        walks[name] = (robot_of(motion), motion)
    found = {name: gait_parameters(robot, motion) for name, (robot, motion) in walks.items()}
    comparison = gait_comparison(walks)
    if csv is not None:
        write_atomically(csv, _cycles(walks).encode(), force=force)
        print_lines(f"wrote {csv}")
    if html is not None:
        from strut.show.gait_report import save_gait_report  # noqa: PLC0415  (plots are slow to import)

        save_gait_report(walks, found, comparison, html, force=force)
        print_lines(f"wrote {html}")
    print_lines(*(contactless_sentence(name) for name, (_, motion) in walks.items() if not motion.contact.any()))
    for name, (robot, motion) in walks.items():
        print_lines(*doubt_sentences(name, robot, motion))
    if json:
        print_json({"motions": {name: each.as_dict() for name, each in found.items()}} | comparison.as_dict())
        return
    _print_tables(found, comparison)
    if html is None:
        print_next("strut analyze", *motions, "--html", "report.html")


def _print_tables(found: dict[str, GaitParameters], comparison: GaitComparison) -> None:
    print_table("gait parameters", ["", *found], parameter_rows(list(found.values())))
    if work := work_rows(list(found.values())):
        print_table("work of the joints in one cycle, given and taken [J/kg]", ["", *found], work)
    if any(comparison.judged(name) for name in comparison.names):
        print_table("criteria of one step, * is the best", *criteria_rows(comparison))
    if len(comparison.names) > 1:
        title = "how far apart, posture and whole time term (with half of it, E27)"
        print_table(title, ["", *comparison.names], dissimilarity_rows(comparison))
    left_out = [name for name in found if name not in comparison.names]
    if left_out and len(found) > 1:
        print_lines(left_out_sentence(left_out))


def _cycles(walks: dict[str, tuple[Robot, Motion]]) -> str:
    """Return the normalised cycles of walks as comma-separated lines, the walk's name first."""
    tables = {name: normalised_cycle(robot, motion) for name, (robot, motion) in walks.items()}
    without = [name for name, table in tables.items() if table is None]
    if without:
        raise BadMotionError(f"{without[0]} holds no whole cycle of walking; leave it out, or leave --csv out.")
    columns = list(dict.fromkeys(column for table in tables.values() for column in table or ()))
    lines = [",".join(["walk", *columns])]
    for name, table in tables.items():
        assert table is not None
        for row in range(len(table["percent"])):
            lines.append(",".join([name, *(f"{table[word][row]:.6g}" if word in table else "" for word in columns)]))
    return "\n".join([*lines, ""])


def _names(paths: list[Path]) -> dict[str, Path]:
    """Return the files by short name; by their whole path if two would be called the same."""
    short = {path.stem: path for path in paths}
    return short if len(short) == len(set(paths)) else {str(path): path for path in paths}
