"""Feasible animation: a movement near to a drawing that ground and motors can carry, and its tracking error."""

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
    """What came of a drawing of N frames.

    Args:
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        contact: Shape (T, n_feet).
        eyes: Expression at each sample.
        frame_time_s: When each frame is shown. Shape (N,).
        frame_qpos: Coordinates at the frames. Shape (N, nq).
        stretch: Of the intervals between keyframes. Shape (n_keys - 1,).
        why: Why intervals take longer, in words; by number.
        solved: Whether it keeps everything; if not, the rest is the best that was found.
        rounds: How often the solver began.
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
    """How far a movement is from its drawing, frame by frame (N,): base [m], its attitude and the worst joint [rad]."""

    place_m: Array
    turn_rad: Array
    joint_rad: Array


def tracking_error(feasible: FeasibleAnimation, raw_qpos: Array) -> TrackingError:
    """Return how far a movement is from the coordinates of its drawing. Shape (N, nq)."""
    turns = [Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True) for qpos in (raw_qpos, feasible.frame_qpos)]
    apart = np.abs(feasible.frame_qpos[:, FLOATING:] - raw_qpos[:, FLOATING:])
    return TrackingError(
        np.linalg.norm(feasible.frame_qpos[:, :3] - raw_qpos[:, :3], axis=1),
        (turns[0].inv() * turns[1]).magnitude(),
        apart.max(axis=1, initial=0.0),
    )
