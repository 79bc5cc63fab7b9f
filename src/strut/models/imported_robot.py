"""Foreign robot: a body that others describe in URDF or MJCF, with our floor, servos, frames, feet and limbs.

Shapes that collide touch the floor, except those that are rigidly joined to a foot. Errors name the field of
`robot.toml` that has to change (`WrongFieldError`); the catalogue adds file and line.
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
from strut.models.firm_floor import firm_up
from strut.models.model_builder import Body, ModelBuilder, quaternion, rotation_matrix
from strut.robot import FLOATING, STANDING, ContactPoint, Foot, Limb, Robot
from strut.schemas.fields import Servo
from strut.schemas.folder import Tables
from strut.schemas.imported import ImportedBody, LinkFoot, OwnJoint
from strut.schemas.toml_file import FieldPath, WrongFieldError, suggestion

_BONE_RADIUS_M = 0.035
_SHORTEST_BONE_M = 0.04
_GREY = (0.62, 0.66, 0.72, 1.0)
_DARK = (0.15, 0.15, 0.17, 1.0)
_POINT_RADIUS_M = 0.005  # of the balls that stand on the points of a sole in simulation


@dataclass(frozen=True, slots=True)
class Stance:
    """Where links are when the robot stands with its root at the origin: position (3,) and rotation (3, 3) by name."""

    place_m: Mapping[str, Array]
    turn: Mapping[str, Array]


def foreign_robot(name: str, folder: Path, table: ImportedBody, tables: Tables) -> Robot:
    """Return the robot whose `robot.toml` names a URDF or an MJCF file."""
    found = _read(folder, table)
    spec = found.spec
    root = found.spec.worldbody.bodies[0]
    _check_names(spec, table)
    posture = _posture(found.model, table)
    to_file = _axes(table)
    stance = _stance(found.model, posture, to_file)
    for body in (root, *root.find_all("body")):
        _prepare_shapes(body)
        _draw_bones(body)
    _level(root, found.model, to_file, table)
    builder = ModelBuilder(name, table.contact.friction, spec=spec)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0  # else feet creep under load
    for joint in spec.joints:
        _drive(builder, joint, found, table)
    root.pos = [0.0, 0.0, _height_m(table, stance)]
    if table.floats:
        root.add_freejoint(name="base")
    else:
        _let_stand(root)
    _add_frames_and_looks(builder, table, stance)
    feet = [_add_foot(builder, foot, place, stance.turn[place.link]) for foot, place in table.foot.items()]
    if table.posture:
        base = [*root.pos, 1.0, 0.0, 0.0, 0.0] if table.floats else []
        spec.add_key(name=STANDING, qpos=[*base, *posture])
    limbs = _limbs(found.model, table)
    base_size = FLOATING if table.floats else 0
    robot = builder.robot(name, table.title, tables, feet=feet, base_size=base_size, limbs=limbs)
    firm_up(robot.model, robot.feet)
    _check_posture(robot, table)
    return robot


def _add_frames_and_looks(builder: ModelBuilder, table: ImportedBody, stance: Stance) -> None:
    """Add the table's own frames and shapes, which it gives in the robot's axes when it stands."""
    for frame, place in table.frame.items():
        turn = stance.turn[place.link].T
        builder.frame(builder.spec.body(place.link), frame, turn @ np.array(place.offset_m), turn)
    for look in table.look:
        places = {field: tuple(stance.turn[look.link].T @ getattr(look, field)) for field in look.place_fields}
        builder.draw(builder.spec.body(look.link), msgspec.structs.replace(look, **places))


def _read(folder: Path, table: ImportedBody) -> Description:
    """Return what the table's file describes: one tree of links."""
    kind, given = ("urdf", table.urdf) if table.mjcf is None else ("mjcf", table.mjcf)
    path = folder / Path(os.path.expandvars(str(given))).expanduser()
    if not path.is_file():
        raise WrongFieldError((kind,), f"{path} is not there; correct the path or set the variable.")
    try:
        found = (read_urdf if kind == "urdf" else read_mjcf)(path, table.fixed)
    except WrongFieldError:
        raise
    except (ValueError, OSError) as error:
        raise WrongFieldError((kind,), f"{path}: {' '.join(str(error).split())}") from error
    if (roots := len(found.spec.worldbody.bodies)) != 1:
        raise WrongFieldError((kind,), f"{path}: has {roots} links without a parent; a robot has one.")
    return found


