"""Conflict: what stands in the way of a movement that no solver finds.

At the best iterate the program is taken as linear, and slack is bought for its rows as cheaply as possible. The limits
with the highest price, which would save most slack if they gave way, are what the violated rows are up against.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity, vstack

from strut.robot import Array

REACH = 1.0  # how far the linear program may go from the iterate; variables are of about 1
MOST_SECONDS = 10.0
LEAST_SLACK = 1e-5  # with less the linear program counts as possible


def shadow_prices(
    x: Array, bounds: tuple[Array, Array], rows: Array, slope: csr_matrix, row_bounds: tuple[Array, Array]
) -> tuple[Array, Array] | None:
    """Return the slack that one unit more room for each variable (n,) and each row (m,) would save.

    None if nothing nearby stands in the way, or if it takes too long to say. Equations have no room to give: 0.

    Args:
        x: The best iterate. Shape (n,).
        bounds: Of the variables. Shapes (n,), (n,).
        rows: Their values there. Shape (m,).
        slope: Their derivatives. Shape (m, n).
        row_bounds: Shapes (m,), (m,).
    """
    lower, upper = row_bounds
    above, below = np.flatnonzero(np.isfinite(upper)), np.flatnonzero(np.isfinite(lower))
    room = np.concatenate([(upper - rows)[above], (rows - lower)[below]])
    down = np.clip(bounds[0] - x, -REACH, 0.0)
    up = np.clip(bounds[1] - x, 0.0, REACH)
    found = linprog(
        np.concatenate([np.zeros(len(x)), np.ones(len(room))]),
        A_ub=hstack([vstack([slope[above], -slope[below]]), -identity(len(room))], format="csc"),
        b_ub=room,
        bounds=np.column_stack([np.append(down, np.zeros(len(room))), np.append(up, np.full(len(room), np.inf))]),
        method="highs",
        options={"time_limit": MOST_SECONDS},
    )
    if found.status != 0 or found.fun < LEAST_SLACK:
        return None
    row_price = np.zeros(len(rows))
    np.add.at(row_price, np.concatenate([above, below]), -found.ineqlin.marginals)
    at_bound = [found.lower.marginals[: len(x)], -found.upper.marginals[: len(x)]]
    price = np.where(down > -REACH, at_bound[0], 0.0) + np.where(up < REACH, at_bound[1], 0.0)
    return np.where(bounds[0] < bounds[1], price, 0.0), np.where(lower < upper, row_price, 0.0)
