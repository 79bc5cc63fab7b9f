"""Gait parameters: step lengths and durations of a human walk, figures of both legs, joint torques and work."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import BadMotionError
from strut.human.analysis.gait_cycle import along_x, gait_cycle
from strut.human.analysis.leg_figures import LegFigures, both_legs
from strut.human.analysis.over_ground import belt_velocity_of, over_ground
from strut.human.analysis.reported_samples import are_reported
from strut.human.analysis.steps import TOE_OF, find_toe_offs
from strut.human.analysis.walk_figures import joint_power
from strut.human.anatomy import LEFT, RIGHT, SIDES, points_of_side
from strut.motion import Motion
from strut.robot import Robot


@dataclass(frozen=True, slots=True)
class Work:
    """Work of a joint over the body mass: generated, at least 0, and absorbed, at most 0."""

    generated_j_kg: float
    absorbed_j_kg: float


def joint_work(motion: Motion, mass_kg: float) -> dict[str, Work]:
    """Return the work of every joint over a motion; empty where torques are unknown."""
    power = joint_power(motion)
    if power is None:
        return {}
    generated = (np.trapezoid(power.clip(min=0.0), motion.time_s, axis=0) / mass_kg).tolist()
    absorbed = (np.trapezoid(power.clip(max=0.0), motion.time_s, axis=0) / mass_kg).tolist()
    return {name: Work(*work) for name, *work in zip(motion.joint_names, generated, absorbed, strict=True)}


@dataclass(frozen=True, slots=True)
class GaitParameters:
    """Gait parameters as laboratories report them. Tuples have one entry per step.

    Args:
        step_length_m: Between where the toes of both feet stand before toe off, along the line of progression.
        step_duration_s: From toe off to toe off.
        speed_m_s: Of the pelvis over the ground.
        belt_speed_m_s: Of the ground; 0 on a floor.
        cadence_per_min: Steps per minute; None without two toe offs.
        double_support: Share of time with both feet on the ground.
        legs: Figures of each leg over its own cycle, by side.
        largest_torque_nm_kg: By joint, over the body mass, of the reported samples; empty if torques are unknown.
        work: By joint, in one cycle over the body mass; empty if torques are unknown or there is no cycle.
    """

    step_length_m: tuple[float, ...]
    step_duration_s: tuple[float, ...]
    speed_m_s: float
    belt_speed_m_s: float
    cadence_per_min: float | None
    double_support: float
    legs: dict[str, LegFigures]
    largest_torque_nm_kg: dict[str, float]
    work: dict[str, Work]

    @property
    def symmetric(self) -> bool:
        """Whether no difference between the legs can be seen."""
        return self.legs[RIGHT].is_similar(self.legs[LEFT])

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters for JSON."""
        return asdict(self)


def gait_parameters(robot: Robot, motion: Motion) -> GaitParameters:
    """Return the gait parameters of a human motion with known contacts."""
    if not set(TOE_OF.values()) <= set(motion.foot_names):
        raise BadMotionError(f"{motion.robot} is no human model; only human walks can be analysed.")
    belt_speed_m_s = float(np.linalg.norm(belt_velocity_of(robot, motion)))
    motion = along_x(robot, over_ground(robot, motion))
    leaving = find_toe_offs(robot, motion)
    cycle = gait_cycle(robot, motion)
    durations = tuple(np.diff([float(motion.time_s[toe_off.sample]) for toe_off in leaving]).tolist())
    feet = [motion.contact[:, points_of_side(motion.foot_names, side)].any(axis=1) for side in SIDES]
    travelled = float(np.linalg.norm(motion.qpos[-1, :2] - motion.qpos[0, :2]))
    return GaitParameters(
        step_length_m=tuple(float(toe_off.leading_m[0]) for toe_off in leaving),
        step_duration_s=durations,
        speed_m_s=travelled / motion.duration_s,
        belt_speed_m_s=belt_speed_m_s,
        cadence_per_min=60.0 / float(np.mean(durations)) if durations else None,
        double_support=float(np.mean(feet[0] & feet[1])),
        legs=both_legs(robot, motion),
        largest_torque_nm_kg=_largest_torques(robot, motion),
        work={} if cycle is None else joint_work(cycle.motion, robot.mass_kg),
    )


def _largest_torques(robot: Robot, motion: Motion) -> dict[str, float]:
    reported = are_reported(motion)
    if motion.torque_nm is None or not reported.any():
        return {}
    largest: Array = np.abs(motion.torque_nm[reported]).max(axis=0) / robot.mass_kg
    return dict(zip(robot.joint_names, (float(value) for value in largest), strict=True))
