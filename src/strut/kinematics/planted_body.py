"""Planted body: inverse kinematics of a body with given feet and base attitude, frame by frame, with coupled joints.

Damped Gauss-Newton, batched over the frames. The tasks are the feet (position; orientation of soles and lines), the
position of the base or of the centre of mass, and, with a small weight, a posture for the remaining freedom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.task_jacobians import TaskJacobians, task_jacobians
from strut.maths.rotation import continuous_quaternions, rotation_vector
from strut.models.coupled_joints import CoupledJoints
from strut.robot import BASE, FLOATING, Robot

POSTURE_WEIGHT = 1e-4  # of joint errors [rad], against errors of the feet in metres and radians
BODY_WEIGHT = 10.0  # of the body's position, against the feet: if both cannot be reached, the feet miss
DAMPING = 1e-10  # keeps the normal equations regular
MAX_STEP_RAD = 0.3  # per iteration: the linearisation holds about as far
MAX_ITERATIONS = 25
CONVERGED = 1e-7  # step [m, rad] below which the iteration stops


@dataclass(frozen=True, slots=True, eq=False)
class PlantedTargets:
    """Targets of a body, per frame.

    Args:
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_rotation: Feet to world; a ball's is ignored, a line's about its line. Shape (T, n, 3, 3).
        base_rotation: Base to world. Shape (T, 3, 3).
        place_m: Base in world; with `by_mass`, x and y are those of the centre of mass. Shape (T, 3).
        joint_rad: Posture for the freedom that the other tasks leave. Shape (T, n_joints).
        by_mass: Whether x and y of `place_m` are those of the centre of mass.
    """

    foot_in_world: Array
    foot_rotation: Array
    base_rotation: Array
    place_m: Array
    joint_rad: Array
    by_mass: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PlantedSolution:
    """Coordinates (T, nq), and the larger of position [m] and orientation error [rad] of each foot (T, n)."""

    qpos: Array
    foot_error: Array


def solve_planted(robot: Robot, coupled: CoupledJoints, targets: PlantedTargets, start_qpos: Array) -> PlantedSolution:
    """Return the coordinates nearest to the targets within the joint limits.

    Args:
        robot: Floating robot.
        coupled: Couplings between its joints.
        targets: Targets of T frames.
        start_qpos: Initial guess. Shape (T, nq) or (nq,).
    """
    qpos = np.array(np.broadcast_to(start_qpos, (len(targets.place_m), robot.model.nq)), dtype=np.float64)
    qpos[:, 3:FLOATING] = continuous_quaternions(targets.base_rotation, qpos[:, 3:FLOATING])
    free = qpos[:, FLOATING:][:, coupled.free]
    lower = robot.joint_lower_rad[coupled.free]
    upper = robot.joint_upper_rad[coupled.free]
    joints, free_joints = coupled.follow.shape
    reduction = np.zeros((BASE + joints, 3 + free_joints))  # base position and free joints to velocity coordinates
    reduction[:3, :3] = np.eye(3)
    reduction[BASE:, 3:] = coupled.follow
    for _ in range(MAX_ITERATIONS):
        qpos[:, FLOATING:] = coupled.all_rad(free)
        error, jacobian = _task_errors(targets, task_jacobians(robot, qpos), qpos, robot.foot_turns)
        posture = targets.joint_rad[:, coupled.free] - free
        step = _gauss_newton_step(error, jacobian @ reduction, posture, lower - free, upper - free)
        qpos[:, :3] += step[:, :3]
        free = np.clip(free + step[:, 3:], lower, upper)
        if np.abs(step).max() < CONVERGED:
            break
    qpos[:, FLOATING:] = coupled.all_rad(free)
    error, _ = _task_errors(targets, task_jacobians(robot, qpos), qpos, robot.foot_turns)
    feet = error[:, : 6 * len(robot.feet)].reshape(len(qpos), 2, len(robot.feet), 3)
    return PlantedSolution(qpos, np.linalg.norm(feet, axis=-1).max(axis=1))


def _gauss_newton_step(error: Array, jacobian: Array, posture: Array, below: Array, above: Array) -> Array:
    """Return a damped step; joints that would cross a limit at which they are stay there, and the rest is solved again.

    Args:
        error: Task errors. Shape (T, m).
        jacobian: Shape (T, m, n), base position before joints.
        posture: Joint errors. Shape (T, n - 3).
        below: Distance to the lower limits, not positive. Shape (T, n - 3).
        above: Distance to the upper limits, not negative. Shape (T, n - 3).
    """
    columns = jacobian.shape[2]
    gradient = np.zeros((len(error), columns))
    gradient[:, 3:] = POSTURE_WEIGHT**2 * posture
    held = np.zeros(gradient.shape, dtype=np.bool_)
    step = gradient
    for _ in range(2):
        free = np.where(held[:, None, :], 0.0, jacobian)
        transposed = free.transpose(0, 2, 1)
        normal = transposed @ free + (POSTURE_WEIGHT**2 + DAMPING) * np.eye(columns)
        right = (transposed @ error[..., None])[..., 0] + np.where(held, 0.0, gradient)
        step = np.asarray(np.linalg.solve(normal, right[..., None])[..., 0], dtype=np.float64)
        beyond = (step[:, 3:] > above + 1e-12) & (above < 1e-9) | (step[:, 3:] < below - 1e-12) & (below > -1e-9)
        if not beyond.any():
            break
        held[:, 3:] |= beyond
    largest = np.abs(step[:, 3:]).max(axis=1, initial=0.0)
    return np.asarray(step * np.minimum(1.0, MAX_STEP_RAD / np.maximum(largest, 1e-12))[:, None])


def _task_errors(
    targets: PlantedTargets, current: TaskJacobians, qpos: Array, controlled_turns: Array
) -> tuple[Array, Array]:
    """Return errors (T, m) and Jacobian (T, m, nv) of foot positions, foot orientations and body position."""
    samples, feet = current.foot_in_world.shape[:2]
    columns = current.com.shape[-1]
    world_to_foot = np.swapaxes(current.foot_rotation, -1, -2)
    foot_error = targets.foot_in_world - current.foot_in_world
    turn_error = rotation_vector(world_to_foot @ targets.foot_rotation) * controlled_turns
    turn_jacobian = (world_to_foot @ current.foot[:, :, 3:]) * controlled_turns[..., None]
    body_jacobian = np.zeros((samples, 3, columns))
    body_jacobian[:, [0, 1, 2], [0, 1, 2]] = BODY_WEIGHT
    body_error = BODY_WEIGHT * (targets.place_m - qpos[:, :3])
    if targets.by_mass:
        body_jacobian[:, :2] = BODY_WEIGHT * current.com[:, :2]
        body_error[:, :2] = BODY_WEIGHT * (targets.place_m[:, :2] - current.com_in_world[:, :2])
    error = [foot_error.reshape(samples, -1), turn_error.reshape(samples, -1), body_error]
    jacobian = [
        current.foot[:, :, :3].reshape(samples, 3 * feet, columns),
        turn_jacobian.reshape(samples, 3 * feet, columns),
        body_jacobian,
    ]
    return np.concatenate(error, axis=1), np.concatenate(jacobian, axis=1)
