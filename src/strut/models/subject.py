"""Subject: the human model of a person, from height and mass or from measured lengths and masses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from strut.errors import BadMotionError, BadTableError, OutOfRangeError, UnknownNameError
from strut.models.person import both_sides, resolve_contact, resolve_markers
from strut.models.segment_robot import segment_robot
from strut.models.table_files import read_contact, read_female, read_tables
from strut.motion import Motion
from strut.robot import Robot
from strut.schemas.folder import Tables
from strut.schemas.human import SubjectTable
from strut.schemas.segments import Bound, SegmentBody

EVEN_SIDES_NOTE = "sides differ: both got the mean of their sizes, because a step is the mirror image of the next"
SEXES = ("male", "female")
HUMAN_MODEL = "heiman"  # the folder with the published proportions of people; every subject is made from it
HEIMAN = Path(__file__).parent.parent / "robots" / HUMAN_MODEL


def subject(
    height_m: float | None = None,
    mass_kg: float | None = None,
    *,
    lengths_m: Mapping[str, float] | None = None,
    masses_kg: Mapping[str, float] | None = None,
    named: str | None = None,
    sex: str = "male",
) -> Robot:
    """Return the human model of a person.

    Args:
        height_m: Body height; every length follows from it by the published shares.
        mass_kg: Body mass; that of the named subject if None.
        lengths_m: Lengths that replace the published shares. `Side` in a name sets both sides.
        masses_kg: Segment masses that replace the published shares.
        named: A measured subject of the thesis; the default one if neither this nor a height is given.
        sex: Selects shares of lengths and masses, centres of mass and radii of gyration; `female` needs a height and
            a mass.
    """
    tables = read_tables(HEIMAN)
    assert isinstance(tables.robot, SegmentBody)
    if sex not in SEXES:
        raise UnknownNameError("sex in the tables", sex, SEXES, "docs/how_to/synthesize_a_walk.md")
    if sex == "female" and (named is not None or height_m is None or mass_kg is None):
        raise OutOfRangeError("A female body needs a height and a mass; the measured subjects of the thesis are men.")
    body = _female_body(tables.robot) if sex == "female" else tables.robot
    person = _person(body, height_m, mass_kg, lengths_m or {}, masses_kg or {}, named)
    return _robot(HUMAN_MODEL, HEIMAN, replace(tables, robot=body), msgspec.structs.replace(person, sex=sex))


def subject_robot(name: str, folder: Path, tables: Tables) -> Robot:
    """Return the default subject of a folder whose `robot.toml` describes segments and subjects."""
    assert isinstance(tables.robot, SegmentBody)
    return _robot(name, folder, tables, _person(tables.robot, None, None, {}, {}, None))


def person_of(motion: Motion) -> Robot:
    """Return the human model of a motion, from the lengths and masses in its file."""
    table = motion.meta["subject"]
    try:
        sizes = {"lengths_m": table["lengths_m"], "masses_kg": table["masses_kg"]}
        return subject(table["height_m"], table["mass_kg"], **sizes, sex=table.get("sex", "male"))
    except (KeyError, TypeError, AttributeError) as error:
        raise BadMotionError(
            f"The subject of the motion lacks a height, mass, length or segment mass ({error})."
        ) from error


def with_even_sides(robot: Robot) -> Robot:
    """Return the person with the mean lengths and masses of both sides; the robot itself if its sides are equal."""
    table = robot.subject
    lengths_m = _mean_of_sides(table.lengths_m)
    masses_kg = _mean_of_sides(table.masses_kg)
    if lengths_m == dict(table.lengths_m) and masses_kg == dict(table.masses_kg):
        return robot
    return subject(table.height_m, table.mass_kg, lengths_m=lengths_m, masses_kg=masses_kg, sex=table.sex)


def _mean_of_sides(sizes: Mapping[str, float]) -> dict[str, float]:
    def other(name: str) -> str:
        return name.replace("Left", "Right") if "Left" in name else name.replace("Right", "Left")

    return {name: 0.5 * (value + sizes[other(name)]) for name, value in sizes.items()}


def _person(
    body: SegmentBody,
    height_m: float | None,
    mass_kg: float | None,
    lengths_m: Mapping[str, float],
    masses_kg: Mapping[str, float],
    named: str | None,
) -> SubjectTable:
    if named is not None and named not in body.subjects:
        raise UnknownNameError("subject", named, tuple(body.subjects), f"`strut robots {HUMAN_MODEL}`")
    measured = body.subjects[named or body.subject.name]
    is_scaled = named is None and height_m is not None
    height = _within("height", measured.height_m if height_m is None else height_m, body.subject.height_m, "m")
    mass = _within("mass", measured.mass_kg if mass_kg is None else mass_kg, body.subject.mass_kg, "kg")
    lengths = {name: share * height for name, share in both_sides(body, body.length_share).items()}
    lengths |= {} if is_scaled else both_sides(body, measured.lengths_m)
    lengths |= _checked_sizes(body, "length", lengths_m, lengths)
    shares = both_sides(body, body.mass_share)
    masses = {name: share / sum(shares.values()) * mass for name, share in shares.items()}
    masses |= _checked_sizes(body, "mass", masses_kg, masses)
    person_name = "scaled" if is_scaled else named or body.subject.name
    return SubjectTable(person_name, "male", height, sum(masses.values()), lengths, masses)


def _female_body(body: SegmentBody) -> SegmentBody:
    """Return the table of the body with the values of female.toml."""
    female = read_female(HEIMAN)
    assert female is not None
    segments = tuple(
        msgspec.structs.replace(
            entry,
            com=female.com.get(entry.name, entry.com),
            gyration=female.gyration.get(entry.name, entry.gyration),
        )
        for entry in body.segment
    )
    return msgspec.structs.replace(
        body,
        length_share={**body.length_share, **female.length_share},
        mass_share={**body.mass_share, **female.mass_share},
        segment=segments,
    )


def _checked_sizes(
    body: SegmentBody, kind: str, entries: Mapping[str, float], known: Mapping[str, float]
) -> dict[str, float]:
    given = both_sides(body, entries)
    for name, value in given.items():
        if name not in known:
            raise UnknownNameError(f"body {kind}", name, tuple(known), "docs/how_to/synthesize_a_walk.md")
        if not math.isfinite(value) or value <= 0.0:
            raise OutOfRangeError(f"The {kind} {name} is {value:g}; it must be a number above 0.")
    return given


def _within(what: str, value: float, limits: Bound, unit: str) -> float:
    if not limits.min <= value <= limits.max:  # also catches NaN
        raise OutOfRangeError(
            f"A body {what} of {value:g} {unit} is outside the range of adults, "
            f"{limits.min:g} to {limits.max:g} {unit}; choose one inside."
        )
    return float(value)


def _robot(name: str, folder: Path, tables: Tables, person: SubjectTable) -> Robot:
    """Return the body of a person, with its contact points and markers."""
    body = tables.robot
    shares = read_contact(folder)
    if shares is None or tables.symmetry is None or tables.markers is None or not isinstance(body, SegmentBody):
        raise BadTableError(f"{folder}: a human also needs contact.toml, symmetry.toml and markers.toml.")
    tables = replace(
        tables, contact=resolve_contact(body, shares, person), markers=resolve_markers(body, tables.markers, person)
    )
    return segment_robot(name, body, person, tables)
