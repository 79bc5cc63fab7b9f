"""Centre of pressure and zero-moment point: where the ground reaction to a motion acts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2, point_masses
from strut.robot import Robot


def cop_of_wrench(force_n: Array, moment_nm: Array, *, ground_m: float = 0.0, min_load_n: float = -np.inf) -> Array:
    """Return the centre of pressure of a ground reaction: p = (-m_y + z f_x, m_x + z f_y) / f_z.

    Args:
        force_n: Total force of the ground in world. Shape (..., 3).
        moment_nm: Its moment about the world's origin. Shape (..., 3).
        ground_m: Height z of the ground.
        min_load_n: Smaller vertical forces are replaced by this one, so that a foot in the air causes no division by 0.

    Returns:
        Point on the ground about which the reaction has no tipping moment [m]. Shape (..., 2).
    """
    load = np.maximum(force_n[..., 2], min_load_n)
    x = (-moment_nm[..., 1] + ground_m * force_n[..., 0]) / load
    y = (moment_nm[..., 0] + ground_m * force_n[..., 1]) / load
    return np.stack([x, y], axis=-1)


def cop_with_swing_leg(
    com_in_body: Array, leg_force_n: Array, leg_moment_nm: Array, *, weight_n: float, height_m: Array | float
) -> Array:
    """Return the centre of pressure if only the swing leg accelerates (the published formula, made exact).

    Args:
        com_in_body: Static centre of mass of the whole robot, x and y. Shape (..., 2).
        leg_force_n: Sum of mass times acceleration over the swing leg, without gravity. Shape (..., 3).
        leg_moment_nm: Sum of r × m a over the swing leg about the body's origin. Shape (..., 3).
        weight_n: Weight of the whole robot.
        height_m: Height of the body's origin over the ground. Shape (...).

    Returns:
        Centre of pressure under the body [m]. Shape (..., 2).
    """
    vertical_n = weight_n + leg_force_n[..., 2]
    x = (weight_n * com_in_body[..., 0] - leg_moment_nm[..., 1] - height_m * leg_force_n[..., 0]) / vertical_n
    y = (weight_n * com_in_body[..., 1] + leg_moment_nm[..., 0] - height_m * leg_force_n[..., 1]) / vertical_n
    return np.stack([x, y], axis=-1)


def swing_leg_cop(robot: Robot, time_s: Array, qpos: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return the centre of pressure of a motion by the thesis's model: only legs in the air have inertia.

    Args:
        robot: Robot that moves.
        time_s: Evenly spaced. Shape (T,).
        qpos: Shape (T, nq).
        contact: Feet on the ground. Shape (T, n_feet).

    Returns:
        Centre of pressure in world [m]. Shape (T, 2).
    """
    masses = point_masses(robot, qpos)
    step_s = float(time_s[1] - time_s[0])
    resting = np.concatenate([masses.centre_in_world[:1], masses.centre_in_world, masses.centre_in_world[-1:]])
    acceleration = np.diff(resting, n=2, axis=0) / step_s**2
    in_air = (masses.limb >= 0) & ~contact[:, masses.limb]
    force = np.where(in_air[..., None], masses.mass_kg[:, None] * acceleration, 0.0)
    from_base = masses.centre_in_world - qpos[:, None, :3]
    com = np.einsum("n,tni->ti", masses.mass_kg, from_base) / masses.mass_kg.sum()
    cop = cop_with_swing_leg(
        com[:, :2],
        force.sum(axis=1),
        np.cross(from_base, force).sum(axis=1),
        weight_n=float(masses.mass_kg.sum()) * GRAVITY_M_S2,
        height_m=qpos[:, 2],
    )
    return cop + qpos[:, :2]


def zero_moment_point(mass_kg: Array, mass_in_world: Array, step_s: float) -> Array:
    """Return the zero-moment point of point masses that rest before the first and after the last sample.

    Args:
        mass_kg: Shape (k,).
        mass_in_world: Evenly spaced in time. Shape (T, k, 3).
        step_s: Time between samples.

    Returns:
        Point on the ground [m]. Shape (T, 2).
    """
    change = np.zeros((len(mass_in_world) + 1, *mass_in_world.shape[1:]))
    change[1:-1] = np.diff(mass_in_world, axis=0)
    acceleration = np.diff(change, axis=0) / step_s**2
    upward = mass_kg * (acceleration[..., 2] + GRAVITY_M_S2)
    sideways = mass_kg * mass_in_world[..., 2]
    moment = np.einsum("tk,tki->ti", upward, mass_in_world[..., :2])
    moment -= np.einsum("tk,tki->ti", sideways, acceleration[..., :2])
    return np.asarray(moment / upward.sum(axis=1, keepdims=True))
