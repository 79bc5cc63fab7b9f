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

META = "emg"  # where a captured motion keeps its envelopes
EMG_FIELDS = {"names", "silent", "leg", "cycle_v"}
OWN = "Own"  # each muscle goes with the cycles of its own leg


@dataclass(frozen=True, slots=True, eq=False)
class MuscleActivity:
    """Muscles of one condition.

    Args:
        names: Of the muscles that every trial with EMG shows.
        mean: Share of the peak that the neutral condition's mean has, at 0 to 100 % of the cycle. Shape (101, n).
        sd: Over trials. Shape (101, n).
        trials: That have EMG and a whole cycle.
        silent: Channels that at least one trial left out because they show nothing.
        leg: Whose cycle it is: Right, Left, or Own where channels of both legs go each with its own.
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

    Nothing where no channel has the same name in every trial: `muscle_remarks` says so.

    Args:
        trials: Captured walks of each condition.
        neutral: The condition whose peaks are 1; if it has no EMG, the largest peak of all conditions is.
    """
    emg = _emg_of_one_leg(_emg_by_condition(trials))
    names = _common_channels(emg)
    if not names:
        return {}
    cycles = {name: np.stack([_envelopes_v(one, names) for one in own]) for name, own in emg.items()}
    peak_v = _peak_v(cycles, neutral)
    return {name: _activity(names, own / peak_v, emg[name]) for name, own in cycles.items()}


def muscle_remarks(trials: Mapping[str, Sequence[Motion]]) -> tuple[str, ...]:
    """Return sentences about EMG that is there and is not compared: of which trials, and why.

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
    """Return envelopes whose names tell the leg, and others over cycles of one: the right if any trial has those."""
    wanted = {one["leg"] for one in _trials_of(emg) if _is_bare(one)} & {RIGHT} or {LEFT}
    same = {name: [one for one in own if not _is_bare(one) or one["leg"] in wanted] for name, own in emg.items()}
    return {name: own for name, own in same.items() if own}


def _is_bare(emg: Mapping[str, Any]) -> bool:
    """Return whether a trial has channels whose names do not tell the leg."""
    return None in channel_sides(emg["names"])


def _trials_of(emg: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """Return the trials of all conditions."""
    return list(chain.from_iterable(emg.values()))


def _common_channels(emg: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[str, ...]:
    """Return the channels that every trial has."""
    trials = _trials_of(emg)
    first = trials[0]["names"] if trials else []
    return tuple(name for name in first if all(name in one["names"] for one in trials))


def _peak_v(cycles: Mapping[str, Array], neutral: str) -> Array:
    """Return the peak of each muscle in the mean of the neutral condition, or of all. Shape (n,)."""
    chosen = [cycles[neutral]] if neutral in cycles else cycles.values()
    return np.asarray(np.max([own.mean(axis=0).max(axis=0) for own in chosen], axis=0))


def _activity(names: tuple[str, ...], cycles: Array, emg: Sequence[Mapping[str, Any]]) -> MuscleActivity:
    mean = cycles.mean(axis=0)
    sd = cycles.std(axis=0)
    legs = _legs(emg[0])
    return MuscleActivity(names, mean, sd, len(cycles), _silent(emg), legs.pop() if len(legs) == 1 else OWN)


def _legs(emg: Mapping[str, Any]) -> set[str]:
    """Return over whose cycles the channels of a trial are averaged."""
    return {side or emg["leg"] for side in channel_sides(emg["names"])}


def _envelopes_v(emg: Mapping[str, Any], names: Sequence[str]) -> Array:
    """Return the mean cycle of some muscles of a trial [V]. Shape (101, n)."""
    values = np.asarray(emg["cycle_v"], dtype=np.float64)
    return values[:, [emg["names"].index(name) for name in names]]


def _silent(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in trials for name in one["silent"]))
