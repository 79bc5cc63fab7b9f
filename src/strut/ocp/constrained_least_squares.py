"""Constrained least squares: the smallest change of variables that meets linear equations and keeps linear bounds."""

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
MOST_ROUNDS = 6  # of guessing which bounds hold; from a solved movement it mostly takes two to six
ROOM = 1e-9  # a bound that is missed by less holds
HELD = 1e-6
PULLS = 1e-7  # how near a bound is that holds after an interior point, and how hard it pulls at least
MET = 1e-6  # largest miss of an equation by rounding
INFINITE = 1e19  # what the solver takes for infinity
SOFT = 1e-13  # makes the factorisation survive equations that say the same twice


@dataclass(frozen=True, slots=True, eq=False)
class BoundedRows:
    """Rows that stay between two values. Shapes (m, n), (m,), (m,)."""

    rows: csr_matrix
    lower: Array
    upper: Array


def constrained_least_squares(
    weight: Array, rows: csr_matrix, wanted: Array, bounded: BoundedRows
) -> tuple[Array, bool]:
    """Return the change x of least |weight x|² with rows x = wanted and the bounded rows within their bounds (n,).

    A primal-dual active-set method: bounds that are missed become equations, and are let go when they pull the wrong
    way. Where many bounds nearly say the same, guesses go in circles; then an interior point says which bounds hold.
    The second value says whether they are known; if not, the change meets the equations, but perhaps not the bounds.
    Weights (n,) above 0; equations rows (m, n) and wanted (m,).
    """
    active = np.zeros(len(bounded.lower), dtype=np.intp)
    for _ in range(MOST_ROUNDS):
        change, pull = _with_held(weight, rows, wanted, bounded, active)
        value = bounded.rows @ change
        following = np.zeros_like(active)
        following[((active == 0) & (value < bounded.lower - ROOM)) | ((active < 0) & (pull < 0.0))] = -1
        following[((active == 0) & (value > bounded.upper + ROOM)) | ((active > 0) & (pull > 0.0))] = 1
        if (following == active).all():
            return change, _meets(rows, change, wanted)
        active = following
    held = _held_at_the_optimum(weight, rows, wanted, bounded)
    if held is None:
        return change, False
    change, _ = _with_held(weight, rows, wanted, bounded, held)
    return change, _meets(rows, change, wanted)


def _meets(rows: csr_matrix, change: Array, wanted: Array) -> bool:
    """Return whether equations hold, which bounds that contradict them would soften."""
    return bool(np.abs(rows @ change - wanted).max(initial=0.0) < MET)


def _with_held(
    weight: Array, rows: csr_matrix, wanted: Array, bounded: BoundedRows, active: Active
) -> tuple[Array, Array]:
    """Return the least change (n,) with some bounds as equations, and how hard each of them pulls (m,)."""
    size = len(weight)
    held = np.flatnonzero(active)
    goal = np.where(active < 0, bounded.lower, bounded.upper)[held]
    both = vstack([rows, bounded.rows[held]])
    saddle = block_array([[diags_array(weight**2), both.T], [both, -SOFT * eye_array(both.shape[0])]])
    found = splu(saddle.tocsc()).solve(np.concatenate([np.zeros(size), wanted, goal]))
    pull = np.zeros(len(active))
    pull[held] = found[size + len(wanted) :]
    return np.asarray(found[:size]), pull


def _held_at_the_optimum(weight: Array, rows: csr_matrix, wanted: Array, bounded: BoundedRows) -> Active | None:
    """Return which bounds hold at the least change: -1 the lower, 1 the upper, 0 none; None if there is no change."""
    lower, upper = (np.concatenate([wanted, bound]) for bound in (bounded.lower, bounded.upper))
    found = least_squares_within(weight, csc_matrix(vstack([rows, bounded.rows])), lower, np.maximum(lower, upper))
    if found is None:
        return None
    value = bounded.rows @ found[0]
    pull = found[1][len(wanted) :]
    active = np.zeros(len(value), dtype=np.intp)
    active[(pull < -PULLS) & (value < bounded.lower + HELD)] = -1
    active[(pull > PULLS) & (value > bounded.upper - HELD)] = 1
    return active


def least_squares_within(weight: Array, rows: csc_matrix, lower: Array, upper: Array) -> tuple[Array, Array] | None:
    """Return the x of least |weight x|² with lower <= rows x <= upper (n,), and the rows' multipliers (m,).

    By IPOPT's interior point. Multipliers are negative at a lower bound and positive at an upper one. None if there is
    no such x. Weights (n,) above 0; rows (m, n); bounds (m,).
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
