"""Contact rows in symbols: heights, velocities and accelerations of a contact set's rows, and forces as loads."""

from __future__ import annotations

import casadi as ca
import numpy as np

from strut.engines.kinematic_tree import KinematicTree
from strut.engines.symbolic_dynamics import Expression, ExternalForce, SymbolicDynamics
from strut.errors import BadTableError
from strut.models.contact_set import ContactRow, ContactSet
from strut.robot import Array, ContactPoint

DEPENDENT = 5e-3  # of the largest singular value; sets of a human who walks along x have 0.019 and more, along y 0.003


def point_height(moving: SymbolicDynamics, point: ContactPoint) -> Expression:
    """Return the height over the ground of a point, or of a ball's lowest point."""
    return moving.position(point.body, point.position_m)[2] - point.radius_m


def contact_position(moving: SymbolicDynamics, point: ContactPoint) -> Expression:
    """Return where a point, or a ball's lowest point, is. Shape (3,)."""
    return moving.position(point.body, point.position_m) - ca.DM([0.0, 0.0, point.radius_m])


def contact_point_velocity(moving: SymbolicDynamics, point: ContactPoint) -> Expression:
    """Return v - r ω × n: the velocity of the matter that touches the ground. Shape (3,)."""
    velocity = moving.velocity(point.body, point.position_m)
    if point.radius_m == 0.0:
        return velocity
    return velocity - point.radius_m * _cross_up(moving.angular_velocity(point.body))


def contact_point_acceleration(moving: SymbolicDynamics, point: ContactPoint) -> Expression:
    """Return a - r α × n, the rate of `contact_point_velocity`; the contact point travels over the ball. Shape (3,)."""
    acceleration = moving.acceleration(point.body, point.position_m)
    if point.radius_m == 0.0:
        return acceleration
    return acceleration - point.radius_m * _cross_up(moving.angular_acceleration(point.body))


def row_velocities(moving: SymbolicDynamics, contact: ContactSet) -> Expression:
    """Return G v, row by row. Shape (n_rows,)."""
    by_point = {point: contact_point_velocity(moving, point) for point in contact.points}
    return _rows(contact.rows, by_point)


def row_accelerations(moving: SymbolicDynamics, contact: ContactSet) -> Expression:
    """Return the rate of G v, row by row. Shape (n_rows,)."""
    by_point = {point: contact_point_acceleration(moving, point) for point in contact.points}
    return _rows(contact.rows, by_point)


def row_loads(moving: SymbolicDynamics, contact: ContactSet, force_n: Expression) -> list[ExternalForce]:
    """Return the row forces (n_rows,) as forces in world on the bodies, at the points that touch."""
    loads = []
    for point in contact.points:
        force = ca.SX.zeros(3) if isinstance(force_n, ca.SX) else ca.MX.zeros(3)
        for axis, row in contact.rows_of(point.name).items():
            force[axis] = force_n[row]
        place = ca.DM(list(point.position_m))
        if point.radius_m > 0.0:
            place = place - point.radius_m * moving.rotation(point.body)[2, :].T
        loads.append(ExternalForce(point.body, place, force))
    return loads


def contact_jacobian(tree: KinematicTree, contact: ContactSet, q: Array) -> Array:
    """Return G of one posture. Shape (nq,) in, (n_rows, nv) out."""
    v = ca.SX.sym("v", tree.nv)
    rows = row_velocities(SymbolicDynamics(tree, ca.DM(q), v), contact)
    return np.asarray(ca.evalf(ca.densify(ca.jacobian(rows, v))).full()).reshape(len(contact.rows), tree.nv)


def require_independent_rows(contact: ContactSet, jacobian: Array) -> None:
    """Raise if the rows of a set forbid the same motion twice in a posture: their forces would be anything."""
    if not contact.rows:
        return
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    rank = int(np.sum(sizes > DEPENDENT * sizes[0]))
    if rank < len(contact.rows):
        raise BadTableError(
            f"Contact set {contact.name}: its {len(contact.rows)} rows ({', '.join(contact.row_names)}) forbid hardly "
            f"more than {rank} motions in this posture, so its forces are undetermined. Rows are along the "
            "world's axes: turn the movement so that the foot points along x, or name other rows."
        )


def _rows(rows: tuple[ContactRow, ...], by_point: dict[ContactPoint, Expression]) -> Expression:
    return ca.vertcat(*(by_point[row.point][row.axis] for row in rows)) if rows else ca.SX.zeros(0)


def _cross_up(vector: Expression) -> Expression:
    """Return vector × up. Shape (3,)."""
    return ca.vertcat(vector[1], -vector[0], 0.0)
