"""Whole-body wrench in the coordinates of a marker fit, and its derivatives by coordinates, rates and accelerations."""

from __future__ import annotations

import numpy as np

from strut.engines.body_wrench import Movement, body_wrench
from strut.robot import Array, Robot

STEP, RATE_STEP, ACCELERATION_STEP = 1e-5, 1e-4, 1e-2  # of finite differences; the wrench is linear in the last


def wrench_of(robot: Robot, movement: Movement) -> Array:
    """Return force, and moment about the world's origin, that a movement needs from outside. Shape (T, 6)."""
    return body_wrench(robot.model, *movement.for_engine())


def wrench_derivatives(robot: Robot, movement: Movement) -> tuple[Array, Array, Array, Array]:
    """Return the wrench (T, 6) and its derivatives by coordinates, rates and accelerations (T, 6, n)."""
    here = wrench_of(robot, movement)
    frames, count = movement.q.shape
    parts = []
    for which, step in enumerate((STEP, RATE_STEP, ACCELERATION_STEP)):
        values = [np.repeat(one, count, axis=0) for one in (movement.q, movement.rate, movement.acceleration)]
        values[which] = values[which] + np.tile(step * np.eye(count), (frames, 1))
        moved = wrench_of(robot, Movement(*values)).reshape(frames, count, 6)
        parts.append(np.swapaxes((moved - here[:, None]) / step, 1, 2))
    return here, parts[0], parts[1], parts[2]
