"""Problem: a movement to be found, in the words of the field: phases, contacts, bounds, constraints, costs."""

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
    """Both ends of the whole movement, all phase durations, and their sum."""

    first: NodeSymbols
    last: NodeSymbols
    durations_s: Expression
    total_s: Expression


@dataclass(frozen=True, slots=True)
class Constraint:
    """Expressions of a node, `rows`, that stay between two bounds at some nodes of a phase.

    A violation of the size `scale` matters; name ("left toes above the ground"), row names and unit are for people.
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

    `row_sizes` is what 1 of a row means in its unit, if rows were divided by something; names and units (of all rows,
    or of each) are for people.
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
    """Smallest and largest values. Shapes (2, nv), (2, nv), (2, n_u); `first_q` holds at the first node besides."""

    q: Array
    v: Array
    u: Array
    first_q: Array | None = None

    def check(self, whose: str, coordinates: int, torques: int) -> None:
        """Raise unless shapes fit and no lower bound is above its upper one."""
        for name, count in (("q", coordinates), ("v", coordinates), ("u", torques), ("first_q", coordinates)):
            limit = getattr(self, name)
            if limit is None:
                continue
            if np.shape(limit) != (2, count):
                raise OutOfRangeError(
                    f"The bounds of {name} of {whose} have the shape {np.shape(limit)}; it must be (2, {count})."
                )
            if not np.all(limit[0] <= limit[1]):
                entry = int(np.argmin(limit[0] <= limit[1]))
                raise OutOfRangeError(
                    f"Entry {entry} of {name} of {whose} is bounded by {limit[0, entry]:g} and {limit[1, entry]:g}; "
                    "the first must not be above the second."
                )


@dataclass(frozen=True, slots=True)
class ContactPhase:
    """A stretch of time in which the same rows touch the ground.

    Args:
        name: For people.
        contact: What touches.
        intervals: Of the mesh.
        duration_s: Shortest and longest duration; the same number twice fixes it.
        arrival: How it begins: velocities continue; an inelastic impact brings all its rows to rest; or, as the first
            phase of a movement that does not repeat, its rows are at rest (`rest`).
        landing: Names of the points whose height is 0 at its start.
        constraints: Besides dynamics, contact and bounds.
        unloaded: Names of the rows whose force has vanished at its end.
        torque_jumps: Whether torques may jump where it begins, as where a landing switches motors; else they continue.
        bounds: In this phase, besides those of the whole movement; `first_q` is for its first node.
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
                f"Phase {self.name} shall last {shortest:g} to {longest:g} s; give two positive times in order."
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
    """A cost on the average over each phase, whatever its duration: weight × Σ mean(value) / phases."""

    name: str
    weight: float
    value: At


@dataclass(frozen=True, slots=True)
class RateCost:
    """A cost on how fast something changes: weight × ∫ |d of / dt|² dt."""

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
    """A cost on what the ground does where something lands: weight × Σ |impulse / scale|², over all rows of impacts."""

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
    """A free number of the movement that does not change in time."""

    name: str
    lower: float
    upper: float
    guess: float

    def check(self) -> None:
        """Raise if its bounds are crossed."""
        if not self.lower <= self.upper:
            raise OutOfRangeError(
                f"The parameter {self.name} shall lie between {self.lower:g} and {self.upper:g}; "
                "the first must not be above the second."
            )


@dataclass(frozen=True, slots=True)
class LiftedVariable:
    """A quantity with variables of its own at every node, tied to what it stands for: keeps costs of it simple."""

    name: str
    size: int
    scale: float
    of: At


@dataclass(frozen=True, slots=True, eq=False)
class OptimalControlProblem:
    """A movement to be found.

    Args:
        tree: Who moves; coordinates are plain numbers.
        actuated: Which velocities have a torque. Shape (n_u,).
        scales: Sizes of the variables.
        force_scale: Sizes of the rows of the equations of motion. Shape (nv,).
        phases: In order.
        bounds: Of coordinates, velocities and torques.
        costs: To be minimised.
        boundary_constraints: Equations between both ends.
        parameters: Free numbers.
        lifted_variables: Quantities with variables of their own.
        friction: Each foot pushes sideways at most this much of its load; None for no limit.
        passive: Generalised forces of springs and dampers, if any. Shape (nv,).
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
                f"{self.tree.name} has quaternions; every coordinate of a movement to be found must be a plain number "
                "(read_tree with angle_base, or hinges in the place of balls)."
            )
        if self.phases[0].arrival == "impact":
            raise OutOfRangeError(
                f"Phase {self.phases[0].name} begins with an impact, but no phase is before it; let it begin at rest."
            )
        self.bounds.check("the movement", self.tree.nv, len(self.actuated))
        for parameter in self.parameters:
            parameter.check()
        for phase in self.phases:
            phase.check()
            if phase.bounds is not None:
                phase.bounds.check(f"phase {phase.name}", self.tree.nv, len(self.actuated))

    def check_references(self) -> None:
        """Raise if a cost has not one reference per node; a path that is only kept, at other nodes, needs none."""
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
        """Return the problem on other phases or another mesh, without the costs whose references are for its nodes."""
        costs = tuple(cost for cost in self.costs if not isinstance(cost, TrackingCost | SampleCost))
        return replace(self, phases=phases, costs=costs)

    def node(self, where: str = "") -> NodeSymbols:
        """Return an instant of this movement in symbols."""
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
    names = tree.velocity_names
    units = tree.velocity_units
    staying = [index for index in range(tree.nq) if index != advancing]
    powered = Mirror(*mirror.part(actuated_from))

    def coordinates(ends: BoundarySymbols) -> Expression:
        image = mirror.apply(ends.last.q)
        return column(*(ends.first.q[index] - image[index] for index in staying))

    def velocities(ends: BoundarySymbols) -> Expression:
        return (ends.first.v - column(*mirror.apply(ends.last.v))) / velocity_scale

    def torques(ends: BoundarySymbols) -> Expression:
        return (ends.first.u - column(*powered.apply(ends.last.u))) / torque_scale

    who, unit = (tuple(words[index] for index in staying) for words in (names, units))
    speed = tuple(f"{unit}/s" for unit in units)
    return (
        BoundaryConstraint("periodic coordinate", coordinates, who, row_units=unit),
        BoundaryConstraint("periodic velocity", velocities, names, row_sizes=velocity_scale, row_units=speed),
        BoundaryConstraint("periodic torque", torques, names[actuated_from:], row_sizes=torque_scale, row_units="N m"),
    )
