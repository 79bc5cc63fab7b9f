"""Limb robot: a floating body with limbs of links, hinges and rods, on ball feet or flat feet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.arrays import Array
from strut.maths.rotation import elementary_rotation
from strut.models.model_builder import Body, ModelBuilder
from strut.robot import FLOATING, ContactPoint, Foot, Robot, ball_foot
from strut.schemas.body import BASE, FLOAT, FlatFoot, LimbBody, LimbLink, Mount, Rod, Trunk
from strut.schemas.fields import ORIGIN, Vector
from strut.schemas.folder import Tables
from strut.schemas.toml_file import WrongFieldError


def limb_robot(name: str, table: LimbBody, tables: Tables) -> Robot:
    """Return the robot whose `robot.toml` describes a body and its limbs."""
    builder = ModelBuilder(name, table.contact.friction)
    trunk = table.body
    body = builder.floating_base(BASE, FLOAT, trunk.start_height_m)
    builder.set_inertia(body, *_without_parts(trunk))
    for shape in trunk.shapes:
        builder.draw(body, shape)
    feet = [_add_limb(builder, body, mount, table) for mount in table.mount]
    _add_parts(builder, body, table)
    return builder.robot(name, table.title, tables, feet=feet, base_size=FLOATING)


def _without_parts(trunk: Trunk) -> tuple[float, Array, Array]:
    """Return mass, centre of mass and inertia of a body without its parts; the table gives those of the whole at rest.

    Raises WrongFieldError about a part whose removal leaves an impossible inertia.
    """
    mass = trunk.mass_kg
    com = np.array(trunk.com_m)
    inertia = box_inertia(mass, trunk.inertia_size_m)
    for index, part in enumerate(trunk.part):
        mass_left = mass - part.mass_kg
        part_com = np.array(part.com_m)
        com_left = (mass * com - part.mass_kg * part_com) / mass_left
        inertia = inertia + _steiner(mass, com - com_left) - _steiner(part.mass_kg, part_com - com_left)
        inertia = inertia - box_inertia(part.mass_kg, part.inertia_size_m)
        mass = mass_left
        com = com_left
        second_moments = np.trace(inertia) / 2.0 * np.eye(3) - inertia
        if np.linalg.eigvalsh(second_moments).min() <= 0.0:
            reason = "the body without this part has an impossible inertia; increase the body's inertia_size_m."
            raise WrongFieldError(("body", "part", index, "inertia_size_m"), reason)
    return mass, com, inertia


def _add_parts(builder: ModelBuilder, body: Body, table: LimbBody) -> None:
    """Add the parts that joints turn; after the limbs, so that the legs come first among the joints."""
    bodies: dict[str | None, tuple[Body, Vector]] = {None: (body, ORIGIN)}
    for part in table.body.part:
        carrier, origin_m = bodies[part.on]
        own = builder.body(part.name, np.subtract(part.origin_m, origin_m), carrier)
        for joint in part.joints:
            builder.hinge(own, joint.name, joint.axis, joint.range_rad, table.servo)
        inertia = box_inertia(part.mass_kg, part.inertia_size_m)
        builder.set_inertia(own, part.mass_kg, np.subtract(part.com_m, part.origin_m), inertia)
        for shape in part.shapes:
            builder.draw(own, shape, part.origin_m)
        bodies[part.name] = own, part.origin_m


def mount_rotation(x_axis: Vector, z_axis: Vector) -> Array:
    """Return the rotation with the columns x, z × x and z, from the two axes of a mount. Shape (3, 3)."""
    return np.column_stack([x_axis, np.cross(z_axis, x_axis), z_axis])


def _add_limb(builder: ModelBuilder, body: Body, mount: Mount, table: LimbBody) -> Foot:
    """Add a limb link by link and return its foot; a link is one body, however many joints move it."""
    limb = table.limb[mount.limb]
    middles_rad = iter(mount.middle_rad or [0.0] * len(limb.joints))
    position = np.array(mount.position_m)
    rotation = mount_rotation(mount.x_axis, mount.z_axis)
    for link in limb.links:
        place = position + rotation @ np.array(link.offset_m)
        turn = rotation @ elementary_rotation(0, link.twist_rad)
        body = builder.body(f"{mount.name}_{link.name}", place, body, turn)
        for joint in link.joints:
            lower, upper = np.array(joint.range_rad) + next(middles_rad)
            builder.hinge(body, f"{mount.name}_{joint.name}", joint.axis, (lower, upper), table.servo)
        if link.rod is not None:
            _add_rod(builder, body, link, link.rod)
        position = np.zeros(3)
        rotation = np.eye(3)
    if isinstance(limb.foot, FlatFoot):
        return _add_flat_foot(builder, body, mount.name, limb.foot, limb.links[-1])
    ball = limb.foot
    frame = f"{mount.name}_{ball.name}"
    builder.shape(body, "sphere", ball.position_m, [ball.radius_m], ball.color, name=frame)
    builder.frame(body, frame, ball.position_m)
    return ball_foot(mount.name, frame, body.name, ball.position_m, ball.radius_m)


def _add_rod(builder: ModelBuilder, body: Body, link: LimbLink, rod: Rod) -> None:
    """Add a solid cylinder between two points, or a solid ball if they coincide."""
    start = np.array(rod.from_m)
    stop = np.array(rod.to_m)
    builder.set_inertia(body, link.mass_kg, link.centre_m, rod_inertia(link.mass_kg, rod.radius_m, stop - start))
    kind, points = ("sphere", start) if np.array_equal(start, stop) else ("capsule", np.concatenate([start, stop]))
    builder.shape(body, kind, points, [rod.radius_m], link.color, touches_ground=rod.touches_ground)


def _add_flat_foot(builder: ModelBuilder, body: Body, mount: str, foot: FlatFoot, link: LimbLink) -> Foot:
    """Add a box and a frame in the middle of its sole, both with the name of the foot."""
    size = np.array([foot.length_m, foot.width_m, foot.height_m])
    frame = f"{mount}_{foot.name}"
    middle = np.array(foot.sole_m) + np.array([0.0, 0.0, foot.height_m / 2.0])
    builder.set_inertia(body, link.mass_kg, link.centre_m, box_inertia(link.mass_kg, size))
    builder.shape(body, "box", middle, size / 2.0, link.color, name=frame)
    builder.frame(body, frame, foot.sole_m)
    x = foot.length_m / 2.0
    y = foot.width_m / 2.0
    at_x, at_y, at_z = foot.sole_m
    corners = ((x, y), (-x, y), (-x, -y), (x, -y))
    points = (ContactPoint(f"{mount}_{k}", body.name, (at_x + u, at_y + v, at_z)) for k, (u, v) in enumerate(corners))
    return Foot(mount, frame, tuple(points), foot.sole_m)


def _steiner(mass_kg: float, offset_m: Array) -> Array:
    """Return the parallel-axis term of a point mass at an offset. Shape (3,) in, (3, 3) out."""
    return np.asarray(mass_kg * (offset_m @ offset_m * np.eye(3) - np.outer(offset_m, offset_m)))


def box_inertia(mass_kg: float, size_m: Sequence[float] | Array) -> Array:
    """Return the inertia of a solid box with edges `size_m` (3,). Shape (3, 3)."""
    squares = np.square(np.asarray(size_m, dtype=float))
    return np.diag(mass_kg / 12.0 * (np.sum(squares) - squares))


def rod_inertia(mass_kg: float, radius_m: float, span_m: Array) -> Array:
    """Return the inertia of a solid cylinder along `span_m` (3,), or of a solid ball if that is 0. Shape (3, 3)."""
    length_m = float(np.linalg.norm(span_m))
    if length_m == 0.0:
        return np.asarray(0.4 * mass_kg * radius_m**2 * np.eye(3))
    axis = span_m / length_m
    along = mass_kg * radius_m**2 / 2.0
    across = mass_kg * (3.0 * radius_m**2 + length_m**2) / 12.0
    return np.asarray(across * np.eye(3) + (along - across) * np.outer(axis, axis))
