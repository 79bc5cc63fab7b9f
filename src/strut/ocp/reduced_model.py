"""Reduced model: a robot in independent coordinates, without its coupled joints, and the contact rows of its feet.

Coordinates are position and angles of the base and the independent joints; coupled joints follow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from strut.arrays import Array
from strut.balance.polygon import Polygon, convex_hull
from strut.kinematics.contact_set import ContactRow, point_contact
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.models.coupled_joints import CoupledJoints, coupled_joints
from strut.ocp.coupled_tree import coupled_tree
from strut.ocp.kinematic_tree import KinematicTree
from strut.ocp.symbolic_dynamics import SymbolicDynamics
from strut.robot import BASE, ContactPoint, Robot

THIN_M = 2e-3  # a foot whose points are this near to one line counts as a line


@dataclass(frozen=True, slots=True, eq=False)
class BodyContact:
    """Contact of one body with the ground.

    Args:
        body: Name.
        rows: Contact rows: three for a point, five for a line, six for a sole.
        pulling: Names of upward rows that may pull, because the sole has more corners than rows.
        pressed_m: Positions of its vertical rows on the ground. Shape (n, 2).
        outline: Convex hull of its points; None for a point or a line, whose own rows cannot pull.
    """

    body: str
    rows: tuple[ContactRow, ...]
    may_pull: tuple[str, ...]
    pressed_m: Array
    outline: Polygon | None


@dataclass(frozen=True, slots=True, eq=False)
class ReducedModel:
    """A robot in the independent coordinates of optimal control; see the module."""

    robot: Robot
    tree: KinematicTree = field(init=False)
    coupled: CoupledJoints = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tree", coupled_tree(self.robot))
        object.__setattr__(self, "coupled", coupled_joints(self.robot))

    @property
    def limits(self) -> tuple[Array, Array, Array]:
        """Ranges (2, n) of the free joints, narrowed by those that follow them, speed and torque limits (n,)."""
        robot = self.robot
        coupled = self.coupled
        ranges = np.array([robot.joint_lower_rad[coupled.free], robot.joint_upper_rad[coupled.free]])
        speed = robot.joint_speed_limit_rad_s[coupled.free].copy()
        for row in np.setdiff1d(np.arange(len(robot.joint_names)), coupled.free):
            for leader in np.flatnonzero(coupled.follow[row]):
                ends = np.array([robot.joint_lower_rad[row], robot.joint_upper_rad[row]]) - coupled.rest_rad[row]
                low, high = np.sort(ends / coupled.follow[row, leader])
                ranges[:, leader] = max(ranges[0, leader], low), min(ranges[1, leader], high)
                limit = robot.joint_speed_limit_rad_s[row] / abs(coupled.follow[row, leader])
                speed[leader] = min(speed[leader], limit)
        return ranges, speed, robot.torque_limit_nm[coupled.free]

    def coordinates(self, qpos: Array) -> Array:
        """Return plain coordinates along a movement. Shape (N, nq) in, (N, nv) out."""
        q = angles_from_qpos(qpos)
        q[:, 3:BASE] = np.unwrap(q[:, 3:BASE], axis=0)
        return np.column_stack([q[:, :BASE], q[:, BASE:][:, self.coupled.free]])

    def qpos(self, q: Array) -> Array:
        """Return a robot's own coordinates. Shape (T, nv) in, (T, nq) out."""
        return qpos_from_angles(np.column_stack([q[:, :BASE], self.coupled.all_rad(q[:, BASE:])]))

    def places(self, points: Sequence[ContactPoint], q: Array) -> Array:
        """Return the positions of contact points along a movement. Shape (N, nv) in, (N, n, 3) out."""
        symbol = ca.SX.sym("q", self.tree.nv)
        moving = SymbolicDynamics(self.tree, symbol)
        where = ca.Function("where", [symbol], [ca.vertcat(*(moving.contact_position(point) for point in points))])
        return np.asarray(where.map(len(q))(q.T).full().T.reshape(len(q), len(points), 3))


def body_contacts(points: Sequence[ContactPoint], place_m: Array) -> tuple[BodyContact, ...]:
    """Return the contacts of the bodies of a stance on level ground, from points and their positions (n, 2 or 3)."""
    found = []
    for body in dict.fromkeys(point.body for point in points):
        mine = [k for k, point in enumerate(points) if point.body == body]
        found.append(_body_contact(body, [points[k] for k in mine], place_m[mine, :2]))
    return tuple(found)


def _body_contact(body: str, points: Sequence[ContactPoint], place_m: Array) -> BodyContact:
    apart = np.linalg.norm(place_m[:, None] - place_m[None], axis=-1)
    first, second = divmod(int(np.argmax(apart)), len(points))
    if apart[first, second] < THIN_M:
        return BodyContact(body, point_contact(body, points[0]).rows, (), place_m[:1], None)
    along = (place_m[second] - place_m[first]) / apart[first, second]
    across = 0 if abs(along[1]) > abs(along[0]) else 1  # the world's axis that the line is less along
    held = ContactRow(points[second], across), ContactRow(points[second], 2)
    rows: tuple[ContactRow, ...] = (*point_contact(body, points[first]).rows, *held)
    beside = np.abs((place_m - place_m[first]) @ np.array([-along[1], along[0]]))
    third = int(np.argmax(beside))
    if beside[third] < THIN_M:
        return BodyContact(body, rows, (), place_m[[first, second]], None)
    rows += (ContactRow(points[third], 2),)
    may_pull = tuple(row.name for row in rows if row.axis == 2)
    return BodyContact(body, rows, may_pull, place_m[[first, second, third]], convex_hull(place_m))
