"""Transcription: a problem becomes the elements of a sparse program.

Dynamics are implicit: coordinates, velocities, accelerations, torques and forces are all variables, and the equations
of motion are rows. Accelerations are linear between nodes, so velocities are parabolas and coordinates cubics, exactly.
Contact is held at the level of accelerations; heights are imposed once, at touchdown, and velocities by the impact, so
that no equation is written twice.
"""

from __future__ import annotations

import numpy as np

from strut.engines.node_symbols import NodeSymbols, impact_residual
from strut.engines.sparse_nlp import Element, Index, column, square, symbols
from strut.engines.symbolic_dynamics import Expression
from strut.models.contact_set import AXES
from strut.optimal.friction_cones import friction_cones
from strut.optimal.layout import Layout
from strut.optimal.placed_element import at, at_impact
from strut.optimal.problem import (
    BoundarySymbols,
    Bounds,
    Constraint,
    Cost,
    LagrangeCost,
    MayerCost,
    MeanCost,
    OptimalControlProblem,
    RateCost,
    SampleCost,
    TrackingCost,
)
from strut.robot import Array, ContactPoint

MESH = "mesh"  # name of the rows that tie nodes together
DEFECT = 10.0  # rows of the mesh are this much stricter than their size says
BETWEEN = (0.25, 0.5, 0.75)  # shares of an interval at which bounds of quick coordinates hold
CONTACT_ACCELERATION_M_S2 = 10.0
DRIFT_FADES_1_S = 15.0  # with 0 a foot drifted 5.8 mm per step on the usual mesh, with 15 it drifts 0.6 mm


def transcribe(problem: OptimalControlProblem, layout: Layout) -> list[Element]:
    """Return the elements of a problem."""
    pieces = [_dynamics(problem, layout), *_contacts(problem, layout), _mesh(problem, layout)]
    if problem.quick:
        pieces.append(_between(problem, layout))
    pieces += [_lift(problem, layout, number) for number in range(len(problem.lifts))]
    if problem.friction is not None:
        pieces += friction_cones(problem, layout, problem.friction)
    for number, phase in enumerate(problem.phases):
        pieces += _arrival(problem, layout, number)
        pieces += [_constraint(problem, layout, number, constraint) for constraint in phase.constraints]
    pieces += [_ends(problem, layout, number) for number in range(len(problem.ends))]
    pieces += [_cost(problem, layout, cost) for cost in problem.costs if cost.weight != 0.0]
    return pieces


def _dynamics(problem: OptimalControlProblem, layout: Layout) -> Element:
    node = problem.node()
    missing = node.inverse_dynamics()
    if problem.passive is not None:
        missing = missing - problem.passive(node)
    rows = []
    position = {velocity: index for index, velocity in enumerate(problem.actuated)}
    for velocity in range(problem.tree.nv):
        torque = node.u[position[velocity]] if velocity in position else 0.0
        rows.append((missing[velocity] - torque) / problem.force_scale[velocity])
    return at(
        layout,
        "equation of motion",
        range(layout.node_count),
        rows=column(*rows),
        row_names=problem.tree.velocity_names,
        row_sizes=problem.force_scale,
        row_units=["N m" if unit == "rad" else "N" for unit in problem.tree.velocity_units],
    )


def _contacts(problem: OptimalControlProblem, layout: Layout) -> list[Element]:
    """Hold the acceleration of every point that touches; points with the same rows share an element."""
    node = problem.node()
    uses: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for number, phase in enumerate(problem.phases):
        for point in phase.contact.points:
            axes = tuple(sorted(phase.contact.rows_of(point.name)))
            uses.setdefault((point.name, axes), []).extend(layout.nodes_of(number).tolist())
    points = {point.name: point for point in layout.contact.points}
    pieces = []
    for (name, axes), nodes in uses.items():
        held = _held(node, points[name])
        rows = column(*(held[axis] / CONTACT_ACCELERATION_M_S2 for axis in axes))
        pieces.append(
            at(
                layout,
                "contact acceleration",
                nodes,
                rows=rows,
                row_names=[f"{name} {AXES[axis]}" for axis in axes],
                row_sizes=CONTACT_ACCELERATION_M_S2,
                row_units="m/s²",
            )
        )
    return pieces


def _held(node: NodeSymbols, point: ContactPoint) -> Expression:
    """Return the contact acceleration plus a pull that lets what has drifted on the mesh fade out. Shape (3,)."""
    height = column(0.0, 0.0, node.height(point))
    speed, change = node.contact_velocity(point), node.contact_acceleration(point)
    return change + 2.0 * DRIFT_FADES_1_S * speed + DRIFT_FADES_1_S**2 * height


