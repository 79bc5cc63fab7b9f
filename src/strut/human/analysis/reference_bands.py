"""Reference bands: published normative means and standard deviations of walking by speed, and scores against them."""

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

SPEED_MARGIN = 0.06  # of dimensionless speed, about 0.2 m/s: so far outside the table its ends are still used
USUAL_HEIGHT_M = 1.74  # of the men whose cadence is in the table

SlowUsualFast = tuple[float, float, float]
BandKind = Literal["angle", "torque", "power"]


class FigureBand(Table, frozen=True):
    """Mean and standard deviation over people of a figure, at slow, usual and fast speed, with its source."""

    words: Text
    mean: SlowUsualFast
    sd: tuple[Positive, Positive, Positive]
    source: Text
    over: Literal["", "height", "root_height"] = ""
    spread: Literal["approximated", "published"] = "approximated"


class CurveBand(Table, frozen=True):
    """Mean and standard deviation of a curve at 0, 5, ... 100 % of the cycle, at slow, usual and fast speed."""

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
    """A figure of a walk: its value, and mean and standard deviation of people at that speed."""

    words: str
    value: float
    mean: float
    sd: float

    @property
    def z(self) -> float:
        """Standard score: standard deviations above the mean of people."""
        return (self.value - self.mean) / self.sd

    def as_dict(self) -> dict[str, Any]:
        """Return the score for JSON."""
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
    """Return the dimensionless speed v / sqrt(g l), the root of the Froude number, with leg length l (Hof 1996)."""
    return float(speed_m_s / np.sqrt(GRAVITY_M_S2 * robot.subject.standing_pelvis_height_m))


def band_of(robot: Robot, speed_m_s: float, name: str) -> tuple[float, float]:
    """Return mean and standard deviation of a figure for people of the size of the model at a speed."""
    table = reference_bands()
    height_m = robot.subject.height_m
    band = table.figure[name]
    pace = dimensionless_speed(robot, speed_m_s)
    size = {"": 1.0, "height": height_m, "root_height": (USUAL_HEIGHT_M / height_m) ** 0.5}[band.over]
    mean, sd = (size * float(np.interp(pace, table.speed, part)) for part in (band.mean, band.sd))
    return mean, sd


def band_scores(robot: Robot, speed_m_s: float, figures: Mapping[str, float]) -> dict[str, BandScore]:
    """Return the scores of the figures that have a band; empty at speeds without bands."""
    if not has_bands(robot, speed_m_s):
        return {}
    return {
        name: BandScore(band.words, figures[name], *band_of(robot, speed_m_s, name))
        for name, band in reference_bands().figure.items()
        if name in figures
    }


def has_bands(robot: Robot, speed_m_s: float) -> bool:
    """Return whether the bands cover a speed."""
    table = reference_bands()
    pace = dimensionless_speed(robot, speed_m_s)
    return table.speed[0] - SPEED_MARGIN <= pace <= table.speed[-1] + SPEED_MARGIN


def band_curve(robot: Robot, speed_m_s: float, kind: BandKind, coordinate: str) -> Array | None:
    """Return percent of the cycle, mean and standard deviation of people at a speed; None if unknown. Shape (3, 21)."""
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
