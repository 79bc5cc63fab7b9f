"""Marker priors: where markers sit on a body, and how high the floor is, before the body is estimated."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from strut.capture.body_geometry import BodyGeometry
from strut.capture.body_priors import length_prior
from strut.capture.marker_mapping import Landmark
from strut.capture.subject_estimation import ParameterPrior
from strut.recording import Recording
from strut.robot import Array

PELVIC_TILT_RAD = 0.19  # of the line from the hind to the front spines in the model's upright pelvis (thesis' Subject3)
HIP_SD_M = 0.010  # of the regression below
FLOOR_SD_M = 0.004  # laboratories put their origin on the floor
PLATE_SD_M = 0.001
TOE_HEIGHT_M, TOE_HEIGHT_SD_M = 0.045, 0.015  # of a marker on the toes, shod or bare, over the ground


def parameter_prior(
    body: BodyGeometry, height_m: float, landmarks: Mapping[str, Landmark], recording: Recording
) -> tuple[ParameterPrior, tuple[str, ...]]:
    """Return what is known before the estimation, and sentences about the floor.

    Args:
        body: The tree.
        height_m: Of the person.
        landmarks: Of the markers, in the order of the recording's.
        recording: In our axes.
    """
    lengths, lengths_sd = length_prior(body, height_m)
    local = np.array([landmark.at for landmark in landmarks.values()]) * height_m
    spread = np.array([landmark.spread_m for landmark in landmarks.values()])
    names = list(landmarks)
    if (hips := _hips(recording)) is not None:
        width, front, hips_sd = hips
        for side in ("Right", "Left"):
            index = body.length_names.index(f"Hip{side}Width")
            lengths[index], lengths_sd[index] = width, hips_sd
        shift = front - local[[names.index("LASI"), names.index("RASI")]].mean(axis=0)
        on_pelvis = [index for index, landmark in enumerate(landmarks.values()) if landmark.segment == "Pelvis"]
        local[on_pelvis] += shift * np.array([1.0, 0.0, 1.0])
        spread[on_pelvis] = np.minimum(spread[on_pelvis], HIP_SD_M + np.array([0.0, 0.01, 0.0]))
    floor, floor_sd, notes = _floor(recording)
    return ParameterPrior(lengths, lengths_sd, local, spread, floor, floor_sd, height_m), notes


def _hips(recording: Recording) -> tuple[float, Array, float] | None:
    """Return half the distance of the hips, the middle of the front spines from the middle of the hips, and an sd [m].

    Regression on width and depth of the pelvis (Harrington et al., 2007), turned by the pelvic tilt; None without its
    four spines.
    """
    known = set(recording.marker_names)
    hind = ("LPSI", "RPSI") if {"LPSI", "RPSI"} <= known else ("SACR",)
    if not {"LASI", "RASI", *hind} <= known:
        return None
    left, right = recording.marker("LASI"), recording.marker("RASI")
    width = float(np.nanmedian(np.linalg.norm(left - right, axis=1)))
    back = recording.markers(hind).mean(axis=1)
    depth = float(np.nanmedian(np.linalg.norm((left + right) / 2.0 - back, axis=1)))
    if not (0.12 < width < 0.45 and 0.08 < depth < 0.35):
        return None
    behind, below = 0.24 * depth + 0.0099, 0.30 * width + 0.0109
    cosine, sine = np.cos(PELVIC_TILT_RAD), np.sin(PELVIC_TILT_RAD)
    front = np.array([behind * cosine + below * sine, 0.0, below * cosine - behind * sine])
    return 0.33 * width + 0.0073, front, HIP_SD_M / 2.0


def _floor(recording: Recording) -> tuple[float, float, tuple[str, ...]]:
    """Return height of the floor and its standard deviation: that of plates, or zero, or under the toes."""
    if recording.plates:
        heights = [float(plate.corners_m[:, 2].mean()) for plate in recording.plates]
        return float(np.median(heights)), PLATE_SD_M, ("The floor is at the height of the force plates.",)
    toes = [name for name in ("RTOE", "LTOE", "RMT5", "LMT5", "RTIP", "LTIP") if name in recording.marker_names]
    if not toes:
        return 0.0, FLOOR_SD_M, ("The floor is at the origin of the laboratory.",)
    lowest = float(np.nanmedian(np.nanpercentile(recording.markers(toes)[..., 2], 5, axis=0)))
    if 0.0 < lowest < 0.10:
        return 0.0, FLOOR_SD_M, ("The floor is at the origin of the laboratory.",)
    floor = lowest - TOE_HEIGHT_M
    return floor, TOE_HEIGHT_SD_M, (f"The floor is {floor:.3f} m high, guessed from the toes.",)
