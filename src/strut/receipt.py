"""Receipt: what a motion keeps and costs. Its keys are part of the interface; what does not apply is None."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Literal, Self, get_args

from strut.errors import OutOfRangeError
from strut.registry import find

Verdict = Literal["ok", "weakened", "refused", "forces not judged"]  # the last: a sound recording without forces

# Keys that a receipt has only where they apply.
_OPTIONAL_KEYS = (
    "naturalness",
    "soundness",
    "walk",
    "controller",
    "robustness",
    "expression",
    "score",
    "walking_speed_m_s",
    "walking_speed_asked_m_s",
    "walking_direction_rad",
    "turned_rad",
    "turn_rate_rad_s",
    "turn_rate_asked_rad_s",
    "moving_ends",
)
# Keys of files written before they were renamed.
_OLD_KEYS = {"shown": "expressed_share", "left_out": "not_expressed", "control": "controller"}


class LimitName(StrEnum):
    """The limits of strut's own robots and generators; a third-party limit may use any other string."""

    BALANCE_MARGIN = "balance margin"
    COMMAND = "command"
    EQUATION_OF_MOTION = "equation of motion"
    FALL = "fall"
    FILE = "file"
    FOOT_CONTACT = "foot contact"
    FOOT_SLIP = "foot slip"
    FRICTION = "friction"
    GAZE = "gaze"
    GROUND_CLEARANCE = "ground clearance"
    JOINT_LIMIT = "joint limit"
    JOINT_SPEED = "joint speed"
    LANDING = "landing"
    PLATFORM = "platform"
    REACH = "reach"
    SELF_COLLISION = "self-collision"
    SIMULATION = "simulation"
    SOLVER = "solver"
    SOUNDNESS = "soundness"
    SWING_HEIGHT = "swing height"
    TASK = "task"
    TORQUE = "torque"


