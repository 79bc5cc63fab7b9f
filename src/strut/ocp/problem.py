"""Problem: a multi-phase optimal control problem: phases with contacts, bounds, constraints and costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from strut.arrays import Array, Index
from strut.errors import OutOfRangeError, UnknownNameError
from strut.kinematics.contact_set import ContactSet
from strut.kinematics.mirror import Mirror
from strut.ocp.kinematic_tree import KinematicTree
from strut.ocp.node_symbols import NodeSymbols, Scales
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression

Nodes = Literal[
    "all", "first", "last", "not first", "not last", "inner", "middle", "from a third on", "up to two thirds"
]
ArrivalKind = Literal["continuous", "impact", "rest"]
At = Callable[[NodeSymbols], Expression]


@dataclass(frozen=True, slots=True)
class BoundarySymbols:
    """First and last node of the whole movement, all phase durations, and their sum."""

    first: NodeSymbols
    last: NodeSymbols
    durations_s: Expression
    total_s: Expression


@dataclass(frozen=True, slots=True)
class Constraint:
    """Path constraint: expressions of a node, `rows`, that stay between two bounds at some nodes of a phase.

    Rows are divided by `scale`; name ("left toes above the ground"), row names and unit are for messages.
    """

    name: str
    rows: At
    lower: float = 0.0
    upper: float = 0.0
    nodes: Nodes = "all"
    scale: float = 1.0
    row_names: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class BoundaryConstraint:
    """Relations between both ends of the movement, `rows`, that stay between two bounds: periodicity, step length.

    `row_sizes` is the value of 1 of a row in its unit, if rows were divided by something; names and units (of all rows,
    or of each) are for messages.
    """

    name: str
    rows: Callable[[BoundarySymbols], Expression]
    row_names: tuple[str, ...] = ()
    lower: float = 0.0
    upper: float = 0.0
    row_sizes: float | Array = 1.0
    row_units: str | tuple[str, ...] = ""


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Bounds of q, v and u. Shapes (2, nv), (2, nv), (2, n_u); `first_q` also bounds q at the first node."""

    q: Array
    v: Array
    u: Array
    first_q: Array | None = None

    def check(self, owner: str, coordinates: int, torques: int) -> None:
        """Raise unless shapes fit and no lower bound is above its upper one."""
        for name, count in (("q", coordinates), ("v", coordinates), ("u", torques), ("first_q", coordinates)):
            limit = getattr(self, name)
            if limit is None:
                continue
            if np.shape(limit) != (2, count):
                raise OutOfRangeError(
                    f"The bounds of {name} of {owner} have the shape {np.shape(limit)}; it must be (2, {count})."
                )
            if not np.all(limit[0] <= limit[1]):
                entry = int(np.argmin(limit[0] <= limit[1]))
                raise OutOfRangeError(
                    f"Entry {entry} of {name} of {owner} is bounded by {limit[0, entry]:g} and {limit[1, entry]:g}; "
                    "the first must not be above the second."
                )


@dataclass(frozen=True, slots=True)
class ContactPhase:
    """A time span in which the same contact rows are active.

    Args:
        name: For messages.
        contact: Active contact rows.
        intervals: Number of mesh intervals.
        duration_s: Shortest and longest duration; the same number twice fixes it.
        arrival: How the phase begins: velocities are continuous; an inelastic impact brings all rows to rest; or the
            rows are at rest (`rest`), for the first phase of a movement that does not repeat.
        landing: Names of the points with height 0 at the start.
        constraints: In addition to dynamics, contact and bounds.
        unloaded: Names of the rows with zero force at the end.
        torque_jumps: Whether torques may jump at the start, as where a landing switches motors; else continuous.
        bounds: In addition to those of the whole movement; `first_q` is for the first node of the phase.
        pulling: Names of the upward rows that may pull, because `constraints` limit what a whole sole does.
        min_load_n: Of all other upward rows between its ends: forces that are 0 at two nodes may pull between them.
    """

    name: str
    contact: ContactSet
    intervals: int
    duration_s: tuple[float, float]
    arrival: ArrivalKind = "continuous"
    landing: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    unloaded: tuple[str, ...] = ()
    torque_jumps: bool = False
    bounds: Bounds | None = None
    may_pull: tuple[str, ...] = ()
    min_load_n: float = 0.0

    def check(self) -> None:
        """Raise unless its durations are positive and in order, and all points and rows are of its contact set."""
        shortest, longest = self.duration_s
        if not 0.0 < shortest <= longest < np.inf:
            raise OutOfRangeError(
                f"Phase {self.name} has durations of {shortest:g} to {longest:g} s; give two positive times in order."
            )
        if self.intervals < 1:
            raise OutOfRangeError(f"Phase {self.name} has {self.intervals} intervals; it needs at least 1.")
        for names, known, what in (
            (self.landing, [point.name for point in self.contact.points], "point"),
            (self.unloaded + self.may_pull, self.contact.row_names, "row"),
        ):
            for name in names:
                if name not in known:
                    raise UnknownNameError(f"{what} of phase {self.name}", name, tuple(known), "its contact set")


