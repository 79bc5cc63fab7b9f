"""Subject: one person's lengths and masses, from height and mass or measured, and the robot that has them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from strut.errors import BadMotionError, BadTableError, OutOfRangeError, UnknownNameError
from strut.models.segment_mjcf import Segment, Shape, Touch, segments_mjcf
from strut.models.table_files import read_tables
from strut.motion import Motion
from strut.robot import Array, Foot, Robot
from strut.tables.human import ContactTable, MarkerTable, SubjectTable

Table = Mapping[str, Any]
SEXES = ("male", "female")
SIDE = "Side"
AXES = ("x", "y", "z")
HEIMAN = Path(__file__).parent.parent / "robots" / "heiman"


@dataclass(frozen=True, slots=True)
class Subject:
    """A person's lengths [m] and segment masses [kg], by name."""

    name: str
    height_m: float
    mass_kg: float
    lengths_m: Mapping[str, float]
    masses_kg: Mapping[str, float]
    sex: str = "male"

    def place(self, entry: Table, side: str | None) -> Array:
        """Return a point given as lengths by axis, y mirrored on the right. Shape (3,)."""
        point = np.zeros(3)
        for index, axis in enumerate(AXES):
            point[index] = sum(share * self.lengths_m[sided(name, side)] for name, share in entry.get(axis, {}).items())
        point[1] *= -1.0 if side == "Right" else 1.0
        return point


def sided(name: str, side: str | None) -> str:
    """Return the name on one side of the body."""
    return name if side is None else name.replace(SIDE, side)


