"""Step options: what people type about a walk of steps, turned into what `walk` takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from strut.cli.options import length_m, speed_m_s
from strut.cli.paired_options import check_apart, check_partners, spelled, was_typed
from strut.gaits.crawl.table import CrawlTable
from strut.gaits.footsteps.footsteps import read_footsteps
from strut.gaits.footsteps.request import WalkingPace
from strut.gaits.footsteps.table import StepsTable
from strut.gaits.pattern.table import PatternTable
from strut.human.table import SynthesisTable
from strut.pilot.request import PilotedTable, Walker
from strut.place import Place
from strut.schemas.gait import GaitTable

Triple = tuple[float, float, float]
Goal = Annotated[Triple | None, typer.Option(help="Where to: metres ahead, metres to the left, degrees to the left.")]
Via = Annotated[
    list[str] | None, typer.Option(help="A way-point X,Y,DEGREES before the goal; may be given several times.")
]
OwnSteps = Annotated[Path | None, typer.Option(help="CSV of own footsteps: foot, x_m, y_m, heading_deg. Bipeds only.")]
Speed = Annotated[
    str | None, typer.Option(help="Ahead in neutral, backwards if negative: 3cm/s, m/s if bare; alice: or fastest.")
]
Tempo = Annotated[float | None, typer.Option(help="Factor on the pace of the steps, such as 1.5. Crawls only.")]
Pattern = Annotated[
    str | None, typer.Option("--gait", help="crawl, walk or trot on four legs, biped on two, for gait patterns.")
]
Sideways = Annotated[
    str | None,
    typer.Option(help="To the left in neutral, negative to the right: 5cm/s. Gait patterns and cassie only."),
]
Turn = Annotated[float | None, typer.Option(help="To the left, in degrees per second. Gait patterns and cassie only.")]
BodyHeight = Annotated[str | None, typer.Option(help="Height of the hips in neutral. Bipeds only.")]
Distance = Annotated[str | None, typer.Option(help="How far. Robots with controllers of their own only.")]
WalkerName = Annotated[
    str | None, typer.Option("--walker", help="pendulum or library: what sets the feet. As --distance.")
]
STRAIGHT_AHEAD = (0.4, 0.0, 0.0)

_TO_A_GOAL = ("goal", "via", "steps", "speed", "body_height")
_HUMAN = ("height", "mass", "sex")
_PATTERN = ("pattern", "sideways", "turn")
_LENGTHS = ("step_length", "step_height")
_PILOTED = ("distance", "walker")
# What a gait has no place for, how it walks, and what to say instead.
_UNFITTING: dict[type[GaitTable], tuple[tuple[str, ...], str, str]] = {
    StepsTable: (
        ("cycles", "balance", "retreat", "tempo", *_HUMAN, *_PATTERN, *_PILOTED),
        "walks to a goal",
        "leave it out, see --goal",
    ),
    CrawlTable: ((*_TO_A_GOAL, *_HUMAN, *_PATTERN, *_PILOTED), "walks straight ahead", "leave it out, see --cycles"),
    PatternTable: (
        ("steps", "body_height", "balance", "retreat", "tempo", *_LENGTHS, *_HUMAN, *_PILOTED),
        "walks by a gait pattern",
        "leave it out, see --gait, --speed, --turn and --goal",
    ),
    PilotedTable: (
        ("goal", "via", "steps", "cycles", "pattern", "balance", "retreat", "margin", "tempo", *_LENGTHS, *_HUMAN),
        "walks under its own controllers",
        "leave it out, see --speed, --sideways, --turn, --distance and --walker",
    ),
    SynthesisTable: (
        (*_TO_A_GOAL, *_PATTERN, *_LENGTHS, *_PILOTED, "margin", "balance", "retreat", "tempo"),
        "finds its own steps",
        "say --cycles, or use `strut synthesize`",
    ),
}


def check_fitting(context: typer.Context, robot: str, gait: GaitTable) -> None:
    """Raise if an option was typed that this robot's gait does not have, or not beside another one."""
    unfitting, how, instead = _UNFITTING[type(gait)]
    for name in unfitting:
        if was_typed(context, name):
            raise typer.BadParameter(f"{spelled(context, name)} does not apply: {robot} {how}; {instead}.")
    check_apart(context, {"cycles": ("goal",), "goal": ("steps",), "via": ("steps",)})
    check_partners(context, {"via": ("goal",)})
    if not was_typed(context, "speed"):  # which own steps take by the length of a step
        check_apart(context, {"step_length": ("steps",)})