@dataclass(frozen=True, slots=True)
class LagrangeCost:
    """A cost that accumulates over time (Lagrange): weight × ∫ rate dt."""

    name: str
    weight: float
    rate: At


@dataclass(frozen=True, slots=True)
class MeanCost:
    """A cost on the mean over each phase, independent of its duration: weight × Σ mean(value) / phases."""

    name: str
    weight: float
    value: At


@dataclass(frozen=True, slots=True)
class RateCost:
    """A cost on a rate of change: weight × ∫ |d of / dt|² dt."""

    name: str
    weight: float
    of: At


@dataclass(frozen=True, slots=True)
class MayerCost:
    """A cost on the ends (Mayer): weight × value."""

    name: str
    weight: float
    value: Callable[[BoundarySymbols], Expression]


@dataclass(frozen=True, slots=True)
class ImpactCost:
    """A cost on impulses at impacts: weight × Σ |impulse / scale|², over all rows of impacts."""

    name: str
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class TrackingCost:
    """A least-squares cost at the nodes: weight / 2 × Σ node_weight |of - reference|². Shapes (nodes, n), (nodes,).

    Without `node_weight` all nodes count alike.
    """

    name: str
    weight: float
    of: At
    reference: Array
    node_weight: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SampleCost:
    """A least-squares cost at samples of a recording: weight / 2 × Σ |q - reference|². Shapes (n,), (n,), (n, nq).

    `node` is where the interval of each sample begins; a sample that leaves it because durations change is compared
    with the interval's curve beyond its end. Times are since the start of the movement.
    """

    name: str
    weight: float
    node: Index
    time_s: Array
    reference: Array


Cost = LagrangeCost | MeanCost | RateCost | MayerCost | ImpactCost | TrackingCost | SampleCost


@dataclass(frozen=True, slots=True)
class Parameter:
    """A free number of the movement that is constant in time."""

    name: str
    lower: float
    upper: float
    guess: float

    def check(self) -> None:
        """Raise if its bounds are crossed."""
        if not self.lower <= self.upper:
            raise OutOfRangeError(
                f"The parameter {self.name} has the bounds {self.lower:g} and {self.upper:g}; "
                "the first must not be above the second."
            )


@dataclass(frozen=True, slots=True)
class LiftedVariable:
    """A quantity with variables of its own at every node and a defining equation, so that costs on it stay simple."""

    name: str
    size: int
    scale: float
    of: At


