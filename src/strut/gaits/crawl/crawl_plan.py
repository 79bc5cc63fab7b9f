"""Crawl: a gait that lifts one foot at a time, planned as footprints on the ground.

A foot on the ground does not move, so no foot slides. In the middle of its stance, a foot has its position in the key
pose, which places the footprint. Relative to the body, the steady cycles are the published crawl: a straight stroke
along the ground and a half-sine swing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.gaits.crawl.key_pose import KeyPose, PoseBlend, ground_under
from strut.gaits.crawl.table import CrawlTable
from strut.maths.easing import smooth_ramp, smooth_step
from strut.robot import Robot
from strut.style import Style

SwingTiming = Literal["smooth", "published"]


@dataclass(frozen=True, slots=True)
class CrawlGait:
    """Numbers of a crawl: contact schedule, length, height and duration of the steps.

    Args:
        swing_start: Phase at which each leg's quarter of the cycle begins, in the order of the robot's feet.
        duty_factor: Share of the cycle that a foot is on the ground.
        cycle_s: Duration of a cycle at tempo 1.
        step_length_m: Stroke of a foot relative to the body.
        step_height_m: Height of a swing.
        handover: Share of a swing's quarter, half at each end, in which the foot is on the ground.
        settle_s: Time before the first and after the last step.
        fade_cycles: Cycles over which a pose fades in and out.
        tilt_cycles: Cycles over which the feet reach their tilt, which changes only in a swing.
        pose_first: Whether the pose fades in and out while the robot stands, before the first and after the last step;
            otherwise it does so while the robot walks.
        timing: `published` swings evenly in time; `smooth` runs the same half-sine path with the speed and
            acceleration of the foot zero at lift-off and touch-down.
    """

    swing_start: tuple[float, ...]
    duty_factor: float
    cycle_s: float
    step_length_m: float
    step_height_m: float
    handover: float
    settle_s: float
    fade_cycles: float
    tilt_cycles: float
    pose_first: bool = False
    timing: SwingTiming = "smooth"

    @property
    def swing_window(self) -> tuple[float, float]:
        """Phase after `swing_start` at which a foot leaves the ground and at which it lands."""
        quarter = 1.0 - self.duty_factor
        return 0.5 * self.handover * quarter, (1.0 - 0.5 * self.handover) * quarter


@dataclass(frozen=True, slots=True, eq=False)
class CrawlPlan:
    """Planned motion of body and feet, before the body sways for balance.

    Args:
        time_s: Shape (T,).
        weight: Share of the pose's deviation that body and knees express. Shape (T,).
        body_x_m: Path of the point on the ground under the body. Shape (T,).
        foot_in_world: Centres of the feet, above the ground by 0 in stance. Shape (T, n, 3).
        foot_weight: Share of the deviation in each foot's tilt in world; constant on the ground, where a ball that
            tilts rolls away. Shape (T, n).
        contact: Which feet are on the ground. Shape (T, n).
        phase: Number of cycles; decreases in a backward walk. Shape (T,).
    """

    time_s: Array
    weight: Array
    body_x_m: Array
    foot_in_world: Array
    foot_weight: Array
    contact: npt.NDArray[np.bool_]
    phase: Array

    def relaxed(self, share: Array) -> CrawlPlan:
        """Return the plan with a share of its deviation at each sample; footprints stay. Shape (T,).

        A foot on the ground keeps its tilt, so it takes the smallest share of its whole stance.
        """
        held = np.stack([_hold_in_stance(share, down) for down in self.contact.T], axis=1)
        return replace(self, weight=self.weight * share, foot_weight=self.foot_weight * held)


def _hold_in_stance(share: Array, down: npt.NDArray[np.bool_]) -> Array:
    """Return the smallest share of each stance, interpolated smoothly in each swing. Shapes (T,), (T,) in, (T,) out."""
    bounds = [0, *(np.flatnonzero(np.diff(down)) + 1).tolist(), len(down)]
    lowest = [float(share[first:stop].min()) for first, stop in pairwise(bounds)]
    held = np.empty_like(share)
    for index, (first, stop) in enumerate(pairwise(bounds)):
        held[first:stop] = lowest[index]
        if not down[first]:  # a swing: walks start and end on all feet, so there is a stance on both sides
            before = lowest[index - 1]
            after = lowest[index + 1]
            progress = smooth_step((np.arange(first, stop) - first + 1) / (stop - first + 1))
            held[first:stop] = before + (after - before) * progress
    return held


def crawl_gait(robot: Robot) -> CrawlGait:
    """Return the crawl of the robot's `gait.toml`."""
    table = msgspec.structs.asdict(robot.gait_as(CrawlTable))
    order = table.pop("swing_order")
    for of_others in ("knee_sign", "servo_margin_m"):  # the legs and the proof read them
        del table[of_others]
    return CrawlGait(swing_start=tuple(order.index(foot.name) / len(order) for foot in robot.feet), **table)


