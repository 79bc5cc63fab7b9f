"""Periodicity: a movement whose end is its start, seen through a symmetry map; as constraints of a problem."""

from __future__ import annotations

from strut.engines.kinematic_tree import KinematicTree
from strut.engines.sparse_nlp import column
from strut.models.mirror import Mirror
from strut.optimal.problem import BoundaryConstraint, BoundarySymbols, Expression
from strut.robot import Array


def periodic(
    tree: KinematicTree,
    *,
    actuated_from: int,
    velocity_scale: Array,
    torque_scale: Array,
    mirror: Mirror | None = None,
    advancing: int = 0,
) -> tuple[BoundaryConstraint, ...]:
    """Return the constraints that the end of a movement is the image of its start: places, velocities, torques.

    Args:
        tree: Who moves.
        actuated_from: The first velocity that has a torque; all later ones have one.
        velocity_scale: Shape (nv,).
        torque_scale: Shape (nv - actuated_from,).
        mirror: The symmetry map of all coordinates; None for a movement that repeats as it is.
        advancing: The coordinate that goes on instead of coming back.
    """
    mirror = mirror or Mirror(tuple(range(tree.nv)), (1.0,) * tree.nv)
    names, units = tree.velocity_names, tree.velocity_units
    staying = [index for index in range(tree.nq) if index != advancing]
    powered = Mirror(*mirror.part(actuated_from))

    def coordinates(ends: BoundarySymbols) -> Expression:
        image = mirror.apply(ends.last.q)
        return column(*(ends.first.q[index] - image[index] for index in staying))

    def velocities(ends: BoundarySymbols) -> Expression:
        return (ends.first.v - column(*mirror.apply(ends.last.v))) / velocity_scale

    def torques(ends: BoundarySymbols) -> Expression:
        return (ends.first.u - column(*powered.apply(ends.last.u))) / torque_scale

    return (
        BoundaryConstraint(
            "periodic coordinate",
            coordinates,
            tuple(names[index] for index in staying),
            row_units=tuple(units[index] for index in staying),
        ),
        BoundaryConstraint(
            "periodic velocity",
            velocities,
            names,
            row_sizes=velocity_scale,
            row_units=tuple(f"{unit}/s" for unit in units),
        ),
        BoundaryConstraint("periodic torque", torques, names[actuated_from:], row_sizes=torque_scale, row_units="N m"),
    )
