"""`strut export`: a motion for other programs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Force, Json, MotionPath
from strut.cli.screen import print_json, print_lines, print_next
from strut.io.atomic import check_not_input
from strut.io.exchange import WRITERS, writer_named
from strut.io.exchange import export as write
from strut.io.motion_file import load_motion


def export(
    file: MotionPath,
    to: Annotated[
        str | None, typer.Option(help=f"{' or '.join(WRITERS)}; what --out ends in if left out, else csv.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; beside the motion if left out.")] = None,
    rate: Annotated[float | None, typer.Option(help="Samples per second; the motion's own if left out.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a motion as CSV or JSON. Example: strut export happy.npz --to csv."""
    motion = load_motion(file)
    path = out or file.with_suffix(writer_named(to or "csv").ending)
    check_not_input(path, file)
    written = write(motion, path, to=to, rate_hz=rate, force=force)
    if json:
        form = path.suffix.lower().lstrip(".")
        about = {"file": str(path), "format": form, "samples": written.samples, "joints": len(motion.joint_names)}
        wrong = {} if rate is None else {"aliases": [asdict(alias) for alias in written.aliases]}
        print_json(about | {"lost": list(written.lost)} | wrong)
    for alias in written.aliases:
        print_lines(
            f"warning: {rate:g} samples per second are too few for the jerkiness at {alias.frequency_hz:.3f} Hz; "
            f"the robot would show {alias.shown_hz:.3f} Hz instead"
        )
    without = f", without {' and '.join(written.lost)}" if written.lost else ""
    print_lines(f"wrote {path} ({written.samples} samples{without})")
    print_next("strut show", file)
