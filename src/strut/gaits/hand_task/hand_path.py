"""Hand path: pose of a hand and of its platform over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from strut.arrays import Array
from strut.maths.rotation import rotation_vector

_STEP_S = 1e-4  # for velocities: far below anything a hand does, far above rounding


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """Poses of a hand in world: positions (T, 3), and rotations (T, 3, 3) or None where any will do."""

    position_m: Array
    rotation: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class HandPath:
    """The path of a hand, with that of its platform.

    Args:
        name: Name of the task.
        hand: Name of the hand, as in the robot's `chains.toml`.
        duration_s: Of the whole path.
        poses: Poses in world at times (T,).
        platform: Where the platform stands at times (T,): x, y, yaw (T, 3). None if it may move as it likes.
        spin_free: Whether the hand may turn about its own x axis.
        start_rad: Joint angles to look for the first pose from, by joint.
        options: What makes the path again: for the motion file.
    """

    name: str
    hand: str
    duration_s: float
    poses: Callable[[Array], Poses]
    platform: Callable[[Array], Array] | None
    spin_free: bool = False
    start_rad: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def velocity(self, time_s: Array) -> Array:
        """Return the hand's linear and angular velocity in world. Shape (T,) in, (T, 6) out."""
        before = np.maximum(time_s - _STEP_S, 0.0)
        after = np.minimum(time_s + _STEP_S, self.duration_s)
        first = self.poses(before)
        last = self.poses(after)
        velocity = np.zeros((len(time_s), 6))
        velocity[:, :3] = last.position_m - first.position_m
        if first.rotation is not None and last.rotation is not None:
            velocity[:, 3:] = rotation_vector(last.rotation @ first.rotation.transpose(0, 2, 1))
        return np.asarray(velocity / (after - before)[:, None])

    def platform_velocity(self, time_s: Array) -> Array:
        """Return how fast the platform is led: x, y and yaw. Shape (T,) in, (T, 3) out."""
        if self.platform is None:
            return np.zeros((len(time_s), 3))
        before = np.maximum(time_s - _STEP_S, 0.0)
        after = np.minimum(time_s + _STEP_S, self.duration_s)
        return np.asarray((self.platform(after) - self.platform(before)) / (after - before)[:, None])


def path_through(name: str, hand: str, rows: Array) -> HandPath:
    """Return the smooth path through rows of time, position and, where it matters, attitude; the platform stands.

    Args:
        name: Of the task.
        hand: Name of the hand.
        rows: time_s, x_m, y_m, z_m in world and perhaps qw, qx, qy, qz. Shape (T, 4) or (T, 8).
    """
    clock_s = rows[:, 0] - rows[0, 0]
    curve = CubicSpline(clock_s, rows[:, 1:4])
    turn = RotationSpline(clock_s, Rotation.from_quat(rows[:, 4:], scalar_first=True)) if rows.shape[1] == 8 else None

    def poses(at_s: Array) -> Poses:
        return Poses(curve(at_s), None if turn is None else turn(at_s).as_matrix())

    duration_s = float(clock_s[-1])
    return HandPath(
        name=name,
        hand=hand,
        duration_s=duration_s,
        poses=poses,
        platform=stands_still,
        options={"task": name, "duration_s": duration_s, "path": rows.tolist()},
    )


def stands_still(time_s: Array) -> Array:
    """Return the path of a platform that does not move. Shape (T,) in, (T, 3) out."""
    return np.zeros((len(time_s), 3))
