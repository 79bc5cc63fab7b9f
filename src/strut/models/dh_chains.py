"""DH chains: a body given as Denavit-Hartenberg rows that may branch, on a platform or bolted down.

Standard rows, Rz(theta0 + q) Tz(d) Tx(a) Rx(alpha). A chain starts at the robot's origin or at the end of another one.
Several chains may name the same joint; their rows after it place different frames. Parts, frames and shapes are given
in the configuration in which every joint is zero, in the robot's axes (x forward, y left, z up, origin on the floor).
The frame of a part therefore has the robot's axes, and only the axis of its joint depends on the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.models.model_builder import PLATFORM_JOINTS, Body, ModelBuilder
from strut.robot import Robot
from strut.schemas.body import Chain, ChainBody, ChainRow
from strut.schemas.folder import Tables

PLATFORM = "platform"


@dataclass(frozen=True, slots=True, eq=False)
class ChainJoint:
    """A joint while all joints are zero: its parent, the origin (3,) of its frame and its axis (3,)."""

    name: str
    parent: str
    origin_m: Array
    axis: Array


def chain_robot(name: str, table: ChainBody, tables: Tables) -> Robot:
    """Return the robot described by the chains of `robot.toml`."""
    builder = ModelBuilder(name, table.contact.friction)
    joints = joints_at_zero(table.chain)
    known = {PLATFORM, *(joint.name for joint in joints)}
    for kind, missing in (("part", known - set(table.part)), ("joint", known - {PLATFORM} - set(table.joint))):
        if missing:
            raise BadTableError(f"{name}: [{kind}.{min(missing)}] is missing; a chain has this joint.")
    if stray := set(table.part) - known:
        raise BadTableError(f"{name}: no chain has a joint {min(stray)}, but there is a [part.{min(stray)}].")
    root = builder.body(PLATFORM, np.zeros(3))
    if table.platform is not None:
        drive = table.platform
        forces = (drive.force_limit_n,) * 2 + (drive.moment_limit_nm,)
        sags = (drive.sag_m,) * 2 + (drive.sag_rad,)
        builder.platform(root, forces, sags, drive.settle_s)
    _add_part(builder, root, PLATFORM, np.zeros(3), table)
    _add_children(builder, root, ChainJoint(PLATFORM, "", np.zeros(3), np.zeros(3)), joints, table)
    base_size = 0 if table.platform is None else len(PLATFORM_JOINTS)
    return builder.robot(name, table.title, tables, base_size=base_size)


def row_transform(row: ChainRow, angle_rad: float = 0.0) -> Array:
    """Return the transform of a row with its joint at an angle. Shape (4, 4)."""
    theta = row.theta0_rad + angle_rad
    alpha = row.alpha_rad
    ct = math.cos(theta)
    st = math.sin(theta)
    ca = math.cos(alpha)
    sa = math.sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, row.a_m * ct],
            [st, ct * ca, -ct * sa, row.a_m * st],
            [0.0, sa, ca, row.d_m],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def joints_at_zero(chains: Sequence[Chain]) -> list[ChainJoint]:
    """Return the joints of all chains, each once, with the origin and axis from the rows."""
    joints: dict[str, ChainJoint] = {}
    ends: dict[str | None, tuple[str, Array]] = {None: (PLATFORM, np.eye(4))}
    for chain in chains:
        if chain.after not in ends:
            raise BadTableError(f"Chain {chain.name} starts after {chain.after}; that chain must be listed before it.")
        parent, frame = ends[chain.after]
        for row in chain.rows:
            if row.joint is not None:
                known = joints.get(row.joint)
                if known is None:
                    joints[row.joint] = ChainJoint(row.joint, parent, frame[:3, 3].copy(), frame[:3, 2].copy())
                elif known.parent != parent or not np.allclose(known.origin_m, frame[:3, 3], atol=1e-12):
                    raise BadTableError(f"Joint {row.joint} has two origins: chain {chain.name} puts it elsewhere.")
                parent = row.joint
            frame = frame @ row_transform(row)
        ends[chain.name] = (parent, frame)
    return list(joints.values())


def _add_children(
    builder: ModelBuilder, body: Body, parent: ChainJoint, joints: Sequence[ChainJoint], table: ChainBody
) -> None:
    """Add the children of a part depth first, which is the order in which MuJoCo numbers bodies."""
    for joint in joints:
        if joint.parent != parent.name:
            continue
        limit = table.joint[joint.name]
        child = builder.body(joint.name, joint.origin_m - parent.origin_m, body)
        servo = table.servo.sized(limit.torque_nm, limit.speed_rad_s)
        builder.hinge(child, joint.name, joint.axis, limit.range_rad, servo)
        _add_part(builder, child, joint.name, joint.origin_m, table)
        _add_children(builder, child, joint, joints, table)


def _add_part(builder: ModelBuilder, body: Body, name: str, origin_m: Array, table: ChainBody) -> None:
    """Set mass, shapes and frames of a body from its part."""
    part = table.part[name]
    ixx, iyy, izz, ixy, ixz, iyz = part.inertia_kg_m2
    inertia = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    builder.set_inertia(body, part.mass_kg, np.array(part.com_m) - origin_m, inertia)
    for shape in part.shapes:
        builder.draw(body, shape, origin_m)
    for frame, entry in table.frame.items():
        if entry.part == name:
            builder.frame(body, frame, np.array(entry.position_m) - origin_m)
