"""Human walk: a human model walks with a feeling. Speed and bearing are targets of the problem that makes the walk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from strut.emotion import Emotion
from strut.engines.interior_point import OUT_OF_TIME, STOPPED, OnIteration
from strut.errors import OutOfRangeError, RefusedError
from strut.expression.blend import style_for
from strut.expression.shown import shown_shares
from strut.human.gait import Gait
from strut.human.gait_options import HUMAN, named_gait_options
from strut.human.naturalness import Naturalness
from strut.human.synthesize import synthesize
from strut.motion import Motion
from strut.optimal.collocation import NotSolvedError
from strut.robot import Robot
from strut.style import Style, spoken

LADDER = (1.0, 0.75, 0.5, 0.25, 0.0)  # shares of the asked intensity that are tried in turn
MOST_CYCLES = 1000
AS_ASKED = 0.9  # a walk that shows this share of every asked change shows the feeling as asked


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
    if not 20.0 <= rate_hz <= 1000.0:
        raise OutOfRangeError(f"The rate is {rate_hz:g} samples per second; choose 20 to 1000.")
    reasons: list[str] = []
    for share in LADDER if intensity else (0.0,):
        tried = share * intensity
        try:
            gait = _gait(robot, emotion, tried, on_iteration)
        except (NotSolvedError, RefusedError) as failure:
            reasons.append(f"intensity {tried:.2f}: {failure}")
            if on_attempt:
                on_attempt(tried, False)
            if isinstance(failure, NotSolvedError) and failure.status == STOPPED:
                raise
            late = isinstance(failure, NotSolvedError) and failure.status == OUT_OF_TIME
            if strict or late or tried == 0.0:
                raise RefusedError(reasons, "Ask for less intensity.") from failure
            continue
        if on_attempt:
            on_attempt(tried, True)
        motion = _motion(gait, emotion, intensity, tried, cycles=cycles, rate_hz=rate_hz, reasons=reasons)
        assert motion.receipt is not None
        if strict and motion.receipt.verdict != "ok":
            refused = replace(motion.receipt, verdict="refused")
            advice = f"Without --strict it would walk at {refused.intensity_kept:.2f}."
            raise RefusedError(refused.reasons, advice, refused)
        return motion
    raise AssertionError("the last rung of the ladder returns or raises")


def _gait(robot: Robot, emotion: Emotion, intensity: float, on_iteration: OnIteration | None) -> Gait:
    style, limits = style_for(robot, emotion, intensity), robot.table("gait")["speed_m_s"]
    options = replace(named_gait_options(robot, [HUMAN]), style=style)
    possible = float(np.clip(style.speed * limits["usual"], limits["least"], limits["most"]))
    return synthesize(robot, speed_m_s=possible, options=options, on_iteration=on_iteration)


def shown_style(robot: Robot, asked: Style, *, speed_m_s: float, looks: Naturalness) -> Style:
    """Return a style with the speed, trunk and head that a walk was measured to have."""
    return replace(
        asked,
        direction=1,
        stride=speed_m_s / robot.table("gait")["speed_m_s"]["usual"] / asked.tempo,
        trunk_pitch_rad=looks.trunk_forward_rad,
        head_pitch_rad=looks.head_forward_rad,
    )


def _motion(
    gait: Gait, emotion: Emotion, asked: float, tried: float, *, cycles: int, rate_hz: float, reasons: list[str]
) -> Motion:
    """Return the walk with a receipt whose kept intensity is what the least shown change says."""
    assert gait.naturalness is not None
    style = style_for(gait.robot, emotion, asked)
    shown = shown_style(gait.robot, style, speed_m_s=gait.speed_m_s, looks=gait.naturalness)
    shares = shown_shares(gait.robot, style, shown)
    weak = {name: share for name, share in shares.items() if share < AS_ASKED}
    kept = min([tried, *(share * asked for share in weak.values())])
    said = [*reasons, *(f"{share:.0%} of the asked change of {spoken(name)} is shown" for name, share in weak.items())]
    feeling = {"emotion": emotion.name, "pad": emotion.pad, "intensity_asked": asked, "intensity_kept": kept}
    motion = gait.motion(steps=2 * cycles, rate_hz=rate_hz, **feeling)
    assert motion.receipt is not None
    receipt = replace(
        motion.receipt,
        verdict="weakened" if said else "ok",
        reasons=tuple(said),
    )
    return replace(motion, receipt=receipt, meta=dict(motion.meta) | {"shown": shares})
