"""Muscle activity: EMG of the trials of each condition, averaged over the gait cycle and beside the neutral one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strut.human.anatomy import LEFT, RIGHT
from strut.motion import Motion
from strut.robot import Array

META = "emg"  # where a captured motion keeps its envelopes
KEPT = {"names", "silent", "leg", "cycle_v"}


@dataclass(frozen=True, slots=True, eq=False)
class MuscleActivity:
    """Muscles of one condition.

    Args:
        names: Of the muscles that every trial with EMG shows.
        mean: Share of the peak that the neutral condition's mean has, at 0 to 100 % of the cycle. Shape (101, n).
        sd: Over trials. Shape (101, n).
        trials: That have EMG and a whole cycle.
        silent: Channels that at least one trial left out because they show nothing.
        leg: Whose cycle it is.
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

    Args:
        trials: Captured walks of each condition.
        neutral: The condition whose peaks are 1; if it has no EMG, the largest peak of all conditions is.
    """
    told = _told(trials)
    names = _heard_in_all([one for own in told.values() for one in own])
    cycles = {name: np.stack([_columns(one, names) for one in own]) for name, own in told.items()}
    peak_v = _peak_v(cycles, neutral)
    return {name: _activity(names, own / peak_v, told[name]) for name, own in cycles.items()}


def _told(trials: Mapping[str, Sequence[Motion]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the envelopes that trials keep, of conditions that have any, over cycles of one leg: the right if any."""
    told = {name: _kept(own) for name, own in trials.items()}
    leg = RIGHT if any(one["leg"] == RIGHT for own in told.values() for one in own) else LEFT
    same = {name: [one for one in own if one["leg"] == leg] for name, own in told.items()}
    return {name: own for name, own in same.items() if own}


def _kept(trials: Sequence[Motion]) -> list[Mapping[str, Any]]:
    found = [motion.meta.get(META, {}) for motion in trials]
    return [one for one in found if set(one) >= KEPT]


def _heard_in_all(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    first = trials[0]["names"] if trials else []
    return tuple(name for name in first if all(name in one["names"] for one in trials))


def _peak_v(cycles: Mapping[str, Array], neutral: str) -> Array:
    """Return the peak of each muscle in the mean of the neutral condition, or of all. Shape (n,)."""
    chosen = [cycles[neutral]] if neutral in cycles else cycles.values()
    return np.max([own.mean(axis=0).max(axis=0) for own in chosen], axis=0) if cycles else np.ones(0)


def _activity(names: tuple[str, ...], cycles: Array, told: Sequence[Mapping[str, Any]]) -> MuscleActivity:
    mean, sd = cycles.mean(axis=0), cycles.std(axis=0)
    return MuscleActivity(names, mean, sd, len(cycles), _silent(told), told[0]["leg"])


def _columns(told: Mapping[str, Any], names: Sequence[str]) -> Array:
    """Return the mean cycle of some muscles of a trial [V]. Shape (101, n)."""
    values = np.asarray(told["cycle_v"], dtype=np.float64)
    return values[:, [told["names"].index(name) for name in names]]


def _silent(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in trials for name in one["silent"]))
