"""Swing clearance: constraints of each phase that keep swinging feet above the ground and the legs apart."""

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

_Swing = tuple[tuple[str, ...], Nodes, str]  # contact points in the air, at which nodes, and their name
_SWINGING: dict[int, tuple[_Swing, ...]] = {  # by phase
    0: ((("HeelLeft", "HalluxLeft", "Meta5Left"), "not first", "the left foot"),),
    1: (
        (("HeelLeft", "HalluxLeft", "Meta5Left", "HeelRight"), "inner", "the left foot and the right heel"),
        (("HalluxLeft", "Meta5Left", "HeelRight"), "last", "the left toes and the right heel"),
    ),
    2: ((("HalluxLeft", "Meta5Left", "HeelRight"), "inner", "the left toes and the right heel"),),
    3: ((("HeelRight",), "not first", "the right heel"),),
}
_TOE_CLEARANCE_NODES: dict[int, Nodes] = {0: "from a third on", 1: "all"}  # by phase
_HEEL_CLEARANCE_NODES: dict[int, Nodes] = {0: "from a third on", 1: "up to two thirds"}  # then the heel lands
_POINT_LABELS = {
    sided(point, side): f"the {side.lower()} {label}"
    for point, label in ((HEEL, "heel"), (TOES, "big toe"), (LITTLE_TOE, "little toe"))
    for side in (LEFT, RIGHT)
}
ROUNDING_M = 0.005  # smooth_distance may exceed the true distance by this much, so the capsules keep it as a margin


def swing_constraints(
    robot: Robot, number: int, options: GaitOptions, *, natural: bool, mirrored: bool = False
) -> tuple[Constraint, ...]:
    """Return the constraints of a phase.

    Args:
        robot: A human model.
        number: Of the phase, counted from 0.
        options: Toe clearance and whether the shanks are capsules.
        natural: Whether the swinging heel keeps a clearance too, if the toes do.
        mirrored: For the same phase of the other leg.
    """
    constraints = [
        height_constraint(robot, f"height of {label}", names, 0.0, nodes, mirrored=mirrored)
        for names, nodes, label in _SWINGING[number]
    ]
    if options.clearance_m > 0.0 and number in _TOE_CLEARANCE_NODES:
        label = "clearance of the left toes"
        nodes = _TOE_CLEARANCE_NODES[number]
        toes = ("HalluxLeft", "Meta5Left")
        constraints.append(height_constraint(robot, label, toes, options.clearance_m, nodes, mirrored=mirrored))
    heel_m = human_gait(robot).natural_criteria.heel_clearance_m if natural and options.clearance_m else 0.0
    if heel_m > 0.0 and number in _HEEL_CLEARANCE_NODES:
        label = "clearance of the left heel"
        nodes = _HEEL_CLEARANCE_NODES[number]
        constraints.append(height_constraint(robot, label, ("HeelLeft",), heel_m, nodes, mirrored=mirrored))
    return (legs_apart(robot, options), *constraints)


def height_constraint(
    robot: Robot, label: str, names: Sequence[str], min_m: float, nodes: Nodes, *, mirrored: bool = False
) -> Constraint:
    """Return the constraint that contact points, or those of the other leg, are at least `min_m` high at some nodes."""
    side: Callable[[str], str] = other_side if mirrored else str
    points = [contact_points(robot)[side(name)] for name in names]
    row_names = tuple(_POINT_LABELS[side(name)] for name in names)

    def heights(node: NodeSymbols) -> Expression:
        return column(*(node.height(point) for point in points))

    return Constraint(side(label), heights, min_m, np.inf, nodes, scale=0.1, row_names=row_names, unit="m")


def legs_apart(robot: Robot, options: GaitOptions) -> Constraint:
    """Return the constraint that keeps the legs apart: the capsules of the shanks, or knees and ankles along y."""
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
