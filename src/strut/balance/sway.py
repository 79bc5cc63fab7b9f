"""Sway by the linear inverted pendulum: shifts of the body that keep the centre of pressure in the support polygon.

The published correction moves the feet under the body at each tick; here the same is planned for the whole walk at
once. First the path that the centre of pressure shall take: the nearest point of the shrunken support polygon, carried
over evenly from one polygon to the next while all feet are down. Then the shift of the body that produces it: a mass
at height h over the ground obeys c - (h/g) c'' = p, whose bounded solution looks ahead, so that the body is already
moving when the swing leg changes, which is where the published robot fell. The whole-body dynamics close the loop.
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

CLOSE_M = 2e-3  # the path need not be met better than this: the gate measures the margin afterwards


@dataclass(frozen=True, slots=True, eq=False)
class BodyResponse:
    """What a shifted motion does: centre of pressure (T, 2) and centre of mass (T, 3) in world."""

    cop_in_world: Array
    com_in_world: Array


@dataclass(frozen=True, slots=True, eq=False)
class Sway:
    """Where the centre of pressure of a motion shall be.

    Args:
        time_s: Evenly spaced. Shape (T,).
        standing: What the motion does without any sway.
        inset: Support triangles, less the buffer, where one foot is in the air, else NaN. Shape (T, 3, 2).
        x_cost: How much dearer a shift along the path is than one to the side: 1 takes the shortest way, infinity
            shifts sideways only, as published.
    """

    time_s: Array
    standing: BodyResponse
    inset: Array
    x_cost: float

    def missing_shift(self, response: BodyResponse) -> Array | None:
        """Return how far the centre of mass has yet to shift after a response; None where it is close. Shape (T, 2)."""
        cop = response.cop_in_world
        missing = _zmp_path(self.standing.cop_in_world, cop, self.inset, self.x_cost) - cop
        missing[[0, -1]] = 0.0  # the motion starts and ends where it stands
        if self.x_cost == np.inf:
            missing[:, 0] = 0.0
        if np.abs(missing).max() < CLOSE_M:
            return None
        return com_from_zmp(missing, self.time_s, float(response.com_in_world[:, 2].mean()))


def inset_support(contact: npt.NDArray[np.bool_], foot_in_world: Array, buffer_m: float) -> Array:
    """Return the shrunken support triangle at each sample with one foot in the air, else NaN. Shape (T, 3, 2).

    Where the buffer leaves nothing of a triangle, it is a tiny one around the centre.
    """
    corners = np.full((len(contact), 3, 2), np.nan)
    for support in supports(contact, foot_in_world):
        if support.polygon is not None and len(support.feet) == 3:
            corners[support.rows] = (support.polygon.inset(buffer_m) or support.polygon.shrink(0.999)).corners
    return corners


def _zmp_path(standing_cop: Array, cop: Array, inset: Array, x_cost: float) -> Array:
    """Return where the centre of pressure shall be. Shape (T, 2)."""
    wanted = np.full_like(cop, np.nan)
    one_in_air = np.isfinite(inset[:, 0, 0])
    if x_cost == np.inf:
        start = np.stack([cop[:, 0], standing_cop[:, 1]], axis=1)
        wanted[one_in_air] = Polygon(inset[one_in_air]).nearest_at_same_x(start[one_in_air])
    else:
        start = standing_cop
        stretch = np.array([x_cost, 1.0])
        wanted[one_in_air] = Polygon(inset[one_in_air] * stretch).nearest(start[one_in_air] * stretch) / stretch
    return start + _carried_over(wanted - start)


def _carried_over(offset: Array) -> Array:
    """Return the rows that are NaN filled smoothly between the known ones, with 0 at the first and the last. (T, 2)."""
    offset = offset.copy()
    offset[[0, -1]] = 0.0  # standing before and after
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
