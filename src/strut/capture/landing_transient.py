"""Landing transient: the sharp rise of the vertical force at heel strike, which filtered markers do not show any more.

A foot takes half of the body weight within 20 ms of heel strike. Whoever filters markers at 6 Hz before writing them
loses it: nothing that is computed from them can rise so fast. Where markers were filtered, the usual difference between
the force and what is left of it is given back, at the leading foot. Where they were not, it is left to the markers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.signal import welch

from strut.capture.footprints import SIDES, Footprint
from strut.capture.load_sharing import FootLoads
from strut.recording import Recording, all_seen
from strut.robot import Array

FILTERED_HZ, FILTERED_SHARE = 12.0, 0.98  # of the power of accelerations, below this frequency: then it was filtered
# After heel strike, over body weight: mean of two landings on plates, in the half of the trials that is for tuning.
SINCE_STRIKE_S = (
    np.array([-60.0, -40.0, -20.0, 0.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0, 140.0, 160.0, 180.0, 200.0]) / 1e3
)
EVENT_SD_S = 0.006  # of heel strikes from markers: the transient is as blurred as its time is unsure
OVER_WEIGHT = np.array([0.0, -0.02, -0.09, -0.05, 0.22, 0.22, 0.10, -0.05, -0.08, -0.06, 0.0, 0.05, 0.05, 0.03, 0.0])


def markers_were_filtered(recording: Recording) -> bool:
    """Return whether the accelerations of markers have nothing above 12 Hz, neither noise nor landings."""
    seen = all_seen(recording.markers_m).all(axis=0)
    if not seen.any() or recording.rate_hz < 3.0 * FILTERED_HZ:
        return False
    acceleration = np.diff(recording.markers_m[:, seen], n=2, axis=0).reshape(len(recording.markers_m) - 2, -1)
    frequency, power = welch(acceleration, fs=recording.rate_hz, nperseg=min(128, len(acceleration)), axis=0)
    middle = np.median(power, axis=1)
    return bool(middle[frequency <= FILTERED_HZ].sum() >= FILTERED_SHARE * middle.sum())


def with_landings(loads: FootLoads, footprints: Sequence[Footprint], time_s: Array, weight_n: float) -> FootLoads:
    """Return loads with transients: on the foot that lands, and on the other one before it stands."""
    force, (since_s, over_weight) = loads.force_n.copy(), _blurred()
    for one in footprints:
        foot = SIDES.index(one.side)
        up = weight_n * np.interp(time_s - one.start_s, since_s, over_weight, left=0.0, right=0.0)
        own, other = loads.stands[:, foot], loads.stands[:, 1 - foot]
        force[own, foot, 2] += up[own]
        force[other & ~own, 1 - foot, 2] += up[other & ~own]
    force[..., 2] = np.maximum(force[..., 2], 0.0)
    return replace(loads, force_n=force)


def _blurred() -> tuple[Array, Array]:
    """Return the transient as it is on average over the errors of heel strikes. Shapes (n,)."""
    fine_s = np.arange(-0.12, 0.26, 0.001)
    kernel = np.exp(-0.5 * (np.arange(-0.05, 0.0501, 0.001) / EVENT_SD_S) ** 2)
    sharp = np.interp(fine_s, SINCE_STRIKE_S, OVER_WEIGHT, left=0.0, right=0.0)
    return fine_s, np.convolve(sharp, kernel / kernel.sum(), mode="same")
