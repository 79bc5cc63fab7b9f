"""Criteria: the four published criteria of any human trajectory, so that gaits can be judged by each other's goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from strut.engines.kinematic_tree import KinematicTree, read_tree
from strut.human.anatomy import HEAD
from strut.human.gait_problem import usual_torques
from strut.motion import Motion
from strut.optimal.trajectory import Trajectory
from strut.optimal.tree_functions import momentum_and_rotation
from strut.robot import Array, Index, Robot
from strut.rotation import angles_from_qpos


@dataclass(frozen=True, slots=True)
class CriteriaValues:
    """Integrals over a step: effort over step length, angular momentum squared, head rotation squared; duration.

    Effort is infinite where the body does not come forwards, and mixtures of it are infinite or not a number.
    """

    effort: float
    momentum: float
    head: float
    time: float

    def weighted(self, gamma: tuple[float, ...]) -> float:
        """Return the mixture with weights gamma_1 to gamma_4."""
        return float(np.dot(gamma, astuple(self)))


def criteria_values(path: Trajectory, *, head: str = HEAD) -> CriteriaValues:
    """Return the criteria of a trajectory, by the trapezoid rule over its nodes."""
    pieces = [path.nodes_of(phase) for phase in range(len(path.problem.phases))]
    return _values(path.problem.tree, path.time_s, path.q, path.v, path.u / path.problem.scales.torque, pieces, head)


def step_criteria(robot: Robot, step: Motion, *, head: str = HEAD) -> CriteriaValues | None:
    """Return the criteria of a sampled step; None if its torques are unknown.

    Velocities come from a spline through the samples, so the jump at an impact is smeared over two of them.
    """
    if step.torque_nm is None:
        return None
    q = angles_from_qpos(step.qpos)
    v = CubicSpline(step.time_s, q, axis=0)(step.time_s, 1)
    tree, use = read_tree(robot.model, angle_base=True), step.torque_nm / usual_torques(robot)
    return _values(tree, step.time_s, q, v, use, [np.arange(len(q))], head)


def _values(
    tree: KinematicTree, time_s: Array, q: Array, v: Array, use: Array, pieces: Sequence[Index], head: str
) -> CriteriaValues:
    """Return the integrals over pieces of a movement; `use` is torque over usual torque. Shapes (T, n)."""
    step_m = float(q[-1, 0] - q[0, 0])
    effort = np.sum(use**2, axis=1) / (step_m * use.shape[1]) if step_m > 0.0 else np.full(len(use), np.inf)
    momentum, turning = momentum_and_rotation(tree, q, v, head)
    totals = [
        sum(float(np.trapezoid(rate[nodes], time_s[nodes])) for nodes in pieces)
        for rate in (effort, np.sum(momentum**2, axis=1), np.sum(turning**2, axis=1))
    ]
    return CriteriaValues(totals[0], totals[1], totals[2], float(time_s[-1] - time_s[0]))
