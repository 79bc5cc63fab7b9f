"""Marker checks: markers that jump, that two names swapped, or on which the cameras disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.signal import welch

from strut.arrays import Array
from strut.capture.markers.gaps import runs_of
from strut.recording import Recording, all_seen

FASTEST_M_S = 12.0  # a toe in a fast swing moves at 5 m/s
LARGEST_RESIDUAL_M = 0.008
# So much of the power of accelerations is below this frequency: then they were filtered more than raw ones are smoothed
# for forces (`landing_transient.SMOOTHED_HZ`).
FILTERED_HZ = 8.0
FILTERED_SHARE = 0.98
SWAP_GAIN = 0.5  # two names are swapped if exchanging them makes both jumps this much smaller


@dataclass(frozen=True, slots=True)
class MarkerFault:
    """What is wrong with a marker, from a frame on or over all frames (frame None)."""

    kind: str
    markers: tuple[str, ...]
    frame: int | None
    sentence: str


def check_markers(recording: Recording, names: Sequence[str]) -> tuple[MarkerFault, ...]:
    """Return what is wrong with some markers: swaps, jumps and large residuals."""
    places = recording.markers(names)
    swaps = _swaps(places, names, recording.rate_hz)
    swapped = {(name, fault.frame) for fault in swaps for name in fault.markers}
    jumps = [
        fault for fault in _jumps(places, names, recording.rate_hz) if (fault.markers[0], fault.frame) not in swapped
    ]
    return (*swaps, *jumps, *_residuals(recording, names))


def filtered_above_hz(recording: Recording) -> float | None:
    """Return above which frequency accelerations have nothing, neither noise nor landings; None if that is not low."""
    seen = all_seen(recording.markers_m).all(axis=0)
    if not seen.any() or recording.rate_hz < 3.0 * FILTERED_HZ:
        return None
    acceleration = np.diff(recording.markers_m[:, seen], n=2, axis=0).reshape(len(recording.markers_m) - 2, -1)
    frequency, power = welch(acceleration, fs=recording.rate_hz, nperseg=min(128, len(acceleration)), axis=0)
    below = np.cumsum(np.median(power, axis=1))
    highest_hz = float(np.interp(FILTERED_SHARE * below[-1], below, frequency))
    return highest_hz if highest_hz <= FILTERED_HZ else None


def _speeds(places: Array, rate_hz: float) -> Array:
    return np.asarray(np.linalg.norm(np.diff(places, axis=0), axis=-1) * rate_hz)


def _swaps(places: Array, names: Sequence[str], rate_hz: float) -> list[MarkerFault]:
    """Return pairs of markers whose paths go on in each other's place."""
    faults = list[MarkerFault]()
    step = _speeds(places, rate_hz)
    for first, one in enumerate(names):
        for second in range(first + 1, len(names)):
            crossed = _speeds_between(places, first, second, rate_hz)
            own = np.minimum(step[:, first], step[:, second])
            with np.errstate(invalid="ignore"):
                frames = np.flatnonzero((crossed < SWAP_GAIN * own) & (own > 0.5 * FASTEST_M_S))
            for frame in frames[:1]:
                when = f"{(frame + 1) / rate_hz:.2f} s"
                sentence = f"{one} and {names[second]} change places at {when}; exchange their names from there on."
                faults.append(MarkerFault("swap", (one, names[second]), int(frame) + 1, sentence))
    return faults


def _speeds_between(places: Array, first: int, second: int, rate_hz: float) -> Array:
    """Return the larger of the speeds if the two exchanged their names at each frame. Shape (T - 1,)."""
    there = np.linalg.norm(places[1:, second] - places[:-1, first], axis=1)
    back = np.linalg.norm(places[1:, first] - places[:-1, second], axis=1)
    return np.asarray(np.maximum(there, back) * rate_hz)


def _jumps(places: Array, names: Sequence[str], rate_hz: float) -> list[MarkerFault]:
    with np.errstate(invalid="ignore"):
        fast = _speeds(places, rate_hz) > FASTEST_M_S
    return [
        MarkerFault(
            "jump", (name,), first + 1, f"{name} jumps at {(first + 1) / rate_hz:.2f} s; it is no path of a body."
        )
        for index, name in enumerate(names)
        for first, _ in runs_of(fast[:, index])[:1]
    ]


def _residuals(recording: Recording, names: Sequence[str]) -> list[MarkerFault]:
    if recording.residual_m is None:
        return []
    faults = []
    for name in names:
        index = recording.marker_names.index(name)
        seen = all_seen(recording.markers_m[:, index])
        middle = float(np.median(recording.residual_m[seen, index])) if seen.any() else 0.0
        if middle > LARGEST_RESIDUAL_M:
            said = f"The cameras disagree on {name} by {middle * 1e3:.0f} mm (median residual)."
            faults.append(MarkerFault("residual", (name,), None, said))
    return faults
