"""MJCF text of a body made of segments: a floating root, joints of several hinges, balls that touch the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from strut.robot import Array
from strut.robots.mjcf import FLOOR

AXIS_OF = {"RX": "1 0 0", "RY": "0 1 0", "RZ": "0 0 1"}


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """How a segment is drawn: a capsule between two points of its frame. Shapes (3,)."""

    start_m: Array
    stop_m: Array
    radius_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A rigid part: its place in the parent, its hinges in order of application, its mass. Arrays of shape (3,).

    Args:
        name: Of the segment.
        parent: The segment that carries it; None for the root, whose joint floats.
        joints: Names that end in the axis: HipRight_RY.
        origin_m: Joint centre in the parent's frame.
        mass_kg: May be 0 where the segment is fixed to its parent.
        com_m: Centre of mass in the segment's frame.
        inertia_kg_m2: Moments of inertia about the centre of mass, along the segment's axes.
        shape: How it is drawn, if it is.
    """

    name: str
    parent: str | None
    joints: tuple[str, ...]
    origin_m: Array
    mass_kg: float
    com_m: Array
    inertia_kg_m2: Array
    shape: Shape | None


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """A ball of a segment that may touch the ground; its centre in the segment's frame, shape (3,)."""

    name: str
    segment: str
    centre_m: Array
    radius_m: float

    @property
    def lowest_m(self) -> float:
        """Height of its lowest point in the frame of an upright segment."""
        return float(self.centre_m[2]) - self.radius_m


def segments_mjcf(
    name: str,
    segments: tuple[Segment, ...],
    touches: tuple[Touch, ...],
    limits: Mapping[str, tuple[float, float, float]],
    table: Mapping[str, Any],
    root_height_m: float,
) -> str:
    """Return the MJCF text. `limits` has lower and upper limit and torque by joint; `table` is `robot.toml`."""
    root = ET.Element("mujoco", model=name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(root, "option", timestep="0.001", integrator="implicitfast")
    ET.SubElement(ET.SubElement(root, "default"), "geom", contype="0", conaffinity="0")
    world = ET.SubElement(root, "worldbody")
    friction = _numbers([table["floor"]["friction"], 0.005, 0.0001])
    ET.SubElement(
        world, "geom", name=FLOOR, type="plane", size="0 0 0.05", conaffinity="1", priority="1", friction=friction
    )
    bodies: dict[str, ET.Element] = {}
    actuator = ET.Element("actuator")
    for segment in segments:
        parent = world if segment.parent is None else bodies[segment.parent]
        origin = [0.0, 0.0, root_height_m] if segment.parent is None else segment.origin_m
        body = bodies[segment.name] = ET.SubElement(parent, "body", name=segment.name, pos=_numbers(origin))
        if segment.parent is None:
            ET.SubElement(body, "freejoint", name=segment.name)
        else:
            _add_hinges(body, actuator, segment, limits, table["servo"])
        _add_matter(body, segment, table["skin"])
    for touch in touches:
        _add_touch(bodies[touch.segment], touch, table["skin"])
    root.append(actuator)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _add_hinges(
    body: ET.Element,
    actuator: ET.Element,
    segment: Segment,
    limits: Mapping[str, tuple[float, float, float]],
    servo: Mapping[str, Any],
) -> None:
    for name in segment.joints:
        lower, upper, torque = limits[name]
        axis = AXIS_OF[name.rsplit("_", 1)[1]]
        ET.SubElement(body, "joint", name=name, type="hinge", axis=axis, range=_numbers([lower, upper]))
        ET.SubElement(
            actuator,
            "position",
            name=name,
            joint=name,
            kp=repr(servo["stiffness_nm_rad"]),
            kv=repr(servo["damping_nm_s_rad"]),
            forcerange=_numbers([-torque, torque]),
        )


def _add_matter(body: ET.Element, segment: Segment, skin: Mapping[str, Any]) -> None:
    if segment.mass_kg > 0.0:
        ET.SubElement(
            body,
            "inertial",
            pos=_numbers(segment.com_m),
            mass=repr(float(segment.mass_kg)),
            diaginertia=_numbers(segment.inertia_kg_m2),
        )
    if segment.shape is not None:
        ends = np.concatenate([segment.shape.start_m, segment.shape.stop_m])
        ET.SubElement(
            body,
            "geom",
            type="capsule",
            fromto=_numbers(ends),
            size=repr(segment.shape.radius_m),
            mass="0",
            rgba=_numbers(skin["color"]),
        )


def _add_touch(body: ET.Element, touch: Touch, skin: Mapping[str, Any]) -> None:
    ET.SubElement(
        body,
        "geom",
        name=touch.name,
        type="sphere",
        pos=_numbers(touch.centre_m),
        size=repr(float(touch.radius_m)),
        mass="0",
        contype="1",
        rgba=_numbers(skin["contact_color"]),
    )
    ET.SubElement(body, "site", name=touch.name, pos=_numbers(touch.centre_m))


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
