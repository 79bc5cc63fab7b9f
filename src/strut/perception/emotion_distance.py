"""Feeling distance: how far two movements are apart to somebody who reads feelings from them, and who is confused.

Each feature is measured in levels: one level is what published stimuli differed by when people told them apart
(`perceived.toml`). The distance of two movements is the Euclidean one. The threshold comes from studies whose stimuli
are planned again here: of half of their pairs, the distance that best parts those that people told apart from others.
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
from strut.perception.expressive_features import FEATURES
from strut.schemas.fields import NotNegative, Positive, Table


class FeatureLevel(Table, frozen=True):
    """One level of a feature.

    Args:
        ratio: A factor, of features that are told apart by their ratio.
        floor: Added to the value before: what is smaller is nothing to the eye.
        angle_rad: A difference, of angles.
    """

    ratio: Annotated[float, msgspec.Meta(gt=1.0)] | None = None
    floor: NotNegative = 0.0
    angle_rad: Positive | None = None

    def levels(self, value: float) -> float:
        """Return a value in levels, from an arbitrary zero."""
        if self.angle_rad is not None:
            return value / self.angle_rad
        assert self.ratio is not None
        return math.log(value + self.floor) / math.log(self.ratio)


class JudgedPair(Table, frozen=True):
    """Two stimuli of a published study, how far apart they are here, and whether people told them apart."""

    study: str
    first: str
    second: str
    distance: float
    told_apart: bool


class PerceivedTable(Table, frozen=True):
    """perceived.toml: levels of features, and pairs that people have judged."""

    level: Mapping[str, FeatureLevel]
    pair: tuple[JudgedPair, ...]


@dataclass(frozen=True, slots=True)
class Separation:
    """How well a threshold parts pairs.

    Args:
        threshold: Distance from which on two movements are told apart.
        pairs: How many were looked at.
        right: How many of them lie on the right side.
        told_apart_right: Share of those told apart that lie above.
        confused_right: Share of the others that lie below.
        auc: Chance that a pair told apart is farther apart than one that was not.
    """

    threshold: float
    pairs: int
    right: int
    told_apart_right: float
    confused_right: float
    auc: float


@cache
def perceived() -> PerceivedTable:
    """Return perceived.toml."""
    text = files("strut.perception").joinpath("perceived.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=PerceivedTable)


def in_levels(features: Mapping[str, float]) -> Array:
    """Return features in levels, in the order of FEATURES. Shape (n_features,)."""
    level = perceived().level
    return np.array([level[name].levels(features[name]) for name in FEATURES])


def emotion_distances(movements: Sequence[Mapping[str, float]]) -> Array:
    """Return how far any two movements are apart, given their features. Shape (n, n).

    Example:
        >>> strut.feeling_distances([strut.expressive_features(motion, robot) for motion in motions])
    """
    rows = np.array([in_levels(features) for features in movements])
    return np.asarray(np.linalg.norm(rows[:, None] - rows[None], axis=2))


def calibration_pairs() -> tuple[JudgedPair, ...]:
    """Return the half of the judged pairs that the threshold comes from: every other one by distance in a study."""
    return _by_distance()[::2]


def held_out_pairs() -> tuple[JudgedPair, ...]:
    """Return the half of the judged pairs that the threshold has never seen."""
    return _by_distance()[1::2]


def _by_distance() -> tuple[JudgedPair, ...]:
    return tuple(sorted(perceived().pair, key=lambda pair: (pair.study, pair.distance)))


@cache
def threshold() -> float:
    """Return the distance from which on people tell two feelings apart: halfway where it parts the calibration best."""
    rows = sorted(pair.distance for pair in calibration_pairs())
    between = [(low + high) / 2.0 for low, high in pairwise(rows)]
    return max(between, key=lambda distance: (_balanced(separation(calibration_pairs(), distance)), -distance))


def separation(pairs: Sequence[JudgedPair], distance: float) -> Separation:
    """Return how well a distance parts pairs that people told apart from those that they did not."""
    apart = np.array([pair.distance for pair in pairs if pair.told_apart])
    alike = np.array([pair.distance for pair in pairs if not pair.told_apart])
    above = apart >= distance
    below = alike < distance
    farther = (apart[:, None] > alike[None]) + 0.5 * (apart[:, None] == alike[None])
    return Separation(
        threshold=distance,
        pairs=len(pairs),
        right=int(above.sum() + below.sum()),
        told_apart_right=float(above.mean()),
        confused_right=float(below.mean()),
        auc=float(farther.mean()),
    )


def _balanced(found: Separation) -> float:
    return (found.told_apart_right + found.confused_right) / 2.0
