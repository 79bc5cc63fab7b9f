"""`strut stimuli`: the motions of a published study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.completion import complete_robot
from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.models.catalogue import first_robot_with
from strut.plumbing.number_text import format_count
from strut.study.stimuli.session_stimuli import SESSION_FILE
from strut.study.stimuli.session_stimuli import stimuli as write_stimuli


def stimuli(
    robot: Annotated[
        str | None, typer.Argument(help="Robot of the study.  [default: pepper]", autocompletion=complete_robot)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides practice motions, order and the two named emotions.")] = 1,
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    out: Annotated[Path, typer.Option(help="Folder to write the motion files into.")] = Path("stimuli"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Make all motions of a published study. Example: strut stimuli pepper --seed 1 --out stimuli."""
    robot = robot or first_robot_with("study.toml")
    with progress("makes the motions") as waiting:

        def report_motion(done: int, total: int) -> None:
            waiting(f"{done} of {total} motions made", done, total)

        rows = write_stimuli(robot, out, seed=seed, rate_hz=rate, force=force, on_motion=report_motion)
    if json:
        print_json([{**row, "file": str(out / row["file"])} for row in rows])
    print_lines(
        f"wrote {format_count(len(rows), '[motion|motions]')} and {SESSION_FILE}, which lists them, to {out}",
        *(
            f"  {row['file']} is {row['verdict']} to intensity {row['kept']:.2f}"
            for row in rows
            if row["verdict"] != "ok"
        ),
    )
    print_next("strut show", out / rows[0]["file"])
