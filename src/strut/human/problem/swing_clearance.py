"""Swing clearance: what keeps swinging feet above the ground and the legs out of each other's way, phase by phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from strut.human.anatomy import HEEL, LEFT, LITTLE_TOE, RIGHT, TOES, other_side, sided
from strut.human.problem.gait_options import GaitOptions
from strut.human.table import human_gait
from strut.kinematics.contact_set import contact_points
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import Constraint, Nodes
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression, smooth_distance
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
_HEEL_CLEAR: dict[int, Nodes] = {0: "from a third on", 1: "up to two thirds"}  # then it comes down to land
_SAID = {
    sided(point, side): f"the {side.lower()} {words}"
    for point, words in ((HEEL, "heel"), (TOES, "big toe"), (LITTLE_TOE, "little toe"))
    for side in (LEFT, RIGHT)
}
ROUNDING_M = 0.005  # what rounding may add to a distance near touching, and is kept besides; see the test of it


def swing_constraints(
    robot: Robot, number: int, options: GaitOptions, *, natural: bool, mirrored: bool = False
) -> tuple[Constraint, ...]:
    """Return the constraints of a phase, counted from 0; `mirrored` is for the same phase of the other leg.

    By `natural` criteria the heel that swings past keeps a height too, wherever the toes do.
    """
    heel_m = human_gait(robot).natural_criteria.heel_clearance_m if natural and options.clearance_m else 0.0
    found = [
        height_constraint(robot, f"height of {who}", names, 0.0, nodes, mirrored=mirrored)
        for names, nodes, who in _SWINGING[number]
    ]
    for who, names, least_m, where in (
        ("clearance of the left toes", ("HalluxLeft", "Meta5Left"), options.clearance_m, _CLEAR),
        ("clearance of the left heel", ("HeelLeft",), heel_m, _HEEL_CLEAR),
    ):
        if least_m > 0.0 and number in where:
            found.append(height_constraint(robot, who, names, least_m, where[number], mirrored=mirrored))
    return (legs_apart(robot, options), *found)


def height_constraint(
    robot: Robot, who: str, names: Sequence[str], least_m: float, nodes: Nodes, *, mirrored: bool = False
) -> Constraint:
    """Return the constraint that contact points, or those of the other leg, are at least so high at some nodes."""
    side: Callable[[str], str] = other_side if mirrored else str
    points = [contact_points(robot)[side(name)] for name in names]
    words = tuple(_SAID[side(name)] for name in names)

    def heights(node: NodeSymbols) -> Expression:
        return column(*(node.height(point) for point in points))

    return Constraint(side(who), heights, least_m, np.inf, nodes, scale=0.1, row_names=words, unit="m")


def legs_apart(robot: Robot, options: GaitOptions) -> Constraint:
    """Return the constraint that keeps the legs apart: their capsules, or knees and ankles side by side along y."""
    limits = human_gait(robot).limits
    shank = robot.subject.lengths_m["ShankLeftLength"]
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
