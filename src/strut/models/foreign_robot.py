"""Foreign robot: a body that others describe in URDF or MJCF, with our servos, frames and feet.

`robot.toml` gives the file (`urdf` or `mjcf`, relative to the folder, with $VARIABLES), the joints that stay at zero,
the height of the root over the floor, frames and feet by link, and what to add to the looks. Frames have the robot's
axes when all joints are zero. Shapes that collide touch the floor, except those that are rigidly joined to a foot.
"""

from __future__ import annotations

import math
import os
from fnmatch import fnmatchcase
from pathlib import Path

import mujoco
import numpy as np

from strut.errors import BadTableError
from strut.models.model_builder import Body, ModelBuilder
from strut.models.urdf import Description, read_urdf
from strut.robot import FLOATING, Array, ContactPoint, Foot, Robot
from strut.tables.body import ForeignBody, LinkFoot, LinkShape
from strut.tables.folder import Tables

_BONE_RADIUS_M, _SHORTEST_BONE_M = 0.035, 0.04
_GREY, _DARK = (0.62, 0.66, 0.72, 1.0), (0.15, 0.15, 0.17, 1.0)
_SOLE_M = 0.01  # thickness of the box that stands for a sole in simulation


def foreign_robot(name: str, folder: Path, table: ForeignBody, tables: Tables) -> Robot:
    """Return the robot whose `robot.toml` names a URDF or an MJCF file."""
    path = _description_path(folder, table)
    found = read_urdf(path, table.fixed) if table.urdf is not None else _read_mjcf(path, table.fixed)
    spec, floats = found.spec, bool(table.foot)
    root = _checked_root(path, spec, table)
    for body in (root, *root.find_all("body")):
        _prepare_shapes(body)
    at_zero = _turns_at_zero(spec, path)
    builder = ModelBuilder(name, table.contact.friction, spec=spec)
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            _drive(builder, joint, found, table)
    root.pos = [0.0, 0.0, table.height_m]
    if floats:
        root.add_freejoint(name="base")
    else:
        _let_stand(root)
    for frame, place in table.frame.items():
        turn = at_zero[place.link].T
        builder.frame(spec.body(place.link), frame, turn @ np.array(place.offset_m), turn)
    for look in table.look:
        _add_look(builder, spec.body(look.link), look, at_zero[look.link])
    feet = [_add_foot(builder, foot, place, at_zero[place.link]) for foot, place in table.foot.items()]
    return builder.robot(name, table.title, tables, feet=feet, base_size=FLOATING if floats else 0)


def _checked_root(path: Path, spec: mujoco.MjSpec, table: ForeignBody) -> Body:
    """Return the one link that all others hang on; raises BadTableError where a named link is not there."""
    roots = spec.worldbody.bodies
    if len(roots) != 1:
        raise BadTableError(f"{path}: has {len(roots)} links without a parent; a robot has one.")
    named = [(entry, place.link) for entry, place in (*table.frame.items(), *table.foot.items())]
    for entry, link in (*named, *(("of a look", look.link) for look in table.look)):
        if spec.body(link) is None:
            raise BadTableError(f"{path}: has no link {link} for the frame {entry}.")
    return roots[0]


def _description_path(folder: Path, table: ForeignBody) -> Path:
    given = table.urdf if table.urdf is not None else table.mjcf
    path = folder / Path(os.path.expandvars(str(given))).expanduser()
    if not path.is_file():
        kind = "urdf" if table.urdf is not None else "mjcf"
        raise BadTableError(
            f"{folder / 'robot.toml'}: its {kind} {path} is not there; correct the path or set the variable."
        )
    return path


def _read_mjcf(path: Path, fixed: tuple[str, ...]) -> Description:
    """Return the robot of an MJCF file without its floor, lights, servos, keyframes and sensors."""
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise BadTableError(f"{path}: MuJoCo cannot read it: {' '.join(str(error).split())}") from error
    effort = {joint.name: float(joint.actfrcrange[1]) for joint in spec.joints}
    for actuator in spec.actuators:
        force = actuator.forcerange if actuator.forcerange[1] > 0.0 else actuator.ctrlrange * actuator.gainprm[0]
        effort[actuator.target] = float(abs(force[1] * actuator.gear[0]))
    removed = [joint for joint in spec.joints if any(fnmatchcase(joint.name, pattern) for pattern in fixed)]
    removed += [joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_FREE]
    for element in (
        *spec.actuators,
        *spec.keys,
        *spec.sensors,
        *spec.worldbody.geoms,
        *spec.worldbody.lights,
        *removed,
    ):
        spec.delete(element)
    wrong = [joint.name for joint in spec.joints if joint.type != mujoco.mjtJoint.mjJNT_HINGE]
    if wrong:
        raise BadTableError(f"{path}: the joint {wrong[0]} is no hinge; list it among the fixed ones.")
    return Description(spec, {}, effort)


