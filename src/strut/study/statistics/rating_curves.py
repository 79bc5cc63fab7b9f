"""Rating curves: what people rated while they watched, second by second, with bands that hold for all instants at once.

Everybody's curves are averaged first. A band is as wide as the largest deviation, over all instants and stimuli, that
the curves show when random people's ratings are turned round (sign flips, largest t): where it leaves the middle of the
scale, the mean lies off it, and any false alarm in the whole study has a probability of 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from strut.arrays import Array
from strut.errors import AnswersError
from strut.study.statistics.answers import Answers
from strut.study.statistics.preferences import FEWEST_PEOPLE
from strut.study.statistics.significance import sign_flips

_WHOLE = 0.9  # of the usual length: what is shorter was broken off
_MOST_NAMED = 5
_FLOOR = 1e-3  # standard deviations below this are none: all people held the handle still


@dataclass(frozen=True, slots=True)
class RatingCurve:
    """The mean rating of one stimulus over time, by n people.

    `low` to `high` hold for all instants and stimuli together with 95 %; `off_middle` are the spans [s] in which they
    leave the middle, with 1 for above and -1 for below it. `p_value` is the smallest of all instants, corrected.
    """

    stimulus: str
    intended: str
    n: int
    time_s: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    off_middle: tuple[tuple[float, float, int], ...]
    p_value: float


def has_traces(answers: Answers) -> bool:
    """Whether anybody rated over time."""
    return "trace" in answers.table and bool((answers.table["trace"] != "").any())


def _whole_traces(answers: Answers, left_out: list[str]) -> pd.DataFrame:
    """Return the answers rated over time; what is clearly shorter than usual for its stimulus goes to `left_out`."""
    table = answers.table[answers.table["trace"] != ""]
    samples = table["trace"].str.split().str.len()
    by_stimulus = table.assign(samples=samples).groupby("stimulus")
    known = by_stimulus["participant"].transform("nunique") >= FEWEST_PEOPLE  # few people have no usual length
    usual = by_stimulus["samples"].transform("median").where(known, samples.median())
    short = table.assign(samples=samples)[samples < _WHOLE * usual]
    if len(short):
        rows = zip(short["participant"], short["stimulus"], short["samples"] / short["trace_hz"], strict=True)
        named = [f"{stimulus} by {who} ({seconds:.1f} s)" for who, stimulus, seconds in rows]
        more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
        left_out.append(
            f"{', '.join(named[:_MOST_NAMED])}{more}: ratings over time that are clearly shorter than the others."
        )
    return table.drop(short.index)


def _person_curves(table: pd.DataFrame) -> tuple[tuple[str, ...], Array, float]:
    """Return stimuli, everybody's mean curve of each, NaN where there is none, and the rate.

    Curves have the length of the shortest. Shape (people, stimuli, samples); the rate in 1/s.
    """
    rate_hz = float(table["trace_hz"].iloc[0])
    traces = [np.fromstring(text, sep=" ") / 100.0 for text in table["trace"]]
    length = min(map(len, traces))
    names = tuple(dict.fromkeys(sorted(table["stimulus"])))
    people = list(dict.fromkeys(table["participant"]))
    total = np.zeros((len(people), len(names), length))
    count = np.zeros((len(people), len(names), 1))
    for who, stimulus, trace in zip(table["participant"], table["stimulus"], traces, strict=True):
        place = people.index(who), names.index(stimulus)
        total[place] += trace[:length]
        count[place] += 1.0
    with np.errstate(invalid="ignore"):
        return names, total / count, rate_hz


def rating_curves(answers: Answers, rng: np.random.Generator, left_out: list[str]) -> tuple[RatingCurve, ...]:
    """Return the curves of all stimuli that were rated over time; fewer than six people say nothing about others.

    Ratings that broke off are named in `left_out`: everybody's curves would end with them.
    """
    names, curves, rate_hz = _person_curves(_whole_traces(answers, left_out))
    people = len(curves)
    samples = curves.shape[2]
    if people < FEWEST_PEOPLE:
        raise AnswersError(
            "answers",
            f"bands of ratings over time need {FEWEST_PEOPLE} people; {people} answered.",
        )
    there = np.isfinite(curves)
    flat = np.where(there, curves, 0.0).reshape(people, -1)
    count = there.sum(axis=0).reshape(-1)
    used = count >= FEWEST_PEOPLE
    if not used.any():
        raise AnswersError("answers", f"no stimulus was rated over time by {FEWEST_PEOPLE} people.")
    squares = (flat**2).sum(axis=0)

    def standard(signs: Array) -> tuple[Array, Array]:
        mean = signs @ flat / np.maximum(count, 1)
        variance = (squares - count * mean**2) / np.maximum(count - 1, 1)
        return mean, np.sqrt(np.maximum(variance, _FLOOR**2) / np.maximum(count, 1))

    def largest(signs: Array) -> Array:
        mean, error = standard(signs)
        return np.asarray(np.abs(mean / error)[..., used].max(axis=-1))

    _, by_chance = sign_flips(people, largest, rng, resamples=1999)
    mean, error = standard(np.ones(people))
    reach = float(np.quantile(by_chance, 0.95)) * error
    p_values = (1 + (by_chance[:, None] >= np.abs(mean / error)).sum(axis=0)) / (1 + len(by_chance))
    intended = dict(zip(answers.table["stimulus"], answers.table["intended"], strict=True))
    time_s = np.arange(samples) / rate_hz
    parts = [array.reshape(len(names), samples) for array in (mean, mean - reach, mean + reach, p_values)]
    return tuple(
        RatingCurve(
            stimulus=name,
            intended=intended[name],
            n=int(there[:, k, 0].sum()),
            time_s=tuple(time_s.tolist()),
            mean=tuple(parts[0][k].tolist()),
            low=tuple(parts[1][k].tolist()),
            high=tuple(parts[2][k].tolist()),
            off_middle=_spans(time_s, parts[1][k], parts[2][k]),
            p_value=float(parts[3][k].min()),
        )
        for k, name in enumerate(names)
        if there[:, k, 0].sum() >= FEWEST_PEOPLE
    )


def _spans(time_s: Array, low: Array, high: Array) -> tuple[tuple[float, float, int], ...]:
    """Return when a band lies on one side of the middle. Shapes (T,)."""
    side = np.where(low > 0.0, 1, np.where(high < 0.0, -1, 0))
    edges = np.flatnonzero(np.diff(side)) + 1
    found = []
    for part in np.split(np.arange(len(side)), edges):
        if side[part[0]]:
            found.append((float(time_s[part[0]]), float(time_s[part[-1]]), int(side[part[0]])))
    return tuple(found)
