"""Joint power: what joints give to a movement and take from it, and the work of a whole cycle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.motion import Motion
from strut.robot import Array


@dataclass(frozen=True, slots=True)
class Work:
    """Work of a joint over the body mass: given to the movement, at least 0, and taken from it, at most 0."""

    given_j_kg: float
    taken_j_kg: float


def joint_power(motion: Motion) -> Array | None:
    """Return torque times speed of every joint [W], or None where torques are unknown. Shape (T, n_joints).

    Speeds are differences of angles, so the jump of a landing is spread over a sample on either side of it.
    """
    if motion.torque_nm is None:
        return None
    return np.asarray(motion.torque_nm * np.gradient(motion.joint_angles_rad, motion.time_s, axis=0))


def joint_work(motion: Motion, mass_kg: float) -> dict[str, Work]:
    """Return the work of every joint over a motion; empty where torques are unknown."""
    power = joint_power(motion)
    if power is None:
        return {}
    parts = (power.clip(min=0.0), power.clip(max=0.0))
    given, taken = (np.trapezoid(part, motion.time_s, axis=0) / mass_kg for part in parts)
    return {
        name: Work(float(one), float(other)) for name, one, other in zip(motion.joint_names, given, taken, strict=True)
    }
