"""robot.toml: the body of a robot, made of limbs, chains or segments, or imported from a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from strut.schemas.fields import ORIGIN, Color, Floor, Positive, Range, ScaledServo, Servo, Shape, Table, Text, Vector
from strut.schemas.imported import ImportedBody
from strut.schemas.segments import SegmentBody
from strut.schemas.toml_file import FieldPath, WrongFieldError

BASE = "body"  # name of the body among the links
FLOAT = "base"  # name of the joint on which the body floats


class LimbJoint(Table, frozen=True):
    """A hinge about an axis of its link; its range is about the middle that a mount defines."""

    name: Text
    range_rad: Range
    axis: Vector = (0.0, 0.0, 1.0)


class TrunkPart(Table, frozen=True):
    """A part of the body that joints turn, such as a head; positions are those with all joints at zero, in the body.

    Args:
        name: Of the part.
        origin_m: Position of its joints.
        joints: From the body outwards.
        mass_kg: Of the part.
        com_m: Its centre of mass.
        inertia_size_m: Edges of a box of the same inertia.
        on: The part that carries it, which comes before it in the list; the body itself if None.
        shapes: Its visible shapes.
    """

    name: Text
    origin_m: Vector
    joints: Annotated[tuple[LimbJoint, ...], msgspec.Meta(min_length=1)]
    mass_kg: Positive
    com_m: Vector
    inertia_size_m: tuple[Positive, Positive, Positive]
    on: Text | None = None
    shapes: tuple[Shape, ...] = ()


class Trunk(Table, frozen=True):
    """The body that carries the limbs: mass, and inertia as that of a box; both include its parts at rest."""

    mass_kg: Positive
    inertia_size_m: tuple[Positive, Positive, Positive]
    start_height_m: Positive
    com_m: Vector = ORIGIN
    shapes: tuple[Shape, ...] = ()
    part: tuple[TrunkPart, ...] = ()

    def __post_init__(self) -> None:
        for index, part in enumerate(self.part):
            if part.on is not None and part.on not in [other.name for other in self.part[:index]]:
                raise WrongFieldError(("part", index, "on"), f"there is no part '{part.on}' above it.")
        if sum(part.mass_kg for part in self.part) >= self.mass_kg:
            raise WrongFieldError(("mass_kg",), "includes the parts of the body, which alone weigh as much.")


class Rod(Table, frozen=True):
    """A solid capsule, or a ball if both ends coincide."""

    to_m: Vector
    radius_m: Positive
    from_m: Vector = ORIGIN
    touches_ground: bool = True


class LimbLink(Table, frozen=True):
    """A link and the joints that move it; the link of a flat foot has no rod.

    Args:
        name: Of the link.
        mass_kg: Of the link.
        color: Of rod or sole.
        joints: From the body outwards.
        offset_m: Its origin in the frame of its parent link, or of the mount.
        twist_rad: Rotation about the x axis of the parent: alpha of a Denavit-Hartenberg row; d and a are the offset.
        rod: Its shape.
        com_m: Centre of mass; the middle of the rod if None.
    """

    name: Text
    mass_kg: Positive
    color: Color
    joints: tuple[LimbJoint, ...]
    offset_m: Vector = ORIGIN
    twist_rad: float = 0.0
    rod: Rod | None = None
    com_m: Vector | None = None

    @property
    def centre_m(self) -> Vector:
        """Its centre of mass."""
        if self.com_m is not None or self.rod is None:
            return self.com_m or ORIGIN
        a, b, c = self.rod.from_m
        x, y, z = self.rod.to_m
        return (a + x) / 2.0, (b + y) / 2.0, (c + z) / 2.0


class BallFoot(Table, frozen=True, tag_field="kind", tag="ball"):
    """A ball on the last link."""

    name: Text
    position_m: Vector
    radius_m: Positive
    color: Color


class FlatFoot(Table, frozen=True, tag_field="kind", tag="flat"):
    """A box that is the last link; `sole_m` is the middle of its sole."""

    name: Text
    sole_m: Vector
    length_m: Positive
    width_m: Positive
    height_m: Positive


class LimbChain(Table, frozen=True):
    """A limb from the body outwards; mounts fix copies of it to the body."""

    links: Annotated[tuple[LimbLink, ...], msgspec.Meta(min_length=1)]
    foot: BallFoot | FlatFoot

    def __post_init__(self) -> None:
        for index, link in enumerate(self.links):
            is_sole = isinstance(self.foot, FlatFoot) and link is self.links[-1]
            if (link.rod is None) != is_sole:
                raise WrongFieldError(("links", index, "rod"), "every link has one, except the link of a flat foot.")

    @property
    def joints(self) -> tuple[LimbJoint, ...]:
        """All joints, from the body outwards."""
        return tuple(joint for link in self.links for joint in link.joints)


class Mount(Table, frozen=True):
    """Position and axes with which a limb is fixed to the body, and the middles of its joint ranges (default zero)."""

    name: Text
    limb: Text
    position_m: Vector
    x_axis: Vector = (1.0, 0.0, 0.0)
    z_axis: Vector = (0.0, 0.0, 1.0)
    middle_rad: tuple[float, ...] = ()


class LimbBody(Table, frozen=True):
    """A floating body with limbs."""

    title: Text
    body: Trunk
    servo: Servo
    contact: Floor
    limb: Mapping[str, LimbChain]
    mount: tuple[Mount, ...]

    def __post_init__(self) -> None:
        for index, mount in enumerate(self.mount):
            if mount.limb not in self.limb:
                raise WrongFieldError(("mount", index, "limb"), f"there is no limb '{mount.limb}'.")
            if len(mount.middle_rad) not in (0, len(self.limb[mount.limb].joints)):
                raise WrongFieldError(("mount", index, "middle_rad"), "needs one number for each joint of the limb.")
        _check_part_names(self)


def _check_part_names(table: LimbBody) -> None:
    """Refuse names of parts and of their joints that other links or joints have."""
    links = [(mount.name, link) for mount in table.mount for link in table.limb[mount.limb].links]
    bodies = {BASE, *(f"{mount}_{link.name}" for mount, link in links)}
    joints = {FLOAT, *(f"{mount}_{joint.name}" for mount, link in links for joint in link.joints)}
    for index, part in enumerate(table.body.part):
        _add_new(bodies, [part.name], ("body", "part", index, "name"))
        _add_new(joints, [joint.name for joint in part.joints], ("body", "part", index, "joints"))


def _add_new(taken: set[str], names: Sequence[str], path: FieldPath) -> None:
    """Add names to a set; raises WrongFieldError if it has one already."""
    for name in names:
        if name in taken:
            raise WrongFieldError(path, f"there is a '{name}' already.")
        taken.add(name)


class Platform(Table, frozen=True):
    """A base that drives in x and y and turns, and the contact points of its wheels."""

    speed_limit_m_s: Positive
    turn_limit_rad_s: Positive
    force_limit_n: Positive
    moment_limit_nm: Positive
    sag_m: Positive
    sag_rad: Positive
    settle_s: Positive
    wheels_m: tuple[tuple[float, float], ...] = ()


class ChainRow(Table, frozen=True):
    """A Denavit-Hartenberg row; without a joint it is a fixed transform."""

    a_m: float
    alpha_rad: float
    d_m: float
    theta0_rad: float
    joint: Text | None = None


class Chain(Table, frozen=True):
    """Rows from the robot's origin, or from the end of another chain."""

    name: Text
    rows: tuple[ChainRow, ...]
    after: Text | None = None


class ChainFrame(Table, frozen=True):
    """A named point of a part, at its position with all joints at zero."""

    part: Text
    position_m: Vector


class JointLimit(Table, frozen=True):
    """Limits of a joint."""

    range_rad: Range
    speed_rad_s: Positive
    torque_nm: Positive


class ChainLink(Table, frozen=True):
    """The link of a joint; inertia xx, yy, zz, xy, xz, yz about the centre of mass."""

    mass_kg: Positive
    com_m: Vector
    inertia_kg_m2: tuple[float, float, float, float, float, float]
    shapes: tuple[Shape, ...] = ()


class ChainBody(Table, frozen=True):
    """A body of chains that may branch, on a platform or fixed to the ground."""

    title: Text
    contact: Floor
    servo: ScaledServo
    chain: tuple[Chain, ...]
    joint: Mapping[str, JointLimit]
    part: Mapping[str, ChainLink]
    frame: Mapping[str, ChainFrame] = {}
    platform: Platform | None = None


BodyTable = LimbBody | ChainBody | ImportedBody | SegmentBody
