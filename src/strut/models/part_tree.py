"""Part tree: a body as parts that hinge on each other, and the MJCF text of it. For robots that have no feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from xml.etree import ElementTree as ET

import numpy as np

from strut.errors import BadTableError
from strut.models.mjcf import Mjcf, add_body, add_inertia, add_joint, add_shape, numbers, quaternion
from strut.robot import Array, Robot

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
    model = Mjcf(name, tree.friction)
    bodies: dict[str | None, ET.Element] = {None: model.world}
    for part in depth_first(tree.parts):
        body = bodies[part.name] = add_body(bodies[part.parent], part.name, part.position_m, part.rotation)
        if part.parent is None and tree.platform is not None:
            _add_platform(model, body, tree.platform)
        elif part.kind != "fixed":
            _add_joint(model, body, part, tree.servo)
        if part.mass_kg > 0.0:
            add_inertia(body, part.mass_kg, part.com_m, part.inertia_kg_m2)
        elif part.kind != "fixed":
            raise BadTableError(f"Part {part.name} moves but weighs nothing; give it a mass.")
        for shape in part.shapes:
            points = np.concatenate(shape.points_m)
            add_shape(body, shape.kind, points, shape.size_m, shape.color, touches_ground=shape.touches_ground)
        for frame, position_m, rotation in part.frames:
            place, turn = numbers(position_m), numbers(quaternion(rotation))
            ET.SubElement(body, "site", name=frame, pos=place, quat=turn, size="0.01")
    return model.text()


def _add_platform(model: Mjcf, body: ET.Element, platform: Table) -> None:
    """Let the root drive in x and y and turn about z."""
    forces = (platform["force_limit_n"], platform["force_limit_n"], platform["moment_limit_nm"])
    sags = (platform["sag_m"], platform["sag_m"], platform["sag_rad"])
    kinds, axes = ("slide", "slide", "hinge"), np.eye(3)
    for joint, kind, axis, force, sag in zip(PLATFORM_JOINTS, kinds, axes, forces, sags, strict=True):
        add_joint(body, joint, axis, None, kind=kind)
        model.add_servo(joint, limit=force, stiffness=force / sag, damping=force / sag * platform["settle_s"])


def _add_joint(model: Mjcf, body: ET.Element, part: Part, servo: Table) -> None:
    armature, stiffness = servo["armature_s2"] * part.effort_limit, part.effort_limit / servo["sag_rad"]
    add_joint(body, part.name, part.axis, part.range, kind=part.kind, armature_kg_m2=armature)
    model.add_servo(part.name, limit=part.effort_limit, stiffness=stiffness, damping=stiffness * servo["settle_s"])
