"""Body path: how the centre of mass moves over the footsteps of a biped, and the postures that carry it.

As published, the centre of mass itself goes from shoe to shoe along a quintic, which is safe only if it goes slowly. Or
the centre of pressure does, and the centre of mass moves ahead of it as the dynamics of the nine masses ask: then the
margin stays what the steps allow at any pace that the legs can follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.balance.point_masses import effective_height_m, zero_moment_point
from strut.balance.sway import mass_path
from strut.generators.phases import StepPlan
from strut.kinematics.biped_model import TwoLegs
from strut.kinematics.leg_angles import posture_qpos
from strut.kinematics.posture import PostureTargets
from strut.kinematics.posture_failure import required_postures
from strut.request import PressureLaw
from strut.robot import Array

MOST_ROUNDS = 3
CLOSE_M = 1e-3  # the audit measures the margin afterwards


@dataclass(frozen=True, slots=True, eq=False)
class CarriedPlan:
    """A step plan with the postures that carry it. All shapes start with T.

    Args:
        plan: Shoes and pressure.
        targets: What the postures meet.
        joint_in_world: Joint points. Shape (T, 8, 3).
        zmp_in_world: Zero-moment point of the nine masses. Shape (T, 2).
    """

    plan: StepPlan
    targets: PostureTargets
    joint_in_world: Array
    zmp_in_world: Array

    @property
    def qpos(self) -> Array:
        """The robot's coordinates. Shape (T, nq)."""
        return posture_qpos(self.joint_in_world, self.targets)


def carried(legs: TwoLegs, plan: StepPlan, height_m: float, *, law: PressureLaw = "pressure") -> CarriedPlan:
    """Return the plan with its postures; raises UnreachablePostureError where the legs cannot follow.

    Args:
        legs: Whose.
        plan: Shoes and pressure.
        height_m: Of the hips over the ground.
        law: What follows the planned pressure: the centre of pressure, or the centre of mass as published.
    """
    step_s = float(plan.time_s[1] - plan.time_s[0])
    standing = posture_targets(legs, plan, height_m, plan.pressure_in_world)
    if law == "mass":
        return _followed(legs, plan, standing, step_s)
    swayed_m = effective_height_m(legs, standing.rows(slice(0, 1)))
    com = mass_path(plan.pressure_in_world, plan.time_s, swayed_m)
    found = _followed(legs, plan, posture_targets(legs, plan, height_m, com), step_s)
    for _ in range(MOST_ROUNDS - 1):
        missing = plan.pressure_in_world - found.zmp_in_world
        missing[[0, -1]] = 0.0  # it starts and ends standing
        if np.abs(missing).max() < CLOSE_M:
            break
        com = com + mass_path(missing, plan.time_s, swayed_m)
        found = _followed(legs, plan, posture_targets(legs, plan, height_m, com), step_s, found.joint_in_world)
    return found


def posture_targets(legs: TwoLegs, plan: StepPlan, height_m: float, com_in_world: Array) -> PostureTargets:
    """Return what the postures of a plan shall meet. Shape (T, 2) for the centre of mass."""
    c, s = np.cos(plan.foot_heading_rad), np.sin(plan.foot_heading_rad)
    x, y, z = legs.ankle_from_sole_m
    ankles = plan.foot_in_world + np.stack([c * x - s * y, s * x + c * y, np.full_like(c, z)], axis=-1)
    height = np.full(len(plan.time_s), height_m)
    return PostureTargets(ankles, com_in_world, plan.foot_heading_rad, plan.body_heading_rad, height)


def _followed(
    legs: TwoLegs, plan: StepPlan, targets: PostureTargets, step_s: float, start: Array | None = None
) -> CarriedPlan:
    joint = required_postures(legs, targets, start).joint_in_world
    masses = legs.masses_in_world(joint, targets.foot_heading_rad, targets.body_heading_rad)
    return CarriedPlan(plan, targets, joint, zero_moment_point(legs.mass_kg, masses, step_s))
