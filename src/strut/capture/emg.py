"""EMG: analog channels of muscles → rectified, smooth envelopes, normalised, averaged over cycles.

As in the thesis: the size of the signal, then one Butterworth filter of first order at 6 Hz forwards and backwards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from strut.arrays import Array
from strut.maths.sampling import columns_at, low_passed
from strut.recording import SIDES, AnalogChannels, GaitEvent, Side, channel_sides

CUTOFF_HZ = 6.0
SILENT_V = 3e-6  # an envelope that never gets higher shows no muscle
SILENT_SHARE = 1e-3  # of the largest peak: the same for channels whose amplifier is not told
VOLTS = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 1e-3, "uv": 1e-6, "µv": 1e-6}
NO_MUSCLE = re.compile(
    r"^(force|moment|raw|voltage|pin|f\d?[xyz]|m\d?[xyz]|[fm][xyz]\d?|cop|sync|trigger)|foot.?switch"
    r"|(?-i:[FM][xyz]\d*(#\d+)?$)",  # such as PF1Fx
    re.I,
)
NUMBERED = re.compile(r"(channel|ch|x)?[\s_.-]*\d+", re.I)
CYCLE_POINTS = 101


@dataclass(frozen=True, slots=True, eq=False)
class EmgEnvelopes:
    """Smooth envelopes of muscles.

    Args:
        names: Of the channels that show something.
        rate_hz: Samples per second.
        envelope_v: In volts. Shape (S, n).
        silent: Channels that show nothing and are left out.
        unnamed: Channels with a number for a name among others with better ones: nobody connected them.
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
        """What was left out."""
        why = {"they are silent": self.silent, "they have a number for a name, as unconnected ones do": self.unnamed}
        return tuple(f"EMG channels left out because {words}: {', '.join(own)}." for words, own in why.items() if own)

    def normalised(self) -> Array:
        """Return envelopes over their own peak. Shape (S, n)."""
        return np.asarray(self.envelope_v / self.envelope_v.max(axis=0))


def emg_envelopes(analog: AnalogChannels | None) -> EmgEnvelopes | None:
    """Return the envelopes of muscle channels; None if there are none."""
    if analog is None or len(analog.values) < 16:
        return None
    every = _muscles(analog)
    volts = _connected(every)
    if not volts:
        return None
    raw = np.stack([factor * analog.channel(name) for name, factor in volts.items()], axis=1)
    envelope = rectified_envelope(np.where(np.isfinite(raw), raw, 0.0), analog.rate_hz)
    peak = envelope.max(axis=0)
    loud = peak > max(SILENT_V, SILENT_SHARE * float(peak.max()))
    names = np.array(list(volts))
    heard, silent = (tuple(names[which].tolist()) for which in (loud, ~loud))
    unnamed = tuple(name for name in every if name not in volts)
    return EmgEnvelopes(heard, analog.rate_hz, envelope[:, loud], silent, unnamed)


def _connected(volts: Mapping[str, float]) -> dict[str, float]:
    """Return channels without those that have a number for a name; all, if none has a better one."""
    return {name: factor for name, factor in volts.items() if not NUMBERED.fullmatch(name)} or dict(volts)


def _muscles(analog: AnalogChannels) -> dict[str, float]:
    """Return channels that may be muscles, and how many volts their unit is."""
    volts = {name: VOLTS.get(unit.strip().lower()) for name, unit in zip(analog.names, analog.units, strict=True)}
    return {name: factor for name, factor in volts.items() if factor is not None and not NO_MUSCLE.search(name)}


def rectified_envelope(values: Array, rate_hz: float) -> Array:
    """Return the size of signals, low-passed without lag. Shape (S, n)."""
    return low_passed(np.abs(values), CUTOFF_HZ, rate_hz, order=1)


def over_cycles(envelopes: EmgEnvelopes, strikes_s: Sequence[float]) -> Array:
    """Return envelopes from one heel strike to the next at 0 to 100 % of the cycle. Shape (n_cycles, 101, n)."""
    cycles = []
    for start_s, stop_s in pairwise(strikes_s):
        at = np.linspace(start_s, stop_s, CYCLE_POINTS)
        cycles.append(columns_at(at, envelopes.time_s, envelopes.envelope_v))
    return np.stack(cycles) if cycles else np.empty((0, CYCLE_POINTS, len(envelopes.names)))


@dataclass(frozen=True, slots=True, eq=False)
class MuscleCycle:
    """Mean envelopes over a gait cycle.

    Args:
        names: Of the channels whose leg has a whole cycle.
        leg: Whose cycles channels go with that name no side.
        cycle_v: In volts. Shape (101, n).
    """

    names: tuple[str, ...]
    leg: Side
    cycle_v: Array


def mean_cycle(envelopes: EmgEnvelopes, events: Sequence[GaitEvent]) -> MuscleCycle | None:
    """Return envelopes averaged over cycles; None without any.

    Channels go with the cycles of the leg that their name tells; those that name none with the right one's, or with
    the left one's if the right foot does not land twice.
    """
    known = _leg_means(envelopes, events)
    leg = next(iter(known), None)
    if leg is None:
        return None
    sides = [side or leg for side in channel_sides(envelopes.names)]
    kept = [index for index, side in enumerate(sides) if side in known]
    mean = [known[sides[index]][:, index] for index in kept]
    return MuscleCycle(tuple(envelopes.names[index] for index in kept), leg, np.reshape(mean, (-1, CYCLE_POINTS)).T)


def _leg_means(envelopes: EmgEnvelopes, events: Sequence[GaitEvent]) -> dict[Side, Array]:
    """Return envelopes averaged over the cycles of each leg that lands twice. Shape (101, n) each."""
    found = {side: over_cycles(envelopes, _strikes_s(events, side)) for side in SIDES}
    return {side: own.mean(axis=0) for side, own in found.items() if len(own)}


def _strikes_s(events: Sequence[GaitEvent], side: str) -> list[float]:
    return sorted(event.time_s for event in events if (event.kind, event.side) == ("heel_strike", side))
