"""Support: phases of a motion with the same feet on the ground, their support polygons and the balance margin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.balance.polygon import Polygon, convex_hull
from strut.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """The samples from `first` to before `stop` with the same feet on the ground, and their support polygon."""

    first: int
    stop: int
    feet: tuple[int, ...]
    polygon: Polygon | None

    @property
    def rows(self) -> slice:
        """The samples as a slice."""
        return slice(self.first, self.stop)


def supports(contact: npt.NDArray[np.bool_], foot_in_world: Array) -> Iterator[Support]:
    """Yield the supports of a motion in order; feet on the ground do not move, so each has one polygon.

    Args:
        contact: Shape (T, n).
        foot_in_world: Shape (T, n, 3).
    """
    changes = np.flatnonzero((contact[1:] != contact[:-1]).any(axis=1)) + 1
    bounds = [0, *changes.tolist(), len(contact)]
    for first, stop in pairwise(bounds):
        feet = tuple(np.flatnonzero(contact[first]).tolist())
        points = foot_in_world[first, list(feet), :2]
        yield Support(first, stop, feet, convex_hull(points))


def support_margin(contact: npt.NDArray[np.bool_], foot_in_world: Array, cop_in_world: Array) -> Array:
    """Return the margin of the centre of pressure in the support polygon; minus infinity in flight.

    Feet on one line span no polygon: the margin is then minus the distance from the segment between the outer two.

    Args:
        contact: Shape (T, n).
        foot_in_world: Shape (T, n, 3).
        cop_in_world: Shape (T, 2).

    Returns:
        Signed distance to the nearest edge [m]. Shape (T,).
    """
    margin = np.full(len(contact), -np.inf)
    for support in supports(contact, foot_in_world):
        points = cop_in_world[support.rows]
        if support.polygon is not None:
            margin[support.rows] = support.polygon.margin(points)
        elif support.feet:
            standing = foot_in_world[support.first, list(support.feet), :2]
            outer = np.lexsort(standing.T)[[0, -1]]
            margin[support.rows] = -_distance_from_line(points, *standing[outer])
    return margin


def stands_on_lines(robot: Robot, contact: npt.NDArray[np.bool_]) -> bool:
    """Return whether a motion ever stands on fewer than three points, where the margin is never positive. (T, n)."""
    points = np.bincount(np.array(robot.point_feet, dtype=int), minlength=len(robot.feet))
    return bool(robot.feet) and bool((contact @ points < 3).any())


def _distance_from_line(points: Array, start: Array, stop: Array) -> Array:
    """Return the distance of points from a segment, which may be a point. Shape (N, 2) in, (N,) out."""
    along = stop - start
    share = np.clip((points - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - share[:, None] * along, axis=1))
