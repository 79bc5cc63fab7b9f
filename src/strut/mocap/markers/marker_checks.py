"""Marker checks: markers that jump, markers whose names were swapped, markers on which the cameras disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.signal import welch

from strut.arrays import Array
from strut.mocap.markers.gaps import find_runs
from strut.recording import Recording, are_seen

MAX_SPEED_M_S = 12.0  # a toe in a fast swing moves at 5 m/s
MAX_RESIDUAL_M = 0.008  # chosen by eye
NOISE_DIFFERENCE = 4  # order of the differences that show jitter
NOISE_GAIN = 70.0  # of the variance of white noise in fourth differences: 1 + 16 + 36 + 16 + 1
SD_PER_MEDIAN = 1.4826  # standard deviation over median of the size, of a normal distribution
SWAP_GAIN = 0.5  # names are swapped if exchanging them halves both jumps; chosen by eye
# Markers count as filtered if this share of the power of their accelerations is below this frequency: then they were
# filtered more than raw markers are smoothed for forces (`landing_transient.SMOOTHED_HZ`). Chosen on the tuning half of
# the plate trials and on the eight walks of other laboratories (benchmarks/bench_ground_forces.py).
FILTERED_HZ = 8.0
FILTERED_SHARE = 0.98


@dataclass(frozen=True, slots=True)
class MarkerFault:
    """What is wrong with some markers, from a frame on, or over the whole recording (frame None)."""

    kind: str
    markers: tuple[str, ...]
    frame: int | None
    sentence: str


def check_markers(recording: Recording, names: Sequence[str]) -> tuple[MarkerFault, ...]:
    """Return the faults of some markers: swapped names, jumps and large residuals."""
    positions = recording.markers(names)
    swaps = _find_swaps(positions, names, recording.rate_hz)
    swapped = {(name, fault.frame) for fault in swaps for name in fault.markers}
    jumps = _find_jumps(positions, names, recording.rate_hz)
    unexplained_jumps = [fault for fault in jumps if (fault.markers[0], fault.frame) not in swapped]
    return (*swaps, *unexplained_jumps, *_find_large_residuals(recording, names))


def marker_noise_m(recording: Recording) -> float:
    """Return the jitter of the markers: standard deviation of each coordinate from frame to frame, median over markers.

    Movements of people hardly change between frames; fourth differences of their paths are those of the jitter, whose
    variance they multiply by 70. Medians leave out impacts and gaps.
    """
    if len(recording.markers_m) <= NOISE_DIFFERENCE:
        return 0.0
    differences = np.diff(recording.markers_m, n=NOISE_DIFFERENCE, axis=0).reshape(
        len(recording.markers_m) - NOISE_DIFFERENCE, -1
    )
    seen = np.isfinite(differences).any(axis=0)
    if not seen.any():
        return 0.0
    usual = np.nanmedian(np.abs(differences[:, seen]), axis=0)
    return float(np.median(usual) * SD_PER_MEDIAN / np.sqrt(NOISE_GAIN))


def filter_cutoff_hz(recording: Recording) -> float | None:
    """Return the frequency at which markers were low-pass filtered before; None if they were not filtered so low.

    Above it the accelerations contain neither noise nor landings.
    """
    seen = are_seen(recording.markers_m).all(axis=0)
    if not seen.any() or recording.rate_hz < 3.0 * FILTERED_HZ:
        return None
    acceleration = np.diff(recording.markers_m[:, seen], n=2, axis=0).reshape(len(recording.markers_m) - 2, -1)
    frequency, power = welch(acceleration, fs=recording.rate_hz, nperseg=min(128, len(acceleration)), axis=0)
    cumulative = np.cumsum(np.median(power, axis=1))
    cutoff_hz = float(np.interp(FILTERED_SHARE * cumulative[-1], cumulative, frequency))
    return cutoff_hz if cutoff_hz <= FILTERED_HZ else None


def _speeds(positions: Array, rate_hz: float) -> Array:
    return np.asarray(np.linalg.norm(np.diff(positions, axis=0), axis=-1) * rate_hz)


def _find_swaps(positions: Array, names: Sequence[str], rate_hz: float) -> list[MarkerFault]:
    """Return pairs of markers whose paths continue in each other's place."""
    faults = []
    speed = _speeds(positions, rate_hz)
    for first, first_name in enumerate(names):
        for second in range(first + 1, len(names)):
            exchanged_speed = _exchanged_speed(positions, first, second, rate_hz)
            own_speed = np.minimum(speed[:, first], speed[:, second])
            with np.errstate(invalid="ignore"):
                is_swap = (exchanged_speed < SWAP_GAIN * own_speed) & (own_speed > 0.5 * MAX_SPEED_M_S)
            for frame in np.flatnonzero(is_swap)[:1]:
                when = f"{(frame + 1) / rate_hz:.2f} s"
                pair = (first_name, names[second])
                sentence = f"{pair[0]} and {pair[1]} change places at {when}; exchange their names from there on."
                faults.append(MarkerFault("swap", pair, int(frame) + 1, sentence))
    return faults


def _exchanged_speed(positions: Array, first: int, second: int, rate_hz: float) -> Array:
    """Return the larger speed of two markers if they exchanged their names at each frame. Shape (T - 1,)."""
    there = np.linalg.norm(positions[1:, second] - positions[:-1, first], axis=1)
    back = np.linalg.norm(positions[1:, first] - positions[:-1, second], axis=1)
    return np.asarray(np.maximum(there, back) * rate_hz)


def _find_jumps(positions: Array, names: Sequence[str], rate_hz: float) -> list[MarkerFault]:
    with np.errstate(invalid="ignore"):
        is_fast = _speeds(positions, rate_hz) > MAX_SPEED_M_S
    faults = []
    for index, name in enumerate(names):
        for first, _ in find_runs(is_fast[:, index])[:1]:
            frame = first + 1
            sentence = f"{name} jumps at {frame / rate_hz:.2f} s, faster than any part of a body moves."
            faults.append(MarkerFault("jump", (name,), frame, sentence))
    return faults


def _find_large_residuals(recording: Recording, names: Sequence[str]) -> list[MarkerFault]:
    if recording.residual_m is None:
        return []
    faults = []
    for name in names:
        index = recording.marker_names.index(name)
        seen = are_seen(recording.markers_m[:, index])
        median_m = float(np.median(recording.residual_m[seen, index])) if seen.any() else 0.0
        if median_m > MAX_RESIDUAL_M:
            sentence = f"The cameras disagree on {name} by {median_m * 1e3:.0f} mm (median residual)."
            faults.append(MarkerFault("residual", (name,), None, sentence))
    return faults
