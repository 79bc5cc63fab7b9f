"""Muscle activity: EMG of the trials of each condition, averaged over the gait cycle and beside the neutral one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.human.anatomy import LEFT, RIGHT
from strut.motion import Motion
from strut.recording import channel_sides

META = "emg"  # key of the envelopes in the metadata of a captured motion
EMG_FIELDS = {"names", "silent", "leg", "cycle_v"}
OWN = "Own"  # each muscle over the cycles of its own leg


@dataclass(frozen=True, slots=True, eq=False)
class MuscleActivity:
    """Muscles of one condition.

    Args:
        names: Muscles that every trial with EMG has.
        mean: Mean envelope at 0 to 100 % of the cycle, as a share of the peak of the neutral mean. Shape (101, n).
        sd: Standard deviation over trials. Shape (101, n).
        trials: Number of trials that have EMG and a whole cycle.
        silent: Channels without a signal in at least one trial.
        leg: The leg of the cycle: Right, Left, or Own where each channel is over the cycles of its own leg.
    """

    names: tuple[str, ...]
    mean: Array
    sd: Array
    trials: int
    silent: tuple[str, ...]
    leg: str

    def as_dict(self) -> dict[str, Any]:
        """Return mean and peak of each muscle over the cycle as JSON would hold them."""
        muscles = {
            name: {"mean": round(float(own.mean()), 4), "peak": round(float(own.max()), 4)}
            for name, own in zip(self.names, self.mean.T, strict=True)
        }
        return {"muscles": muscles, "trials": self.trials, "silent": list(self.silent), "leg": self.leg}


def muscle_activity(trials: Mapping[str, Sequence[Motion]], neutral: str) -> dict[str, MuscleActivity]:
    """Return the activity of each condition that has EMG, over the peaks of the neutral one.

    Empty if no channel has the same name in every trial; `muscle_remarks` then has a sentence about it.

    Args:
        trials: Captured walks of each condition.
        neutral: The condition whose peaks are 1; if it has no EMG, the largest peaks of all conditions are.
    """
    emg = _emg_of_one_leg(_emg_by_condition(trials))
    names = _common_channels(emg)
    if not names:
        return {}
    cycles = {name: np.stack([_envelopes_v(one, names) for one in own]) for name, own in emg.items()}
    reference = [cycles[neutral]] if neutral in cycles else list(cycles.values())
    peak_v = np.asarray(np.max([own.mean(axis=0).max(axis=0) for own in reference], axis=0))  # (n,)
    return {name: _activity(names, own / peak_v, emg[name]) for name, own in cycles.items()}


def muscle_remarks(trials: Mapping[str, Sequence[Motion]]) -> tuple[str, ...]:
    """Return sentences about EMG that is not compared: which trials, and why.

    Args:
        trials: Captured walks of each condition.
    """
    every = _emg_by_condition(trials)
    emg = _emg_of_one_leg(every)
    remarks = [
        f"EMG of {len(own) - used} of {len(own)} trials of {name} is left out: it is averaged over cycles of the left "
        "leg, that of others over cycles of the right."
        for name, own in every.items()
        if (used := len(emg.get(name, ()))) < len(own)
    ]
    if emg and not _common_channels(emg):
        known = dict.fromkeys(channel for one in _trials_of(emg) for channel in one["names"])
        names = ", ".join(known) or "all are silent"
        remarks.append(f"Muscles are not compared: no EMG channel has the same name in every trial ({names}).")
    return tuple(remarks)


def _emg_by_condition(trials: Mapping[str, Sequence[Motion]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the mean envelopes of each condition's trials that have EMG and a whole cycle."""
    found = {name: [motion.meta.get(META, {}) for motion in own] for name, own in trials.items()}
    return {name: [one for one in own if set(one) >= EMG_FIELDS] for name, own in found.items()}


def _emg_of_one_leg(emg: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the trials whose channels name sides, and those over cycles of one leg: the right if there are any."""
    wanted = {one["leg"] for one in _trials_of(emg) if _is_bare(one)} & {RIGHT} or {LEFT}
    same = {name: [one for one in own if not _is_bare(one) or one["leg"] in wanted] for name, own in emg.items()}
    return {name: own for name, own in same.items() if own}


def _is_bare(emg: Mapping[str, Any]) -> bool:
    """Return whether a trial has channels without a side in their names."""
    return None in channel_sides(emg["names"])


def _trials_of(emg: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """Return the trials of all conditions."""
    return list(chain.from_iterable(emg.values()))


def _common_channels(emg: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[str, ...]:
    """Return the channels that every trial has."""
    trials = _trials_of(emg)
    first = trials[0]["names"] if trials else []
    return tuple(name for name in first if all(name in one["names"] for one in trials))


def _activity(names: tuple[str, ...], cycles: Array, emg: Sequence[Mapping[str, Any]]) -> MuscleActivity:
    mean = cycles.mean(axis=0)
    sd = cycles.std(axis=0)
    legs = _legs(emg[0])
    return MuscleActivity(names, mean, sd, len(cycles), _silent(emg), legs.pop() if len(legs) == 1 else OWN)


def _legs(emg: Mapping[str, Any]) -> set[str]:
    """Return the legs over whose cycles the channels of a trial are averaged."""
    return {side or emg["leg"] for side in channel_sides(emg["names"])}


def _envelopes_v(emg: Mapping[str, Any], names: Sequence[str]) -> Array:
    """Return the mean cycle of some muscles of a trial [V]. Shape (101, n)."""
    values = np.asarray(emg["cycle_v"], dtype=np.float64)
    return values[:, [emg["names"].index(name) for name in names]]


def _silent(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in trials for name in one["silent"]))
