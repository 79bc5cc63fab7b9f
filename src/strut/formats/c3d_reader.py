"""C3D reader: the bytes of a C3D file → recording."""

from __future__ import annotations

import re

import numpy as np

from strut.arrays import Array
from strut.formats.c3d_frames import C3dFrames, read_frames
from strut.formats.c3d_parameters import (
    C3dDamageError,
    Parameters,
    number_of,
    numbers_of,
    read_header,
    read_parameters,
    texts_of,
)
from strut.formats.c3d_plates import read_plates
from strut.formats.marker_labels import own_labels, people_of, unique_labels, without_prefix
from strut.recording import AnalogChannels, EventKind, GaitEvent, Recording, Side

METRES = {
    **dict.fromkeys(("mm", "millimeters", "millimetres", "millimeter", "mms"), 1e-3),
    **dict.fromkeys(("cm", "centimeters", "centimetres"), 1e-2),
    **dict.fromkeys(("m", "meters", "metres", "meter", "mete", "metr"), 1.0),  # some programs keep four letters
    **dict.fromkeys(("in", "inch", "inches"), 0.0254),
    "dm": 0.1,
}
_EVENTS: dict[str, EventKind] = {
    "foot strike": "heel_strike",
    "heel strike": "heel_strike",
    "initial contact": "heel_strike",
    "foot off": "toe_off",
    "toe off": "toe_off",
    "foot flat": "foot_flat",
    "heel off": "heel_off",
    **dict.fromkeys(("rhs", "lhs", "strike", "foot contact", "foot down"), "heel_strike"),
    **dict.fromkeys(("rto", "lto", "off", "foot up"), "toe_off"),
}
_COMPUTED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
_MOMENT = re.compile(r"([LR](?:Ankle|Knee|Hip))Moment(?:_M)?")
_MOMENT_NM = {"nmm": 1e-3, "n.mm": 1e-3, "n*mm": 1e-3, "nm": 1.0, "n.m": 1.0, "n*m": 1.0}
_SIDES: dict[str, Side] = {"left": "Left", "right": "Right"}


def recording_from_c3d(content: bytes, name: str) -> Recording:
    """Return the recording of a C3D file; raises C3dDamageError with words that fit after the file's name."""
    header = read_header(content)
    parameters, damage = read_parameters(content, header)
    frames = read_frames(content, header, parameters)
    metres, notes = _unit(parameters)
    labels, points = _labels(parameters, frames.points.shape[1])
    analog = _analog_channels(parameters, frames)
    plates, plate_notes = read_plates(parameters, frames, metres)
    moments, moment_notes = _moments(parameters, frames)
    height_m, mass_kg = _person(parameters)
    return Recording(
        name=name,
        rate_hz=frames.rate_hz,
        marker_names=labels,
        markers_m=_without_zeros(frames.points[:, points]) * metres,
        residual_m=frames.residual[:, points] * metres,
        analog=analog,
        plates=plates,
        events=_events(parameters, (frames.first_frame - 1) / max(frames.rate_hz, 1e-9)),
        height_m=height_m,
        mass_kg=mass_kg,
        moments_nm_kg=moments,
        notes=(*damage, *notes, *_people_notes(parameters), *plate_notes, *moment_notes),
    )


def _without_zeros(points: Array) -> Array:
    """Return points in which exact zeros are unseen: some programs write them for it. Shape (T, n, 3)."""
    return np.where((points == 0.0).all(axis=2)[..., None], np.nan, points)


def _unit(parameters: Parameters) -> tuple[float, list[str]]:
    told = (texts_of(parameters, "POINT", "UNITS") or ("",))[0].lower()
    if told in METRES:
        return METRES[told], [f"Lengths are in {told}."]
    if told:
        raise C3dDamageError(f"gives its points in '{told}', which is no known unit of length.")
    return METRES["mm"], ["Lengths have no unit in the file; mm was taken."]


def _padded(told: tuple[str, ...], count: int, name: str) -> list[str]:
    """Return so many names; those that the file does not tell are numbered."""
    return [label or f"{name}{index}" for index, label in enumerate((*told, *[""] * count)[:count])]


