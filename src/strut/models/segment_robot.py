"""Segment robot: a human body of segments with a floating root, joints of several hinges, and ball contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.models.model_builder import Body, ModelBuilder
from strut.models.person import length_of, on_side, point_on, sides_of
from strut.robot import FLOATING, Foot, Robot, ball_foot
from strut.schemas.fields import Servo
from strut.schemas.folder import Tables
from strut.schemas.human import ContactPlace, SubjectTable, SymmetryTable
from strut.schemas.segments import SegmentBody, SegmentTable

AXIS_OF = {"RX": (1.0, 0.0, 0.0), "RY": (0.0, 1.0, 0.0), "RZ": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment on one side of the body; the side is None for segments in the middle."""

    table: SegmentTable
    side: str | None

    @property
    def name(self) -> str:
        """Name of the segment."""
        return on_side(self.table.name, self.side)

    @property
    def parent(self) -> str | None:
        """Name of the parent segment; None for the floating root."""
        return None if self.table.parent is None else on_side(self.table.parent, self.side)

    @property
    def joints(self) -> list[tuple[str, str]]:
        """Names and axes of its hinges, in their order: HipRight_RY, RY."""
        joint = on_side(self.table.joint.name, self.side)
        return [(f"{joint}_{axis}", axis) for axis in self.table.joint.axes]


def segment_robot(name: str, body: SegmentBody, person: SubjectTable, tables: Tables) -> Robot:
    """Return the body of a person; with every joint at zero, its lowest contact point is on the floor."""
    assert tables.symmetry is not None
    assert tables.contact is not None
    segments = segments_of(body)
    by_name = {segment.name: segment for segment in segments}
    feet = [_foot(name, point, body.skin.point_radius_m) for name, point in tables.contact.point.items()]
    root_height_m = -min(
        float(_origin_in_root(by_name, foot.points[0].body, person)[2] + foot.points[0].position_m[2] - foot.radius_m)
        for foot in feet
    )
    builder = ModelBuilder(name, body.floor.friction, timestep_s=0.001)
    limits = _limits(body, tables.symmetry)
    bodies = dict[str, Body]()
    for segment in segments:
        if segment.parent is None:
            bodies[segment.name] = builder.floating_base(segment.name, segment.name, root_height_m)
        else:
            origin = point_on(person, segment.table.origin, segment.side)
            bodies[segment.name] = builder.body(segment.name, origin, bodies[segment.parent])
            for joint, axis in segment.joints:
                if joint not in limits:
                    raise BadTableError(f"Joint {joint} of segment {segment.name} has no entry in [limit].")
                lower, upper, torque = limits[joint]
                servo = Servo(
                    torque, body.servo.speed_limit_rad_s, body.servo.stiffness_nm_rad, body.servo.damping_nm_s_rad
                )
                builder.hinge(bodies[segment.name], joint, AXIS_OF[axis], (lower, upper), servo)
        _add_inertia_and_shapes(builder, bodies[segment.name], segment, person, body)
    for foot in feet:
        point = foot.points[0]
        carrier = bodies[point.body]
        color = body.skin.color["contact"]
        builder.shape(carrier, "sphere", point.position_m, [point.radius_m], color, name=foot.name)
        builder.frame(carrier, foot.name, point.position_m)
    own = replace(tables, subject=msgspec.structs.replace(person, standing_pelvis_height_m=root_height_m))
    return builder.robot(name, body.title, own, feet=feet, base_size=FLOATING)


def _add_inertia_and_shapes(
    builder: ModelBuilder, body: Body, segment: Segment, person: SubjectTable, table: SegmentBody
) -> None:
    entry = segment.table
    side = segment.side
    mass = person.masses_kg.get(segment.name, 0.0)
    if mass > 0.0:
        radii_m = np.array(entry.gyration) * person.lengths_m[on_side(entry.length, side)]
        builder.set_inertia(body, mass, point_on(person, entry.com, side), np.diag(mass * radii_m**2))
    for shape in entry.shapes:
        ends = [*point_on(person, shape.start, side), *point_on(person, shape.stop, side)]
        radius_m = shape.radius_m + length_of(person, shape.radius, side)
        builder.shape(body, "capsule", ends, [radius_m], _color(table, segment), touches_ground=False)


def _color(table: SegmentBody, segment: Segment) -> Sequence[float]:
    """Return the colour of the clothing of a segment; the left side is darker."""
    wears = segment.table.wears
    if wears is None or wears not in table.skin.color:
        raise BadTableError(f"Segment {segment.name} wears {wears}, which is missing in [skin.color].")
    *tint, opacity = table.skin.color[wears]
    shade = table.skin.left_shade if segment.side == "Left" else 1.0
    return [*(shade * part for part in tint), opacity]


def _foot(name: str, point: ContactPlace, point_radius_m: float) -> Foot:
    """Return the ball of a contact point: the rolling ball itself, or a small one above the point."""
    x, y, z = point.position_m
    if point.radius_m > 0.0:
        return ball_foot(name, name, point.segment, point.position_m, point.radius_m)
    return ball_foot(name, name, point.segment, (x, y, z + point_radius_m), point_radius_m)


def segments_of(body: SegmentBody) -> list[Segment]:
    """Return the segments of both sides, depth first: MuJoCo numbers bodies in this order."""
    segments = [Segment(entry, side) for entry in body.segment for side in sides_of(entry.name, body.sides)]

    def below(parent: str | None) -> list[Segment]:
        children = [segment for segment in segments if segment.parent == parent]
        return [segment for child in children for segment in (child, *below(child.name))]

    return below(None)


def _origin_in_root(segments: dict[str, Segment], name: str, person: SubjectTable) -> Array:
    origin = np.zeros(3)
    segment = segments[name]
    while segment.parent is not None:
        origin = origin + point_on(person, segment.table.origin, segment.side)
        segment = segments[segment.parent]
    return origin


def mobility_rad(robot: Robot) -> tuple[Array, Array]:
    """Return how far the joints of people go, in the order of the joints. Shapes (n_joints,).

    Raises:
        BadTableError: If the robot is no human body of segments.
    """
    body = robot.body_as(SegmentBody)
    ranges = {name: entry.mobility_rad or entry.range_rad for name, entry in body.limit.items()}
    by_joint = _on_both_sides(body, robot.symmetry, ranges)
    lower, upper = np.array([by_joint[name] for name in robot.joint_names]).T
    return lower, upper


def _limits(body: SegmentBody, symmetry: SymmetryTable) -> dict[str, tuple[float, float, float]]:
    """Return lower limit, upper limit and torque by joint."""
    ranges = _on_both_sides(body, symmetry, {name: entry.range_rad for name, entry in body.limit.items()})
    limits = {}
    for name, entry in body.limit.items():
        for joint in (on_side(name, side) for side in sides_of(name, body.sides)):
            limits[joint] = (*ranges[joint], entry.torque_nm)
    return limits


def _on_both_sides(
    body: SegmentBody, symmetry: SymmetryTable, left: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return ranges by joint of both sides from those of the left; the right side mirrors it."""
    ranges = {}
    for name, (lower, upper) in left.items():
        for side in sides_of(name, body.sides):
            is_mirrored = side == "Right" and symmetry.sign[name.split("_")[1]] < 0
            ranges[on_side(name, side)] = (-upper, -lower) if is_mirrored else (lower, upper)
    return ranges
