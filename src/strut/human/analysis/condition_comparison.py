"""Condition comparison: means and deviations of trials by condition, for instance by emotion, beside neutral.

As in the thesis (Table 6.4): step parameters, posture and distance from the average of the neutral trials; and the
features of expression of the literature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from strut.arrays import Array
from strut.errors import BadMotionError
from strut.human.analysis.gait_analysis import GaitAnalysis
from strut.human.analysis.gait_comparison import SAMPLES, Dissimilarity, dissimilarity
from strut.human.analysis.gait_cycle import published_step
from strut.human.analysis.gait_expression import GAIT_FEATURES, GaitExpression, gait_expression
from strut.human.analysis.muscle_activity import MuscleActivity, muscle_activity, muscle_remarks
from strut.maths.rotation import angles_from_qpos
from strut.motion import Motion

NEUTRAL = ("neutral", "normal")  # names of the reference condition; without them, the first condition is the reference


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation over trials; the deviation is None for one trial, both are None for no trial."""

    mean: float | None
    sd: float | None
    trials: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return mean and deviation of values, without NaN."""
        numbers = [value for value in values if not math.isnan(value)]
        sd = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None
        return cls(float(np.mean(numbers)) if numbers else None, sd, len(numbers))


@dataclass(frozen=True, slots=True)
class ConditionComparison:
    """Conditions by name, each with its trials.

    Args:
        neutral: The reference condition.
        trials: Names of the walks of each condition.
        features: Features of every walk.
        summary: Mean and deviation of each feature, by condition and feature.
        from_neutral: Distance of a condition's steps from the average neutral step, posture and time parts as in the
            published table; None for conditions without a step from left to right toe-off.
        muscles: EMG of the conditions that have any.
        muscle_remarks: Sentences about EMG that is not compared.
    """

    neutral: str
    trials: Mapping[str, tuple[str, ...]]
    features: Mapping[str, GaitExpression]
    summary: Mapping[str, Mapping[str, Spread]]
    from_neutral: Mapping[str, tuple[Spread, Spread] | None]
    muscles: Mapping[str, MuscleActivity]
    muscle_remarks: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON would hold them."""
        return {
            "neutral": self.neutral,
            "trials": {condition: list(names) for condition, names in self.trials.items()},
            "features": {condition: _spreads_as_dict(own) for condition, own in self.summary.items()},
            "from_neutral": {condition: _distance_as_dict(parts) for condition, parts in self.from_neutral.items()},
            "muscles": {condition: own.as_dict() for condition, own in self.muscles.items()},
            "muscle_remarks": list(self.muscle_remarks),
        }


def _spreads_as_dict(own: Mapping[str, Spread]) -> dict[str, Any]:
    return {name: asdict(one) for name, one in own.items()}


def _distance_as_dict(parts: tuple[Spread, Spread] | None) -> dict[str, Any] | None:
    return None if parts is None else _spreads_as_dict({"posture": parts[0], "time": parts[1]})


def compare_conditions(found: GaitAnalysis, condition_of: Mapping[str, str]) -> ConditionComparison:
    """Return a comparison of conditions.

    Args:
        found: Analysis of the walks.
        condition_of: Condition of each walk, by name of the walk.

    Raises:
        BadMotionError: If a walk has fewer than two steps.

    Example:
        >>> found = strut.analyze({"one": first, "other": second})  # doctest: +SKIP
        >>> strut.human.compare_conditions(found, {"one": "neutral", "other": "sad"}).summary["sad"]  # doctest: +SKIP
    """
    conditions = dict.fromkeys(condition_of[name] for name in found.walks)
    trials = {one: tuple(name for name in found.walks if condition_of[name] == one) for one in conditions}
    neutral = next((one for one in trials if one.lower() in NEUTRAL), next(iter(trials)))
    features = {name: _features(name, found) for name in found.walks}
    summary = {condition: _summary([features[name] for name in names]) for condition, names in trials.items()}
    walked = {condition: [found.walks[name][1] for name in names] for condition, names in trials.items()}
    steps = {condition: [_step(*found.walks[name]) for name in names] for condition, names in trials.items()}
    neutral_step = _average(steps[neutral])
    apart = {condition: _from_neutral(own, neutral_step) for condition, own in steps.items()}
    muscles = muscle_activity(walked, neutral)
    remarks = muscle_remarks(walked)
    return ConditionComparison(neutral, trials, features, summary, apart, muscles, remarks)


def _summary(trials: Sequence[GaitExpression]) -> dict[str, Spread]:
    return {feature: Spread.of([getattr(one, feature) for one in trials]) for feature in GAIT_FEATURES}


def _features(name: str, found: GaitAnalysis) -> GaitExpression:
    try:
        return gait_expression(*found.walks[name])
    except BadMotionError as error:
        raise BadMotionError(f"{name}: {error}") from error


Step = tuple[Array, Array]  # times (T,) and coordinates (T, n) of the published step, along x


def _step(robot: Any, motion: Motion) -> Step | None:
    step = published_step(robot, motion)
    return None if step is None else (step.motion.time_s, angles_from_qpos(step.motion.qpos))


def _average(trials: Sequence[Step | None]) -> Step | None:
    """Return the average of steps over normalised time, with their average duration."""
    steps = [step for step in trials if step is not None]
    if not steps:
        return None
    durations = [float(time_s[-1] - time_s[0]) for time_s, _ in steps]
    share = np.linspace(0.0, 1.0, SAMPLES)
    curves = [
        CubicSpline((time_s - time_s[0]) / duration, q, axis=0)(share)
        for (time_s, q), duration in zip(steps, durations, strict=True)
    ]
    return share * float(np.mean(durations)), np.mean(curves, axis=0)


def _from_neutral(steps: Sequence[Step | None], reference: Step | None) -> tuple[Spread, Spread] | None:
    found: list[Dissimilarity] = [
        dissimilarity(*step, *reference) for step in steps if step is not None and reference is not None
    ]
    if not found:
        return None
    return Spread.of([one.posture for one in found]), Spread.of([one.time for one in found])
