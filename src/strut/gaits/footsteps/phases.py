"""Phases: footsteps in time. The weight shifts onto one foot and the other swings, in turns, from standing to standing.

A swing moves a foot along a quintic and lifts it along a sextic, so that speed and acceleration are zero at lift-off
and touch-down; a swing on the spot only turns the foot. The body turns with the feet, half way between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import OutOfRangeError
from strut.maths.easing import smooth_step
from strut.place import LEFT, RIGHT, Footstep, Place, wrap_angle

PhaseKind = Literal["stand", "shift", "swing", "foot turn"]
_ON_THE_SPOT_M = 1e-9  # a swing over less is rounding: the foot only turns


@dataclass(frozen=True, slots=True)
class PhaseTimes:
    """Durations of a shift of the weight from foot to foot, of a swing, and of the start and the stop.

    `settle_s` is standing and the shift onto the first foot, and the reverse at the end: the centre of mass leads the
    centre of pressure, so it starts to move while both feet stand.
    """

    shift_s: float
    swing_s: float
    settle_s: float

    def __post_init__(self) -> None:
        for name in ("shift_s", "swing_s", "settle_s"):
            value = getattr(self, name)
            if not math.isfinite(value) or value <= 0.0:
                raise OutOfRangeError(f"The {name[:-2]} takes {value:g} s; it must take longer than 0 s.")

    def scaled(self, factor: float) -> PhaseTimes:
        """Return the times of the same walk at another pace, with the same start and stop."""
        return PhaseTimes(self.shift_s * factor, self.swing_s * factor, self.settle_s)

    @property
    def step_s(self) -> float:
        """Time from one step to the next."""
        return self.shift_s + self.swing_s


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a walk: the weight shifts onto a foot, or a foot swings or turns; -1 means both feet."""

    kind: PhaseKind
    start_s: float
    stop_s: float
    foot: int


@dataclass(frozen=True, slots=True, eq=False)
class StepPlan:
    """Planned motion of feet, body and zero-moment point. All shapes start with T.

    Args:
        phases: In order, without gaps.
        time_s: Shape (T,).
        foot_in_world: Middles of the soles, right and left. Shape (T, 2, 3).
        foot_heading_rad: Shape (T, 2).
        body_heading_rad: Shape (T,).
        contact: Which feet are on the ground. Shape (T, 2).
        zmp_in_world: Zero-moment point. Shape (T, 2).
    """

    phases: tuple[Phase, ...]
    time_s: Array
    foot_in_world: Array
    foot_heading_rad: Array
    body_heading_rad: Array
    contact: npt.NDArray[np.bool_]
    zmp_in_world: Array


def swing_share(share: Array) -> tuple[Array, Array]:
    """Return progress along a step and height over its height at a share in [0, 1] of the swing. Shape (...)."""
    u = np.clip(share, 0.0, 1.0)
    return smooth_step(u), np.asarray(64.0 * u**3 * (1.0 - u) ** 3)


def phases_of(steps: Sequence[Footstep], feet: tuple[Place, Place], times: PhaseTimes) -> tuple[Phase, ...]:
    """Return the phases of a walk that starts and ends standing on both feet.

    Args:
        steps: In order.
        feet: Right and left foot at the start.
        times: Durations of the phases.
    """
    phases = [Phase("stand", 0.0, times.settle_s, -1)]
    where = list(feet)
    now_s = times.settle_s
    carrying = -1
    for step in steps:
        stance = 1 - step.foot
        if stance != carrying:
            stop_s = now_s + (times.settle_s if carrying < 0 else times.shift_s)
            phases.append(Phase("shift", now_s, stop_s, stance))
            now_s = stop_s
            carrying = stance
        on_the_spot = where[step.foot].distance_m(step.place) < _ON_THE_SPOT_M
        phases.append(Phase("foot turn" if on_the_spot else "swing", now_s, now_s + times.swing_s, step.foot))
        where[step.foot] = step.place
        now_s += times.swing_s
    phases.append(Phase("shift", now_s, now_s + times.settle_s, -1))
    return (*phases, Phase("stand", now_s + times.settle_s, now_s + 2.0 * times.settle_s, -1))


def step_plan(
    steps: Sequence[Footstep],
    feet: tuple[Place, Place],
    times: PhaseTimes,
    *,
    step_height_m: float,
    rate_hz: float,
    outward_m: float = 0.0,
) -> StepPlan:
    """Return the plan of a walk, sampled evenly.

    Args:
        steps: In order.
        feet: Right and left foot at the start.
        times: Durations of the phases.
        step_height_m: Height of a swing.
        rate_hz: Samples per second.
        outward_m: Distance of the centre of pressure outside the middle of the sole; negative is inside.
    """
    phases = phases_of(steps, feet, times)
    time_s = np.arange(math.ceil(phases[-1].stop_s * rate_hz - 1e-9) + 1) / rate_hz
    samples = len(time_s)
    position = np.empty((samples, 2, 3))
    heading = np.empty((samples, 2))
    contact = np.ones((samples, 2), dtype=bool)
    pressure = np.empty((samples, 2))
    where = list(feet)
    for foot in (RIGHT, LEFT):
        position[:, foot] = (where[foot].x_m, where[foot].y_m, 0.0)
        heading[:, foot] = where[foot].heading_rad
    pressed = pressure[:] = _between_soles(where)
    swings = iter(steps)
    for phase in phases:
        after = time_s >= phase.start_s
        share = (time_s[after] - phase.start_s) / (phase.stop_s - phase.start_s)
        progress, height = swing_share(share)
        if phase.kind in ("stand", "shift"):
            target = _between_soles(where) if phase.foot < 0 else _on_sole(phase.foot, where[phase.foot], outward_m)
            pressure[after] = pressed + progress[:, None] * (target - pressed)
            pressed = target
            continue
        foot = phase.foot
        place = next(swings).place
        turn = wrap_angle(place.heading_rad - where[foot].heading_rad)
        position[after, foot, 0] = where[foot].x_m + progress * (place.x_m - where[foot].x_m)
        position[after, foot, 1] = where[foot].y_m + progress * (place.y_m - where[foot].y_m)
        position[after, foot, 2] = step_height_m * height
        heading[after, foot] = where[foot].heading_rad + progress * turn
        contact[(time_s > phase.start_s) & (time_s < phase.stop_s), foot] = False
        where[foot] = Place(place.x_m, place.y_m, where[foot].heading_rad + turn)
    between = heading[:, RIGHT] + np.array([wrap_angle(turn) for turn in heading[:, LEFT] - heading[:, RIGHT]]) / 2.0
    return StepPlan(phases, time_s, position, heading, np.unwrap(between), contact, pressure)


def _between_soles(feet: Sequence[Place]) -> Array:
    return np.array([sum(foot.x_m for foot in feet), sum(foot.y_m for foot in feet)]) / 2.0


def _on_sole(foot: int, sole: Place, outward_m: float) -> Array:
    target = sole.compose(Place(0.0, outward_m if foot == LEFT else -outward_m))
    return np.array([target.x_m, target.y_m])
