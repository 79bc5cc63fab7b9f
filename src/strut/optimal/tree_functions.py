"""Functions of a kinematic tree in numbers, compiled by CasADi: points with their Jacobian, and angular momentum."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from strut.engines.kinematic_tree import KinematicTree
from strut.optimal.symbolic_dynamics import SymbolicDynamics
from strut.robot import Array


class PointKinematics:
    """Places of some points as a function of some coordinates.

    Args:
        tree: Who moves.
        columns: Which coordinates may change. Length n.
        points: Body and place in its frame.
    """

    def __init__(
        self, tree: KinematicTree, columns: Sequence[int], points: Sequence[tuple[str, Sequence[float]]]
    ) -> None:
        self._columns = list(columns)
        q = ca.SX.sym("q", tree.nq)
        moving = SymbolicDynamics(tree, q)
        places = ca.vertcat(*(moving.position(body, place) for body, place in points))
        self._places = ca.Function("places", [q], [places])
        self._jacobian = ca.Function("jacobian", [q], [ca.densify(ca.jacobian(places, q)[:, self._columns])])

    def _with(self, q: Array, values: Array) -> Array:
        changed = q.copy()
        changed[self._columns] = values
        return changed

    def places(self, q: Array, values: Array) -> Array:
        """Return where the points are. Shapes (nq,) and (n,) in, (points, 3) out."""
        return np.asarray(self._places(self._with(q, values)).full().reshape(-1, 3))

    def jacobian(self, q: Array, values: Array) -> Array:
        """Return how the coordinates move them. Shape (3 points, n)."""
        return np.asarray(self._jacobian(self._with(q, values)).full())


def momentum_and_rotation(tree: KinematicTree, q: Array, v: Array, body: str) -> tuple[Array, Array]:
    """Return angular momentum about the centre of mass and a body's angular velocity. Shapes (T, n) in, (T, 3) out."""
    symbols = [ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)]
    moving = SymbolicDynamics(tree, *symbols)
    both = ca.Function("both", symbols, [moving.angular_momentum(), moving.angular_velocity(body)])
    momentum, turning = both.map(len(q))(q.T, v.T)
    return np.asarray(momentum.full().T), np.asarray(turning.full().T)
