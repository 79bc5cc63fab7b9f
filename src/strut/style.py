"""Style: how an emotion changes a motion, as parameters that any body can read.

Signs are the same for every body. Pitch is a turn about y, which points left: positive bends forwards and down,
negative back and up. Elbows bend and shoulders rise by positive angles, on both sides alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

from strut.errors import OutOfRangeError
from strut.plumbing.argument_types import coerce_fields


@dataclass(frozen=True, slots=True)
class StyleParameter:
    """One parameter of a style.

    Args:
        meaning: In a few words.
        neutral: Its value without an emotion, unless the robot's expression.toml has another.
        min: Smallest meaningful value.
        max: Largest meaningful value.
        visible: Smallest change that people see; smaller ones are not judged.
        unit: `factor`, `rad` or `share`.
        rule: What a wrong value must become.
    """

    meaning: str
    neutral: float
    min: float
    max: float
    visible: float
    unit: str
    rule: str


def _factor(meaning: str) -> Any:
    rule = "it must be a finite factor of at least 0."
    return _field(StyleParameter(meaning, 1.0, 0.0, math.inf, 0.03 / 1.3, "factor", rule))


def _angle(meaning: str, lower: float = -math.pi / 2.0, upper: float = math.pi / 2.0) -> Any:
    rule = f"it must be an angle from {lower:.3g} to {upper:.3g} rad."
    return _field(StyleParameter(meaning, 0.0, lower, upper, 0.035, "rad", rule))


def _share(meaning: str, neutral: float = 0.5) -> Any:
    return _field(StyleParameter(meaning, neutral, 0.0, 1.0, 0.02, "share", "rescale it to [0, 1]."))


def _field(parameter: StyleParameter) -> Any:
    return field(default=parameter.neutral, metadata={"parameter": parameter})


@dataclass(frozen=True, slots=True)
class Style:
    """The parameters of a style; the defaults are neutral. `STYLE_PARAMETERS` has unit and range of the numbers.

    Direction is 1 (forwards) or -1 (backwards); postures are key poses of the body by name, each with its weight.
    """

    tempo: float = _factor("pace of the steps or of a task, above 0")
    stride: float = _factor("length of the steps; 0 marches on the spot")
    lift: float = _factor("height of the steps")
    stance_width: float = _factor("distance between the feet, sideways")
    sway: float = _factor("how far the body goes over each foot")
    bounce: float = _factor("how far the body goes up and down in a step")
    body_height: float = _factor("how high the body is carried, above 0")
    body_pitch_rad: float = _angle("of the whole body over its feet; positive lowers its front")
    trunk_pitch_rad: float = _angle("of the trunk over the legs; positive bends forwards")
    head_pitch_rad: float = _angle("of the head on the trunk; positive bends forwards")
    shoulder_rad: float = _angle("raise of the upper arms or shoulders; positive lifts", -math.pi, math.pi)
    elbow_rad: float = _angle("bend of the elbows; 0 is straight", 0.0, math.pi)
    arm_swing: float = _factor("angle between the arms over that between the legs")
    activity: float = _share("0 is still, 1 as lively as the body can be")
    jerkiness: float = _share("0 is smooth, 1 as jerky as the body can be")
    gaze: float = _share("0 is averted, 1 looks people in the eye")
    size: float = _factor("how far a task's own movement goes")
    nod_rad: float = _angle("how far head, trunk or body pitch up and down in a step", 0.0, math.pi / 4.0)
    recoil: float = _share("how far head, trunk or body swing on when the body starts and stops", 0.0)
    anticipation: float = _share("how far the body draws back before it starts and stops", 0.0)
    asymmetry: float = _share("how much one side differs from the other", 0.0)
    breath: float = _share("how deep it breathes; 1 is visible from far", 0.0)
    breath_pace: float = _factor("how fast it breathes")
    direction: int = 1
    postures: tuple[tuple[str, float], ...] = ()

    @property
    def speed(self) -> float:
        """Walking speed over the neutral one; negative is backwards."""
        return self.direction * self.tempo * self.stride

    def __post_init__(self) -> None:
        coerce_fields(self)
        for name, parameter in STYLE_PARAMETERS.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and parameter.min <= value <= parameter.max):
                raise OutOfRangeError(f"The {name} of a style is {value:g}; {parameter.rule}")
        if self.tempo == 0.0:
            raise OutOfRangeError("The tempo of a style is 0, so no step would end; use stride 0 to march on the spot.")
        if self.body_height == 0.0:
            raise OutOfRangeError("The body height of a style is 0, so the body would lie on the ground.")
        if self.direction not in (-1, 1):
            raise OutOfRangeError(f"The direction of a style is {self.direction}; use 1 (forwards) or -1 (backwards).")
        for name, weight in self.postures:
            if not math.isfinite(weight):
                raise OutOfRangeError(f"The weight of posture '{name}' is {weight:g}; it must be a finite number.")


STYLE_PARAMETERS: dict[str, StyleParameter] = {
    entry.name: entry.metadata["parameter"] for entry in fields(Style) if "parameter" in entry.metadata
}

# Parameters that are weakened together if an emotion breaks a limit, the most expressive first; it is weakened last.
PARAMETER_GROUPS: tuple[tuple[str, ...], ...] = (
    ("body_pitch_rad", "trunk_pitch_rad", "head_pitch_rad"),
    ("stance_width", "body_height"),
    ("tempo", "stride"),
    ("nod_rad", "recoil", "anticipation", "asymmetry"),
    ("sway", "bounce"),
    ("shoulder_rad", "elbow_rad", "arm_swing"),
    ("jerkiness",),
    ("lift",),
    ("gaze",),
    ("activity", "size"),
    ("breath", "breath_pace"),
)


def parameter_label(name: str) -> str:
    """Return the name of a parameter for people: `trunk pitch` for `trunk_pitch_rad`."""
    return name.removesuffix("_rad").replace("_", " ")
