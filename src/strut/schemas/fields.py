"""Fields: types of values in the tables of a robot's folder."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from strut.schemas.toml_file import WrongFieldError

Positive = Annotated[float, msgspec.Meta(gt=0.0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0.0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
ShareBelowOne = Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Vector = tuple[float, float, float]
Color = tuple[float, float, float, float]
Range = tuple[float, float]
ORIGIN = (0.0, 0.0, 0.0)


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that refuses unknown fields, so that a misspelt one is not ignored."""


class Floor(Table, frozen=True):
    """The ground.

    Args:
        friction: Coefficient of sliding friction.
    """

    friction: Positive


class Shape(Table, frozen=True):
    """A visible shape of a body: a box, a sphere, or a capsule between two points.

    Args:
        kind: Its form.
        color: Red, green, blue and opacity.
        position_m: Centre of a box or a sphere.
        size_m: Edges of a box, at full length.
        radius_m: Of a sphere or a capsule.
        from_m: Start of the axis of a capsule.
        to_m: End of that axis.
        touches_ground: Whether it collides with the floor.
    """

    kind: Literal["box", "sphere", "capsule"]
    color: Color
    position_m: Vector | None = None
    size_m: tuple[Positive, Positive, Positive] | None = None
    radius_m: Positive | None = None
    from_m: Vector | None = None
    to_m: Vector | None = None
    touches_ground: bool = True

    def __post_init__(self) -> None:
        for field in (*self.place_fields, self.size_field):
            if getattr(self, field) is None:
                raise WrongFieldError((field,), f"is missing: a {self.kind} needs {self.size_field} and its place.")

    @property
    def place_fields(self) -> tuple[str, ...]:
        """The fields of its position."""
        return ("from_m", "to_m") if self.kind == "capsule" else ("position_m",)

    @property
    def size_field(self) -> str:
        """The field of its size."""
        return "size_m" if self.kind == "box" else "radius_m"


class Servo(Table, frozen=True):
    """A position servo.

    Args:
        torque_limit_nm: Largest torque.
        speed_limit_rad_s: Largest speed.
        stiffness_nm_rad: Torque for an error of the angle.
        damping_nm_s_rad: Torque for an error of the speed.
        armature_kg_m2: Inertia of the rotor behind the gear.
    """

    torque_limit_nm: Positive
    speed_limit_rad_s: Positive
    stiffness_nm_rad: Positive
    damping_nm_s_rad: Positive
    armature_kg_m2: NotNegative = 0.0


class ScaledServo(Table, frozen=True):
    """Servos whose gains follow from torque limits.

    Args:
        sag_rad: Error at which a servo has its full torque.
        settle_s: Damping over stiffness.
        armature_s2: Inertia of the rotor over the torque limit.
    """

    sag_rad: Positive
    settle_s: Positive
    armature_s2: NotNegative = 0.0

    def sized(self, torque_nm: float, speed_rad_s: float) -> Servo:
        """Return the servo of a joint with these limits."""
        stiffness = torque_nm / self.sag_rad
        return Servo(torque_nm, speed_rad_s, stiffness, stiffness * self.settle_s, self.armature_s2 * torque_nm)
