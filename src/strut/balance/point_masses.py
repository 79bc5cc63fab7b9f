"""Point masses: the zero-moment point of two legs seen as nine masses, and what the body's sway does to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.kinematics.biped_model import TwoLegs
from strut.kinematics.posture import PostureTargets
from strut.kinematics.posture_failure import required_postures
from strut.robot import Array


def zero_moment_point(mass_kg: Array, mass_in_world: Array, step_s: float) -> Array:
    """Return where the ground would have to press, at rest before the first and after the last sample.

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


def effective_height_m(legs: TwoLegs, target: PostureTargets) -> float:
    """Return the height at which a single mass would press as the legs do when the centre of mass sways sideways.

    Heavy shoes stay behind, so the upper body moves further than the centre of mass: it is higher than that.

    Args:
        legs: Whose.
        target: One standing posture.
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
