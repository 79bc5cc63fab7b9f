"""Human walk: a human model walks with a feeling. Speed and bearing are targets of the problem that makes the walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from strut.emotion import Emotion
from strut.engines.nonlinear_program import OnIteration
from strut.errors import OutOfRangeError, RefusedError
from strut.motion import Motion
from strut.optimal.cold_start import Drawing
from strut.optimal.gait import Gait
from strut.optimal.gait_problem import pelvis_and_joint_names
from strut.optimal.problem import Cost
from strut.optimal.soft_target import Bearing, bearing_costs, node_shares
from strut.optimal.solve import NotSolvedError
from strut.optimal.synthesise import synthesise
from strut.robot import Robot
from strut.styling.anchors import anchor_weights

LADDER = (1.0, 0.75, 0.5, 0.25, 0.0)  # shares of the asked intensity that are tried in turn
MOST_CYCLES = 1000


def human_walk(
    robot: Robot,
    emotion: Emotion,
    *,
    intensity: float,
    cycles: int,
    strict: bool,
    rate_hz: float,
    on_attempt: Callable[[float, bool], None] | None = None,
    on_iteration: OnIteration | None = None,
) -> Motion:
    """Return a dynamically valid walk that shows a feeling as strongly as it can be solved and proven.

    Args:
        robot: A human model.
        emotion: What it feels.
        intensity: 0 is neutral, 1 as published.
        cycles: Whole strides of two steps.
        strict: Raise RefusedError instead of weakening.
        rate_hz: Samples per second.
        on_attempt: Called with each intensity tried and whether it passed.
        on_iteration: Called with every iteration of the solver; may return True to stop.
    """
    if not 1 <= cycles <= MOST_CYCLES:
        raise OutOfRangeError(f"cycles is {cycles}; choose 1 to {MOST_CYCLES}.")
    reasons: list[str] = []
    for share in LADDER:
        tried = share * intensity
        try:
            gait = _gait(robot, emotion, tried, on_iteration)
        except (NotSolvedError, RefusedError) as failure:
            reasons.append(f"intensity {tried:.2f}: {failure}")
            if on_attempt:
                on_attempt(tried, False)
            if strict or tried == 0.0:
                raise RefusedError(reasons, "Ask for less intensity.") from failure
            continue
        if on_attempt:
            on_attempt(tried, True)
        return _motion(gait, emotion, asked=intensity, kept=tried, cycles=cycles, rate_hz=rate_hz, reasons=reasons)
    raise AssertionError("the last rung of the ladder returns or raises")


def _gait(robot: Robot, emotion: Emotion, intensity: float, on_iteration: OnIteration | None) -> Gait:
    speed, bearing = speed_and_bearing(robot, emotion, intensity)
    lasting_s = [entry["guess_s"] for entry in robot.table("gait")["phase"]]

    def costs(intervals: Sequence[int]) -> Sequence[Cost]:
        return bearing_costs(robot, pelvis_and_joint_names(robot), bearing, node_shares(intervals, lasting_s))

    drawing = Drawing(trunk_forward_rad=bearing.trunk_forward_rad, head_forward_rad=bearing.head_forward_rad)
    return synthesise(robot, speed_m_s=speed, extra_costs=costs, drawing=drawing, on_iteration=on_iteration)


def speed_and_bearing(robot: Robot, emotion: Emotion, intensity: float) -> tuple[float, Bearing]:
    """Return the walking speed [m/s], inside the human range, and the bearing of a feeling at an intensity."""
    table, limits = robot.table("expression"), robot.table("gait")["speed_m_s"]
    weights, anchors, rest = anchor_weights(robot, emotion, intensity), table["anchor"], table["neutral"]

    def blend(word: str, neutral: float) -> float:
        return neutral + sum(weight * (float(anchors[name][word]) - neutral) for name, weight in weights.items())

    speed = limits["usual"] * blend("speed", 1.0)
    return float(np.clip(speed, limits["least"], limits["most"])), Bearing(
        trunk_forward_rad=blend("trunk_forward_rad", 0.0),
        head_forward_rad=blend("head_forward_rad", 0.0),
        arm_swing_rad=max(0.0, blend("arm_swing_rad", rest["arm_swing_rad"])),
        elbow_rad=min(0.0, blend("elbow_rad", rest["elbow_rad"])),
    )


def _motion(
    gait: Gait, emotion: Emotion, *, asked: float, kept: float, cycles: int, rate_hz: float, reasons: list[str]
) -> Motion:
    feeling = {"emotion": emotion.name, "pad": emotion.pad, "intensity_asked": asked, "intensity_kept": kept}
    motion = gait.motion(steps=2 * cycles, rate_hz=rate_hz, **feeling)
    assert motion.receipt is not None
    receipt = replace(
        motion.receipt,
        verdict="weakened" if reasons else "ok",
        reasons=tuple(reasons),
        duration_s=motion.duration_s,
        distance_m=gait.step_length_m * 2 * cycles,
    )
    return replace(motion, receipt=receipt)
