"""NodeSymbols: one instant of a motion in symbols, as the makers of constraints and costs see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from strut.engines.contact_kinematics import (
    contact_point_acceleration,
    contact_point_velocity,
    contact_position,
    point_height,
    row_loads,
)
from strut.engines.kinematic_tree import KinematicTree
from strut.engines.sparse_nlp import symbols
from strut.engines.symbolic_dynamics import Expression, SymbolicDynamics
from strut.models.contact_set import ContactSet
from strut.robot import Array, ContactPoint


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """By how much the solver's variables, all of about 1, are multiplied. Shapes (nv,), (nv,), (n_u,)."""

    velocity: Array
    acceleration: Array
    torque: Array
    force_n: float
    impulse_n_s: float


class NodeSymbols:
    """Coordinates, velocities, accelerations, torques and contact forces at one instant, in SI units.

    Args:
        tree: Who moves.
        scales: Of the symbols.
        contact: All rows that touch the ground in any phase; those that do not touch now carry no force.
        where: Which instant: empty for `this one`, else `next`, `before`, `first` or `last`.
        parameters: Names of the free parameters.
        lifted: Name and size of quantities that have variables of their own.
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
        self.tree, self.contact, self.scales = tree, contact, scales
        kind = f"{where}:" if where else ""
        self.q = symbols(f"{kind}q", tree.nq)
        self.v = symbols(f"{kind}v", tree.nv) * scales.velocity
        self.a = symbols(f"{kind}a", tree.nv) * scales.acceleration
        self.u = symbols(f"{kind}u", len(scales.torque)) * scales.torque
        self.force_n = symbols(f"{kind}force", len(contact.rows)) * scales.force_n
        self.duration_s = symbols(f"{kind}duration", 1)
        values = symbols("parameter", len(parameters))
        self.parameter = {name: values[index] for index, name in enumerate(parameters)}
        self.lifted: dict[str, Expression] = {}
        for name, (size, scale) in (lifted or {}).items():
            self.lifted[name] = symbols(f"{kind}lift {name}", size) * scale

    @cached_property
    def movement(self) -> SymbolicDynamics:
        """The body in this motion."""
        return SymbolicDynamics(self.tree, self.q, self.v, self.a)

    @cached_property
    def positions(self) -> SymbolicDynamics:
        """The body in this posture: for constraints that know no velocity."""
        return SymbolicDynamics(self.tree, self.q)

    @cached_property
    def velocities(self) -> SymbolicDynamics:
        """The body in this posture and velocity."""
        return SymbolicDynamics(self.tree, self.q, self.v)

    def height(self, point: ContactPoint) -> Expression:
        """Return the height of a contact point over the ground."""
        return point_height(self.positions, point)

    def place(self, point: ContactPoint) -> Expression:
        """Return where a contact point is. Shape (3,)."""
        return contact_position(self.positions, point)

    def contact_velocity(self, point: ContactPoint) -> Expression:
        """Return the velocity of what touches the ground. Shape (3,)."""
        return contact_point_velocity(self.velocities, point)

    def contact_acceleration(self, point: ContactPoint) -> Expression:
        """Return the rate of `contact_velocity`. Shape (3,)."""
        return contact_point_acceleration(self.movement, point)

    def row_force(self, name: str) -> Expression:
        """Return the force of the row called `name`."""
        return self.force_n[self.contact.row_names.index(name)]

    def inverse_dynamics(self) -> Expression:
        """Return the generalised forces that the motion needs besides those of the ground. Shape (nv,)."""
        return self.movement.inverse_dynamics(row_loads(self.movement, self.contact, self.force_n))


def impact_residual(
    tree: KinematicTree, q: Expression, change: Expression, contact: ContactSet, impulse_n_s: Expression
) -> Expression:
    """Return H Δv - Gᵀ Λ: what an impact leaves unbalanced. Shape (nv,).

    One inward pass with the jump in the place of the acceleration, at rest and without gravity.
    """
    weightless = replace(tree, gravity_m_s2=0.0 * tree.gravity_m_s2)
    moving = SymbolicDynamics(weightless, q, 0.0 * change, change)
    return moving.inverse_dynamics(row_loads(moving, contact, impulse_n_s))
