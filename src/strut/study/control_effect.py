"""Control effect: what people stop seeing when a control takes one difference to neutral away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from strut.robot import Array
from strut.study.answers import NO_CONTROL, Answers
from strut.study.significance import holm

_FEWEST_PEOPLE = 3
_HIT_RATE = "hit rate"


@dataclass(frozen=True, slots=True)
class ControlEffect:
    """One emotion as it was and as a control, by the same n people.

    `shown` and `matched` are their means of the hit rate, or of the scale that was rated, for the motion as it was and
    for the control; the 95 % interval is of the difference, control minus original, `p_value` of the two-sided paired
    t test over participants, None where nobody differs.
    """

    control: str
    emotion: str
    measure: str
    n: int
    shown: float
    matched: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None


def control_effects(answers: Answers) -> tuple[ControlEffect, ...]:
    """Return what every control does to hits and ratings of its emotion, where three people or more saw both."""
    found = [_effect(*key, pairs) for key, pairs in _pairs(answers) if len(pairs) >= _FEWEST_PEOPLE]
    corrected = holm([row.p_value for row in found])
    return tuple(replace(row, p_holm=p_value) for row, p_value in zip(found, corrected, strict=True))


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
    table, measures = answers.table, list(answers.ratings)
    if answers.are_choices:
        table, measures = table.assign(**{_HIT_RATE: answers.correct.astype(float)}), [*measures, _HIT_RATE]
    for control, emotion in sorted(set(zip(table["control"], table["intended"], strict=True))):
        for measure in measures if control != NO_CONTROL else ():
            shown = table[table["intended"] == emotion]
            means = shown.pivot_table(index="participant", columns="control", values=measure)
            yield (control, emotion, measure), means.reindex(columns=[NO_CONTROL, control]).dropna().to_numpy()


def _effect(control: str, emotion: str, measure: str, pairs: Array) -> ControlEffect:
    effect = ControlEffect(control, emotion, measure, len(pairs), *pairs.mean(axis=0).tolist())
    if np.ptp(pairs[:, 1] - pairs[:, 0]) < 1e-12:  # everybody differs alike: there is no spread to test against
        return effect
    result = stats.ttest_rel(pairs[:, 1], pairs[:, 0])
    low, high = result.confidence_interval(0.95)
    return replace(effect, low=float(low), high=float(high), p_value=float(result.pvalue))
