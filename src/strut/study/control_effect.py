"""Control effect: what people stop seeing when a control takes one difference to neutral away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from strut.robot import Array
from strut.study.answers import NO_CONTROL, Answers
from strut.study.significance import holm

_FEWEST_PEOPLE = 3


@dataclass(frozen=True, slots=True)
class ControlEffect:
    """One emotion as it was and as a control, by the same people.

    Args:
        control: Which difference to neutral was taken away, such as `speed-matched`.
        emotion: What was intended.
        measure: `hit rate` or the scale that was rated.
        n: How many participants saw both.
        shown: Mean over them of the motion as it was.
        matched: Mean over them of the control.
        low: Lower end of the 95 % interval of the difference, control minus original.
        high: Upper end.
        p_value: Two-sided paired t test over participants; None where nobody differs.
        p_holm: Corrected for all controls of the study.
    """

    control: str
    emotion: str
    measure: str
    n: int
    shown: float
    matched: float
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None = None


def control_effects(answers: Answers) -> tuple[ControlEffect, ...]:
    """Return what every control does to hits and ratings of its emotion, where three people or more saw both."""
    found = [_effect(*key, pairs) for key, pairs in _pairs(answers) if len(pairs) >= _FEWEST_PEOPLE]
    corrected = iter(holm([row.p_value for row in found if row.p_value is not None]))
    return tuple(row if row.p_value is None else replace(row, p_holm=next(corrected)) for row in found)


def untested_controls(answers: Answers) -> tuple[str, ...]:
    """Return why controls are missing from `control_effects`."""
    return tuple(
        f"{control}, the {measure.replace('_', ' ')} of {emotion}: {len(pairs)} answered both it and the original; "
        f"a comparison needs {_FEWEST_PEOPLE} people."
        for (control, emotion, measure), pairs in _pairs(answers)
        if len(pairs) < _FEWEST_PEOPLE
    )


def _pairs(answers: Answers) -> Iterator[tuple[tuple[str, str, str], Array]]:
    """Yield control, emotion and measure with each participant's means of original and control. Shape (n, 2)."""
    measures = dict(answers.ratings)
    if answers.perceived:
        measures["hit rate"] = answers.correct.astype(float)
    who, intended, control = (np.array(names) for names in (answers.participant, answers.intended, answers.control))
    for kind, emotion in sorted(set(zip(answers.control, answers.intended, strict=True))):
        if kind == NO_CONTROL:
            continue
        for name, values in measures.items():
            use = (intended == emotion) & np.isfinite(values)
            both = [_means(who, values, use & (control == condition)) for condition in (NO_CONTROL, kind)]
            people = sorted(both[0].keys() & both[1].keys())
            yield (kind, emotion, name), np.array([[one[person] for one in both] for person in people])


def _means(who: npt.NDArray[np.str_], values: Array, use: npt.NDArray[np.bool_]) -> dict[str, float]:
    people, group = np.unique(who[use], return_inverse=True)
    means = np.bincount(group, values[use]) / np.bincount(group)
    return dict(zip(people.tolist(), means.tolist(), strict=True))


def _effect(control: str, emotion: str, measure: str, pairs: Array) -> ControlEffect:
    shown, matched = (float(mean) for mean in pairs.mean(axis=0))
    if np.ptp(pairs[:, 1] - pairs[:, 0]) < 1e-12:  # everybody differs alike: there is no spread to test against
        return ControlEffect(control, emotion, measure, len(pairs), shown, matched, None, None, None)
    result = stats.ttest_rel(pairs[:, 1], pairs[:, 0])
    interval = result.confidence_interval(0.95)
    return ControlEffect(
        control,
        emotion,
        measure,
        len(pairs),
        shown,
        matched,
        float(interval.low),
        float(interval.high),
        float(result.pvalue),
    )
