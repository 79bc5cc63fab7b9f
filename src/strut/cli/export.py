"""`strut export`: a motion for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.cli.screen import print_json, print_lines, print_next
from strut.io.atomic import check_not_input
from strut.io.export import Format, export_motion
from strut.io.motion_file import load_motion
from strut.io.resample import Alias, aliases, resampled
from strut.models.catalogue import robot_of


def export(
    file: Annotated[Path, typer.Argument(help="Motion file.")],
    to: Annotated[str, typer.Option(help="csv or json.")] = "csv",
    out: Annotated[Path | None, typer.Option(help="File to write; beside the motion if left out.")] = None,
    rate: Annotated[float | None, typer.Option(help="Samples per second; the motion's own if left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON to stdout.")] = False,
) -> None:
    """Write a motion as CSV or JSON. Example: strut export happy.npz --to csv."""
    if to not in get_args(Format):
        raise typer.BadParameter(f"--to is '{to}'; choose {' or '.join(get_args(Format))}.")
    motion = load_motion(file)
    folded: tuple[Alias, ...] = ()
    if rate is not None:
        slow = resampled(motion, rate)
        folded, motion = aliases(robot_of(motion), motion, rate), slow
    path = out or file.with_suffix(f".{to}")
    check_not_input(path, file)
    export_motion(motion, path, to, force=force)  # type: ignore[arg-type]
    if json:
        written = {"file": str(path), "format": to, "samples": len(motion.time_s), "joints": len(motion.joint_names)}
        wrong = [{"frequency_hz": alias.frequency_hz, "shown_hz": alias.shown_hz} for alias in folded]
        print_json(written | ({"aliases": wrong} if rate is not None else {}))
    for alias in folded:
        print_lines(
            f"warning: {rate:g} samples per second are too few for the jerkiness at {alias.frequency_hz:.3f} Hz; "
            f"the robot would show {alias.shown_hz:.3f} Hz instead"
        )
    print_lines(f"wrote {path} ({len(motion.time_s)} samples)")
    print_next("strut show", file)