class ReasonKind(StrEnum):
    """Why a motion does less than was asked."""

    LIMIT = "limit"  # the motion breaks `limit`, or a stronger expression would
    WEAKENED = "weakened"  # which style parameters, and how far
    NOT_EXPRESSED = "not_expressed"  # missing although no limit forbids it
    SLOWED = "slowed"  # slower than usual or than asked
    NO_MARGIN = "no_margin"  # the robot falls in some conditions other than planned, whatever the controller


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a motion does less than was asked.

    Args:
        kind: What kind of reason it is.
        limit: Name of the limit behind it, a `LimitName` or that of a third-party limit; None if no limit is named.
        text: The reason as the rest of a sentence: `LF_knee reaches 104 % of its torque limit at 0.52 s`.
    """

    kind: ReasonKind
    limit: str | None
    text: str

    def __str__(self) -> str:
        if self.kind is ReasonKind.LIMIT:
            return f"{self.limit}: {self.text}" if self.limit else self.text
        if self.kind is ReasonKind.SLOWED:
            return self.text
        return f"{self.kind.replace('_', ' ')}: {self.text}"

    @classmethod
    def from_json(cls, entry: Any) -> Self:
        """Read one entry of `reasons`: a table, or a sentence of a file written before reasons were tables.

        Raises OutOfRangeError on anything else.
        """
        if isinstance(entry, str):
            return cls._from_sentence(entry)
        if not isinstance(entry, dict) or set(entry) != {"kind", "limit", "text"}:
            raise OutOfRangeError(
                f"One of the reasons of a receipt is {_short(entry)}; it must have kind, limit and text."
            )
        kind = entry["kind"]
        limit = entry["limit"]
        text = entry["text"]
        if kind not in list(ReasonKind):
            raise OutOfRangeError(f"One of the reasons of a receipt is of kind {_short(kind)}; choose {_KIND_NAMES}.")
        if not (isinstance(text, str) and (limit is None or isinstance(limit, str))):
            raise OutOfRangeError("One of the reasons of a receipt has a limit or a text that is not a text.")
        return cls(ReasonKind(kind), limit, text)

    @classmethod
    def _from_sentence(cls, sentence: str) -> Self:
        for prefix, kind in _OLD_PREFIXES.items():
            if sentence.startswith(prefix):
                return cls(kind, None, sentence.removeprefix(prefix) if prefix.endswith(": ") else sentence)
        name, colon, text = sentence.partition(": ")
        if colon and name in list(LimitName):
            return cls(ReasonKind.LIMIT, LimitName(name), text)
        return cls(ReasonKind.LIMIT, None, sentence)


_KIND_NAMES = ", ".join(ReasonKind)
_OLD_PREFIXES = {
    "weakened: ": ReasonKind.WEAKENED,
    "shown: ": ReasonKind.NOT_EXPRESSED,
    "strength: ": ReasonKind.WEAKENED,  # of a keyframe animation
    "time: ": ReasonKind.SLOWED,  # likewise
    "walks at ": ReasonKind.SLOWED,
}


def intensity_of_asked(kept: float, asked: float) -> str:
    """Return an intensity beside the requested one: `intensity 0.90 of 1.00 asked`, `intensity 1.00 as asked`."""
    kept_text = f"{kept:.2f}"
    asked_text = f"{asked:.2f}"
    return f"intensity {kept_text} {'as' if kept_text == asked_text else f'of {asked_text}'} asked"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was asked, what was kept and why, and what the motion needs from the body.

    Args:
        robot: Name of the robot.
        emotion: Name of the emotion; None if the motion expresses none on purpose, or if the emotion has no name.
        pad: Its pleasure, arousal and dominance.
        intensity_asked: Requested intensity.
        intensity_kept: The intensity that keeps every limit.
        verdict: `ok`, `weakened` or `refused`; `forces not judged` of a recording without forces, sound otherwise.
        reasons: Why less than asked was kept or expressed, or why the motion is refused.
        duration_s: From the first sample to the last.
        distance_m: Of the base over the ground, from the first sample to the last; None if the base is bolted down.
        speed_m_s: Distance by duration.
        balance_margin_mm: Smallest distance of the centre of pressure inside the support polygon.
        joint_limit_margin_rad: Smallest distance from a joint limit.
        joint_speed_use: Largest joint speed over its limit.
        torque_use: Largest joint torque over its limit.
        foot_slip_mm: Largest slip of a foot since it landed.
        penetration_mm: Depth of the deepest part in the ground.
        task_error_mm: Largest distance of the hand from its path, or of a walk from its goal.
        cost_of_transport: Mechanical work of all joints over weight and distance, braking not returned.
        solve_s: How long the motion took to compute.
        expressed_share: Mean share of the requested emotion that is expressed, over time and over the style parameters
            that it changes visibly; a parameter that is not expressed counts as 0. None if it was not measured.
        self_collision_mm: Smallest distance between the surfaces of two bodies of the robot; None where no two can
            meet, or if it was not measured.
        gaze_error_rad: Largest angle of the head from its goal.
        redundancy: Degrees of freedom that a task of a hand leaves for expression.
        controller: The controller that the motion was proved with, and that `simulate` uses: `servos` that follow it,
            `balance` under its soles as well, `whole_body` torques of its legs, or the robot's own controllers
            (`pilot`).
        robustness: In which other conditions the controller was proved, and the outcome; None if in none. `judged_by`
            is `simulation` or `balance margin`, `conditions` is their number with the planned ones, `falls` says in how
            many the robot falls, and the others are the lowest and the highest friction and factor on the mass.
        walking_speed_m_s: Of a gait or a piloted walk once under way, without start and stop.
        walking_speed_asked_m_s: The requested one, which an emotion changes.
        walking_direction_rad: Where the walk leads in the frame of the body; 0 is ahead, positive is to the left. None
            if it walks straight ahead.
        turned_rad: How far it turns in all; None if it walks straight ahead.
        turn_rate_rad_s: How fast it turns once under way.
        turn_rate_asked_rad_s: The requested rate.
        moving_ends: At which ends the motion is not at rest, `start`, `end` or `start and end`; it is judged there by
            one-sided differences, and cannot be played from standing. None if it rests at both.
        expression: `animated` if that layer of expression is used.
        not_expressed: Style parameters that this body or request cannot express at any intensity, as sentences.
        naturalness: How a human gait compares with measured ones.
        soundness: How well a solved movement or its landings satisfy the equation of motion.
        walk: How many steps a composed walk has, how it starts, turns, stops and joins.
        score: Of a walk whose emotion changes: `keyframes` with the kept share of each, and the intensity over time,
            asked and kept.
    """

    robot: str
    emotion: str | None
    pad: tuple[float, float, float] | None
    intensity_asked: float | None
    intensity_kept: float | None
    verdict: Verdict
    reasons: tuple[Reason, ...]
    duration_s: float
    distance_m: float | None
    speed_m_s: float | None
    balance_margin_mm: float | None
    joint_limit_margin_rad: float | None
    joint_speed_use: float | None
    torque_use: float | None
    foot_slip_mm: float | None
    penetration_mm: float | None
    task_error_mm: float | None
    cost_of_transport: float | None
    solve_s: float | None
    expressed_share: float | None = None
    self_collision_mm: float | None = None
    gaze_error_rad: float | None = None
    redundancy: int | None = None
    controller: str | None = None
    robustness: Mapping[str, float | str] | None = None
    walking_speed_m_s: float | None = None
    walking_speed_asked_m_s: float | None = None
    walking_direction_rad: float | None = None
    turned_rad: float | None = None
    turn_rate_rad_s: float | None = None
    turn_rate_asked_rad_s: float | None = None
    moving_ends: str | None = None
    expression: str | None = None
    not_expressed: tuple[str, ...] = ()
    naturalness: Mapping[str, float] | None = None
    soundness: Mapping[str, float | str | None] | None = None
    walk: Mapping[str, float | None] | None = None
    score: Mapping[str, Any] | None = None

    @property
    def share_kept(self) -> float | None:
        """Share of the requested intensity that keeps every limit; None without an emotion and for neutral."""
        if self.intensity_kept is None or self.emotion == "neutral":
            return None
        return self.intensity_kept / self.intensity_asked if self.intensity_asked else 1.0

    @property
    def strength(self) -> float | None:
        """The expressed share; the share of the intensity kept if the expressed one was not measured."""
        return self.share_kept if self.expressed_share is None else self.expressed_share

    def reasons_of(self, kind: ReasonKind) -> tuple[Reason, ...]:
        """Return the reasons of one kind."""
        return tuple(reason for reason in self.reasons if reason.kind is kind)

    def _repr_html_(self) -> str:
        """Return the receipt as a table, as the output of a notebook cell."""
        html: str = find("strut.methods", "Receipt._repr_html_")(self)
        return html

    def __repr__(self) -> str:
        name = f"{self.robot} {self.emotion}" if self.emotion else self.robot
        reasons = f": {'; '.join(map(str, self.reasons))}" if self.reasons else ""
        return f"<Receipt {name}, {self.verdict}{reasons}>"

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise OutOfRangeError(f"The verdict of a receipt is '{self.verdict}'; it is one of {get_args(Verdict)}.")
        if self.emotion is not None and not (self.emotion.isprintable() and len(self.emotion) <= 80):
            raise OutOfRangeError("The emotion of a receipt must be printable and have at most 80 characters.")
        if self.pad is not None and len(self.pad) != 3:
            raise OutOfRangeError("The pad of a receipt is not pleasure, arousal and dominance.")
        for name, value in self._figures().items():
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value)):
                raise OutOfRangeError(f"{name} of a receipt is {value!r}; it must be a finite number or null.")

    def _figures(self) -> dict[str, Any]:
        """Return every number of the receipt by its name."""
        numbers = [field.name for field in fields(self) if str(field.type).startswith(("float", "int"))]
        own = {name: getattr(self, name) for name in numbers}
        tables = (self.naturalness, self.walk, self.soundness, self.robustness)
        entries = {name: value for table in tables for name, value in (table or {}).items()}
        return own | {name: value for name, value in entries.items() if not isinstance(value, str)}

    def as_dict(self) -> dict[str, Any]:
        """Return the receipt as JSON would hold it; keys of some kinds of motion only where they apply."""
        table = asdict(self)
        table["reasons"] = [asdict(reason) for reason in self.reasons]
        table["not_expressed"] = list(self.not_expressed)
        table["pad"] = list(self.pad) if self.pad else None
        absent = [name for name in _OPTIONAL_KEYS if table[name] is None]
        if not self.not_expressed:
            absent.append("not_expressed")
        if self.gaze_error_rad is None and self.redundancy is None:
            absent += ["gaze_error_rad", "redundancy"]
        return {name: value for name, value in table.items() if name not in absent}

    @classmethod
    def from_dict(cls, table: Any) -> Self:
        """Read what `as_dict` wrote, now or before keys were renamed; raises OutOfRangeError with the key otherwise."""
        if not isinstance(table, dict):
            raise OutOfRangeError(f"The receipt is {_short(table)}; it must be a table of names and values.")
        table = {_OLD_KEYS.get(name, name): value for name, value in table.items()}
        _check_keys(table, {field.name: field for field in fields(cls)})
        values = dict(table)
        values["reasons"] = tuple(Reason.from_json(entry) for entry in table["reasons"])
        values["not_expressed"] = tuple(table.get("not_expressed", ()))
        values["pad"] = tuple(table["pad"]) if table["pad"] else None
        return cls(**values)


