"""robot.toml of a robot that others describe: its URDF or MJCF, and what such a file does not say.

Points and axes are the robot's (x forward, y left, z up) as it stands in `posture`, from the origin of the link. Names
of joints may hold * and ?; of several patterns that fit a joint, the first that says something counts.
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
    """A named point of a link."""

    link: Text
    offset_m: Vector = ORIGIN


class LinkShape(Shape, frozen=True, kw_only=True):
    """A shape that is added to the looks of a link, in the link's axes."""

    link: Text
    touches_ground: bool = False


class LinkFoot(Table, frozen=True):
    """A foot: a ball about one point, a line between two, or a sole of three and more.

    Args:
        link: That it belongs to.
        kind: What it is.
        points_m: Where it touches the floor; with a radius, the centres of what rolls.
        radius_m: Of the ball, or of the edge along the line; a sole has none.
    """

    link: Text
    kind: Literal["ball", "line", "sole"] = "ball"
    points_m: tuple[Vector, ...] = (ORIGIN,)
    radius_m: NotNegative = 0.0

    def __post_init__(self) -> None:
        least, most = {"ball": (1, 1), "line": (2, 2), "sole": (3, 64)}[self.kind]
        if not least <= len(self.points_m) <= most:
            raise WrongFieldError(("points_m",), f"a {self.kind} does not have {len(self.points_m)} of them.")
        if max(point[2] for point in self.points_m) - min(point[2] for point in self.points_m) > 1e-3:
            raise WrongFieldError(("points_m",), "are not on one height, as a foot's are when the robot stands.")
        if {"ball": self.radius_m == 0.0, "line": False, "sole": self.radius_m > 0.0}[self.kind]:
            raise WrongFieldError(("radius_m",), "must be above 0 for a ball and 0 for a sole.")


class LinkLimb(Table, frozen=True):
    """A limb: its joints from the base outwards, the feet of a leg, and the frame at the end of an arm or a head."""

    kind: Literal["leg", "arm", "head", "trunk"]
    joints: tuple[Text, ...]
    feet: tuple[Text, ...] = ()
    frame: Text | None = None


class DefaultLimit(Table, frozen=True):
    """Limits where a description leaves them out."""

    speed_rad_s: Positive
    torque_nm: Positive


class OwnJoint(Table, frozen=True):
    """Limits and servo of joints, in place of the description's and of `servo`; what is left out stays."""

    range_rad: Range | None = None
    speed_rad_s: Positive | None = None
    torque_nm: Positive | None = None
    stiffness_nm_rad: Positive | None = None
    damping_nm_s_rad: Positive | None = None
    armature_kg_m2: NotNegative | None = None
    assumed: tuple[Literal["speed", "torque"], ...] | None = None  # limits that nobody has told, only guessed


class ImportedBody(Table, frozen=True):
    """A robot that others describe.

    Args:
        title: For people.
        contact: Friction of the floor, which no description knows.
        urdf: The file, from the folder; with $VARIABLES and ~.
        mjcf: Likewise; one of the two.
        base: Whether anything holds the root; if not said, a robot with feet floats.
        forward: Where its front is, in the axes of the file.
        up: Likewise.
        height_m: Of the root over the floor, standing; if not said, the lowest foot stands on it.
        fixed: Joints that stay at zero.
        limit: Where neither the description nor `joint` has a limit.
        servo: Of the joints that have no gains of their own.
        joint: Limits and servos by joint.
        posture: How it stands, by joint [rad]; the other joints are at zero.
        foot: Feet, in the order of the contact columns of a motion.
        limb: Legs, arms, head and trunk; found from the model if none is given.
        frame: Named points.
        look: What is added to its looks.
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
        """Return what the patterns that fit a joint say of it; of several, the first that says something."""
        said: dict[str, Any] = {}
        for pattern, entry in self.joint.items():
            if fnmatchcase(name, pattern):
                said = {key: value for key, value in msgspec.structs.asdict(entry).items() if value is not None} | said
        return OwnJoint(**said)

    def standing_rad(self, name: str) -> float | None:
        """Return the angle of a joint when the robot stands; None if nobody says."""
        return next((angle for pattern, angle in self.posture.items() if fnmatchcase(name, pattern)), None)

    @property
    def floats(self) -> bool:
        """Whether nothing holds its root."""
        return bool(self.foot) if self.base is None else self.base == "floating"