def _mesh(problem: OptimalControlProblem, layout: Layout) -> Element:
    now, then, step = problem.node(), problem.node("next"), _step(problem)
    speed = then.v - now.v - step / 2.0 * (now.a + then.a)
    place = then.q - now.q - step * now.v - step**2 / 6.0 * (2.0 * now.a + then.a)
    rows = column(DEFECT * speed / problem.scales.velocity, DEFECT * place)
    names, units = problem.tree.velocity_names, problem.tree.velocity_units
    return at(
        layout,
        MESH,
        _starts(layout),
        following=True,
        rows=rows,
        data=_intervals(layout),
        row_names=[*(f"velocity of {name}" for name in names), *(f"path of {name}" for name in names)],
        row_sizes=np.concatenate([problem.scales.velocity, np.ones(len(names))]) / DEFECT,
        row_units=[*(f"{unit}/s" for unit in units), *units],
    )


def _between(problem: OptimalControlProblem, layout: Layout) -> Element:
    """Keep the quick coordinates and their velocities within their bounds between nodes, too."""
    now, then, step = problem.node(), problem.node("next"), _step(problem)
    rows, names, sizes, units = [], [], list[float](), list[str]()
    for index in problem.quick:
        size, change = problem.scales.velocity[index], then.a[index] - now.a[index]
        unit = problem.tree.velocity_units[index]
        for share in BETWEEN:
            lapse, word = share * step, f"{problem.tree.velocity_names[index]} at {share:g} of an interval"
            rows.append(now.q[index] + lapse * now.v[index] + lapse**2 * (now.a[index] / 2.0 + share * change / 6.0))
            rows.append((now.v[index] + lapse * (now.a[index] + share * change / 2.0)) / size)
            names += [word, f"velocity of {word}"]
            sizes += [1.0, float(size)]
            units += [unit, f"{unit}/s"]
    limits = np.array([_quick_limits(problem, phase.bounds) for phase in problem.phases])
    here = limits[layout.phase_of[_starts(layout)]]
    return at(
        layout,
        "bound between nodes",
        _starts(layout),
        following=True,
        rows=column(*rows),
        bounds=(here[:, 0], here[:, 1]),
        data=_intervals(layout),
        row_names=names,
        row_sizes=np.array(sizes),
        row_units=units,
    )


def _quick_limits(problem: OptimalControlProblem, narrower: Bounds | None) -> Array:
    """Return the least and largest values of the rows of `_between` in a phase. Shape (2, n_rows)."""
    special, index = narrower or problem.bounds, list(problem.quick)
    limits = [
        np.array([np.maximum(general[0], own[0]), np.minimum(general[1], own[1])])[:, index] / size
        for general, own, size in (
            (problem.bounds.q, special.q, 1.0),
            (problem.bounds.v, special.v, problem.scales.velocity[index]),
        )
    ]
    return np.asarray(np.repeat(np.stack(limits, axis=2), len(BETWEEN), axis=1).reshape(2, -1))


def _step(problem: OptimalControlProblem) -> Expression:
    """Return the length of an interval: the phase's duration over its number of intervals, the first datum."""
    return problem.node().duration_s / symbols("data", 1)


def _starts(layout: Layout) -> Index:
    nodes = np.arange(layout.node_count)
    last = [layout.last_node(number) for number in range(len(layout.problem.phases))]
    return np.setdiff1d(nodes, last)


def _intervals(layout: Layout) -> Array:
    """Return how many intervals the phase of each interval has. Shape (intervals, 1)."""
    counts = np.array([phase.intervals for phase in layout.problem.phases], dtype=float)
    return np.asarray(counts[layout.phase_of[_starts(layout)]][:, None])


def _lift(problem: OptimalControlProblem, layout: Layout, number: int) -> Element:
    lift, node = problem.lifts[number], problem.node()
    rows = (node.lifted[lift.name] - lift.of(node)) / lift.scale
    return at(layout, f"definition of {lift.name}", range(layout.node_count), rows=rows)


def _arrival(problem: OptimalControlProblem, layout: Layout, number: int) -> list[Element]:
    """Bring the landing points to the ground, and all rows to rest unless they have been at rest before."""
    phase, node = problem.phases[number], problem.node()
    start, pieces = [int(layout.first_node[number])], []
    points = {point.name: point for point in phase.contact.points}
    if phase.landing:
        heights = column(*(node.height(points[name]) for name in phase.landing))
        pieces.append(
            at(
                layout,
                "height at touchdown",
                start,
                rows=DEFECT * heights,
                row_names=phase.landing,
                row_sizes=1.0 / DEFECT,
                row_units="m",
            )
        )
    if phase.arrival == "impact":
        pieces.append(_impact(problem, layout, number))
    if phase.arrival != "continuous":
        speeds = {point: node.contact_velocity(point) for point in phase.contact.points}
        rows = column(*(speeds[row.point][row.axis] for row in phase.contact.rows))
        names = phase.contact.row_names
        pieces.append(at(layout, "rest at the start", start, rows=rows, row_names=names, row_units="m/s"))
    return pieces


