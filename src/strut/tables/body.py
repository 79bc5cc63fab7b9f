"""robot.toml: what a robot is made of: limbs, chains or segments, or a model of others, named by its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from strut.tables.fields import Color, Floor, NotNegative, Positive, Range, ScaledServo, Table, Text, Vector
from strut.tables.foreign import ForeignBody
from strut.tables.segments import SegmentBody


class Servo(Table, frozen=True):
    """A position servo: its limits, its rotor's inertia through the gear, and how firm it is."""

    torque_limit_nm: Positive
    speed_limit_rad_s: Positive
    armature_kg_m2: NotNegative
    stiffness_nm_rad: Positive
    damping_nm_s_rad: Positive


class BallFloor(Floor, frozen=True):
    """What the robot stands on, and the radius of its ball feet."""

    foot_radius_m: Positive


class Mark(Table, frozen=True):
    """A ball that is only seen."""

    position_m: Vector
    radius_m: Positive
    color: Color


class Box(Table, frozen=True):
    """The body of a limb robot: a solid box."""

    size_m: tuple[Positive, Positive, Positive]
    mass_kg: Positive
    color: Color
    start_height_m: Positive
    mark: tuple[Mark, ...] = ()


class LimbEnd(Table, frozen=True):
    """The ball at the end of a limb."""

    name: Text
    position_m: Vector
    color: Color


class LimbJoint(Table, frozen=True):
    """A Denavit-Hartenberg row with its joint, and how far the joint turns either way of a mount's middle."""

    name: Text
    d_m: float
    a_m: float
    alpha_rad: float
    half_range_rad: Positive


class LimbLink(Table, frozen=True):
    """What a joint moves: a solid rod, or a ball where its ends coincide."""

    joint: Text
    mass_kg: Positive
    from_m: Vector
    to_m: Vector
    radius_m: Positive
    color: Color
    touches_ground: bool = True


class Limb(Table, frozen=True):
    """A limb of Denavit-Hartenberg rows, without its place on the body."""

    end: LimbEnd
    joints: tuple[LimbJoint, ...]
    links: tuple[LimbLink, ...]


class LimbMount(Table, frozen=True):
    """Where a limb is fixed to the body, with which axes, and the middle of its joints' ranges."""

    name: Text
    limb: Text
    position_m: Vector
    x_axis: Vector
    z_axis: Vector
    middle_rad: tuple[float, ...]


class LimbBody(Table, frozen=True):
    """A floating box on limbs of Denavit-Hartenberg rows with ball feet."""

    title: Text
    body: Box
    servo: Servo
    contact: BallFloor
    limb: Mapping[str, Limb]
    mount: tuple[LimbMount, ...]


class BodyShape(Table, frozen=True):
    """A box (whole edges) or a sphere (one radius) of the body."""

    kind: Literal["box", "sphere"]
    position_m: Vector
    size_m: tuple[Positive, ...]
    color: Color


class UpperBody(Table, frozen=True):
    """The body of an axis robot: one mass with the inertia of a box."""

    mass_kg: Positive
    com_m: Vector
    inertia_size_m: tuple[Positive, Positive, Positive]
    start_height_m: Positive
    shapes: tuple[BodyShape, ...] = ()


class AxisJoint(Table, frozen=True):
    """A hinge about an axis of its link."""

    name: Text
    axis: Vector
    lower_rad: float
    upper_rad: float


class Rod(Table, frozen=True):
    """A solid cylinder from a link's origin."""

    to_m: Vector
    radius_m: Positive
    touches_ground: bool = True


class AxisLink(Table, frozen=True):
    """A link at an offset from the one above it, with all joints that move it; the foot's link has no rod."""

    name: Text
    offset_m: Vector
    mass_kg: Positive
    com_m: Vector
    color: Color
    joints: tuple[AxisJoint, ...]
    rod: Rod | None = None


class FlatFoot(Table, frozen=True):
    """A box under a link; `sole_m` is the middle of its sole."""

    name: Text
    sole_m: Vector
    length_m: Positive
    width_m: Positive
    height_m: Positive


class AxisLimb(Table, frozen=True):
    """A limb of offsets and joint axes."""

    links: tuple[AxisLink, ...]
    foot: FlatFoot


class AxisMount(Table, frozen=True):
    """Where a limb is fixed to the body."""

    name: Text
    limb: Text
    position_m: Vector


class AxisBody(Table, frozen=True):
    """A floating body on limbs of offsets and joint axes with flat feet."""

    title: Text
    form: Literal["axes"]
    body: UpperBody
    servo: Servo
    contact: Floor
    limb: Mapping[str, AxisLimb]
    mount: tuple[AxisMount, ...]


class Platform(Table, frozen=True):
    """A base that drives in x and y and turns, and where its wheels touch the floor."""

    speed_limit_m_s: Positive
    turn_limit_rad_s: Positive
    force_limit_n: Positive
    moment_limit_nm: Positive
    sag_m: Positive
    sag_rad: Positive
    settle_s: Positive
    wheels_m: tuple[tuple[float, float], ...] = ()


class ChainRow(Table, frozen=True):
    """A Denavit-Hartenberg row; without a joint it only leads on."""

    a_m: float
    alpha_rad: float
    d_m: float
    theta0_rad: float
    joint: Text | None = None


class Chain(Table, frozen=True):
    """Rows from the robot's origin, or from where another chain ends."""

    name: Text
    rows: tuple[ChainRow, ...]
    after: Text | None = None


class ChainFrame(Table, frozen=True):
    """A named point of a part, where it is when every joint is zero."""

    part: Text
    position_m: Vector


class JointLimit(Table, frozen=True):
    """Limits of a joint."""

    range_rad: Range
    speed_rad_s: Positive
    torque_nm: Positive


class PartShape(Table, frozen=True):
    """A box, a sphere or a capsule of a part, where it is when every joint is zero."""

    kind: Literal["box", "sphere", "capsule"]
    color: Color
    position_m: Vector | None = None
    size_m: tuple[Positive, Positive, Positive] | None = None
    from_m: Vector | None = None
    to_m: Vector | None = None
    radius_m: Positive | None = None
    touches_ground: bool = True


class Part(Table, frozen=True):
    """What a joint moves; inertia xx, yy, zz, xy, xz, yz about the centre of mass."""

    mass_kg: Positive
    com_m: Vector
    inertia_kg_m2: tuple[float, float, float, float, float, float]
    shapes: tuple[PartShape, ...] = ()


class ChainBody(Table, frozen=True):
    """A body of chains that may branch, on a platform or bolted down."""

    title: Text
    contact: Floor
    servo: ScaledServo
    chain: tuple[Chain, ...]
    joint: Mapping[str, JointLimit]
    part: Mapping[str, Part]
    frame: Mapping[str, ChainFrame] = {}
    platform: Platform | None = None


BodyTable = LimbBody | AxisBody | ChainBody | ForeignBody | SegmentBody
