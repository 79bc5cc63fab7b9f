"""expression.toml: how emotions change the motion of one body."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec

from strut.emotion import emotions
from strut.schemas.fields import Positive, Table, Vector
from strut.schemas.toml_file import WrongFieldError, unknown_field_reason
from strut.style import STYLE_PARAMETERS, Style

S = TypeVar("S", bound=msgspec.Struct)
Layer = Literal["published", "animated"]
_SWINGING = ("gaze", "arm_swing")  # parameters that swing joints and hold none at an angle
PACE = ("speed", "step_time")  # values of anchors from which tempo, stride and direction follow


class LegPose(Table, frozen=True):
    """A left leg in a key pose, as a difference from the pose called neutral; right legs mirror it.

    Args:
        foot_m: In the body frame.
        foot_zyz_rad: Orientation of the foot, intrinsic Z-Y-Z angles.
        knee_rad: Angle of the knee.
        step_height_m: Change of the step height.
    """

    foot_m: Vector
    foot_zyz_rad: Vector
    knee_rad: float
    step_height_m: float = 0.0


class JointSwing(Table, frozen=True):
    """A joint that expresses activity: its angle when still, the middle of its swing when active, and the amplitude.

    Args:
        still_rad: Angle when still.
        active_rad: Middle of its swing when active.
        swing_rad: Amplitude when active.
    """

    still_rad: float
    active_rad: float
    swing_rad: float


class ShakeTerm(Table, frozen=True):
    """One term of the disturbance of the swing's phase at full jerkiness.

    Args:
        frequency_rad_s: Its frequency.
        sine_rad: Amplitude of the sine.
        cosine_rad: Amplitude of the cosine.
    """

    frequency_rad_s: float
    sine_rad: float
    cosine_rad: float


class ParameterMapping(Table, frozen=True):
    """Joints of this body that follow a style parameter; empty if the gait itself reads the parameter.

    Args:
        min: Smallest value that a blend of emotions may reach on this body.
        max: Largest one.
        joints: Coordinates that follow the parameter, each with its factor.
    """

    min: float | None = None
    max: float | None = None
    joints: Mapping[str, float] = {}


class PosturesMapping(ParameterMapping, frozen=True):
    """Key poses by name, each for groups of legs; `neutral` is the stance."""

    pose: Mapping[str, Mapping[str, LegPose]] = {}


class ActivityMapping(ParameterMapping, frozen=True):
    """Joints between a still and an active posture, and the frequency of their swing about the active one."""

    frequency_rad_s: float = 0.0
    joint: Mapping[str, JointSwing] = {}


class JerkinessMapping(ParameterMapping, frozen=True):
    """Terms that disturb the phase of the swing."""

    terms: tuple[ShakeTerm, ...] = ()


class _OwnMappings(Table, frozen=True):
    """The mappings that are more than factors on joints."""

    postures: PosturesMapping | None = None
    activity: ActivityMapping | None = None
    jerkiness: JerkinessMapping | None = None


class Pace(Table, frozen=True):
    """How a change of speed is divided between tempo and step length.

    Args:
        tempo_share: Exponent of the speed that becomes tempo, from 0 to 1; the rest becomes stride.
        min_speed: Smallest speed of a blend, as a share of the neutral one; None allows backwards.
        shortest_step: Shortest step of a blend, as a share of the neutral duration.
    """

    tempo_share: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 1.0
    min_speed: float | None = None
    shortest_step: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] = 0.1


class Axes(Table, frozen=True):
    """Change of a style parameter per unit of pleasure, arousal and dominance.

    Args:
        pleasure: Change per unit of pleasure.
        arousal: Change per unit of arousal.
        dominance: Change per unit of dominance.
    """

    pleasure: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0


class _OwnValues(Table, frozen=True):
    """The values of an anchor that are no style parameters.

    Args:
        speed: Walking speed as a share of the neutral one; negative is backwards.
        step_time: Duration of a step as a share of the neutral one.
        postures: Key poses, each with its share.
    """

    speed: float | None = None
    step_time: Positive | None = None
    postures: Mapping[str, float] = {}


if TYPE_CHECKING:

    class Neutral(Table, frozen=True):
        """Style parameters with their values; None for those that keep the usual one."""

    class EmotionAnchor(_OwnValues, frozen=True):
        """Style parameters at an emotion, with published speed, step time and key poses."""

    class ParameterMappings(_OwnMappings, frozen=True):
        """Style parameters with their mappings to the body; None for those without effect."""

else:  # made from STYLE_PARAMETERS, so that each parameter is defined once
    _RANGES = {
        name: msgspec.Meta(ge=parameter.min, le=parameter.max if math.isfinite(parameter.max) else None)
        for name, parameter in STYLE_PARAMETERS.items()
    }
    _VALUES = [(name, Annotated[float, meta] | None, None) for name, meta in _RANGES.items()]
    Neutral = msgspec.defstruct("Neutral", _VALUES, bases=(Table,))
    EmotionAnchor = msgspec.defstruct("EmotionAnchor", _VALUES, bases=(_OwnValues,))
    _MAPPINGS = [
        (name, ParameterMapping | None, None)
        for name in (*STYLE_PARAMETERS, "direction")
        if name not in _OwnMappings.__struct_fields__
    ]
    ParameterMappings = msgspec.defstruct("ParameterMappings", _MAPPINGS, bases=(_OwnMappings,))


class AnimatedTable(Table, frozen=True):
    """The second layer: its fields replace those of the table around it; missing fields stay.

    Args:
        neutral: Neutral values.
        anchor: Style parameters by emotion.
        axis: Parameters that are linear in pleasure, arousal and dominance.
        pace: How speed becomes tempo and stride.
        parameter: Style parameters that move the body.
        main: Parameters that decide a verdict.
    """

    neutral: Neutral = Neutral()
    anchor: Mapping[str, EmotionAnchor] = {}
    axis: Mapping[str, Axes] = {}
    pace: Pace | None = None
    parameter: ParameterMappings = ParameterMappings()
    main: tuple[str, ...] = ()


class ExpressionTable(Table, frozen=True):
    """How emotions change the motion of a body.

    Args:
        usual: Default layer of a request: the published one, or that with the animated one over it.
        neutral: Style parameters whose neutral value is not the usual one.
        anchor: Published style parameters by emotion; missing ones stay neutral.
        axis: Style parameters that are linear in pleasure, arousal and dominance.
        pace: How speed becomes tempo and stride.
        parameter: Style parameters that move the body, with their mappings.
        main: Parameters that decide a verdict, `speed` among them; all that an emotion changes if empty.
        animated: The second layer, if any.
    """

    usual: Layer = "published"
    neutral: Neutral = Neutral()
    anchor: Mapping[str, EmotionAnchor] = {}
    axis: Mapping[str, Axes] = {}
    pace: Pace = Pace()
    parameter: ParameterMappings = ParameterMappings()
    main: tuple[str, ...] = ()
    animated: AnimatedTable | None = None

    def __post_init__(self) -> None:
        for layer, table in (("", self), ("animated.", self.animated or AnimatedTable())):
            _check_names(f"{layer}anchor", table.anchor, tuple(emotions()))
            _check_names(f"{layer}axis", table.axis, (*PACE, *STYLE_PARAMETERS))
            _check_names(f"{layer}main", table.main, ("speed", "postures", *STYLE_PARAMETERS))
        for name, anchor in self.anchor.items():
            _check_names(f"anchor.{name}.postures", anchor.postures, tuple(self.poses))

    def with_animated(self) -> ExpressionTable:
        """Return the table with its second layer merged into it; itself if it has none."""
        over = self.animated
        if over is None:
            return self
        anchors = {name: self.anchor.get(name, EmotionAnchor()) for name in (*self.anchor, *over.anchor)}
        return msgspec.structs.replace(
            self,
            neutral=_merge(self.neutral, over.neutral),
            anchor={name: _merge(own, over.anchor.get(name, EmotionAnchor())) for name, own in anchors.items()},
            axis={**self.axis, **over.axis},
            pace=over.pace or self.pace,
            parameter=_merge(self.parameter, over.parameter),
            main=over.main or self.main,
            animated=None,
        )

    def neutral_value(self, name: str) -> float:
        """Return the neutral value of a style parameter."""
        own = getattr(self.neutral, name)
        return STYLE_PARAMETERS[name].neutral if own is None else float(own)

    def neutral_style(self) -> Style:
        """Return the neutral style of the body."""
        parameters: dict[str, Any] = {name: self.neutral_value(name) for name in STYLE_PARAMETERS}
        return Style(**parameters)

    @property
    def poses(self) -> Mapping[str, Mapping[str, LegPose]]:
        """Key poses by name; none if postures have no effect on the body."""
        return self.parameter.postures.pose if self.parameter.postures else {}

    @property
    def swings(self) -> Mapping[str, JointSwing]:
        """Joints that express activity; none if it has no effect on the body."""
        return self.parameter.activity.joint if self.parameter.activity else {}

    def joint_angles(self, style: Style) -> dict[str, float]:
        """Return the angles [rad] at which style parameters hold coordinates, by coordinate."""
        angles: dict[str, float] = {}
        for parameter in STYLE_PARAMETERS:
            if parameter not in _SWINGING:
                for name, factor in self.joints(parameter).items():
                    angles[name] = angles.get(name, 0.0) + factor * getattr(style, parameter)
        return angles

    def moved_angles(self, style: Style) -> dict[str, float]:
        """Return the differences of these angles from the neutral ones [rad]."""
        neutral = self.joint_angles(self.neutral_style())
        return {name: angle - neutral[name] for name, angle in self.joint_angles(style).items()}

    def joints(self, name: str) -> Mapping[str, float]:
        """Return the coordinates that follow a style parameter, each with its factor."""
        mapping = self.mapping(name)
        return {} if mapping is None else mapping.joints

    @property
    def nodding_joints(self) -> Mapping[str, float]:
        """The coordinates that pitch the face, each with its factor: those of the head, or else of the trunk."""
        return self.joints("head_pitch_rad") or self.joints("trunk_pitch_rad")

    @property
    def breathing_joints(self) -> Mapping[str, float]:
        """The coordinates that bend the trunk, each with its factor."""
        return self.joints("trunk_pitch_rad")

    @property
    def glancing_joints(self) -> Mapping[str, float]:
        """The coordinates that turn the head to the left, each with its factor."""
        return self.joints("gaze")

    def mapping(self, name: str) -> ParameterMapping | None:
        """Return the mapping of a style parameter to the body, if any."""
        mapping: ParameterMapping | None = getattr(self.parameter, name)
        return mapping


def _merge(below: S, above: S) -> S:
    """Return a table in which the fields that another one sets are replaced."""
    changes = {name: value for name, value in msgspec.structs.asdict(above).items() if value not in (None, {})}
    return msgspec.structs.replace(below, **changes)


def _check_names(table: str, names: Mapping[str, object] | tuple[str, ...], known: tuple[str, ...]) -> None:
    """Raise WrongFieldError about the first name that is not known."""
    for index, name in enumerate(names):
        if name not in known:
            last = name if isinstance(names, Mapping) else index
            raise WrongFieldError((*table.split("."), last), unknown_field_reason(name, known))