@dataclass(frozen=True, slots=True, eq=False)
class OptimalControlProblem:
    """A multi-phase optimal control problem.

    Args:
        tree: Of the body; without quaternions.
        actuated: Indices of velocities with a torque. Shape (n_u,).
        scales: Typical sizes of the variables.
        force_scale: Typical sizes of the rows of the equations of motion. Shape (nv,).
        phases: In order.
        bounds: Of coordinates, velocities and torques.
        costs: To be minimised.
        boundary_constraints: Relations between both ends.
        parameters: Free numbers.
        lifted_variables: Quantities with variables of their own.
        friction: Coefficient of friction; None for no limit.
        passive: Generalised forces of additional springs and dampers. Shape (nv,).
        bounded_between_nodes: Velocities, by index, that change so fast that bounds must hold between nodes, too.
    """

    tree: KinematicTree
    actuated: tuple[int, ...]
    scales: Scales
    force_scale: Array
    phases: tuple[ContactPhase, ...]
    bounds: Bounds
    costs: tuple[Cost, ...]
    boundary_constraints: tuple[BoundaryConstraint, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    lifted_variables: tuple[LiftedVariable, ...] = ()
    friction: float | None = None
    passive: At | None = None
    bounded_between_nodes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.phases:
            raise OutOfRangeError("The movement has no phases; it needs at least one.")
        if self.tree.nq != self.tree.nv:
            raise OutOfRangeError(
                f"{self.tree.name} has quaternions; optimal control needs coordinates that are plain numbers "
                "(read_tree with angle_base, or hinges in the place of balls)."
            )
        if self.phases[0].arrival == "impact":
            raise OutOfRangeError(
                f"Phase {self.phases[0].name} begins with an impact, but it is the first phase; let it begin at rest."
            )
        self.bounds.check("the movement", self.tree.nv, len(self.actuated))
        for parameter in self.parameters:
            parameter.check()
        for phase in self.phases:
            phase.check()
            if phase.bounds is not None:
                phase.bounds.check(f"phase {phase.name}", self.tree.nv, len(self.actuated))

    def check_references(self) -> None:
        """Raise OutOfRangeError if a tracking cost does not have one reference per node."""
        nodes = len(self.phase_of)
        for cost in self.costs:
            if isinstance(cost, TrackingCost) and len(cost.reference) != nodes:
                raise OutOfRangeError(
                    f"The reference of {cost.name} has {len(cost.reference)} rows; the movement has {nodes} nodes."
                )

    @property
    def contact(self) -> ContactSet:
        """All rows of all phases, each once."""
        rows = dict.fromkeys(row for phase in self.phases for row in phase.contact.rows)
        return ContactSet("all phases", tuple(rows))

    @property
    def phase_of(self) -> Index:
        """The phase of every node. Shape (nodes,)."""
        return np.repeat(np.arange(len(self.phases)), [phase.intervals + 1 for phase in self.phases])

    def node_times(self, duration_s: Sequence[float] | Array) -> Array:
        """Return the times of all nodes for durations of the phases. Shape (nodes,)."""
        borders = pairwise([0.0, *np.cumsum(duration_s)])
        return np.concatenate(
            [np.linspace(*border, phase.intervals + 1) for border, phase in zip(borders, self.phases, strict=True)]
        )

    def on_phases(self, phases: tuple[ContactPhase, ...]) -> OptimalControlProblem:
        """Return the problem with other phases or another mesh, without costs whose references belong to its nodes."""
        costs = tuple(cost for cost in self.costs if not isinstance(cost, TrackingCost | SampleCost))
        return replace(self, phases=phases, costs=costs)

    def node(self, where: str = "") -> NodeSymbols:
        """Return the symbols of one node."""
        return NodeSymbols(
            self.tree,
            self.scales,
            self.contact,
            where=where,
            parameters=tuple(parameter.name for parameter in self.parameters),
            lifted={lift.name: (lift.size, lift.scale) for lift in self.lifted_variables},
        )


def periodic(
    tree: KinematicTree,
    *,
    actuated_from: int,
    velocity_scale: Array,
    torque_scale: Array,
    mirror: Mirror | None = None,
    advancing: int = 0,
) -> tuple[BoundaryConstraint, ...]:
    """Return constraints that make the end of a movement the image of its start: coordinates, velocities, torques.

    Args:
        tree: Of the body.
        actuated_from: Index of the first velocity with a torque; all later ones have one.
        velocity_scale: Shape (nv,).
        torque_scale: Shape (nv - actuated_from,).
        mirror: The symmetry map of all coordinates; None for a movement that repeats as it is.
        advancing: Index of the coordinate that advances instead of repeating.
    """
    mirror = mirror or Mirror(tuple(range(tree.nv)), (1.0,) * tree.nv)
    names = tree.velocity_names
    units = tree.velocity_units
    repeating = [index for index in range(tree.nq) if index != advancing]
    torque_mirror = Mirror(*mirror.part(actuated_from))

    def coordinates(ends: BoundarySymbols) -> Expression:
        image = mirror.apply(ends.last.q)
        return column(*(ends.first.q[index] - image[index] for index in repeating))

    def velocities(ends: BoundarySymbols) -> Expression:
        return (ends.first.v - column(*mirror.apply(ends.last.v))) / velocity_scale

    def torques(ends: BoundarySymbols) -> Expression:
        return (ends.first.u - column(*torque_mirror.apply(ends.last.u))) / torque_scale

    repeating_names = tuple(names[index] for index in repeating)
    repeating_units = tuple(units[index] for index in repeating)
    speed_units = tuple(f"{unit}/s" for unit in units)
    return (
        BoundaryConstraint("periodic coordinate", coordinates, repeating_names, row_units=repeating_units),
        BoundaryConstraint("periodic velocity", velocities, names, row_sizes=velocity_scale, row_units=speed_units),
        BoundaryConstraint("periodic torque", torques, names[actuated_from:], row_sizes=torque_scale, row_units="N m"),
    )
