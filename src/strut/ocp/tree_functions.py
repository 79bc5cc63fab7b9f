"""Tree functions: inverse kinematics of points and angular momentum of a kinematic tree, compiled by CasADi."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from scipy.optimize import least_squares

from strut.arrays import Array
from strut.ocp.kinematic_tree import KinematicTree
from strut.ocp.symbolic_dynamics import SymbolicDynamics


class PointKinematics:
    """Inverse kinematics of points, given by body and position in its frame, with some coordinates of a tree."""

    def __init__(
        self, tree: KinematicTree, columns: Sequence[int], points: Sequence[tuple[str, Sequence[float]]]
    ) -> None:
        self._columns = list(columns)
        q = ca.SX.sym("q", tree.nq)
        moving = SymbolicDynamics(tree, q)
        places = ca.vertcat(*(moving.position(body, place) for body, place in points))
        self._places = ca.Function("places", [q], [places])
        self._jacobian = ca.Function("jacobian", [q], [ca.densify(ca.jacobian(places, q)[:, self._columns])])

    def reach(self, q: Array, goal: Array, start: Array, bounds: Array, *, pull_m_rad: float) -> Array:
        """Return the coordinates, inside their bounds, that bring the points nearest to a goal.

        Args:
            q: All coordinates. Shape (nq,).
            goal: Places of the points. Shape (points, 3).
            start: Initial guess, towards which the n coordinates are pulled a little. Shape (n,).
            bounds: Shape (2, n).
            pull_m_rad: Weight of that pull, which determines coordinates that the points leave free.
        """
        moved = q.copy()
        lower, upper = bounds

        def posture(values: Array) -> Array:
            moved[self._columns] = values
            return moved

        def miss(values: Array) -> Array:
            places = self._places(posture(values)).full()
            return np.concatenate([places.ravel() - goal.ravel(), pull_m_rad * (values - start)])

        def slope(values: Array) -> Array:
            return np.vstack([self._jacobian(posture(values)).full(), pull_m_rad * np.eye(len(values))])

        inside = np.clip(start, lower + 1e-6, upper - 1e-6)
        found = least_squares(miss, inside, jac=slope, bounds=(lower, upper), xtol=1e-6, ftol=1e-6, max_nfev=50)
        return np.asarray(found.x)


def momentum_and_rotation(tree: KinematicTree, q: Array, v: Array, body: str) -> tuple[Array, Array]:
    """Return angular momentum about the centre of mass and a body's angular velocity. Shapes (T, n) in, (T, 3) out."""
    symbols = [ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)]
    moving = SymbolicDynamics(tree, *symbols)
    both = ca.Function("both", symbols, [moving.angular_momentum(), moving.angular_velocity(body)])
    momentum, turning = both.map(len(q))(q.T, v.T)
    return np.asarray(momentum.full().T), np.asarray(turning.full().T)
