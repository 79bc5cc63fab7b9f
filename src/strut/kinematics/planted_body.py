"""Planted body: joint angles of a body whose base and feet are given, frame by frame, with coupled joints.

Damped Gauss-Newton, batched over the frames, on feet (place, and heading and levelness of soles and lines), the place
of the base or of the centre of mass, and weakly on a posture for what they leave free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.task_jacobians import TaskJacobians, task_jacobians
from strut.maths.rotation import continuous_quaternions, rotation_vector
from strut.models.coupled_joints import CoupledJoints
from strut.robot import BASE, FLOATING, Robot

POSTURE = 1e-4  # weight against feet in metres and radians
PLACE = 10.0  # of the body, against feet: where both cannot be, the feet miss
DAMPING = 1e-10
LONGEST_STEP_RAD = 0.3
MOST_STEPS = 25
SETTLED = 1e-7  # step in metres and radians after which nothing changes


@dataclass(frozen=True, slots=True, eq=False)
class PlantedTargets:
    """What a body shall do, per frame.

    Args:
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_rotation: Feet to world; a ball's is ignored, a line's about its line. Shape (T, n, 3, 3).
        base_rotation: Base to world. Shape (T, 3, 3).
        place_m: Base in world; with `by_mass`, x and y are those of the centre of mass. Shape (T, 3).
        joint_rad: Posture of what is left free. Shape (T, n_joints).
        by_mass: Whose place it is.
    """

    foot_in_world: Array
    foot_rotation: Array
    base_rotation: Array
    place_m: Array
    joint_rad: Array
    by_mass: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PlantedSolution:
    """Coordinates (T, nq), and how far each foot is from its target [m and rad, the larger]. Shape (T, n)."""

    qpos: Array
    foot_error: Array


def solve_planted(robot: Robot, coupled: CoupledJoints, targets: PlantedTargets, start_qpos: Array) -> PlantedSolution:
    """Return coordinates that meet the targets as nearly as the joints' ranges allow.

    Args:
        robot: A floating one.
        coupled: How its joints hang together.
        targets: T frames.
        start_qpos: Where to begin. Shape (T, nq) or (nq,).
    """
    qpos = np.array(np.broadcast_to(start_qpos, (len(targets.place_m), robot.model.nq)), dtype=np.float64)
    qpos[:, 3:FLOATING] = continuous_quaternions(targets.base_rotation, qpos[:, 3:FLOATING])
    free = qpos[:, FLOATING:][:, coupled.free]
    lower = robot.joint_lower_rad[coupled.free]
    upper = robot.joint_upper_rad[coupled.free]
    turning = robot.foot_turns
    reduction = _reduction(coupled)
    for _ in range(MOST_STEPS):
        qpos[:, FLOATING:] = coupled.all_rad(free)
        now = task_jacobians(robot, qpos)
        error, jacobian = _tasks(targets, now, qpos, turning)
        jacobian = jacobian @ reduction
        step = _step(error, jacobian, (targets.joint_rad[:, coupled.free] - free), lower - free, upper - free)
        qpos[:, :3] += step[:, :3]
        free = np.clip(free + step[:, 3:], lower, upper)
        if np.abs(step).max() < SETTLED:
            break
    qpos[:, FLOATING:] = coupled.all_rad(free)
    error, _ = _tasks(targets, task_jacobians(robot, qpos), qpos, turning)
    feet = error[:, : 6 * len(robot.feet)].reshape(len(qpos), 2, len(robot.feet), 3)
    return PlantedSolution(qpos, np.linalg.norm(feet, axis=-1).max(axis=1))


def _step(error: Array, jacobian: Array, posture: Array, below: Array, above: Array) -> Array:
    """Return a Gauss-Newton step; joints at a bound that would leave it are held, and the rest solved again."""
    columns = jacobian.shape[2]
    pull = np.zeros((len(error), columns))
    pull[:, 3:] = POSTURE**2 * posture
    held = np.zeros(pull.shape, dtype=np.bool_)
    step = pull
    for _ in range(2):
        kept = np.where(held[:, None, :], 0.0, jacobian)
        transposed = kept.transpose(0, 2, 1)
        normal = transposed @ kept + (POSTURE**2 + DAMPING) * np.eye(columns)
        right = (transposed @ error[..., None])[..., 0] + np.where(held, 0.0, pull)
        step = np.asarray(np.linalg.solve(normal, right[..., None])[..., 0], dtype=np.float64)
        beyond = (step[:, 3:] > above + 1e-12) & (above < 1e-9) | (step[:, 3:] < below - 1e-12) & (below > -1e-9)
        if not beyond.any():
            break
        held[:, 3:] |= beyond
    longest = np.abs(step[:, 3:]).max(axis=1, initial=0.0)
    return np.asarray(step * np.minimum(1.0, LONGEST_STEP_RAD / np.maximum(longest, 1e-12))[:, None])


def _reduction(coupled: CoupledJoints) -> Array:
    """Return how place of the base and free joints move all velocities but the base's turn. Shape (nv, 3 + m)."""
    joints, free = coupled.follow.shape
    reduction = np.zeros((BASE + joints, 3 + free))
    reduction[:3, :3] = np.eye(3)
    reduction[BASE:, 3:] = coupled.follow
    return reduction


def _tasks(targets: PlantedTargets, now: TaskJacobians, qpos: Array, turning: Array) -> tuple[Array, Array]:
    """Return errors (T, m) and their Jacobian (T, m, nv): places of feet, turns of feet, place of the body."""
    samples, feet = now.foot_in_world.shape[:2]
    columns = now.com.shape[-1]
    in_foot = np.swapaxes(now.foot_rotation, -1, -2)
    away = targets.foot_in_world - now.foot_in_world
    twist = rotation_vector(in_foot @ targets.foot_rotation) * turning
    twisting = (in_foot @ now.foot[:, :, 3:]) * turning[..., None]
    place = np.zeros((samples, 3, columns))
    place[:, [0, 1, 2], [0, 1, 2]] = PLACE
    missing = PLACE * (targets.place_m - qpos[:, :3])
    if targets.by_mass:
        place[:, :2] = PLACE * now.com[:, :2]
        missing[:, :2] = PLACE * (targets.place_m[:, :2] - now.com_in_world[:, :2])
    error = [away.reshape(samples, -1), twist.reshape(samples, -1), missing]
    jacobian = [
        now.foot[:, :, :3].reshape(samples, 3 * feet, columns),
        twisting.reshape(samples, 3 * feet, columns),
        place,
    ]
    return np.concatenate(error, axis=1), np.concatenate(jacobian, axis=1)
