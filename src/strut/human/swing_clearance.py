"""Leg room: what keeps swinging feet above the ground and the legs out of each other's way, phase by phase."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from strut.contact_set import contact_points
from strut.human.gait_options import GaitOptions
from strut.optimal.node_symbols import NodeSymbols
from strut.optimal.problem import Constraint, Nodes
from strut.optimal.sparse_nlp import column
from strut.optimal.symbolic_dynamics import Expression
from strut.robot import Robot

_Swing = tuple[tuple[str, ...], Nodes, str]
_SWINGING: dict[int, tuple[_Swing, ...]] = {  # phase by phase: what is in the air, where in the phase, and its name
    0: ((("HeelLeft", "HalluxLeft", "Meta5Left"), "not first", "the left foot"),),
    1: (
        (("HeelLeft", "HalluxLeft", "Meta5Left", "HeelRight"), "inner", "the left foot and the right heel"),
        (("HalluxLeft", "Meta5Left", "HeelRight"), "last", "the left toes and the right heel"),
    ),
    2: ((("HalluxLeft", "Meta5Left", "HeelRight"), "inner", "the left toes and the right heel"),),
    3: ((("HeelRight",), "not first", "the right heel"),),
}
_CLEAR: dict[int, Nodes] = {0: "from a third on", 1: "all"}
_ROUND = 0.02  # share of a shank that is rounded off where the nearest point comes to an end of it
ROUNDING_M = 0.005  # what rounding may add to a distance near touching, and is kept besides; see the test of it
_PARALLEL_M4 = 1e-4  # as shanks turn parallel their nearest points are no longer unique


def swing_constraints(robot: Robot, number: int, options: GaitOptions) -> tuple[Constraint, ...]:
    """Return the constraints of a phase, counted from 0."""
    points = contact_points(robot)

    def heights(*names: str) -> Callable[[NodeSymbols], Expression]:
        return lambda node: column(*(node.height(points[name]) for name in names))

    found = [
        Constraint(f"height of {who}", heights(*names), 0.0, np.inf, nodes, scale=0.1, row_names=names, unit="m")
        for names, nodes, who in _SWINGING[number]
    ]
    if options.clearance_m > 0.0 and number in _CLEAR:
        toes = heights("HalluxLeft", "Meta5Left")
        found.append(
            Constraint(
                "clearance of the left toes",
                toes,
                options.clearance_m,
                np.inf,
                _CLEAR[number],
                scale=0.1,
                row_names=("the big toe", "the little toe"),
                unit="m",
            )
        )
    return (_apart(robot, options), *found)


def _apart(robot: Robot, options: GaitOptions) -> Constraint:
    limits, shank = robot.human_gait.limits, robot.subject.lengths_m["ShankLeftLength"]
    if options.capsules:
        capsules = [robot.contacts.capsule[f"Shank{side}"] for side in ("Left", "Right")]
        radii_m = sum(capsule.radius_m for capsule in capsules)

        def between(node: NodeSymbols) -> Expression:
            ends = [
                node.positions.position(capsule.segment, end)
                for capsule in capsules
                for end in (capsule.from_m, capsule.to_m)
            ]
            return smooth_distance(*ends) - radii_m

        return Constraint("distance of the shanks", between, ROUNDING_M, np.inf, scale=0.1, unit="m")

    def sideways(node: NodeSymbols) -> Expression:
        left, right = (
            [node.positions.position(f"Shank{side}", place)[1] for place in ((0.0, 0.0, 0.0), (0.0, 0.0, -shank))]
            for side in ("Left", "Right")
        )
        return column(left[0] - right[0], left[1] - right[1])

    return Constraint(
        "distance of the legs",
        sideways,
        limits.leg_separation_m,
        np.inf,
        scale=0.1,
        row_names=("the knees", "the ankles"),
        unit="m",
    )


def smooth_distance(start: Any, stop: Any, other_start: Any, other_stop: Any) -> Expression:
    """Return the distance between two points of two segments that are nearly the nearest; differentiable throughout.

    It is never less than the true distance, and more only by what rounding the ends costs.
    """
    along, other, between = stop - start, other_stop - other_start, start - other_start
    a, b, c = _dot(along, along), _dot(along, other), _dot(other, other)
    d, e = _dot(along, between), _dot(other, between)
    s = _within((b * e - c * d) / (a * c - b * b + _PARALLEL_M4))
    t = _within((b * s + e) / c)
    s = _within((b * t - d) / a)
    gap = between + s * along - t * other
    return (_dot(gap, gap) + 1e-8) ** 0.5


def _within(share: Expression) -> Expression:
    """Return the share, held between 0 and 1 by a curve without corners."""
    return 0.5 * (1.0 + (share**2 + _ROUND**2) ** 0.5 - ((share - 1.0) ** 2 + _ROUND**2) ** 0.5)


def _dot(one: Any, another: Any) -> Expression:
    return one[0] * another[0] + one[1] * another[1] + one[2] * another[2]