def swing_path(share: Array, timing: SwingTiming) -> tuple[Array, Array]:
    """Return progress along the step and height over its height at a share in [0, 1] of the swing. Shape (...)."""
    progress = smooth_step(share) if timing == "smooth" else np.clip(share, 0.0, 1.0)
    return progress, np.where(progress < 1.0, np.sin(np.pi * progress), 0.0)  # sin(pi) is not quite 0


@dataclass(frozen=True, slots=True, eq=False)
class CrawlCourse:
    """How a crawl goes on: its clock, its travel, and what may differ from step to step.

    Where several poses are blended, weights have one more axis, with one entry for each of them.

    Args:
        time_s: Shape (T,).
        phase: Number of cycles; decreases in a backward walk. Shape (T,).
        cycles: Whole cycles.
        travelled_m: Returns the travel of the body at phases. Shape (...) in and out.
        lift_m: Height of each swing. Shape (cycles, n).
        weight: Share of the pose's deviation that body and knees express. Shape (T,).
        stance_weight: The same in the middle of each stance, for the footprints. Shape (cycles + 1, n).
        tilt_weight: The same in the tilt of each foot on the ground. Shape (cycles + 1, n).
    """

    time_s: Array
    phase: Array
    cycles: int
    travelled_m: Callable[[Array], Array]
    lift_m: Array
    weight: Array
    stance_weight: Array
    tilt_weight: Array


def crawl_plan(gait: CrawlGait, pose: KeyPose, style: Style, *, cycles: int, rate_hz: float) -> CrawlPlan:
    """Return a walk along x that starts and ends standing in neutral.

    Args:
        gait: The robot's crawl.
        pose: Key pose; its deviation fades in during the first cycles and out during the last.
        style: Tempo, direction, stride and lift.
        cycles: Whole cycles from the first lift-off to the last touch-down, at least 2.
        rate_hz: Samples per second.
    """
    walk_s = cycles * gait.cycle_s / style.tempo
    time_s = np.arange(round((2.0 * gait.settle_s + walk_s) * rate_hz) + 1) / rate_hz
    phase = np.clip((time_s - gait.settle_s) * style.tempo / gait.cycle_s, 0.0, float(cycles))
    if style.direction < 0:
        phase = cycles - phase  # the same steps in reverse keep the balance margin of the forward walk
    travel_m = gait.step_length_m * style.stride / gait.duty_factor
    height_m = gait.step_height_m * style.lift + pose.lift_change_m
    feet = len(gait.swing_start)
    course = CrawlCourse(
        time_s=time_s,
        phase=phase,
        cycles=cycles,
        travelled_m=lambda at: travel_m * distance_in_strides(at, cycles),
        lift_m=np.broadcast_to(height_m, (cycles, feet)),
        weight=pose_weight(gait, time_s, phase, cycles),
        stance_weight=fade(middles_of_stances(gait, cycles), cycles, gait.fade_cycles),
        tilt_weight=np.repeat(tilt_shares(gait, cycles)[:, None], feet, axis=1),
    )
    return plan_crawl(gait, pose, course)


