"""Gait comparison: how far apart walks are, and what each is worth by the others' criteria."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import combinations
from typing import Any

from strut.analysis.criteria import CriteriaValues, step_criteria
from strut.analysis.gait_cycle import published_step
from strut.analysis.similarity import Dissimilarity, dissimilarity
from strut.motion import Motion
from strut.robot import Robot
from strut.rotation import angles_from_qpos

BASIC = ("effort", "momentum", "head", "time")


@dataclass(frozen=True, slots=True)
class GaitComparison:
    """Walks beside each other, each by its step from left toe-off to right toe-off.

    Args:
        names: Of the walks that have such a step.
        apart: Distance of each walk (row) from each (column), with the whole time term as in the published numbers.
        criteria: The four basic criteria by walk; None where torques are unknown.
        objectives: The published mixtures of the basic criteria, weights by name.
    """

    names: tuple[str, ...]
    apart: tuple[tuple[Dissimilarity, ...], ...]
    criteria: Mapping[str, CriteriaValues | None]
    objectives: Mapping[str, tuple[float, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON would hold them."""
        pairs = [
            {"first": self.names[i], "second": self.names[j]} | _forms(self.apart[i][j])
            for i, j in combinations(range(len(self.names)), 2)
        ]
        return {"dissimilarity": pairs, "criteria": {name: self.judged(name) for name in self.names}}

    def judged(self, name: str) -> dict[str, float | None] | None:
        """Return the value of a walk by the basic criteria and by each objective; None where torques are unknown.

        A value is None where it is not finite: the effort per metre of a body that does not come forwards.
        """
        values = self.criteria[name]
        if values is None:
            return None
        mixed = {f"objective {word}": values.weighted(gamma) for word, gamma in self.objectives.items()}
        known = dict(zip(BASIC, astuple(values), strict=True)) | mixed
        return {word: value if math.isfinite(value) else None for word, value in known.items()}


def gait_comparison(walks: Mapping[str, tuple[Robot, Motion]]) -> GaitComparison:
    """Return walks beside each other; those without a step from left to right toe-off are left out."""
    steps = {
        name: (robot, step.motion) for name, (robot, motion) in walks.items() if (step := published_step(robot, motion))
    }
    robots = [robot for robot, _ in steps.values()]
    return GaitComparison(
        names=tuple(steps),
        apart=tuple(tuple(_apart(one, other) for _, other in steps.values()) for _, one in steps.values()),
        criteria={name: step_criteria(robot, step) for name, (robot, step) in steps.items()},
        objectives=_objectives(robots),
    )


def _objectives(robots: Sequence[Robot]) -> dict[str, tuple[float, ...]]:
    table = robots[0].human_gait.objective if robots else {}
    return {word: entry.gamma for word, entry in table.items()}


def _apart(one: Motion, other: Motion) -> Dissimilarity:
    return dissimilarity(one.time_s, angles_from_qpos(one.qpos), other.time_s, angles_from_qpos(other.qpos))


def _forms(found: Dissimilarity) -> dict[str, float]:
    return asdict(found) | {"total": found.total, "total_half_time": found.total_half_time}
