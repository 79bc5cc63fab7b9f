"""Friction cones: no foot pushes sideways more than its load allows, neither while it stands nor while it lands."""

from __future__ import annotations

from typing import Any

import numpy as np

from strut.engines.sparse_nlp import Element, column, symbols
from strut.engines.symbolic_dynamics import Expression
from strut.models.contact_set import ContactRow
from strut.optimal.layout import Layout
from strut.optimal.placed_element import at, at_impact
from strut.optimal.problem import OptimalControlProblem


def friction_cones(problem: OptimalControlProblem, layout: Layout, friction: float) -> list[Element]:
    """Limit the sideways force of every foot, which is every body that touches, by its load."""
    node, pieces = problem.node(), []
    for number, phase in enumerate(problem.phases):
        for body in dict.fromkeys(row.point.body for row in phase.contact.rows):
            rows_of = [row for row in phase.contact.rows if row.point.body == body]
            nodes = layout.nodes_of(number)
            if all(row.name in phase.unloaded for row in rows_of):
                nodes = nodes[:-1]  # a foot without load has no cone, and its forces are 0 already
            force = {row: node.row_force(row.name) for row in rows_of}
            pieces.append(at(layout, "friction", nodes, **_cone(force, body, friction, problem.scales.force_n, "N")))
        if phase.arrival == "impact":
            pieces += _landing_cones(problem, layout, number, friction)
    return pieces


def _landing_cones(problem: OptimalControlProblem, layout: Layout, number: int, friction: float) -> list[Element]:
    """Limit the sideways impulse of every foot that lands by its impulse upwards."""
    phase, scale = problem.phases[number], problem.scales.impulse_n_s
    impulse = symbols("impulse", len(phase.contact.rows)) * scale
    landing = {point.body for point in phase.contact.points if point.name in phase.landing}
    pieces = []
    for body in sorted(landing):
        of_body = {row: impulse[index] for index, row in enumerate(phase.contact.rows) if row.point.body == body}
        options = _cone(of_body, body, friction, scale, "N s")
        pieces.append(at_impact(layout, "friction of the impact", number, **options))
    return pieces


def _cone(force: dict[ContactRow, Expression], body: str, friction: float, scale: float, unit: str) -> dict[str, Any]:
    """Return the rows that keep a body's force within its cone: an octagon inside the circle, so never too much."""
    total = [sum(value for row, value in force.items() if row.axis == axis) for axis in range(3)]
    angles = np.pi / 8.0 * np.arange(1, 16, 2)
    load = np.cos(np.pi / 8.0) * friction * total[2]
    return {
        "rows": column(*(load - np.cos(angle) * total[0] - np.sin(angle) * total[1] for angle in angles)) / scale,
        "bounds": (0.0, np.inf),
        "row_names": [f"{body}, pushed towards {np.degrees(angle):.0f}°" for angle in angles],
        "row_sizes": scale,
        "row_units": unit,
    }
