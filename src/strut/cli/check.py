"""`strut check`: measure a motion file again; nothing in its receipt is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.clips import ClipRobot, ReadOptions, load_clip
from strut.cli.hooks import NextCommand
from strut.cli.main import REFUSED
from strut.cli.options import Json, MotionPath, length_m
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.receipt import Receipt
from strut.registry import find, names
from strut.verify.check import check as check_motion
from strut.verify.collision_rules import collision_rules
from strut.verify.goal_ending import measure_goal_ending
from strut.viewer.receipt_text import measured_sentences

_VERDICTS = {"refused": "breaks a limit", "forces not judged": "keeps every limit of its movement alone"}


def check(
    file: MotionPath,
    margin: Annotated[str | None, typer.Option(help="Smallest balance margin; the planned one if left out.")] = None,
    robot: ClipRobot = None,
    read: ReadOptions = None,
    json: Json = False,
) -> int:
    """Measure a motion against the robot's limits (exit 3 if it breaks one). Example: strut check happy.npz."""
    motion = load_clip(file, robot, read)
    with progress(f"measures {file}"):
        receipt = check_motion(motion, margin_m=None if margin is None else length_m(margin))
    ending = measure_goal_ending(motion)
    is_sound = receipt.verdict != "refused"
    verdict = _VERDICTS.get(receipt.verdict, "keeps every limit")
    if json:
        rules = {"collision_rules": collision_rules(robot_of(motion))}
        print_json(receipt.as_dict() | rules | ({} if ending is None else {"goal": ending.as_dict()}))
    print_lines(
        f"{receipt.verdict}: {receipt.robot} {verdict}{_claim(motion.receipt)}",
        *(f"  {sentence}" for sentence in measured_sentences(receipt, ending)),
        *(f"  {note}" for note in motion.meta.get("notes", ())),  # what a reader had to find out
    )
    command, *words = _next(file, motion, sound=is_sound)
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
