"""Rating curves: continuous ratings over time, with simultaneous confidence bands for all instants and stimuli.

Curves are averaged within participants first. The width of the bands is the 95 % quantile of the largest |t| over all
instants and stimuli when the signs of random participants' curves are flipped. The mean differs significantly from the
middle of the scale wherever a band excludes it; the probability of any false alarm in the study is 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from strut.arrays import Array
from strut.errors import AnswersError
from strut.study.statistics.answers import Answers
from strut.study.statistics.preferences import MIN_PEOPLE
from strut.study.statistics.significance import sign_flips

_COMPLETE_SHARE = 0.9  # of the median length: shorter ratings were broken off
_MAX_NAMED = 5  # incomplete ratings in one sentence
_MIN_SD = 1e-3  # of ratings on [-1, 1]; below it all people left the handle alone, and t would be infinite


@dataclass(frozen=True, slots=True)
class RatingCurve:
    """The mean rating of one stimulus over time, by n people.

    `low` to `high` is the simultaneous 95 % band; `off_middle` are the intervals [s] in which it excludes the middle,
    with 1 for above and -1 for below it. `p_value` is the smallest of all instants, corrected.
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
    """Whether there are ratings over time."""
    return "trace" in answers.table and bool((answers.table["trace"] != "").any())


def _complete_traces(answers: Answers, left_out: list[str]) -> pd.DataFrame:
    """Return the ratings over time; those clearly shorter than the median of their stimulus go to `left_out`."""
    table = answers.table[answers.table["trace"] != ""]
    samples = table["trace"].str.split().str.len()
    by_stimulus = table.assign(samples=samples).groupby("stimulus")
    has_median = by_stimulus["participant"].transform("nunique") >= MIN_PEOPLE  # of fewer, use that of all stimuli
    median = by_stimulus["samples"].transform("median").where(has_median, samples.median())
    short = table.assign(samples=samples)[samples < _COMPLETE_SHARE * median]
    if len(short):
        rows = zip(short["participant"], short["stimulus"], short["samples"] / short["trace_hz"], strict=True)
        named = [f"{stimulus} by {participant} ({seconds:.1f} s)" for participant, stimulus, seconds in rows]
        more = f" and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
        left_out.append(
            f"{', '.join(named[:_MAX_NAMED])}{more}: ratings over time that are clearly shorter than the others."
        )
    return table.drop(short.index)


def _person_curves(table: pd.DataFrame) -> tuple[tuple[str, ...], Array, float]:
    """Return stimuli, the mean curves of participants and stimuli (NaN without ratings), and the sampling rate [Hz].

    Curves are cut to the length of the shortest. Shape (people, stimuli, samples).
    """
    rate_hz = float(table["trace_hz"].iloc[0])
    traces = [np.fromstring(text, sep=" ") / 100.0 for text in table["trace"]]
    length = min(map(len, traces))
    names = tuple(dict.fromkeys(sorted(table["stimulus"])))
    people = list(dict.fromkeys(table["participant"]))
    total = np.zeros((len(people), len(names), length))
    count = np.zeros((len(people), len(names), 1))
    for participant, stimulus, trace in zip(table["participant"], table["stimulus"], traces, strict=True):
        cell = people.index(participant), names.index(stimulus)
        total[cell] += trace[:length]
        count[cell] += 1.0
    with np.errstate(invalid="ignore"):
        return names, total / count, rate_hz


def rating_curves(answers: Answers, rng: np.random.Generator, left_out: list[str]) -> tuple[RatingCurve, ...]:
    """Return the curves of all stimuli that were rated over time; raise AnswersError with fewer than six people.

    Ratings that were broken off are named in `left_out`: all curves would be cut to their length.
    """
    names, curves, rate_hz = _person_curves(_complete_traces(answers, left_out))
    people = len(curves)
    samples = curves.shape[2]
    if people < MIN_PEOPLE:
        raise AnswersError(
            "answers",
            f"bands of ratings over time need {MIN_PEOPLE} people; {people} answered.",
        )
    is_rated = np.isfinite(curves)
    flat = np.where(is_rated, curves, 0.0).reshape(people, -1)
    count = is_rated.sum(axis=0).reshape(-1)
    is_used = count >= MIN_PEOPLE
    if not is_used.any():
        raise AnswersError("answers", f"no stimulus was rated over time by {MIN_PEOPLE} people.")
    squares = (flat**2).sum(axis=0)

    def mean_and_error(signs: Array) -> tuple[Array, Array]:
        mean = signs @ flat / np.maximum(count, 1)
        variance = (squares - count * mean**2) / np.maximum(count - 1, 1)
        return mean, np.sqrt(np.maximum(variance, _MIN_SD**2) / np.maximum(count, 1))

    def largest_t(signs: Array) -> Array:
        mean, error = mean_and_error(signs)
        return np.asarray(np.abs(mean / error)[..., is_used].max(axis=-1))

    _, by_chance = sign_flips(people, largest_t, rng, resamples=1999)
    mean, error = mean_and_error(np.ones(people))
    half_width = float(np.quantile(by_chance, 0.95)) * error
    p_values = (1 + (by_chance[:, None] >= np.abs(mean / error)).sum(axis=0)) / (1 + len(by_chance))
    intended = dict(zip(answers.table["stimulus"], answers.table["intended"], strict=True))
    time_s = np.arange(samples) / rate_hz
    means, lows, highs, p_by_stimulus = (
        array.reshape(len(names), samples) for array in (mean, mean - half_width, mean + half_width, p_values)
    )
    return tuple(
        RatingCurve(
            stimulus=name,
            intended=intended[name],
            n=int(is_rated[:, k, 0].sum()),
            time_s=tuple(time_s.tolist()),
            mean=tuple(means[k].tolist()),
            low=tuple(lows[k].tolist()),
            high=tuple(highs[k].tolist()),
            off_middle=_intervals_off_middle(time_s, lows[k], highs[k]),
            p_value=float(p_by_stimulus[k].min()),
        )
        for k, name in enumerate(names)
        if is_rated[:, k, 0].sum() >= MIN_PEOPLE
    )


def _intervals_off_middle(time_s: Array, low: Array, high: Array) -> tuple[tuple[float, float, int], ...]:
    """Return the intervals in which a band lies on one side of the middle. Shapes (T,)."""
    side = np.where(low > 0.0, 1, np.where(high < 0.0, -1, 0))
    edges = np.flatnonzero(np.diff(side)) + 1
    intervals = []
    for part in np.split(np.arange(len(side)), edges):
        if side[part[0]]:
            intervals.append((float(time_s[part[0]]), float(time_s[part[-1]]), int(side[part[0]])))
    return tuple(intervals)
