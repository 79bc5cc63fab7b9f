"""A sequence of commands, performed by a robot's own controllers in simulation, with a receipt."""

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
from strut.pilot.piloted_simulation import BegunPhase, Clock, World, simulate_requests
from strut.pilot.plant.plant_audit import was_piloted
from strut.pilot.request import Walker
from strut.pilot.sequence import SequencePart, animation_sequence, parse_sequence
from strut.receipt import Receipt, Verdict
from strut.request_checks import check_word
from strut.robot import Robot
from strut.schemas.keyframes import Animation
from strut.verify.judge import judge
from strut.verify.receipt_builder import receipt_for


def perform_sequence(
    robot: Robot | str,
    sequence: str | Animation,
    *,
    rate_hz: float = 100.0,
    walker: Walker = "pendulum",
    friction: float | None = None,
    seed: int = 0,
    method: AnimationMethod = "mass",
    margin_m: float | None = None,
    strict: bool = False,
) -> Motion:
    """Simulate a sequence of animations and walks under the robot's own controllers, and return the motion.

    Args:
        robot: The robot or its name.
        sequence: Text such as "happy, walk 2 m, sad", or a keyframe animation that walks.
        rate_hz: Samples per second.
        walker: Foot placement by the `pendulum` or by the robot's gait `library`.
        friction: Friction coefficient of the floor; the robot's own if None.
        seed: Seed of the sensor noise.
        method: Method that makes the standing parts of an animation feasible, as in `animate`.
        margin_m: Balance margin of the standing parts; 10 mm if None.
        strict: Raise RefusedError instead of slowing down much or weakening.

    Raises:
        UnknownNameError: For an unknown part of the text.
        RefusedError: If the robot falls or breaks a limit.

    Example:
        >>> strut.pilot.perform_sequence("cassie", "happy, walk 1 m").receipt.distance_m
    """
    started = perf_counter()
    robot = as_robot(robot)
    check_word("walker", walker, get_args(Walker))
    if isinstance(sequence, str):
        parts = parse_sequence(robot, sequence)
        title = sequence
        emotion = None
    else:
        parts = animation_sequence(robot, sequence, method=method, margin_m=margin_m)
        title = sequence.title
        emotion = named_emotion(sequence.emotion)
    run = simulate_requests(
        [part.request for part in parts],
        robot,
        world=World(friction=friction, seed=seed),
        clock=Clock(control_hz=CONTROL_HZ, record_hz=rate_hz),
        library=load_gait_library(robot) if walker == "library" else None,
    )
    draft, violations = judge(draft_of_run(robot, run), margin_m=0.0)  # a robot that steps keeps no balance margin
    if not was_piloted(draft) and not run.outcome.fell:
        raise OutOfRangeError(
            f"The sequence has {len(draft.time_s)} samples, too few to judge it; make it longer or raise the rate."
        )
    receipt = sequence_receipt(draft, violations, parts, emotion)
    if receipt.verdict == "refused" or (strict and receipt.verdict == "weakened"):
        raise RefusedError(receipt.reasons, "Ask for less, or slower.", receipt)
    meta: dict[str, Any] = {
        **run.motion.meta,
        **draft.meta,
        "title": title,
        "emotion": receipt.emotion,
        "pad": receipt.pad and list(receipt.pad),
        "emotions": list(dict.fromkeys(part.emotion for part in parts if part.emotion not in (None, "neutral"))),
        "versions": versions_in_use(),
        "sequence": [
            {"part": parts[begun.number].name, "phase": begun.phase, "at_s": begun.at_s} for begun in run.begun
        ],
        "eyes": sequence_eyes(run.begun, parts),
    }
    return replace(run.motion, receipt=replace(receipt, solve_s=perf_counter() - started), meta=meta)


def sequence_receipt(
    draft: Draft, violations: Sequence[Violation], parts: Sequence[SequencePart], emotion: Emotion | None
) -> Receipt:
    """Return the receipt: refused for violations, weakened if a part is slower or weaker than requested."""
    part_reasons = [reason for part in parts for reason in part.reasons]
    verdict: Verdict = "refused" if violations else "weakened" if part_reasons else "ok"
    intensity = None if emotion is None else 1.0
    reasons = [*(violation.reason for violation in violations), *part_reasons]
    return receipt_for(draft, emotion=emotion, asked=intensity, kept=intensity, verdict=verdict, reasons=reasons)


def sequence_eyes(begun: Sequence[BegunPhase], parts: Sequence[SequencePart]) -> list[list[Any]]:
    """Return start and name of each expression of the eyes; those of a part start with its movement and end with it."""
    movements = [phase for phase in begun if phase.phase in ("play", "walk", "hold")]
    changes: list[list[Any]] = [[0.0, "neutral"]]
    for movement, next_movement in zip(movements, [*movements[1:], None], strict=True):
        end_s = float("inf") if next_movement is None else next_movement.at_s
        for offset_s, expression in parts[movement.number].eyes:
            at_s = round(movement.at_s + offset_s, 3)
            if at_s < end_s and changes[-1][1] != expression:
                changes.append([at_s, expression])
    return changes
