"""Whole-body inverse kinematics: feet, centre of mass, attitude of the base and posture, for all samples at once.

Damped Gauss-Newton on weighted tasks (Levenberg-Marquardt with a fixed damping), batched over the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from strut.engines.task_jacobians import TaskJacobians, task_jacobians
from strut.robot import FLOATING, Array, Robot
from strut.rotation import rotation_vector

FOOT, COM, ATTITUDE, HELD, FREE = 100.0, 30.0, 3.0, 0.5, 0.01  # weights of errors in leg lengths and radians
DAMPING = 1e-7
LONGEST_STEP_RAD = 0.4  # of one iteration: linearisation holds for about as long
INSIDE_RAD = 0.01  # how far from their limits joints stay


@dataclass(frozen=True, slots=True, eq=False)
class BodyTargets:
    """What a whole body shall do, per sample.

    Args:
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_rotation: Feet to world; a ball's is ignored, a line's about its line. Shape (T, n, 3, 3).
        com_in_world: Centre of mass. Shape (T, 3).
        base_rotation: Base to world. Shape (T, 3, 3).
        joint_rad: Posture that the joints keep where the feet leave them free. Shape (T, n_joints).
    """

    foot_in_world: Array
    foot_rotation: Array
    com_in_world: Array
    base_rotation: Array
    joint_rad: Array


@dataclass(frozen=True, slots=True, eq=False)
class WholeBodySolution:
    """Coordinates (T, nq), and how far feet (T, n) and centre of mass (T,) are from where they should be [m]."""

    qpos: Array
    foot_error_m: Array
    com_error_m: Array


def solve_whole_body(
    robot: Robot, targets: BodyTargets, start_qpos: Array, *, length_m: float, iterations: int
) -> WholeBodySolution:
    """Return coordinates that reach the targets as nearly as the joints' ranges allow.

    Args:
        robot: A floating one.
        targets: T samples.
        start_qpos: Where to begin. Shape (T, nq).
        length_m: Length that an error is compared with: that of a leg.
        iterations: Of Gauss-Newton.
    """
    qpos, turning = start_qpos.copy(), robot.foot_turns
    lower, upper = robot.joint_lower_rad + INSIDE_RAD, robot.joint_upper_rad - INSIDE_RAD
    in_leg = _in_legs(robot)
    for _ in range(iterations):
        now = task_jacobians(robot, qpos)
        error, jacobian = _tasks(targets, now, qpos, turning, length_m, in_leg)
        transposed = jacobian.transpose(0, 2, 1)
        normal = transposed @ jacobian + DAMPING * np.eye(jacobian.shape[2])
        step = np.asarray(np.linalg.solve(normal, transposed @ error[..., None])[..., 0], dtype=np.float64)
        step *= np.minimum(1.0, LONGEST_STEP_RAD / np.maximum(np.abs(step[:, 3:]).max(axis=1), 1e-12))[:, None]
        qpos = moved(qpos, step)
        qpos[:, FLOATING:] = np.clip(qpos[:, FLOATING:], lower, upper)
    reached = task_jacobians(robot, qpos)
    return WholeBodySolution(
        qpos,
        np.linalg.norm(targets.foot_in_world - reached.foot_in_world, axis=-1),
        np.linalg.norm(targets.com_in_world - reached.com_in_world, axis=-1),
    )


def moved(qpos: Array, step: Array) -> Array:
    """Return coordinates of a floating body after a step in velocity coordinates. Shapes (T, nq), (T, nv)."""
    turn = Rotation.from_quat(qpos[:, 3:7], scalar_first=True) * Rotation.from_rotvec(step[:, 3:6])
    quaternion = turn.as_quat(scalar_first=True)
    quaternion *= np.where(np.sum(quaternion * qpos[:, 3:7], axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    return np.concatenate([qpos[:, :3] + step[:, :3], quaternion, qpos[:, 7:] + step[:, 6:]], axis=1)


def _tasks(
    targets: BodyTargets, now: TaskJacobians, qpos: Array, turning: Array, length_m: float, in_leg: Array
) -> tuple[Array, Array]:
    """Return weighted errors (T, m) and their Jacobian (T, m, nv)."""
    samples, feet = now.foot_in_world.shape[:2]
    columns = now.com.shape[-1]
    away = (targets.foot_in_world - now.foot_in_world) * FOOT / length_m
    in_foot = np.swapaxes(now.foot_rotation, -1, -2)
    twist = rotation_vector(in_foot @ targets.foot_rotation) * FOOT * turning  # in the foot's axes
    twisting = (in_foot @ now.foot[:, :, 3:]) * FOOT * turning[..., None]
    com = (targets.com_in_world - now.com_in_world) * COM / length_m
    lean = rotation_vector(np.swapaxes(now.base_rotation, -1, -2) @ targets.base_rotation) * ATTITUDE
    attitude = np.zeros((samples, 3, columns))
    attitude[:, [0, 1, 2], [3, 4, 5]] = ATTITUDE
    hold = np.where(in_leg, FREE, HELD)
    posture = np.zeros((samples, len(hold), columns))
    posture[:, np.arange(len(hold)), 6 + np.arange(len(hold))] = hold
    error = [
        away.reshape(samples, -1),
        twist.reshape(samples, -1),
        com,
        lean,
        (targets.joint_rad - qpos[:, FLOATING:]) * hold,
    ]
    jacobian = [
        (now.foot[:, :, :3] * FOOT / length_m).reshape(samples, 3 * feet, columns),
        twisting.reshape(samples, 3 * feet, columns),
        now.com * COM / length_m,
        attitude,
        posture,
    ]
    return np.concatenate(error, axis=1), np.concatenate(jacobian, axis=1)


def _in_legs(robot: Robot) -> Array:
    """Return which joints belong to legs. Shape (n_joints,)."""
    names = {joint for leg in robot.legs for joint in leg.joints}
    return np.array([joint in names for joint in robot.joint_names])
