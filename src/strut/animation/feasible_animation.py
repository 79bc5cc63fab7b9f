"""Feasible animation: the motion nearest to an animation within the limits of ground and motors; its tracking error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.robot import FLOATING


@dataclass(frozen=True, slots=True, eq=False)
class FeasibleAnimation:
    """The feasible motion of an animation of N frames.

    Args:
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        contact: Shape (T, n_feet).
        eyes: Expression at each sample.
        frame_time_s: New time of each frame. Shape (N,).
        frame_qpos: Configurations at the frames. Shape (N, nq).
        stretch: Time stretch of the intervals between keyframes. Shape (n_keys - 1,).
        why: Why intervals take longer, by interval.
        solved: Whether the solver kept all constraints; if not, the motion is its best iterate.
        rounds: Number of solutions.
    """

    time_s: Array
    qpos: Array
    contact: npt.NDArray[np.bool_]
    eyes: tuple[str, ...]
    frame_time_s: Array
    frame_qpos: Array
    stretch: Array
    why: Mapping[int, str]
    solved: bool
    rounds: int


@dataclass(frozen=True, slots=True, eq=False)
class TrackingError:
    """Distance of a motion from its animation at each frame (N,): base [m], its attitude and the worst joint [rad]."""

    place_m: Array
    turn_rad: Array
    joint_rad: Array


def tracking_error(feasible: FeasibleAnimation, frame_qpos: Array) -> TrackingError:
    """Return the distance of a motion from the configurations of its animation. Shape (N, nq)."""
    authored, tracked = (
        Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True) for qpos in (frame_qpos, feasible.frame_qpos)
    )
    joint_error_rad = np.abs(feasible.frame_qpos[:, FLOATING:] - frame_qpos[:, FLOATING:])
    return TrackingError(
        np.linalg.norm(feasible.frame_qpos[:, :3] - frame_qpos[:, :3], axis=1),
        (authored.inv() * tracked).magnitude(),
        joint_error_rad.max(axis=1, initial=0.0),
    )
