"""Body path: how the centre of mass moves over the footsteps of a biped, and the postures that carry it.

With the published law, the centre of mass moves from foot to foot along a quintic, which keeps the balance margin only
at low speed. With our law, the centre of pressure follows the quintic and the centre of mass leads it as the dynamics
of the nine masses require: the margin is then that of the footsteps at any pace that the legs can follow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.balance.centre_of_pressure import zero_moment_point
from strut.balance.support import support_margin
from strut.balance.sway import com_from_zmp
from strut.engines.body_wrench import centre_of_mass_path
from strut.gaits.footsteps.biped_model import UPPER_BODY, BipedModel
from strut.gaits.footsteps.biped_posture import PostureTargets
from strut.gaits.footsteps.leg_angles import posture_qpos
from strut.gaits.footsteps.phases import StepPlan
from strut.gaits.footsteps.posture_failure import required_postures
from strut.gaits.footsteps.request import PressureLaw
from strut.robot import Robot

MAX_ROUNDS = 3  # of the correction of the zero-moment point; each leaves a small share of the error
CLOSE_M = 1e-3  # error of the zero-moment point that is accepted; the audit measures the margin afterwards


@dataclass(frozen=True, slots=True, eq=False)
class SolvedStepPlan:
    """A step plan with the postures that solve it. All shapes start with T.

    Args:
        plan: Feet and zero-moment point.
        targets: Conditions of the postures.
        joint_in_world: Joint points. Shape (T, 8, 3).
        zmp_in_world: Zero-moment point of the nine masses. Shape (T, 2).
        qpos: Configurations. Shape (T, nq).
    """

    plan: StepPlan
    targets: PostureTargets
    joint_in_world: Array
    zmp_in_world: Array
    qpos: Array


@dataclass(frozen=True, slots=True, eq=False)
class Lean:
    """Posture of the joints above the hips, and its effect on the balance.

    Args:
        joint_rad: Joint angles. Shape (T, n_upper).
        com_shift_m: Displacement of the centre of mass by them, in the frame of the body. Shape (T, 3).
    """

    joint_rad: Array
    com_shift_m: Array

    def repeated(self, samples: int) -> Lean:
        """Return the first sample, held for a number of samples."""
        return Lean(*(np.tile(row[:1], (samples, 1)) for row in (self.joint_rad, self.com_shift_m)))


def lean_of(robot: Robot, joint_rad: Array) -> Lean:
    """Return the effect of joint angles above the hips. Shape (T, n_upper) in."""
    qpos = np.tile(robot.model.qpos0, (len(joint_rad) + 1, 1))
    qpos[1:, qpos.shape[1] - joint_rad.shape[1] :] = joint_rad
    com = centre_of_mass_path(robot.model, qpos)
    return Lean(joint_rad, com[1:] - com[0])


def solve_step_plan(
    legs: BipedModel,
    plan: StepPlan,
    height_m: float | Array,
    *,
    law: PressureLaw = "pressure",
    lean: Lean | None = None,
) -> SolvedStepPlan:
    """Return the plan with its postures; raises UnreachablePostureError where the legs cannot follow.

    Args:
        legs: The lower body.
        plan: Feet and zero-moment point.
        height_m: Height of the hips over the ground, for all samples or for each. Shape (T,).
        law: `pressure` moves the centre of pressure along the plan; `mass` the centre of mass, as published.
        lean: Posture above the hips; upright if None.
    """
    step_s = float(plan.time_s[1] - plan.time_s[0])
    pressure = plan.zmp_in_world
    targets = posture_targets(legs, plan, height_m, pressure)
    height_of_mass_m = 0.0 if law == "mass" else effective_height_m(legs, targets)
    com = pressure if law == "mass" else com_from_zmp(pressure, plan.time_s, height_of_mass_m)
    shift = np.zeros((len(com), 3)) if lean is None else _in_world(lean.com_shift_m, plan.body_heading_rad)
    start: Array | None = None
    for _ in range(1 if law == "mass" else MAX_ROUNDS):
        targets = replace(targets, com_in_world=com)
        upright = replace(targets, com_in_world=com - shift[:, :2])
        joint = required_postures(legs, upright, start).joint_in_world
        masses = legs.masses_in_world(joint, targets.foot_heading_rad, targets.body_heading_rad)
        masses[:, UPPER_BODY] += shift * legs.mass_kg.sum() / legs.mass_kg[UPPER_BODY]
        zmp = zero_moment_point(legs.mass_kg, masses, step_s)
        missing = pressure - zmp
        missing[[0, -1]] = 0.0  # it starts and ends standing
        if np.abs(missing).max() < CLOSE_M:
            break
        start = joint
        com = com + com_from_zmp(missing, plan.time_s, height_of_mass_m)
    angles = None if lean is None else lean.joint_rad
    return SolvedStepPlan(plan, targets, joint, zmp, posture_qpos(legs, joint, targets, angles))


def _in_world(vector: Array, heading_rad: Array) -> Array:
    """Rotate vectors of the body into the world by its heading. Shapes (T, 3), (T,) in, (T, 3) out."""
    return np.asarray(Rotation.from_euler("Z", heading_rad[:, None]).apply(vector))


def posture_targets(legs: BipedModel, plan: StepPlan, height_m: float | Array, com_in_world: Array) -> PostureTargets:
    """Return the conditions of the postures of a plan. Shape (T, 2) for the centre of mass."""
    c = np.cos(plan.foot_heading_rad)
    s = np.sin(plan.foot_heading_rad)
    x, y, z = legs.ankle_from_sole_m
    ankles = plan.foot_in_world + np.stack([c * x - s * y, s * x + c * y, np.full_like(c, z)], axis=-1)
    height = np.broadcast_to(np.asarray(height_m, dtype=np.float64), plan.time_s.shape).copy()
    return PostureTargets(ankles, com_in_world, plan.foot_heading_rad, plan.body_heading_rad, height)


def effective_height_m(legs: BipedModel, target: PostureTargets) -> float:
    """Return the height of the linear inverted pendulum with the same zero-moment point in lateral sway.

    The feet do not move, so the upper body sways further than the centre of mass, and the pendulum is higher than that.

    Args:
        legs: The lower body.
        target: A standing posture; the first one is used.
    """
    nudge_m = 1e-4
    both = target.rows(np.zeros(2, dtype=np.intp))
    heading = float(target.body_heading_rad[0])
    aside = np.array([-np.sin(heading), np.cos(heading)])
    both = replace(both, com_in_world=both.com_in_world + np.array([[-1.0], [1.0]]) * nudge_m / 2.0 * aside)
    joint = required_postures(legs, both).joint_in_world
    masses = legs.masses_in_world(joint, both.foot_heading_rad, both.body_heading_rad)
    moved = (masses[1, :, :2] - masses[0, :, :2]) @ aside / nudge_m
    return float(legs.mass_kg @ (moved * masses.mean(axis=0)[:, 2]) / legs.mass_kg.sum())


def static_margin_m(robot: Robot, body: SolvedStepPlan) -> Array:
    """Return the margin of the centre of mass, which is that of a robot at rest. Shape (T,)."""
    return _margin(robot, body.plan, body.targets.com_in_world)


def dynamic_margin_m(robot: Robot, body: SolvedStepPlan) -> Array:
    """Return the margin of the nine masses' zero-moment point at the plan's phase times. Shape (T,)."""
    return _margin(robot, body.plan, body.zmp_in_world)


def sole_points(robot: Robot, plan: StepPlan) -> Array:
    """Return the corners of the soles by the plan, without forward kinematics. Shape (T, n_points, 3)."""
    owner = list(robot.point_feet)
    outline = np.array([corner for foot in robot.feet for corner in foot.outline_m])
    c = np.cos(plan.foot_heading_rad[:, owner])
    s = np.sin(plan.foot_heading_rad[:, owner])
    x, y = outline.T
    turned = np.stack([c * x - s * y, s * x + c * y, np.zeros_like(c)], axis=-1)
    return np.asarray(plan.foot_in_world[:, owner] + turned)


def _margin(robot: Robot, plan: StepPlan, point_in_world: Array) -> Array:
    return support_margin(plan.contact[:, list(robot.point_feet)], sole_points(robot, plan), point_in_world)
