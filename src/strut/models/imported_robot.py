"""Imported robot: a body from a URDF or MJCF file, with floor, servos, frames, feet and limbs of its `robot.toml`.

Collision shapes touch the floor, except those that are rigidly joined to a foot. Errors name the field of
`robot.toml` to change (`WrongFieldError`); the catalogue adds file and line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import mujoco
import numpy as np

from strut.arrays import Array
from strut.models.description import Description, matches, read_mjcf, read_urdf, set_inertia
from strut.models.firm_floor import stiffen_floor
from strut.models.model_builder import Body, ModelBuilder, quaternion, rotation_matrix
from strut.robot import FLOATING, STANDING, ContactPoint, Foot, Limb, Robot
from strut.schemas.fields import Servo
from strut.schemas.folder import Tables
from strut.schemas.imported import ImportedBody, LinkFoot, OwnJoint
from strut.schemas.toml_file import FieldPath, WrongFieldError, suggestion

_BONE_RADIUS_M = 0.035  # of the capsules that stand for links without shapes
_MIN_BONE_M = 0.04  # a shorter one would be wider than long
_GREY = (0.62, 0.66, 0.72, 1.0)
_DARK = (0.15, 0.15, 0.17, 1.0)
_POINT_RADIUS_M = 0.005  # of the balls on the contact points of a sole in simulation


@dataclass(frozen=True, slots=True)
class Stance:
    """Position (3,) and rotation (3, 3) of each link while the robot stands with its root at the origin."""

    position_m: Mapping[str, Array]
    rotation: Mapping[str, Array]


def imported_robot(name: str, folder: Path, table: ImportedBody, tables: Tables) -> Robot:
    """Return the robot whose `robot.toml` names a URDF or an MJCF file."""
    description = _read(folder, table)
    spec = description.spec
    root = spec.worldbody.bodies[0]
    _check_names(spec, table)
    posture = _posture(description.model, table)
    to_file = _axes(table)
    stance = _stance(description.model, posture, to_file)
    for body in (root, *root.find_all("body")):
        _prepare_shapes(body)
        _draw_bones(body)
    _level(root, description.model, to_file, table)
    builder = ModelBuilder(name, table.contact.friction, spec=spec)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0  # with 1, feet creep under load
    for joint in spec.joints:
        _drive(builder, joint, description, table)
    root.pos = [0.0, 0.0, _height_m(table, stance)]
    if table.floats:
        root.add_freejoint(name="base")
    elif not root.joints:
        _disable_contacts(root)  # the fixed part of a bolted robot may stand in the floor
    _add_frames_and_shapes(builder, table, stance)
    feet = [_add_foot(builder, foot_name, foot, stance.rotation[foot.link]) for foot_name, foot in table.foot.items()]
    if table.posture:
        base = [*root.pos, 1.0, 0.0, 0.0, 0.0] if table.floats else []
        spec.add_key(name=STANDING, qpos=[*base, *posture])
    limbs = _limbs(description.model, table)
    base_size = FLOATING if table.floats else 0
    robot = builder.robot(name, table.title, tables, feet=feet, base_size=base_size, limbs=limbs)
    stiffen_floor(robot.model, robot.feet)
    _check_posture(robot, table)
    return robot


def _add_frames_and_shapes(builder: ModelBuilder, table: ImportedBody, stance: Stance) -> None:
    """Add the frames and shapes of the table, given in the axes of the standing robot."""
    for frame, entry in table.frame.items():
        to_link = stance.rotation[entry.link].T
        builder.frame(builder.spec.body(entry.link), frame, to_link @ np.array(entry.offset_m), to_link)
    for shape in table.look:
        to_link = stance.rotation[shape.link].T
        points = {field: tuple(to_link @ getattr(shape, field)) for field in shape.place_fields}
        builder.draw(builder.spec.body(shape.link), msgspec.structs.replace(shape, **points))


def _read(folder: Path, table: ImportedBody) -> Description:
    """Return the content of the table's file, which must be one tree of links."""
    kind, given = ("urdf", table.urdf) if table.mjcf is None else ("mjcf", table.mjcf)
    path = folder / Path(os.path.expandvars(str(given))).expanduser()
    if not path.is_file():
        raise WrongFieldError((kind,), f"{path} does not exist; correct the path or set the environment variable.")
    try:
        description = (read_urdf if kind == "urdf" else read_mjcf)(path, table.fixed)
    except WrongFieldError:
        raise
    except (ValueError, OSError) as error:
        raise WrongFieldError((kind,), f"{path}: {' '.join(str(error).split())}") from error
    if (roots := len(description.spec.worldbody.bodies)) != 1:
        raise WrongFieldError((kind,), f"{path}: has {roots} links without a parent; a robot has one.")
    return description


