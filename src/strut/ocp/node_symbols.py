"""Node symbols: the quantities of one node as symbols, from which constraints and costs are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from strut.arrays import Array
from strut.kinematics.contact_set import ContactSet
from strut.ocp.kinematic_tree import KinematicTree
from strut.ocp.sparse_nlp import symbols
from strut.ocp.symbolic_dynamics import Expression, SymbolicDynamics
from strut.ocp.tree_forces import tree_forces
from strut.robot import ContactPoint


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """Scales of the solver's variables, which are of about 1. Shapes (nv,), (nv,), (n_u,)."""

    velocity: Array
    acceleration: Array
    torque: Array
    force_n: float
    impulse_n_s: float


class NodeSymbols:
    """Coordinates, velocities, accelerations, torques and forces of contacts and closures at one node, in SI units.

    Args:
        tree: Of the body.
        scales: Of the symbols.
        contact: All rows that are active in any phase; inactive ones have no force.
        where: Which node: empty for `this one`, else `next`, `before`, `first` or `last`.
        parameters: Names of the free parameters.
        lifted: Size and scale, by name, of quantities that have variables of their own.
    """

    def __init__(
        self,
        tree: KinematicTree,
        scales: Scales,
        contact: ContactSet,
        *,
        where: str = "",
        parameters: Sequence[str] = (),
        lifted: Mapping[str, tuple[int, float]] | None = None,
    ) -> None:
        self.tree = tree
        self.contact = contact
        self.scales = scales
        kind = f"{where}:" if where else ""
        self.q = symbols(f"{kind}q", tree.nq)
        self.v = symbols(f"{kind}v", tree.nv) * scales.velocity
        self.a = symbols(f"{kind}a", tree.nv) * scales.acceleration
        self.u = symbols(f"{kind}u", len(scales.torque)) * scales.torque
        self.force_n = symbols(f"{kind}force", len(contact.rows)) * scales.force_n
        self.closure_n = symbols(f"{kind}closure", len(tree_forces(tree).row_names)) * scales.force_n
        self.duration_s = symbols(f"{kind}duration", 1)
        values = symbols("parameter", len(parameters))
        self.parameter: dict[str, Expression] = {name: values[index] for index, name in enumerate(parameters)}
        self.lifted: dict[str, Expression] = {
            name: symbols(f"{kind}lift {name}", size) * scale for name, (size, scale) in (lifted or {}).items()
        }

    @cached_property
    def movement(self) -> SymbolicDynamics:
        """Dynamics with coordinates, velocities and accelerations."""
        return SymbolicDynamics(self.tree, self.q, self.v, self.a)

    @cached_property
    def positions(self) -> SymbolicDynamics:
        """Kinematics with coordinates alone."""
        return SymbolicDynamics(self.tree, self.q)

    @cached_property
    def velocities(self) -> SymbolicDynamics:
        """Kinematics with coordinates and velocities."""
        return SymbolicDynamics(self.tree, self.q, self.v)

    def place(self, point: ContactPoint) -> Expression:
        """Return the position of a contact point, or of the lowest point of its ball. Shape (3,)."""
        return self.positions.contact_position(point)

    def height(self, point: ContactPoint) -> Expression:
        """Return the height of a contact point over the ground."""
        return self.place(point)[2]

    def contact_velocity(self, point: ContactPoint) -> Expression:
        """Return the velocity of the material point in contact. Shape (3,)."""
        return self.velocities.contact_velocity(point)

    def row_force(self, name: str) -> Expression:
        """Return the force of the row called `name`."""
        return self.force_n[self.contact.row_names.index(name)]

    def inverse_dynamics(self) -> Expression:
        """Return the required generalised forces minus those of ground, springs and loops. Shape (nv,)."""
        needed = self.movement.inverse_dynamics(self.movement.row_loads(self.contact, self.force_n))
        inner = tree_forces(self.tree)
        return needed - inner.passive(self.q, self.v) - inner.loads(self.q, self.closure_n)
