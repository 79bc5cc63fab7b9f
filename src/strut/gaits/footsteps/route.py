"""Route: two feet reach a goal by a turn about one of them, a straight line, and a turn about the same foot.

The pivot foot travels only the line, so the line is its displacement whatever the heading on the way: the same formula
serves walking forwards, backwards and sideways. Either pivot reaches every goal exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from strut.place import Place, wrap_angle

Pivot = Literal["right", "left"]
LineDirection = Literal["forwards", "backwards", "leftwards", "rightwards"]
DIRECTION_RAD: dict[LineDirection, float] = {
    "forwards": 0.0,
    "backwards": math.pi,
    "leftwards": math.pi / 2.0,
    "rightwards": -math.pi / 2.0,
}
_SAME = 1e-12  # lines whose squared lengths [m²] differ by less are equally long


@dataclass(frozen=True, slots=True)
class Route:
    """Turn, line, turn.

    Args:
        pivot: The foot about which both turns go.
        direction: Direction of the line relative to the body.
        first_turn_rad: Counter-clockwise.
        line_m: Length of the line.
        second_turn_rad: Counter-clockwise.
    """

    pivot: Pivot
    direction: LineDirection
    first_turn_rad: float
    line_m: float
    second_turn_rad: float

    @property
    def turning_rad(self) -> float:
        """Sum of the sizes of both turns."""
        return abs(self.first_turn_rad) + abs(self.second_turn_rad)

    def end(self, separation_m: float) -> Place:
        """Return the end of the route, relative to its start between the feet."""
        side = separation_m / 2.0 if self.pivot == "left" else -separation_m / 2.0
        turned = Place(0.0, side).compose(Place(0.0, 0.0, self.first_turn_rad))
        angle = DIRECTION_RAD[self.direction]
        moved = turned.compose(Place(self.line_m * math.cos(angle), self.line_m * math.sin(angle)))
        return moved.compose(Place(0.0, 0.0, self.second_turn_rad)).compose(Place(0.0, -side))


def shorter_pivots(goal: Place, separation_m: float) -> tuple[Pivot, ...]:
    """Return the foot whose line is shorter, or both where they are equally long.

    The squared lengths differ by twice the separation times the bracket below.
    """
    alpha = goal.heading_rad
    bracket = goal.x_m * math.sin(alpha) + goal.y_m * (1.0 - math.cos(alpha))
    if abs(2.0 * separation_m * bracket) < _SAME:
        return ("right", "left")
    return ("left",) if bracket > 0.0 else ("right",)


def pivot_displacement(goal: Place, separation_m: float, pivot: Pivot) -> tuple[float, float]:
    """Return the displacement of the pivot foot in x and y [m], relative to the start between the feet."""
    half = separation_m / 2.0
    alpha = goal.heading_rad
    sign = 1.0 if pivot == "right" else -1.0
    return goal.x_m + sign * half * math.sin(alpha), goal.y_m + sign * half * (1.0 - math.cos(alpha))


def route_in_direction(goal: Place, separation_m: float, pivot: Pivot, direction: LineDirection) -> Route:
    """Return the route to a goal, relative to the start, about a given foot and in a given direction."""
    x_m, y_m = pivot_displacement(goal, separation_m, pivot)
    line_m = math.hypot(x_m, y_m)
    if line_m**2 < _SAME:  # without a line, one turn is enough
        return Route(pivot, "forwards", 0.0, 0.0, wrap_angle(goal.heading_rad))
    first = wrap_angle(math.atan2(y_m, x_m) - DIRECTION_RAD[direction])
    return Route(pivot, direction, first, line_m, wrap_angle(goal.heading_rad - first))


def route_to(goal: Place, separation_m: float, cost: Callable[[Route], float]) -> Route:
    """Return the route with the shorter line, walked in the direction of the smallest cost.

    Args:
        goal: Relative to the pose between the feet, x forward.
        separation_m: Distance between the feet.
        cost: Cost of a route, for instance its number of steps; at equal cost, less turning is chosen, then forwards.
    """
    routes = [
        route_in_direction(goal, separation_m, pivot, direction)
        for pivot in shorter_pivots(goal, separation_m)
        for direction in DIRECTION_RAD
    ]
    return min(routes, key=lambda route: (cost(route), round(route.turning_rad, 9)))
