"""MJCF text of a body made of segments: a floating root, joints of several hinges, balls that touch the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from strut.models.mjcf import Mjcf, add_body, add_inertia, add_joint, add_shape, numbers
from strut.robot import Array

AXIS_OF = {"RX": (1.0, 0.0, 0.0), "RY": (0.0, 1.0, 0.0), "RZ": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A capsule between two points of a segment's frame, as people see it. Shapes (3,); color has four parts."""

    start_m: Array
    stop_m: Array
    radius_m: float
    color: Sequence[float]


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
        shapes: How it is drawn.
    """

    name: str
    parent: str | None
    joints: tuple[str, ...]
    origin_m: Array
    mass_kg: float
    com_m: Array
    inertia_kg_m2: Array
    shapes: tuple[Shape, ...]


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
    model, servo = Mjcf(name, table["floor"]["friction"], 0.001, shapes_touch=False), table["servo"]
    bodies: dict[str, ET.Element] = {}
    for segment in segments:
        if segment.parent is None:
            body = add_body(model.world, segment.name, [0.0, 0.0, root_height_m])
            ET.SubElement(body, "freejoint", name=segment.name)
        else:
            body = add_body(bodies[segment.parent], segment.name, segment.origin_m)
        bodies[segment.name] = body
        for joint in segment.joints if segment.parent is not None else ():
            lower, upper, torque = limits[joint]
            add_joint(body, joint, AXIS_OF[joint.rsplit("_", 1)[1]], (lower, upper))
            model.add_servo(joint, limit=torque, stiffness=servo["stiffness_nm_rad"], damping=servo["damping_nm_s_rad"])
        _add_matter(body, segment)
    for touch in touches:
        ball, color = bodies[touch.segment], table["skin"]["color"]["contact"]
        add_shape(ball, "sphere", touch.centre_m, [touch.radius_m], color, name=touch.name, touches_ground=True)
        ET.SubElement(ball, "site", name=touch.name, pos=numbers(touch.centre_m))
    return model.text()


def _add_matter(body: ET.Element, segment: Segment) -> None:
    if segment.mass_kg > 0.0:
        add_inertia(body, segment.mass_kg, segment.com_m, segment.inertia_kg_m2)
    for shape in segment.shapes:
        add_shape(body, "capsule", np.concatenate([shape.start_m, shape.stop_m]), [shape.radius_m], shape.color)
