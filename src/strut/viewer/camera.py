"""Camera: a pinhole camera that looks at the robot from in front and aside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array

AZIMUTH_RAD = float(np.deg2rad(-45.0))  # from the front right, as in the published pictures
FACE_RAD = float(np.deg2rad(-25.0))  # nearer to the front: both eyes stay visible while the head turns by 20 degrees
ELEVATION_RAD = float(np.deg2rad(24.0))
FACE_ELEVATION_RAD = float(np.deg2rad(10.0))  # from higher up, the upper lids would hide eyes that look down
DISTANCE_PER_SIZE = 4.0  # a long focal length keeps vertical lines vertical
FILL_SHARE = 0.86  # of the picture that the robot fills


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole camera.

    Args:
        eye_in_world: Shape (3,).
        axes: Rows are right, down and forward in world. Shape (3, 3).
        focal_px: Pixels per unit of right over forward.
        middle_px: Pixel (column, row) of the forward axis. Shape (2,).
        size_px: Width and height of its picture.
    """

    eye_in_world: Array
    axes: Array
    focal_px: float
    middle_px: Array
    size_px: tuple[int, int]

    def project(self, points_in_world: Array) -> tuple[Array, Array]:
        """Return pixels (column, row) and depths [m] of points. Shape (..., 3) in; (..., 2) and (...) out."""
        in_camera = (points_in_world - self.eye_in_world) @ self.axes.T
        return self.middle_px + self.focal_px * in_camera[..., :2] / in_camera[..., 2:], in_camera[..., 2]

    def rays(self, columns: Array, rows: Array) -> Array:
        """Return directions through pixels, one forward unit long. Shape (...) each in, (..., 3) out."""
        right = (columns - self.middle_px[0]) / self.focal_px
        down = (rows - self.middle_px[1]) / self.focal_px
        return np.stack([right, down, np.ones_like(right)], axis=-1) @ self.axes


def view_axes(azimuth_rad: float = AZIMUTH_RAD, elevation_rad: float = ELEVATION_RAD) -> Array:
    """Return right, down and forward of a camera at an azimuth from x and an elevation. Shape (3, 3)."""
    along_floor = np.array([np.cos(azimuth_rad), np.sin(azimuth_rad), 0.0])
    towards_eye = np.cos(elevation_rad) * along_floor + [0.0, 0.0, np.sin(elevation_rad)]
    right = np.array([-np.sin(azimuth_rad), np.cos(azimuth_rad), 0.0])
    return np.stack([right, np.cross(-towards_eye, right), -towards_eye])


def fitted_camera(
    points_in_world: Array,
    size_px: tuple[int, int],
    *,
    azimuth_rad: float = AZIMUTH_RAD,
    elevation_rad: float = ELEVATION_RAD,
) -> Camera:
    """Return the camera whose picture, of a width and height, the points (n, 3) fill."""
    axes = view_axes(azimuth_rad, elevation_rad)
    low = points_in_world.min(axis=0)
    high = points_in_world.max(axis=0)
    eye = (low + high) / 2.0 - DISTANCE_PER_SIZE * float(np.linalg.norm(high - low)) * axes[2]
    in_camera = (points_in_world - eye) @ axes.T
    spread = in_camera[:, :2] / in_camera[:, 2:]
    left_top = spread.min(axis=0)
    right_bottom = spread.max(axis=0)
    focal_px = FILL_SHARE * float(np.min(size_px / (right_bottom - left_top)))
    middle_px = np.array(size_px) / 2.0 - focal_px * (left_top + right_bottom) / 2.0
    return Camera(eye, axes, focal_px, middle_px, size_px)
