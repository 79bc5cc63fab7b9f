"""`strut adopt`: import a robot from MJCF or URDF, or check the folder of an imported robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from strut.adoption.adopt import AdoptedRobot
from strut.adoption.adopt import adopt as adopt_robot
from strut.adoption.folder_check import check_folder
from strut.adoption.note import Note, Severity, sentences_of
from strut.adoption.portrait import portrait_page, portrait_png
from strut.cli.main import REFUSED
from strut.cli.options import Force, Json
from strut.cli.paired_options import check_apart
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.errors import RefusedError
from strut.models.catalogue import robot_home
from strut.pipeline.walk import walk
from strut.plumbing.atomic_files import check_all_writable, write_atomically
from strut.registry import find, names
from strut.robot import Robot

HOME_TEXT = "your robot home: ~/.strut/robots, or STRUT_ROBOTS"
TRIAL_CYCLES = 2  # of the neutral walk that shows whether the robot can walk at all


def adopt(
    context: typer.Context,
    file: Annotated[
        str | None, typer.Argument(help="MJCF or URDF file, or name of a robot of an installed package.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the robot.  [default: from the file]")] = None,
    out: Annotated[Path | None, typer.Option(help=f"Folder to write.  [default: its name in {HOME_TEXT}]")] = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: portrait, notes and joint limits.")] = None,
    png: Annotated[Path | None, typer.Option(help="Portrait to write.")] = None,
    check: Annotated[Path | None, typer.Option(help="Check the folder of an imported robot instead.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Import a robot from MJCF or URDF. Example: strut adopt unitree_go2/go2.xml."""
    if (file is None) == (check is None):
        raise typer.BadParameter("give a file, or a folder with --check.")
    check_apart(context, {"name": ("check",), "out": ("check",)})
    check_all_writable({".html": html, ".png": png}, force=force)
    if check is not None:
        return _check(check, html, png, force=force, json=json)
    with progress(f"reads {file}") as waiting:

        def report_stage(stage: str) -> None:
            waiting(f"{file}: strut {stage}")

        adopted = adopt_robot(str(file), name, out, force=force, on_stage=report_stage)
        _write_portraits(adopted.robot, adopted.notes, html, png, force=force)
    _print_notes(adopted.notes)
    # From here on the robot exists, even if the user interrupts the reports below.
    print_lines(f"wrote {adopted.folder}; every verb knows it as {adopted.robot.name}")
    if out is None:
        print_lines(f"your robots are in {robot_home()}; set STRUT_ROBOTS to keep them elsewhere")
    reported: dict[str, Any] = {}
    sentences: list[str] = []
    for entry in names("strut.robot_reports"):
        with progress(f"reports {entry}") as waiting:
            report = find("strut.robot_reports", entry)
            values, lines = report(adopted.robot, lambda stage, show=waiting: show(f"{adopted.robot.name}: {stage}"))
        reported |= values
        sentences += lines
    with progress("tries a few steps"):
        refusals = _try_steps(adopted)
    _print_notes(refusals)
    can_walk = adopted.can_walk and not refusals
    if json:
        print_json(_as_json(adopted, refusals, can_walk=can_walk) | reported)
    print_lines(*sentences)
    if can_walk:
        print_next("strut walk", adopted.robot.name, "--emotion", "happy", "--out", f"{adopted.name}_happy.npz")
    else:
        print_next("strut adopt --check", adopted.folder)
    return 0


def _as_json(adopted: AdoptedRobot, refusals: tuple[Note, ...], *, can_walk: bool) -> dict[str, Any]:
    """Return the JSON about an imported robot."""
    notes = (*adopted.notes, *refusals)
    return {
        "name": adopted.name,
        "folder": str(adopted.folder),
        "kind": adopted.kind,
        "joints": len(adopted.robot.joint_names),
        "feet": list(adopted.robot.foot_names),
        "mass_kg": adopted.robot.mass_kg,
        "took_s": adopted.took_s,
        "can_walk": can_walk,
        **{severity: sentences_of(notes, severity) for severity in Severity},
    }


def _try_steps(adopted: AdoptedRobot) -> tuple[Note, ...]:
    """Return why even a few neutral steps are refused; nothing if they are not, or if the robot cannot walk anyway."""
    try:
        if adopted.can_walk:
            walk(adopted.robot, cycles=TRIAL_CYCLES)
    except RefusedError as error:
        return (Note.fault(f"a neutral walk is not feasible: {'; '.join(map(str, error.reasons[:2]))}."),)
    return ()


def _check(folder: Path, html: Path | None, png: Path | None, *, force: bool, json: bool) -> int:
    """Check the folder of an imported robot and return the exit code."""
    with progress(f"checks {folder}"):
        checked = check_folder(folder)
        _write_portraits(checked.robot, checked.notes, html, png, force=force)
    if json:
        notes = {severity: sentences_of(checked.notes, severity) for severity in Severity}
        print_json({"robot": checked.robot.name, "sound": checked.is_sound} | notes)
    _print_notes(checked.notes)
    if checked.is_sound:
        print_next("strut robots", folder)
    return 0 if checked.is_sound else REFUSED


def _write_portraits(
    robot: Robot, notes: tuple[Note, ...], html: Path | None, png: Path | None, *, force: bool
) -> None:
    if png is not None:
        write_atomically(png, portrait_png(robot), force=force)
    if html is not None:
        write_atomically(html, portrait_page(robot, notes), force=force)


def _print_notes(notes: tuple[Note, ...]) -> None:
    for severity in Severity:
        print_lines(*(f"{severity}: {sentence}" for sentence in sentences_of(notes, severity)))
