"""Gait plan: footprints in the world, feet over them, and the zero-moment point that carries the body along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from strut.arrays import Array
from strut.gaits.pattern.gait_pattern import (
    ContactSchedule,
    GaitPattern,
    StepTiming,
    contact_schedule,
    mid_stance_phases,
    steady_timing,
)
from strut.gaits.pattern.gait_track import TrackPiece, track
from strut.maths.easing import smooth_step

SETTLE = 3.0  # standing before the first and after the last step, in sqrt(h / g): a body moves before its feet do


@dataclass(frozen=True, slots=True, eq=False)
class FootStance:
    """How a robot stands, relative to the point on the ground in the middle of its feet, x forwards.

    Args:
        places: Place of each foot, such as `front left`.
        foot_m: Frames of the feet. Shape (n, 3).
        height_m: Height of the centre of mass.
        length_m: From the hind hips to the front hips; 0 for a biped.
        cop_m: Preferred centre of pressure of each foot, relative to its frame; at the frame if None. Shape (n, 2).
    """

    places: tuple[str, ...]
    foot_m: Array
    height_m: float
    length_m: float = 0.0
    cop_m: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GaitPlan:
    """Planned motion of feet, body and zero-moment point.

    Args:
        time_s: Shape (T,).
        track: Pose of the body's reference point on the ground: x, y [m], yaw [rad]. Shape (T, 3).
        phase: Cycles walked: 0 before the first step, their number after the last. Shape (T,).
        schedule: Contact schedule.
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_yaw_rad: Headings of the feet. Shape (T, n).
        cop_in_world: Centre of pressure of each foot while it is on the ground. Shape (T, n, 2).
        expressed_share: Share of the style that is expressed: 0 standing, 1 walking. Shape (T,).
    """

    time_s: Array
    track: Array
    phase: Array
    schedule: ContactSchedule
    foot_in_world: Array
    foot_yaw_rad: Array
    cop_in_world: Array
    expressed_share: Array


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """How a walk goes on: its clock, the path of the body, and what may differ from step to step.

    Args:
        cycles: Number of cycles.
        duration_s: Of all, with the standing before and after.
        settle_s: Duration of standing before and after.
        phase_at: Returns the cycles walked at times; below 0 before the first step. Shape (T,) in and out.
        pose_at: Returns the pose of the body on the ground at phases: x, y [m], yaw [rad]. Shapes (...), (..., 3).
        timing: Duty factor and handover of every cycle.
        foot_m: Frames of the feet in each stance, relative to the middle of the feet. Shape (cycles + 1, n, 3).
        lift_m: Height of each swing. Shape (cycles, n).
        uneven_at: Returns how unevenly time runs within a step at times, from -1 to 1. Shape (T,) in and out.
    """

    cycles: int
    duration_s: float
    settle_s: float
    phase_at: Callable[[Array], Array]
    pose_at: Callable[[Array], Array]
    timing: StepTiming
    foot_m: Array
    lift_m: Array
    uneven_at: Callable[[Array], Array]


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
    """Return a walk of even cycles that starts and ends standing.

    Args:
        pattern: The gait pattern.
        stance: The feet in standing.
        period_s: Duration of a cycle.
        pieces: Path of the body, from the first lift-off to the last touch-down.
        lift_m: Height of a swing.
        settle_s: Duration of standing before and after.
        rate_hz: Samples per second.
        uneven: How unevenly time runs within a step, from -1 to 1: above 0, feet move fast and then wait.
    """
    cycles = sum(piece.cycles for piece in pieces)
    feet = len(stance.places)
    course = Course(
        cycles=cycles,
        duration_s=2.0 * settle_s + cycles * period_s,
        settle_s=settle_s,
        phase_at=lambda time_s: (time_s - settle_s) / period_s,
        pose_at=partial(track, pieces=pieces),
        timing=steady_timing(pattern, feet, cycles),
        foot_m=np.broadcast_to(stance.foot_m, (cycles + 1, feet, 3)),
        lift_m=np.full((cycles, feet), lift_m),
        uneven_at=lambda time_s: np.full_like(time_s, uneven),
    )
    return plan_course(pattern, stance, course, rate_hz)


def plan_course(pattern: GaitPattern, stance: FootStance, course: Course, rate_hz: float) -> GaitPlan:
    """Return the plan of a walk that starts and ends standing, and whose cycles may differ.

    Args:
        pattern: The gait pattern, for the order of the swings.
        stance: Places of the feet and their centres of pressure.
        course: How the walk goes on.
        rate_hz: Samples per second.
    """
    cycles = course.cycles
    time_s = np.arange(round(course.duration_s * rate_hz) + 1) / rate_hz
    even_phase = course.phase_at(time_s)
    steps_per_cycle = len(set(pattern.swing_start.values()))
    phase = np.clip(even_phase, 0.0, float(cycles))
    hurry = np.sin(2.0 * np.pi * steps_per_cycle * phase) / (2.0 * np.pi * steps_per_cycle)
    delay = course.uneven_at(time_s) * hurry
    phase = phase - delay
    schedule = contact_schedule(pattern, stance.places, even_phase - delay, cycles, course.timing)
    foot_in_world = np.empty((len(time_s), len(stance.places), 3))
    foot_yaw_rad = np.empty((len(time_s), len(stance.places)))
    for foot, place in enumerate(stance.places):
        phases = mid_stance_phases(pattern, place, cycles, course.timing.duty_factor[:, foot])
        mid_stance = course.pose_at(phases)  # (cycles + 1, 3)
        footprint_m = _points_in_world(mid_stance, course.foot_m[:, foot, :2])
        share = schedule.swing_share[:, foot]
        number = schedule.swing_number[:, foot]
        progress = smooth_step(share)
        before = np.maximum(number, 0)
        after = number + 1
        step_m = footprint_m[after] - footprint_m[before]
        foot_in_world[:, foot, :2] = footprint_m[before] + progress[:, None] * step_m
        height_m = course.lift_m[before, foot] * 64.0 * (share * (1.0 - share)) ** 3
        foot_in_world[:, foot, 2] = stance.foot_m[foot, 2] + height_m
        foot_yaw_rad[:, foot] = mid_stance[before, 2] + progress * (mid_stance[after, 2] - mid_stance[before, 2])
    cop_m = np.zeros((len(stance.places), 2)) if stance.cop_m is None else stance.cop_m
    foot_pose = np.concatenate([foot_in_world[..., :2], foot_yaw_rad[..., None]], axis=2)
    cop_in_world = np.stack([_points_in_world(foot_pose[:, foot], cop_m[foot]) for foot in range(len(cop_m))], axis=1)
    return GaitPlan(
        time_s=time_s,
        track=course.pose_at(phase),
        phase=phase,
        schedule=schedule,
        foot_in_world=foot_in_world,
        foot_yaw_rad=foot_yaw_rad,
        cop_in_world=cop_in_world,
        expressed_share=fade_in_and_out(time_s, course.settle_s),
    )


def planned_zmp(plan: GaitPlan) -> Array:
    """Return the planned zero-moment point: the mean of the centres of pressure, weighted by load. Shape (T, 2)."""
    load = plan.schedule.load / plan.schedule.load.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("tn,tni->ti", load, plan.cop_in_world))


def fade_in_and_out(time_s: Array, fade_s: float) -> Array:
    """Return a share that rises from 0 to 1 in the first `fade_s` and falls to 0 in the last. Shape (T,)."""
    return np.asarray(np.minimum(smooth_step(time_s / fade_s), smooth_step((time_s[-1] - time_s) / fade_s)))


def _points_in_world(pose: Array, point_m: Array) -> Array:
    """Return points of a body at planar poses of the body. Shapes (..., 3), (2,) or (..., 2) in, (..., 2) out."""
    cosine = np.cos(pose[..., 2])
    sine = np.sin(pose[..., 2])
    x = pose[..., 0] + cosine * point_m[..., 0] - sine * point_m[..., 1]
    y = pose[..., 1] + sine * point_m[..., 0] + cosine * point_m[..., 1]
    return np.stack([x, y], axis=-1)
