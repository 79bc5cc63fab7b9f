"""Axis robot: a floating body with limbs given as offsets and joint axes, on flat feet."""

from __future__ import annotations

import numpy as np

from strut.errors import BadTableError
from strut.models.inertia import box_inertia, rod_inertia
from strut.models.limb_robot import BASE
from strut.models.model_builder import Body, ModelBuilder
from strut.robot import FLOATING, ContactPoint, Foot, Robot
from strut.tables.body import AxisBody, AxisLink, AxisMount, FlatFoot
from strut.tables.folder import Tables


def axis_robot(name: str, table: AxisBody, tables: Tables) -> Robot:
    """Return the robot whose `robot.toml` gives its limbs as offsets and joint axes."""
    builder, trunk = ModelBuilder(name, table.contact.friction), table.body
    body = builder.floating_base(BASE, "base", trunk.start_height_m)
    builder.matter(body, trunk.mass_kg, trunk.com_m, box_inertia(trunk.mass_kg, trunk.inertia_size_m))
    for shape in trunk.shapes:
        half = np.asarray(shape.size_m) / (2.0 if shape.kind == "box" else 1.0)
        builder.shape(body, shape.kind, shape.position_m, half, shape.color)
    feet = [_add_limb(builder, body, mount, table) for mount in table.mount]
    return builder.robot(name, table.title, tables, feet=feet, base_size=FLOATING)


def _add_limb(builder: ModelBuilder, body: Body, mount: AxisMount, table: AxisBody) -> Foot:
    """Add a limb link by link; however many joints move a link, it is one body with its mass."""
    if mount.limb not in table.limb:
        raise BadTableError(f"Mount {mount.name} names the limb {mount.limb}, which is not there.")
    limb, servo, position = table.limb[mount.limb], table.servo, np.asarray(mount.position_m)
    foot: Foot | None = None
    for link in limb.links:
        body = builder.body(f"{mount.name}_{link.name}", position + np.asarray(link.offset_m), body)
        for joint in link.joints:
            builder.hinge(
                body,
                f"{mount.name}_{joint.name}",
                joint.axis,
                (joint.lower_rad, joint.upper_rad),
                speed_limit=servo.speed_limit_rad_s,
                torque_limit=servo.torque_limit_nm,
                stiffness=servo.stiffness_nm_rad,
                damping=servo.damping_nm_s_rad,
                armature=servo.armature_kg_m2,
            )
        if link.name == limb.foot.name:
            foot = _add_foot(builder, body, mount.name, limb.foot, link)
        else:
            _add_rod(builder, body, link)
        position = np.zeros(3)
    if foot is None:
        raise BadTableError(f"Limb {mount.limb} has no link called {limb.foot.name}, which its foot names.")
    return foot


def _add_foot(builder: ModelBuilder, body: Body, mount: str, foot: FlatFoot, link: AxisLink) -> Foot:
    """Add a box on its sole and a frame in the middle of the sole, both with the foot's name."""
    size = np.array([foot.length_m, foot.width_m, foot.height_m])
    frame, sole = f"{mount}_{foot.name}", np.asarray(foot.sole_m)
    middle = sole + np.array([0.0, 0.0, foot.height_m / 2.0])
    builder.matter(body, link.mass_kg, link.com_m, box_inertia(link.mass_kg, size))
    builder.shape(body, "box", middle, size / 2.0, link.color, name=frame)
    builder.frame(body, frame, sole)
    x, y, (at_x, at_y, at_z) = foot.length_m / 2.0, foot.width_m / 2.0, foot.sole_m
    corners = ((x, y), (-x, y), (-x, -y), (x, -y))
    points = (ContactPoint(f"{mount}_{k}", frame, (at_x + u, at_y + v, at_z)) for k, (u, v) in enumerate(corners))
    return Foot(mount, frame, tuple(points), foot.sole_m)


def _add_rod(builder: ModelBuilder, body: Body, link: AxisLink) -> None:
    if link.rod is None:
        raise BadTableError(f"Link {link.name} has no rod, and no foot either.")
    rod, span = link.rod, np.asarray(link.rod.to_m)
    builder.matter(body, link.mass_kg, link.com_m, rod_inertia(link.mass_kg, rod.radius_m, span))
    ends = [0.0, 0.0, 0.0, *span]
    builder.shape(body, "capsule", ends, [rod.radius_m], link.color, touches_ground=rod.touches_ground)
