"""Constrained least squares: the smallest change of variables that meets linear equations and linear bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import numpy.typing as npt
from scipy.sparse import block_array, csc_matrix, csr_matrix, diags_array, eye_array, vstack
from scipy.sparse.linalg import splu

from strut.arrays import Array

Active = npt.NDArray[np.intp]
MAX_ROUNDS = 6  # of the active-set method; from a solved movement it mostly takes two to six
BOUND_TOLERANCE = 1e-9  # a bound that is violated by less holds
ACTIVE_DISTANCE = 1e-6  # after an interior point, an active bound is nearer than this
ACTIVE_MULTIPLIER = 1e-7  # after an interior point, an active bound has a larger multiplier
EQUATION_TOLERANCE = 1e-6  # largest residual of an equation by rounding
INFINITE = 1e19  # IPOPT takes it for infinity
REGULARISATION = 1e-13  # lets the factorisation survive redundant equations


@dataclass(frozen=True, slots=True, eq=False)
class BoundedRows:
    """Rows with lower and upper bounds. Shapes (m, n), (m,), (m,)."""

    rows: csr_matrix
    lower: Array
    upper: Array


def constrained_least_squares(
    weight: Array, rows: csr_matrix, wanted: Array, bounded: BoundedRows
) -> tuple[Array, bool]:
    """Return the x (n,) that minimises |weight x|² with rows x = wanted and the bounded rows within their bounds.

    A primal-dual active-set method: violated bounds become equations, and are released when their multiplier has the
    wrong sign. With many nearly redundant bounds it may cycle; then an interior-point method finds the active ones.
    The second value is whether the active set is known; if not, x meets the equations, but perhaps not the bounds.
    Weights (n,) above 0; equations rows (m, n) and wanted (m,).
    """
    active = np.zeros(len(bounded.lower), dtype=np.intp)
    for _ in range(MAX_ROUNDS):
        change, pull = _solve_with_active(weight, rows, wanted, bounded, active)
        value = bounded.rows @ change
        following = np.zeros_like(active)
        following[((active == 0) & (value < bounded.lower - BOUND_TOLERANCE)) | ((active < 0) & (pull < 0.0))] = -1
        following[((active == 0) & (value > bounded.upper + BOUND_TOLERANCE)) | ((active > 0) & (pull > 0.0))] = 1
        if (following == active).all():
            return change, _meets(rows, change, wanted)
        active = following
    held = _active_at_optimum(weight, rows, wanted, bounded)
    if held is None:
        return change, False
    change, _ = _solve_with_active(weight, rows, wanted, bounded, held)
    return change, _meets(rows, change, wanted)


def _meets(rows: csr_matrix, change: Array, wanted: Array) -> bool:
    """Return whether the equations hold; they do not where active bounds contradict them."""
    return bool(np.abs(rows @ change - wanted).max(initial=0.0) < EQUATION_TOLERANCE)


def _solve_with_active(
    weight: Array, rows: csr_matrix, wanted: Array, bounded: BoundedRows, active: Active
) -> tuple[Array, Array]:
    """Return the smallest change (n,) with some bounds as equations, and their multipliers (m,)."""
    size = len(weight)
    held = np.flatnonzero(active)
    goal = np.where(active < 0, bounded.lower, bounded.upper)[held]
    both = vstack([rows, bounded.rows[held]])
    saddle = block_array([[diags_array(weight**2), both.T], [both, -REGULARISATION * eye_array(both.shape[0])]])
    found = splu(saddle.tocsc()).solve(np.concatenate([np.zeros(size), wanted, goal]))
    pull = np.zeros(len(active))
    pull[held] = found[size + len(wanted) :]
    return np.asarray(found[:size]), pull


def _active_at_optimum(weight: Array, rows: csr_matrix, wanted: Array, bounded: BoundedRows) -> Active | None:
    """Return the active bounds of the optimum: -1 lower, 1 upper, 0 none; None if the problem is infeasible."""
    lower, upper = (np.concatenate([wanted, bound]) for bound in (bounded.lower, bounded.upper))
    found = least_squares_within(weight, csc_matrix(vstack([rows, bounded.rows])), lower, np.maximum(lower, upper))
    if found is None:
        return None
    value = bounded.rows @ found[0]
    pull = found[1][len(wanted) :]
    active = np.zeros(len(value), dtype=np.intp)
    active[(pull < -ACTIVE_MULTIPLIER) & (value < bounded.lower + ACTIVE_DISTANCE)] = -1
    active[(pull > ACTIVE_MULTIPLIER) & (value > bounded.upper - ACTIVE_DISTANCE)] = 1
    return active


def least_squares_within(weight: Array, rows: csc_matrix, lower: Array, upper: Array) -> tuple[Array, Array] | None:
    """Return the x (n,) that minimises |weight x|² with lower <= rows x <= upper, and the multipliers of rows (m,).

    Solved by IPOPT. Multipliers are negative at a lower bound and positive at an upper one. None if it is infeasible.
    Weights (n,) above 0; rows (m, n); bounds (m,).
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
    "ipopt.bound_relax_factor": 0.0,  # active bounds are recognised by their distance
    "ipopt.hessian_constant": "yes",
    "ipopt.jac_c_constant": "yes",
    "ipopt.jac_d_constant": "yes",
    "ipopt.mumps_pivot_order": 5,  # METIS
    "ipopt.nlp_scaling_method": "none",
}
