"""EMG: analog channels of muscles → rectified, smooth envelopes, normalised, averaged over cycles.

As in the thesis: the size of the signal, then one Butterworth filter of first order at 6 Hz forwards and backwards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.signal import butter, filtfilt

from strut.recording import AnalogChannels, GaitEvent, Side, left_channels
from strut.robot import Array
from strut.sampling import columns_at

CUTOFF_HZ = 6.0
SILENT_V = 3e-6  # an envelope that never gets higher shows no muscle
SILENT_SHARE = 1e-3  # of the largest peak: the same for channels whose amplifier is not told
VOLTS = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 1e-3, "uv": 1e-6, "µv": 1e-6}
NO_MUSCLE = re.compile(
    r"^(force|moment|raw|voltage|pin|f\d?[xyz]|m\d?[xyz]|[fm][xyz]\d?|cop|sync|trigger|foot.?switch)", re.I
)
CYCLE_POINTS = 101


@dataclass(frozen=True, slots=True, eq=False)
class EmgEnvelopes:
    """Smooth envelopes of muscles.

    Args:
        names: Of the channels that show something.
        rate_hz: Samples per second.
        envelope_v: In volts. Shape (S, n).
        silent: Channels that show nothing and are left out.
    """

    names: tuple[str, ...]
    rate_hz: float
    envelope_v: Array
    silent: tuple[str, ...]

    @property
    def time_s(self) -> Array:
        """Of the samples. Shape (S,)."""
        return np.arange(len(self.envelope_v)) / self.rate_hz

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        return (f"EMG channels left out because they are silent: {', '.join(self.silent)}.",) if self.silent else ()

    def normalised(self) -> Array:
        """Return envelopes over their own peak. Shape (S, n)."""
        return np.asarray(self.envelope_v / self.envelope_v.max(axis=0))


def emg_envelopes(analog: AnalogChannels | None) -> EmgEnvelopes | None:
    """Return the envelopes of muscle channels; None if there are none."""
    if analog is None:
        return None
    chosen = _muscles(analog)
    if not chosen or len(analog.values) < 16:
        return None
    raw = np.stack([factor * analog.channel(name) for name, factor in chosen], axis=1)
    raw = np.where(np.isfinite(raw), raw, 0.0)
    envelope = rectified_envelope(raw, analog.rate_hz)
    peak = envelope.max(axis=0)
    loud = peak > max(SILENT_V, SILENT_SHARE * float(peak.max()))
    heard, silent = (
        tuple(name for (name, _), own in zip(chosen, loud, strict=True) if own == which) for which in (True, False)
    )
    return EmgEnvelopes(heard, analog.rate_hz, envelope[:, loud], silent)


def _muscles(analog: AnalogChannels) -> list[tuple[str, float]]:
    """Return names of channels that may be muscles, and how many volts their unit is."""
    volts = {name: VOLTS.get(unit.strip().lower()) for name, unit in zip(analog.names, analog.units, strict=True)}
    return [(name, factor) for name, factor in volts.items() if factor is not None and not NO_MUSCLE.match(name)]


def rectified_envelope(values: Array, rate_hz: float) -> Array:
    """Return the size of signals, low-passed without lag. Shape (S, n)."""
    b, a = butter(1, min(CUTOFF_HZ / (rate_hz / 2.0), 0.95))
    return np.asarray(filtfilt(b, a, np.abs(values), axis=0))


def over_cycles(envelopes: EmgEnvelopes, strikes_s: Sequence[float]) -> Array:
    """Return envelopes from one heel strike to the next at 0 to 100 % of the cycle. Shape (n_cycles, 101, n)."""
    cycles = []
    for start_s, stop_s in pairwise(strikes_s):
        at = np.linspace(start_s, stop_s, CYCLE_POINTS)
        cycles.append(columns_at(at, envelopes.time_s, envelopes.envelope_v))
    return np.stack(cycles) if cycles else np.empty((0, CYCLE_POINTS, len(envelopes.names)))


def mean_cycle(envelopes: EmgEnvelopes, events: Sequence[GaitEvent]) -> tuple[Side, Array] | None:
    """Return envelopes averaged over cycles [V] and whose cycles these are; None without any. Shape (101, n).

    Where all names begin with R or L, each channel goes with the cycles of its own leg; else all go with the right
    one's, or with the left one's if the right foot does not land twice.
    """
    right, left = (over_cycles(envelopes, _strikes_s(events, side)) for side in ("Right", "Left"))
    on_left = left_channels(envelopes.names)
    if any(on_left):
        return ("Right", _of_both(right, left, on_left)) if len(right) and len(left) else None
    known: dict[Side, Array] = {"Right": right, "Left": left}
    return next(((side, own.mean(axis=0)) for side, own in known.items() if len(own)), None)


def _of_both(right: Array, left: Array, on_left: Sequence[bool]) -> Array:
    """Return the mean cycle of each channel of its own leg. Shapes (n_cycles, 101, n) in, (101, n) out."""
    return np.asarray(np.where(np.asarray(on_left), left.mean(axis=0), right.mean(axis=0)))


def _strikes_s(events: Sequence[GaitEvent], side: str) -> list[float]:
    return sorted(event.time_s for event in events if (event.kind, event.side) == ("heel_strike", side))
