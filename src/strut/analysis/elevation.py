"""Elevation angles: how thigh, shank and foot stand against the vertical, and how planar their covariation is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.engines.rigid_body import body_poses
from strut.errors import BadMotionError
from strut.human.anatomy import LEG, sided, sole_length_m
from strut.robot import Array, Robot


@dataclass(frozen=True, slots=True, eq=False)
class CovariancePlane:
    """The plane near which thigh, shank and foot move together.

    Args:
        centre_rad: Mean of the angles, a point of the plane. Shape (3,).
        axes: Principal axes as rows, the largest spread first; the third is the plane's normal. Shape (3, 3).
        shares: Shares of the variance along them. Shape (3,).
    """

    centre_rad: Array
    axes: Array
    shares: Array


def elevation_angles(robot: Robot, qpos: Array, side: str) -> Array:
    """Return the elevation angles of thigh, shank and foot in the world's sagittal plane [rad]. Shape (T, 3).

    Thigh and shank are 0 when they hang, positive with the distal end ahead; a flat foot is 0, positive toes up.
    """
    place, turn = body_poses(robot.model, [sided(segment, side) for segment in LEG], qpos)
    sole = sole_length_m(robot.subject.lengths_m, side)
    thigh, shank = place[:, 1] - place[:, 0], place[:, 2] - place[:, 1]
    foot = turn[:, 2] @ np.array([sole, 0.0, 0.0])
    return np.stack(
        [
            np.arctan2(thigh[:, 0], -thigh[:, 2]),
            np.arctan2(shank[:, 0], -shank[:, 2]),
            np.arctan2(foot[:, 2], foot[:, 0]),
        ],
        axis=1,
    )


def planarity(angles_rad: Array) -> Array:
    """Return the shares of variance along the principal axes, largest first; a plane has a small third. Shape (3,)."""
    return covariance_plane(angles_rad).shares


def covariance_plane(angles_rad: Array) -> CovariancePlane:
    """Return the plane nearest to the elevation angles of a movement. Shape (T, 3) in."""
    if len(angles_rad) < 4:
        raise BadMotionError(
            f"{len(angles_rad)} samples are too few to judge how planar a movement is; give 4 or more."
        )
    values, axes = np.linalg.eigh(np.cov(angles_rad, rowvar=False))
    return CovariancePlane(angles_rad.mean(axis=0), axes[:, ::-1].T, values[::-1] / values.sum())
