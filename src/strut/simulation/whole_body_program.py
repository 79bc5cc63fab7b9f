"""Whole-body quadratic program: leg accelerations and contact forces of one tick.

Weighted tasks (Sentis and Khatib, 2005; Herzog et al., 2016) are least squares in x = (leg accelerations, forces along
the edges of friction pyramids, per kilogram). The unactuated rows of the dynamics, those of the base, are solved for
its acceleration, so that they hold exactly; joints that are not in legs keep their accelerations. Edge forces are not
negative, and leg torques keep their limits. Zero torque with zero force is always feasible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import daqp
import numpy as np
from scipy.linalg.lapack import dgesv

from strut.arrays import Array, Index
from strut.errors import StrutError
from strut.robot import BASE, Robot
from strut.simulation.contact_forces import pyramid_edges
from strut.simulation.walking_state import WalkingDynamics

INFINITE = 1e30  # DAQP's value for no bound
FORCE_WEIGHT = 1e-3  # of the squared edge forces [(m/s2)2]: selects the smallest among equivalent forces
MIN_LOAD = 0.05  # load share used in the force weight of a foot with less planned load
SMALLEST_COST = 1e-6  # keeps the program strictly convex


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A task: minimise weight x |jacobian a - wanted|^2 over accelerations a.

    Args:
        jacobian: Shape (m, nv).
        wanted: Task acceleration, less its velocity-dependent part. Shape (m,).
        weight: Shape (m,) or a number.
    """

    jacobian: Array
    wanted: Array
    weight: Array | float


@dataclass(frozen=True, slots=True, eq=False)
class Footing:
    """A foot in contact: its index, its contact points from its frame in world axes (k, 3), and its planned load."""

    foot: int
    points_m: Array
    load: float


def as_slice(index: Index) -> Index | slice:
    """Return a contiguous ascending index as a slice: a view costs a twentieth of a copy."""
    if len(index) and index[-1] - index[0] == len(index) - 1:
        return slice(int(index[0]), int(index[-1]) + 1)
    return index


class WholeBodyProgram:
    """The quadratic program of one robot.

    Args:
        robot: Robot that walks.
        friction: Coefficient of the friction cones.
    """

    def __init__(self, robot: Robot, friction: float) -> None:
        joints = [joint for leg in robot.legs for joint in leg.joints]
        self.legs: Index = np.array(sorted({robot.joint_names.index(joint) for joint in joints}))
        columns = BASE + self.legs
        self._columns = as_slice(columns)
        self._others = as_slice(np.setdiff1d(np.arange(BASE, BASE + len(robot.joint_names)), columns))
        self._limit_nm = robot.torque_limit_nm[self.legs]
        self._mass_kg = robot.mass_kg
        self._edges = robot.mass_kg * pyramid_edges(friction)
        self._levers = np.concatenate([np.cross(np.eye(3), edge) for edge in self._edges], axis=1)  # point to moments
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
            state: Current state of the robot.
            tasks: Tasks of the accelerations.
            push_m_s2: Target of the total ground force per kilogram. Shape (3,).
            push_weight: Weight of that target. Shape (3,).
            footings: Feet in contact.
            other_acceleration: Accelerations of joints that are not in legs. Shape (n_joints - n_legs,).

        Returns:
            In the order of `legs`. Shape (n_legs,).
        """
        legs = len(self.legs)
        columns = self._columns
        others = self._others
        pushing, upward, cost = self._forces(state, footings)
        size = legs + len(upward)
        mass = state.mass
        moved = state.bias + mass[:, others] @ other_acceleration
        right = np.empty((BASE, size + 1), order="F")
        coupling = mass[columns, :BASE]
        right[:, :legs] = -coupling.T
        right[:, legs:size] = pushing[:BASE]
        right[:, size] = -moved[:BASE]
        base = dgesv(mass[:BASE, :BASE], right, overwrite_b=1)[2]  # its acceleration by unknowns, and without them
        jacobian = np.concatenate([task.jacobian for task in tasks])
        weight = np.empty(len(jacobian))
        done = 0
        for task in tasks:  # broadcasting each takes longer than the solver
            weight[done : done + len(task.wanted)] = task.weight
            done += len(task.wanted)
        rows = jacobian[:, :BASE] @ base[:, :size]
        aim = np.concatenate([task.wanted for task in tasks])
        rows[:, :legs] += jacobian[:, columns]
        aim -= jacobian[:, :BASE] @ base[:, size] + jacobian[:, others] @ other_acceleration
        weighted = rows.T * weight
        pushed = upward * (push_weight / self._mass_kg)
        hessian = weighted @ rows
        wanted = weighted @ aim
        hessian[legs:, legs:] += pushed @ (upward.T / self._mass_kg)
        wanted[legs:] += pushed @ push_m_s2
        diagonal = hessian.ravel()[:: size + 1]
        diagonal[:legs] += SMALLEST_COST
        diagonal[legs:] += cost
        limited = coupling @ base[:, :size]
        steady = coupling @ base[:, size] + moved[columns]
        limited[:, :legs] += mass[columns][:, columns]
        limited[:, legs:] -= pushing[columns]
        lower = np.full(size + legs, -INFINITE)
        upper = np.full(size + legs, INFINITE)
        lower[legs:size] = 0.0
        lower[size:] = -self._limit_nm - steady
        upper[size:] = self._limit_nm - steady
        x, _, flag, _ = daqp.solve(hessian, -wanted, limited, upper, lower)
        if flag < 0:
            raise StrutError(f"The whole-body quadratic program has no solution (exit flag {flag} of the solver).")
        return np.asarray(limited @ x + steady)

    def _forces(self, state: WalkingDynamics, footings: Sequence[Footing]) -> tuple[Array, Array, Array]:
        """Return generalised forces (nv, k), total forces (k, 3) and costs (k,) of unit edge forces."""
        pushing = []
        upward = []
        cost = []
        for footing in footings:
            edges = self._edges_of(len(footing.points_m))
            moment = (footing.points_m @ self._levers).reshape(-1, 3)
            wrench = np.concatenate([edges, moment], axis=1)
            pushing.append(state.foot_jacobian[footing.foot].T @ wrench.T)
            upward.append(edges)
            cost.append(np.full(len(edges), FORCE_WEIGHT / max(footing.load, MIN_LOAD)))
        if not footings:
            return np.zeros((state.mass.shape[0], 0)), np.zeros((0, 3)), np.zeros(0)
        return np.concatenate(pushing, axis=1), np.concatenate(upward), np.concatenate(cost)

    def _edges_of(self, points: int) -> Array:
        """Return the pyramid edges of a number of points. Shape (k, 3)."""
        if points not in self._tiled:
            self._tiled[points] = np.tile(self._edges, (points, 1))
        return self._tiled[points]