def _posture(model: mujoco.MjModel, table: ImportedBody) -> Array:
    """Return the joint angles of the standing robot [rad]. Shape (n,)."""
    angles_rad = [table.standing_rad(model.joint(index).name) for index in range(model.njnt)]
    return np.array([default if own is None else own for own, default in zip(angles_rad, model.qpos0, strict=True)])


def _check_posture(robot: Robot, table: ImportedBody) -> None:
    """Raise WrongFieldError if a standing joint is outside its range."""
    angles_rad = robot.standing_qpos[robot.base_size :]
    outside = (angles_rad < robot.joint_lower_rad) | (angles_rad > robot.joint_upper_rad)
    for index in np.flatnonzero(outside):
        joint = robot.joint_names[index]
        if table.standing_rad(joint) is not None:
            ends = f"{robot.joint_lower_rad[index]:.3f} to {robot.joint_upper_rad[index]:.3f} rad"
            reason = f"{angles_rad[index]:g} is outside the range of the joint {joint}, {ends}."
            pattern = next(pattern for pattern in table.posture if matches(joint, [pattern]))
            raise WrongFieldError(("posture", pattern), reason)


def _axes(table: ImportedBody) -> Array:
    """Return the rotation from the robot's axes to those of its file. Shape (3, 3)."""
    x = np.array(table.forward)
    z = np.array(table.up)
    axes = np.column_stack([x, np.cross(z, x), z])
    if not np.allclose(axes @ axes.T, np.eye(3), atol=1e-6):
        raise WrongFieldError(("forward",), "forward and up must be of length 1 and at right angles.")
    return axes


def _stance(model: mujoco.MjModel, posture: Array, to_file: Array) -> Stance:
    data = mujoco.MjData(model)
    data.qpos[:] = posture
    mujoco.mj_kinematics(model, data)
    names = [model.body(index).name for index in range(model.nbody)]
    positions = (data.xpos - data.xpos[1]) @ to_file
    rotations = to_file.T @ data.xmat.reshape(-1, 3, 3)
    return Stance(dict(zip(names, positions, strict=True)), dict(zip(names, rotations, strict=True)))


def _level(root: Body, model: mujoco.MjModel, to_file: Array, table: ImportedBody) -> None:
    """Align the axes of a floating root with the robot and rotate its content instead; rotate a bolted root itself."""
    described = model.body(1)
    in_file = rotation_matrix(described.quat)
    in_robot = to_file.T @ in_file
    wanted = np.eye(3) if table.floats else in_robot
    if not np.allclose(in_file, wanted, atol=1e-9):
        root.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        root.quat = quaternion(wanted)
    if np.allclose(in_robot, wanted, atol=1e-9):
        return
    content = [*root.bodies, *root.geoms, *root.sites, *root.cameras, *root.lights, *root.frames]
    frame = root.add_frame(quat=quaternion(in_robot))
    for element in content:
        if element.frame is None:
            element.set_frame(frame)
    set_inertia(root, described)
    root.ipos = in_robot @ described.ipos
    root.iquat = quaternion(in_robot @ rotation_matrix(described.iquat))


def _height_m(table: ImportedBody, stance: Stance) -> float:
    """Return the height of the root: that of the table, else with the lowest foot on the floor."""
    if table.height_m is not None:
        return table.height_m
    feet = table.foot.values()
    lowest = (stance.position_m[foot.link][2] + point[2] - foot.radius_m for foot in feet for point in foot.points_m)
    return -float(min(lowest, default=0.0))


