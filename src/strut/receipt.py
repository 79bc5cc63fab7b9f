"""Receipt: what a motion keeps and costs. Its keys are part of the interface; what does not apply is None."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

from strut.errors import OutOfRangeError

Verdict = Literal["ok", "weakened", "refused"]
LACKING = "shown: "  # how reasons begin that say what is not shown although no limit forbids it
WEAKENED = "weakened: "  # how reasons begin that say what was weakened, and how much
SLOWED = "walks at "  # how reasons begin that say why a robot walks slower than its like; all others name a limit
_WHERE_DUE = (
    *("naturalness", "soundness", "walk", "control", "expression", "walking_speed_m_s", "walking_speed_asked_m_s"),
    *("walking_direction_rad", "turned_rad", "turn_rate_rad_s", "turn_rate_asked_rad_s"),
)


def intensity_of_asked(kept: float, asked: float) -> str:
    """Return an intensity beside what was asked: `intensity 0.90 of 1.00 asked`; it is never told in per cent."""
    words = f"{kept:.2f}", f"{asked:.2f}"
    return f"intensity {words[0]} {'as' if words[0] == words[1] else f'of {words[1]}'} asked"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was asked, what was kept and why, and what the motion needs from the body.

    `shown` is the mean share of the asked feeling that is shown, over time and over the words that it changes visibly;
    a word left out counts as 0. `reasons` say why less than asked was kept or shown; `left_out` names words of the
    feeling that this body or request has no place for at any intensity. `self_collision_mm` is the smallest distance
    between the surfaces of two of its bodies; None where no two can meet or nobody looked. `soundness` has what an
    independent look at a solved movement found; `walk` says how many steps it has, how it starts, turns, stops and
    joins. `control` is what kept a gait upright in physics when it was planned: `servos` that follow it, `balance`
    under its soles, too, `whole_body` torques of its legs, or the robot's own controllers (`pilot`).
    `walking_speed_m_s` is that of a gait or a piloted walk once it is under way, without start and stop, and
    `walking_speed_asked_m_s` what was asked for, which a feeling changes. `expression` is `animated` where that layer
    was shown. `walking_direction_rad` is where a gait leads, seen from the body (0 is ahead, positive is to the left),
    and `turned_rad` how far it turns in all; None where it walks straight ahead. `turn_rate_rad_s` is how fast it turns
    once under way, `turn_rate_asked_rad_s` how fast it was asked to.
    """

    robot: str
    emotion: str | None
    pad: tuple[float, float, float] | None
    intensity_asked: float | None
    intensity_kept: float | None
    verdict: Verdict
    reasons: tuple[str, ...]
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
    shown: float | None = None
    self_collision_mm: float | None = None
    gaze_error_rad: float | None = None
    redundancy: int | None = None
    control: str | None = None
    walking_speed_m_s: float | None = None
    walking_speed_asked_m_s: float | None = None
    walking_direction_rad: float | None = None
    turned_rad: float | None = None
    turn_rate_rad_s: float | None = None
    turn_rate_asked_rad_s: float | None = None
    expression: str | None = None
    left_out: tuple[str, ...] = ()
    naturalness: Mapping[str, float] | None = None
    soundness: Mapping[str, float | str | None] | None = None
    walk: Mapping[str, float | None] | None = None

    @property
    def share_kept(self) -> float | None:
        """Share of the asked intensity that the limits left; None without a feeling, and neutral is none."""
        if self.intensity_kept is None or self.emotion == "neutral":
            return None
        return self.intensity_kept / self.intensity_asked if self.intensity_asked else 1.0

    @property
    def expressed_share(self) -> float | None:
        """Share of the asked feeling that is shown; that which the limits left where nobody measured it."""
        return self.share_kept if self.shown is None else self.shown

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise OutOfRangeError(f"The verdict of a receipt is '{self.verdict}'; it is one of {get_args(Verdict)}.")
        if self.emotion is not None and not (self.emotion.isprintable() and len(self.emotion) <= 80):
            raise OutOfRangeError("The emotion of a receipt is no name that people could read.")
        if self.pad is not None and len(self.pad) != 3:
            raise OutOfRangeError("The pad of a receipt is not pleasure, arousal and dominance.")
        self._check_figures()

    def _check_figures(self) -> None:
        for name, value in self._figures().items():
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value)):
                raise OutOfRangeError(f"{name} of a receipt is {value!r}; it must be a finite number or null.")

    def _figures(self) -> dict[str, Any]:
        """Return every number of the receipt by its name."""
        names = [one.name for one in fields(self) if str(one.type).startswith(("float", "int"))]
        sound = {name: value for name, value in (self.soundness or {}).items() if not isinstance(value, str)}
        return (
            {name: getattr(self, name) for name in names} | dict(self.naturalness or {}) | dict(self.walk or {}) | sound
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the receipt as JSON would hold it; keys of a task, a human's gait or words left out only where due."""
        lists = {"reasons": list(self.reasons), "left_out": list(self.left_out)}
        table = asdict(self) | lists | {"pad": list(self.pad) if self.pad else None}
        absent = [name for name in _WHERE_DUE if getattr(self, name) is None]
        absent += [] if self.left_out else ["left_out"]
        if self.gaze_error_rad is None and self.redundancy is None:
            absent += ["gaze_error_rad", "redundancy"]
        return {name: value for name, value in table.items() if name not in absent}

    @classmethod
    def from_dict(cls, table: Any) -> Self:
        """Read what `as_dict` wrote; raises OutOfRangeError with the key on anything else."""
        if not isinstance(table, dict):
            raise OutOfRangeError(f"The receipt is {_short(table)}; it must be a table of names and values.")
        _check_keys(table, {one.name: one for one in fields(cls)})
        pad = table["pad"]
        said = {"reasons": tuple(table["reasons"]), "left_out": tuple(table.get("left_out", ()))}
        return cls(**table | said | {"pad": tuple(pad) if pad else None})


def _check_keys(table: dict[str, Any], known: Mapping[str, Field[Any]]) -> None:
    """Raise OutOfRangeError if a key of a receipt is missing, unknown, or holds another kind of thing."""
    lacking = [name for name, field in known.items() if field.default is MISSING and name not in table]
    strange = [name for name in table if name not in known]
    if lacking or strange:
        raise OutOfRangeError(f"The receipt lacks a key or has one too many: {', '.join([*lacking, *strange])}.")
    for name, value in table.items():
        _check_kind(name, value, str(known[name].type))


def _check_kind(name: str, value: Any, kind: str) -> None:
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
    "tuple[float": (_is_list_of((int, float)), "a list of numbers"),
    "Mapping": (lambda value: isinstance(value, dict), "a table of names and values"),
}
