"""Whole-body programme: accelerations of the legs and contact forces of one tick, as a quadratic program.

Weighted tasks (Sentis and Khatib, 2005; Herzog et al., 2016) are least squares in x = (leg accelerations, forces along
the edges of friction pyramids, per kilogram). The rows of the dynamics that nobody drives, those of the base, are
solved for its acceleration, so that they hold exactly; joints that are not in legs keep the accelerations they have.
Forces only push, and torques of the legs keep their limits. Zero torque and no force is always a solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import daqp
import numpy as np

from strut.control.contact_forces import pyramid_edges
from strut.engines.walking_state import WalkingDynamics
from strut.errors import StrutError
from strut.robot import Array, Index, Robot

BASE = 6
INFINITE = 1e30  # as the solver has it
FORCE_WEIGHT = 1e-3  # of the forces themselves, in (m/s2)2: of all that do the same, the smallest
LEAST_LOAD = 0.05  # of a foot that is to carry nothing soon or yet: its forces cost this much more
SMALLEST_COST = 1e-6  # keeps the program strictly convex


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Accelerations that are wanted: rows of velocity coordinates, what they shall be, and how much that matters.

    Args:
        jacobian: Shape (m, nv).
        wanted: Shape (m,), without what the velocity alone brings.
        weight: Shape (m,) or a number.
    """

    jacobian: Array
    wanted: Array
    weight: Array | float


@dataclass(frozen=True, slots=True, eq=False)
class Footing:
    """A foot that can push: its number, its points from its frame in world axes (k, 3), and the load it is to carry."""

    foot: int
    points_m: Array
    load: float


class WholeBodyProgram:
    """The programme of one robot.

    Args:
        robot: Who walks.
        friction: Coefficient of the cones.
    """

    def __init__(self, robot: Robot, friction: float) -> None:
        joints = [joint for leg in robot.legs for joint in leg.joints]
        self.legs: Index = np.array(sorted({robot.joint_names.index(joint) for joint in joints}))
        self._columns = BASE + self.legs
        self._others = np.setdiff1d(np.arange(BASE, BASE + len(robot.joint_names)), self._columns)
        self._limit_nm, self._mass_kg = robot.torque_limit_nm[self.legs], robot.mass_kg
        self._edges = robot.mass_kg * pyramid_edges(friction)
        self._levers = np.concatenate([np.cross(np.eye(3), edge) for edge in self._edges], axis=1)  # point to moments
        self._leg_block = np.ix_(self._columns, self._columns)
        self._tiled: dict[int, Array] = {}  # edges of so many points

    def torque(
        self,
        state: WalkingDynamics,
        tasks: Sequence[Task],
        push_m_s2: Array,
        push_weight: Array,
        footings: Sequence[Footing],
        other_acceleration: Array,
    ) -> Array:
        """Return the torques of the legs' joints.

        Args:
            state: The robot now.
            tasks: What accelerations shall be.
            push_m_s2: Force of the ground per kilogram, in all. Shape (3,).
            push_weight: How much that matters. Shape (3,).
            footings: Feet that can push.
            other_acceleration: Of the joints that are not in legs, in their order. Shape (n_joints - n_legs,).

        Returns:
            In the order of `legs`. Shape (n_legs,).
        """
        legs, columns = len(self.legs), self._columns
        pushing, upward, cost = self._forces(state, footings)
        size = legs + len(upward)
        mass, bias = state.mass, state.bias
        moved, gain = bias + mass[:, self._others] @ other_acceleration, np.zeros((mass.shape[0], size))
        right = np.empty((BASE, size + 1))
        right[:, :legs], right[:, legs:size], right[:, size] = -mass[:BASE, columns], pushing[:BASE], -moved[:BASE]
        solved = np.linalg.solve(mass[:BASE, :BASE], right)
        gain[:BASE], start = solved[:, :size], np.zeros(mass.shape[0])
        gain[columns, np.arange(legs)] = 1.0
        start[:BASE], start[self._others] = solved[:, size], other_acceleration
        jacobian = np.concatenate([task.jacobian for task in tasks])
        weight, done = np.empty(len(jacobian)), 0
        for task in tasks:  # broadcasting each takes longer than the solver
            weight[done : done + len(task.wanted)] = task.weight
            done += len(task.wanted)
        rows, aim = jacobian @ gain, np.concatenate([task.wanted for task in tasks]) - jacobian @ start
        push = np.zeros((3, size))
        push[:, legs:] = upward.T / self._mass_kg
        weighted, pushed = rows.T * weight, push.T * push_weight
        hessian = weighted @ rows + pushed @ push
        hessian.ravel()[:: size + 1] += np.concatenate([np.full(legs, SMALLEST_COST), cost])
        limited = mass[columns, :BASE] @ gain[:BASE]
        limited[:, :legs] += mass[self._leg_block]
        limited[:, legs:] -= pushing[columns]
        steady = mass[columns, :BASE] @ start[:BASE] + moved[columns]
        lower = np.concatenate([np.full(legs, -INFINITE), np.zeros(len(cost)), -self._limit_nm - steady])
        upper = np.concatenate([np.full(size, INFINITE), self._limit_nm - steady])
        x, _, flag, _ = daqp.solve(hessian, -(weighted @ aim + pushed @ push_m_s2), limited, upper, lower)
        if flag < 0:
            raise StrutError(f"The whole-body programme has no solution (exit flag {flag} of the solver).")
        return np.asarray(limited @ x + steady)

    def _forces(self, state: WalkingDynamics, footings: Sequence[Footing]) -> tuple[Array, Array, Array]:
        """Return what unit edge forces do: to the coordinates (nv, k), to the whole (k, 3), and what they cost (k,)."""
        pushing, upward, cost = [], [], []
        for footing in footings:
            edges = self._edges_of(len(footing.points_m))
            moment = (footing.points_m @ self._levers).reshape(-1, 3)
            wrench = np.concatenate([edges, moment], axis=1)
            pushing.append(state.foot_jacobian[footing.foot].T @ wrench.T)
            upward.append(edges)
            cost.append(np.full(len(edges), FORCE_WEIGHT / max(footing.load, LEAST_LOAD)))
        if not footings:
            return np.zeros((state.mass.shape[0], 0)), np.zeros((0, 3)), np.zeros(0)
        return np.concatenate(pushing, axis=1), np.concatenate(upward), np.concatenate(cost)

    def _edges_of(self, points: int) -> Array:
        """Return the edges of the cones of so many points. Shape (k, 3)."""
        if points not in self._tiled:
            self._tiled[points] = np.tile(self._edges, (points, 1))
        return self._tiled[points]
