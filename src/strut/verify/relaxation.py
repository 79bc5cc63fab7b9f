"""Relaxation: a pose that retreats towards neutral only while a limit is near, and returns smoothly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt

from strut.easing import smooth_step
from strut.robot import Array

LEAD_S = 1.0  # how long before a broken limit the pose starts to relax, and how long after it returns
STEP = 0.05


def deepened(share: Array, broken: npt.NDArray[np.bool_], time_s: Array) -> Array:
    """Return the share of a pose shown, a step less around the samples that break a limit. Shapes (T,), (T,), (T,)."""
    step_s = float(time_s[1] - time_s[0])
    away_s = distance_transform_edt(~broken) * step_s
    return np.clip(share - STEP * smooth_step(1.0 - away_s / LEAD_S), 0.0, 1.0)
