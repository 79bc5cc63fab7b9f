"""MJCF text in the making: a floor, bodies with hinges, matter and shapes, and a position servo for every joint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from strut.robot import Array

FLOOR = "floor"
_TRIANGLE = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # the order of a full inertia in MJCF
_ROLLING_FRICTION = (0.005, 0.0001)  # about the normal [m] and of rolling [m]


@dataclass(frozen=True, slots=True, eq=False)
class Mjcf:
    """A model that is being written. Bodies touch the floor and nothing else.

    Args:
        name: Of the model.
        friction: Of the floor.
        timestep_s: Of the simulation.
        shapes_touch: Whether a shape touches the floor unless it says otherwise.
    """

    name: str
    friction: float
    timestep_s: float = 0.002
    shapes_touch: bool = True
    root: ET.Element = field(init=False)
    world: ET.Element = field(init=False)
    actuator: ET.Element = field(init=False)

    def __post_init__(self) -> None:
        root = ET.Element("mujoco", model=self.name)
        ET.SubElement(root, "compiler", angle="radian", autolimits="true")
        ET.SubElement(root, "option", timestep=repr(self.timestep_s), integrator="implicitfast")
        touches = "1" if self.shapes_touch else "0"
        ET.SubElement(ET.SubElement(root, "default"), "geom", contype=touches, conaffinity="0", mass="0")
        world = ET.SubElement(root, "worldbody")
        floor = {"name": FLOOR, "type": "plane", "size": "0 0 0.05", "contype": "0", "conaffinity": "1"}
        friction = numbers([self.friction, *_ROLLING_FRICTION])
        ET.SubElement(world, "geom", floor, priority="1", friction=friction)
        object.__setattr__(self, "root", root)
        object.__setattr__(self, "world", world)
        object.__setattr__(self, "actuator", ET.SubElement(root, "actuator"))

    def text(self) -> str:
        """Return the model as text."""
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode")

    def add_servo(self, joint: str, *, limit: float, stiffness: float, damping: float) -> None:
        """Let a position servo drive a joint; torques for hinges, forces for slides."""
        ET.SubElement(
            self.actuator,
            "position",
            name=joint,
            joint=joint,
            kp=repr(float(stiffness)),
            kv=repr(float(damping)),
            forcerange=numbers([-limit, limit]),
        )


def add_body(parent: ET.Element, name: str, position_m: Iterable[float], rotation: Array | None = None) -> ET.Element:
    """Return a new body at a place (3,) and rotation (3, 3) of its parent."""
    body = ET.SubElement(parent, "body", name=name, pos=numbers(position_m))
    if rotation is not None:
        body.set("quat", numbers(quaternion(rotation)))
    return body


def add_joint(
    body: ET.Element,
    name: str,
    axis: Iterable[float],
    bounds: tuple[float, float] | None,
    *,
    kind: str = "hinge",
    armature_kg_m2: float = 0.0,
) -> None:
    """Let a body move about or along an axis (3,) of its own, between bounds if there are any."""
    joint = ET.SubElement(body, "joint", name=name, type=kind, axis=numbers(axis))
    if armature_kg_m2:
        joint.set("armature", repr(float(armature_kg_m2)))
    if bounds is not None:
        joint.set("range", numbers(bounds))


def add_inertia(body: ET.Element, mass_kg: float, com_m: Iterable[float], inertia_kg_m2: Array) -> None:
    """Give a body its mass; inertia about the centre of mass in the body's axes, as moments (3,) or whole (3, 3)."""
    inertial = ET.SubElement(body, "inertial", pos=numbers(com_m), mass=repr(float(mass_kg)))
    if inertia_kg_m2.ndim == 1:
        inertial.set("diaginertia", numbers(inertia_kg_m2))
    else:
        inertial.set("fullinertia", numbers(inertia_kg_m2[i, j] for i, j in _TRIANGLE))


def add_shape(
    body: ET.Element,
    kind: str,
    points_m: Iterable[float],
    size_m: Iterable[float],
    color: Iterable[float],
    *,
    name: str | None = None,
    touches_ground: bool | None = None,
) -> None:
    """Add what people see: a capsule between two points (6,), or a box or ball about one (3,); half sizes in metres.

    Whether it touches the ground is the model's own rule unless `touches_ground` says.
    """
    shape = ET.SubElement(body, "geom", type=kind)
    if name is not None:
        shape.set("name", name)
    shape.set("fromto" if kind == "capsule" else "pos", numbers(points_m))
    shape.set("size", numbers(size_m))
    shape.set("rgba", numbers(color))
    if touches_ground is not None:
        shape.set("contype", "1" if touches_ground else "0")


def box_inertia(mass_kg: float, size_m: Any) -> Array:
    """Return the moments of a solid box of whole edges `size_m` (3,). Shape (3,)."""
    size = np.asarray(size_m, dtype=float)
    return np.asarray(mass_kg / 12.0 * (np.sum(size**2) - size**2))


def rod_inertia(mass_kg: float, radius_m: float, span_m: Array) -> Array:
    """Return the inertia of a solid cylinder along `span_m` (3,), or of a solid ball where that is 0. Shape (3, 3)."""
    length_m = float(np.linalg.norm(span_m))
    if length_m == 0.0:
        return np.asarray(0.4 * mass_kg * radius_m**2 * np.eye(3))
    axis = span_m / length_m
    along, across = mass_kg * radius_m**2 / 2.0, mass_kg * (3.0 * radius_m**2 + length_m**2) / 12.0
    return np.asarray(across * np.eye(3) + (along - across) * np.outer(axis, axis))


def quaternion(rotation: Array) -> Array:
    """Return the quaternion wxyz of a rotation. Shape (3, 3) in, (4,) out."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import, and only building needs it)

    return np.asarray(Rotation.from_matrix(rotation).as_quat(scalar_first=True))


def numbers(values: Iterable[float]) -> str:
    """Return numbers as MJCF wants them, with all their digits."""
    return " ".join(repr(float(value)) for value in values)
