"""Foot side: ankle markers that sit on the other side of the foot than their names say.

Laboratories that call the lateral malleolus LMA often call the medial one ANK, which is lateral elsewhere. A foot that
stands shows it: seen from above, a lateral malleolus is outside of the line from heel to toe, a medial one inside.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.events.foot_paths import REST_M_S
from strut.recording import Recording

INSIDE_M = 0.01  # of the line from heel to toe: a lateral malleolus is 30 to 45 mm outside of it
FEWEST_FRAMES = 5
MEDIAL = {"RANK": "RMMAL", "LANK": "LMMAL"}  # what ankle markers on the inner side are


def foot_landmarks(recording: Recording) -> dict[str, str]:
    """Return which landmarks of the feet are others by their place, for both feet or for none.

    Args:
        recording: Markers named by landmark, x forwards, z up.
    """
    offsets = [_ankle_outside_m(recording, letter) for letter in "RL"]
    if any(offset is None or offset > -INSIDE_M for offset in offsets):
        return {}
    return {} if set(MEDIAL.values()) & set(recording.marker_names) else MEDIAL


def _ankle_outside_m(recording: Recording, letter: str) -> float | None:
    """Return how far the ankle's marker is outside of the line from heel to toe while the foot stands (median)."""
    names = [f"{letter}{part}" for part in ("HEE", "TOE", "ANK")]
    if not set(names) <= set(recording.marker_names):
        return None
    heel, toe, ankle = (recording.marker(name) for name in names)
    rows = np.flatnonzero(_rests(heel, recording.rate_hz) & _rests(toe, recording.rate_hz))
    if len(rows) < FEWEST_FRAMES:
        return None
    along = (toe - heel)[rows, :2]
    away = (ankle - heel)[rows, :2]
    left = (along[:, 0] * away[:, 1] - along[:, 1] * away[:, 0]) / np.maximum(np.linalg.norm(along, axis=1), 1e-6)
    offset = float(np.nanmedian(left))
    return offset if letter == "L" else -offset


def _rests(path: Array, rate_hz: float) -> npt.NDArray[np.bool_]:
    """Return when a marker hardly moves. Shape (T,)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.linalg.norm(np.gradient(path, 1.0 / rate_hz, axis=0), axis=1) < REST_M_S)
