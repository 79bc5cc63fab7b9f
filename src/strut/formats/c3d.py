"""C3D: markers, analog channels, force plates and events, the usual file of gait laboratories."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from strut.arrays import Array
from strut.formats.c3d_frames import C3dFrames, parse_frames
from strut.formats.c3d_parameters import (
    C3D_KEY,
    Parameters,
    number_of,
    numbers_of,
    parse_header,
    parse_parameters,
    texts_of,
)
from strut.formats.c3d_plates import read_plates
from strut.formats.c3d_writer import encode_c3d
from strut.formats.length_units import METRES
from strut.formats.marker_labels import own_labels, people_of, unique_labels, without_prefix
from strut.formats.motion_markers import motion_markers, omitted_beside_markers
from strut.formats.reader import FormatError
from strut.motion import Motion
from strut.recording import AnalogChannels, EventKind, GaitEvent, Recording, Side

_EVENTS: dict[str, EventKind] = {
    **dict.fromkeys(("foot strike", "heel strike", "initial contact"), "heel_strike"),
    **dict.fromkeys(("rhs", "lhs", "strike", "foot contact", "foot down"), "heel_strike"),
    **dict.fromkeys(("foot off", "toe off", "rto", "lto", "off", "foot up"), "toe_off"),
    "foot flat": "foot_flat",
    "heel off": "heel_off",
}
_SIDES: dict[str, Side] = {"left": "Left", "right": "Right"}
_EVENT_SIDES: dict[str, Side] = {"rhs": "Right", "rto": "Right", "lhs": "Left", "lto": "Left"}
_COMPUTED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
_MOMENT = re.compile(r"([LR](?:Ankle|Knee|Hip))Moment(?:_M)?")
_MOMENT_NM = {"nmm": 1e-3, "n.mm": 1e-3, "n*mm": 1e-3, "nm": 1.0, "n.m": 1.0, "n*m": 1.0}


class C3dReader:
    """Reads a recording."""

    endings = (".c3d",)
    returns = Recording

    def recognizes(self, head: bytes) -> bool:
        """Return whether the second byte is the key of the format."""
        return head[1:2] == bytes([C3D_KEY])

    def read(self, content: bytes, path: Path) -> Recording:
        """Return the recording; raises FormatError."""
        header = parse_header(content)
        parameters, damage = parse_parameters(content, header)
        frames = parse_frames(content, header, parameters)
        metres, notes = _unit(parameters)
        labels = texts_of(parameters, "POINT", "LABELS")
        computed = {label for kind in _COMPUTED for label in texts_of(parameters, "POINT", kind)}
        named = _numbered(labels, frames.points.shape[1], "*")
        is_marker = [index for index, label in enumerate(named) if label not in computed]
        people = people_of([label for label in labels if label not in computed])
        if len(people) > 1:
            notes += [f"The file holds markers of {', '.join(people)}: those of {people[0]} are used."]
        plates, plate_notes = read_plates(parameters, frames, metres)
        moments, moment_notes = _moments(parameters, frames)
        height_m, mass_kg = _person(parameters)
        return Recording(
            name=path.stem,
            rate_hz=frames.rate_hz,
            marker_names=own_labels([named[index] for index in is_marker]),
            markers_m=_without_zeros(frames.points[:, is_marker]) * metres,
            residual_m=frames.residual[:, is_marker] * metres,
            analog=_analog_channels(parameters, frames),
            plates=plates,
            events=_events(parameters, (frames.first_frame - 1) / max(frames.rate_hz, 1e-9)),
            height_m=height_m,
            mass_kg=mass_kg,
            moments_nm_kg=moments,
            notes=(*damage, *notes, *plate_notes, *moment_notes),
        )


class C3dWriter:
    """Writes the markers that the robot wears, or else the origins of its bodies."""

    ending = ".c3d"

    def encode(self, motion: Motion) -> bytes:
        """Return the file, in millimetres."""
        return encode_c3d(motion_markers(motion))

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the writer does not store."""
        return omitted_beside_markers(motion)


def _without_zeros(points: Array) -> Array:
    """Return points in which exact zeros are unseen, as some programs write unseen points. Shape (T, n, 3)."""
    return np.where((points == 0.0).all(axis=2)[..., None], np.nan, points)