def _check_keys(table: dict[str, Any], known: Mapping[str, Field[Any]]) -> None:
    """Raise OutOfRangeError if a key of a receipt is missing, unknown, or holds another kind of thing."""
    lacking = [name for name, field in known.items() if field.default is MISSING and name not in table]
    strange = [name for name in table if name not in known]
    if lacking or strange:
        raise OutOfRangeError(f"The receipt lacks a key or has one too many: {', '.join([*lacking, *strange])}.")
    for name, value in table.items():
        kind = str(known[name].type)
        holds, words = next(rule for start, rule in _KINDS.items() if kind.startswith(start))
        if not (holds(value) or (value is None and kind.endswith("| None"))):
            raise OutOfRangeError(f"{name} of a receipt is {_short(value)}; it must be {words}.")


def _is_list_of(types: type | tuple[type, ...]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(one, types) for one in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 30 else f"{words[:27]}..."


_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {  # by how the type of a field begins
    "str": (lambda value: isinstance(value, str), "a text"),
    "Verdict": (lambda value: isinstance(value, str), "a text"),
    "float": (_is_number, "a number"),
    "int": (_is_number, "a number"),
    "tuple[str": (_is_list_of(str), "a list of texts"),
    "tuple[Reason": (lambda value: isinstance(value, list), "a list of tables with kind, limit and text"),
    "tuple[float": (_is_list_of((int, float)), "a list of numbers"),
    "Mapping": (lambda value: isinstance(value, dict), "a table of names and values"),
}
