"""Whole-body retargeting: a robot's motion after a walk plan, first with held feet, then balanced as well."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.pendulum import pendulum_com
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.engines.rigid_body import GRAVITY_M_S2, point_positions
from strut.engines.task_jacobians import task_positions
from strut.maths.rotation import elementary_rotation
from strut.retargeting.body_movement import SIDES, facing_rad
from strut.retargeting.robot_points import RobotPoints
from strut.retargeting.trajectory_fit import BodyGoal, TrajectoryFit, standing_over
from strut.retargeting.walk_plan import WalkPlan, lower_pelvis
from strut.robot import Robot

HELD_COARSE = 20  # iterations at most of the first fit, with every fourth sample,
HELD_FINE = 6  # and with all
ROUNDS = 24  # corrections of the centre of mass by the zero-moment point that is missed
ROUND_FINE = 2  # iterations of each
LOWERED_ROUNDS = 3  # the first ones after which the pelvis is lowered anew
MISS_S = 0.008  # standard deviation of the filter of what is missed
MAX_MISS_M = 0.12  # and its largest length


@dataclass(frozen=True, slots=True, eq=False)
class RetargetedBody:
    """The coordinates of a robot (T, nq), and iterations of the fits."""

    qpos: Array
    iterations: int


def hold_feet(plan: WalkPlan, target: RobotPoints, *, arms_out_rad: float = 0.0) -> RetargetedBody:
    """Return the robot's motion with feet where the plan has them, and the rest as near to the movement as it can."""
    goal, start = body_goal(plan, target, arms_out_rad)
    fitted = TrajectoryFit(target).fit(goal, start, _step_s(plan), coarse=HELD_COARSE, fine=HELD_FINE)
    return RetargetedBody(fitted.qpos, fitted.iterations)


def keep_balance(
    plan: WalkPlan, target: RobotPoints, held: RetargetedBody, *, arms_out_rad: float = 0.0
) -> RetargetedBody:
    """Return the motion with the zero-moment point under the soles: the body sways so that it stays upright.

    The centre of mass follows a pendulum over the planned point. What the point of the whole body misses is added as a
    pendulum over that, round by round.
    """
    goal, _ = body_goal(plan, target, arms_out_rad)
    robot = target.robot
    step_s = _step_s(plan)
    fit = TrajectoryFit(target)
    qpos = held.qpos
    height_m = task_positions(robot, qpos)[1][:, 2]
    com_m = pendulum_com(plan.zmp_m, height_m, step_s=step_s, gravity_m_s2=GRAVITY_M_S2)
    iterations = held.iterations
    for number in range(ROUNDS + 1):
        if number <= LOWERED_ROUNDS:
            hips = point_positions(robot.model, [target.place[f"hip_{side}"] for side in SIDES], qpos)
            middle = hips.mean(axis=1)
            if number == 0:
                shift = com_m - task_positions(robot, qpos)[1][:, :2]
                middle = middle + np.concatenate([shift, np.zeros((len(shift), 1))], axis=1)
            wanted = np.concatenate([middle[:, :2], plan.pelvis_m[:, 2:]], axis=1)
            lowered = lower_pelvis(plan, target, wanted, hips - hips.mean(axis=1, keepdims=True))
            goal = replace(goal, pelvis_m=lowered)
        fitted = fit.fit(replace(goal, com_m=com_m), qpos, step_s, coarse=0, fine=ROUND_FINE)
        qpos = fitted.qpos
        iterations += fitted.iterations
        if number == ROUNDS:
            break
        missed = plan.zmp_m - zero_moment_point_of(robot, plan.time_s, qpos)
        missed = gaussian_filter1d(missed, MISS_S / step_s, axis=0, mode="nearest")
        long_m = np.linalg.norm(missed, axis=1, keepdims=True)
        missed *= np.minimum(1.0, MAX_MISS_M / np.maximum(long_m, 1e-9))
        com_m = com_m + pendulum_com(missed, height_m, step_s=step_s, gravity_m_s2=GRAVITY_M_S2)
    return RetargetedBody(qpos, iterations)


def zero_moment_point_of(robot: Robot, time_s: Array, qpos: Array) -> Array:
    """Return the zero-moment point of a whole robot's motion on the ground. Shapes (T,), (T, nq) in, (T, 2) out."""
    forces = inverse_dynamics(robot, time_s, qpos)
    return cop_of_wrench(forces.ground_force_n, forces.ground_moment_nm, min_load_n=0.2 * robot.mass_kg * GRAVITY_M_S2)


def _step_s(plan: WalkPlan) -> float:
    return float(plan.time_s[1] - plan.time_s[0])


def body_goal(plan: WalkPlan, target: RobotPoints, arms_out_rad: float = 0.0) -> tuple[BodyGoal, Array]:
    """Return the targets of a plan without balance, and an initial guess (T, nq)."""
    moved = plan.movement
    robot = target.robot
    standing = robot.standing_qpos[None]
    hips = point_positions(robot.model, [target.place[f"hip_{side}"] for side in SIDES], standing)[0]
    middle = hips.mean(axis=0)
    pelvis = moved.rotation["pelvis"]
    from_pelvis = np.einsum("tij,nj->tni", pelvis, hips - middle)
    pelvis_m = lower_pelvis(plan, target, plan.pelvis_m, from_pelvis)
    upright = target.upright
    soles = np.stack([upright[f"foot_{side}"] for side in SIDES])
    kinds = [kind for kind in ("pelvis", "trunk", "head") if kind in target.body]
    nearest = {"pelvis": pelvis}
    nearest["trunk"] = moved.rotation.get("trunk", pelvis)
    nearest["head"] = moved.rotation.get("head", nearest["trunk"])
    goal = BodyGoal(
        foot_m=plan.foot_m,
        foot_rotation=plan.foot_rotation @ soles,
        hold=plan.hold,
        pelvis_m=pelvis_m,
        rotation=np.stack([nearest[kind] @ upright[kind] for kind in kinds], axis=1),
        arm=_arm_directions(plan, target, arms_out_rad),
    )
    start = standing_over(robot, pelvis_m, facing_rad(pelvis), middle)
    return goal, start


def _arm_directions(plan: WalkPlan, target: RobotPoints, outwards_rad: float) -> Array:
    """Return the directions of left and right upper arm, left and right forearm, turned outwards. Shape (T, n, 3)."""
    moved = plan.movement
    if "elbow_left" not in target.place:
        return np.zeros((len(plan.time_s), 0, 3))
    yaw = elementary_rotation(2, facing_rad(moved.rotation["pelvis"]))
    if "elbow_left" not in moved.point_m:
        return np.repeat(np.array([0.0, 0.0, -1.0])[None, None], len(plan.time_s), axis=0).repeat(4, axis=1)
    directions = []
    for start, end in (("shoulder", "elbow"), ("elbow", "wrist")):
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            along = moved.point_m[f"{end}_{side}"] - moved.point_m[f"{start}_{side}"]
            along /= np.linalg.norm(along, axis=1, keepdims=True)
            turn = yaw @ elementary_rotation(0, sign * outwards_rad) @ yaw.swapaxes(-1, -2)
            directions.append(np.einsum("tij,tj->ti", turn, along))
    return np.stack(directions, axis=1)
