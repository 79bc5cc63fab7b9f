"""Walking direction: the line of progression on the ground, and motions turned so that it is the x axis."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.motion import Motion

MIN_TRAVEL_M = 0.1  # with less travel the heading of the pelvis is the direction
SEAM_SAMPLES = 4  # on either side of the seam of a motion and its mirror image


@dataclass(frozen=True, slots=True)
class WalkingDirection:
    """A line on the ground: its direction from the x axis of the world, and its distance to the left of the origin."""

    direction_rad: float
    left_m: float

    def aligned_with_x(self, motion: Motion) -> Motion:
        """Return the motion turned and moved so that this line is the x axis; forces and centre of pressure too."""
        return _turned(motion, -self.direction_rad, np.array([0.0, -self.left_m]))

    def restored(self, motion: Motion) -> Motion:
        """Return a motion along the x axis turned and moved onto this line: the inverse of `aligned_with_x`."""
        across = np.array([-np.sin(self.direction_rad), np.cos(self.direction_rad)])
        return _turned(motion, self.direction_rad, self.left_m * across)


def direction_of_cycles(motion: Motion) -> WalkingDirection | None:
    """Return the line between two equal contact events that are whole cycles apart.

    The sway of the pelvis cancels out over whole cycles. None if no event occurs twice, or without travel.
    """
    change = np.diff(motion.contact.astype(int), axis=0)
    pairs = []
    for column in change.T:
        for kind in (-1, 1):
            at = np.flatnonzero(column == kind) + 1
            if len(at) > 1:
                pairs.append((int(at[0]), int(at[-1])))
    if not pairs:
        return None
    start, stop = max(pairs, key=lambda pair: pair[1] - pair[0])
    return _line(motion.qpos[start:stop], motion.qpos[stop, :2] - motion.qpos[start, :2])


def direction_of_mirror(motion: Motion) -> WalkingDirection:
    """Return the line at which the motion continues smoothly as its own mirror image."""
    direction = _seam(_facing(motion.qpos))
    across = np.array([-np.sin(direction), np.cos(direction)])
    return WalkingDirection(direction, _seam(motion.qpos[:, :2] @ across))


def direction_of_travel(motion: Motion) -> WalkingDirection:
    """Return the line from the first sample to the extrapolated one after the last."""
    qpos = motion.qpos
    line = _line(qpos, 2.0 * qpos[-1, :2] - qpos[-2, :2] - qpos[0, :2])
    return direction_of_facing(motion) if line is None else line


def direction_of_facing(motion: Motion) -> WalkingDirection:
    """Return the line through the path of the pelvis along its mean heading."""
    return _through(motion.qpos, float(_facing(motion.qpos).mean()))


def _turned(motion: Motion, angle_rad: float, then_moved_m: Array) -> Motion:
    """Return a motion turned about the world's z axis, then moved over the ground (2,)."""
    turn = Rotation.from_euler("z", angle_rad)
    ground = turn.as_matrix()[:2, :2]
    qpos = motion.qpos.copy()
    qpos[:, :2] = qpos[:, :2] @ ground.T + then_moved_m
    qpos[:, 3:7] = (turn * Rotation.from_quat(qpos[:, 3:7], scalar_first=True)).as_quat(
        canonical=True, scalar_first=True
    )
    force = motion.ground_force_n
    cop = motion.cop_in_world
    return replace(
        motion,
        qpos=qpos,
        ground_force_n=None if force is None else force @ turn.as_matrix().T,
        cop_in_world=None if cop is None else cop @ ground.T + then_moved_m,
    )


def _line(qpos: Array, way_m: Array) -> WalkingDirection | None:
    """Return the line along a displacement, forwards as the walker faces; None if it is too short. (T, nq), (2,)."""
    if np.hypot(*way_m) < MIN_TRAVEL_M:
        return None
    direction = float(np.arctan2(way_m[1], way_m[0]))
    backwards = np.cos(direction - _facing(qpos).mean()) < 0.0
    return _through(qpos, direction + np.pi if backwards else direction)


def _through(qpos: Array, direction: float) -> WalkingDirection:
    wrapped = float(np.arctan2(np.sin(direction), np.cos(direction)))
    return WalkingDirection(wrapped, float(np.mean(qpos[:, :2] @ [-np.sin(direction), np.cos(direction)])))


def _facing(qpos: Array) -> Array:
    """Return the unwrapped heading of the pelvis from +x [rad]. Shape (T,)."""
    ahead = Rotation.from_quat(qpos[:, 3:7], scalar_first=True).apply([1.0, 0.0, 0.0])
    return np.asarray(np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])))


def _seam(values: Array) -> float:
    """Return c for which `values` continue smoothly as 2 c - `values`: the highest difference is 0. Shape (T,)."""
    count = min(SEAM_SAMPLES, len(values))
    weights = np.poly(np.ones(2 * count - 1))  # binomials with alternating signs
    before = weights[:count] @ values[-count:]
    after = weights[count:] @ values[:count]
    return float((after - before) / (2.0 * weights[count:].sum()))
