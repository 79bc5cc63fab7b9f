"""Leg figures: what one leg does over its own cycle, and how thigh, shank and foot stand against the vertical."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.errors import BadMotionError
from strut.human.analysis.gait_cycle import gait_cycle, mirror_image
from strut.human.analysis.walk_figures import foot_force, force_humps
from strut.human.anatomy import KNEE, LEFT, LEG, RIGHT, points_of_side, sided, sole_length_m
from strut.motion import Motion
from strut.robot import Robot

STILL_RAD = 1e-6
ALIKE_RAD = 0.01
ALIKE_SHARE = 0.01
ALIKE_BW = 0.01  # legs that differ by less are the same to the eye


@dataclass(frozen=True, slots=True, eq=False)
class CovariancePlane:
    """The plane near which thigh, shank and foot move together.

    Args:
        centre_rad: Mean of the angles, a point of the plane. Shape (3,).
        axes: Principal axes as rows, the largest spread first; the third is the plane's normal. Shape (3, 3).
        shares: Shares of the variance along them, the third small where they are nearly planar. Shape (3,).
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
    thigh = place[:, 1] - place[:, 0]
    shank = place[:, 2] - place[:, 1]
    foot = turn[:, 2] @ np.array([sole, 0.0, 0.0])
    return np.stack(
        [
            np.arctan2(thigh[:, 0], -thigh[:, 2]),
            np.arctan2(shank[:, 0], -shank[:, 2]),
            np.arctan2(foot[:, 2], foot[:, 0]),
        ],
        axis=1,
    )


def covariance_plane(angles_rad: Array) -> CovariancePlane:
    """Return the plane nearest to the elevation angles of a movement. Shape (T, 3) in."""
    if len(angles_rad) < 4:
        raise BadMotionError(
            f"{len(angles_rad)} samples are too few to judge how planar a movement is; give 4 or more."
        )
    values, axes = np.linalg.eigh(np.cov(angles_rad, rowvar=False))
    return CovariancePlane(angles_rad.mean(axis=0), axes[:, ::-1].T, values[::-1] / values.sum())


@dataclass(frozen=True, slots=True)
class LegFigures:
    """One leg.

    Args:
        knee_range_rad: Smallest and largest angle of the knee, over its cycle where there is one.
        stance_share: Share of its cycle in which the foot is on the ground; None without a cycle.
        force_humps_bw: Vertical force under this foot over the body weight: as `force_humps` says;
            None without a cycle or forces.
        largest_vertical_force_bw: Under this foot, over the body weight; None if forces are unknown.
        elevation_shares: Shares of variance of the elevation angles along their principal axes, over the cycle where
            there is one, else over the whole motion; None if the leg does not move.
    """

    knee_range_rad: tuple[float, float]
    stance_share: float | None
    force_humps_bw: tuple[float, float, float] | None
    largest_vertical_force_bw: float | None
    elevation_shares: tuple[float, ...] | None

    def looks_like(self, other: LegFigures) -> bool:
        """Return whether two legs do the same as far as people can see."""
        pairs = [
            *zip(self.knee_range_rad, other.knee_range_rad, strict=True),
            (self.stance_share, other.stance_share),
            (self.largest_vertical_force_bw, other.largest_vertical_force_bw),
        ]
        limits = (ALIKE_RAD, ALIKE_RAD, ALIKE_SHARE, ALIKE_BW)
        return all(_near(*pair, limit) for pair, limit in zip(pairs, limits, strict=True))


def both_legs(robot: Robot, motion: Motion) -> dict[str, LegFigures]:
    """Return the figures of both legs; the left one is measured as the right one of the mirror image."""
    return {RIGHT: _right_leg(robot, motion), LEFT: _right_leg(robot, mirror_image(robot, motion))}


def _right_leg(robot: Robot, motion: Motion) -> LegFigures:
    cycle = gait_cycle(robot, motion)
    seen = motion if cycle is None else cycle.motion
    knee = seen.joint_angles_rad[:, robot.joint_names.index(sided(KNEE, RIGHT))]
    down = np.asarray(seen.contact[:, points_of_side(seen.foot_names, RIGHT)].any(axis=1))
    force = foot_force(robot, seen)
    anywhere = foot_force(robot, motion)
    return LegFigures(
        knee_range_rad=(float(knee.min()), float(knee.max())),
        stance_share=None if cycle is None else float(np.mean(down[:-1])),
        force_humps_bw=None if cycle is None or force is None else force_humps(force[:, 2], down),
        largest_vertical_force_bw=None if anywhere is None else float(anywhere[:, 2].max()),
        elevation_shares=_shares(elevation_angles(robot, seen.qpos, RIGHT)),
    )


def _shares(angles_rad: Array) -> tuple[float, ...] | None:
    if np.ptp(angles_rad, axis=0).max() < STILL_RAD:
        return None
    return tuple(covariance_plane(angles_rad).shares.tolist())


def _near(one: float | None, other: float | None, limit: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= limit
