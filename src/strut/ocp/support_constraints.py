"""Support constraints: centre of pressure, load, friction and centre of mass in each stance of a reference motion."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.balance.polygon import Polygon, convex_hull
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import OutOfRangeError
from strut.kinematics.contact_set import AXES, ContactSet
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import Constraint
from strut.ocp.reduced_model import BodyContact, ReducedModel, body_contacts
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression

PRESSURE = "pressure"
OVER = "centre of mass over the feet"
LOAD = "load on every foot"  # names of constraints
TWIST = "friction against turning"
MOST_GRIP = 0.92  # usable share of friction; no benchmark
LEAST_SHARE = 0.2  # of the weight: smallest load, divided by the number of feet in contact; no benchmark
ROW_M = 0.1  # scale of rows in metres


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceMotion:
    """A reference motion to track.

    Args:
        body: Model.
        frame_s: Between frames.
        q: Coordinates. Shape (N, nv).
        contact: Which feet are in contact. Shape (N, n_feet).
        key: Keyframes, first 0, last N - 1. Shape (n_keys,).
        margin_m: Distance of centre of pressure and centre of mass from the edge of the support polygon.
    """

    body: ReducedModel
    frame_s: float
    q: Array
    contact: npt.NDArray[np.bool_]
    key: Index
    margin_m: float

    @property
    def phases(self) -> list[tuple[int, int]]:
        """First and last frame of time spans between keyframes with the same feet in contact."""
        down = self.contact[:-1] & self.contact[1:]
        changes = 1 + np.flatnonzero((down[1:] != down[:-1]).any(axis=1))
        return list(pairwise(sorted({*self.key.tolist(), *changes.tolist()})))

    def down(self, phase: tuple[int, int]) -> npt.NDArray[np.bool_]:
        """Return which feet are in contact in a phase. Shape (n_feet,)."""
        return np.asarray(self.contact[phase[0] : phase[1] + 1].all(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class PhaseSupport:
    """Support of a phase.

    Args:
        feet: Body by body.
        contact: All their rows.
        support: Their support polygon, inset by the margin.
        constraints: On pressure of every sole and of all, load, friction, and the centre of mass.
    """

    feet: tuple[BodyContact, ...]
    contact: ContactSet
    support: Polygon
    constraints: tuple[Constraint, ...]

    @property
    def may_pull(self) -> tuple[str, ...]:
        """Names of the rows that may pull."""
        return tuple(name for foot in self.feet for name in foot.may_pull)


class SupportConstraints:
    """The constraints of all stances of a motion; equal stances share their constraints, which are derived once."""

    def __init__(self, given: ReferenceMotion) -> None:
        self.given = given
        robot = given.body.robot
        self.points = [point for foot in robot.feet for point in foot.points]
        self.owner = np.array(robot.point_feet)
        self.place_m = given.body.places(self.points, given.q)
        self._known: dict[bytes, PhaseSupport] = {}

    def of(self, phase: tuple[int, int]) -> tuple[PhaseSupport, Array]:
        """Return the support of a phase, and the position at which each point was put down. Shape (n_points, 3)."""
        down = self.given.down(phase)
        landed = np.array([self._landing(foot, phase[0]) for foot in range(len(down))])
        place = self.place_m[landed[self.owner], np.arange(len(self.points))]
        mark = down.tobytes() + place[down[self.owner]].round(4).tobytes()
        if mark not in self._known:
            self._known[mark] = self._stance(down, place, phase)
        return self._known[mark], place

    def _landing(self, foot: int, frame: int) -> int:
        """Return the frame in which a foot was put down."""
        while frame > 0 and self.given.contact[frame - 1, foot]:
            frame -= 1
        return frame

    def _stance(self, down: npt.NDArray[np.bool_], place_m: Array, phase: tuple[int, int]) -> PhaseSupport:
        chosen = np.flatnonzero(down[self.owner])
        feet = body_contacts([self.points[k] for k in chosen], place_m[chosen])
        hull = convex_hull(place_m[chosen, :2])
        support = None if hull is None else hull.inset(self.given.margin_m)
        if support is None:
            raise OutOfRangeError(
                f"At {phase[0] * self.given.frame_s:.2f} s the feet that are down leave no room to balance with "
                f"{self.given.margin_m * 1e3:.0f} mm to spare; keep more feet down."
            )
        contact = ContactSet("+".join(foot.body for foot in feet), tuple(row for foot in feet for row in foot.rows))
        weight_n = self.given.body.tree.mass_kg * GRAVITY_M_S2
        rows = [_pressed(foot.outline, (foot,), weight_n, foot.body) for foot in feet if foot.outline is not None]
        rows += [_pressed(support, feet, weight_n, "all feet"), _over(support), _loaded(feet, weight_n)]
        grip = MOST_GRIP * self.given.body.robot.friction
        rows += [_twisted(foot, grip, weight_n) for foot in feet if len(foot.rows) > len(AXES)]
        return PhaseSupport(feet, contact, support, tuple(rows))


def _pressed(inside: Polygon, feet: tuple[BodyContact, ...], weight_n: float, whose: str) -> Constraint:
    """Keep the centre of pressure of some feet inside a polygon, by rows that are linear in their forces."""
    normal, offset = inside.edges
    lever = np.concatenate([foot.pressed_m @ normal.T - offset for foot in feet])
    names = [row.name for foot in feet for row in foot.rows if row.axis == 2]

    def rows(node: NodeSymbols) -> Expression:
        force = [node.row_force(name) / weight_n for name in names]
        return column(*(sum(f * row for f, row in zip(force, edge, strict=True)) for edge in lever.T))

    return Constraint(f"{PRESSURE} of {whose}", rows, 0.0, np.inf, scale=ROW_M, unit="m")


def _loaded(feet: tuple[BodyContact, ...], weight_n: float) -> Constraint:
    """Keep a minimum load on every foot: an almost unloaded foot slips under small forces."""
    names = [[row.name for row in foot.rows if row.axis == 2] for foot in feet]
    least = LEAST_SHARE / len(feet)

    def rows(node: NodeSymbols) -> Expression:
        return column(*(sum(node.row_force(name) for name in own) / weight_n - least for own in names))

    return Constraint(LOAD, rows, 0.0, np.inf, scale=ROW_M)


def _twisted(foot: BodyContact, friction: float, weight_n: float) -> Constraint:
    """Keep the moment that turns a foot on the ground within friction, by transverse forces at its two ends."""
    first = foot.rows[foot.rows[3].axis].name
    second = foot.rows[3].name
    up = [row.name for row in foot.rows if row.axis == 2]

    def rows(node: NodeSymbols) -> Expression:
        load = [node.row_force(name) for name in up]
        ends = load if foot.outline is None else [sum(load) / 2.0] * 2
        across = [node.row_force(name) for name in ((first, second) if foot.outline is None else (second, second))]
        grip = [friction * end for end in ends]
        return (
            column(*(g - sign * push for g, push in zip(grip, across, strict=True) for sign in (1.0, -1.0))) / weight_n
        )

    return Constraint(f"{TWIST} of {foot.body}", rows, 0.0, np.inf, scale=ROW_M)


def _over(inside: Polygon) -> Constraint:
    normal, offset = inside.edges

    def rows(node: NodeSymbols) -> Expression:
        place = node.positions.centre_of_mass()
        return column(*(n[0] * place[0] + n[1] * place[1] - d for n, d in zip(normal, offset, strict=True)))

    return Constraint(OVER, rows, 0.0, np.inf, scale=ROW_M, unit="m")


def touchdown_constraint(
    rows: list[tuple[str, int]], stance: PhaseSupport, place_m: dict[str, Array], *, resting: bool
) -> Constraint:
    """Put newly active rows of a stance at their reference position on the ground, and at rest unless they are."""
    held = [row for row in stance.contact.rows if (row.point.name, row.axis) in rows]

    def wrong(node: NodeSymbols) -> Expression:
        where = [
            node.place(row.point)[row.axis] - (place_m[row.point.name][row.axis] if row.axis < 2 else 0.0)
            for row in held
        ]
        speed = [] if resting else [0.1 * node.contact_velocity(row.point)[row.axis] for row in held]
        return column(*where, *speed)

    return Constraint("feet put down", wrong, nodes="first", scale=ROW_M, unit="m")
