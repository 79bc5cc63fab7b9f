"""Contact rows in symbols: heights, velocities and accelerations of a contact set's rows, and forces as loads."""

from __future__ import annotations

import casadi as ca

from strut.engines.symbolic import Expression, ExternalForce, Movement
from strut.robots.contact_set import ContactPoint, ContactRow, ContactSet


def point_height(moving: Movement, point: ContactPoint) -> Expression:
    """Return the height over the ground of a point, or of a ball's lowest point."""
    return moving.position(point.body, point.position_m)[2] - point.radius_m


def touching_place(moving: Movement, point: ContactPoint) -> Expression:
    """Return where a point, or a ball's lowest point, is. Shape (3,)."""
    return moving.position(point.body, point.position_m) - ca.DM([0.0, 0.0, point.radius_m])


def touching_velocity(moving: Movement, point: ContactPoint) -> Expression:
    """Return v - r ω × n: the velocity of the matter that touches the ground. Shape (3,)."""
    velocity = moving.velocity(point.body, point.position_m)
    if point.radius_m == 0.0:
        return velocity
    return velocity - point.radius_m * _cross_up(moving.angular_velocity(point.body))


def touching_acceleration(moving: Movement, point: ContactPoint) -> Expression:
    """Return a - r α × n, the rate of `touching_velocity`; the contact point travels over the ball. Shape (3,)."""
    acceleration = moving.acceleration(point.body, point.position_m)
    if point.radius_m == 0.0:
        return acceleration
    return acceleration - point.radius_m * _cross_up(moving.angular_acceleration(point.body))


def row_velocities(moving: Movement, contact: ContactSet) -> Expression:
    """Return G v, row by row. Shape (n_rows,)."""
    by_point = {point: touching_velocity(moving, point) for point in contact.points}
    return _rows(contact.rows, by_point)


def row_accelerations(moving: Movement, contact: ContactSet) -> Expression:
    """Return the rate of G v, row by row. Shape (n_rows,)."""
    by_point = {point: touching_acceleration(moving, point) for point in contact.points}
    return _rows(contact.rows, by_point)


def row_loads(moving: Movement, contact: ContactSet, force_n: Expression) -> list[ExternalForce]:
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


def _rows(rows: tuple[ContactRow, ...], by_point: dict[ContactPoint, Expression]) -> Expression:
    return ca.vertcat(*(by_point[row.point][row.axis] for row in rows)) if rows else ca.SX.zeros(0)


def _cross_up(vector: Expression) -> Expression:
    """Return vector × up. Shape (3,)."""
    return ca.vertcat(vector[1], -vector[0], 0.0)