def _labels(parameters: Parameters, count: int) -> tuple[tuple[str, ...], list[int]]:
    """Return names of the points that are markers, without the subject's prefix, and which points these are.

    Points that the laboratory computed (angles, forces, powers, moments) are no markers and left out.
    """
    computed = _computed(parameters)
    told = _padded(texts_of(parameters, "POINT", "LABELS"), count, "*")
    kept = [index for index, label in enumerate(told) if label not in computed]
    return own_labels([told[index] for index in kept]), kept


def _computed(parameters: Parameters) -> set[str]:
    return {label for kind in _COMPUTED for label in texts_of(parameters, "POINT", kind)}


def _people_notes(parameters: Parameters) -> list[str]:
    """Return a sentence if markers of several people are in the file."""
    computed = _computed(parameters)
    people = people_of([label for label in texts_of(parameters, "POINT", "LABELS") if label not in computed])
    return [f"The file holds markers of {', '.join(people)}: those of {people[0]} are used."] if len(people) > 1 else []


def _moments(parameters: Parameters, frames: C3dFrames) -> tuple[dict[str, Array], list[str]]:
    """Return what Plug-in Gait and programs like it computed of ankles, knees and hips, about flexion axes; and notes.

    They write it over the body mass whatever unit they tell; NaN where it was not found. Shape (T,) each.
    """
    unit = (texts_of(parameters, "POINT", "MOMENT_UNITS") or ("nmm",))[0].lower().removesuffix("/kg")
    told = texts_of(parameters, "POINT", "LABELS")
    computed = set(texts_of(parameters, "POINT", "MOMENTS"))
    found = {}
    for index, label in enumerate(told[: frames.points.shape[1]]):
        name = _MOMENT.fullmatch(without_prefix(label))
        if name and label in computed:
            found[name[1]] = _without_zeros(frames.points[:, [index]])[:, 0, 0] * _MOMENT_NM.get(unit, np.nan)
    if found and unit not in _MOMENT_NM:
        return {}, [f"Moments are in '{unit}', which is no known unit of moments; they were left out."]
    return found, []


def _analog_channels(parameters: Parameters, frames: C3dFrames) -> AnalogChannels | None:
    count = frames.analog.shape[1]
    if not count:
        return None
    names = _padded(texts_of(parameters, "ANALOG", "LABELS"), count, "channel ")
    units = (*texts_of(parameters, "ANALOG", "UNITS"), *[""] * count)[:count]
    return AnalogChannels(unique_labels(names), units, frames.analog_rate_hz, frames.analog)


def _events(parameters: Parameters, first_s: float) -> tuple[GaitEvent, ...]:
    times = numbers_of(parameters, "EVENT", "TIMES")
    if times.ndim != 2 or times.shape[0] != 2:
        return ()
    labels = texts_of(parameters, "EVENT", "LABELS")
    contexts = texts_of(parameters, "EVENT", "CONTEXTS")
    kinds = [_EVENTS.get(label.lower().removeprefix("right ").removeprefix("left ")) for label in labels]
    sides = [_side(f"{context} {label}".lower()) for context, label in zip(contexts, labels, strict=False)]
    seconds = (60.0 * times[0] + times[1] - first_s).tolist()
    told = zip(kinds, sides, seconds, strict=False)
    found = [GaitEvent(kind, side, time_s) for kind, side, time_s in told if kind and side]
    return tuple(sorted(found, key=lambda event: event.time_s))


def _side(words: str) -> Side | None:
    """Return the side that context and label of an event name; RHS is right, LTO is left."""
    short = {"rhs": "right", "rto": "right", "lhs": "left", "lto": "left"}
    words = short.get(words.rsplit(maxsplit=1)[-1] if words.split() else "", words)
    return next((side for name, side in _SIDES.items() if name in words), None)


def _person(parameters: Parameters) -> tuple[float | None, float | None]:
    """Return height and mass where the file tells them; heights may be in metres, centimetres or millimetres."""
    groups = ("PROCESSING", "SUBJECT", "SUBJECTS")
    masses = ("BODYMASS", "MASS", "WEIGHT")
    mass = max(number_of(parameters, group, name, 0.0) for group in groups for name in masses)
    height = max(number_of(parameters, group, "HEIGHT", 0.0) for group in groups)
    heights = [height * unit for unit in (1.0, 1e-2, 1e-3) if 0.5 < height * unit < 2.6]
    return next(iter(heights), None), mass if 5.0 < mass < 300.0 else None