def _posture(model: mujoco.MjModel, table: ImportedBody) -> Array:
    """Return how the described robot stands: the angles of its joints [rad]. Shape (n,)."""
    angles_rad = [table.standing_rad(model.joint(index).name) for index in range(model.njnt)]
    return np.array([drawn if said is None else said for said, drawn in zip(angles_rad, model.qpos0, strict=True)])


def _check_posture(robot: Robot, table: ImportedBody) -> None:
    """Raise WrongFieldError where a joint would have to leave its range to stand."""
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
    places = (data.xpos - data.xpos[1]) @ to_file
    turns = to_file.T @ data.xmat.reshape(-1, 3, 3)
    return Stance(dict(zip(names, places, strict=True)), dict(zip(names, turns, strict=True)))


def _level(root: Body, model: mujoco.MjModel, to_file: Array, table: ImportedBody) -> None:
    """Give a floating root the robot's axes, and turn what it holds instead; turn a root that is bolted down."""
    described = model.body(1)
    drawn = rotation_matrix(described.quat)
    level = np.eye(3)
    turn = to_file.T @ drawn
    wanted = level if table.floats else turn
    if not np.allclose(drawn, wanted, atol=1e-9):
        root.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        root.quat = quaternion(wanted)
    if np.allclose(turn, wanted, atol=1e-9):
        return
    held = [*root.bodies, *root.geoms, *root.sites, *root.cameras, *root.lights, *root.frames]
    frame = root.add_frame(quat=quaternion(turn))
    for element in held:
        if element.frame is None:
            element.set_frame(frame)
    set_inertia(root, described)
    root.ipos = turn @ described.ipos
    root.iquat = quaternion(turn @ rotation_matrix(described.iquat))


def _height_m(table: ImportedBody, stance: Stance) -> float:
    """Return the height of the root: as the table says, else with the lowest foot on the floor."""
    if table.height_m is not None:
        return table.height_m
    feet = table.foot.values()
    lowest = (stance.place_m[foot.link][2] + point[2] - foot.radius_m for foot in feet for point in foot.points_m)
    return -float(min(lowest, default=0.0))


def _check_names(spec: mujoco.MjSpec, table: ImportedBody) -> None:
    """Raise WrongFieldError where a link, a joint, a foot or a frame has no such name."""
    links = [body.name for body in spec.bodies]
    joints = [joint.name for joint in spec.joints]
    for place, entries in (("frame", table.frame), ("foot", table.foot), ("look", dict(enumerate(table.look)))):
        for name, entry in entries.items():
            _check_known((place, name, "link"), [entry.link], links)
    for place, patterns in (("joint", table.joint), ("posture", table.posture)):
        for pattern in patterns:
            if not any(matches(joint, [pattern]) for joint in joints):
                _check_known((place, pattern), [pattern], joints)
    _check_limbs(table, joints)


def _check_limbs(table: ImportedBody, joints: Sequence[str]) -> None:
    """Raise WrongFieldError where a limb names what is not there."""
    for name, limb in table.limb.items():
        _check_known(("limb", name, "joints"), limb.joints, joints)
        _check_known(("limb", name, "feet"), limb.feet, list(table.foot))
        _check_known(("limb", name, "frame"), [limb.frame] if limb.frame else [], list(table.frame))


def _check_known(field: FieldPath, given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise WrongFieldError(field, f"there is no '{name}' in the model{suggestion(name, known)}")


def _prepare_shapes(body: Body) -> None:
    """Let shapes that collide touch the floor, unseen where a link has looks of its own."""
    seen = [geom for geom in body.geoms if geom.contype == 0 and geom.conaffinity == 0]
    for geom in body.geoms:
        touches = geom not in seen
        geom.contype = int(touches)
        geom.conaffinity = 0
        geom.mass = 0.0
        if touches and seen:
            geom.rgba = [*geom.rgba[:3], 0.0]


def _draw_bones(body: Body) -> None:
    """Draw a link without any shape, its own or one fixed to it, as bones to the links that hang on it."""
    if any(child.geoms and not child.joints for child in body.bodies):
        return
    ends = [child.pos for child in body.bodies if np.linalg.norm(child.pos) > _SHORTEST_BONE_M and _has_parts(child)]
    for end in ends if not body.geoms else ():
        bone = body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, rgba=_GREY, mass=0.0)
        bone.fromto = [0.0, 0.0, 0.0, *end]
        bone.size = [_BONE_RADIUS_M, 0.0, 0.0]
        bone.contype = bone.conaffinity = 0


def _has_parts(body: Body) -> bool:
    """Return whether a link is more than a frame: it, or what hangs on it, has a shape or a joint."""
    return bool(body.geoms or body.joints) or any(map(_has_parts, body.bodies))


