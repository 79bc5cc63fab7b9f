"""expression.toml: what feelings do to one body."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec

from strut.emotion import emotion_table
from strut.schemas.fields import Positive, Table, Vector
from strut.schemas.toml_file import WrongFieldError, no_such_field
from strut.style import STYLE_PARAMETERS, Style

S = TypeVar("S", bound=msgspec.Struct)
Layer = Literal["published", "animated"]
_TO_AND_FRO = ("gaze", "arm_swing")  # words whose joints turn to and fro and are held nowhere
PACE = ("speed", "step_time")  # what anchors say of a walk, of which tempo, stride and direction follow


class LegPose(Table, frozen=True):
    """One leg in a key pose, as a change against the pose called neutral: of a left leg; right ones mirror it.

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
    """A joint that shows activity: where it is when still, about which angle it swings when active, and how far."""

    still_rad: float
    active_rad: float
    swing_rad: float


class ShakeTerm(Table, frozen=True):
    """One term of the disturbance of the swing's phase at full jerkiness."""

    frequency_rad_s: float
    sine_rad: float
    cosine_rad: float


class WordMapping(Table, frozen=True):
    """What a style word does to this body's joints; an empty one where a gait or a problem reads the word itself.

    Args:
        least: Least value that a blend of feelings may reach on this body.
        most: Largest one.
        joints: Coordinates that follow the word, each with its factor.
    """

    least: float | None = None
    most: float | None = None
    joints: Mapping[str, float] = {}


class PosturesMapping(WordMapping, frozen=True):
    """Key poses by name, each for the groups of legs; `neutral` is the stance."""

    pose: Mapping[str, Mapping[str, LegPose]] = {}


class ActivityMapping(WordMapping, frozen=True):
    """Joints between a still and an active posture, and the frequency of the swing about the active one."""

    frequency_rad_s: float = 0.0
    joint: Mapping[str, JointSwing] = {}


class JerkinessMapping(WordMapping, frozen=True):
    """Terms that disturb the phase of the swing."""

    terms: tuple[ShakeTerm, ...] = ()


class _OwnMappings(Table, frozen=True):
    """The mappings that are more than a factor on joints or a gait."""

    postures: PosturesMapping | None = None
    activity: ActivityMapping | None = None
    jerkiness: JerkinessMapping | None = None


class Pace(Table, frozen=True):
    """How a change of speed becomes pace and step length.

    Args:
        tempo_share: Exponent of the speed that is tempo, from 0 to 1; the rest is stride.
        least_speed: Slowest that a blend may be, as a share of the neutral speed; None lets it turn round.
        shortest_step: Shortest duration of a step that a blend may reach, as a share of the neutral one.
    """

    tempo_share: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 1.0
    least_speed: float | None = None
    shortest_step: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] = 0.1


class Axes(Table, frozen=True):
    """Change of a word per unit of pleasure, arousal and dominance."""

    pleasure: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0


class _OwnWords(Table, frozen=True):
    """What an anchor says beside the words that are numbers.

    Args:
        speed: Walking speed as a share of the neutral one; negative is backwards.
        step_time: Duration of a step as a share of the neutral one.
        postures: Key poses, each with how much of it is shown.
    """

    speed: float | None = None
    step_time: Positive | None = None
    postures: Mapping[str, float] = {}


if TYPE_CHECKING:

    class Neutral(Table, frozen=True):
        """Words, each with its value; None where nothing is said."""

    class EmotionAnchor(_OwnWords, frozen=True):
        """The same at an emotion, and what is published of its walk and its poses."""

    class WordMappings(_OwnMappings, frozen=True):
        """Words, each with what it does to the body; None where it does nothing."""

else:  # a word of a style is a field of these, so that it is written once
    _RANGES = {
        name: msgspec.Meta(ge=parameter.min, le=parameter.max if math.isfinite(parameter.max) else None)
        for name, parameter in STYLE_PARAMETERS.items()
    }
    _VALUES = [(name, Annotated[float, meta] | None, None) for name, meta in _RANGES.items()]
    Neutral = msgspec.defstruct("Neutral", _VALUES, bases=(Table,))
    EmotionAnchor = msgspec.defstruct("EmotionAnchor", _VALUES, bases=(_OwnWords,))
    _MAPPINGS = [
        (name, WordMapping | None, None)
        for name in (*STYLE_PARAMETERS, "direction")
        if name not in _OwnMappings.__struct_fields__
    ]
    WordMappings = msgspec.defstruct("WordMappings", _MAPPINGS, bases=(_OwnMappings,))


class AnimatedTable(Table, frozen=True):
    """What the second layer changes: each field as in the table around it; what it leaves out stays as it is there."""

    neutral: Neutral = Neutral()
    anchor: Mapping[str, EmotionAnchor] = {}
    axis: Mapping[str, Axes] = {}
    pace: Pace | None = None
    word: WordMappings = WordMappings()
    main: tuple[str, ...] = ()


