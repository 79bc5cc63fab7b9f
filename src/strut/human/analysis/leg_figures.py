"""Leg figures: knee, stance and forces of one leg over its cycle, and the elevation angles of its segments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.errors import BadMotionError
from strut.human.analysis.gait_cycle import gait_cycle, mirror_image
from strut.human.analysis.reported_samples import are_reported
from strut.human.analysis.walk_figures import foot_force, force_humps
from strut.human.anatomy import KNEE, LEFT, LEG, RIGHT, points_of_side, sided, sole_length_m
from strut.motion import Motion
from strut.robot import Robot

STILL_RAD = 1e-6  # a smaller range is no movement
SIMILAR_RAD = 0.01  # a smaller difference between the legs cannot be seen; the same for the next two
SIMILAR_SHARE = 0.01
SIMILAR_BW = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class CovariancePlane:
    """The plane of intersegmental covariation: the elevation angles of thigh, shank and foot are near it.

    Args:
        centre_rad: Mean of the angles, a point of the plane. Shape (3,).
        axes: Principal axes as rows, the largest variance first; the third is the normal. Shape (3, 3).
        shares: Shares of the variance along the axes; the third is small if the movement is planar. Shape (3,).
    """

    centre_rad: Array
    axes: Array
    shares: Array


def elevation_angles(robot: Robot, qpos: Array, side: str) -> Array:
    """Return the elevation angles of thigh, shank and foot in the world's sagittal plane [rad]. Shape (T, 3).

    Thigh and shank are 0 if vertical, positive with the distal end ahead; the foot is 0 if flat, positive toes up.
    """
    position, rotation = body_poses(robot.model, [sided(segment, side) for segment in LEG], qpos)
    sole = sole_length_m(robot.subject.lengths_m, side)
    thigh = position[:, 1] - position[:, 0]
    shank = position[:, 2] - position[:, 1]
    foot = rotation[:, 2] @ np.array([sole, 0.0, 0.0])
    return np.stack(
        [
            np.arctan2(thigh[:, 0], -thigh[:, 2]),
            np.arctan2(shank[:, 0], -shank[:, 2]),
            np.arctan2(foot[:, 2], foot[:, 0]),
        ],
        axis=1,
    )


def covariance_plane(angles_rad: Array) -> CovariancePlane:
    """Return the plane nearest to the elevation angles of a movement, by principal components. Shape (T, 3) in."""
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
        knee_range_rad: Smallest and largest angle of the knee, over the cycle if there is one.
        stance_share: Share of the cycle in which the foot is on the ground; None without a cycle.
        force_humps_bw: Peaks and valley of the vertical force over body weight, see `force_humps`; None without a
            cycle or forces.
        largest_vertical_force_bw: Of the reported samples, over body weight; None if forces are unknown.
        elevation_shares: Shares of variance of the elevation angles along their principal axes, over the cycle if
            there is one, else over the whole motion; None if the leg does not move.
    """

    knee_range_rad: tuple[float, float]
    stance_share: float | None
    force_humps_bw: tuple[float, float, float] | None
    largest_vertical_force_bw: float | None
    elevation_shares: tuple[float, ...] | None

    def is_similar(self, other: LegFigures) -> bool:
        """Return whether the difference between two legs is too small to be seen."""
        pairs = [
            *zip(self.knee_range_rad, other.knee_range_rad, strict=True),
            (self.stance_share, other.stance_share),
            (self.largest_vertical_force_bw, other.largest_vertical_force_bw),
        ]
        limits = (SIMILAR_RAD, SIMILAR_RAD, SIMILAR_SHARE, SIMILAR_BW)
        return all(_is_near(*pair, limit) for pair, limit in zip(pairs, limits, strict=True))


def both_legs(robot: Robot, motion: Motion) -> dict[str, LegFigures]:
    """Return the figures of both legs; the left one is measured as the right one of the mirror image."""
    return {RIGHT: _right_leg(robot, motion), LEFT: _right_leg(robot, mirror_image(robot, motion))}


def _right_leg(robot: Robot, motion: Motion) -> LegFigures:
    cycle = gait_cycle(robot, motion)
    piece = motion if cycle is None else cycle.motion
    knee = piece.joint_angles_rad[:, robot.joint_names.index(sided(KNEE, RIGHT))]
    in_stance = np.asarray(piece.contact[:, points_of_side(piece.foot_names, RIGHT)].any(axis=1))
    force = foot_force(robot, piece)
    whole_force = foot_force(robot, motion)
    reported = are_reported(motion)
    elevation_rad = elevation_angles(robot, piece.qpos, RIGHT)
    moves = np.ptp(elevation_rad, axis=0).max() >= STILL_RAD
    return LegFigures(
        knee_range_rad=(float(knee.min()), float(knee.max())),
        stance_share=None if cycle is None else float(np.mean(in_stance[:-1])),
        force_humps_bw=None if cycle is None or force is None else force_humps(force[:, 2], in_stance),
        largest_vertical_force_bw=None
        if whole_force is None or not reported.any()
        else float(whole_force[reported, 2].max()),
        elevation_shares=tuple(covariance_plane(elevation_rad).shares.tolist()) if moves else None,
    )


def _is_near(one: float | None, other: float | None, limit: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= limit
