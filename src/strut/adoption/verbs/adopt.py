"""`strut adopt`: a robot of others becomes one of yours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from strut.adoption.adopt import Adopted
from strut.adoption.adopt import adopt as adopt_robot
from strut.adoption.folder_check import check_folder
from strut.adoption.note import Note, fault
from strut.adoption.portrait import portrait_page, portrait_png
from strut.cli.main import REFUSED
from strut.cli.options import Force, Json
from strut.cli.paired_options import check_apart
from strut.cli.screen import print_json, print_lines, print_next, progress, telling
from strut.errors import RefusedError
from strut.models.catalogue import robot_home
from strut.perception.distinguish import Distinguished, distinguish_drafts
from strut.pipeline.walk import walk
from strut.plumbing.atomic_files import check_all_writable, write_atomically
from strut.robot import Robot

HOME_WORDS = "your robot home: ~/.strut/robots, or STRUT_ROBOTS"
STEPS_TRIED = 2  # cycles of a neutral walk with which a robot shows that it can
_WORDS = {"fault": "wrong", "assumed": "assumed", "found": "found"}


def adopt(
    context: typer.Context,
    file: Annotated[
        str | None, typer.Argument(help="MJCF or URDF, or a robot of an installed package by name.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call it.  [default: as the file]")] = None,
    out: Annotated[Path | None, typer.Option(help=f"Folder to write.  [default: its name in {HOME_WORDS}]")] = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: its portrait and all that was told.")] = None,
    png: Annotated[Path | None, typer.Option(help="Portrait to write.")] = None,
    check: Annotated[Path | None, typer.Option(help="Judge this folder again instead.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Read an MJCF or URDF and make a robot of it. Example: strut adopt unitree_go2/go2.xml."""
    if (file is None) == (check is None):
        raise typer.BadParameter("give a file, or a folder with --check.")
    check_apart(context, {"name": ("check",), "out": ("check",)})
    check_all_writable({".html": html, ".png": png}, force=force)
    if check is not None:
        return _check(check, html, png, force=force, json=json)
    with progress(f"reads {file}") as bar:
        adopted = adopt_robot(str(file), name, out, force=force, on_stage=telling(bar, f"{file}: strut"))
        _draw(adopted.robot, adopted.notes, html, png, force=force)
    _tell(adopted.notes)
    print_lines(f"wrote {adopted.folder}; every verb knows it as {adopted.robot.name}")  # stays if stopped from here on
    if out is None:
        print_lines(f"your robots are kept in {robot_home()}; the variable STRUT_ROBOTS names another place")
    with progress("tells its feelings apart") as bar:
        feelings = distinguish_drafts(adopted.robot, on_motion=telling(bar, f"{adopted.robot.name} is drafted"))
    with progress("takes a few steps"):
        refused = _refused(adopted)
    _tell(tuple(refused))
    if json:
        print_json(_as_json(adopted, refused, feelings))
    print_lines(*(f"feelings, before limits: {sentence}" for sentence in feelings.sentences()))
    if adopted.can_walk and not refused:
        print_next("strut walk", adopted.robot.name, "--emotion", "happy", "--out", f"{adopted.name}_happy.npz")
    else:
        print_next("strut adopt --check", adopted.folder)
    return 0


def _as_json(adopted: Adopted, refused: list[Note], feelings: Distinguished) -> dict[str, Any]:
    """Return what programs read about a robot that was adopted."""
    told = {severity: adopted.sentences(severity) for severity in _WORDS}
    return {
        "name": adopted.name,
        "folder": str(adopted.folder),
        "kind": adopted.kind,
        "joints": len(adopted.robot.joint_names),
        "feet": list(adopted.robot.foot_names),
        "mass_kg": adopted.robot.mass_kg,
        "took_s": adopted.took_s,
        "can_walk": adopted.can_walk and not refused,
        "confused_feelings": [[one, other] for one, other, _ in feelings.confused],
        **told,
        "fault": [*told["fault"], *(note.sentence for note in refused)],
    }


def _refused(adopted: Adopted) -> list[Note]:
    """Return why a robot refuses even a few steps in neutral; nothing where it does not, or was told not to walk."""
    try:
        if adopted.can_walk:
            walk(adopted.robot, cycles=STEPS_TRIED)
    except RefusedError as error:
        return [fault(f"it will not walk as it is: {'; '.join(error.reasons[:2])}.")]
    return []


def _check(folder: Path, html: Path | None, png: Path | None, *, force: bool, json: bool) -> int:
    with progress(f"judges {folder}"):
        checked = check_folder(folder)
        _draw(checked.robot, checked.notes, html, png, force=force)
    if json:
        notes = {
            severity: [note.sentence for note in checked.notes if note.severity == severity] for severity in _WORDS
        }
        print_json({"robot": checked.robot.name, "sound": checked.is_sound} | notes)
    _tell(checked.notes)
    if checked.is_sound:
        print_next("strut robots", folder)
    return 0 if checked.is_sound else REFUSED


def _draw(robot: Robot, notes: tuple[Note, ...], html: Path | None, png: Path | None, *, force: bool) -> None:
    if png is not None:
        write_atomically(png, portrait_png(robot), force=force)
    if html is not None:
        write_atomically(html, portrait_page(robot, notes), force=force)


def _tell(notes: tuple[Note, ...]) -> None:
    for severity, word in _WORDS.items():
        print_lines(*(f"{word}: {note.sentence}" for note in notes if note.severity == severity))
