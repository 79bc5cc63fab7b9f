"""Emotion distance: how different two movements look to people, and from which distance on people distinguish them.

Each feature is measured in levels. One level is the difference between published stimuli that people distinguished
(`perceived.toml`). The distance of two movements is Euclidean. The threshold comes from studies whose stimuli are
planned again here: it is the distance that best separates distinguished from confused pairs in half of the data. The
other half tests it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Annotated

import msgspec
import numpy as np

from strut.arrays import Array
from strut.perception.features import FEATURES
from strut.schemas.fields import NotNegative, Positive, Table


class FeatureLevel(Table, frozen=True):
    """The size of one level of a feature.

    Args:
        ratio: Factor between two levels, for features that people compare by ratio.
        floor: Added to the value before taking the ratio; smaller values are too small to see.
        angle_rad: Difference between two levels, for angles.
    """

    ratio: Annotated[float, msgspec.Meta(gt=1.0)] | None = None
    floor: NotNegative = 0.0
    angle_rad: Positive | None = None

    def to_levels(self, value: float) -> float:
        """Return a value in levels; the zero is arbitrary."""
        if self.angle_rad is not None:
            return value / self.angle_rad
        assert self.ratio is not None
        return math.log(value + self.floor) / math.log(self.ratio)


class JudgedPair(Table, frozen=True):
    """Two stimuli of a published study, their emotion distance, and whether people distinguished them."""

    study: str
    first: str
    second: str
    distance: float
    distinguished: bool


class PerceivedTable(Table, frozen=True):
    """perceived.toml: levels of features, and pairs of stimuli that people have judged."""

    level: Mapping[str, FeatureLevel]
    pair: tuple[JudgedPair, ...]


@dataclass(frozen=True, slots=True)
class ThresholdTest:
    """How well a threshold predicts which pairs people distinguish.

    Args:
        threshold: Distance from which on two movements count as distinguished.
        pairs: Number of pairs.
        correct: Number of pairs that it predicts correctly.
        sensitivity: Share of the distinguished pairs that are above it.
        specificity: Share of the confused pairs that are below it.
        auc: Area under the ROC curve: chance that a distinguished pair has a larger distance than a confused one.
    """

    threshold: float
    pairs: int
    correct: int
    sensitivity: float
    specificity: float
    auc: float


@cache
def perceived_table() -> PerceivedTable:
    """Return perceived.toml."""
    text = files("strut.perception").joinpath("perceived.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=PerceivedTable)


def to_levels(features: Mapping[str, float]) -> Array:
    """Return features in levels, in the order of FEATURES. Shape (n_features,)."""
    level = perceived_table().level
    return np.array([level[name].to_levels(features[name]) for name in FEATURES])


def emotion_distances(movements: Sequence[Mapping[str, float]]) -> Array:
    """Return the distance between any two movements, from their expressive features. Shape (n, n), in levels.

    Example:
        >>> features = [strut.perception.expressive_features(motion, robot) for motion in motions]
        >>> strut.perception.emotion_distances(features)
    """
    levels = np.array([to_levels(features) for features in movements])
    return np.asarray(np.linalg.norm(levels[:, None] - levels[None], axis=2))


def calibration_pairs() -> tuple[JudgedPair, ...]:
    """Return the judged pairs that determine the threshold: every other pair of each study, by distance."""
    return _pairs_by_distance()[::2]


def held_out_pairs() -> tuple[JudgedPair, ...]:
    """Return the judged pairs that do not determine the threshold, and so can test it."""
    return _pairs_by_distance()[1::2]


def _pairs_by_distance() -> tuple[JudgedPair, ...]:
    return tuple(sorted(perceived_table().pair, key=lambda pair: (pair.study, pair.distance)))


@cache
def discrimination_threshold() -> float:
    """Return the distance from which on people distinguish two emotions, in levels.

    It lies between two neighbouring calibration pairs, where the mean of sensitivity and specificity is largest.
    """
    distances = sorted(pair.distance for pair in calibration_pairs())
    candidates = [(low + high) / 2.0 for low, high in pairwise(distances)]

    def balanced_accuracy(threshold: float) -> float:
        test = evaluate_threshold(calibration_pairs(), threshold)
        return (test.sensitivity + test.specificity) / 2.0

    return max(candidates, key=lambda threshold: (balanced_accuracy(threshold), -threshold))


def evaluate_threshold(pairs: Sequence[JudgedPair], threshold: float) -> ThresholdTest:
    """Return how well a threshold predicts which pairs people distinguish."""
    distinguished = np.array([pair.distance for pair in pairs if pair.distinguished])
    confused = np.array([pair.distance for pair in pairs if not pair.distinguished])
    above = distinguished >= threshold
    below = confused < threshold
    larger = (distinguished[:, None] > confused[None]) + 0.5 * (distinguished[:, None] == confused[None])
    return ThresholdTest(
        threshold=threshold,
        pairs=len(pairs),
        correct=int(above.sum() + below.sum()),
        sensitivity=float(above.mean()),
        specificity=float(below.mean()),
        auc=float(larger.mean()),
    )
