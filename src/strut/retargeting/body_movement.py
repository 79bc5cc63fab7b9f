"""Body movement: how the parts that people and humanoids share move, free of one body's joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from strut.arrays import Array

SIDES = ("left", "right")
FOOT_HEIGHT = 0.04  # of the leg of a person: the ball of the foot is so high above the sole


@dataclass(frozen=True, slots=True, eq=False)
class BodyMovement:
    """A movement of a body with two legs, in metres, z upwards.

    Args:
        name: Of the body.
        time_s: Evenly spaced. Shape (T,).
        point_m: Centres of joints in world: hip, knee, ankle, toe, shoulder, elbow and wrist, as `hip_left`; arms only
            where the body has them. Shape (T, 3) each.
        rotation: Of pelvis, trunk, head, foot_left and foot_right from standing upright, facing x, to world; trunk and
            head only where the body has them. Shape (T, 3, 3) each.
        leg_m: From hip to sole as the body stands.
        contact: Whether the left and the right foot are on the ground; None if not known. Shape (T, 2).
        notes: What was found out or assumed, one sentence each.
    """

    name: str
    time_s: Array
    point_m: Mapping[str, Array]
    rotation: Mapping[str, Array]
    leg_m: float
    contact: npt.NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()

    @property
    def pelvis_m(self) -> Array:
        """The middle of the hips. Shape (T, 3)."""
        return np.asarray(0.5 * (self.point_m["hip_left"] + self.point_m["hip_right"]))

    @property
    def step_s(self) -> float:
        """Time between samples."""
        return float(np.mean(np.diff(self.time_s)))

    def at(self, time_s: Array) -> BodyMovement:
        """Return the movement at other times, by cubic splines; contacts are those of the nearest sample."""
        nearest = np.clip(np.rint((time_s - self.time_s[0]) / self.step_s).astype(int), 0, len(self.time_s) - 1)
        points = {name: np.asarray(CubicSpline(self.time_s, value)(time_s)) for name, value in self.point_m.items()}
        turns = {name: _orthonormal(CubicSpline(self.time_s, value)(time_s)) for name, value in self.rotation.items()}
        contact = None if self.contact is None else self.contact[nearest]
        return BodyMovement(self.name, time_s, points, turns, self.leg_m, contact, self.notes)


def _orthonormal(matrix: Array) -> Array:
    """Return the nearest rotations. Shape (T, 3, 3)."""
    u, _, vt = np.linalg.svd(matrix)
    return np.asarray(u @ vt)


def facing_rad(rotation: Array) -> Array:
    """Return the unwrapped yaw of rotations from facing x. Shape (T, 3, 3) in, (T,) out."""
    return np.asarray(np.unwrap(np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])))
