"""Plate plausibility: leave out measurements that the movement contradicts, before plates are followed.

A force changes the momentum of the body, and markers show that momentum: away from landings, which are sharper than
any estimate from markers, they tell the force to a fraction of the weight, and everywhere its mean over a tenth of a
second. Plates that differ by more, because a channel fails or something else loads the plate, are not followed there.

A comparison with plates never leaves anything out in this way: it would hide errors of the computed forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.ndimage import maximum_filter1d

from strut.arrays import Array
from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.plate_comparison import PlateForces
from strut.mocap.markers.gaps import find_runs

MEAN_S = 0.1  # over which forces are averaged
# Over body weight: a velocity of the centre of mass of 0.25 m/s that markers do not show. 0.15 in the worst of the ten
# walks on plates (newwalk, whose markers are filtered).
MAX_MEAN = 0.25
MAX_NEAR_LANDINGS = 0.8  # over body weight; 0.41 in the worst of the ten walks (pc_real, whose clocks differ)
MAX_CALM = 0.25  # over body weight, away from landings; 0.13 in the worst of the ten walks (plate_type2)
BEFORE_LANDING_S = 0.05  # from here on a landing is near
AFTER_LANDING_S = 0.10  # until here a landing is near
RINGING_S = 0.02  # before and after a jump, which the low-pass filter of the plates blurs


def plausible_plates(
    plates: PlateForces,
    footprints: Sequence[Footprint],
    required_n: Array,
    weight_n: float,
    usable: npt.NDArray[np.bool_],
) -> PlateForces:
    """Return plates without the frames in which they contradict the movement, with a doubt for each of their runs.

    Args:
        plates: Measured.
        footprints: Which tell when feet land.
        required_n: Plain estimate of the force of the ground, from the movement alone. Shape (T, 3).
        weight_n: Body weight.
        usable: Frames in which the plain estimate may judge. Shape (T,).
    """
    excess = np.where(usable, (plates.total[:, 2] - required_n[:, 2]) / weight_n, np.nan)
    frames = max(round(MEAN_S * plates.rate_hz), 1)
    time_s = np.arange(len(excess)) / plates.rate_hz
    is_near = np.zeros(len(excess), dtype=bool)
    for footprint in footprints:
        since_s = time_s - footprint.start_s
        is_near |= (since_s > -BEFORE_LANDING_S) & (since_s < AFTER_LANDING_S)
    is_wrong = np.abs(np.nan_to_num(excess)) > np.where(is_near, MAX_NEAR_LANDINGS, MAX_CALM)
    for first in range(len(excess) - frames + 1):
        mean = excess[first : first + frames].mean()  # NaN where anything is unknown
        if abs(mean) > MAX_MEAN:
            is_wrong[first : first + frames] = True
    if not is_wrong.any():
        return plates
    reach = round(RINGING_S * plates.rate_hz)
    is_wrong = np.asarray(maximum_filter1d(is_wrong, 2 * reach + 1))
    doubts = [
        f"From {first / plates.rate_hz:.2f} to {last / plates.rate_hz:.2f} s plates measured up to "
        f"{np.nanmax(np.abs(excess[first : last + 1])):.1f} body weights more or less than the movement requires; they "
        "are not followed there."
        for first, last in find_runs(is_wrong)
    ]
    return replace(plates.at_samples(~is_wrong), doubts=(*plates.doubts, *doubts))
