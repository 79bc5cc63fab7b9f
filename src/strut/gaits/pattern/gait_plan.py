"""Gait plan: footprints in the world, feet over them, and the path of the pressure that carries a body along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.gaits.pattern.gait_pattern import GaitPattern, Schedule, middle_of_stance, schedule
from strut.gaits.pattern.gait_track import TrackPiece, track
from strut.maths.easing import smooth_step

SETTLE = 3.0  # before the first and after the last step, in sqrt(h / g): a body moves before its feet do


@dataclass(frozen=True, slots=True, eq=False)
class FootStance:
    """How a robot stands, seen from the point on the ground in the middle of its feet, x forwards.

    Args:
        places: Of the feet, such as `front left`.
        foot_m: Frames of the feet. Shape (n, 3).
        height_m: Of the centre of mass.
        length_m: From the hind hips to the front ones; 0 for a biped.
        push_m: Where the ground shall push each foot, from its frame; there if None. Shape (n, 2).
    """

    places: tuple[str, ...]
    foot_m: Array
    height_m: float
    length_m: float = 0.0
    push_m: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GaitPlan:
    """What feet and body shall do.

    Args:
        time_s: Shape (T,).
        track: Place and heading of the body's point on the ground: x, y [m], yaw [rad]. Shape (T, 3).
        phase: Cycles walked: 0 before the first step, their number after the last. Shape (T,).
        schedule: Who swings when.
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_yaw_rad: Their headings. Shape (T, n).
        push_in_world: Where the ground shall push each foot that carries. Shape (T, n, 2).
        shown: How much of the style is shown: 0 standing, 1 walking. Shape (T,).
    """

    time_s: Array
    track: Array
    phase: Array
    schedule: Schedule
    foot_in_world: Array
    foot_yaw_rad: Array
    push_in_world: Array
    shown: Array


def gait_plan(
    pattern: GaitPattern,
    stance: FootStance,
    *,
    period_s: float,
    pieces: Sequence[TrackPiece],
    lift_m: float,
    settle_s: float,
    rate_hz: float,
    uneven: float = 0.0,
) -> GaitPlan:
    """Return a walk that starts and ends standing.

    Args:
        pattern: Who swings when.
        stance: Where the feet stand.
        period_s: Of a cycle.
        pieces: Where the body goes, from the first lift-off to the last touch-down.
        lift_m: Height of a swing.
        settle_s: Standing before and after.
        rate_hz: Samples per second.
        uneven: How unevenly time runs within a step, from -1 to 1: above 0 feet hurry and wait.
    """
    cycles = sum(piece.cycles for piece in pieces)
    time_s = np.arange(round((2.0 * settle_s + cycles * period_s) * rate_hz) + 1) / rate_hz
    even = (time_s - settle_s) / period_s
    beats = len(set(pattern.swing_start.values()))
    phase = np.clip(even, 0.0, float(cycles))
    hurry = uneven * np.sin(2.0 * np.pi * beats * phase) / (2.0 * np.pi * beats)
    phase = phase - hurry
    steps = schedule(pattern, stance.places, even - hurry, cycles)
    feet = np.empty((len(time_s), len(stance.places), 3))
    yaw = np.empty((len(time_s), len(stance.places)))
    for foot, place in enumerate(stance.places):
        middle = track(middle_of_stance(pattern, place, cycles), pieces)
        prints = _at(middle, stance.foot_m[foot, :2])
        share = steps.share[:, foot]
        swing = steps.swing[:, foot]
        progress = smooth_step(share)
        before = np.maximum(swing, 0)
        after = swing + 1
        feet[:, foot, :2] = prints[before] + progress[:, None] * (prints[after] - prints[before])
        feet[:, foot, 2] = stance.foot_m[foot, 2] + lift_m * 64.0 * (share * (1.0 - share)) ** 3
        yaw[:, foot] = middle[before, 2] + progress * (middle[after, 2] - middle[before, 2])
    aside = np.zeros((len(stance.places), 2)) if stance.push_m is None else stance.push_m
    places = np.concatenate([feet[..., :2], yaw[..., None]], axis=2)
    push = np.stack([_at(places[:, foot], aside[foot]) for foot in range(len(aside))], axis=1)
    return GaitPlan(time_s, track(phase, pieces), phase, steps, feet, yaw, push, shown(time_s, settle_s))


def planned_zmp(plan: GaitPlan) -> Array:
    """Return where the ground shall push in all: the mean of the feet by the load they carry. Shape (T, 2)."""
    load = plan.schedule.load / plan.schedule.load.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("tn,tni->ti", load, plan.push_in_world))


def shown(time_s: Array, settle_s: float) -> Array:
    """Return how much of a style there is: it comes in before the first step and goes out after the last. (T,)."""
    return np.asarray(np.minimum(smooth_step(time_s / settle_s), smooth_step((time_s[-1] - time_s) / settle_s)))


def _at(track: Array, place_m: Array) -> Array:
    """Return where a place of the body is in the world. Shapes (..., 3), (2,) in, (..., 2) out."""
    cosine = np.cos(track[..., 2])
    sine = np.sin(track[..., 2])
    x = track[..., 0] + cosine * place_m[0] - sine * place_m[1]
    y = track[..., 1] + sine * place_m[0] + cosine * place_m[1]
    return np.stack([x, y], axis=-1)
