"""Limb robot: a floating box with limbs given as Denavit-Hartenberg rows and rods, on ball feet."""

from __future__ import annotations

import math

import numpy as np

from strut.errors import BadTableError
from strut.models.inertia import box_inertia, rod_inertia
from strut.models.model_builder import Body, ModelBuilder
from strut.robot import FLOATING, Array, Foot, Robot, ball_foot
from strut.tables.body import LimbBody, LimbLink, LimbMount
from strut.tables.folder import Tables

BASE = "body"


def limb_robot(name: str, table: LimbBody, tables: Tables) -> Robot:
    """Return the robot whose `robot.toml` gives its limbs as Denavit-Hartenberg rows."""
    builder, box = ModelBuilder(name, table.contact.friction), table.body
    body = builder.floating_base(BASE, "base", box.start_height_m)
    builder.matter(body, box.mass_kg, np.zeros(3), box_inertia(box.mass_kg, box.size_m))
    builder.shape(body, "box", np.zeros(3), np.asarray(box.size_m) / 2.0, box.color)
    for mark in box.mark:
        builder.shape(body, "sphere", mark.position_m, [mark.radius_m], mark.color, touches_ground=False)
    feet = [_add_limb(builder, body, mount, table) for mount in table.mount]
    return builder.robot(name, table.title, tables, feet=feet, base_size=FLOATING)


def mount_rotation(x_axis: Array, z_axis: Array) -> Array:
    """Return the rotation whose columns are x, z × x and z, from a mount's two axes. Shape (3, 3)."""
    x, z = np.asarray(x_axis, dtype=float), np.asarray(z_axis, dtype=float)
    return np.column_stack([x, np.cross(z, x), z])


def _add_limb(builder: ModelBuilder, body: Body, mount: LimbMount, table: LimbBody) -> Foot:
    """Add a limb joint by joint; return the foot at its end."""
    if mount.limb not in table.limb or len(mount.middle_rad) != len(table.limb[mount.limb].joints):
        raise BadTableError(f"Mount {mount.name} names no limb of the table, or not one middle_rad for each joint.")
    limb, servo = table.limb[mount.limb], table.servo
    links = {link.joint: link for link in limb.links}
    position, rotation = np.asarray(mount.position_m), mount_rotation(np.array(mount.x_axis), np.array(mount.z_axis))
    name = ""
    for joint, middle_rad in zip(limb.joints, mount.middle_rad, strict=True):
        name = f"{mount.name}_{joint.name}"
        body = builder.body(name, position, body, rotation)
        builder.hinge(
            body,
            name,
            [0.0, 0.0, 1.0],
            (middle_rad - joint.half_range_rad, middle_rad + joint.half_range_rad),
            speed_limit=servo.speed_limit_rad_s,
            torque_limit=servo.torque_limit_nm,
            stiffness=servo.stiffness_nm_rad,
            damping=servo.damping_nm_s_rad,
            armature=servo.armature_kg_m2,
        )
        if joint.name not in links:
            raise BadTableError(f"Limb {mount.limb} has no link for its joint {joint.name}.")
        _add_rod(builder, body, links[joint.name])
        position, rotation = np.array([joint.a_m, 0.0, joint.d_m]), _rotation_x(joint.alpha_rad)
    frame, end, radius_m = f"{mount.name}_{limb.end.name}", limb.end, table.contact.foot_radius_m
    builder.shape(body, "sphere", end.position_m, [radius_m], end.color, name=frame)
    builder.frame(body, frame, end.position_m)
    return ball_foot(mount.name, frame, name, end.position_m, radius_m)


def _add_rod(builder: ModelBuilder, body: Body, rod: LimbLink) -> None:
    """Add a solid cylinder between two points, or a solid ball where they coincide."""
    start, stop = np.asarray(rod.from_m), np.asarray(rod.to_m)
    builder.matter(body, rod.mass_kg, (start + stop) / 2.0, rod_inertia(rod.mass_kg, rod.radius_m, stop - start))
    if np.array_equal(start, stop):
        builder.shape(body, "sphere", start, [rod.radius_m], rod.color)
    else:
        ends = [*start, *stop]
        builder.shape(body, "capsule", ends, [rod.radius_m], rod.color, touches_ground=rod.touches_ground)


def _rotation_x(angle_rad: float) -> Array:
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
