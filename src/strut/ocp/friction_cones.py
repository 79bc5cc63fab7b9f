"""Friction cones: keep the force on every body in contact, and its impulse at impacts, within a friction cone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from strut.kinematics.contact_set import ContactRow
from strut.ocp.layout import Layout
from strut.ocp.sparse_nlp import Element, column, symbols
from strut.ocp.symbolic_dynamics import Expression

CONE_SIDES = np.pi / 8.0 * np.arange(1, 16, 2)  # directions of the octagon that approximates a friction cone


def friction_cones(layout: Layout, friction: float) -> list[Element]:
    """Keep forces, and impulses at impacts, within friction cones."""
    pieces = _standing_cones(layout, friction)
    for number, phase in enumerate(layout.problem.phases):
        if phase.arrival == "impact":
            pieces += _landing_cones(layout, number, friction)
    return pieces


def _standing_cones(layout: Layout, friction: float) -> list[Element]:
    """Limit the tangential force on every body in contact by its load; one element per body."""
    node = layout.problem.node()
    uses = dict[tuple[ContactRow, ...], list[int]]()
    for number, phase in enumerate(layout.problem.phases):
        for own in phase.contact.by_body.values():
            nodes = layout.nodes_of(number)
            if all(row.name in phase.unloaded for row in own):
                nodes = nodes[:-1]  # without load there is no cone, and the forces are 0 already
            uses.setdefault(own, []).extend(nodes.tolist())
    pieces = []
    for own, places in uses.items():
        force = {row: node.row_force(row.name) for row in own}
        cone = _cone(force, own[0].point.body, friction, layout.problem.scales.force_n, "N")
        pieces.append(layout.element("friction", places, **cone))
    return pieces


def _landing_cones(layout: Layout, number: int, friction: float) -> list[Element]:
    """Limit the tangential impulse on every landing body by its normal impulse."""
    phase = layout.problem.phases[number]
    scale = layout.problem.scales.impulse_n_s
    pieces = []
    impulse = symbols("impulse", len(phase.contact.rows)) * scale
    for body in sorted({point.body for point in phase.contact.points if point.name in phase.landing}):
        of_body = {row: impulse[index] for index, row in enumerate(phase.contact.rows) if row.point.body == body}
        cone = _cone(of_body, body, friction, scale, "N s")
        pieces.append(layout.element("friction of the impact", [int(layout.first_node[number])], impact=number, **cone))
    return pieces


def _cone(
    force: Mapping[ContactRow, Expression], body: str, friction: float, scale: float, unit: str
) -> dict[str, Expression]:
    """Return the rows that keep a body's force within its cone, with their names."""
    return {
        "rows": cone_rows(force, friction) / scale,
        "bounds": (0.0, np.inf),
        "row_names": [f"{body}, pushed towards {np.degrees(angle):.0f}°" for angle in CONE_SIDES],
        "row_sizes": scale,
        "row_units": unit,
    }


def cone_rows(force: Mapping[ContactRow, Expression], friction: float) -> Expression:
    """Return rows that are at least 0 within a friction cone, an octagon inside the circle. Shape (8,)."""
    total = [sum(value for row, value in force.items() if row.axis == axis) for axis in range(3)]
    load = np.cos(np.pi / 8.0) * friction * total[2]
    return column(*(load - np.cos(angle) * total[0] - np.sin(angle) * total[1] for angle in CONE_SIDES))
