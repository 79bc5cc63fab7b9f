"""Reference bands: published means and spreads of people's walking, by speed, and how far a walk is from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.robot import Robot
from strut.schemas.fields import Positive, Table, Text

BEYOND = 0.06  # how far outside the table's speeds its ends still judge a walk, about 0.2 m/s
USUAL_HEIGHT_M = 1.74  # of the men whose cadence is in the table

SlowUsualFast = tuple[float, float, float]
BandKind = Literal["angle", "torque", "power"]


class FigureBand(Table, frozen=True):
    """A figure at slow, usual and fast walking: means and standard deviations over people, and where they are from."""

    words: Text
    mean: SlowUsualFast
    sd: tuple[Positive, Positive, Positive]
    source: Text
    over: Literal["", "height", "root_height"] = ""
    spread: Literal["approximated", "published"] = "approximated"


class CurveBand(Table, frozen=True):
    """A curve over the cycle at slow, usual and fast walking: means and standard deviations at 0, 5, ... 100 %."""

    mean: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
    sd: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]


class CurveTable(Table, frozen=True):
    """reference_curves.toml: curves by coordinate without its side, in degrees, N m/kg and W/kg."""

    angle: Mapping[str, CurveBand]
    torque: Mapping[str, CurveBand]
    power: Mapping[str, CurveBand]


class BandTable(Table, frozen=True):
    """reference_bands.toml."""

    speed: SlowUsualFast
    source: Mapping[str, Text]
    figure: Mapping[str, FigureBand]


@dataclass(frozen=True, slots=True)
class BandScore:
    """A figure of a walk beside people's at that speed: its value, their mean and standard deviation."""

    words: str
    value: float
    mean: float
    sd: float

    @property
    def z(self) -> float:
        """How many standard deviations the walk is above people's mean."""
        return (self.value - self.mean) / self.sd

    def as_dict(self) -> dict[str, Any]:
        """Return the score as JSON would hold it."""
        return asdict(self) | {"z": self.z}


@cache
def reference_bands() -> BandTable:
    """Return the table of bands."""
    text = files("strut.human.analysis").joinpath("reference_bands.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=BandTable)


@cache
def reference_curves() -> CurveTable:
    """Return the table of curves."""
    text = files("strut.human.analysis").joinpath("reference_curves.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=CurveTable)


def dimensionless_speed(robot: Robot, speed_m_s: float) -> float:
    """Return a person's speed over that of a wave as long as the legs (Hof 1996): v / sqrt(g l)."""
    return float(speed_m_s / np.sqrt(GRAVITY_M_S2 * robot.subject.standing_pelvis_height_m))


def band_of(robot: Robot, speed_m_s: float, name: str) -> tuple[float, float]:
    """Return people's mean and standard deviation of a figure, for a person of that size at that speed."""
    table = reference_bands()
    height_m = robot.subject.height_m
    band = table.figure[name]
    pace = dimensionless_speed(robot, speed_m_s)
    size = {"": 1.0, "height": height_m, "root_height": (USUAL_HEIGHT_M / height_m) ** 0.5}[band.over]
    mean, sd = (size * float(np.interp(pace, table.speed, part)) for part in (band.mean, band.sd))
    return mean, sd


def band_scores(robot: Robot, speed_m_s: float, figures: Mapping[str, float]) -> dict[str, BandScore]:
    """Return the figures of a walk that have a band, beside people's of that size and speed; none at other speeds."""
    if not has_bands(robot, speed_m_s):
        return {}
    return {
        name: BandScore(band.words, figures[name], *band_of(robot, speed_m_s, name))
        for name, band in reference_bands().figure.items()
        if name in figures
    }


def has_bands(robot: Robot, speed_m_s: float) -> bool:
    """Return whether people's walking is published at a speed."""
    table = reference_bands()
    pace = dimensionless_speed(robot, speed_m_s)
    return table.speed[0] - BEYOND <= pace <= table.speed[-1] + BEYOND


def band_curve(robot: Robot, speed_m_s: float, kind: BandKind, coordinate: str) -> Array | None:
    """Return percent of the cycle, people's mean and standard deviation at a speed; None if unknown. Shape (3, 21)."""
    curves: Mapping[str, CurveBand] = getattr(reference_curves(), kind)
    if coordinate not in curves or not has_bands(robot, speed_m_s):
        return None
    knots = reference_bands().speed
    pace = dimensionless_speed(robot, speed_m_s)
    parts = [
        [np.interp(pace, knots, values) for values in zip(*part, strict=True)]
        for part in (curves[coordinate].mean, curves[coordinate].sd)
    ]
    return np.array([np.linspace(0.0, 100.0, len(parts[0])), *parts])