def _unit(parameters: Parameters) -> tuple[float, list[str]]:
    """Return the metres in one unit of the points, and a note."""
    unit = (texts_of(parameters, "POINT", "UNITS") or ("",))[0].lower()
    if unit in METRES:
        return METRES[unit], [f"Lengths are in {unit}."]
    if unit:
        raise FormatError(f"gives its points in '{unit}', which is no known unit of length.")
    return METRES["mm"], ["Lengths have no unit in the file; mm was taken."]


def _numbered(labels: tuple[str, ...], count: int, prefix: str) -> list[str]:
    """Return that many labels; missing and empty ones are numbered."""
    padded = (*labels, *[""] * count)[:count]
    return [label or f"{prefix}{index}" for index, label in enumerate(padded)]


def _moments(parameters: Parameters, frames: C3dFrames) -> tuple[dict[str, Array], list[str]]:
    """Return the joint moments about flexion axes that the laboratory computed [N m/kg], and notes. Shape (T,) each.

    Plug-in Gait and similar programs divide them by the body mass whatever unit they write; NaN where there is none.
    """
    unit = (texts_of(parameters, "POINT", "MOMENT_UNITS") or ("nmm",))[0].lower().removesuffix("/kg")
    labels = texts_of(parameters, "POINT", "LABELS")
    computed = set(texts_of(parameters, "POINT", "MOMENTS"))
    moments = {}
    for index, label in enumerate(labels[: frames.points.shape[1]]):
        match = _MOMENT.fullmatch(without_prefix(label))
        if match and label in computed:
            moments[match[1]] = _without_zeros(frames.points[:, [index]])[:, 0, 0] * _MOMENT_NM.get(unit, np.nan)
    if moments and unit not in _MOMENT_NM:
        return {}, [f"Moments are in '{unit}', which is no known unit of moments; they were left out."]
    return moments, []


def _analog_channels(parameters: Parameters, frames: C3dFrames) -> AnalogChannels | None:
    count = frames.analog.shape[1]
    if not count:
        return None
    names = _numbered(texts_of(parameters, "ANALOG", "LABELS"), count, "channel ")
    units = (*texts_of(parameters, "ANALOG", "UNITS"), *[""] * count)[:count]
    return AnalogChannels(unique_labels(names), units, frames.analog_rate_hz, frames.analog)


def _events(parameters: Parameters, first_frame_s: float) -> tuple[GaitEvent, ...]:
    """Return the events of feet in order of time, counted from the first frame."""
    times = numbers_of(parameters, "EVENT", "TIMES")  # minutes and seconds
    if times.ndim != 2 or times.shape[0] != 2:
        return ()
    labels = texts_of(parameters, "EVENT", "LABELS")
    contexts = texts_of(parameters, "EVENT", "CONTEXTS")
    seconds = (60.0 * times[0] + times[1] - first_frame_s).tolist()
    events = []
    for label, context, time_s in zip(labels, contexts, seconds, strict=False):
        kind = _EVENTS.get(label.lower().removeprefix("right ").removeprefix("left "))
        side = _side(f"{context} {label}".lower())
        if kind and side:
            events.append(GaitEvent(kind, side, time_s))
    return tuple(sorted(events, key=lambda event: event.time_s))


def _side(words: str) -> Side | None:
    """Return the side that context and label of an event name; RHS is right, LTO is left."""
    last_word = words.rsplit(maxsplit=1)[-1] if words.split() else ""
    return _EVENT_SIDES.get(last_word) or next((side for name, side in _SIDES.items() if name in words), None)


def _person(parameters: Parameters) -> tuple[float | None, float | None]:
    """Return the height [m] and the mass [kg] of the person, if known; files have heights in m, cm or mm."""
    groups = ("PROCESSING", "SUBJECT", "SUBJECTS")
    masses = ("BODYMASS", "MASS", "WEIGHT")
    mass = max(number_of(parameters, group, name, 0.0) for group in groups for name in masses)
    height = max(number_of(parameters, group, "HEIGHT", 0.0) for group in groups)
    heights_m = [height * metres for metres in (1.0, 1e-2, 1e-3) if 0.5 < height * metres < 2.6]
    return next(iter(heights_m), None), mass if 5.0 < mass < 300.0 else None


READER = C3dReader()
WRITER = C3dWriter()
