"""Symbolic dynamics: rigid-body dynamics of a tree by one outward and one inward recursion, in CasADi symbols.

Vectors of a step are held in the step's own axes, so that a hinge about a coordinate axis costs few operations. Contact
forces enter the inward pass as external forces; no Jacobian is multiplied with a force.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from strut.kinematics.contact_set import ContactSet
from strut.ocp.kinematic_tree import KinematicTree
from strut.ocp.outward_pass import of_step, outward_pass
from strut.ocp.tree_elements import Anchor
from strut.robot import ContactPoint

_ROUND = 0.02  # share of a segment that is rounded off where the nearest point comes to an end of it
_PARALLEL_M4 = 1e-4  # as segments turn parallel their nearest points are no longer unique
Expression = Any  # a CasADi SX, DM or MX column; CasADi has no types of its own


@dataclass(frozen=True, slots=True, eq=False)
class ExternalForce:
    """A force in world axes on a body, at a point given in the body's frame."""

    body: str
    point_in_body: Expression
    force_in_world: Expression


class SymbolicDynamics:
    """Kinematics and dynamics of a tree from q, v and a. Columns in and out; world axes unless stated otherwise.

    Args:
        tree: Of the body.
        q: Coordinates. (nq,)
        v: Velocities; None if only positions are needed. (nv,)
        a: Accelerations; None if only positions and velocities are needed. (nv,)
    """

    def __init__(self, tree: KinematicTree, q: Expression, v: Expression = None, a: Expression = None) -> None:
        self.tree = tree
        self.q = q
        self.v = v
        self.a = a
        self._turn, self._arm, self._rotation, self._place, *moving = outward_pass(tree, q, v, a)
        self._omega, self._speed, self._alpha, self._push = moving

    def _frame(self, index: int) -> tuple[Expression, Expression]:
        """Return rotation and origin of a step's frame; -1 is the world."""
        if index < 0:
            return ca.DM.eye(3), ca.DM.zeros(3)
        return self._rotation[index], self._place[index]

    def _push_of(self, index: int) -> Expression:
        """Return the acceleration of a step's origin minus gravity, in its own axes; -1 is the world, which rests."""
        return self._push[index] if index >= 0 else -ca.DM(self.tree.gravity_m_s2)

    def _on(self, body: str, point_in_body: Expression) -> tuple[Anchor, Expression]:
        place = self.tree.body(body)
        return place, ca.DM(place.offset_m) + ca.DM(place.rotation) @ _column(point_in_body)

    def frame_from(self, ancestor: int, anchor: Anchor) -> tuple[Expression, Expression]:
        """Return rotation and place of an anchor in the frame of a step that carries it; -1 is the world."""
        rotation = ca.DM(anchor.rotation)
        place = ca.DM(anchor.offset_m)
        step = anchor.step
        while step != ancestor:
            rotation = self._turn[step] @ rotation
            place = self._arm[step] + self._turn[step] @ place
            step = self.tree.steps[step].parent
        return rotation, place

    def rotation(self, body: str) -> Expression:
        """Return the rotation from the body's axes to the world's. Shape (3, 3)."""
        place = self.tree.body(body)
        return self._frame(place.step)[0] @ ca.DM(place.rotation)

    def position(self, body: str, point_in_body: Expression = (0.0, 0.0, 0.0)) -> Expression:
        """Return the position of a point of a body. Shape (3,)."""
        place, point = self._on(body, point_in_body)
        rotation, origin = self._frame(place.step)
        return origin + rotation @ point

    def velocity(self, body: str, point_in_body: Expression = (0.0, 0.0, 0.0)) -> Expression:
        """Return the velocity of a point of a body. Shape (3,)."""
        place, point = self._on(body, point_in_body)
        moved = of_step(self._speed, place.step) + ca.cross(of_step(self._omega, place.step), point)
        return self._frame(place.step)[0] @ moved

    def acceleration(self, body: str, point_in_body: Expression = (0.0, 0.0, 0.0)) -> Expression:
        """Return the acceleration of a point of a body. Shape (3,)."""
        place, point = self._on(body, point_in_body)
        omega = of_step(self._omega, place.step)
        turned = ca.cross(of_step(self._alpha, place.step), point) + ca.cross(omega, ca.cross(omega, point))
        return self._frame(place.step)[0] @ (self._push_of(place.step) + turned) + ca.DM(self.tree.gravity_m_s2)

    def angular_velocity(self, body: str) -> Expression:
        """Return the angular velocity of a body. Shape (3,)."""
        step = self.tree.body(body).step
        return self._frame(step)[0] @ of_step(self._omega, step)

    def angular_velocity_in_body(self, body: str) -> Expression:
        """Return the angular velocity of a body in the axes of its joint: cheaper, and as long. Shape (3,)."""
        return of_step(self._omega, self.tree.body(body).step)

    def angular_acceleration(self, body: str) -> Expression:
        """Return the angular acceleration of a body. Shape (3,)."""
        step = self.tree.body(body).step
        return self._frame(step)[0] @ of_step(self._alpha, step)

    def contact_position(self, point: ContactPoint) -> Expression:
        """Return the position of a contact point, or of the lowest point of its ball. Shape (3,)."""
        return self.position(point.body, point.position_m) - ca.DM([0.0, 0.0, point.radius_m])

    def contact_velocity(self, point: ContactPoint) -> Expression:
        """Return v - r ω × n: the velocity of the material point in contact. Shape (3,)."""
        velocity = self.velocity(point.body, point.position_m)
        if point.radius_m == 0.0:
            return velocity
        return velocity - point.radius_m * _cross_up(self.angular_velocity(point.body))

    def contact_acceleration(self, point: ContactPoint) -> Expression:
        """Return a - r α × n, the rate of `contact_velocity`; the contact point travels over the ball. Shape (3,)."""
        acceleration = self.acceleration(point.body, point.position_m)
        if point.radius_m == 0.0:
            return acceleration
        return acceleration - point.radius_m * _cross_up(self.angular_acceleration(point.body))

    def row_velocities(self, contact: ContactSet) -> Expression:
        """Return G v, row by row. Shape (n_rows,)."""
        return _rows(contact, self.contact_velocity)

    def row_accelerations(self, contact: ContactSet) -> Expression:
        """Return the rate of G v, row by row. Shape (n_rows,)."""
        return _rows(contact, self.contact_acceleration)

    def row_loads(self, contact: ContactSet, force_n: Expression) -> list[ExternalForce]:
        """Return the row forces (n_rows,) as forces in world on the bodies, at the contact points."""
        loads = []
        for point in contact.points:
            force = ca.SX.zeros(3)
            place = ca.DM(list(point.position_m))
            for axis, row in contact.rows_of(point.name).items():
                force[axis] = force_n[row]
            if point.radius_m > 0.0:
                place = place - point.radius_m * self.rotation(point.body)[2, :].T
            loads.append(ExternalForce(point.body, place, force))
        return loads

    def centre_of_mass(self) -> Expression:
        """Return the centre of mass, including bodies welded to the world. Shape (3,)."""
        weighted = [
            step.mass_kg * (place + rotation @ ca.DM(step.com_m))
            for step, place, rotation in zip(self.tree.steps, self._place, self._rotation, strict=True)
            if step.mass_kg
        ]
        welded = self.tree.welded
        return (sum(weighted, ca.DM.zeros(3)) + welded.mass_kg * ca.DM(welded.com_m)) / self.tree.mass_kg

    def linear_momentum(self) -> Expression:
        """Return the momentum. Shape (3,)."""
        return self._momentum()[0]

    def angular_momentum(self) -> Expression:
        """Return the angular momentum about the centre of mass. Shape (3,)."""
        linear, angular = self._momentum()
        return angular - ca.cross(self.centre_of_mass(), linear)

    def _momentum(self) -> tuple[Expression, Expression]:
        """Return linear momentum, and angular momentum about the world's origin, by an inward pass."""
        linear: list[Expression] = []
        angular: list[Expression] = []
        for step, omega, speed in zip(self.tree.steps, self._omega, self._speed, strict=True):
            com = ca.DM(step.com_m)
            own = step.mass_kg * (speed + ca.cross(omega, com)) if step.mass_kg else ca.DM.zeros(3)
            linear.append(own)
            angular.append(ca.DM(step.inertia_kg_m2) @ omega + ca.cross(com, own) if step.mass_kg else ca.DM.zeros(3))
        return self._gathered(linear, angular)

    def _gathered(self, linear: list[Expression], angular: list[Expression]) -> tuple[Expression, Expression]:
        """Add forces and moments (or momenta) of all steps up to the world; both lists are changed on the way."""
        root_linear = ca.DM.zeros(3)
        root_angular = ca.DM.zeros(3)
        for index in reversed(range(len(self.tree.steps))):
            parent = self.tree.steps[index].parent
            moved = self._turn[index] @ linear[index]
            turned = self._turn[index] @ angular[index] + ca.cross(self._arm[index], moved)
            if parent < 0:
                root_linear = root_linear + moved
                root_angular = root_angular + turned
            else:
                linear[parent] = linear[parent] + moved
                angular[parent] = angular[parent] + turned
        return root_linear, root_angular

    def kinetic_energy(self) -> Expression:
        """Return the kinetic energy, rotors included. In J."""
        terms = []
        for step, omega, speed in zip(self.tree.steps, self._omega, self._speed, strict=True):
            if step.mass_kg:
                moved = speed + ca.cross(omega, ca.DM(step.com_m))
                turned = ca.dot(omega, ca.DM(step.inertia_kg_m2) @ omega)
                terms.append(0.5 * (step.mass_kg * ca.dot(moved, moved) + turned))
            if step.armature.any():
                rate = step.ratio * self.v[step.v_index : step.v_index + len(step.armature)]
                terms.append(0.5 * ca.dot(ca.DM(step.armature), rate * rate))
        return sum(terms, ca.DM.zeros(1))

    def potential_energy(self) -> Expression:
        """Return the potential energy against the world's origin. In J."""
        return -self.tree.mass_kg * ca.dot(ca.DM(self.tree.gravity_m_s2), self.centre_of_mass())

    def inverse_dynamics(self, external: Sequence[ExternalForce] = ()) -> Expression:
        """Return the generalised forces that the motion requires in addition to external forces. Shape (nv,)."""
        linear: list[Expression] = []
        angular: list[Expression] = []
        for step, omega, alpha, push in zip(self.tree.steps, self._omega, self._alpha, self._push, strict=True):
            if not step.mass_kg:
                linear.append(ca.DM.zeros(3))
                angular.append(ca.DM.zeros(3))
                continue
            com = ca.DM(step.com_m)
            inertia = ca.DM(step.inertia_kg_m2)
            force = step.mass_kg * (push + ca.cross(alpha, com) + ca.cross(omega, ca.cross(omega, com)))
            linear.append(force)
            angular.append(inertia @ alpha + ca.cross(omega, inertia @ omega) + ca.cross(com, force))
        for load in external:
            place, point = self._on(load.body, load.point_in_body)
            if place.step < 0:
                continue  # a force on the world loads no joint
            force = self._rotation[place.step].T @ _column(load.force_in_world)
            linear[place.step] = linear[place.step] - force
            angular[place.step] = angular[place.step] - ca.cross(point, force)
        self._gathered(linear, angular)
        own = [self._joint_force(index, linear[index], angular[index]) for index in range(len(linear))]
        for step, force in zip(self.tree.steps, own, strict=True):
            if step.follows:
                leader = next(
                    k for k, other in enumerate(self.tree.steps) if not other.follows and other.v_index == step.v_index
                )
                own[leader] = own[leader] + step.ratio * force
        return ca.vertcat(*(force for step, force in zip(self.tree.steps, own, strict=True) if not step.follows))

    def _joint_force(self, index: int, force: Expression, moment: Expression) -> Expression:
        step = self.tree.steps[index]
        if step.kind == "hinge":
            own = ca.dot(ca.DM(step.axis), moment)
        elif step.kind == "slide":
            own = ca.dot(ca.DM(step.axis), force)
        elif step.kind == "ball":
            own = moment
        else:
            own = ca.vertcat(self._rotation[index] @ force, moment)
        if not step.armature.any():
            return own
        return own + ca.DM(step.armature) * step.ratio * self.a[step.v_index : step.v_index + len(step.armature)]


