"""`strut export`: a motion for other programs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from strut.cli.clips import ClipRobot, ReadOptions, load_clip
from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.formats.exchange import Exported, FolderWriter, Writer, find_writer
from strut.formats.exchange import export as write
from strut.formats.motion_file import load_motion
from strut.models.catalogue import load_robot
from strut.plumbing.atomic_files import check_not_input
from strut.plumbing.number_text import format_count
from strut.registry import find, names

_FORMATS = ", ".join(names("strut.writers"))
_ROBOT_FORMATS = ", ".join(names("strut.robot_writers"))


def export(
    file: Annotated[Path, typer.Argument(help="Motion file; with --to rig also a robot; see `strut robots`.")],
    to: Annotated[
        str | None,
        typer.Option(help=f"{_FORMATS} or {_ROBOT_FORMATS} (for Blender); what --out ends in if left out, else csv."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; beside the motion if left out.")] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Order of joints in formats without names: isaac (breadth-first) or mujoco (depth-first)."),
    ] = None,
    robot: ClipRobot = None,
    read: ReadOptions = None,
    rate: Annotated[float | None, typer.Option(help="Samples per second; the motion's own if left out.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a motion or a rig for other programs. Example: strut export happy.npz --to csv."""
    if to in names("strut.robot_writers"):
        if rate is not None:
            raise typer.BadParameter(f"--rate does not apply with --to {to}, which holds one pose; leave it out.")
        source = load_motion(file) if file.suffix == ".npz" else load_robot(str(file))
        numbers, line = find("strut.robot_writers", to)(source, file, out, force=force)
        if json:
            print_json(numbers)
        print_lines(line)
        return
    motion = load_clip(file, robot, read)
    writer = find_writer(to or "csv")
    path = out or _file_beside(file, to or "csv", writer)
    check_not_input(path, file)
    options = {} if order is None else {"order": order}
    with progress(f"writes {path}"):
        written = write(motion, path, to=to, rate_hz=rate, options=options, force=force)
    if json:
        wrong = {} if rate is None else {"aliases": [asdict(alias) for alias in written.aliases]}
        print_json(_as_dict(written) | {"joints": len(motion.joint_names)} | wrong)
    for alias in written.aliases:
        print_lines(
            f"warning: {rate:g} samples per second are too few for the jerkiness at {alias.frequency_hz:.3f} Hz; "
            f"the robot would show {alias.alias_hz:.3f} Hz instead"
        )
    without = f", without {', '.join(written.omitted)}" if written.omitted else ""
    samples = format_count(written.samples, "[sample|samples]")
    beside = () if isinstance(writer, FolderWriter) else written.beside
    print_lines(f"wrote {' and '.join(map(str, (path, *beside)))} ({samples}{without})")
    print_next("strut library add", file)


def _file_beside(file: Path, to: str, writer: Writer | FolderWriter) -> Path:
    """Return the file or folder to write beside a motion; its name says the format if its ending does not."""
    if isinstance(writer, FolderWriter):
        return file.with_name(f"{file.stem}_{to}")
    format_name = "" if writer.ending == f".{to}" else f"_{to}"
    return file.with_name(file.stem + format_name + writer.ending)


def _as_dict(written: Exported) -> dict[str, Any]:
    """Return an export as JSON holds it."""
    files = {"file": str(written.path), "beside": [str(path) for path in written.beside]}
    form = written.path.suffix.lower().lstrip(".")
    return files | {"format": form or "folder", "samples": written.samples, "omitted": list(written.omitted)}
