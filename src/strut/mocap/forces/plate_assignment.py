"""Plate assignment: which foot the load of each plate belongs to, frame by frame.

A foot has the load of all plates that its sole touches, if the sole is whole on plates, if the other foot touches none
of them at that time, and if the load acts under the sole. So a foot that crosses to the other belt of a treadmill keeps
its whole force while that belt is free, a load of two feet on one plate belongs to neither of them but to both
together, and a load beside every foot is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import welch

from strut.arrays import Array
from strut.maths.sampling import interpolate_columns, low_pass
from strut.mocap.events.plate_events import MIN_PEAK_N, THRESHOLD_N
from strut.mocap.forces.footprints import HALF_WIDTH_M, Footprint
from strut.mocap.forces.load_sharing import cop_of_wrenches
from strut.mocap.forces.plate_comparison import PlateForces
from strut.mocap.gait_trial import GaitTrial
from strut.recording import SIDES, ForcePlate

SMOOTH_HZ = 50.0  # plates are low-pass filtered here before they are compared; chosen by eye
# A laboratory has filtered its plates if this share of the power of the force's rate is below this frequency.
FILTERED_HZ = 20.0  # chosen by eye
FILTERED_SHARE = 0.99  # chosen by eye
EDGE_M = 0.005  # a point nearer to the outer edge of the plates is not on them; chosen by eye
GAP_M = 0.015  # half of the widest gap between two plates over which a foot is still whole on them; chosen by eye
SOLE_SHARES = (0.0, 0.5, 0.95)  # of a foot's length: these places must be on plates
SOLE_WIDTH_SHARE = 0.66  # of a sole's half width, at these places; chosen by eye
TOUCHING_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a foot's length: places of its whole width that may touch a plate
EVENT_TOLERANCE_S = 0.02  # around a stance, in which its foot may be on the ground: twice the usual error of events
MAX_EARLY_S = 0.1  # before and after a stance by markers; a load of its own plates that lasts longer belongs to it
LOADED_N = 5.0 * THRESHOLD_N  # below it a centre of pressure is uncertain
MAX_BESIDE_M = 0.05  # of a centre of pressure from the sole: half of the usual distance between the feet
UNDER_SHARE = 0.9  # of the loaded frames of a stance must have the pressure under the foot; chosen by eye


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    """A footprint over some frames.

    Args:
        footprint: Of the foot.
        rows: Frames. Shape (n,).
        is_standing: Whether the foot stands, by its events. Shape (n,).
        touched: Plates that its sole touches. Shape (n, P).
        is_whole: Whether the whole sole is on plates. Shape (n,).
    """

    footprint: Footprint
    rows: npt.NDArray[np.intp]
    is_standing: npt.NDArray[np.bool_]
    touched: npt.NDArray[np.bool_]
    is_whole: npt.NDArray[np.bool_]

    @property
    def foot(self) -> int:
        """Column of the foot."""
        return SIDES.index(self.footprint.side)

    def select(self, kept: npt.NDArray[np.bool_]) -> _Stance:
        """Return the stance over some of its frames. Shape (n,)."""
        return _Stance(self.footprint, self.rows[kept], self.is_standing[kept], self.touched[kept], self.is_whole[kept])

    def is_shared(self, touched: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return whether the other foot touches a plate that this one touches. Shape (T, 2, P) in, (n,) out."""
        return np.asarray((self.touched & touched[self.rows, 1 - self.foot]).any(axis=1))


def plate_forces(trial: GaitTrial, footprints: Sequence[Footprint]) -> PlateForces:
    """Return the measured forces of feet that stood on plates whole.

    Args:
        trial: With plates.
        footprints: Of the trial, from its markers.
    """
    time_s = trial.recording.time_s
    plates = trial.recording.plates
    loads = np.stack([_wrench_at_frames(plate, time_s) for plate in plates], axis=1)  # (T, P, 6)
    around = [_find_stance(footprint, plates, time_s) for footprint in footprints]
    by_events = _touched_plates([stance.select(_is_near_stance(stance, time_s)) for stance in around], loads.shape[:2])
    stances = [_extend(stance, loads, by_events, time_s) for stance in around]
    touched = _touched_plates(stances, loads.shape[:2])
    standing = np.zeros((len(time_s), 2), dtype=bool)
    for stance in stances:
        standing[stance.rows[stance.is_standing], stance.foot] = True
    swings = ~standing & standing[:, ::-1]  # only with the other foot on the ground; without, events are missing
    wrench = np.where(swings[..., None], np.zeros((len(time_s), 2, 6)), np.nan)
    beside = list[tuple[Footprint, float]]()
    for stance in stances:
        own, beside_m = _own_wrench(stance, loads, touched, time_s)
        wrench[stance.rows, stance.foot] = own
        if beside_m is not None:
            beside.append((stance.footprint, beside_m))
    together = np.einsum("tp,tpk->tk", touched.any(axis=1), np.nan_to_num(loads))
    is_known = np.asarray(standing.any(axis=1) & np.isfinite(loads).all(axis=(1, 2)))
    for stance in stances:
        is_known[stance.rows] &= stance.is_whole
    is_known &= _acts_between(together, stances, time_s)
    together = np.where(is_known[:, None], together, np.nan)
    rate_hz = trial.recording.rate_hz
    return PlateForces(wrench, rate_hz, _filter_bandwidth_hz(plates), together, _beside_notes(beside))