def plan_crawl(gait: CrawlGait, pose: KeyPose | PoseBlend, course: CrawlCourse) -> CrawlPlan:
    """Return the plan of a crawl whose cycles may differ."""
    time_s = course.time_s
    phase = course.phase
    cycles = course.cycles
    middle = middles_of_stances(gait, cycles)
    foot_in_world = np.zeros((len(time_s), len(gait.swing_start), 3))
    foot_weight = np.zeros((*foot_in_world.shape[:2], *course.tilt_weight.shape[2:]))
    contact = np.ones(foot_in_world.shape[:2], dtype=bool)
    for leg, start in enumerate(gait.swing_start):
        prints = ground_under(pose.feet(course.stance_weight[:, leg])).footprint_m[:, leg]
        prints[:, 0] += course.travelled_m(middle[:, leg])
        swing = np.clip(np.floor(phase - start), 0, cycles - 1).astype(int)  # the present swing, or the last one
        lift_off, touch_down = gait.swing_window
        share = (phase - start - swing - lift_off) / (touch_down - lift_off)
        progress, height = swing_path(share, gait.timing)
        foot_in_world[:, leg, :2] = prints[swing] + progress[:, None] * (prints[swing + 1] - prints[swing])
        foot_in_world[:, leg, 2] = course.lift_m[swing, leg] * height
        tilt = course.tilt_weight[:, leg]
        tilted = progress.reshape(-1, *[1] * (tilt.ndim - 1))
        foot_weight[:, leg] = tilt[swing] + tilted * (tilt[swing + 1] - tilt[swing])
        contact[:, leg] = (share <= 0.0) | (share >= 1.0)
    body_x_m = course.travelled_m(phase)
    foot_in_world[:, :, 0] -= body_x_m[0]
    return CrawlPlan(
        time_s=time_s,
        weight=course.weight,
        body_x_m=body_x_m - body_x_m[0],
        foot_in_world=foot_in_world,
        foot_weight=foot_weight,
        contact=contact,
        phase=phase,
    )


def middles_of_stances(gait: CrawlGait, cycles: int) -> Array:
    """Return the phases in mid-stance of each foot; of the first its start, of the last its end. (cycles + 1, n)."""
    columns = [
        np.concatenate([[0.0], start + np.arange(1, cycles) - gait.duty_factor / 2.0, [cycles]])
        for start in gait.swing_start
    ]
    return np.stack(columns, axis=1)


def pose_weight(gait: CrawlGait, time_s: Array, phase: Array, cycles: int) -> Array:
    """Return the share of a pose that body and knees express over a walk. Shape (T,)."""
    ends_s = np.minimum(time_s, time_s[-1] - time_s)
    return smooth_step(ends_s / gait.settle_s) if gait.pose_first else fade(phase, cycles, gait.fade_cycles)


def tilt_shares(gait: CrawlGait, cycles: int) -> Array:
    """Return the share of a pose in the tilt of the feet in each stance: equal parts, swing by swing. (cycles + 1,)."""
    stance = np.arange(cycles + 1)
    ramp = min(gait.tilt_cycles, cycles // 2)  # whole in short walks, so that one stance reaches the whole tilt
    return np.asarray(np.minimum(np.minimum(stance, cycles - stance) / ramp, 1.0))


def fade(phase: Array, cycles: int, fade_cycles: float) -> Array:
    """Return the share of a pose that fades in at the start and out at the end of a walk. Shape (...)."""
    ramp = min(fade_cycles, cycles / 2.0)
    return np.minimum(smooth_step(phase / ramp), smooth_step((cycles - phase) / ramp))


def distance_in_strides(phase: Array, cycles: int) -> Array:
    """Return the body's travel in strides of a full cycle; its speed fades in and out within a cycle. Shape (...)."""
    ramp = min(1.0, cycles / 2.0)
    total = cycles - ramp
    first_half = ramp * smooth_ramp(phase / ramp)
    second_half = total - ramp * smooth_ramp((cycles - phase) / ramp)
    return np.asarray(np.where(phase <= cycles / 2.0, first_half, second_half))
