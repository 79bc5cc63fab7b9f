"""Criteria: the four published criteria of any human trajectory, so that gaits can be judged by each other's goals."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from strut.engines.criteria import momentum_and_head
from strut.engines.elements import Index
from strut.optimal.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class CriteriaValues:
    """Integrals over a step: effort over step length, angular momentum squared, head rotation squared; duration."""

    effort: float
    momentum: float
    head: float
    time: float

    def weighted(self, gamma: tuple[float, ...]) -> float:
        """Return the mixture with weights gamma_1 to gamma_4."""
        return float(np.dot(gamma, astuple(self)))


def criteria_values(path: Trajectory, *, head: str = "Head") -> CriteriaValues:
    """Return the criteria of a trajectory, by the trapezoid rule over its nodes."""
    step_m = float(path.q[-1, 0] - path.q[0, 0])
    effort = np.sum((path.u / path.problem.scales.torque) ** 2, axis=1) / (step_m * path.u.shape[1])
    momentum, turning = momentum_and_head(path.problem.tree, path.q, path.v, head)
    rates = (effort, np.sum(momentum**2, axis=1), np.sum(turning**2, axis=1))
    effort_total, momentum_total, head_total = (
        sum(float(np.trapezoid(rate[nodes], path.time_s[nodes])) for nodes in _phases(path)) for rate in rates
    )
    return CriteriaValues(effort_total, momentum_total, head_total, path.total_s)


def _phases(path: Trajectory) -> list[Index]:
    return [path.nodes_of(phase) for phase in range(len(path.problem.phases))]
