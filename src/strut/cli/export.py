"""`strut export`: a motion for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.cli.screen import print_json, print_lines, print_next
from strut.library.export import Format, export_motion
from strut.library.motion_file import load_motion


def export(
    file: Annotated[Path, typer.Argument(help="Motion file.")],
    to: Annotated[str, typer.Option(help="csv or json.")] = "csv",
    out: Annotated[Path | None, typer.Option(help="File to write; beside the motion if left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON to stdout.")] = False,
) -> None:
    """Write a motion as CSV or JSON. Example: strut export happy.npz --to csv."""
    if to not in get_args(Format):
        raise typer.BadParameter(f"--to is '{to}'; choose {' or '.join(get_args(Format))}.")
    motion = load_motion(file)
    path = out or file.with_suffix(f".{to}")
    export_motion(motion, path, to, force=force)  # type: ignore[arg-type]
    if json:
        print_json({"file": str(path), "format": to, "samples": len(motion.time_s), "joints": len(motion.joint_names)})
    print_lines(f"wrote {path} ({len(motion.time_s)} samples)")
    print_next(f"strut show {file}")
