"""Body options: height, mass, proportions, single lengths and masses of a human model as command-line options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from strut.cli.options import length_m
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.models.subject import HUMAN_MODEL, subject
from strut.robot import Robot

LENGTH_HELP = "One length of the body with its unit: ThighSideLength=48cm; Side stands for both sides. Repeatable."
MASS_HELP = "Mass of one segment in kg: FootLeft=1.4; Side stands for both sides. Repeatable."
BODY_MASS_HELP = "Body mass in kg; 75 at any height if left out."
Mass = Annotated[float | None, typer.Option(help=BODY_MASS_HELP)]
Sex = Annotated[str, typer.Option(help="Whose proportions: male or female; female needs height and mass.")]
MIN_RATIO = 0.5  # of a given length or mass to that of the body; wide enough for people, not for mixed-up units
MAX_RATIO = 1.6


def human_body(
    height_m: float | None,
    mass_kg: float | None,
    sex: str,
    lengths: Sequence[str] | None,
    masses: Sequence[str] | None,
) -> Robot:
    """Return the human model of the options; the usual one without options."""
    if height_m is None and mass_kg is None and sex == "male" and not lengths and not masses:
        return load_robot(HUMAN_MODEL)
    body = subject(
        height_m,
        mass_kg,
        sex=sex,
        lengths_m={name: length_m(value) for name, value in _pairs("--length", lengths)},
        masses_kg={name: _kilograms(name, value) for name, value in _pairs("--segment-mass", masses)},
    )
    bodies = (subject(height_m, mass_kg, sex=sex), load_robot(HUMAN_MODEL))
    for table, what, unit in (("lengths_m", "length", "m"), ("masses_kg", "mass", "kg")):
        _check_human(what, unit, getattr(body.subject, table), [getattr(usual.subject, table) for usual in bodies])
    return body


def _check_human(what: str, unit: str, asked: Mapping[str, float], bodies: Sequence[Mapping[str, float]]) -> None:
    """Raise OutOfRangeError if a length or mass is far from those of the reference bodies."""
    for name, value in asked.items():
        references = [body[name] for body in bodies]
        lower = MIN_RATIO * min(references)
        upper = MAX_RATIO * max(references)
        if not lower <= value <= upper:
            raise OutOfRangeError(
                f"The {what} {name} of {value:g} {unit} is not that of a person; "
                f"choose {lower:.3g} to {upper:.3g} {unit} for this body."
            )


def _pairs(option: str, entries: Sequence[str] | None) -> list[tuple[str, str]]:
    pairs = []
    for entry in entries or ():
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not (name and equals and value):
            page = "docs/how_to/synthesize_a_walk.md"
            raise typer.BadParameter(f"{option} is '{entry}'; write NAME=VALUE, names are in {page}.")
        pairs.append((name, value))
    return pairs


def _kilograms(name: str, text: str) -> float:
    try:
        return float(text.lower().removesuffix("kg"))
    except ValueError as error:
        raise typer.BadParameter(f"the mass of {name} is '{text}'; write kilograms, for instance 1.4.") from error
