"""Gait analysis: everything measured of human walks, one by one and beside each other."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strut.analysis.gait_comparison import GaitComparison, gait_comparison
from strut.analysis.gait_parameters import GaitParameters, gait_parameters
from strut.analysis.normalised_cycle import normalised_cycle
from strut.errors import BadMotionError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Robot


@dataclass(frozen=True, slots=True)
class GaitAnalysis:
    """Walks by name: robot and motion, gait parameters, and the walks beside each other."""

    walks: Mapping[str, tuple[Robot, Motion]]
    parameters: Mapping[str, GaitParameters]
    comparison: GaitComparison

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON would hold them."""
        return {"motions": {name: each.as_dict() for name, each in self.parameters.items()}} | self.comparison.as_dict()

    def cycles_csv(self) -> str:
        """Return angles, torques, powers and forces at 0 to 100 % of the cycle as a table, the walk's name first."""
        rows: list[dict[str, str]] = []
        for name, (robot, motion) in self.walks.items():
            table = normalised_cycle(robot, motion)
            if table is None:
                raise BadMotionError(f"{name} holds no whole cycle of walking; leave it out, or leave --csv out.")
            samples = zip(*table.values(), strict=True)
            rows += [{"walk": name} | dict(zip(table, map("{:.6g}".format, sample), strict=True)) for sample in samples]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(dict.fromkeys(word for row in rows for word in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()


def analyze(motions: Motion | Mapping[str, Motion]) -> GaitAnalysis:
    """Measure human walks and compare them.

    Args:
        motions: One motion of a human model, or several by name.

    Example:
        >>> strut.analyze(strut.load_motion("gait.npz")).parameters["heiman"].speed_m_s  # doctest: +SKIP
        1.3
    """
    named = {motions.robot: motions} if isinstance(motions, Motion) else motions
    walks = {name: (robot_of(motion), motion) for name, motion in named.items()}
    parameters = {name: gait_parameters(robot, motion) for name, (robot, motion) in walks.items()}
    return GaitAnalysis(walks, parameters, gait_comparison(walks))
