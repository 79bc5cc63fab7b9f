"""Least change: the smallest change of variables that meets linear equations and keeps linear bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, csr_matrix, diags_array, eye_array, vstack
from scipy.sparse.linalg import splu

from strut.robot import Array

MOST_ROUNDS = 12  # of guessing which bounds hold; from a solved movement it takes two to seven
ROOM = 1e-9  # a bound that is missed by less holds
SOFT = 1e-13  # makes the factorisation survive equations that say the same twice


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """Rows that stay between two values. Shapes (m, n), (m,), (m,)."""

    rows: csr_matrix
    lower: Array
    upper: Array


def least_change(weight: Array, rows: csr_matrix, wanted: Array, bounded: Bounded) -> tuple[Array, bool]:
    """Return the change x of least |weight x|² with rows x = wanted and the bounded rows within their bounds (n,).

    A primal-dual active-set method: bounds that are missed become equations, and are let go when they pull the wrong
    way. The second value says whether these guesses settled; if not, the change meets the equations, but perhaps not
    the bounds.

    Args:
        weight: Of the variables, above 0. Shape (n,).
        rows: Equations. Shape (m, n).
        wanted: Shape (m,).
        bounded: Inequalities.
    """
    size, active = len(weight), np.zeros(len(bounded.lower), dtype=np.intp)
    heavy = diags_array(weight**2)
    for _ in range(MOST_ROUNDS):
        held = np.flatnonzero(active)
        goal = np.where(active < 0, bounded.lower, bounded.upper)[held]
        both = vstack([rows, bounded.rows[held]])
        saddle = block_array([[heavy, both.T], [both, -SOFT * eye_array(both.shape[0])]])
        found = splu(saddle.tocsc()).solve(np.concatenate([np.zeros(size), wanted, goal]))
        change, pull = found[:size], np.zeros(len(active))
        pull[held] = found[size + len(wanted) :]
        value, following = bounded.rows @ change, np.zeros_like(active)
        following[((active == 0) & (value < bounded.lower - ROOM)) | ((active < 0) & (pull < 0.0))] = -1
        following[((active == 0) & (value > bounded.upper + ROOM)) | ((active > 0) & (pull > 0.0))] = 1
        if (following == active).all():
            return np.asarray(change), True
        active = following
    return np.asarray(change), False
