"""`strut check`: measure a motion file again, believing nothing it says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.main import REFUSED
from strut.cli.options import Json, MotionPath, length_m
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.formats.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.pilot.piloted_rerun import can_be_run_again, is_piloted
from strut.receipt import Receipt
from strut.retargeting.repair_drafts import can_be_repaired
from strut.verify.check import check as check_motion
from strut.verify.goal_ending import goal_ending
from strut.verify.landing_audit import lands_with_impacts
from strut.viewer.receipt_text import measured_sentences


def check(
    file: MotionPath,
    margin: Annotated[str | None, typer.Option(help="Smallest balance margin; the planned one if left out.")] = None,
    json: Json = False,
) -> int:
    """Measure a motion against the robot's limits (exit 3 if it breaks one). Example: strut check happy.npz."""
    motion = load_motion(file)
    with progress(f"measures {file}"):
        receipt = check_motion(motion, margin_m=None if margin is None else length_m(margin))
    ending = goal_ending(motion)
    if json:
        print_json(receipt.as_dict() | ({} if ending is None else {"goal": ending.as_dict()}))
    print_lines(
        f"{receipt.verdict}: {receipt.robot}{_claimed(motion.receipt)}",
        *(f"  {s}" for s in measured_sentences(receipt, ending)),
    )
    print_next(*_next(file, motion, sound=receipt.verdict == "ok"))
    return 0 if receipt.verdict == "ok" else REFUSED


def _next(file: Path, motion: Motion, *, sound: bool) -> tuple[str, *tuple[str | Path, ...]]:
    """Return what to do next: play or analyse what is sound, repair a plan that is not, look at what happened."""
    robot = robot_of(motion)
    person = lands_with_impacts(robot)
    if sound:
        return (_proof(motion, person=person), file)
    if person or "simulated" in motion.meta or not can_be_repaired(robot):
        return ("strut show", file)
    return ("strut repair", file, "--out", file.with_name(f"{file.stem}_repaired.npz"))


def _proof(motion: Motion, *, person: bool) -> str:
    """Return what to do with what is sound; a run of controllers that does not say what they were asked is shown."""
    if person:
        return "strut analyze"
    return "strut show" if is_piloted(motion) and not can_be_run_again(motion) else "strut simulate"


def _claimed(receipt: Receipt | None) -> str:
    """Return which feeling a file claims to show, and what its own receipt says is missing of it, to end a sentence."""
    if receipt is None or receipt.emotion is None:
        return ""
    lacking = f", weakened ({'; '.join(map(str, receipt.reasons))})" if receipt.verdict == "weakened" else ""
    return f"; the file calls it {receipt.emotion}{lacking}"
