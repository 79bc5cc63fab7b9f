"""`strut check`: measure motion files again; nothing in their receipts is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.clips import CLIP_VERBS, ClipRobot, ReadOptions, clip_options, clip_words, load_clip
from strut.cli.hooks import NextCommand
from strut.cli.main import REFUSED
from strut.cli.options import Force, Json, length_m
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable
from strut.receipt import Receipt
from strut.registry import find, names
from strut.verify.check import examine
from strut.verify.collision_rules import collision_rules
from strut.verify.goal_ending import measure_goal_ending
from strut.viewer.receipt_text import measured_sentences

_VERDICTS = {"refused": "breaks a limit", "forces not judged": "keeps every limit of its movement alone"}


def check(
    files: Annotated[list[Path], typer.Argument(help="Motion file; or several, or folders of them.")],
    margin: Annotated[str | None, typer.Option(help="Smallest balance margin; the planned one if left out.")] = None,
    robot: ClipRobot = None,
    read: ReadOptions = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: every clip and the worst moments.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Results of several files, kept for the next run.  [default: FOLDER.check.jsonl beside it]"),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes for several files.  [default: one per core]")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers check several files instead.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Measure motions against the robot's limits (exit 3 if one breaks any). Example: strut check happy.npz."""
    margin_m = None if margin is None else length_m(margin)
    if html is not None:
        check_writable(html, force=force, ending=".html")
    file = files[0]
    if len(files) > 1 or file.is_dir():
        options = clip_options(robot, read)
        with_what = {"margin_m": margin_m, "workers": workers, "scheduler": scheduler}
        all_sound = find("strut.clip_checks", "many")(files, options, out=out, html=html, json=json, **with_what)
        return 0 if all_sound else REFUSED
    if any(option is not None for option in (out, workers, scheduler)):
        raise typer.BadParameter("--out, --workers and --scheduler are for a folder or several files.")
    motion = load_clip(file, robot, read)
    with progress(f"measures {file}"):
        found = examine(motion, margin_m=margin_m)
    receipt = found.timed_receipt
    ending = measure_goal_ending(motion)
    is_sound = receipt.verdict != "refused"
    verdict = _VERDICTS.get(receipt.verdict, "keeps every limit")
    if json:
        more = {
            "collision_rules": collision_rules(robot_of(motion)),
            "notes": [*found.faults, *motion.meta.get("notes", ())],
            "limits": [row.as_dict() for row in found.table.rows],
            "over_time": found.table.over_time,
        }
        print_json(found.receipt.as_dict() | more | ({} if ending is None else {"goal": ending.as_dict()}))
    print_lines(
        f"{receipt.verdict}: {receipt.robot} {verdict}{_claim(motion.receipt)}",
        *(f"  {sentence}" for sentence in measured_sentences(receipt, ending)),
        *(f"  {fault}" for fault in found.faults),
        *(f"  {note}" for note in motion.meta.get("notes", ())),  # what a reader had to find out
    )
    if html is not None:
        find("strut.clip_checks", "page")(file, clip_options(robot, read), margin_m=margin_m, html=html)
        print_lines(f"wrote {html}")
    command, *words = _next(file, motion, sound=is_sound)
    if command.removeprefix("strut ") in CLIP_VERBS:
        words += clip_words(robot, read)
    print_next(command, *words)
    return 0 if is_sound else REFUSED


def _next(file: Path, motion: Motion, *, sound: bool) -> tuple[str, ...]:
    """Return the command to propose: simulate or analyse a sound motion, else what a feature proposes, else show it."""
    for name in names("strut.next_commands"):
        next_command: NextCommand = find("strut.next_commands", name)
        words = next_command(file, motion, sound)
        if words is not None:
            return words
    return ("strut simulate" if sound else "strut show", str(file))


def _claim(receipt: Receipt | None) -> str:
    """Return the emotion and the verdict that a file claims: ` (file: sad, weakened)`; nothing without an emotion."""
    if receipt is None or receipt.emotion is None:
        return ""
    return f" (file: {receipt.emotion}, {receipt.verdict})"
