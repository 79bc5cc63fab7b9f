"""Plate alignment: whether force plates and cameras of a laboratory share a clock and a place.

Two witnesses who know nothing of each other must agree before anything is told. Of the clock: the vertical force over
whole stances, and the beginnings of stances on plates beside heel strikes of markers. Of the place: the centre of
pressure just after heel strike, which is at the heel, and just before toe off, which is under the toes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.capture.events.plate_events import THRESHOLD_N
from strut.capture.forces.footprints import Footprint
from strut.capture.forces.load_sharing import wrench_cop
from strut.capture.forces.plate_comparison import FEWEST_FRAMES, PlateForces
from strut.recording import SIDES

FARTHEST_S = 0.04  # that clocks are looked for apart
LEAST_S = 0.008  # that both witnesses must see: heel strikes of markers are no better
GAIN = 0.8  # of the difference between forces, at most, is left when clocks are set alike
NEAR_S = 0.08  # a stance on a plate belongs to the heel strike that is so near
LEAST_M = 0.025
EARLY = (0.04, 0.15)
LATE = (0.85, 0.96)  # shares of a stance: centre of pressure under heel, toes


@dataclass(frozen=True, slots=True)
class PlateAlignment:
    """How far plates are from markers.

    Args:
        late_s: By so much plates feel later what markers show; 0 if the witnesses do not agree.
        forces_late_s: What forces say; None if too little was measured.
        strikes_late_s: What heel strikes say; None without any.
        forwards_m: How far the centre of pressure is ahead of the feet; 0 if the witnesses do not agree.
    """

    late_s: float
    forces_late_s: float | None
    strikes_late_s: float | None
    forwards_m: float

    @property
    def notes(self) -> tuple[str, ...]:
        """What a laboratory should look at."""
        return (*self._clock_note(), *self._place_note())

    def _clock_note(self) -> tuple[str, ...]:
        if not self.late_s or self.forces_late_s is None or self.strikes_late_s is None:
            return ()
        told_ms, forces_ms, strikes_ms = (
            f"{1e3 * abs(one):.0f} ms" for one in (self.late_s, self.forces_late_s, self.strikes_late_s)
        )
        order = "after" if self.late_s > 0.0 else "before"
        return (
            f"Plates feel what markers show {told_ms} {order} it (forces say {forces_ms}, heel strikes {strikes_ms}): "
            "are cameras and plates started together?",
        )

    def _place_note(self) -> tuple[str, ...]:
        if not self.forwards_m:
            return ()
        way = "before" if self.forwards_m > 0.0 else "behind"
        return (
            f"The pressure on plates is {1e3 * abs(self.forwards_m):.0f} mm {way} the feet from heel strike to toe "
            "off: are the plates where the file says?",
        )

    def undone(self, plates: PlateForces) -> PlateForces:
        """Return what plates would have measured with the markers' clock and at the feet."""
        moved = plates.wrench.copy()
        moved[..., 4] += self.forwards_m * moved[..., 2]  # force up times the way back
        moved[..., 5] -= self.forwards_m * moved[..., 1]
        return PlateForces(_delayed(moved, -self.late_s * plates.rate_hz), plates.rate_hz, plates.bandwidth_hz)


def plate_alignment(
    plates: PlateForces, footprints: Sequence[Footprint], total_n: Array, time_s: Array
) -> PlateAlignment:
    """Return how far plates are from markers in time and place.

    Args:
        plates: Measured, of feet that stood on them whole.
        footprints: By markers alone.
        total_n: Computed force of the ground. Shape (T, 3).
        time_s: Shape (T,).
    """
    forces_s, gain = _forces_late_s(plates, total_n[:, 2])
    strikes_s = _strikes_late_s(plates, footprints, time_s)
    clear = plates.bandwidth_hz is None and gain <= GAIN
    late_s = _agreed(forces_s, strikes_s, LEAST_S) if clear else 0.0
    heel_m, toe_m = (_ahead_m(plates, footprints, time_s, share) for share in (EARLY, LATE))
    forwards_m = _agreed(heel_m, toe_m, LEAST_M)
    return PlateAlignment(late_s, forces_s, strikes_s, forwards_m)


def _agreed(one: float | None, other: float | None, least: float) -> float:
    """Return the smaller of two values if both are known, have the same sign and are large enough, else 0."""
    if one is None or other is None:
        return 0.0
    smaller = min(one, other, key=abs)
    return smaller if one * other > 0.0 and abs(smaller) >= least else 0.0


def _delayed(values: Array, frames: float) -> Array:
    """Return values moved to later frames; NaN where they are not known. Shape (T, ...)."""
    count = np.arange(len(values), dtype=np.float64)
    before = np.clip(np.floor(count - frames), 0, len(values) - 1).astype(int)
    after = np.clip(before + 1, 0, len(values) - 1)
    share = (count - frames - before).reshape(-1, *(1,) * (values.ndim - 1))
    moved = (1.0 - share) * values[before] + share * values[after]
    outside = (count - frames < 0.0) | (count - frames > len(values) - 1)
    moved[outside] = np.nan
    return np.asarray(moved)


def _forces_late_s(plates: PlateForces, up_n: Array) -> tuple[float | None, float]:
    """Return by how much the measured vertical force is late, and the share of the difference that is then left."""
    lags = np.arange(-FARTHEST_S, FARTHEST_S + 1e-9, 0.001)
    ours = plates.as_filtered(up_n)
    measured = plates.total[:, 2]
    moved = np.stack([_delayed(measured, -lag * plates.rate_hz) for lag in lags])
    common = np.isfinite(moved).all(axis=0) & np.isfinite(ours)
    if common.sum() < FEWEST_FRAMES:
        return None, 1.0
    rms = np.sqrt(np.mean((moved[:, common] - ours[common]) ** 2, axis=1))
    best = int(np.argmin(rms))
    return float(lags[best]), float(rms[best] / max(rms[len(lags) // 2], 1e-9))


def _strikes_late_s(plates: PlateForces, footprints: Sequence[Footprint], time_s: Array) -> float | None:
    """Return by how much forces of feet begin after heel strikes of markers (median)."""
    found = [
        rise_s - one.start_s
        for one in footprints
        if one.seen and (rise_s := _rise_s(plates.wrench[:, SIDES.index(one.side), 2], time_s, one.start_s)) is not None
    ]
    return float(np.median(found)) if found else None


def _rise_s(up_n: Array, time_s: Array, near_s: float) -> float | None:
    """Return when a vertical force passes the threshold near a time; None if it does not. Shapes (T,)."""
    near = np.flatnonzero(np.abs(time_s - near_s) < NEAR_S)[:-1]
    rises = near[(up_n[near] <= THRESHOLD_N) & (up_n[near + 1] > THRESHOLD_N)]
    if not len(rises):
        return None
    first = int(rises[0])
    return float(np.interp(THRESHOLD_N, up_n[first : first + 2], time_s[first : first + 2]))


def _ahead_m(
    plates: PlateForces, footprints: Sequence[Footprint], time_s: Array, share: tuple[float, float]
) -> float | None:
    """Return how far the centre of pressure is before its usual way in a part of all stances (median)."""
    found = list[float]()
    for one in footprints:
        wrench = plates.wrench[:, SIDES.index(one.side)]
        rows = one.stands(time_s) & (one.share(time_s) >= share[0]) & (one.share(time_s) <= share[1])
        rows &= np.nan_to_num(wrench[:, 2]) > 5.0 * THRESHOLD_N
        away = wrench_cop(wrench[rows]) - one.cop_path(time_s[rows])
        found += (away @ one.forwards).tolist()
    return float(np.median(found)) if found else None