def _check_names(spec: mujoco.MjSpec, table: ImportedBody) -> None:
    """Raise WrongFieldError about a name of a link, joint, foot or frame that the model does not have."""
    links = [body.name for body in spec.bodies]
    joints = [joint.name for joint in spec.joints]
    for field, entries in (("frame", table.frame), ("foot", table.foot), ("look", dict(enumerate(table.look)))):
        for name, entry in entries.items():
            _check_known((field, name, "link"), [entry.link], links)
    for field, patterns in (("joint", table.joint), ("posture", table.posture)):
        for pattern in patterns:
            if not any(matches(joint, [pattern]) for joint in joints):
                _check_known((field, pattern), [pattern], joints)
    for name, limb in table.limb.items():
        _check_known(("limb", name, "joints"), limb.joints, joints)
        _check_known(("limb", name, "feet"), limb.feet, list(table.foot))
        _check_known(("limb", name, "frame"), [limb.frame] if limb.frame else [], list(table.frame))


def _check_known(field: FieldPath, given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise WrongFieldError(field, f"there is no '{name}' in the model{suggestion(name, known)}")


def _prepare_shapes(body: Body) -> None:
    """Let collision shapes touch the floor, and hide them if the link has visual shapes."""
    visual = [geom for geom in body.geoms if geom.contype == 0 and geom.conaffinity == 0]
    for geom in body.geoms:
        touches = geom not in visual
        geom.contype = int(touches)
        geom.conaffinity = 0
        geom.mass = 0.0
        if touches and visual:
            geom.rgba = [*geom.rgba[:3], 0.0]


def _draw_bones(body: Body) -> None:
    """Add bones to the child links of a link that has no shape, neither its own nor of a link fixed to it."""
    if any(child.geoms and not child.joints for child in body.bodies):
        return
    ends = [child.pos for child in body.bodies if np.linalg.norm(child.pos) > _MIN_BONE_M and _has_parts(child)]
    for end in ends if not body.geoms else ():
        bone = body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, rgba=_GREY, mass=0.0)
        bone.fromto = [0.0, 0.0, 0.0, *end]
        bone.size = [_BONE_RADIUS_M, 0.0, 0.0]
        bone.contype = bone.conaffinity = 0


def _has_parts(body: Body) -> bool:
    """Return whether a link or one below it has a shape or a joint; else it is only a frame."""
    return bool(body.geoms or body.joints) or any(map(_has_parts, body.bodies))


def _drive(builder: ModelBuilder, joint: Body, description: Description, table: ImportedBody) -> None:
    """Set limits and servo of a joint; limits of 0 count as missing and come from the table."""
    name = joint.name
    own = table.own_joint(joint.name)
    unit = 180.0 / math.pi if joint.compiler.degree else 1.0  # the specification keeps the unit of its file
    if own.range_rad is not None:
        joint.range = unit * np.array(own.range_rad)
    elif not description.model.joint(name).limited[0] or joint.range[0] >= joint.range[1]:
        joint.range = unit * np.array([-math.pi, math.pi])
    joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
    speed = own.speed_rad_s or description.speed_limit.get(name) or _default_limit(table, "speed_rad_s", name)
    torque = own.torque_nm or description.effort_limit.get(name) or _default_limit(table, "torque_nm", name)
    servo = _servo(table, own, torque, speed, joint.armature)
    joint.actfrcrange = (0.0, 0.0)
    joint.damping = np.zeros(3)
    joint.frictionloss = 0.0
    builder.drive(joint, servo)


def _servo(table: ImportedBody, own: OwnJoint, torque_nm: float, speed_rad_s: float, armature_kg_m2: float) -> Servo:
    """Return the servo of a joint: values of its own entry, else sized by its limits."""
    usual = table.servo.sized(torque_nm, speed_rad_s)
    stiffness = own.stiffness_nm_rad or usual.stiffness_nm_rad
    damping = own.damping_nm_s_rad or stiffness * table.servo.settle_s
    armature = usual.armature_kg_m2 or armature_kg_m2 if own.armature_kg_m2 is None else own.armature_kg_m2
    return Servo(torque_nm, speed_rad_s, stiffness, damping, armature)


