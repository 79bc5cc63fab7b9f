"""Body priors: mean, spread and range of joint angles and segment lengths before a measurement; joint_ranges.toml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from strut.arrays import Array
from strut.errors import MappingFileError
from strut.mocap.marker_fit.body_geometry import BodyGeometry, body_geometry
from strut.mocap.marker_fit.pose_solver import PosePrior
from strut.models.subject import HEIMAN
from strut.models.table_files import read_body
from strut.schemas.fields import Positive, Range, Table
from strut.schemas.segments import SegmentBody
from strut.schemas.toml_file import TomlFile

STATURE = (  # lengths that add up to the body height
    *("FootRightHeight", "ShankRightLength", "ThighRightLength", "PelvisHeight", "MiddleTrunkHeight"),
    *("SuprasternaleHeight", "NeckLength", "HeadLength"),
)
_UNBOUNDED = 1e4  # m or rad; bounds of the pelvis, which never matter


class CoordinatePrior(Table, frozen=True):
    """Prior of one coordinate on the left side."""

    mean: float
    sd: Positive
    range: Range


class LengthPriors(Table, frozen=True):
    """Priors of lengths: means as shares of body height, standard deviations as shares of the length."""

    sd_share: Positive
    side_sd_m: Positive
    stature_sd_m: Positive
    mean_share: Mapping[str, Positive]
    own_sd_share: Mapping[str, Positive]


class JointRanges(Table, frozen=True):
    """joint_ranges.toml."""

    coordinate: Mapping[str, CoordinatePrior]
    length: LengthPriors


@lru_cache(maxsize=1)
def joint_ranges() -> JointRanges:
    """Return the table."""
    path = Path(__file__).with_name("joint_ranges.toml")
    return TomlFile(path.read_text("utf-8"), path.name, MappingFileError).decode(JointRanges)


@lru_cache(maxsize=1)
def human_geometry() -> BodyGeometry:
    """Return the tree of the human model with 34 degrees of freedom."""
    table = read_body(HEIMAN)
    assert isinstance(table, SegmentBody)
    return body_geometry(table)


def pose_prior(body: BodyGeometry) -> PosePrior:
    """Return mean, precision and bounds of every coordinate; rotations about x and z are mirrored on the right."""
    mean = np.zeros(body.n_dof)
    precision = np.zeros(body.n_dof)
    lower = np.full(body.n_dof, -_UNBOUNDED)
    upper = np.full(body.n_dof, _UNBOUNDED)
    for index, name in enumerate(body.dof_names[3:], start=3):
        entry = joint_ranges().coordinate[_without_side(name)]
        is_mirrored = "Right" in name and name[-2:] in ("RX", "RZ")
        low, high = entry.range
        mean[index] = -entry.mean if is_mirrored else entry.mean
        lower[index], upper[index] = (-high, -low) if is_mirrored else (low, high)
        precision[index] = entry.sd**-2
    return PosePrior(mean, precision, lower, upper)


def length_prior(body: BodyGeometry, height_m: float) -> tuple[Array, Array]:
    """Return means and standard deviations of all lengths [m]. Shapes (L,)."""
    table = joint_ranges().length
    mean = np.empty(len(body.length_names))
    sd = np.empty(len(body.length_names))
    for index, name in enumerate(body.length_names):
        key = _without_side(name)
        mean[index] = table.mean_share.get(key, body.default_shares[index]) * height_m
        sd[index] = table.own_sd_share.get(key, table.sd_share) * mean[index]
    return mean, sd


def _without_side(name: str) -> str:
    return name.replace("Right", "Side").replace("Left", "Side")
