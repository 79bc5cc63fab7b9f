"""Subject model: lengths, markers and floor of one person, each with its uncertainty; a TOML file for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from strut.errors import MappingFileError
from strut.mocap.marker_fit.body_geometry import BodyGeometry
from strut.mocap.markers.marker_set import read_text
from strut.models.subject import subject
from strut.robot import Robot
from strut.schemas.fields import NotNegative, Positive, Table, Text, Vector
from strut.schemas.human import MarkerTable
from strut.schemas.toml_file import TomlFile


class MeasuredLength(Table, frozen=True):
    """A length and its standard deviation [m].

    Args:
        m: The length.
        sd_m: Its standard deviation.
    """

    m: Positive
    sd_m: NotNegative = 0.0


class PlacedMarker(Table, frozen=True):
    """Position of a marker in the frame of its segment, and the standard deviation of each coordinate [m].

    Args:
        segment: Segment that carries it.
        at_m: Its place in the frame of the segment.
        sd_m: Standard deviation along each axis.
    """

    segment: Text
    at_m: Vector
    sd_m: tuple[NotNegative, NotNegative, NotNegative] = (0.0, 0.0, 0.0)


class SubjectModel(Table, frozen=True):
    """A person.

    Args:
        name: Of the person or of the trial.
        height_m: Body height, as given.
        mass_kg: Body mass, as given.
        length: Every length of the human model, by name.
        marker: Every marker, by landmark.
        floor_m: Height of the ground in the recording's axes.
        floor_sd_m: Standard deviation of `floor_m`.
        sex: Selects the table of segment masses: male or female.
    """

    name: str
    height_m: Positive
    mass_kg: Positive
    length: Mapping[str, MeasuredLength]
    marker: Mapping[str, PlacedMarker]
    floor_m: float = 0.0
    floor_sd_m: NotNegative = 0.0
    sex: str = "male"

    @property
    def lengths_m(self) -> dict[str, float]:
        """Every length."""
        return {name: entry.m for name, entry in self.length.items()}


def robot_of_subject(model: SubjectModel) -> Robot:
    """Return the human model of a person, with the person's markers."""
    robot = subject(model.height_m, model.mass_kg, lengths_m=model.lengths_m, sex=model.sex)
    segments: dict[str, dict[str, Vector]] = {}
    for name, entry in model.marker.items():
        segments.setdefault(entry.segment, {})[name] = entry.at_m
    return replace(robot, tables=replace(robot.tables, markers=MarkerTable(segment=segments)))


def subject_text(model: SubjectModel) -> str:
    """Return the subject file of a person."""
    lines = [
        "# One person, estimated from a recording: values with their standard deviations (sd); lengths in metres.",
        "# Change a value by hand and fit again with this file; docs/how_to/capture_a_recording.md shows how.",
        f"name = {_quote(model.name)}",
        f"height_m = {model.height_m:.4f}",
        f"mass_kg = {model.mass_kg:.2f}",
        f"floor_m = {model.floor_m:.4f}",
        f"floor_sd_m = {model.floor_sd_m:.4f}",
        f"sex = {_quote(model.sex)}",
        "",
        "[length]",
        *(f"{name} = {{ m = {entry.m:.5f}, sd_m = {entry.sd_m:.5f} }}" for name, entry in model.length.items()),
        "",
        "[marker]      # in the frame of the segment: x forward, y left, z up, from the joint above it",
    ]
    for name, entry in model.marker.items():
        at, sd = (", ".join(f"{value:.5f}" for value in values) for values in (entry.at_m, entry.sd_m))
        lines.append(f"{_quote(name)} = {{ segment = {_quote(entry.segment)}, at_m = [{at}], sd_m = [{sd}] }}")
    return "\n".join([*lines, ""])


def read_subject(path: Path, body: BodyGeometry) -> SubjectModel:
    """Return the person of a subject file; raises MappingFileError with line and field."""
    file = TomlFile(read_text(path), str(path), MappingFileError)
    model = file.decode(SubjectModel)
    for name in body.length_names:
        if name not in model.length:
            raise file.field_error(("length",), f"lacks {name}.")
    for name, entry in model.marker.items():
        if entry.segment not in body.segments:
            raise file.field_error(("marker", name), f"is on a segment {entry.segment} that the body does not have.")
        if not np.isfinite(entry.at_m).all():
            raise file.field_error(("marker", name), "needs three finite coordinates.")
    return model


def _quote(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(character for character in escaped if character.isprintable()) + '"'
