"""Gait patterns: which foot swings when, in the dimensionless form that any legged body can walk by.

Times are in units of sqrt(h / g), lengths in units of h, the height of the centre of mass when standing, so that bodies
of all sizes move alike (Alexander and Jayes, 1983). A foot is called by its place: `front left`, `hind right`; bipeds
have a `left` and a `right` one.
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

MOST_BRISK = 1.6  # factor on the speed of a pattern


@dataclass(frozen=True, slots=True)
class GaitPattern:
    """A gait without a body.

    Args:
        swing_start: Phase at which each foot leaves the ground, by its place.
        duty_factor: Share of a cycle that a foot is down.
        period: Of a cycle, in sqrt(h / g).
        stride: Travel in a cycle, in h.
        lift: Of a swinging foot, in h.
        handover: Share of a cycle in which a foot takes over or gives up its load.
        least_speed: In lengths of a four-legged body per second: long bodies on short legs walk faster than others.
    """

    swing_start: Mapping[str, float]
    duty_factor: float
    period: float
    stride: float
    lift: float
    handover: float
    least_speed: float = 0.0


def brisk(pattern: GaitPattern, *, height_m: float, length_m: float, gravity_m_s2: float) -> GaitPattern:
    """Return the pattern at its least speed for a body, if it is slower: half by quicker, half by longer steps."""
    own_m_s = pattern.stride * height_m / (pattern.period * time_unit_s(height_m, gravity_m_s2))
    faster = math.sqrt(min(max(pattern.least_speed * length_m / own_m_s, 1.0), MOST_BRISK))
    return replace(pattern, period=pattern.period / faster, stride=pattern.stride * faster)


def slowed(pattern: GaitPattern, tempo: float) -> GaitPattern:
    """Return the pattern at a tempo below 1: a swing takes as long as ever, so that feet are down for more of a cycle.

    Animals do the same (Alexander, 1984), and it is why they do not tip over when they walk slowly: nothing holds a
    body on two feet but the little time that it stays there.
    """
    longer = (1.0 - pattern.duty_factor) * (1.0 - min(tempo, 1.0))
    return replace(pattern, duty_factor=pattern.duty_factor + longer, handover=pattern.handover + longer)


PATTERNS: Mapping[str, GaitPattern] = {
    "crawl": GaitPattern(
        {"hind left": 0.0, "front left": 0.25, "hind right": 0.5, "front right": 0.75}, 0.80, 13.0, 0.32, 0.18, 0.05
    ),
    "walk": GaitPattern(
        {"hind left": 0.0, "front left": 0.2, "hind right": 0.5, "front right": 0.7}, 0.70, 6.0, 0.50, 0.16, 0.10
    ),
    "trot": GaitPattern(
        {"front left": 0.0, "hind right": 0.0, "front right": 0.5, "hind left": 0.5}, 0.60, 3.0, 0.68, 0.16, 0.10, 0.85
    ),
    "biped": GaitPattern({"left": 0.0, "right": 0.5}, 0.64, 4.2, 0.63, 0.08, 0.13),
}


def pattern_named(name: str, feet: int) -> GaitPattern:
    """Return a pattern for a number of feet; raises UnknownNameError for one that so many feet cannot walk."""
    known = tuple(gait for gait, pattern in PATTERNS.items() if len(pattern.swing_start) == feet)
    if name not in known:
        raise UnknownNameError("gait", name, known, "`strut walk --help`")
    return PATTERNS[name]


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Who swings when along a walk of whole cycles.

    Args:
        phase: Cycles since the first foot may leave the ground. Shape (T,).
        swing: Which swing is under way, or was the last; -1 before the first. Shape (T, n).
        share: How far each swing is: 0 at lift-off and before, 1 from touch-down on. Shape (T, n).
        load: How much of its load each foot carries, from 0 to 1. Shape (T, n).
    """

    phase: Array
    swing: npt.NDArray[np.int_]
    share: Array
    load: Array

    @property
    def contact(self) -> npt.NDArray[np.bool_]:
        """Which feet are down. Shape (T, n)."""
        return np.asarray((self.share <= 0.0) | (self.share >= 1.0))


def schedule(pattern: GaitPattern, places: tuple[str, ...], phase: Array, cycles: int) -> Schedule:
    """Return the schedule of feet at given places. Shape (T,)."""
    start = np.array([pattern.swing_start[place] for place in places])
    swing_share = 1.0 - pattern.duty_factor
    since = phase[:, None] - start
    swing = np.clip(np.floor(since), -1, cycles - 1).astype(int)
    share = np.where(swing < 0, 0.0, np.clip((since - swing) / swing_share, 0.0, 1.0))
    landed = np.where(swing < 0, np.inf, since - swing - swing_share)  # since touch-down
    leaving = np.where(swing >= cycles - 1, np.inf, swing + 1 - since)  # until lift-off
    load = smooth_step(landed / pattern.handover) * smooth_step(leaving / pattern.handover)
    return Schedule(phase, swing, share, np.where((share > 0.0) & (share < 1.0), 0.0, load))


def middle_of_stance(pattern: GaitPattern, place: str, cycles: int) -> Array:
    """Return the phases in the middle of a foot's stances: the first is the start, the last the end. (cycles + 1,)."""
    start = pattern.swing_start[place]
    middle = start + np.arange(cycles + 1) - pattern.duty_factor / 2.0
    middle[0] = 0.0
    middle[-1] = cycles
    return np.asarray(middle)


def time_unit_s(height_m: float, gravity_m_s2: float) -> float:
    """Return sqrt(h / g)."""
    return math.sqrt(height_m / gravity_m_s2)