def _impact(problem: OptimalControlProblem, layout: Layout, number: int) -> Element:
    phase, node, before = problem.phases[number], problem.node(), problem.node("before")
    impulse = symbols("impulse", len(phase.contact.rows)) * problem.scales.impulse_n_s
    jump = impact_residual(problem.tree, node.q, node.v - before.v, phase.contact, impulse)
    return at_impact(
        layout,
        "impact",
        number,
        rows=jump / problem.scales.impulse_n_s,
        row_names=problem.tree.velocity_names,
        row_sizes=problem.scales.impulse_n_s,
        row_units=["N m s" if unit == "rad" else "N s" for unit in problem.tree.velocity_units],
    )


def _constraint(problem: OptimalControlProblem, layout: Layout, number: int, constraint: Constraint) -> Element:
    nodes = layout.nodes_of(number)
    chosen = {
        "all": nodes,
        "first": nodes[:1],
        "last": nodes[-1:],
        "not first": nodes[1:],
        "not last": nodes[:-1],
        "inner": nodes[1:-1],
        "from a third on": nodes[len(nodes) // 3 :],
    }[constraint.nodes]
    rows = constraint.rows(problem.node()) / constraint.scale
    bounds = (constraint.lower / constraint.scale, constraint.upper / constraint.scale)
    return at(
        layout,
        constraint.name,
        chosen,
        rows=rows,
        bounds=bounds,
        row_names=constraint.row_names,
        row_sizes=constraint.scale,
        row_units=constraint.unit,
    )


def both_ends(problem: OptimalControlProblem) -> BoundarySymbols:
    """Return both ends of a movement in symbols."""
    durations = symbols("durations", len(problem.phases))
    total = 0.0
    for number in range(len(problem.phases)):
        total = total + durations[number]
    return BoundarySymbols(problem.node("first"), problem.node("last"), durations, total)


def _ends(problem: OptimalControlProblem, layout: Layout, number: int) -> Element:
    condition = problem.ends[number]
    bounds = (condition.lower, condition.upper)
    rows = condition.rows(both_ends(problem))
    return at(
        layout,
        condition.name,
        [0],
        place="at both ends",
        rows=rows,
        bounds=bounds,
        row_names=condition.row_names,
        row_sizes=condition.row_sizes,
        row_units=condition.row_units,
    )


def _cost(problem: OptimalControlProblem, layout: Layout, cost: Cost) -> Element:
    nodes, node = np.arange(layout.node_count), problem.node()
    counts = np.array([phase.intervals for phase in problem.phases], dtype=float)[layout.phase_of]
    ends = np.isin(nodes, layout.first_node) | np.isin(nodes, [layout.last_node(p) for p in range(len(problem.phases))])
    share = (np.where(ends, 0.5, 1.0) / counts)[:, None]  # of the phase, by the trapezoid rule
    weight = symbols("data", 1)
    if isinstance(cost, LagrangeCost):
        rate = cost.weight * weight * node.duration_s * cost.rate(node)
        return at(layout, cost.name, nodes, cost=rate, data=share)
    if isinstance(cost, MeanCost):
        value = cost.weight / len(problem.phases) * weight * cost.value(node)
        return at(layout, cost.name, nodes, cost=value, data=share)
    if isinstance(cost, RateCost):
        change = cost.of(problem.node("next")) - cost.of(node)
        value = cost.weight * square(change) / _step(problem)
        return at(layout, cost.name, _starts(layout), following=True, cost=value, data=_intervals(layout))
    if isinstance(cost, TrackingCost):
        wanted = symbols("data", cost.reference.shape[1])
        value = cost.weight / 2.0 * square(cost.of(node) - wanted)
        return at(layout, cost.name, nodes, cost=value, data=cost.reference)
    if isinstance(cost, SampleCost):
        return _samples(problem, layout, cost)
    assert isinstance(cost, MayerCost)
    return at(layout, cost.name, [0], cost=cost.weight * cost.value(both_ends(problem)))


def _samples(problem: OptimalControlProblem, layout: Layout, cost: SampleCost) -> Element:
    """Compare samples with the cubics of the mesh at their own times, whatever the durations."""
    now, then, step = problem.node(), problem.node("next"), _step(problem)
    count = len(problem.phases)
    data, durations = symbols("data", 3 + count + problem.tree.nq), symbols("durations", count)
    passed = data[2] * step
    for number in range(count):
        passed = passed + data[3 + number] * durations[number]
    lapse = data[1] - passed
    q = now.q + lapse * now.v + lapse**2 / 2.0 * now.a + lapse**3 / (6.0 * step) * (then.a - now.a)
    phase = layout.phase_of[cost.node]
    intervals = np.array([stage.intervals for stage in problem.phases], dtype=float)[phase]
    before = (np.arange(count)[None, :] < phase[:, None]).astype(float)
    values = np.column_stack([intervals, cost.time_s, cost.node - layout.first_node[phase], before, cost.reference])
    value = cost.weight / 2.0 * square(q - data[3 + count :])
    return at(layout, cost.name, cost.node, following=True, cost=value, data=values)
