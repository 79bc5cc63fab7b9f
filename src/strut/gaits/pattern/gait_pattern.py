"""Gait patterns: which foot swings when, in dimensionless form, so that any legged body can walk by them.

Times are in units of sqrt(h / g), lengths in units of h, the height of the centre of mass in standing, so that bodies
of all sizes move alike (Alexander and Jayes, 1983). Feet are named by their places: `front left`, `hind right`; those
of a biped are `left` and `right`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import UnknownNameError
from strut.maths.easing import smooth_step

MAX_SPEED_UP = 1.6  # largest factor on the speed of a pattern, so at most 1.26 on its pace and on its stride


@dataclass(frozen=True, slots=True)
class GaitPattern:
    """A gait without a body.

    Args:
        swing_start: Phase at which each foot leaves the ground, by its place.
        duty_factor: Share of a cycle that a foot is on the ground.
        period: Duration of a cycle, in sqrt(h / g).
        stride: Travel in a cycle, in h.
        lift: Height of a swing, in h.
        handover: Share of a cycle in which a foot takes over or gives up its load.
        min_speed: In body lengths per second, for four legs: long bodies on short legs walk faster than others.
    """

    swing_start: Mapping[str, float]
    duty_factor: float
    period: float
    stride: float
    lift: float
    handover: float
    min_speed: float = 0.0


PATTERNS: Mapping[str, GaitPattern] = {
    "crawl": GaitPattern(
        swing_start={"hind left": 0.0, "front left": 0.25, "hind right": 0.5, "front right": 0.75},
        duty_factor=0.80,
        period=13.0,
        stride=0.32,
        lift=0.18,
        handover=0.05,
    ),
    "walk": GaitPattern(
        swing_start={"hind left": 0.0, "front left": 0.2, "hind right": 0.5, "front right": 0.7},
        duty_factor=0.70,
        period=6.0,
        stride=0.50,
        lift=0.16,
        handover=0.10,
    ),
    "trot": GaitPattern(
        swing_start={"front left": 0.0, "hind right": 0.0, "front right": 0.5, "hind left": 0.5},
        duty_factor=0.60,
        period=3.0,
        stride=0.68,
        lift=0.16,
        handover=0.10,
        min_speed=0.85,
    ),
    "biped": GaitPattern(
        swing_start={"left": 0.0, "right": 0.5},
        duty_factor=0.64,
        period=4.2,
        stride=0.63,
        lift=0.08,
        handover=0.13,
    ),
}


def find_pattern(name: str, foot_count: int) -> GaitPattern:
    """Return a pattern by its name; raises UnknownNameError if none of this name is for so many feet."""
    known = tuple(gait for gait, pattern in PATTERNS.items() if len(pattern.swing_start) == foot_count)
    if name not in known:
        raise UnknownNameError("gait", name, known, "`strut walk --help`")
    return PATTERNS[name]


def speed_up(pattern: GaitPattern, *, height_m: float, length_m: float, gravity_m_s2: float) -> GaitPattern:
    """Return the pattern at its minimum speed for a body if it is slower, half by quicker and half by longer steps."""
    speed_m_s = pattern.stride * height_m / (pattern.period * time_unit_s(height_m, gravity_m_s2))
    needed_factor = max(pattern.min_speed * length_m / speed_m_s, 1.0)
    factor = math.sqrt(min(needed_factor, MAX_SPEED_UP))
    return replace(pattern, period=pattern.period / factor, stride=pattern.stride * factor)


def slow_down(pattern: GaitPattern, tempo: float) -> GaitPattern:
    """Return the pattern at a tempo below 1: swings last as long as before, so feet stand for more of a cycle.

    Animals do the same (Alexander, 1984). It keeps slow walks from tipping over: nothing balances a body on two feet,
    so it must not stay on them for long.
    """
    added_stance = (1.0 - pattern.duty_factor) * (1.0 - min(tempo, 1.0))
    return replace(pattern, duty_factor=pattern.duty_factor + added_stance, handover=pattern.handover + added_stance)


@dataclass(frozen=True, slots=True, eq=False)
class ContactSchedule:
    """Contact schedule of a walk of whole cycles.

    Args:
        phase: Cycles since the first foot may leave the ground. Shape (T,).
        swing_number: Number of the current swing, or of the last one; -1 before the first. Shape (T, n).
        swing_share: Progress of each swing: 0 up to lift-off, 1 from touch-down on. Shape (T, n).
        load: Share of its full load that each foot carries, from 0 to 1. Shape (T, n).
    """

    phase: Array
    swing_number: npt.NDArray[np.int_]
    swing_share: Array
    load: Array

    @property
    def contact(self) -> npt.NDArray[np.bool_]:
        """Which feet are on the ground. Shape (T, n)."""
        return np.asarray((self.swing_share <= 0.0) | (self.swing_share >= 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class StepTiming:
    """Duty factor and handover of every cycle of every foot, around the swing of that cycle. Shapes (cycles, n)."""

    duty_factor: Array
    handover: Array


def steady_timing(pattern: GaitPattern, feet: int, cycles: int) -> StepTiming:
    """Return the timing of a walk whose cycles are all alike."""
    return StepTiming(np.full((cycles, feet), pattern.duty_factor), np.full((cycles, feet), pattern.handover))


def contact_schedule(
    pattern: GaitPattern, places: tuple[str, ...], phase: Array, cycles: int, timing: StepTiming | None = None
) -> ContactSchedule:
    """Return the contact schedule of feet at given places; by the pattern's own timing if None. Phase of shape (T,)."""
    timing = timing or steady_timing(pattern, len(places), cycles)
    swing_start = np.array([pattern.swing_start[place] for place in places])
    since_start = phase[:, None] - swing_start  # (T, n)
    number = np.clip(np.floor(since_start), -1, cycles - 1).astype(int)
    last = np.maximum(number, 0)
    following = np.minimum(number + 1, cycles - 1)
    swing_duration = np.take_along_axis(1.0 - timing.duty_factor, last, axis=0)  # in cycles
    has_swung = number >= 0
    share = np.where(has_swung, np.clip((since_start - number) / swing_duration, 0.0, 1.0), 0.0)
    since_touch_down = np.where(has_swung, since_start - number - swing_duration, np.inf)
    until_lift_off = np.where(number < cycles - 1, number + 1 - since_start, np.inf)
    takes_over = smooth_step(since_touch_down / np.take_along_axis(timing.handover, last, axis=0))
    gives_up = smooth_step(until_lift_off / np.take_along_axis(timing.handover, following, axis=0))
    is_swing = (share > 0.0) & (share < 1.0)
    return ContactSchedule(phase, number, share, np.where(is_swing, 0.0, takes_over * gives_up))


def mid_stance_phases(pattern: GaitPattern, place: str, cycles: int, duty_factor: Array | None = None) -> Array:
    """Return the phases in mid-stance of a foot; of the first stance its start, of the last its end. (cycles + 1,).

    Args:
        pattern: The gait pattern.
        place: Place of the foot.
        cycles: Number of cycles.
        duty_factor: Of each cycle of the foot; the pattern's own if None. Shape (cycles,).
    """
    stance = np.full(cycles, pattern.duty_factor) if duty_factor is None else duty_factor
    before = np.concatenate([stance[:1], stance])  # a stance follows the swing of the cycle before
    phases = pattern.swing_start[place] + np.arange(cycles + 1) - before / 2.0
    phases[0] = 0.0
    phases[-1] = cycles
    return np.asarray(phases)


def time_unit_s(height_m: float, gravity_m_s2: float) -> float:
    """Return sqrt(h / g)."""
    return math.sqrt(height_m / gravity_m_s2)
