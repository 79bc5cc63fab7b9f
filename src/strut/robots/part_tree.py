"""Part tree: a body as parts that hinge on each other, and the MJCF text of it. For robots that have no feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from xml.etree import ElementTree as ET

import numpy as np

from strut.errors import BadTableError
from strut.robot import Array, Robot
from strut.robots.mjcf import FLOOR, numbers, quaternion

Table = Mapping[str, Any]
Kind = Literal["hinge", "slide", "fixed"]
PLATFORM = "platform"
PLATFORM_JOINTS = ("platform_x", "platform_y", "platform_yaw")


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What people see of a part, in the part's frame: a box, a capsule between two points, or a ball."""

    kind: Literal["box", "capsule", "sphere"]
    points_m: tuple[Array, ...]
    size_m: tuple[float, ...]
    color: tuple[float, float, float, float]
    touches_ground: bool


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A rigid part and the joint that moves it on its parent.

    Args:
        name: Of the part and of its joint.
        parent: The part it sits on; None for the root.
        position_m: Of its frame in the parent's, with the joint at zero. Shape (3,).
        rotation: Of its frame to the parent's, with the joint at zero. Shape (3, 3).
        kind: How it moves.
        axis: Of the joint, in the part's frame. Shape (3,).
        range: Lower and upper limit [rad, or m for a slide].
        speed_limit: [rad/s or m/s].
        effort_limit: Torque or force [N m or N].
        mass_kg: Of the part.
        com_m: Centre of mass in the part's frame. Shape (3,).
        inertia_kg_m2: About the centre of mass, in the part's axes. Shape (3, 3).
        shapes: What people see.
        frames: Named points with axes of their own: name, position and rotation in the part's frame.
    """

    name: str
    parent: str | None
    position_m: Array
    rotation: Array
    kind: Kind
    axis: Array
    range: tuple[float, float]
    speed_limit: float
    effort_limit: float
    mass_kg: float
    com_m: Array
    inertia_kg_m2: Array
    shapes: tuple[Shape, ...] = ()
    frames: tuple[tuple[str, Array, Array], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PartTree:
    """Parts in an order in which parents come first, and what drives them.

    Args:
        parts: All of them.
        servo: How firm the servos are: `sag_rad`, `settle_s`, `armature_s2`, see a robot's `robot.toml`.
        platform: Drives on the floor in x, y and yaw: speed and force limits; None if the root is bolted down.
        friction: Of the floor.
    """

    parts: tuple[Part, ...]
    servo: Table
    platform: Table | None
    friction: float
    joints: tuple[Part, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(part for part in depth_first(self.parts) if part.kind != "fixed"))


def depth_first(parts: Sequence[Part]) -> list[Part]:
    """Return the parts in the order in which a model numbers them."""
    known = {part.name for part in parts}
    children: dict[str | None, list[Part]] = {}
    for part in parts:
        if part.parent is not None and part.parent not in known:
            raise BadTableError(f"Part {part.name} sits on {part.parent}, which is not there.")
        children.setdefault(part.parent, []).append(part)
    ordered: list[Part] = []
    waiting = children.get(None, [])[::-1]
    while waiting:
        part = waiting.pop()
        ordered.append(part)
        waiting += children.get(part.name, [])[::-1]
    return ordered


def welded(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts that move and the root, with all that is fixed to each of them made part of it."""
    whole: dict[str, Part] = {}
    into: dict[str, tuple[str, Array, Array]] = {}  # part: what it belongs to, and where it is there
    for part in depth_first(parts):
        if part.parent is None:
            whole[part.name], into[part.name] = part, (part.name, np.zeros(3), np.eye(3))
            continue
        owner, at_m, turn = into[part.parent]
        position, rotation = at_m + turn @ part.position_m, turn @ part.rotation
        if part.kind == "fixed":
            into[part.name] = (owner, position, rotation)
            whole[owner] = _joined(whole[owner], part, position, rotation)
        else:
            into[part.name] = (part.name, np.zeros(3), np.eye(3))
            whole[part.name] = replace(part, parent=owner, position_m=position, rotation=rotation)
    return tuple(whole.values())


def _joined(part: Part, other: Part, position_m: Array, rotation: Array) -> Part:
    """Return a part with another, placed in its frame, joined to it."""
    mass = part.mass_kg + other.mass_kg
    there_m = position_m + rotation @ other.com_m
    com = (part.mass_kg * part.com_m + other.mass_kg * there_m) / mass if mass > 0.0 else part.com_m
    inertia = _about(part.mass_kg, part.com_m - com, part.inertia_kg_m2)
    inertia = inertia + _about(other.mass_kg, there_m - com, rotation @ other.inertia_kg_m2 @ rotation.T)
    moved = [replace(s, points_m=tuple(position_m + rotation @ point for point in s.points_m)) for s in other.shapes]
    frames = [(name, position_m + rotation @ at_m, rotation @ turn) for name, at_m, turn in other.frames]
    return replace(
        part,
        mass_kg=mass,
        com_m=com,
        inertia_kg_m2=inertia,
        shapes=(*part.shapes, *moved),
        frames=(*part.frames, *frames),
    )


