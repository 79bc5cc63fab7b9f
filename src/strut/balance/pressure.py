"""Centre of pressure: where on the ground the reaction to a movement acts."""

from __future__ import annotations

import numpy as np

from strut.robot import Array


def pressure_of_wrench(force_n: Array, moment_nm: Array, *, ground_m: float = 0.0) -> Array:
    """Return the centre of pressure of a ground reaction, with the dynamics of the whole body in it.

    Args:
        force_n: Total force of the ground in world. Shape (..., 3).
        moment_nm: Its moment about the world's origin. Shape (..., 3).
        ground_m: Height of the ground.

    Returns:
        Point on the ground about which the reaction has no tipping moment [m]. Shape (..., 2).
    """
    x = (-moment_nm[..., 1] + ground_m * force_n[..., 0]) / force_n[..., 2]
    y = (moment_nm[..., 0] + ground_m * force_n[..., 1]) / force_n[..., 2]
    return np.stack([x, y], axis=-1)


def pressure_with_swing_leg(
    com_in_body: Array, leg_force_n: Array, leg_moment_nm: Array, *, weight_n: float, height_m: float
) -> Array:
    """Return the centre of pressure if only the swing leg accelerates: the published form, made exact.

    Args:
        com_in_body: Static centre of mass of the whole robot, x and y. Shape (..., 2).
        leg_force_n: Sum of mass times acceleration over the swing leg, without gravity. Shape (..., 3).
        leg_moment_nm: Sum of r × m a over the swing leg about the body's origin. Shape (..., 3).
        weight_n: Weight of the whole robot.
        height_m: Height of the body's origin over the ground.

    Returns:
        Centre of pressure under the body [m]. Shape (..., 2).
    """
    vertical_n = weight_n + leg_force_n[..., 2]
    x = (weight_n * com_in_body[..., 0] - leg_moment_nm[..., 1] - height_m * leg_force_n[..., 0]) / vertical_n
    y = (weight_n * com_in_body[..., 1] + leg_moment_nm[..., 0] - height_m * leg_force_n[..., 1]) / vertical_n
    return np.stack([x, y], axis=-1)
