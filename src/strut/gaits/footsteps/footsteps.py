"""Footsteps: planar poses of the feet, step by step, to a goal or from a user's list."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from strut.arrays import Array
from strut.errors import BadFootstepsError, OutOfRangeError
from strut.gaits.footsteps.route import DIRECTION_RAD, LineDirection, Route, route_to
from strut.place import FOOT_NAMES, LEFT, RIGHT, Footstep, Place, between
from strut.plumbing.regular_file import check_regular
from strut.robot import Robot

CSV_COLUMNS = ("foot", "x_m", "y_m", "heading_deg")
MAX_STEPS = 5000  # more take hours to walk, and much memory to plan
ROUNDING = 1e-9  # steps; a walk of exactly n longest steps takes n of them despite rounding


@dataclass(frozen=True, slots=True)
class StepLimits:
    """Largest step.

    Args:
        length_m: Distance between the feet along a line; a swing in the middle of a walk covers twice that.
        side_m: Length of a sideways step.
        turn_rad: Angle between the headings of the feet.
        separation_m: Distance between the middles of the feet when standing.
    """

    length_m: float
    side_m: float
    turn_rad: float
    separation_m: float

    def __post_init__(self) -> None:
        for name in ("length_m", "side_m", "turn_rad", "separation_m"):
            value = getattr(self, name)
            if not math.isfinite(value) or value <= 0.0:
                raise OutOfRangeError(f"The largest {name[:-2].rstrip('_')} is {value:g}; it must be above 0.")

    def parts(self, route: Route) -> tuple[int, int, int]:
        """Return the numbers of equal parts of a route's first turn, line and second turn."""
        reach_m = self.length_m if route.direction in ("forwards", "backwards") else self.side_m
        spans = ((route.first_turn_rad, self.turn_rad), (route.line_m, reach_m), (route.second_turn_rad, self.turn_rad))
        first, line, second = (math.ceil(abs(span) / most - ROUNDING) for span, most in spans)
        return first, line, second

    def swings(self, route: Route) -> int:
        """Return the number of swings of a route: one per part and one to close, or two per sideways part."""
        first, line, second = self.parts(route)
        sideways = route.direction in ("leftwards", "rightwards")
        return sum(part + 1 for part in (first, second) if part) + (2 * line if sideways else line + (line > 0))


def standing(place: Place, separation_m: float) -> tuple[Place, Place]:
    """Return the right and the left foot of a robot that stands at a place."""
    half = separation_m / 2.0
    return place.compose(Place(0.0, -half)), place.compose(Place(0.0, half))


def footsteps_to(start: Place, goals: Sequence[Place], limits: StepLimits) -> tuple[Footstep, ...]:
    """Return the fewest steps from place to place, all in world; at each goal the feet stand side by side."""
    steps: list[Footstep] = []
    here = start
    for goal in goals:
        seen = goal.relative_to(here)
        route = route_to(seen, limits.separation_m, lambda route: float(limits.swings(route)))
        if len(steps) + limits.swings(route) > MAX_STEPS:
            raise OutOfRangeError(
                f"A goal {math.hypot(seen.x_m, seen.y_m):.3g} m away would take {limits.swings(route):.3g} steps; "
                f"at most {MAX_STEPS} are planned at once: come nearer or step longer."
            )
        steps += footsteps_along(here, route, limits, first_foot=1 - steps[-1].foot if steps else None)
        here = goal
    return tuple(steps)


def first_steps(steps: Sequence[Footstep], most: int, separation_m: float) -> tuple[Footstep, ...]:
    """Return the first steps of a walk, at most `most`, ending with the feet side by side."""
    if len(steps) <= most:
        return tuple(steps)
    return (*steps[: most - 1], closing(steps[most - 2], separation_m))


def closing(step: Footstep, separation_m: float) -> Footstep:
    """Return the step of the other foot that puts it beside the one that has just stepped."""
    aside_m = separation_m if step.foot == RIGHT else -separation_m
    return Footstep(1 - step.foot, step.place.compose(Place(0.0, aside_m)))


