"""Gait comparison: the dissimilarity of walks, and the value of each walk by the published criteria."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from strut.arrays import Array, Index
from strut.errors import BadMotionError
from strut.human.analysis.gait_cycle import published_step
from strut.human.anatomy import HEAD
from strut.human.problem.gait_problem import usual_torques
from strut.human.table import human_gait
from strut.maths.rotation import angles_from_qpos
from strut.motion import Motion
from strut.ocp.kinematic_tree import KinematicTree, read_tree
from strut.ocp.trajectory import Trajectory
from strut.ocp.tree_functions import momentum_and_rotation
from strut.robot import Robot

SAMPLES = 100  # of two steps that are compared


@dataclass(frozen=True, slots=True)
class Dissimilarity:
    """Posture and time parts. The published numbers add the whole time part, the printed equation half of it (E27)."""

    posture: float
    time: float

    @property
    def total(self) -> float:
        """The dissimilarity as in the published numbers."""
        return self.posture + self.time

    @property
    def total_half_time(self) -> float:
        """The dissimilarity as printed in the equation."""
        return self.posture + self.time / 2.0

    def as_dict(self) -> dict[str, float]:
        """Return the parts and both forms for JSON."""
        return asdict(self) | {"total": self.total, "total_half_time": self.total_half_time}


def dissimilarity(first_time_s: Array, first_q: Array, second_time_s: Array, second_q: Array) -> Dissimilarity:
    """Return the dissimilarity of two steps (thesis, equation 6.1, corrected: samples run from start to end).

    Args:
        first_time_s: Sample times of one step. Shape (T,).
        first_q: Its coordinates. Shape (T, n).
        second_time_s: Sample times of the other. Shape (S,).
        second_q: Its coordinates. Shape (S, n).
    """
    if first_q.shape[1] != second_q.shape[1]:
        raise BadMotionError(f"The steps have {first_q.shape[1]} and {second_q.shape[1]} coordinates; they must agree.")
    durations = [float(time[-1] - time[0]) for time in (first_time_s, second_time_s)]
    sampled = [
        CubicSpline(time - time[0], q, axis=0)(np.linspace(0.0, duration, SAMPLES))
        for time, q, duration in zip((first_time_s, second_time_s), (first_q, second_q), durations, strict=True)
    ]
    posture = float(np.sum((sampled[0] - sampled[1]) ** 2)) / (2.0 * SAMPLES * first_q.shape[1])
    return Dissimilarity(posture, (durations[0] - durations[1]) ** 2)


@dataclass(frozen=True, slots=True)
class CriteriaValues:
    """Integrals over a step: effort over step length, angular momentum squared, head rotation squared; duration.

    Effort is infinite if the body does not move forwards; mixtures with it are then infinite or not a number.
    """

    effort: float
    momentum: float
    head: float
    time: float

    def weighted(self, gamma: tuple[float, ...]) -> float:
        """Return the mixture with weights gamma_1 to gamma_4."""
        return float(np.dot(gamma, astuple(self)))


def criteria_values(path: Trajectory) -> CriteriaValues:
    """Return the criteria of a trajectory, by the trapezoid rule over its nodes."""
    pieces = [path.nodes_of(phase) for phase in range(len(path.problem.phases))]
    return _values(path.problem.tree, path.time_s, path.q, path.v, path.u / path.problem.scales.torque, pieces)


def step_criteria(robot: Robot, step: Motion) -> CriteriaValues | None:
    """Return the criteria of a sampled step; None if its torques are unknown.

    Velocities come from a spline through the samples, which spreads the jump at an impact over two samples.
    """
    if step.torque_nm is None:
        return None
    q = angles_from_qpos(step.qpos)
    v = CubicSpline(step.time_s, q, axis=0)(step.time_s, 1)
    tree = read_tree(robot.model, angle_base=True)
    use = step.torque_nm / usual_torques(robot)
    return _values(tree, step.time_s, q, v, use, [np.arange(len(q))])


def _values(
    tree: KinematicTree, time_s: Array, q: Array, v: Array, use: Array, pieces: Sequence[Index]
) -> CriteriaValues:
    """Return the integrals over pieces of a step, given by their samples; `use` is torque over usual torque (T, n)."""
    step_m = float(q[-1, 0] - q[0, 0])
    effort = np.sum(use**2, axis=1) / (step_m * use.shape[1]) if step_m > 0.0 else np.full(len(use), np.inf)
    momentum, head_rate = momentum_and_rotation(tree, q, v, HEAD)
    totals = [
        sum(float(np.trapezoid(rate[nodes], time_s[nodes])) for nodes in pieces)
        for rate in (effort, np.sum(momentum**2, axis=1), np.sum(head_rate**2, axis=1))
    ]
    return CriteriaValues(totals[0], totals[1], totals[2], float(time_s[-1] - time_s[0]))


@dataclass(frozen=True, slots=True)
class GaitComparison:
    """Walks compared by their steps from left toe off to right toe off.

    Args:
        names: Of the walks that have such a step.
        dissimilarity: Of each walk (row) from each (column).
        criteria: The four basic criteria by walk; None if torques are unknown.
        objectives: Weights of the published mixtures of the basic criteria, by name.
    """

    names: tuple[str, ...]
    dissimilarity: tuple[tuple[Dissimilarity, ...], ...]
    criteria: Mapping[str, CriteriaValues | None]
    objectives: Mapping[str, tuple[float, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        pairs = [
            {"first": self.names[i], "second": self.names[j]} | self.dissimilarity[i][j].as_dict()
            for i, j in combinations(range(len(self.names)), 2)
        ]
        return {"dissimilarity": pairs, "criteria": {name: self.values_by_criterion(name) for name in self.names}}

    def values_by_criterion(self, name: str) -> dict[str, float | None] | None:
        """Return the value of a walk by the basic criteria and by each objective; None if torques are unknown.

        A value is None if it is not finite, such as the effort per metre of a body that does not move forwards.
        """
        values = self.criteria[name]
        if values is None:
            return None
        mixtures = {f"objective {name}": values.weighted(gamma) for name, gamma in self.objectives.items()}
        every = asdict(values) | mixtures
        return {name: value if math.isfinite(value) else None for name, value in every.items()}


def gait_comparison(walks: Mapping[str, tuple[Robot, Motion]]) -> GaitComparison:
    """Return the comparison of walks; those without a step from left toe off to right toe off are left out."""
    steps = {
        name: (robot, step.motion) for name, (robot, motion) in walks.items() if (step := published_step(robot, motion))
    }
    motions = [step for _, step in steps.values()]
    objectives = human_gait(next(iter(steps.values()))[0]).objective if steps else {}
    return GaitComparison(
        names=tuple(steps),
        dissimilarity=tuple(tuple(_dissimilarity(one, other) for other in motions) for one in motions),
        criteria={name: step_criteria(robot, step) for name, (robot, step) in steps.items()},
        objectives={name: entry.gamma for name, entry in objectives.items()},
    )


def _dissimilarity(one: Motion, other: Motion) -> Dissimilarity:
    return dissimilarity(one.time_s, angles_from_qpos(one.qpos), other.time_s, angles_from_qpos(other.qpos))