def _find_stance(footprint: Footprint, plates: Sequence[ForcePlate], time_s: Array) -> _Stance:
    """Return a stance with the frames before and after it that may still belong to it."""
    start_s = footprint.start_s - MAX_EARLY_S
    rows = np.flatnonzero((time_s >= start_s) & (time_s <= footprint.stop_s + MAX_EARLY_S))
    sole = _sole_outline(footprint, time_s[rows], SOLE_SHARES, SOLE_WIDTH_SHARE)
    is_over = np.stack([_is_over(plate, sole, EDGE_M) for plate in plates], axis=2)  # (n, points, P)
    is_near = np.stack([_is_over(plate, sole, -GAP_M) for plate in plates], axis=2)
    whole_sole = _sole_outline(footprint, time_s[rows], TOUCHING_SHARES, 1.0)
    touched = np.stack([_is_over(plate, whole_sole, 0.0) for plate in plates], axis=2).any(axis=1)
    is_whole = np.asarray((is_over.any(axis=2) | (is_near.sum(axis=2) >= 2)).all(axis=1))
    return _Stance(footprint, rows, footprint.is_standing(time_s[rows]), np.asarray(touched), is_whole)


def _is_near_stance(stance: _Stance, time_s: Array) -> npt.NDArray[np.bool_]:
    """Return in which frames of a stance the foot may be on the ground by its events. Shape (n,)."""
    own_s = time_s[stance.rows]
    start_s = stance.footprint.start_s - EVENT_TOLERANCE_S
    return np.asarray((own_s >= start_s) & (own_s <= stance.footprint.stop_s + EVENT_TOLERANCE_S))