class ExpressionTable(Table, frozen=True):
    """What feelings do to a body.

    Args:
        usual: Which layer a request gets that asks for none: what is published, or that and the animated one.
        neutral: Words whose neutral value is not the usual one.
        anchor: Words at emotions for which they are published; what an anchor leaves out stays neutral.
        axis: Words that are linear in pleasure, arousal and dominance.
        pace: How speed becomes tempo and stride.
        word: The words that move the body, and what they do to it.
        main: Words that a verdict is about, `speed` among them; all that a feeling changes if empty.
        animated: The second layer; None where a body has none.
    """

    usual: Layer = "published"
    neutral: Neutral = Neutral()
    anchor: Mapping[str, EmotionAnchor] = {}
    axis: Mapping[str, Axes] = {}
    pace: Pace = Pace()
    word: WordMappings = WordMappings()
    main: tuple[str, ...] = ()
    animated: AnimatedTable | None = None

    def __post_init__(self) -> None:
        for layer, table in (("", self), ("animated.", self.animated or AnimatedTable())):
            _check_names(f"{layer}anchor", table.anchor, tuple(emotion_table()))
            _check_names(f"{layer}axis", table.axis, (*PACE, *STYLE_PARAMETERS))
            _check_names(f"{layer}main", table.main, ("speed", "postures", *STYLE_PARAMETERS))
        for name, anchor in self.anchor.items():
            _check_names(f"anchor.{name}.postures", anchor.postures, tuple(self.poses))

    def with_animated(self) -> ExpressionTable:
        """Return the table with its second layer laid over it; itself if it has none."""
        over = self.animated
        if over is None:
            return self
        anchors = {name: self.anchor.get(name, EmotionAnchor()) for name in (*self.anchor, *over.anchor)}
        return msgspec.structs.replace(
            self,
            neutral=_laid_over(self.neutral, over.neutral),
            anchor={name: _laid_over(own, over.anchor.get(name, EmotionAnchor())) for name, own in anchors.items()},
            axis={**self.axis, **over.axis},
            pace=over.pace or self.pace,
            word=_laid_over(self.word, over.word),
            main=over.main or self.main,
            animated=None,
        )

    def neutral_value(self, word: str) -> float:
        """Return the value of a word without a feeling."""
        own = getattr(self.neutral, word)
        return STYLE_PARAMETERS[word].neutral if own is None else float(own)

    def neutral_style(self) -> Style:
        """Return how the body is without a feeling."""
        words: dict[str, Any] = {word: self.neutral_value(word) for word in STYLE_PARAMETERS}
        return Style(**words)

    @property
    def poses(self) -> Mapping[str, Mapping[str, LegPose]]:
        """Key poses by name; none if postures do nothing to the body."""
        return self.word.postures.pose if self.word.postures else {}

    @property
    def swings(self) -> Mapping[str, JointSwing]:
        """Joints that show activity; none if it does nothing to the body."""
        return self.word.activity.joint if self.word.activity else {}

    def joint_angles(self, style: Style) -> dict[str, float]:
        """Return where words hold coordinates [rad], by the names of the coordinates."""
        held: dict[str, float] = {}
        for word in (word for word in STYLE_PARAMETERS if word not in _TO_AND_FRO):
            for name, factor in self.joints(word).items():
                held[name] = held.get(name, 0.0) + factor * getattr(style, word)
        return held

    def moved_angles(self, style: Style) -> dict[str, float]:
        """Return by how much words move coordinates from where they are in neutral [rad]."""
        asked = self.joint_angles(style)
        neutral = self.joint_angles(self.neutral_style())
        return {name: angle - neutral[name] for name, angle in asked.items()}

    def joints(self, word: str) -> Mapping[str, float]:
        """Return the coordinates that follow a word, each with its factor."""
        mapping = self.mapping(word)
        return {} if mapping is None else mapping.joints

    @property
    def nodding_joints(self) -> Mapping[str, float]:
        """The coordinates that carry the face, each with its factor: the head's, else the trunk's."""
        return self.joints("head_pitch_rad") or self.joints("trunk_pitch_rad")

    @property
    def breathing_joints(self) -> Mapping[str, float]:
        """The coordinates that bend the trunk, each with its factor."""
        return self.joints("trunk_pitch_rad")

    @property
    def glancing_joints(self) -> Mapping[str, float]:
        """The coordinates that turn the head to the left when it looks about, each with its factor."""
        return self.joints("gaze")

    def mapping(self, word: str) -> WordMapping | None:
        """Return what a word does to the body, or None."""
        found: WordMapping | None = getattr(self.word, word)
        return found


def _laid_over(below: S, above: S) -> S:
    """Return a table with all that another one of its kind says, and its own where that says nothing."""
    said = {name: value for name, value in msgspec.structs.asdict(above).items() if value not in (None, {})}
    return msgspec.structs.replace(below, **said)


def _check_names(table: str, names: Mapping[str, object] | tuple[str, ...], known: tuple[str, ...]) -> None:
    """Refuse names that are none of the known ones."""
    for index, name in enumerate(names):
        if name not in known:
            last = name if isinstance(names, Mapping) else index
            raise WrongFieldError((*table.split("."), last), no_such_field(name, known))