def chosen_length_m(text: str | None) -> float | None:
    """Return a length that was typed; None if it was not."""
    return None if text is None else length_m(text)


def chosen_speed_m_s(text: str | None) -> float | None:
    """Return a speed that was typed; None if it was not."""
    if str(text).strip().lower() in get_args(WalkingPace):
        what = f"'{text}' is only for robots with planned steps (alice)"
        raise typer.BadParameter(f"{what}; leave it out, or write for instance 30cm/s.")
    return None if text is None else speed_m_s(text)


def gait_options(gait: GaitTable, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `walk` that a gait has, from what was typed, by the names of the options."""
    if isinstance(gait, SynthesisTable):
        return {"cycles": typed["cycles"]}
    if isinstance(gait, PatternTable):
        return _pattern_options(typed)
    if isinstance(gait, PilotedTable):
        return _piloted_options(typed)
    lengths = {f"{name}_m": chosen_length_m(typed[name]) for name in _LENGTHS}
    if isinstance(gait, CrawlTable):
        return lengths | {name: typed[name] for name in ("cycles", "balance", "retreat", "tempo")}
    goal = typed["goal"]
    via = typed["via"]
    steps = typed["steps"]
    height_m = chosen_length_m(typed["body_height"])
    return lengths | _destination(goal, via, steps) | {"pace": _pace(typed["speed"]), "body_height_m": height_m}


def _piloted_options(typed: Mapping[str, Any]) -> dict[str, Any]:
    speed, sideways = (chosen_speed_m_s(typed[name]) for name in ("speed", "sideways"))
    if typed["walker"] not in (None, *get_args(Walker)):
        raise typer.BadParameter(f"--walker is '{typed['walker']}'; choose {' or '.join(get_args(Walker))}.")
    return {
        "speed_m_s": speed,
        "sideways_m_s": sideways,
        "turn_rad_s": None if typed["turn"] is None else math.radians(typed["turn"]),
        "body_height_m": chosen_length_m(typed["body_height"]),
        "distance_m": chosen_length_m(typed["distance"]),
        "walker": typed["walker"],
    }


def _pattern_options(typed: Mapping[str, Any]) -> dict[str, Any]:
    speed, sideways = (chosen_speed_m_s(typed[name]) for name in ("speed", "sideways"))
    turn = None if typed["turn"] is None else math.radians(typed["turn"])
    options = {"pattern": typed["pattern"], "speed_m_s": speed, "sideways_m_s": sideways, "turn_rad_s": turn}
    if typed["goal"] is None:
        return options | {"cycles": typed["cycles"]}
    if speed is not None or sideways is not None or turn is not None:
        raise typer.BadParameter("give --goal, or --speed, --sideways and --turn, not both.")
    return options | _destination(typed["goal"], typed["via"], None)


def _destination(goal: Triple | None, via: Sequence[str] | None, steps: Path | None) -> dict[str, Any]:
    if steps is not None:
        return {"footsteps": read_footsteps(steps)}
    return {"goal": [*(_way_point(text) for text in via or ()), _place("goal", goal or STRAIGHT_AHEAD)]}


def _pace(speed: str | None) -> WalkingPace | float:
    """Return a pace: the robot's own, `fastest` or a speed."""
    words = "own" if speed is None else speed.strip().lower()
    if words in get_args(WalkingPace):
        return words  # type: ignore[return-value]
    return speed_m_s(words)


def _way_point(text: str) -> Place:
    try:
        x_m, y_m, heading_deg = (float(number) for number in text.replace(",", " ").split())
    except ValueError as error:
        raise typer.BadParameter(f"'{text}' is no way-point; write X,Y,DEGREES, for instance 0.3,0.1,45.") from error
    return _place("way-point", (x_m, y_m, heading_deg))


def _place(what: str, triple: Triple) -> Place:
    x_m, y_m, heading_deg = triple
    for name, value in (("X", x_m), ("Y", y_m), ("heading", heading_deg)):
        if not math.isfinite(value):
            raise typer.BadParameter(f"the {what}'s {name} is {value:g}; it must be a finite number.")
    return Place(x_m, y_m, math.radians(heading_deg))
