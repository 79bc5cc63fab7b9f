"""Transcription: turn an optimal control problem into the elements of a sparse nonlinear program.

Dynamics are implicit: coordinates, velocities, accelerations, torques and forces are all variables, and the equations
of motion are rows. Accelerations are linear between nodes, so velocities are quadratic and coordinates cubic in time.
Contacts and closed loops are imposed on accelerations. Heights are imposed once, at touchdown, and velocities by the
impact, so that no constraint is imposed twice. A first phase that begins at rest closes the loops.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from strut.arrays import Array, Index
from strut.kinematics.contact_set import ContactRow
from strut.ocp.friction_cones import friction_cones
from strut.ocp.layout import Layout
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import (
    BoundaryConstraint,
    BoundarySymbols,
    Bounds,
    Constraint,
    Cost,
    ImpactCost,
    LagrangeCost,
    LiftedVariable,
    MayerCost,
    MeanCost,
    Nodes,
    OptimalControlProblem,
    RateCost,
    SampleCost,
    TrackingCost,
)
from strut.ocp.sparse_nlp import Element, column, square, symbols
from strut.ocp.symbolic_dynamics import Expression, SymbolicDynamics
from strut.ocp.tree_forces import tree_forces
from strut.robot import ContactPoint

MESH = "mesh"  # name of the rows that tie nodes together (collocation defects)
DEFECT_WEIGHT = 10.0  # defects are this much stricter than their scale; no benchmark
BETWEEN = (0.25, 0.5, 0.75)  # shares of an interval at which bounds of fast coordinates hold, too
CONTACT_ACCELERATION_M_S2 = 10.0  # scale of the rows of contacts and closed loops
# Rate of the Baumgarte stabilisation of contacts [1/s]: with 0 a foot of the human gait drifted 5.8 mm per step on the
# usual mesh, with 15 it drifts 0.6 mm; no benchmark.
DRIFT_RATE_1_S = 15.0


def transcribe(layout: Layout) -> list[Element]:
    """Return the elements of a problem with the variables of its layout."""
    problem = layout.problem
    pieces = [_dynamics(layout), *_contacts(layout), *_closures(layout), _mesh(layout)]
    if problem.bounded_between_nodes:
        pieces.append(_between(layout))
    pieces += [_lift(layout, lift) for lift in problem.lifted_variables]
    if problem.friction is not None:
        pieces += friction_cones(layout, problem.friction)
    for number in range(len(problem.phases)):
        pieces += _arrival(layout, number)
    pieces += _constraints(layout)
    pieces += [_end(layout, condition) for condition in problem.boundary_constraints]
    for cost in problem.costs:
        if cost.weight != 0.0:
            pieces += _impact_costs(layout, cost) if isinstance(cost, ImpactCost) else [_cost(layout, cost)]
    return pieces


def _dynamics(layout: Layout) -> Element:
    problem = layout.problem
    node = problem.node()
    tree = problem.tree
    required = node.inverse_dynamics()
    if problem.passive is not None:
        required = required - problem.passive(node)
    torque = dict(zip(problem.actuated, range(len(problem.actuated)), strict=True))
    rows = [
        (required[index] - (node.u[torque[index]] if index in torque else 0.0)) / problem.force_scale[index]
        for index in range(tree.nv)
    ]
    return layout.element(
        "equation of motion",
        range(layout.node_count),
        rows=column(*rows),
        row_names=tree.velocity_names,
        row_sizes=problem.force_scale,
        row_units=["N m" if unit == "rad" else "N" for unit in tree.velocity_units],
    )


def _contacts(layout: Layout) -> list[Element]:
    """Impose the accelerations of active contact rows; rows of one body share an element, and so most of its terms."""
    node = layout.problem.node()
    uses = dict[tuple[ContactRow, ...], list[int]]()
    for number, phase in enumerate(layout.problem.phases):
        for own in phase.contact.by_body.values():
            uses.setdefault(own, []).extend(layout.nodes_of(number).tolist())
    pieces = []
    for own, nodes in uses.items():
        points = dict.fromkeys(row.point for row in own)
        acceleration = {point: _stabilised_acceleration(node, point) for point in points}
        rows = column(*(acceleration[row.point][row.axis] / CONTACT_ACCELERATION_M_S2 for row in own))
        size: dict[str, Any] = {"row_sizes": CONTACT_ACCELERATION_M_S2, "row_units": "m/s²"}
        names = [row.name for row in own]
        pieces.append(layout.element("contact acceleration", nodes, rows=rows, row_names=names, **size))
    return pieces


def _closures(layout: Layout) -> list[Element]:
    """Impose the accelerations of closed loops, with the same stabilisation as contacts."""
    node = layout.problem.node()
    inner = tree_forces(layout.problem.tree)
    if not inner.row_names:
        return []
    acceleration = inner.accelerations(node.q, node.v, node.a)
    velocity = inner.velocities(node.q, node.v)
    stabilised = acceleration + 2.0 * DRIFT_RATE_1_S * velocity + DRIFT_RATE_1_S**2 * inner.positions(node.q)
    rows = stabilised / CONTACT_ACCELERATION_M_S2
    size = CONTACT_ACCELERATION_M_S2
    nodes = range(layout.node_count)
    return [layout.element("closed loop", nodes, rows=rows, row_names=inner.row_names, row_sizes=size)]


def _stabilised_acceleration(node: NodeSymbols, point: ContactPoint) -> Expression:
    """Return the contact acceleration plus a stabilisation that removes drift of the mesh. Shape (3,)."""
    height = column(0.0, 0.0, node.height(point))
    velocity = node.contact_velocity(point)
    acceleration = node.movement.contact_acceleration(point)
    return acceleration + 2.0 * DRIFT_RATE_1_S * velocity + DRIFT_RATE_1_S**2 * height


def _mesh(layout: Layout) -> Element:
    problem = layout.problem
    now = problem.node()
    then = problem.node("next")
    step = _step(problem)
    speed = then.v - now.v - step / 2.0 * (now.a + then.a)
    place = then.q - now.q - step * now.v - step**2 / 6.0 * (2.0 * now.a + then.a)
    names = problem.tree.velocity_names
    units = problem.tree.velocity_units
    return layout.element(
        MESH,
        layout.starts,
        rows=column(DEFECT_WEIGHT * speed / problem.scales.velocity, DEFECT_WEIGHT * place),
        data=_intervals(layout),
        row_names=[*(f"velocity of {name}" for name in names), *(f"path of {name}" for name in names)],
        row_sizes=np.concatenate([problem.scales.velocity, np.ones(len(names))]) / DEFECT_WEIGHT,
        row_units=[*(f"{unit}/s" for unit in units), *units],
    )


def _between(layout: Layout) -> Element:
    """Keep fast coordinates and their velocities within their bounds between nodes, too."""
    problem = layout.problem
    names = list[str]()
    sizes = list[float]()
    units = list[str]()
    now = problem.node()
    then = problem.node("next")
    step = _step(problem)
    rows = []
    for index in problem.bounded_between_nodes:
        size = problem.scales.velocity[index]
        change = then.a[index] - now.a[index]
        unit = problem.tree.velocity_units[index]
        for share in BETWEEN:
            lapse = share * step
            word = f"{problem.tree.velocity_names[index]} at {share:g} of an interval"
            rows.append(now.q[index] + lapse * now.v[index] + lapse**2 * (now.a[index] / 2.0 + share * change / 6.0))
            rows.append((now.v[index] + lapse * (now.a[index] + share * change / 2.0)) / size)
            names += [word, f"velocity of {word}"]
            sizes += [1.0, float(size)]
            units += [unit, f"{unit}/s"]
    limits = np.array([_quick_limits(problem, phase.bounds) for phase in problem.phases])
    here = limits[layout.phase_of[layout.starts]]
    return layout.element(
        "bound between nodes",
        layout.starts,
        rows=column(*rows),
        bounds=(here[:, 0], here[:, 1]),
        data=_intervals(layout),
        row_names=names,
        row_sizes=sizes,
        row_units=units,
    )


def _quick_limits(problem: OptimalControlProblem, narrower: Bounds | None) -> Array:
    """Return lower and upper bounds of the rows of `_between` in a phase. Shape (2, n_rows)."""
    special = narrower or problem.bounds
    index = list(problem.bounded_between_nodes)
    limits = [
        np.array([np.maximum(general[0], own[0]), np.minimum(general[1], own[1])])[:, index] / size
        for general, own, size in (
            (problem.bounds.q, special.q, 1.0),
            (problem.bounds.v, special.v, problem.scales.velocity[index]),
        )
    ]
    return np.asarray(np.repeat(np.stack(limits, axis=2), len(BETWEEN), axis=1).reshape(2, -1))


def _step(problem: OptimalControlProblem) -> Expression:
    """Return the length of an interval: the duration of the phase over its number of intervals, the first datum."""
    return problem.node().duration_s / symbols("data", 1)


def _intervals(layout: Layout) -> Array:
    """Return the number of intervals in the phase of each interval. Shape (intervals, 1)."""
    counts = np.array([phase.intervals for phase in layout.problem.phases], dtype=float)
    return np.asarray(counts[layout.phase_of[layout.starts]][:, None])


def definition_of(lift: LiftedVariable) -> str:
    """Return the name of the rows that define a lifted quantity."""
    return f"definition of {lift.name}"


def _lift(layout: Layout, lift: LiftedVariable) -> Element:
    node = layout.problem.node()
    rows = (node.lifted[lift.name] - lift.of(node)) / lift.scale
    return layout.element(definition_of(lift), range(layout.node_count), rows=rows)


def _start(layout: Layout, number: int) -> list[int]:
    return [int(layout.first_node[number])]


def _arrival(layout: Layout, number: int) -> list[Element]:
    """Put landing points on the ground, and bring all rows to rest unless they were at rest before."""
    phase = layout.problem.phases[number]
    node = layout.problem.node()
    start = _start(layout, number)
    points = {point.name: point for point in phase.contact.points}
    pieces = []
    if phase.landing:
        heights = DEFECT_WEIGHT * column(*(node.height(points[name]) for name in phase.landing))
        size: dict[str, Any] = {"row_names": phase.landing, "row_sizes": 1.0 / DEFECT_WEIGHT, "row_units": "m"}
        pieces.append(layout.element("height at touchdown", start, rows=heights, **size))
    if phase.arrival == "impact":
        pieces.append(_impact(layout, number))
    if phase.arrival != "continuous":
        pieces += _rest(layout, number)
    return pieces


def _rest(layout: Layout, number: int) -> list[Element]:
    """Bring all rows of a phase and of closed loops to rest; where a movement begins, loops are also closed."""
    phase = layout.problem.phases[number]
    node = layout.problem.node()
    start = _start(layout, number)
    inner = tree_forces(layout.problem.tree)
    pieces = list[Element]()
    if inner.row_names:
        rows = inner.velocities(node.q, node.v)
        names = inner.row_names
        if phase.arrival == "rest":
            rows = column(rows, DEFECT_WEIGHT * inner.positions(node.q))
            names = names + names
        pieces.append(layout.element("closed loop at the start", start, rows=rows, row_names=names))
    if phase.contact.rows:
        speeds = {point: node.contact_velocity(point) for point in phase.contact.points}
        rows = column(*(speeds[row.point][row.axis] for row in phase.contact.rows))
        names = phase.contact.row_names
        pieces.append(layout.element("rest at the start", start, rows=rows, row_names=names, row_units="m/s"))
    return pieces


def _impact(layout: Layout, number: int) -> Element:
    """Impose H Δv = Gᵀ Λ: inverse dynamics with Δv in place of the acceleration, at rest and without gravity."""
    problem = layout.problem
    contact = layout.problem.phases[number].contact
    tree = layout.problem.tree
    node = problem.node()
    before = problem.node("before")
    scale = problem.scales.impulse_n_s
    impulse = symbols("impulse", len(contact.rows)) * scale
    change = node.v - before.v
    weightless = replace(tree, gravity_m_s2=0.0 * tree.gravity_m_s2)
    moving = SymbolicDynamics(weightless, node.q, 0.0 * change, change)
    inner = tree_forces(tree)
    closing = inner.loads(node.q, symbols("closing impulse", len(inner.row_names)) * scale)
    return layout.element(
        "impact",
        _start(layout, number),
        impact=number,
        rows=(moving.inverse_dynamics(moving.row_loads(contact, impulse)) - closing) / scale,
        row_names=tree.velocity_names,
        row_sizes=scale,
        row_units=["N m s" if unit == "rad" else "N s" for unit in tree.velocity_units],
    )


def _constraints(layout: Layout) -> list[Element]:
    """Impose the constraints of all phases; phases with the same constraint share an element, derived once."""
    nodes_by_constraint: dict[Constraint, list[int]] = {}
    for number, phase in enumerate(layout.problem.phases):
        for constraint in phase.constraints:
            nodes = _select_nodes(layout.nodes_of(number), constraint.nodes)
            nodes_by_constraint.setdefault(constraint, []).extend(nodes.tolist())
    return [_constraint(layout, constraint, nodes) for constraint, nodes in nodes_by_constraint.items()]


def _select_nodes(nodes: Index, which: Nodes) -> Index:
    """Return some of the nodes of a phase."""
    return {
        "all": nodes,
        "first": nodes[:1],
        "last": nodes[-1:],
        "not first": nodes[1:],
        "not last": nodes[:-1],
        "inner": nodes[1:-1],
        "middle": nodes[len(nodes) // 2 : len(nodes) // 2 + 1],
        "from a third on": nodes[len(nodes) // 3 :],
        "up to two thirds": nodes[: 2 * (len(nodes) - 1) // 3 + 1],
    }[which]


def _constraint(layout: Layout, constraint: Constraint, nodes: list[int]) -> Element:
    scale = constraint.scale
    return layout.element(
        constraint.name,
        nodes,
        rows=constraint.rows(layout.problem.node()) / scale,
        bounds=(constraint.lower / scale, constraint.upper / scale),
        row_names=constraint.row_names,
        row_sizes=scale,
        row_units=constraint.unit,
    )


def _both_ends(problem: OptimalControlProblem) -> BoundarySymbols:
    durations = symbols("durations", len(problem.phases))
    total = sum(durations[number] for number in range(len(problem.phases)))
    return BoundarySymbols(problem.node("first"), problem.node("last"), durations, total)


def _end(layout: Layout, condition: BoundaryConstraint) -> Element:
    return layout.element(
        condition.name,
        [0],
        place="at both ends",
        rows=condition.rows(_both_ends(layout.problem)),
        bounds=(condition.lower, condition.upper),
        row_names=condition.row_names,
        row_sizes=condition.row_sizes,
        row_units=condition.row_units,
    )


def _cost(layout: Layout, cost: Cost) -> Element:
    problem = layout.problem
    nodes = np.arange(layout.node_count)
    counts = np.array([phase.intervals for phase in problem.phases], dtype=float)[layout.phase_of]
    ends = np.isin(nodes, [layout.first_node, layout.last_node])
    share = (np.where(ends, 0.5, 1.0) / counts)[:, None]  # of the phase, by the trapezoid rule
    node = problem.node()
    weight = symbols("data", 1)
    if isinstance(cost, LagrangeCost):
        rate = cost.weight * weight * node.duration_s * cost.rate(node)
        return layout.element(cost.name, nodes, cost=rate, data=share)
    if isinstance(cost, MeanCost):
        value = cost.weight / len(problem.phases) * weight * cost.value(node)
        return layout.element(cost.name, nodes, cost=value, data=share)
    if isinstance(cost, RateCost):
        change = cost.of(problem.node("next")) - cost.of(node)
        value = cost.weight * square(change) / _step(problem)
        return layout.element(cost.name, layout.starts, cost=value, data=_intervals(layout))
    if isinstance(cost, TrackingCost):
        given = symbols("data", 1 + cost.reference.shape[1])
        value = cost.weight / 2.0 * given[0] * square(cost.of(node) - given[1:])
        weights = np.ones(len(nodes)) if cost.node_weight is None else cost.node_weight
        return layout.element(cost.name, nodes, cost=value, data=np.column_stack([weights, cost.reference]))
    if isinstance(cost, SampleCost):
        return _samples(layout, cost)
    assert isinstance(cost, MayerCost)
    value = cost.weight * weight * cost.value(_both_ends(problem))
    return layout.element(cost.name, [0], cost=value, data=np.ones((1, 1)))


def _impact_costs(layout: Layout, cost: ImpactCost) -> list[Element]:
    """Return the cost of every impact, in impulses over their scale."""
    return [
        layout.element(
            cost.name,
            _start(layout, number),
            impact=number,
            cost=cost.weight * symbols("data", 1) * square(symbols("impulse", len(phase.contact.rows))),
            data=np.ones((1, 1)),
        )
        for number, phase in enumerate(layout.problem.phases)
        if phase.arrival == "impact"
    ]


def _samples(layout: Layout, cost: SampleCost) -> Element:
    """Compare samples with the cubics of the mesh at their own times, for any durations."""
    problem = layout.problem
    count = len(layout.problem.phases)
    now = problem.node()
    then = problem.node("next")
    step = _step(problem)
    data = symbols("data", 3 + count + problem.tree.nq)
    durations = symbols("durations", count)
    passed = sum((data[3 + number] * durations[number] for number in range(count)), data[2] * step)
    lapse = data[1] - passed
    q = now.q + lapse * now.v + lapse**2 / 2.0 * now.a + lapse**3 / (6.0 * step) * (then.a - now.a)
    phase = layout.phase_of[cost.node]
    intervals = np.array([stage.intervals for stage in problem.phases], dtype=float)[phase]
    before = (np.arange(count)[None, :] < phase[:, None]).astype(float)
    values = np.column_stack([intervals, cost.time_s, cost.node - layout.first_node[phase], before, cost.reference])
    value = cost.weight / 2.0 * square(q - data[3 + count :])
    return layout.element(cost.name, cost.node, cost=value, data=values)