def _turns_at_zero(spec: mujoco.MjSpec, path: Path) -> dict[str, Array]:
    """Return the rotation to the root's axes of every body when all joints are zero. Shape (3, 3) each."""
    try:
        model = spec.compile()
    except ValueError as error:
        raise BadTableError(f"{path}: MuJoCo cannot build it: {' '.join(str(error).split())}") from error
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return {model.body(k).name: data.xmat[k].reshape(3, 3).copy() for k in range(model.nbody)}


def _prepare_shapes(body: Body) -> None:
    """Let shapes that collide touch the floor, unseen where a link has looks of its own; a bare link becomes bones."""
    seen = [geom for geom in body.geoms if geom.contype == 0 and geom.conaffinity == 0]
    for geom in body.geoms:
        touches = geom not in seen
        geom.contype, geom.conaffinity, geom.mass = int(touches), 0, 0.0
        if touches and seen:
            geom.rgba = [*geom.rgba[:3], 0.0]
    ends = [child.pos for child in body.bodies if np.linalg.norm(child.pos) > _SHORTEST_BONE_M]
    for end in ends if not body.geoms else ():
        bone = body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, rgba=_GREY, mass=0.0)
        bone.fromto, bone.size = [0.0, 0.0, 0.0, *end], [_BONE_RADIUS_M, 0.0, 0.0]
        bone.contype = bone.conaffinity = 0


def _let_stand(body: Body) -> None:
    """Let the part of a bolted robot that never moves stand on the floor, or in it: nobody walks with it."""
    if not body.joints:
        for geom in body.geoms:
            geom.contype = 0
        for child in body.bodies:
            _let_stand(child)


def _drive(builder: ModelBuilder, joint: Body, found: Description, table: ForeignBody) -> None:
    """Give a joint its limits and a servo; limits of 0, which nobody means, are the table's."""
    name, servo = joint.name, table.servo
    own = [limit for pattern, limit in table.joint.items() if fnmatchcase(name, pattern)]
    bounds = [limit.range_rad for limit in own if limit.range_rad is not None]
    if bounds or joint.range[0] >= joint.range[1]:
        joint.range = (*bounds, (-math.pi, math.pi))[0]
    speeds = (*(limit.speed_rad_s for limit in own), found.speed_limit.get(name), table.limit.speed_rad_s)
    torques = (*(limit.torque_nm for limit in own), found.effort_limit.get(name), table.limit.torque_nm)
    builder.speed_limit[name] = next(speed for speed in speeds if speed)
    torque = next(torque for torque in torques if torque)
    stiffness = torque / servo.sag_rad
    joint.armature, joint.actfrcrange = servo.armature_s2 * torque, (0.0, 0.0)
    joint.damping, joint.frictionloss = np.zeros(3), 0.0
    builder.servo(name, limit=torque, stiffness=stiffness, damping=stiffness * servo.settle_s)


def _add_look(builder: ModelBuilder, body: Body, look: LinkShape, at_zero: Array) -> None:
    """Add a ball, or a box with the link's axes, to the looks of a link."""
    size = [length / 2.0 for length in look.size_m or ()] if look.kind == "box" else [look.radius_m or 0.0]
    builder.shape(body, look.kind, at_zero.T @ np.array(look.offset_m), size, look.color, touches_ground=False)


def _add_foot(builder: ModelBuilder, name: str, foot: LinkFoot, at_zero: Array) -> Foot:
    """Add a foot to a link, as a body that has the robot's axes when all joints are zero; return it."""
    link = builder.spec.body(foot.link)
    rigid = link
    while rigid is not None and not rigid.joints and rigid.parent is not None:
        for geom in rigid.geoms:
            geom.contype = 0
        rigid = rigid.parent
    for geom in rigid.geoms:
        geom.contype = 0
    for taken in (builder.spec.geom(name), builder.spec.site(name)):
        if taken is not None:
            taken.name = f"{name}_described"
    body_name = name if builder.spec.body(name) is None else f"{name}_end"
    body = builder.body(body_name, at_zero.T @ np.array(foot.offset_m), link, at_zero.T)
    outline = np.array(foot.outline_m)
    if len(outline) == 1:
        builder.shape(body, "sphere", np.zeros(3), [foot.radius_m], _DARK, name=name)
    else:
        middle, half = (outline.max(axis=0) + outline.min(axis=0)) / 2.0, np.ptp(outline, axis=0) / 2.0
        builder.shape(body, "box", [*middle, _SOLE_M / 2.0], [*half, _SOLE_M / 2.0], _DARK, name=name)
    builder.frame(body, name, np.zeros(3))
    points = (
        ContactPoint(f"{name}_{k}", body_name, (x, y, 0.0), foot.radius_m) for k, (x, y) in enumerate(foot.outline_m)
    )
    return Foot(name, name, tuple(points), (0.0, 0.0, 0.0))