def _default_limit(table: ImportedBody, field: str, joint: str) -> float:
    """Return the limit of joints for which neither the model nor [joint] has one."""
    if table.limit is None:
        raise WrongFieldError(
            ("limit",), f"the model has no {field} for the joint {joint}; give one here or in [joint]."
        )
    return float(getattr(table.limit, field))


def _add_foot(builder: ModelBuilder, name: str, foot: LinkFoot, link_rotation: Array) -> Foot:
    """Add a foot to a link, as a body with the axes of the standing robot; return it."""
    link = builder.spec.body(foot.link)
    _disable_contacts_of_foot(link)
    for namesake in (builder.spec.geom(name), builder.spec.site(name)):
        if namesake is not None:
            namesake.name = f"{name}_described"
    body_name = name if builder.spec.body(name) is None else f"{name}_end"
    points = np.array(foot.points_m)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0  # their mean would lie nearer to crowded corners
    body = builder.body(body_name, link_rotation.T @ middle, link, link_rotation.T)
    flat = points - middle
    flat[:, 2] = 0.0
    radius_m, lift_m = (foot.radius_m, 0.0) if foot.radius_m > 0.0 else (_POINT_RADIUS_M, _POINT_RADIUS_M)
    for index, point in enumerate(flat):
        ball = name if len(flat) == 1 else f"{name}_{index}"
        builder.shape(body, "sphere", [point[0], point[1], lift_m], [radius_m], _DARK, name=ball)
    builder.frame(body, name, np.zeros(3))
    contacts = (
        ContactPoint(f"{name}_{index}", body_name, (x, y, 0.0), foot.radius_m)
        for index, (x, y, _) in enumerate(flat.tolist())
    )
    return Foot(name, name, tuple(contacts), (0.0, 0.0, 0.0))


def _disable_contacts_of_foot(body: Body) -> None:
    """Disable floor contacts of all links that are rigidly joined to the link of a foot: only the foot touches."""
    while not body.joints and body.parent is not None:
        body = body.parent
    _disable_contacts(body)


def _disable_contacts(body: Body) -> None:
    """Disable floor contacts of a body and of those fixed to it."""
    for geom in body.geoms:
        geom.contype = 0
    for child in body.bodies:
        if not child.joints:
            _disable_contacts(child)


def _limbs(model: mujoco.MjModel, table: ImportedBody) -> tuple[Limb, ...]:
    """Return the limbs of the table; a joint belongs to at most one of them."""
    limbs = list[Limb]()
    owner = dict[str, str]()
    for name, limb in table.limb.items():
        if limb.kind == "leg" and not limb.feet:
            raise WrongFieldError(("limb", name, "feet"), "a leg needs a foot.")
        for joint in limb.joints:
            if owner.setdefault(joint, name) != name:
                raise WrongFieldError(("limb", name, "joints"), f"{joint} is also in {owner[joint]}.")
        if limb.kind == "leg":
            _check_moves_feet(model, table, name)
        bodies = dict.fromkeys(model.body(int(model.joint(joint).bodyid[0])).name for joint in limb.joints)
        frame = limb.feet[0] if limb.kind == "leg" else limb.frame
        limbs.append(Limb(name, limb.kind, limb.joints, tuple(bodies), frame, limb.feet))
    return tuple(limbs)


def _check_moves_feet(model: mujoco.MjModel, table: ImportedBody, leg: str) -> None:
    """Raise WrongFieldError if a joint of a leg moves none of its feet."""
    limb = table.limb[leg]
    above = {0}
    for foot in limb.feet:
        body = model.body(table.foot[foot].link).id
        while body not in above:
            above.add(body)
            body = model.body_parentid[body]
    for joint in limb.joints:
        if int(model.joint(joint).bodyid[0]) not in above - {0}:
            reason = f"{joint} does not move the foot {', '.join(limb.feet)}; name the joints between it and the base."
            raise WrongFieldError(("limb", leg, "joints"), reason)
