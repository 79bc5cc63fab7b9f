"""`strut stimuli`: the motions of a published study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.errors import FileError
from strut.io.atomic import check_writable, write_atomically
from strut.io.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.study.session_stimuli import SESSION_FILE, performed, session_row, session_table
from strut.study.session_stimuli import stimuli as planned


def stimuli(
    robot: Annotated[str, typer.Argument(help="Robot whose study to make again.")] = "pepper",
    seed: Annotated[int, typer.Option(min=0, help="Decides practice motions, order and the two named emotions.")] = 1,
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    out: Annotated[Path, typer.Option(help="Folder to write the motion files into.")] = Path("stimuli"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Make all motions of a published study. Example: strut stimuli pepper --seed 1 --out stimuli."""
    body = load_robot(robot)
    session = planned(body, seed)
    if out.exists() and not out.is_dir():
        raise FileError(out, "is a file; give a folder.")
    if not out.absolute().parent.is_dir():
        raise FileError(out, f"cannot be written: there is no folder {out.parent}.")
    out.mkdir(exist_ok=True)
    names = [stimulus.file_name for stimulus in session]
    for name in (*names, SESSION_FILE):
        check_writable(out / name, force=force)
    rows: list[dict[str, Any]] = []
    with progress("makes the motions") as bar:
        for stimulus, motion in performed(body, seed, rate_hz=rate):
            save_motion(motion, out / stimulus.file_name, force=force)
            rows.append(session_row(stimulus, motion))
            bar.update(bar.task_ids[0], completed=len(rows), total=len(session))
    write_atomically(out / SESSION_FILE, session_table(rows, seed).encode(), force=force)
    if json:
        print_json([{**row, "file": str(out / row["file"])} for row in rows])
    print_lines(
        f"wrote {len(rows)} motions of {motion.duration_s:g} s and {SESSION_FILE}, which lists them, to {out}",
        *(f"  {row['file']} is {row['verdict']} to {row['kept']:.2f}" for row in rows if row["verdict"] != "ok"),
    )
    print_next("strut show", out / names[0])
