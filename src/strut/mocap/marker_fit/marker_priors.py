"""Marker priors: where markers sit on a body and how high the floor is, before the body is estimated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from strut.arrays import Array
from strut.mocap.marker_fit.body_geometry import BodyGeometry
from strut.mocap.marker_fit.body_priors import length_prior
from strut.mocap.marker_fit.subject_estimation import SubjectParameters
from strut.mocap.markers.marker_set import Landmark
from strut.recording import SIDES, Recording

PELVIC_TILT_RAD = 0.19  # from hind to front spines in the upright pelvis of the model (Subject3 of Felis' thesis)
HIP_SD_M = 0.010  # of the hip regression below; chosen by eye
PELVIS_WIDTH_M = (0.12, 0.45)  # of adults; outside, the markers are not on the front spines
PELVIS_DEPTH_M = (0.08, 0.35)  # the same from front to hind spines
PLATE_SD_M = 0.001  # of a floor at the height of force plates
FLOOR_SD_M = 0.004  # of a floor at the origin of the laboratory; chosen by eye
TOE_HEIGHT_M = 0.045  # of a marker on the toes over the ground; chosen by eye
TOE_HEIGHT_SD_M = 0.015  # shod or bare; chosen by eye
MAX_TOE_HEIGHT_M = 0.10  # toes that never come lower over the origin: the floor is not there

_TOES = ("RTOE", "LTOE", "RMT5", "LMT5", "RTIP", "LTIP")


def parameter_prior(
    body: BodyGeometry, height_m: float, landmarks: Mapping[str, Landmark], recording: Recording
) -> tuple[SubjectParameters, tuple[str, ...]]:
    """Return means and standard deviations of a subject's parameters before the estimation, and a note on the floor.

    Args:
        body: The tree.
        height_m: Body height.
        landmarks: Of the markers, in the order of the recording's.
        recording: In our axes.
    """
    lengths, lengths_sd = length_prior(body, height_m)
    local = np.array([landmark.at for landmark in landmarks.values()]) * height_m
    local_sd = np.array([landmark.spread_m for landmark in landmarks.values()])
    (floor, floor_sd), note = _floor_prior(recording)
    prior = SubjectParameters(lengths, lengths_sd, local, local_sd, floor, floor_sd)
    hips = _regress_hips(recording)
    if hips is not None:
        prior = _with_hips(prior, hips, body, landmarks)
    return prior, (note,)


class HipRegression(NamedTuple):
    """Half the distance between the hips, and the midpoint of the front spines relative to that of the hips [m]."""

    half_width_m: float
    front_m: Array  # shape (3,)


def _regress_hips(recording: Recording) -> HipRegression | None:
    """Return the hip joint centres from width and depth of the pelvis; None without its spines or with odd ones.

    Regression of Harrington et al. (2007), rotated by the pelvic tilt.
    """
    hind = _all_or_none(recording, ("LPSI", "RPSI")) or _all_or_none(recording, ("SACR",))
    if not (hind and _all_or_none(recording, ("LASI", "RASI"))):
        return None
    left = recording.marker("LASI")
    right = recording.marker("RASI")
    back = recording.markers(hind).mean(axis=1)
    width = float(np.nanmedian(np.linalg.norm(left - right, axis=1)))
    depth = float(np.nanmedian(np.linalg.norm((left + right) / 2.0 - back, axis=1)))
    if not (PELVIS_WIDTH_M[0] < width < PELVIS_WIDTH_M[1] and PELVIS_DEPTH_M[0] < depth < PELVIS_DEPTH_M[1]):
        return None
    behind = 0.24 * depth + 0.0099
    below = 0.30 * width + 0.0109
    cosine = np.cos(PELVIC_TILT_RAD)
    sine = np.sin(PELVIC_TILT_RAD)
    front = np.array([behind * cosine + below * sine, 0.0, below * cosine - behind * sine])
    return HipRegression(0.33 * width + 0.0073, front)


def _all_or_none(recording: Recording, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return some markers if a recording has all of them, else none."""
    return names if set(names) <= set(recording.marker_names) else ()


def _with_hips(
    prior: SubjectParameters, hips: HipRegression, body: BodyGeometry, landmarks: Mapping[str, Landmark]
) -> SubjectParameters:
    """Return a prior with hips and pelvis markers at the places of a regression."""
    lengths, lengths_sd, local, local_sd = (np.array(values) for values in prior[:4])
    widths = [body.length_names.index(f"Hip{side}Width") for side in SIDES]
    lengths[widths] = hips.half_width_m
    lengths_sd[widths] = HIP_SD_M / 2.0
    front = local[[list(landmarks).index(name) for name in ("LASI", "RASI")]].mean(axis=0)
    on_pelvis = [landmark.segment == "Pelvis" for landmark in landmarks.values()]
    local[on_pelvis] += (hips.front_m - front) * [1.0, 0.0, 1.0]
    local_sd[on_pelvis] = np.minimum(local_sd[on_pelvis], HIP_SD_M + np.array([0.0, 0.01, 0.0]))
    return prior._replace(lengths_m=lengths, lengths_sd_m=lengths_sd, local_m=local, local_sd_m=local_sd)


def _floor_prior(recording: Recording) -> tuple[tuple[float, float], str]:
    """Return height of the floor with its standard deviation, and a note: from plates, the origin, or the toes."""
    if recording.plates:
        heights = [float(plate.corners_m[:, 2].mean()) for plate in recording.plates]
        return (float(np.median(heights)), PLATE_SD_M), "The floor is at the height of the force plates."
    toe_height = _lowest_toe_m(recording)
    if 0.0 < toe_height < MAX_TOE_HEIGHT_M:
        return (0.0, FLOOR_SD_M), "The floor is at the origin of the laboratory."
    floor = toe_height - TOE_HEIGHT_M
    return (floor, TOE_HEIGHT_SD_M), f"The floor is {floor:.3f} m high, estimated from the toes."


def _lowest_toe_m(recording: Recording) -> float:
    """Return the lowest height of markers on the toes; their usual height if there are none."""
    toes = [name for name in _TOES if name in recording.marker_names]
    heights = [np.nanpercentile(recording.marker(name)[:, 2], 5) for name in toes]
    return float(np.median(heights)) if heights else TOE_HEIGHT_M
