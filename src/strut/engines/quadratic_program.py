"""Quadratic program: least weighted squares within linear bounds, by IPOPT's interior point."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from scipy.sparse import csc_matrix

from strut.robot import Array

INFINITE = 1e19  # what the solver takes for infinity


def least_squares_within(weight: Array, rows: csc_matrix, lower: Array, upper: Array) -> tuple[Array, Array] | None:
    """Return the x of least |weight x|² with lower <= rows x <= upper (n,), and the rows' multipliers (m,).

    Multipliers are negative at a lower bound and positive at an upper one. None if there is no such x.

    Args:
        weight: Above 0. Shape (n,).
        rows: Shape (m, n).
        lower: Shape (m,).
        upper: Shape (m,).
    """
    pattern = ca.Sparsity(len(lower), len(weight), rows.indptr.tolist(), rows.indices.tolist())
    x = ca.MX.sym("x", len(weight))
    program = {"x": x, "f": 0.5 * ca.sumsqr(ca.DM(weight) * x), "g": ca.densify(ca.DM(pattern, rows.data) @ x)}
    solver = ca.nlpsol("quadratic", "ipopt", program, _SETTINGS)
    found = solver(x0=0.0, lbg=np.maximum(lower, -INFINITE), ubg=np.minimum(upper, INFINITE))
    if not solver.stats()["success"]:
        return None
    return found["x"].full().ravel(), found["lam_g"].full().ravel()


_SETTINGS: dict[str, Any] = {
    "print_time": False,
    "ipopt.print_level": 0,
    "ipopt.sb": "yes",
    "ipopt.tol": 1e-9,
    "ipopt.constr_viol_tol": 1e-10,
    "ipopt.mu_strategy": "adaptive",
    "ipopt.mu_init": 1e-4,
    "ipopt.bound_relax_factor": 0.0,  # bounds that hold are told apart by how near they are
    "ipopt.hessian_constant": "yes",
    "ipopt.jac_c_constant": "yes",
    "ipopt.jac_d_constant": "yes",
    "ipopt.mumps_pivot_order": 5,  # METIS
    "ipopt.nlp_scaling_method": "none",
}
