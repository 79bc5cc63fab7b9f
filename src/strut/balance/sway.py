"""Sway: shifts of the body, by the linear inverted pendulum, that keep the centre of pressure in the support polygon.

The published correction moves the feet under the body at each tick; here it is planned for the whole walk at once:

    path   target of the centre of pressure p: the nearest point of the inset support polygon with one foot in the air,
           interpolated smoothly while all feet are on the ground
    shift  centre of mass c with c - (h/g) c'' = p at height h; the bounded solution looks ahead, so that the body
           already moves when the swing leg changes, which is where the published robot fell
    check  the whole-body dynamics give the new centre of pressure, and the rest is planned again
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_banded

from strut.arrays import Array
from strut.balance.polygon import Polygon
from strut.balance.support import supports
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.easing import smooth_step

CLOSE_M = 2e-3  # an error that needs no further shift: the audit measures the margin afterwards


@dataclass(frozen=True, slots=True, eq=False)
class BodyResponse:
    """Measured response to a shift: centre of pressure (T, 2) and centre of mass (T, 3) in world."""

    cop_in_world: Array
    com_in_world: Array


@dataclass(frozen=True, slots=True, eq=False)
class Sway:
    """Target of the centre of pressure of a motion.

    Args:
        time_s: Evenly spaced. Shape (T,).
        standing: Response without sway.
        inset: Support triangles, less the buffer, while one foot is in the air, else NaN. Shape (T, 3, 2).
        x_cost: Cost of a shift along the path relative to one sideways: 1 takes the nearest point, infinity shifts
            sideways only, as published.
    """

    time_s: Array
    standing: BodyResponse
    inset: Array
    x_cost: float

    def missing_shift(self, response: BodyResponse) -> Array | None:
        """Return the remaining shift of the centre of mass after a response; None if it is small. Shape (T, 2)."""
        cop = response.cop_in_world
        missing = _target_path(self.standing.cop_in_world, cop, self.inset, self.x_cost) - cop
        missing[[0, -1]] = 0.0  # the motion starts and ends standing
        if self.x_cost == np.inf:
            missing[:, 0] = 0.0
        if np.abs(missing).max() < CLOSE_M:
            return None
        return com_from_zmp(missing, self.time_s, float(response.com_in_world[:, 2].mean()))


def inset_support(contact: npt.NDArray[np.bool_], foot_in_world: Array, buffer_m: float) -> Array:
    """Return the shrunken support triangle at each sample with one foot in the air, else NaN. Shape (T, 3, 2).

    If the buffer leaves no triangle, a tiny one around the centre is returned.
    """
    corners = np.full((len(contact), 3, 2), np.nan)
    for support in supports(contact, foot_in_world):
        if support.polygon is not None and len(support.feet) == 3:
            corners[support.rows] = (support.polygon.inset(buffer_m) or support.polygon.shrink(0.999)).corners
    return corners


def _target_path(standing_cop: Array, cop: Array, inset: Array, x_cost: float) -> Array:
    """Return the target of the centre of pressure. Shape (T, 2)."""
    target = np.full_like(cop, np.nan)
    one_in_air = np.isfinite(inset[:, 0, 0])
    if x_cost == np.inf:
        start = np.stack([cop[:, 0], standing_cop[:, 1]], axis=1)
        target[one_in_air] = Polygon(inset[one_in_air]).nearest_at_same_x(start[one_in_air])
    else:
        start = standing_cop
        stretch = np.array([x_cost, 1.0])
        target[one_in_air] = Polygon(inset[one_in_air] * stretch).nearest(start[one_in_air] * stretch) / stretch
    return start + _fill_smoothly(target - start)


def _fill_smoothly(offset: Array) -> Array:
    """Return rows with NaN filled smoothly between known ones, and 0 at the first and the last. Shape (T, 2)."""
    offset = offset.copy()
    offset[[0, -1]] = 0.0  # the motion starts and ends standing
    known = np.flatnonzero(np.isfinite(offset[:, 0]))
    before = known[np.searchsorted(known, np.arange(len(offset)), side="right") - 1]
    after = known[np.searchsorted(known, np.arange(len(offset)), side="left")]
    share = smooth_step((np.arange(len(offset)) - before) / np.maximum(after - before, 1))[:, None]
    return np.asarray(offset[before] + share * (offset[after] - offset[before]))


def com_from_zmp(pressure: Array, time_s: Array, height_m: float) -> Array:
    """Return the bounded centre of mass c of c - (h/g) c'' = p over a zero-moment point p; c = p at ends. (T, 2)."""
    coupling = height_m / GRAVITY_M_S2 / float(time_s[1] - time_s[0]) ** 2
    bands = np.zeros((3, len(time_s)))
    bands[0, 2:] = bands[2, :-2] = -coupling
    bands[1] = 1.0 + 2.0 * coupling
    bands[1, [0, -1]] = 1.0
    return np.asarray(solve_banded((1, 1), bands, pressure))
