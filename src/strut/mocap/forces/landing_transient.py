"""Landing transient: restore the sharp rise of the vertical force at heel strike, which no smooth movement contains.

A foot takes half of the body weight within 20 ms of heel strike. Markers are low-pass filtered, by the laboratory or
here, so no force computed from them rises so fast; and what rises at heel strike rises before it, too. Two things are
restored, each less what a filter of the same bandwidth leaves of it:

step    the slope of a smoothed step in its middle is proportional to its height, so the height follows from the slope
        of the smooth force at heel strike, as far as it is steeper than the trend over 0.3 s
pulse   of the heel; its usual size grows with the walking speed, because the centre of mass falls onto the foot with
        the speed times half the angle between the legs. Where raw markers show how hard the heel is stopped, most of
        it is in the movement of the legs already, and less is added

The numbers were chosen on the tuning half of the plate trials, PULSE and below also on eight walks of other
laboratories; benchmarks/bench_ground_forces.py measures the resulting forces against plates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.maths.sampling import low_pass
from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.load_sharing import FootLoads
from strut.recording import SIDES

SMOOTHED_HZ = 7.0  # bandwidth of the vertical force of raw markers after smoothing
FILTERED_HZ = 5.0  # lowest bandwidth of the vertical force of filtered markers
FILTERED_SHARE = 0.88  # bandwidth of the vertical force over the cutoff frequency of filtered markers
STEP_S = 0.015  # rise time of a step
MAX_STEP = 1.0  # body weights
SLOPE_OVER_S = 0.02  # before and after heel strike: slope of the landing
TREND_OVER_S = 0.15  # before and after heel strike: slope of the walk around it
PULSE = 0.4  # body weights, at the usual speed
PULSE_S = (0.0, 0.012, 0.045)  # start, peak and end of a pulse after heel strike
DECELERATION_M_S2 = (8.0, 16.0)  # of a heel that is stopped; between these the pulse is faded out
MISSING_PULSE_SHARE = (1.0, 0.25)  # of the pulse that is not in the movement of the legs, at these decelerations
USUAL_SPEED_M_S = 1.2
SPEED_EXPONENT = 1.5  # of the pulse
MAX_SPEED_SHARE = 1.5  # of the usual speed; people hardly walk faster
EVENT_SD_S = 0.006  # of heel strikes from markers; blurs the transient
EVENT_SD_FRAMES = 0.5  # at least, in frames of the recording
_FINE_S = 0.001  # sampling of the transient
_FROM_S = -0.16  # before heel strike hardly anything is left
_TO_S = 0.26  # after heel strike hardly anything is left
_PADDING_S = 0.6  # of the filter around heel strike


@dataclass(frozen=True, slots=True)
class LandingShape:
    """What smoothing took from the landings of a trial.

    Args:
        bandwidth_hz: Of the smooth vertical force.
        event_sd_s: Standard deviation of heel strikes.
        pulse: Height of the pulse of the heel, in body weights.
    """

    bandwidth_hz: float
    event_sd_s: float
    pulse: float

    def lost(self, force: Array) -> Array:
        """Return what smoothing takes from a force, blurred by the uncertainty of events. Shape (n,), every 1 ms."""
        removed = force - self._smooth(force)
        half_width = math.ceil(5.0 * self.event_sd_s / _FINE_S)
        offset = np.arange(-half_width, half_width + 1) * _FINE_S / self.event_sd_s  # symmetric: no delay
        kernel = np.exp(-0.5 * offset**2)
        return np.convolve(removed, kernel / kernel.sum(), mode="same")

    def _smooth(self, force: Array) -> Array:
        """Return a force without what is above the bandwidth. Shape (n,), every 1 ms."""
        return low_pass(force, 2.0 * self.bandwidth_hz * _FINE_S, 2.0)  # both in units of half the rate

    @property
    def step_per_slope_s(self) -> float:
        """Height of a step over the slope in the middle of the smoothed step."""
        impulse = np.zeros(2 * round(_PADDING_S / _FINE_S) + 1)
        impulse[len(impulse) // 2] = 1.0 / _FINE_S
        return float(1.0 / self._smooth(impulse)[len(impulse) // 2])


def landing_shape(
    filter_cutoff_hz: float | None, rate_hz: float, speed_m_s: float, heel_deceleration_m_s2: float | None
) -> LandingShape:
    """Return the shape of the landings of a trial.

    Args:
        filter_cutoff_hz: Frequency at which markers were filtered before; None if they were not.
        rate_hz: Of the markers.
        speed_m_s: Of the walk.
        heel_deceleration_m_s2: With which heels are stopped according to their markers; None without heel markers.
    """
    growth = min(speed_m_s / USUAL_SPEED_M_S, MAX_SPEED_SHARE) ** SPEED_EXPONENT
    missing = float(np.interp(heel_deceleration_m_s2 or 0.0, DECELERATION_M_S2, MISSING_PULSE_SHARE))
    bandwidth_hz = SMOOTHED_HZ if filter_cutoff_hz is None else max(FILTERED_HZ, FILTERED_SHARE * filter_cutoff_hz)
    event_sd_s = max(EVENT_SD_S, EVENT_SD_FRAMES / rate_hz)
    return LandingShape(bandwidth_hz, event_sd_s, PULSE * growth * missing)


def add_landing_transients(
    loads: FootLoads, footprints: Sequence[Footprint], time_s: Array, weight_n: float, shape: LandingShape
) -> FootLoads:
    """Return loads with transients: on the landing foot, and before it touches down on the other foot."""
    force = loads.force_n.copy()
    total = loads.force_n[..., 2].sum(axis=1) / weight_n
    around_s = np.arange(-_PADDING_S, _PADDING_S, _FINE_S)
    inside = (around_s > _FROM_S) & (around_s < _TO_S)
    step = shape.lost(np.clip(around_s / STEP_S, 0.0, 1.0)) * inside
    pulse = shape.lost(np.interp(around_s, PULSE_S, (0.0, 1.0, 0.0))) * inside
    for footprint in footprints:
        foot = SIDES.index(footprint.side)
        height = np.clip(_step_height(total, time_s, footprint.start_s, shape.step_per_slope_s), 0.0, MAX_STEP)
        transient = height * step + shape.pulse * pulse
        added_n = weight_n * np.interp(time_s - footprint.start_s, around_s, transient, left=0.0, right=0.0)
        own = loads.in_contact[:, foot]
        other = loads.in_contact[:, 1 - foot]
        force[own, foot, 2] += added_n[own]
        force[other & ~own, 1 - foot, 2] += added_n[other & ~own]
    force[..., 2] = np.maximum(force[..., 2], 0.0)
    return replace(loads, force_n=force)


def _step_height(values: Array, time_s: Array, step_s: float, step_per_slope_s: float) -> float:
    """Return the height of a smoothed step at `step_s` on a trend; 0 near the ends of the recording. Shapes (T,).

    Two equations give the height: the slope at the step is trend + height / step_per_slope_s, the mean slope over the
    longer time is trend + height / that time.
    """
    if step_s - TREND_OVER_S < time_s[0] or step_s + TREND_OVER_S > time_s[-1]:
        return 0.0
    steep = _mean_slope(values, time_s, step_s, SLOPE_OVER_S)
    trend = _mean_slope(values, time_s, step_s, TREND_OVER_S)
    return (steep - trend) / (1.0 / step_per_slope_s - 0.5 / TREND_OVER_S)


def _mean_slope(values: Array, time_s: Array, centre_s: float, half_s: float) -> float:
    before, after = np.interp([centre_s - half_s, centre_s + half_s], time_s, values)
    return float((after - before) / (2.0 * half_s))
