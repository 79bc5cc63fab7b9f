"""Landing transient: the sharp rise of the vertical force at heel strike, which no smooth movement shows.

A foot takes half of the body weight within 20 ms of heel strike. Markers are filtered before they are written, or are
smoothed here, as noise asks for: nothing that is computed from them can rise so fast, and what rises at heel strike
rises before it, too. Two things are given back, each less what a filter of the same bandwidth leaves of it:

- a step: a smoothed step has a slope in its middle that tells its height, so that of the smooth force at heel strike
  does, as far as it is steeper than the force is over 0.3 s: who falls onto a foot gets more than who rolls onto it;
- a pulse of the heel. Its size is the usual one. It grows with speed: the body's centre falls onto the foot with the
  walking speed times half of the angle between the legs, which grows with the root of the speed. Where raw markers show
  how hard heels are stopped, most of it is in the movement of the legs already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.capture.forces.footprints import Footprint
from strut.capture.forces.load_sharing import FootLoads
from strut.maths.sampling import low_passed
from strut.recording import SIDES

# Chosen on the half of the plate trials that is for tuning.
SMOOTHED_HZ = 7.0  # bandwidth of the smooth vertical force of raw markers
FILTERED_HZ = 5.0
FILTERED_SHARE = 0.88  # the same of filtered markers: at least, and of what they were filtered above
PULSE = 0.4  # of body weight, at the usual speed
STEP_S = 0.015  # so long a step rises
PULSE_S = (0.0, 0.012, 0.045)  # beginning, top and end of a pulse after heel strike
SLOPE_OVER_S = 0.02
TREND_OVER_S = 0.15  # before and after heel strike: of the landing, and of the walk around it
# Upward acceleration of a heel that is stopped, and the share of the pulse that its markers do not show.
PUSH_M_S2 = (8.0, 16.0)
UNSEEN_SHARE = (1.0, 0.25)
HIGHEST_STEP = 1.0  # of body weight
USUAL_SPEED_M_S = 1.2
GROWTH = 1.5  # with speed
FASTEST_SHARE = 1.5  # of the usual speed; nobody walks much faster
EVENT_SD_S = 0.006  # of heel strikes from markers: the transient is as blurred as its time is unsure
EVENT_SD_FRAMES = 0.5  # it is no better than that
_FINE_S = 0.001
_FROM_S = -0.16
_TO_S = 0.26  # around heel strike; beyond, hardly anything is left
_ROOM_S = 0.6


@dataclass(frozen=True, slots=True)
class LandingShape:
    """How landings look in a trial.

    Args:
        bandwidth_hz: Of the smooth vertical force.
        event_sd_s: Of heel strikes.
        pulse: Over body weight.
    """

    bandwidth_hz: float
    event_sd_s: float
    pulse: float

    def lost(self, force: Array) -> Array:
        """Return what smoothing takes from a force around heel strike, blurred like events. Shape (n,), every 1 ms."""
        left = force - self._smooth(force)
        half = math.ceil(5.0 * self.event_sd_s / _FINE_S)
        apart = np.arange(-half, half + 1) * _FINE_S / self.event_sd_s  # as far before as after: no delay
        kernel = np.exp(-0.5 * apart**2)
        return np.convolve(left, kernel / kernel.sum(), mode="same")

    def _smooth(self, force: Array) -> Array:
        """Return a force without what is above the bandwidth. Shape (n,), every 1 ms."""
        return low_passed(force, 2.0 * self.bandwidth_hz * _FINE_S, 2.0)  # both in units of half the rate

    @property
    def step_per_slope_s(self) -> float:
        """Height of a step over the slope that is left of it in its middle."""
        unit = np.zeros(2 * round(_ROOM_S / _FINE_S) + 1)
        unit[len(unit) // 2] = 1.0 / _FINE_S
        return float(1.0 / self._smooth(unit)[len(unit) // 2])


def landing_shape(
    filtered_hz: float | None, rate_hz: float, speed_m_s: float, heel_push_m_s2: float | None
) -> LandingShape:
    """Return how landings look in a trial.

    Args:
        filtered_hz: Above which markers were filtered before; None if they were not.
        rate_hz: Of the markers.
        speed_m_s: Of the walk.
        heel_push_m_s2: With which heels are stopped, as their markers tell; None if there are none.
    """
    growth = min(speed_m_s / USUAL_SPEED_M_S, FASTEST_SHARE) ** GROWTH
    unseen = float(np.interp(heel_push_m_s2 or 0.0, PUSH_M_S2, UNSEEN_SHARE))
    event_sd_s = max(EVENT_SD_S, EVENT_SD_FRAMES / rate_hz)
    bandwidth_hz = SMOOTHED_HZ if filtered_hz is None else max(FILTERED_HZ, FILTERED_SHARE * filtered_hz)
    return LandingShape(bandwidth_hz, event_sd_s, PULSE * growth * unseen)


def with_landings(
    loads: FootLoads, footprints: Sequence[Footprint], time_s: Array, weight_n: float, shape: LandingShape
) -> FootLoads:
    """Return loads with transients: on the foot that lands, and on the other one before it stands."""
    force = loads.force_n.copy()
    total = loads.force_n[..., 2].sum(axis=1) / weight_n
    around_s = np.arange(-_ROOM_S, _ROOM_S, _FINE_S)
    inside = (around_s > _FROM_S) & (around_s < _TO_S)
    step = shape.lost(np.clip(around_s / STEP_S, 0.0, 1.0)) * inside
    pulse = shape.lost(np.interp(around_s, PULSE_S, (0.0, 1.0, 0.0))) * inside
    for one in footprints:
        foot = SIDES.index(one.side)
        height = np.clip(_step_height(total, time_s, one.start_s, shape.step_per_slope_s), 0.0, HIGHEST_STEP)
        up = weight_n * np.interp(
            time_s - one.start_s, around_s, height * step + shape.pulse * pulse, left=0.0, right=0.0
        )
        own = loads.stands[:, foot]
        other = loads.stands[:, 1 - foot]
        force[own, foot, 2] += up[own]
        force[other & ~own, 1 - foot, 2] += up[other & ~own]
    force[..., 2] = np.maximum(force[..., 2], 0.0)
    return replace(loads, force_n=force)


def _step_height(values: Array, time_s: Array, when_s: float, per_slope_s: float) -> float:
    """Return the height of a smoothed step on a slope; 0 if the recording does not reach around it. Shapes (T,).

    The slope in the middle of the step is that of the walk and height / per_slope_s, the mean slope over a longer time
    that of the walk and height / that time: two equations.
    """
    if when_s - TREND_OVER_S < time_s[0] or when_s + TREND_OVER_S > time_s[-1]:
        return 0.0
    steep, trend = (_mean_slope(values, time_s, when_s, half_s) for half_s in (SLOPE_OVER_S, TREND_OVER_S))
    return (steep - trend) / (1.0 / per_slope_s - 0.5 / TREND_OVER_S)


def _mean_slope(values: Array, time_s: Array, when_s: float, half_s: float) -> float:
    before, after = np.interp([when_s - half_s, when_s + half_s], time_s, values)
    return float((after - before) / (2.0 * half_s))