def _touched_plates(stances: Sequence[_Stance], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return which plates each foot touches. Shape (T, 2, P), from the shape (T, P)."""
    touched = np.zeros((shape[0], 2, shape[1]), dtype=bool)
    for stance in stances:
        touched[stance.rows, stance.foot] |= stance.touched
    return touched


def _extend(stance: _Stance, loads: Array, by_events: npt.NDArray[np.bool_], time_s: Array) -> _Stance:
    """Return a stance with the frames beside it in which plates that no other foot touches stay loaded.

    Events from markers and loads of plates that a laboratory has filtered are up to 40 ms apart.
    """
    is_near = _is_near_stance(stance, time_s)
    load_n = np.where(stance.touched, np.nan_to_num(loads[stance.rows, :, 2]), 0.0).sum(axis=1)
    goes_on = (load_n > THRESHOLD_N) & ~stance.is_shared(by_events)
    return stance.select(_reached_from(is_near, is_near | goes_on))


def _reached_from(core: npt.NDArray[np.bool_], allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the frames that one run of allowed frames connects with a core. Shapes (n,)."""
    number = np.cumsum(np.diff(allowed, prepend=False) & allowed) * allowed
    return np.asarray(allowed & np.isin(number, number[core & allowed]))


def _own_wrench(
    stance: _Stance, loads: Array, touched: npt.NDArray[np.bool_], time_s: Array
) -> tuple[Array, float | None]:
    """Return the wrench on a foot over its stance, NaN where unknown, and how far it acts beside the sole if so."""
    rows = stance.rows
    own = np.einsum("tp,tpk->tk", stance.touched, np.nan_to_num(loads[rows]))
    is_recorded = np.isfinite(np.where(stance.touched[..., None], loads[rows], 0.0)).all(axis=(1, 2))
    is_known = stance.is_whole & ~stance.is_shared(touched) & is_recorded
    nothing = np.full_like(own, np.nan)
    if np.where(is_known, own[:, 2], 0.0).max(initial=0.0) < MIN_PEAK_N:
        return nothing, None
    cop = cop_of_wrenches(own)
    beside_m = np.linalg.norm(cop - stance.footprint.clamp_cop(cop, time_s[rows]), axis=1)
    is_loaded = is_known & (own[:, 2] > LOADED_N)
    is_beside = is_loaded & ~(beside_m <= MAX_BESIDE_M)
    if is_beside.sum() > (1.0 - UNDER_SHARE) * is_loaded.sum():
        return nothing, float(np.nanmax(beside_m[is_loaded]))
    return np.where((is_known & ~is_beside)[:, None], own, np.nan), None


def _acts_between(together: Array, stances: Sequence[_Stance], time_s: Array) -> npt.NDArray[np.bool_]:
    """Return whether a load acts in the rectangle around all soles on the ground. Shape (T,)."""
    count = len(time_s)
    lower = np.full((count, 2), np.inf)
    upper = np.full((count, 2), -np.inf)
    for stance in stances:
        outline = _sole_outline(stance.footprint, time_s[stance.rows], TOUCHING_SHARES, 1.0)
        lower[stance.rows] = np.minimum(lower[stance.rows], outline.min(axis=1))
        upper[stance.rows] = np.maximum(upper[stance.rows], outline.max(axis=1))
    cop = cop_of_wrenches(together)
    inside = ((cop >= lower - MAX_BESIDE_M) & (cop <= upper + MAX_BESIDE_M)).all(axis=1)
    return np.asarray(inside & (together[:, 2] > LOADED_N))


def _beside_notes(beside: Sequence[tuple[Footprint, float]]) -> tuple[str, ...]:
    """Return a sentence about loads that act beside the feet; none if there are none."""
    if not beside:
        return ()
    steps = ", ".join(f"{footprint.side.lower()} at {footprint.flat_s:.2f} s" for footprint, _ in beside)
    farthest_m = max(beside_m for _, beside_m in beside)
    return (
        f"Loads on the plates act up to {1e3 * farthest_m:.0f} mm beside the feet that stand on them and are not used "
        f"({steps}): are the plates where the file says?",
    )


def _sole_outline(footprint: Footprint, time_s: Array, length_shares: Sequence[float], width_share: float) -> Array:
    """Return points along both sides of a sole at some times. Shape (n, points, 2)."""
    along = np.array(length_shares) * footprint.length_m
    aside = np.array([-1.0, 1.0]) * width_share * HALF_WIDTH_M
    sole = along[:, None, None] * footprint.forward + aside[:, None] * footprint.outward
    return np.asarray(footprint.heel_m + sole.reshape(-1, 2) + footprint.belt_displacement(time_s)[:, None])


def _is_over(plate: ForcePlate, points: Array, inside_m: float) -> npt.NDArray[np.bool_]:
    """Return whether points are over a plate, by a distance from its edges. Shape (..., 2) in, (...) out."""
    corners = plate.corners_m[:, :2]
    offset = points - corners.mean(axis=0)
    is_over = np.ones(points.shape[:-1], dtype=bool)
    for side in (corners[0] - corners[1], corners[1] - corners[2]):
        length_m = float(np.linalg.norm(side))
        is_over &= np.abs(offset @ side) / length_m < length_m / 2.0 - inside_m
    return is_over


def _wrench_at_frames(plate: ForcePlate, time_s: Array) -> Array:
    """Return force, and moment about the origin, of a plate at the frames; NaN after its end. Shape (T, 6)."""
    wrench = np.concatenate([plate.force_n, plate.moment_nm + np.cross(plate.centre_m, plate.force_n)], axis=1)
    if 0.45 * plate.rate_hz > SMOOTH_HZ and len(wrench) > 30:
        wrench = low_pass(wrench, SMOOTH_HZ, plate.rate_hz)
    at_frames = interpolate_columns(time_s, plate.time_s, wrench)
    at_frames[time_s > plate.time_s[-1]] = np.nan
    return np.asarray(at_frames)


def _filter_bandwidth_hz(plates: Sequence[ForcePlate]) -> float | None:
    """Return the frequency below which nearly all power of the rates of vertical forces is, if that is low."""
    bandwidths = []
    for plate in plates:
        vertical = plate.force_n[:, 2]
        rate = np.diff(vertical)
        if vertical.max(initial=0.0) < MIN_PEAK_N or plate.rate_hz < 4.0 * FILTERED_HZ:
            continue
        frequency, power = welch(rate, fs=plate.rate_hz, nperseg=min(round(0.6 * plate.rate_hz), len(rate)))
        bandwidths.append(float(frequency[np.searchsorted(np.cumsum(power), FILTERED_SHARE * power.sum())]))
    bandwidth_hz = max(bandwidths, default=np.inf)
    return bandwidth_hz if bandwidth_hz < FILTERED_HZ else None
