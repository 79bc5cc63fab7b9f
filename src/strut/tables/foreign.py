"""robot.toml of a robot that others describe: its URDF or MJCF, and what such a file does not say.

Points and axes are the robot's (x forward, y left, z up) as it stands in `posture`, from the origin of the link. Names
of joints may hold * and ?; of several patterns that fit a joint, the first that says something counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from strut.tables.fields import Color, Floor, NotNegative, Positive, Range, ScaledServo, Table, Text, Vector
from strut.toml_file import WrongFieldError

ORIGIN = (0.0, 0.0, 0.0)


class LinkFrame(Table, frozen=True):
    """A named point of a link."""

    link: Text
    offset_m: Vector = ORIGIN


class LinkShape(Table, frozen=True):
    """A ball or a box that is added to the looks of a link."""

    link: Text
    kind: Literal["sphere", "box"]
    offset_m: Vector
    color: Color
    radius_m: Positive | None = None
    size_m: tuple[Positive, Positive, Positive] | None = None


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

    def fault(self) -> tuple[str, str] | None:
        """Return the field whose value does not suit the kind of foot, and why."""
        least, most = {"ball": (1, 1), "line": (2, 2), "sole": (3, 64)}[self.kind]
        if not least <= len(self.points_m) <= most:
            wanted = f"{least} and more" if least != most else str(least)
            return "points_m", f"a {self.kind} has {wanted} of them, not {len(self.points_m)}."
        heights = [z for _, _, z in self.points_m]
        if max(heights) - min(heights) > 1e-3:
            return "points_m", "are not on one height; a foot stands flat when the robot stands in [posture]."
        if (self.kind == "ball" and self.radius_m == 0.0) or (self.kind == "sole" and self.radius_m > 0.0):
            return "radius_m", f"must be {'above 0 for a ball' if self.kind == 'ball' else '0 for a sole'}."
        return None


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


class ForeignBody(Table, frozen=True):
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
        for name, foot in self.foot.items():
            if fault := foot.fault():
                raise WrongFieldError(("foot", name, fault[0]), fault[1])

    @property
    def floats(self) -> bool:
        """Whether nothing holds its root."""
        return bool(self.foot) if self.base is None else self.base == "floating"