def _about(mass_kg: float, offset_m: Array, inertia: Array) -> Array:
    """Return an inertia about a point that is `offset_m` (3,) away from its centre of mass. Shape (3, 3)."""
    return np.asarray(inertia + mass_kg * (offset_m @ offset_m * np.eye(3) - np.outer(offset_m, offset_m)))


def tree_robot(name: str, title: str, tree: PartTree, tables: Mapping[str, Table]) -> Robot:
    """Return the robot made of a tree of parts."""
    sliding = [part.name for part in tree.joints if part.kind == "slide"]
    if sliding:
        raise BadTableError(f"{name}: joint {sliding[0]} slides; only hinges can be performed with yet, so fix it.")
    return Robot(
        name=name,
        title=title,
        mjcf=_tree_mjcf(name, tree),
        joint_names=tuple(part.name for part in tree.joints),
        joint_lower_rad=np.array([part.range[0] for part in tree.joints]),
        joint_upper_rad=np.array([part.range[1] for part in tree.joints]),
        joint_speed_limit_rad_s=np.array([part.speed_limit for part in tree.joints]),
        torque_limit_nm=np.array([part.effort_limit for part in tree.joints]),
        feet=(),
        mass_kg=float(sum(part.mass_kg for part in tree.parts)),
        friction=tree.friction,
        base_size=0 if tree.platform is None else len(PLATFORM_JOINTS),
        tables=tables,
    )


def _tree_mjcf(name: str, tree: PartTree) -> str:
    root = ET.Element("mujoco", model=name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(root, "option", timestep="0.002", integrator="implicitfast")
    ET.SubElement(ET.SubElement(root, "default"), "geom", contype="1", conaffinity="0")
    world = ET.SubElement(root, "worldbody")
    friction = numbers([tree.friction, 0.005, 0.0001])
    floor = {"type": "plane", "size": "0 0 0.05", "contype": "0", "conaffinity": "1", "priority": "1"}
    ET.SubElement(world, "geom", {"name": FLOOR, **floor, "friction": friction})
    actuator = ET.Element("actuator")
    bodies: dict[str | None, ET.Element] = {None: world}
    for part in depth_first(tree.parts):
        body = ET.SubElement(
            bodies[part.parent],
            "body",
            name=part.name,
            pos=numbers(part.position_m),
            quat=numbers(quaternion(part.rotation)),
        )
        bodies[part.name] = body
        if part.parent is None and tree.platform is not None:
            _add_platform(body, actuator, tree.platform)
        elif part.kind != "fixed":
            _add_joint(body, actuator, part, tree.servo)
        _add_inertia(body, part)
        for shape in part.shapes:
            _add_shape(body, shape)
        for frame, position_m, rotation in part.frames:
            ET.SubElement(
                body, "site", name=frame, pos=numbers(position_m), quat=numbers(quaternion(rotation)), size="0.01"
            )
    root.append(actuator)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _add_platform(body: ET.Element, actuator: ET.Element, platform: Table) -> None:
    """Let the root drive in x and y and turn about z."""
    forces = (platform["force_limit_n"], platform["force_limit_n"], platform["moment_limit_nm"])
    sags = (platform["sag_m"], platform["sag_m"], platform["sag_rad"])
    for joint, axis, force, sag in zip(PLATFORM_JOINTS, ("1 0 0", "0 1 0", "0 0 1"), forces, sags, strict=True):
        kind = "hinge" if joint == PLATFORM_JOINTS[2] else "slide"
        ET.SubElement(body, "joint", name=joint, type=kind, axis=axis)
        _add_servo(actuator, joint, force, force / sag, platform["settle_s"])


def _add_joint(body: ET.Element, actuator: ET.Element, part: Part, servo: Table) -> None:
    armature = repr(float(servo["armature_s2"] * part.effort_limit))
    lower_upper = numbers(part.range)
    ET.SubElement(
        body, "joint", name=part.name, type=part.kind, axis=numbers(part.axis), armature=armature, range=lower_upper
    )
    _add_servo(actuator, part.name, part.effort_limit, part.effort_limit / servo["sag_rad"], servo["settle_s"])


def _add_servo(actuator: ET.Element, joint: str, limit: float, stiffness: float, settle_s: float) -> None:
    damping, force = repr(float(stiffness * settle_s)), numbers([-limit, limit])
    ET.SubElement(
        actuator, "position", name=joint, joint=joint, kp=repr(float(stiffness)), kv=damping, forcerange=force
    )


def _add_inertia(body: ET.Element, part: Part) -> None:
    if part.mass_kg == 0.0:
        if part.kind != "fixed":
            raise BadTableError(f"Part {part.name} moves but weighs nothing; give it a mass.")
        return
    inertia = part.inertia_kg_m2
    full = numbers([inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
    ET.SubElement(body, "inertial", pos=numbers(part.com_m), mass=repr(float(part.mass_kg)), fullinertia=full)


def _add_shape(body: ET.Element, shape: Shape) -> None:
    geom = ET.SubElement(body, "geom", type=shape.kind, size=numbers(shape.size_m), rgba=numbers(shape.color))
    if shape.kind == "capsule":
        geom.set("fromto", numbers([*shape.points_m[0], *shape.points_m[1]]))
    else:
        geom.set("pos", numbers(shape.points_m[0]))
    if not shape.touches_ground:
        geom.set("contype", "0")