def sides_of(name: str, sides: list[str]) -> list[str | None]:
    """Return the sides on which an entry is made: both if its name says so, else None alone."""
    return [*sides] if SIDE in name else [None]


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
        height_m: Body height; with it, every length follows from the published shares.
        mass_kg: Body mass; the named subject's if None.
        lengths_m: Lengths that replace the published shares. `Side` in a name sets both sides.
        masses_kg: Segment masses that replace the published shares.
        named: A measured subject of the thesis; the default if neither this nor a height is given.
        sex: Whose shares of lengths and masses, centres of mass and radii of gyration; a woman needs a height.
    """
    files = sorted(HEIMAN.glob("*.toml"))
    tables: dict[str, Table] = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in files}
    if sex not in SEXES:
        raise UnknownNameError("sex in the tables", sex, SEXES, "docs/human.md")
    if sex == "female":
        if named is not None or height_m is None or mass_kg is None:
            raise OutOfRangeError(
                "A female body needs a height and a mass; the measured subjects of the thesis are men."
            )
        tables["robot"] = _as_woman(tables["robot"], tables["female"])
    person = _person(tables["robot"], height_m, mass_kg, lengths_m, masses_kg, named)
    return _robot("heiman", HEIMAN, tables, replace(person, sex=sex))


def subject_robot(name: str, folder: Path, tables: Mapping[str, Table]) -> Robot:
    """Return the robot of a folder whose `robot.toml` describes segments and subjects, as its default subject."""
    return _robot(name, folder, tables, _person(tables["robot"], None, None, None, None, None))


def person_of(motion: Motion) -> Robot:
    """Return the human model that a motion was made with, from the lengths and masses it carries."""
    table = motion.meta["subject"]
    try:
        sizes = {"lengths_m": table["lengths_m"], "masses_kg": table["masses_kg"]}
        return subject(table["height_m"], table["mass_kg"], **sizes, sex=table.get("sex", "male"))
    except (KeyError, TypeError, AttributeError) as error:
        raise BadMotionError(f"The motion's subject lacks a height, mass, length or segment mass ({error}).") from error


def _person(
    body: Table,
    height_m: float | None,
    mass_kg: float | None,
    lengths_m: Mapping[str, float] | None,
    masses_kg: Mapping[str, float] | None,
    named: str | None,
) -> Subject:
    if named is not None and named not in body["subjects"]:
        raise UnknownNameError("subject", named, tuple(body["subjects"]), "`strut robots heiman`")
    measured = body["subjects"][named or body["subject"]["name"]]
    person_name = named or (body["subject"]["name"] if height_m is None else "scaled")
    own_lengths = measured["lengths_m"] if height_m is None or named is not None else {}
    height = _within(
        "height", height_m if height_m is not None else measured["height_m"], body["subject"]["height_m"], "m"
    )
    mass = _within("mass", mass_kg if mass_kg is not None else measured["mass_kg"], body["subject"]["mass_kg"], "kg")
    lengths = {name: share * height for name, share in _both(body, body["length_share"]).items()}
    lengths |= _both(body, own_lengths) | _known(body, "length", lengths_m or {}, lengths)
    shares = _both(body, body["mass_share"])
    masses = {name: share / sum(shares.values()) * mass for name, share in shares.items()}
    masses |= _known(body, "mass", masses_kg or {}, masses)
    return Subject(person_name, height, sum(masses.values()), lengths, masses)


def _as_woman(body: Table, female: Table) -> Table:
    """Return the table of the body with what is different for women in its place."""
    segments = [
        entry | {word: female[word][entry["name"]] for word in ("com", "gyration") if entry["name"] in female[word]}
        for entry in body["segment"]
    ]
    shares = {word: {**body[word], **female[word]} for word in ("length_share", "mass_share")}
    return {**body, **shares, "segment": segments}


def _both(body: Table, entries: Table) -> dict[str, float]:
    return {sided(name, side): value for name, value in entries.items() for side in sides_of(name, body["sides"])}


def _known(body: Table, kind: str, entries: Table, known: Mapping[str, float]) -> dict[str, float]:
    given = _both(body, entries)
    for name, value in given.items():
        if name not in known:
            raise UnknownNameError(f"body {kind}", name, tuple(known), "docs/human.md")
        if not math.isfinite(value) or value <= 0.0:
            raise OutOfRangeError(f"The {kind} {name} is {value:g}; it must be a number above 0.")
    return given


def _within(what: str, value: float, limits: Table, unit: str) -> float:
    if not limits["least"] <= value <= limits["most"]:  # also catches NaN
        raise OutOfRangeError(
            f"A body {what} of {value:g} {unit} is outside the range of adults, "
            f"{limits['least']:g} to {limits['most']:g} {unit}; choose one inside."
        )
    return float(value)


def _robot(name: str, folder: Path, tables: Mapping[str, Table], person: Subject) -> Robot:
    typed, body = read_tables(folder), tables["robot"]
    segments = _segments(body, person)
    contact = resolved_contact(body, tables["contact"], person)
    joints = [joint for segment in segments for joint in segment.joints if segment.parent is not None]
    limits = _limits(body, tables["symmetry"])
    touches = tuple(_touch(point, table, body["skin"]["point_radius_m"]) for point, table in contact["point"].items())
    root_height_m = -min(float(_origin_in_root(segments, touch.segment)[2] + touch.lowest_m) for touch in touches)
    own = {
        "contact": contact,
        "markers": resolved_markers(body, tables["markers"], person),
        "subject": _subject_table(person, root_height_m),
    }
    return Robot(
        name=name,
        title=body["title"],
        mjcf=segments_mjcf(name, segments, touches, limits, body, root_height_m),
        joint_names=tuple(joints),
        joint_lower_rad=np.array([limits[joint][0] for joint in joints]),
        joint_upper_rad=np.array([limits[joint][1] for joint in joints]),
        joint_speed_limit_rad_s=np.full(len(joints), body["servo"]["speed_limit_rad_s"]),
        torque_limit_nm=np.array([limits[joint][2] for joint in joints]),
        base_size=7,
        feet=tuple(Foot(touch.name, touch.name, touch.radius_m) for touch in touches),
        mass_kg=person.mass_kg,
        friction=body["floor"]["friction"],
        tables={**tables, **own},
        typed=replace(
            typed,
            contact=msgspec.convert(contact, ContactTable),
            markers=msgspec.convert(own["markers"], MarkerTable),
            subject=msgspec.convert(own["subject"], SubjectTable),
        ),
    )


def _subject_table(person: Subject, standing_height_m: float) -> Table:
    return {
        "name": person.name,
        "sex": person.sex,
        "height_m": person.height_m,
        "mass_kg": person.mass_kg,
        "lengths_m": dict(person.lengths_m),
        "masses_kg": dict(person.masses_kg),
        "standing_pelvis_height_m": standing_height_m,
    }


def _segments(body: Table, person: Subject) -> tuple[Segment, ...]:
    segments = []
    for entry in body["segment"]:
        for side in sides_of(entry["name"], body["sides"]):
            length = person.lengths_m[sided(entry["length"], side)]
            mass = person.masses_kg.get(sided(entry["name"], side), 0.0)
            joint = sided(entry["joint"]["name"], side)
            segments.append(
                Segment(
                    name=sided(entry["name"], side),
                    parent=sided(entry["parent"], side) if "parent" in entry else None,
                    joints=tuple(f"{joint}_{axis}" for axis in entry["joint"]["axes"]),
                    origin_m=person.place(entry.get("origin", {}), side),
                    mass_kg=mass,
                    com_m=person.place(entry["com"], side),
                    inertia_kg_m2=mass * (np.array(entry["gyration"]) * length) ** 2,
                    shapes=tuple(_shape(body["skin"], entry, drawn, person, side) for drawn in entry.get("shapes", ())),
                )
            )
    return _depth_first(segments, None)


def _shape(skin: Table, entry: Table, drawn: Table, person: Subject, side: str | None) -> Shape:
    """Return one capsule of a segment in the colour of what it wears, the left side a shade darker."""
    ends = person.place(drawn.get("from", {}), side), person.place(drawn["to"], side)
    shares = drawn.get("radius", {})
    radius_m = drawn.get("radius_m", 0.0) + sum(
        share * person.lengths_m[sided(name, side)] for name, share in shares.items()
    )
    *tint, opacity = skin["color"][entry["wears"]]
    shade = skin["left_shade"] if side == "Left" else 1.0
    return Shape(*ends, radius_m, (*(shade * part for part in tint), opacity))


def _depth_first(segments: list[Segment], parent: str | None) -> tuple[Segment, ...]:
    """Return the segments in the order in which a model lists its joints: a whole limb, then the next."""
    ordered: list[Segment] = []
    for segment in segments:
        if segment.parent == parent:
            ordered += [segment, *_depth_first(segments, segment.name)]
    return tuple(ordered)


def resolved_contact(body: Table, contact: Table, person: Subject) -> Table:
    """Return `contact.toml` with both sides named and every place in metres."""
    points, capsules = {}, {}
    for side in body["sides"]:
        for name, entry in contact["point"].items():
            points[sided(name, side)] = {
                "segment": sided(entry["segment"], side),
                "position_m": person.place(entry["position"], side).tolist(),
                "radius_m": person.lengths_m[sided(entry["radius"], side)] if "radius" in entry else 0.0,
            }
    for name, entry in contact["capsule"].items():
        for side in sides_of(name, body["sides"]):
            capsules[sided(name, side)] = {
                "segment": sided(entry["segment"], side),
                "from_m": person.place(entry["from"], side).tolist(),
                "to_m": person.place(entry["to"], side).tolist(),
                "radius_m": entry["radius_m"],
            }
    sets = {}
    for name, feet in contact["set"].items():
        sets[name] = [
            [sided(point, side), axis] for side, foot in feet.items() for point, axis in contact["foot"][foot]["rows"]
        ]
    return {"point": points, "set": sets, "capsule": capsules}


def resolved_markers(body: Table, markers: Table, person: Subject) -> Table:
    """Return `markers.toml` for a person: places grow with the segments against those of the subject who wore them."""
    worn_by = _both(body, body["subjects"][body["subject"]["name"]]["lengths_m"])
    places = {}
    for entry in body["segment"]:
        for side in sides_of(entry["name"], body["sides"]):
            segment, length = sided(entry["name"], side), sided(entry["length"], side)
            growth = person.lengths_m[length] / worn_by[length]
            own = markers["segment"].get(segment, {})
            if own:
                places[segment] = {name: [growth * part for part in place] for name, place in own.items()}
    return {**markers, "segment": places}


def _touch(name: str, point: Table, point_radius_m: float) -> Touch:
    """Return the ball of a contact point: the rolling ball itself, or a small one that stands on the point."""
    position = np.array(point["position_m"])
    if point["radius_m"] > 0.0:
        return Touch(name, point["segment"], position, point["radius_m"])
    return Touch(name, point["segment"], position + np.array([0.0, 0.0, point_radius_m]), point_radius_m)


def _origin_in_root(segments: tuple[Segment, ...], name: str) -> Array:
    known = {segment.name: segment for segment in segments}
    origin, segment = np.zeros(3), known[name]
    while segment.parent is not None:
        origin, segment = origin + segment.origin_m, known[segment.parent]
    return origin


def _limits(body: Table, symmetry: Table) -> dict[str, tuple[float, float, float]]:
    """Return lower and upper limit and torque by joint, the right side mirrored from the left."""
    limits = {}
    for name, entry in body["limit"].items():
        lower, upper = entry["range_rad"]
        for side in sides_of(name, body["sides"]):
            turned = side == "Right" and symmetry["sign"][name.split("_")[1]] < 0
            ends = (-upper, -lower) if turned else (lower, upper)
            limits[sided(name, side)] = (*ends, entry["torque_nm"])
    if not limits:
        raise BadTableError("A body of segments needs at least one entry in [limit].")
    return limits