def footsteps_along(start: Place, route: Route, limits: StepLimits, *, first_foot: int | None = None) -> list[Footstep]:
    """Return the steps along a route; the same foot never swings twice in a row unless it must.

    Args:
        start: Pose between the feet, in world.
        route: Relative to `start`.
        limits: Largest step.
        first_foot: The foot that swings first if either can.
    """
    side = 1.0 if route.pivot == "left" else -1.0
    half = limits.separation_m / 2.0
    angle = DIRECTION_RAD[route.direction]
    pivot = start.compose(Place(0.0, side * half))
    across = {LEFT if side < 0 else RIGHT: -side * 2.0 * half, LEFT if side > 0 else RIGHT: 0.0}
    parts = limits.parts(route)
    steps: list[Footstep] = []

    def add(moved: Callable[[float], Place], count: int, direction: LineDirection) -> None:
        swing_first = 1 - steps[-1].foot if steps else first_foot
        for foot, share in _sequence(count, direction, swing_first, route.first_turn_rad):
            steps.append(Footstep(foot, moved(share).compose(Place(0.0, across[foot]))))

    add(lambda share: pivot.compose(Place(0.0, 0.0, share * route.first_turn_rad)), parts[0], "forwards")
    turned = pivot.compose(Place(0.0, 0.0, route.first_turn_rad))
    line_x = route.line_m * math.cos(angle)
    line_y = route.line_m * math.sin(angle)
    add(lambda share: turned.compose(Place(share * line_x, share * line_y)), parts[1], route.direction)
    moved = turned.compose(Place(line_x, line_y))
    add(lambda share: moved.compose(Place(0.0, 0.0, share * route.second_turn_rad)), parts[2], "forwards")
    return steps


def _sequence(parts: int, direction: LineDirection, first: int | None, turn_rad: float) -> list[tuple[int, float]]:
    """Return the swing foot and the reached share of a stretch, for each step along its parts."""
    if parts == 0:
        return []
    if direction in ("leftwards", "rightwards"):  # feet must not cross: the leading one steps out, the other closes
        lead = LEFT if direction == "leftwards" else RIGHT
        return [(foot, part / parts) for part in range(1, parts + 1) for foot in (lead, 1 - lead)]
    lead = first if first is not None else (RIGHT if turn_rad >= 0.0 else LEFT)
    swings = [((lead + part - 1) % 2, part / parts) for part in range(1, parts + 1)]
    return [*swings, (1 - swings[-1][0], 1.0)]


def read_footsteps(path: Path | str) -> tuple[Footstep, ...]:
    """Read a list of footsteps: CSV with the columns foot (right or left), x_m, y_m and heading_deg, in world."""
    try:
        check_regular(Path(path))
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError as error:
        raise BadFootstepsError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise BadFootstepsError(f"{path}: cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadFootstepsError(f"{path}: cannot be read as a list of footsteps ({error}).") from error
    if not rows or set(CSV_COLUMNS) - set(rows[0]):
        raise BadFootstepsError(f"{path}: needs a header with {', '.join(CSV_COLUMNS)} and at least one step under it.")
    return tuple(_read_row(path, number, row) for number, row in enumerate(rows, start=1))


def _read_row(path: Path | str, number: int, row: dict[str, str | None]) -> Footstep:
    foot = (row["foot"] or "").strip().lower()
    if foot not in FOOT_NAMES:
        raise BadFootstepsError(f"{path}: step {number} is of the foot '{foot}'; write right or left.")
    try:
        x_m, y_m, heading_deg = (float(row[column] or "") for column in CSV_COLUMNS[1:])
        return Footstep(FOOT_NAMES.index(foot), Place(x_m, y_m, math.radians(heading_deg)))
    except (ValueError, TypeError, OutOfRangeError) as error:
        raise BadFootstepsError(
            f"{path}: step {number} needs three finite numbers, {', '.join(CSV_COLUMNS[1:])}."
        ) from error


def end_of(start: Place, steps: Sequence[Footstep], separation_m: float) -> Place:
    """Return the pose between the feet after the steps."""
    feet = list(standing(start, separation_m))
    for step in steps:
        feet[step.foot] = step.place
    return between(feet[RIGHT], feet[LEFT])


def foot_gap_m(robot: Robot, right: Place, left: Place) -> float:
    """Return the gap between two feet on the ground, negative where they overlap (along the best separating edge)."""
    corners = [_corners(robot, foot, place) for foot, place in ((RIGHT, right), (LEFT, left))]
    gaps = []
    for foot in corners:
        along = np.roll(foot, -1, axis=0) - foot
        normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
        for normal in normals:
            one = corners[0] @ normal
            other = corners[1] @ normal
            gaps.append(max(other.min() - one.max(), one.min() - other.max()))
    return float(max(gaps))


def _corners(robot: Robot, foot: int, place: Place) -> Array:
    corners = [place.compose(Place(x_m, y_m)) for x_m, y_m in robot.feet[foot].outline_m]
    return np.array([(corner.x_m, corner.y_m) for corner in corners])
