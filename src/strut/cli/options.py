"""Options that several verbs share, and how lengths, speeds and places are read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.cli.completion import complete_emotion, complete_emotions
from strut.emotion import Emotion, named_emotion
from strut.place import Place
from strut.schemas.expression import Layer

EmotionName = Annotated[
    str | None,
    typer.Option(help="A name; see `strut emotions`.  [default: neutral]", autocompletion=complete_emotion),
]
EmotionOrScore = Annotated[
    str | None,
    typer.Option(
        help="A name (`strut emotions`), or several: 'neutral 3s, happy 4s, sad'.  [default: neutral]",
        autocompletion=complete_emotions,
    ),
]
ScorePath = Annotated[
    Path | None, typer.Option("--score", help="TOML file of emotions over time, in the place of --emotion.")
]
Pad = Annotated[tuple[float, float, float] | None, typer.Option(help="Pleasure, arousal, dominance instead of a name.")]
Intensity = Annotated[float, typer.Option(help="0 is neutral, 1 as published, at most 1.5.")]
Expression = Annotated[
    str | None, typer.Option(help="published, or animated: bounce, breath, recoil.  [default: the robot's usual]")
]
MotionPath = Annotated[Path, typer.Argument(help="Motion file.")]
Out = Annotated[Path, typer.Option(help="Motion file to write.")]
OpenBrowser = Annotated[
    bool, typer.Option("--open/--no-open", help="Open the browser, if a person at a terminal waits for it.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse (exit 3) instead of weakening.")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")]
Cycles = Annotated[int, typer.Option(help="Gait cycles.")]
StepLength = Annotated[str | None, typer.Option(help="Step length in neutral, for instance 80mm.")]
StepHeight = Annotated[str | None, typer.Option(help="Step height in neutral, for instance 40mm.")]
BodyHeight = Annotated[str | None, typer.Option(help="Height of the hips in neutral. Bipeds only.")]
Triple = tuple[float, float, float]
Goal = Annotated[Triple | None, typer.Option(help="Where to: metres ahead, metres to the left, degrees to the left.")]
Via = Annotated[
    list[str] | None, typer.Option(help="A way-point X,Y,DEGREES before the goal; may be given several times.")
]
Speed = Annotated[
    str | None,
    typer.Option(help="Ahead in neutral, backwards if negative: 3cm/s, m/s if bare. Planned steps: or fastest."),
]
Sideways = Annotated[
    str | None,
    typer.Option(help="To the left in neutral, negative to the right: 5cm/s. Gait patterns and piloted walks only."),
]
Turn = Annotated[
    float | None, typer.Option(help="To the left, in degrees per second. Gait patterns and piloted walks only.")
]
_METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
_METRES_A_SECOND = {f"{unit}/s": metres for unit, metres in _METRES.items()} | {"km/h": 1.0 / 3.6}
_NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*"
_LONGEST_CM = 300.0
_USUAL_PERSON_M = 1.7
_LONGEST_BARE_M = 5.0  # no length here is longer, so that the unit is missing


def chosen_layer(expression: str | None) -> Layer | None:
    """Return the layer of expression that was typed; None if none was."""
    if expression is not None and expression not in get_args(Layer):
        raise typer.BadParameter(f"--expression is '{expression}'; choose {' or '.join(get_args(Layer))}.")
    return expression  # type: ignore[return-value]


def chosen_emotion(emotion: str | None, pad: tuple[float, float, float] | None) -> Emotion:
    """Return the emotion by its name or coordinates; neutral if neither was typed."""
    if emotion is not None and pad is not None:
        raise typer.BadParameter("give --emotion or --pad, not both.")
    return Emotion(*pad) if pad is not None else named_emotion("neutral" if emotion is None else emotion)


def person_height_m(text: str) -> float:
    """Return a person's height in metres; a number without a unit is compared with usual heights."""
    return length_m(text, usual_m=_USUAL_PERSON_M)


def length_m(text: str, *, usual_m: float | None = None) -> float:
    """Return a length in metres from `80mm`, `8cm`, `0.08m` or `0.08`: a bare number is metres, always."""
    match = re.fullmatch(rf"{_NUMBER}(mm|cm|m)?\s*", text.lower())
    if match is None:
        raise typer.BadParameter(f"'{text}' is not a length; write for instance 80mm or 0.08m.")
    number, unit = match.groups()
    if unit is None and abs(float(number)) > _LONGEST_BARE_M:
        raise typer.BadParameter(f"'{text}' without a unit is {number} metres; write {_meant(number, usual_m)}.")
    return float(number) * _METRES[unit or "m"]


def chosen_length_m(text: str | None) -> float | None:
    """Return a length that was typed; None if it was not."""
    return None if text is None else length_m(text)


def chosen_speed_m_s(text: str | None) -> float | None:
    """Return a speed that was typed; None if it was not."""
    if str(text).strip().lower() in ("own", "fastest"):
        what = f"'{text}' is only for robots with planned steps"
        raise typer.BadParameter(f"{what}; leave it out, or write for instance 30cm/s.")
    return None if text is None else speed_m_s(text)


def chosen_places(goal: Triple, via: Sequence[str] | None) -> tuple[Place, ...]:
    """Return the way-points that were typed, and then the goal."""
    return (*(_way_point(text) for text in via or ()), _place("goal", goal))


def _way_point(text: str) -> Place:
    try:
        x_m, y_m, heading_deg = (float(number) for number in text.replace(",", " ").split())
    except ValueError as error:
        raise typer.BadParameter(f"'{text}' is not a way-point; write X,Y,DEGREES, for instance 0.3,0.1,45.") from error
    return _place("way-point", (x_m, y_m, heading_deg))


def _place(what: str, triple: Triple) -> Place:
    x_m, y_m, heading_deg = triple
    for name, value in (("X", x_m), ("Y", y_m), ("heading", heading_deg)):
        if not math.isfinite(value):
            raise typer.BadParameter(f"the {what}'s {name} is {value:g}; it must be a finite number.")
    return Place(x_m, y_m, math.radians(heading_deg))


def _meant(number: str, usual_m: float | None) -> str:
    """Return what a length without a unit may mean: its digits, near the usual size if that is known."""
    size = abs(float(number))
    if usual_m is not None:
        metres = size / 10.0 ** round(math.log10(size / usual_m))
        return f"{metres:g}m or {100.0 * metres:g}cm"
    return f"{number}mm or {number}cm" if size < _LONGEST_CM else f"{number}mm"


def speed_m_s(text: str) -> float:
    """Return a speed from `30mm/s`, `3cm/s`, `0.03m/s`, `4km/h` or `0.03`: a bare number is m/s, always."""
    match = re.fullmatch(rf"{_NUMBER}({'|'.join(_METRES_A_SECOND)})?\s*", text.lower())
    if match is None:
        raise typer.BadParameter(f"'{text}' is not a speed; write for instance 30cm/s or 0.3 (m/s).")
    number, unit = match.groups()
    return float(number) * _METRES_A_SECOND[unit or "m/s"]


def split_names(text: str) -> list[str]:
    """Return the names of a list that is separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
