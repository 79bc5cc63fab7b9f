"""Piloted show: stories and walks one after the other, by a robot's own controllers in simulation, with a receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, get_args

from strut.animation.request import AnimationMethod
from strut.draft import Draft, Violation
from strut.emotion import Emotion, named_emotion
from strut.errors import OutOfRangeError, RefusedError
from strut.models.catalogue import as_robot
from strut.motion import Motion, versions_in_use
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.piloted_drafts import CONTROL_HZ, draft_of_run
from strut.pilot.piloted_simulation import Clock, PilotedRun, World, simulate_requests
from strut.pilot.plant.plant_audit import was_piloted
from strut.pilot.request import Walker
from strut.pilot.sequence import ShowPart, queue_of_story, queue_of_words
from strut.receipt import Receipt, Verdict
from strut.request_checks import check_word
from strut.robot import Robot
from strut.schemas.keyframes import Animation
from strut.verify.judge import judge
from strut.verify.receipt_builder import receipt_for


def perform_sequence(
    robot: Robot | str,
    show: str | Animation,
    *,
    rate_hz: float = 100.0,
    walker: Walker = "pendulum",
    friction: float | None = None,
    seed: int = 0,
    method: AnimationMethod = "mass",
    margin_m: float | None = None,
    strict: bool = False,
) -> Motion:
    """Perform a queue of stories and walks, or a story that walks, and return what really happened.

    Args:
        robot: Who performs, or its name.
        show: Words such as "happy, walk 2 m, sad", or a story.
        rate_hz: Samples per second.
        walker: Sets the feet by the `pendulum`, or by the robot's gait `library`.
        friction: Of the floor; the robot's own if None.
        seed: Of the sensors' noise.
        method: How what stands in a story is made feasible, as in `animate`.
        margin_m: Balance margin of what stands; 10 mm if None.
        strict: Raise RefusedError instead of slowing down much or weakening.

    Raises:
        UnknownNameError: For words that mean nothing.
        RefusedError: If it falls, or breaks a limit.

    Example:
        >>> strut.perform_show("cassie", "happy, walk 1 m").receipt.distance_m
    """
    started = perf_counter()
    robot = as_robot(robot)
    check_word("walker", walker, get_args(Walker))
    if isinstance(show, str):
        parts = queue_of_words(robot, show)
    else:
        parts = queue_of_story(robot, show, method=method, margin_m=margin_m)
    run = simulate_requests(
        [part.request for part in parts],
        robot,
        world=World(friction=friction, seed=seed),
        clock=Clock(control_hz=CONTROL_HZ, record_hz=rate_hz),
        library=load_gait_library(robot) if walker == "library" else None,
    )
    draft, broken = judge(draft_of_run(robot, run), margin_m=0.0)
    if not was_piloted(draft) and not run.outcome.fell:
        raise OutOfRangeError(
            f"The show has {len(draft.time_s)} samples, too few to judge it by; make it longer or raise the rate."
        )
    emotion = None if isinstance(show, str) else named_emotion(show.emotion)
    receipt = _receipt(draft, broken, parts, emotion)
    if receipt.verdict == "refused" or (strict and receipt.verdict == "weakened"):
        raise RefusedError(receipt.reasons, "Ask for less, or slower.", receipt)
    return _motion(run, draft, parts, show, replace(receipt, solve_s=perf_counter() - started))


def _receipt(draft: Draft, broken: Sequence[Violation], parts: Sequence[ShowPart], emotion: Emotion | None) -> Receipt:
    weaker = [reason for part in parts for reason in part.reasons]
    verdict: Verdict = "refused" if broken else "weakened" if weaker else "ok"
    full = None if emotion is None else 1.0
    reasons = [*(violation.reason for violation in broken), *weaker]
    return receipt_for(draft, emotion=emotion, asked=full, kept=full, verdict=verdict, reasons=reasons)


def _motion(
    run: PilotedRun, draft: Draft, parts: Sequence[ShowPart], show: str | Animation, receipt: Receipt
) -> Motion:
    title = show if isinstance(show, str) else show.title
    meta: dict[str, Any] = {
        **run.motion.meta,
        **draft.meta,
        "title": title,
        "emotion": receipt.emotion,
        "pad": receipt.pad and list(receipt.pad),
        "feelings": _feelings(parts),
        "versions": versions_in_use(),
        "show": [{"part": parts[begun.number].name, "phase": begun.phase, "at_s": begun.at_s} for begun in run.begun],
        "eyes": _eyes(run, parts),
    }
    return replace(run.motion, receipt=receipt, meta=meta)


def _feelings(parts: Sequence[ShowPart]) -> list[str]:
    """Return the feelings that a show has, one after the other."""
    felt = (part.feeling for part in parts)
    return list(dict.fromkeys(feeling for feeling in felt if feeling not in (None, "neutral")))


def _eyes(run: PilotedRun, parts: Sequence[ShowPart]) -> list[list[Any]]:
    """Return when which expression of the eyes begins; a part's own from when it plays or walks, no longer than it."""
    starts = [begun for begun in run.begun if begun.phase in ("play", "walk", "hold")]
    changes: list[list[Any]] = [[0.0, "neutral"]]
    for begun, then in zip(starts, [*starts[1:], None], strict=True):
        end_s = float("inf") if then is None else then.at_s
        for since_s, which in parts[begun.number].eyes:
            at_s = round(begun.at_s + since_s, 3)
            if at_s < end_s and changes[-1][1] != which:
                changes.append([at_s, which])
    return changes
