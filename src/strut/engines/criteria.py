"""Angular momentum and rotation of a body in numbers, for many instants at once."""

from __future__ import annotations

import casadi as ca
import numpy as np

from strut.engines.kinematic_tree import KinematicTree
from strut.engines.symbolic_dynamics import SymbolicDynamics
from strut.robot import Array


def momentum_and_rotation(tree: KinematicTree, q: Array, v: Array, body: str) -> tuple[Array, Array]:
    """Return angular momentum about the centre of mass and a body's angular velocity. Shapes (T, n) in, (T, 3) out."""
    symbols = [ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)]
    moving = SymbolicDynamics(tree, *symbols)
    both = ca.Function("both", symbols, [moving.angular_momentum(), moving.angular_velocity(body)])
    momentum, turning = both.map(len(q))(q.T, v.T)
    return np.asarray(momentum.full().T), np.asarray(turning.full().T)