def _rows(contact: ContactSet, of_point: Callable[[ContactPoint], Expression]) -> Expression:
    by_point = {point: of_point(point) for point in contact.points}
    return ca.vertcat(*(by_point[row.point][row.axis] for row in contact.rows)) if contact.rows else ca.SX.zeros(0)


def _cross_up(vector: Expression) -> Expression:
    """Return vector × up. Shape (3,)."""
    return ca.vertcat(vector[1], -vector[0], 0.0)


def _column(values: Expression) -> Expression:
    return values if isinstance(values, ca.SX | ca.MX | ca.DM) else ca.DM(np.asarray(values, dtype=float))


def smooth_distance(start: Expression, stop: Expression, other_start: Expression, other_stop: Expression) -> Expression:
    """Return the distance between two segments, smoothed to be differentiable everywhere.

    It is never less than the true distance, and slightly more near the ends of the segments.
    """
    along = stop - start
    other = other_stop - other_start
    between = start - other_start
    a = ca.dot(along, along)
    b = ca.dot(along, other)
    c = ca.dot(other, other)
    d = ca.dot(along, between)
    e = ca.dot(other, between)
    s = _within((b * e - c * d) / (a * c - b * b + _PARALLEL_M4))
    t = _within((b * s + e) / c)
    s = _within((b * t - d) / a)
    gap = between + s * along - t * other
    return (ca.dot(gap, gap) + 1e-8) ** 0.5


def _within(share: Expression) -> Expression:
    """Return the share, held between 0 and 1 by a curve without corners."""
    return 0.5 * (1.0 + (share**2 + _ROUND**2) ** 0.5 - ((share - 1.0) ** 2 + _ROUND**2) ** 0.5)
