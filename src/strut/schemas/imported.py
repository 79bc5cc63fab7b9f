"""robot.toml of an imported robot: its URDF or MJCF, and what such a file does not define.

Points are in the axes of the robot (x forward, y left, z up) while it stands in `posture`, from the origin of the link.
Names of joints may hold * and ?; of several patterns that match a joint, the first with a value is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from strut.schemas.fields import (
    ORIGIN,
    Floor,
    NotNegative,
    Positive,
    Range,
    ScaledServo,
    Shape,
    Table,
    Text,
    Vector,
)
from strut.schemas.toml_file import WrongFieldError


class LinkFrame(Table, frozen=True):
    """A named point of a link, such as a hand or the eyes.

    Args:
        link: The link that carries it.
        offset_m: Its place from the origin of the link, in the robot's axes as it stands in its posture.
    """

    link: Text
    offset_m: Vector = ORIGIN


class LinkShape(Shape, frozen=True, kw_only=True):
    """A visible shape that is added to a link, in the frame of the link.

    Args:
        link: The link that carries it.
    """

    link: Text
    touches_ground: bool = False


class LinkFoot(Table, frozen=True):
    """A foot: a ball about one point, a line between two, or a sole of three and more.

    Args:
        link: The link of the foot.
        kind: Its form.
        points_m: Its contact points; with a radius, centres of balls.
        radius_m: Of the ball, or of the edge along the line; a sole has none.
    """

    link: Text
    kind: Literal["ball", "line", "sole"] = "ball"
    points_m: tuple[Vector, ...] = (ORIGIN,)
    radius_m: NotNegative = 0.0

    def __post_init__(self) -> None:
        min_points, max_points = {"ball": (1, 1), "line": (2, 2), "sole": (3, 64)}[self.kind]
        if not min_points <= len(self.points_m) <= max_points:
            raise WrongFieldError(("points_m",), f"a {self.kind} does not have {len(self.points_m)} of them.")
        if max(point[2] for point in self.points_m) - min(point[2] for point in self.points_m) > 1e-3:
            raise WrongFieldError(("points_m",), "are not at one height, as those of a standing foot are.")
        if {"ball": self.radius_m == 0.0, "line": False, "sole": self.radius_m > 0.0}[self.kind]:
            raise WrongFieldError(("radius_m",), "must be above 0 for a ball and 0 for a sole.")


class LinkLimb(Table, frozen=True):
    """A limb.

    Args:
        kind: What it is.
        joints: Its joints from the base outwards; a joint belongs to one limb at most.
        feet: Feet of a leg.
        frame: The frame at the end of an arm or a head.
    """

    kind: Literal["leg", "arm", "head", "trunk"]
    joints: tuple[Text, ...]
    feet: tuple[Text, ...] = ()
    frame: Text | None = None


class DefaultLimit(Table, frozen=True):
    """Limits of joints that the model file does not limit.

    Args:
        speed_rad_s: Largest speed.
        torque_nm: Largest torque.
    """

    speed_rad_s: Positive
    torque_nm: Positive


class OwnJoint(Table, frozen=True):
    """Limits and servo of joints, which replace those of the model file and of `servo`; missing values do not.

    Args:
        range_rad: Smallest and largest angle.
        speed_rad_s: Speed limit.
        torque_nm: Torque limit.
        stiffness_nm_rad: Stiffness of its position servo.
        damping_nm_s_rad: Damping of its position servo.
        armature_kg_m2: Inertia of the rotor behind the gear.
        assumed: Limits that are guesses of the import; receipts call them assumed.
    """

    range_rad: Range | None = None
    speed_rad_s: Positive | None = None
    torque_nm: Positive | None = None
    stiffness_nm_rad: Positive | None = None
    damping_nm_s_rad: Positive | None = None
    armature_kg_m2: NotNegative | None = None
    assumed: tuple[Literal["speed", "torque"], ...] | None = None


class ImportedBody(Table, frozen=True):
    """A robot that a model file describes.

    Args:
        title: For people.
        contact: Friction of the floor, which model files do not define.
        urdf: The model file, relative to the folder; may hold $VARIABLES and ~.
        mjcf: The same; exactly one of the two is given.
        base: Whether the root is fixed; if None, a robot with feet floats.
        forward: Direction of its front, in the axes of the file.
        up: Upward direction, in the axes of the file.
        height_m: Height of the root over the floor while standing; if None, the lowest foot is on the floor.
        fixed: Joints that stay at zero.
        limit: Limits of joints that have none in the model file or in `joint`.
        servo: Servos of joints without gains of their own.
        joint: Limits and servos by joint.
        posture: Standing posture by joint [rad]; other joints are at zero.
        foot: Feet, in the order of the contact columns of a motion.
        limb: Legs, arms, head and trunk; found in the model if none is given.
        frame: Named points.
        look: Visible shapes to add.
    """

    title: Text
    contact: Floor
    urdf: Text | None = None
    mjcf: Text | None = None
    base: Literal["floating", "bolted"] | None = None
    forward: Vector = (1.0, 0.0, 0.0)
    up: Vector = (0.0, 0.0, 1.0)
    height_m: float | None = None
    fixed: tuple[Text, ...] = ()
    limit: DefaultLimit | None = None
    servo: ScaledServo = ScaledServo(sag_rad=0.05, settle_s=0.02)
    joint: Mapping[str, OwnJoint] = {}
    posture: Mapping[str, float] = {}
    foot: Mapping[str, LinkFoot] = {}
    limb: Mapping[str, LinkLimb] = {}
    frame: Mapping[str, LinkFrame] = {}
    look: tuple[LinkShape, ...] = ()

    def __post_init__(self) -> None:
        if (self.urdf is None) == (self.mjcf is None):
            raise WrongFieldError(("urdf",), "a robot has one model: urdf or mjcf, and not both.")

    def own_joint(self, name: str) -> OwnJoint:
        """Return the values of the patterns that match a joint; of several, the first with a value is used."""
        values: dict[str, Any] = {}
        for pattern, entry in self.joint.items():
            if fnmatchcase(name, pattern):
                given = {key: value for key, value in msgspec.structs.asdict(entry).items() if value is not None}
                values = given | values
        return OwnJoint(**values)

    def standing_rad(self, name: str) -> float | None:
        """Return the angle of a joint in the standing posture; None if the posture does not have it."""
        return next((angle for pattern, angle in self.posture.items() if fnmatchcase(name, pattern)), None)

    @property
    def floats(self) -> bool:
        """Whether its root is free."""
        return bool(self.foot) if self.base is None else self.base == "floating"
