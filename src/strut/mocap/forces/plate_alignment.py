"""Plate alignment: detect whether force plates and cameras of a laboratory disagree about time or place.

An offset is reported, and a correction offered, only where measurements that share nothing agree on it; none of them
may be the computed force alone, because that force is what is compared. Comparisons with plates as they are in the
file always come first.

time    the start of stances on plates against heels that the ground stops, and their end against toes that leave: a
        clock that differs moves both alike, a threshold or a filter moves them apart; and the vertical force agrees
place   the centre of pressure just after heel strike and just before toe off is displaced alike, and it leaves the
        footprint: pressure cannot act where there is no foot

docs/explanations/recordings.md lists the files in which offsets were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from strut.arrays import Array
from strut.mocap.events.plate_events import THRESHOLD_N
from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.load_sharing import cop_of_wrenches
from strut.mocap.forces.plate_assignment import LOADED_N
from strut.mocap.forces.plate_comparison import MIN_FRAMES, PlateForces
from strut.recording import SIDES

MAX_DELAY_S = 0.04  # longest delay that is searched for; chosen by eye
MIN_DELAY_S = 0.008  # shortest delay that is reported: heel strikes from markers are no better
MAX_EVENT_SPREAD_S = 0.008  # largest difference of the delays of heel strikes and toe offs: both events are as good
MAX_REMAINING = 0.8  # a delay must reduce the difference between forces to this share; chosen by eye
NEAR_S = 0.08  # the start of a stance on a plate belongs to a heel strike this close; chosen by eye
MIN_OFFSET_M = 0.025  # smallest offset that is reported; chosen by eye
FOOT_END = 0.9  # of the foot's length; pressure ahead of it is beyond the pulp of the toes
FOOT_START = -0.05  # of the foot's length; pressure behind it is behind the heel; chosen by eye
AFTER_HEEL_STRIKE = (0.04, 0.15)  # shares of a stance with the centre of pressure under the heel
BEFORE_TOE_OFF = (0.85, 0.96)  # shares of a stance with the centre of pressure under the toes


@dataclass(frozen=True, slots=True)
class PlateAlignment:
    """Offset of force plates from markers in time and place.

    Args:
        delay_s: Of plates after markers; 0 if the measurements do not agree.
        force_delay_s: Measured on vertical forces; None if too little was measured.
        strike_delay_s: Measured on heel strikes; None without any.
        toe_off_delay_s: Measured on toe offs; None without any, or without markers on the forefoot.
        forward_offset_m: Of the centre of pressure ahead of the feet; 0 if the measurements do not agree.
    """

    delay_s: float
    force_delay_s: float | None
    strike_delay_s: float | None
    toe_off_delay_s: float | None
    forward_offset_m: float

    @property
    def notes(self) -> tuple[str, ...]:
        """What the laboratory should check."""
        notes = []
        if self.delay_s:
            delay_ms, force_ms, strike_ms, toe_off_ms = (
                f"{1e3 * abs(delay_s or 0.0):.0f} ms"
                for delay_s in (self.delay_s, self.force_delay_s, self.strike_delay_s, self.toe_off_delay_s)
            )
            order = "after" if self.delay_s > 0.0 else "before"
            notes.append(
                f"Plates respond {delay_ms} {order} the markers (by heel strikes {strike_ms}, by toe offs "
                f"{toe_off_ms}, by forces {force_ms}): do cameras and plates start together?"
            )
        if self.forward_offset_m:
            direction = "ahead of" if self.forward_offset_m > 0.0 else "behind"
            notes.append(
                f"The centre of pressure on plates is {1e3 * abs(self.forward_offset_m):.0f} mm {direction} the feet "
                "from heel strike to toe off, and leaves the footprints: are the plates where the file says?"
            )
        return tuple(notes)

    def correct(self, plates: PlateForces) -> PlateForces:
        """Return the plates with the clock of the markers and with the centre of pressure at the feet."""
        offset_frames = -self.delay_s * plates.rate_hz
        together = plates.together
        return replace(
            plates,
            wrench=_delay(self._move(plates.wrench), offset_frames),
            together=None if together is None else _delay(self._move(together), offset_frames),
        )

    def _move(self, wrench: Array) -> Array:
        """Return a wrench with its centre of pressure moved back to the feet. Shape (..., 6)."""
        moved = wrench.copy()
        moved[..., 4] += self.forward_offset_m * moved[..., 2]
        moved[..., 5] -= self.forward_offset_m * moved[..., 1]
        return moved


def plate_alignment(
    plates: PlateForces,
    footprints: Sequence[Footprint],
    total_n: Array,
    time_s: Array,
    *,
    with_toes: bool = True,
) -> PlateAlignment:
    """Return the offset of plates from markers in time and place.

    Args:
        plates: Measured, of whole feet.
        footprints: From markers alone.
        total_n: Computed force of the ground. Shape (T, 3).
        time_s: Shape (T,).
        with_toes: Whether markers on the forefoot show toe offs.
    """
    force_delay_s, remaining = _force_delay(plates, total_n[:, 2])
    strike_delay_s = _event_delay(plates, footprints, time_s, "start_s")
    toe_off_delay_s = _event_delay(plates, footprints, time_s, "stop_s") if with_toes else None
    is_clear = plates.bandwidth_hz is None and remaining <= MAX_REMAINING
    heel_offset_m, toe_offset_m = (
        _forward_offset(plates, footprints, time_s, share) for share in (AFTER_HEEL_STRIKE, BEFORE_TOE_OFF)
    )
    offset_m = _common_part(heel_offset_m, toe_offset_m, MIN_OFFSET_M)
    events_delay_s = _delay_of_events(strike_delay_s, toe_off_delay_s)
    return PlateAlignment(
        delay_s=_common_part(force_delay_s, events_delay_s, MIN_DELAY_S) if is_clear else 0.0,
        force_delay_s=force_delay_s,
        strike_delay_s=strike_delay_s,
        toe_off_delay_s=toe_off_delay_s,
        forward_offset_m=offset_m if _leaves_footprints(plates, footprints, time_s, offset_m) else 0.0,
    )


def _delay_of_events(strike_delay_s: float | None, toe_off_delay_s: float | None) -> float | None:
    """Return the mean delay of heel strikes and toe offs; None unless both are known and agree."""
    if strike_delay_s is None or toe_off_delay_s is None:
        return None
    if abs(strike_delay_s - toe_off_delay_s) > MAX_EVENT_SPREAD_S:
        return None
    return 0.5 * (strike_delay_s + toe_off_delay_s)


def _leaves_footprints(
    plates: PlateForces, footprints: Sequence[Footprint], time_s: Array, forward_offset_m: float
) -> bool:
    """Return whether pressure passes the end of every measured footprint to which an offset moves it."""
    passes = []
    for footprint in footprints:
        wrench = plates.wrench[:, SIDES.index(footprint.side)]
        rows = footprint.is_standing(time_s) & (np.nan_to_num(wrench[:, 2]) > LOADED_N)
        if not footprint.is_complete or not rows.any():
            continue
        on_foot = cop_of_wrenches(wrench[rows]) - footprint.heel_m - footprint.belt_displacement(time_s[rows])
        along = on_foot @ footprint.forward / footprint.length_m
        passes.append(along.max() > FOOT_END if forward_offset_m > 0.0 else along.min() < FOOT_START)
    return bool(passes) and all(passes)


def _common_part(first: float | None, second: float | None, minimum: float) -> float:
    """Return the smaller of two values if both are known, have the same sign and are large enough, else 0."""
    if first is None or second is None:
        return 0.0
    smaller = min(first, second, key=abs)
    return smaller if first * second > 0.0 and abs(smaller) >= minimum else 0.0


def _delay(values: Array, frames: float) -> Array:
    """Return values delayed by frames and parts of frames; NaN where they are not known. Shape (T, ...)."""
    count = np.arange(len(values), dtype=np.float64)
    before = np.clip(np.floor(count - frames), 0, len(values) - 1).astype(int)
    after = np.clip(before + 1, 0, len(values) - 1)
    share = (count - frames - before).reshape(-1, *(1,) * (values.ndim - 1))
    delayed = (1.0 - share) * values[before] + share * values[after]
    is_outside = (count - frames < 0.0) | (count - frames > len(values) - 1)
    delayed[is_outside] = np.nan
    return np.asarray(delayed)


def _force_delay(plates: PlateForces, vertical_n: Array) -> tuple[float | None, float]:
    """Return the delay of the measured vertical force, and the share of the difference that remains without it."""
    delays_s = np.arange(-MAX_DELAY_S, MAX_DELAY_S + 1e-9, 0.001)
    computed = plates.as_filtered(vertical_n)
    measured = plates.total[:, 2]
    advanced = np.stack([_delay(measured, -delay_s * plates.rate_hz) for delay_s in delays_s])
    common = np.isfinite(advanced).all(axis=0) & np.isfinite(computed)
    if common.sum() < MIN_FRAMES:
        return None, 1.0
    rms = np.sqrt(np.mean((advanced[:, common] - computed[common]) ** 2, axis=1))
    best = int(np.argmin(rms))
    return float(delays_s[best]), float(rms[best] / max(rms[len(delays_s) // 2], 1e-9))


def _event_delay(
    plates: PlateForces, footprints: Sequence[Footprint], time_s: Array, event: Literal["start_s", "stop_s"]
) -> float | None:
    """Return the median delay of the start of forces after heel strikes of markers, or of their end after toe offs."""
    delays_s = []
    for footprint in footprints:
        vertical = plates.wrench[:, SIDES.index(footprint.side), 2]
        near_s = float(getattr(footprint, event))
        passed_s = _threshold_time(vertical, time_s, near_s, rises=event == "start_s")
        if footprint.is_complete and passed_s is not None:
            delays_s.append(passed_s - near_s)
    return float(np.median(delays_s)) if delays_s else None


def _threshold_time(vertical_n: Array, time_s: Array, near_s: float, *, rises: bool) -> float | None:
    """Return when a vertical force passes the threshold near a time; None if it does not. Shapes (T,)."""
    sign = 1.0 if rises else -1.0
    near = np.flatnonzero(np.abs(time_s - near_s) < NEAR_S)[:-1]
    beyond = sign * (vertical_n - THRESHOLD_N)
    passes = near[(beyond[near] <= 0.0) & (beyond[near + 1] > 0.0)]
    if not len(passes):
        return None
    at = int(passes[0] if rises else passes[-1])
    return float(np.interp(0.0, beyond[at : at + 2], time_s[at : at + 2]))


def _forward_offset(
    plates: PlateForces, footprints: Sequence[Footprint], time_s: Array, part: tuple[float, float]
) -> float | None:
    """Return the offset of the centre of pressure ahead of its usual path in a part of all stances (median)."""
    offsets_m = list[float]()
    for footprint in footprints:
        wrench = plates.wrench[:, SIDES.index(footprint.side)]
        share = footprint.stance_share(time_s)
        rows = footprint.is_standing(time_s) & (share >= part[0]) & (share <= part[1])
        rows &= np.nan_to_num(wrench[:, 2]) > LOADED_N
        offset = cop_of_wrenches(wrench[rows]) - footprint.usual_cop(time_s[rows])
        offsets_m += (offset @ footprint.forward).tolist()
    return float(np.median(offsets_m)) if offsets_m else None
