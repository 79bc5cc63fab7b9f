"""EMG: analog channels of muscles → rectified, smooth envelopes, normalised, averaged over gait cycles.

As in Felis' thesis (2015): absolute value, then a first-order Butterworth filter at 6 Hz, forwards and backwards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from strut.arrays import Array
from strut.maths.sampling import interpolate_columns, low_pass
from strut.recording import SIDES, AnalogChannels, GaitEvent, Side, channel_sides

CUTOFF_HZ = 6.0
MIN_SAMPLES = 16  # that the filter needs
SILENT_V = 3e-6  # an envelope that never gets higher shows no muscle; chosen by eye
SILENT_SHARE = 1e-3  # of the largest peak: the same for channels with an unknown amplifier; chosen by eye
VOLTS = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 1e-3, "uv": 1e-6, "µv": 1e-6}
NO_MUSCLE = re.compile(
    r"^(force|moment|raw|voltage|pin|f\d?[xyz]|m\d?[xyz]|[fm][xyz]\d?|cop|sync|trigger)|foot.?switch"
    r"|(?-i:[FM][xyz]\d*(#\d+)?$)",  # such as PF1Fx
    re.I,
)
NUMBERED = re.compile(r"(channel|ch|x)?[\s_.-]*\d+", re.I)
CYCLE_POINTS = 101  # 0 to 100 % of a gait cycle


@dataclass(frozen=True, slots=True, eq=False)
class EmgEnvelopes:
    """Smooth envelopes of muscles.

    Args:
        names: Of the channels with a signal.
        rate_hz: Samples per second.
        envelope_v: In volts. Shape (S, n).
        silent: Channels without a signal, which are left out.
        unnamed: Channels with a number for a name among others with better names, probably not connected; left out.
    """

    names: tuple[str, ...]
    rate_hz: float
    envelope_v: Array
    silent: tuple[str, ...]
    unnamed: tuple[str, ...] = ()

    @property
    def time_s(self) -> Array:
        """Of the samples. Shape (S,)."""
        return np.arange(len(self.envelope_v)) / self.rate_hz

    @property
    def notes(self) -> tuple[str, ...]:
        """Which channels were left out, and why."""
        notes = []
        if self.silent:
            notes.append(f"EMG channels left out because they are silent: {', '.join(self.silent)}.")
        if self.unnamed:
            notes.append(
                "EMG channels left out because they have a number for a name, as unconnected ones do: "
                f"{', '.join(self.unnamed)}."
            )
        return tuple(notes)

    def normalised(self) -> Array:
        """Return envelopes over their own peak. Shape (S, n)."""
        return np.asarray(self.envelope_v / self.envelope_v.max(axis=0))


def find_emg_envelopes(analog: AnalogChannels | None) -> EmgEnvelopes | None:
    """Return the envelopes of muscle channels; None if there are none."""
    if analog is None or len(analog.values) < MIN_SAMPLES:
        return None
    muscles = _find_muscle_channels(analog)
    connected = _without_numbered(muscles)
    if not connected:
        return None
    raw_v = np.stack([factor * analog.channel(name) for name, factor in connected.items()], axis=1)
    envelope_v = rectify_and_smooth(np.where(np.isfinite(raw_v), raw_v, 0.0), analog.rate_hz)
    peak_v = envelope_v.max(axis=0)
    has_signal = peak_v > max(SILENT_V, SILENT_SHARE * float(peak_v.max()))
    names = np.array(list(connected))
    return EmgEnvelopes(
        names=tuple(names[has_signal].tolist()),
        rate_hz=analog.rate_hz,
        envelope_v=envelope_v[:, has_signal],
        silent=tuple(names[~has_signal].tolist()),
        unnamed=tuple(name for name in muscles if name not in connected),
    )


def _find_muscle_channels(analog: AnalogChannels) -> dict[str, float]:
    """Return channels that may be muscles, and their unit in volts."""
    volts = {name: VOLTS.get(unit.strip().lower()) for name, unit in zip(analog.names, analog.units, strict=True)}
    return {name: factor for name, factor in volts.items() if factor is not None and not NO_MUSCLE.search(name)}


def _without_numbered(volts: Mapping[str, float]) -> dict[str, float]:
    """Return channels without those that have a number for a name; all of them if none has a better name."""
    return {name: factor for name, factor in volts.items() if not NUMBERED.fullmatch(name)} or dict(volts)


def rectify_and_smooth(values: Array, rate_hz: float) -> Array:
    """Return the absolute value of signals, low-pass filtered without lag. Shape (S, n)."""
    return low_pass(np.abs(values), CUTOFF_HZ, rate_hz, order=1)


def resample_cycles(envelopes: EmgEnvelopes, strikes_s: Sequence[float]) -> Array:
    """Return envelopes from each heel strike to the next at 0 to 100 % of the cycle. Shape (n_cycles, 101, n)."""
    cycles = []
    for start_s, stop_s in pairwise(strikes_s):
        cycle_s = np.linspace(start_s, stop_s, CYCLE_POINTS)
        cycles.append(interpolate_columns(cycle_s, envelopes.time_s, envelopes.envelope_v))
    return np.stack(cycles) if cycles else np.empty((0, CYCLE_POINTS, len(envelopes.names)))


@dataclass(frozen=True, slots=True, eq=False)
class MuscleCycle:
    """Mean envelopes over a gait cycle.

    Args:
        names: Of the channels whose leg has a whole cycle.
        leg: Leg whose cycles are used for channels that name no side.
        cycle_v: In volts. Shape (101, n).
    """

    names: tuple[str, ...]
    leg: Side
    cycle_v: Array


def average_cycles(envelopes: EmgEnvelopes, events: Sequence[GaitEvent]) -> MuscleCycle | None:
    """Return envelopes averaged over cycles; None without a whole cycle.

    Each channel is averaged over the cycles of the leg in its name; a channel that names no side over those of the
    right leg, or of the left one if the right foot does not land twice.
    """
    mean_v: dict[Side, Array] = {}
    for side in SIDES:
        strikes_s = sorted(event.time_s for event in events if (event.kind, event.side) == ("heel_strike", side))
        cycles = resample_cycles(envelopes, strikes_s)
        if len(cycles):
            mean_v[side] = cycles.mean(axis=0)
    if not mean_v:
        return None
    leg = next(iter(mean_v))
    names = []
    columns = []
    for index, own_side in enumerate(channel_sides(envelopes.names)):
        cycle_v = mean_v.get(own_side or leg)
        if cycle_v is not None:
            names.append(envelopes.names[index])
            columns.append(cycle_v[:, index])
    return MuscleCycle(tuple(names), leg, np.reshape(columns, (-1, CYCLE_POINTS)).T)
