"""Marker priors: where markers sit on a body, and how high the floor is, before the body is estimated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from strut.arrays import Array
from strut.capture.marker_fit.body_geometry import BodyGeometry
from strut.capture.marker_fit.body_priors import length_prior
from strut.capture.marker_fit.subject_estimation import SubjectParameters
from strut.capture.markers.marker_mapping import Landmark
from strut.recording import SIDES, Recording

PELVIC_TILT_RAD = 0.19  # of the line from the hind to the front spines in the model's upright pelvis (thesis' Subject3)
HIP_SD_M = 0.010  # of the regression below
FLOOR_SD_M = 0.004  # laboratories put their origin on the floor
PLATE_SD_M = 0.001
TOE_HEIGHT_M = 0.045
TOE_HEIGHT_SD_M = 0.015  # of a marker on the toes, shod or bare, over the ground

_TOES = ("RTOE", "LTOE", "RMT5", "LMT5", "RTIP", "LTIP")


def parameter_prior(
    body: BodyGeometry, height_m: float, landmarks: Mapping[str, Landmark], recording: Recording
) -> tuple[SubjectParameters, tuple[str, ...]]:
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
    (floor, floor_sd), note = _floor(recording)
    prior = SubjectParameters(lengths, lengths_sd, local, spread, floor, floor_sd)
    known = _hips(recording)
    return (prior if known is None else _with_hips(prior, known, body, landmarks)), (note,)


def _with_hips(
    prior: SubjectParameters, known: HipRegression, body: BodyGeometry, landmarks: Mapping[str, Landmark]
) -> SubjectParameters:
    """Return what is known with hips and markers of the pelvis where a regression has them."""
    lengths, lengths_sd, local, spread = (np.array(values) for values in prior[:4])
    hips = [body.length_names.index(f"Hip{side}Width") for side in SIDES]
    lengths[hips] = known.half_width_m
    lengths_sd[hips] = HIP_SD_M / 2.0
    front = local[[list(landmarks).index(name) for name in ("LASI", "RASI")]].mean(axis=0)
    on_pelvis = [landmark.segment == "Pelvis" for landmark in landmarks.values()]
    local[on_pelvis] += (known.front_m - front) * [1.0, 0.0, 1.0]
    spread[on_pelvis] = np.minimum(spread[on_pelvis], HIP_SD_M + np.array([0.0, 0.01, 0.0]))
    return prior._replace(lengths_m=lengths, lengths_sd_m=lengths_sd, local_m=local, local_sd_m=spread)


class HipRegression(NamedTuple):
    """Half the distance of the hips, and the middle of the front spines from the middle of the hips [m]. Shape (3,)."""

    half_width_m: float
    front_m: Array


def _hips(recording: Recording) -> HipRegression | None:
    """Return where the hips are from width and depth of the pelvis; None without its spines or with odd ones.

    Regression of Harrington et al. (2007), turned by the pelvic tilt.
    """
    hind = _seen(recording, ("LPSI", "RPSI")) or _seen(recording, ("SACR",))
    if not (hind and _seen(recording, ("LASI", "RASI"))):
        return None
    left = recording.marker("LASI")
    right = recording.marker("RASI")
    back = recording.markers(hind).mean(axis=1)
    width = float(np.nanmedian(np.linalg.norm(left - right, axis=1)))
    depth = float(np.nanmedian(np.linalg.norm((left + right) / 2.0 - back, axis=1)))
    if not (0.12 < width < 0.45 and 0.08 < depth < 0.35):
        return None
    behind = 0.24 * depth + 0.0099
    below = 0.30 * width + 0.0109
    cosine = np.cos(PELVIC_TILT_RAD)
    sine = np.sin(PELVIC_TILT_RAD)
    front = np.array([behind * cosine + below * sine, 0.0, below * cosine - behind * sine])
    return HipRegression(0.33 * width + 0.0073, front)


def _seen(recording: Recording, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return some markers if a recording has all of them, else none."""
    return names if set(names) <= set(recording.marker_names) else ()


def _floor(recording: Recording) -> tuple[tuple[float, float], str]:
    """Return height of the floor and its standard deviation, and a sentence: plates, the origin, or under the toes."""
    if recording.plates:
        heights = [float(plate.corners_m[:, 2].mean()) for plate in recording.plates]
        return (float(np.median(heights)), PLATE_SD_M), "The floor is at the height of the force plates."
    lowest = _lowest_toe(recording)
    if 0.0 < lowest < 0.10:
        return (0.0, FLOOR_SD_M), "The floor is at the origin of the laboratory."
    floor = lowest - TOE_HEIGHT_M
    return (floor, TOE_HEIGHT_SD_M), f"The floor is {floor:.3f} m high, guessed from the toes."


def _lowest_toe(recording: Recording) -> float:
    """Return how low markers on the toes come; their usual height if there are none."""
    toes = [name for name in _TOES if name in recording.marker_names]
    heights = [np.nanpercentile(recording.marker(name)[:, 2], 5) for name in toes]
    return float(np.median(heights)) if heights else TOE_HEIGHT_M
