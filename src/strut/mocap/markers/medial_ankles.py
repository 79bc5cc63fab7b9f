"""Medial ankles: recognise ankle markers that sit on the inner side of the foot although their names say outer.

Laboratories that call the lateral malleolus LMA often call the medial one ANK, which is the lateral one elsewhere. A
standing foot shows it: seen from above, a lateral malleolus is outside the line from heel to toe, a medial one inside.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.mocap.events.foot_paths import REST_M_S
from strut.recording import Recording

INSIDE_M = 0.01  # a lateral malleolus is 30 to 45 mm outside the line from heel to toe; chosen by eye
MIN_FRAMES = 5  # of a standing foot
MEDIAL = {"RANK": "RMMAL", "LANK": "LMMAL"}


def medial_ankle_names(recording: Recording) -> dict[str, str]:
    """Return the landmarks that ankle markers are by their position, by present name: both feet or none.

    Args:
        recording: Markers named by landmark, x forward, z up.
    """
    if set(MEDIAL.values()) & set(recording.marker_names):
        return {}
    offsets = [_ankle_outside_m(recording, letter) for letter in "RL"]
    are_medial = all(offset is not None and offset <= -INSIDE_M for offset in offsets)
    return MEDIAL if are_medial else {}


def _ankle_outside_m(recording: Recording, letter: str) -> float | None:
    """Return how far the ankle marker is outside the line from heel to toe of a standing foot (median)."""
    names = [f"{letter}{part}" for part in ("HEE", "TOE", "ANK")]
    if not set(names) <= set(recording.marker_names):
        return None
    heel, toe, ankle = (recording.marker(name) for name in names)
    rows = np.flatnonzero(_is_at_rest(heel, recording.rate_hz) & _is_at_rest(toe, recording.rate_hz))
    if len(rows) < MIN_FRAMES:
        return None
    along = (toe - heel)[rows, :2]
    away = (ankle - heel)[rows, :2]
    left = (along[:, 0] * away[:, 1] - along[:, 1] * away[:, 0]) / np.maximum(np.linalg.norm(along, axis=1), 1e-6)
    offset = float(np.nanmedian(left))
    return offset if letter == "L" else -offset


def _is_at_rest(path: Array, rate_hz: float) -> npt.NDArray[np.bool_]:
    """Return when a marker hardly moves. Shape (T, 3) in, (T,) out."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.linalg.norm(np.gradient(path, 1.0 / rate_hz, axis=0), axis=1) < REST_M_S)
