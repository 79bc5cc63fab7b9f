"""Landing transient: the sharp rise of the vertical force at heel strike, which no smooth movement shows.

A foot takes half of the body weight within 20 ms of heel strike. Markers are filtered before they are written, or are
smoothed here, as noise asks for: nothing that is computed from them can rise so fast. The usual difference between the
force and what is left of it is given back, at the leading foot. It grows with speed: the body's centre falls onto the
foot with the walking speed times half of the angle between the legs, which grows with the root of the speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from strut.capture.footprints import SIDES, Footprint
from strut.capture.load_sharing import FootLoads
from strut.robot import Array

# After heel strike, over body weight: mean of two landings on plates, in the half of the trials that is for tuning.
SINCE_STRIKE_S = (
    np.array([-60.0, -40.0, -20.0, 0.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0, 140.0, 160.0, 180.0, 200.0]) / 1e3
)
USUAL_SPEED_M_S = 1.2  # of those landings
GROWTH = 1.5  # with speed
FASTEST_SHARE = 1.5  # of the usual speed; nobody walks much faster
EVENT_SD_S = 0.006  # of heel strikes from markers: the transient is as blurred as its time is unsure
OVER_WEIGHT = np.array([0.0, -0.02, -0.09, -0.05, 0.22, 0.22, 0.10, -0.05, -0.08, -0.06, 0.0, 0.05, 0.05, 0.03, 0.0])


def with_landings(
    loads: FootLoads, footprints: Sequence[Footprint], time_s: Array, weight_n: float, speed_m_s: float
) -> FootLoads:
    """Return loads with transients: on the foot that lands, and on the other one before it stands."""
    force, (since_s, over_weight) = loads.force_n.copy(), _blurred()
    over_weight = over_weight * min(speed_m_s / USUAL_SPEED_M_S, FASTEST_SHARE) ** GROWTH
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