def _let_stand(body: Body) -> None:
    """Let the part of a bolted robot that never moves stand on the floor, or in it: nobody walks with it."""
    if not body.joints:
        _never_touch(body)


def _drive(builder: ModelBuilder, joint: Body, found: Description, table: ImportedBody) -> None:
    """Give a joint its limits and a servo; limits of 0, which nobody means, are the table's."""
    name = joint.name
    own = table.own_joint(joint.name)
    unit = 180.0 / math.pi if joint.compiler.degree else 1.0  # the specification keeps the unit of its file
    if own.range_rad is not None:
        joint.range = unit * np.array(own.range_rad)
    elif not found.model.joint(name).limited[0] or joint.range[0] >= joint.range[1]:
        joint.range = unit * np.array([-math.pi, math.pi])
    joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
    speed = own.speed_rad_s or found.speed_limit.get(name) or _assumed(table, "speed_rad_s", name)
    torque = own.torque_nm or found.effort_limit.get(name) or _assumed(table, "torque_nm", name)
    servo = _servo(table, own, torque, speed, joint.armature)
    joint.actfrcrange = (0.0, 0.0)
    joint.damping = np.zeros(3)
    joint.frictionloss = 0.0
    builder.drive(joint, servo)


def _servo(table: ImportedBody, own: OwnJoint, torque_nm: float, speed_rad_s: float, armature_kg_m2: float) -> Servo:
    """Return the servo of a joint: as its own entry says, else sized by its limits."""
    usual = table.servo.sized(torque_nm, speed_rad_s)
    stiffness = own.stiffness_nm_rad or usual.stiffness_nm_rad
    damping = own.damping_nm_s_rad or stiffness * table.servo.settle_s
    armature = usual.armature_kg_m2 or armature_kg_m2 if own.armature_kg_m2 is None else own.armature_kg_m2
    return Servo(torque_nm, speed_rad_s, stiffness, damping, armature)


def _assumed(table: ImportedBody, field: str, joint: str) -> float:
    """Return a limit that neither the model nor [joint] has."""
    if table.limit is None:
        raise WrongFieldError(
            ("limit",), f"the model has no {field} for the joint {joint}; give one here or in [joint]."
        )
    return float(getattr(table.limit, field))


def _add_foot(builder: ModelBuilder, name: str, foot: LinkFoot, turn: Array) -> Foot:
    """Add a foot to a link, as a body that has the robot's axes when it stands; return it."""
    link = builder.spec.body(foot.link)
    _leave_the_floor(link)
    for taken in (builder.spec.geom(name), builder.spec.site(name)):
        if taken is not None:
            taken.name = f"{name}_described"
    body_name = name if builder.spec.body(name) is None else f"{name}_end"
    points = np.array(foot.points_m)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0  # a mean would lean to where corners crowd
    body = builder.body(body_name, turn.T @ middle, link, turn.T)
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


def _leave_the_floor(body: Body) -> None:
    """Leave the floor to the foot: what is rigidly joined to its link, before and behind it, no longer touches."""
    while not body.joints and body.parent is not None:
        body = body.parent
    _never_touch(body)


def _never_touch(body: Body) -> None:
    """Let no shape of a body touch the floor, nor of what is fixed to it."""
    for geom in body.geoms:
        geom.contype = 0
    for child in body.bodies:
        if not child.joints:
            _never_touch(child)


def _limbs(model: mujoco.MjModel, table: ImportedBody) -> tuple[Limb, ...]:
    """Return the limbs that the table names; a joint belongs to one of them at most."""
    limbs = list[Limb]()
    owner = dict[str, str]()
    for name, limb in table.limb.items():
        if limb.kind == "leg" and not limb.feet:
            raise WrongFieldError(("limb", name, "feet"), "a leg has a foot.")
        for joint in limb.joints:
            if owner.setdefault(joint, name) != name:
                raise WrongFieldError(("limb", name, "joints"), f"{joint} is in {owner[joint]}, too.")
        if limb.kind == "leg":
            _check_above(model, table, name)
        bodies = dict.fromkeys(model.body(int(model.joint(joint).bodyid[0])).name for joint in limb.joints)
        frame = limb.feet[0] if limb.kind == "leg" else limb.frame
        limbs.append(Limb(name, limb.kind, limb.joints, tuple(bodies), frame, limb.feet))
    return tuple(limbs)


def _check_above(model: mujoco.MjModel, table: ImportedBody, leg: str) -> None:
    """Raise WrongFieldError where a joint of a leg moves none of the leg's feet."""
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
