"""`strut stimuli`: the motions of a published study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.acting.stimuli import performed
from strut.acting.stimuli import stimuli as planned
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.errors import FileError
from strut.library.atomic import check_writable
from strut.library.motion_file import save_motion
from strut.robots.catalogue import load_robot


def stimuli(
    robot: Annotated[str, typer.Argument(help="Robot whose study to make again.")] = "pepper",
    seed: Annotated[int, typer.Option(min=0, help="Decides practice motions, order and the two named emotions.")] = 1,
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    out: Annotated[Path, typer.Option(help="Folder to write the motion files into.")] = Path("stimuli"),
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON to stdout.")] = False,
) -> None:
    """Make all motions of a published study. Example: strut stimuli pepper --seed 1 --out stimuli."""
    body = load_robot(robot)
    session = planned(body, seed)
    if out.exists() and not out.is_dir():
        raise FileError(out, "is a file; give a folder.")
    if not out.absolute().parent.is_dir():
        raise FileError(out, f"cannot be written: there is no folder {out.parent}.")
    out.mkdir(exist_ok=True)
    for stimulus in session:
        check_writable(out / stimulus.file_name, force=force)
    written = []
    with progress("makes the motions") as bar:
        for stimulus, motion in performed(body, seed, rate_hz=rate):
            save_motion(motion, out / stimulus.file_name, force=force)
            assert motion.receipt is not None
            written.append(
                {"file": str(out / stimulus.file_name), "role": stimulus.role, "name": stimulus.name}
                | {"pad": list(stimulus.emotion.pad), "verdict": motion.receipt.verdict}
            )
            bar.update(bar.task_ids[0], completed=len(written), total=len(session))
    if json:
        print_json(written)
    print_lines(f"wrote {len(written)} motions to {out}")
    print_next(f"strut show {written[0]['file']}")
