"""C3D reader: the bytes of a C3D file → recording."""

from __future__ import annotations

import numpy as np

from strut.capture.c3d_frames import C3dFrames, read_frames
from strut.capture.c3d_parameters import (
    C3dDamageError,
    Parameters,
    number_of,
    numbers_of,
    read_header,
    read_parameters,
    texts_of,
)
from strut.capture.force_plates import CHANNELS, PlateChannels, plate_in_world
from strut.capture.marker_labels import unique_labels, without_prefix
from strut.recording import AnalogChannels, EventKind, ForcePlate, GaitEvent, Recording, Side
from strut.robot import Array

METRES = {"mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "m": 1.0, "in": 0.0254, "inch": 0.0254, "inches": 0.0254}
_EVENTS: dict[str, EventKind] = {
    "foot strike": "heel_strike",
    "heel strike": "heel_strike",
    "initial contact": "heel_strike",
    "foot off": "toe_off",
    "toe off": "toe_off",
    "foot flat": "foot_flat",
    "heel off": "heel_off",
}
_SIDES: dict[str, Side] = {"left": "Left", "right": "Right"}


def recording_from_c3d(content: bytes, name: str) -> Recording:
    """Return the recording of a C3D file; raises C3dDamageError with words that fit after the file's name."""
    header = read_header(content)
    parameters, damage = read_parameters(content, header)
    frames = read_frames(content, header, parameters)
    metres, notes = _unit(parameters)
    labels, points = _labels(parameters, frames.points.shape[1])
    analog = _analog_channels(parameters, frames)
    plates, plate_notes = _plates(parameters, frames, metres)
    height_m, mass_kg = _person(parameters)
    return Recording(
        name=name,
        rate_hz=frames.rate_hz,
        marker_names=labels,
        markers_m=frames.points[:, points] * metres,
        residual_m=frames.residual[:, points] * metres,
        analog=analog,
        plates=plates,
        events=_events(parameters, (frames.first_frame - 1) / frames.rate_hz if frames.rate_hz > 0.0 else 0.0),
        height_m=height_m,
        mass_kg=mass_kg,
        notes=(*damage, *notes, *plate_notes),
    )


def _unit(parameters: Parameters) -> tuple[float, list[str]]:
    told = (texts_of(parameters, "POINT", "UNITS") or ("",))[0].lower()
    if told in METRES:
        return METRES[told], [f"Lengths are in {told}."]
    if told:
        raise C3dDamageError(f"gives its points in '{told}', which is no known unit of length.")
    return METRES["mm"], ["Lengths have no unit in the file; mm was taken."]


def _labels(parameters: Parameters, count: int) -> tuple[tuple[str, ...], list[int]]:
    """Return names of the points that have one, without the subject's prefix, and which points these are.

    Points that the laboratory computed (angles, forces, powers, moments) are no markers and left out.
    """
    told = [*texts_of(parameters, "POINT", "LABELS")[:count]]
    told += [f"*{index}" for index in range(len(told), count)]
    computed = {
        without_prefix(label)
        for kind in ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
        for label in texts_of(parameters, "POINT", kind)
    }
    names = [without_prefix(label) or f"*{index}" for index, label in enumerate(told)]
    kept = [index for index, label in enumerate(names) if label not in computed]
    return unique_labels([names[index] for index in kept]), kept


def _analog_channels(parameters: Parameters, frames: C3dFrames) -> AnalogChannels | None:
    count = frames.analog.shape[1]
    if not count:
        return None
    names = [*texts_of(parameters, "ANALOG", "LABELS")[:count]]
    names += [f"channel {index + 1}" for index in range(len(names), count)]
    units = [*texts_of(parameters, "ANALOG", "UNITS")[:count]]
    return AnalogChannels(
        unique_labels([label or f"channel {index + 1}" for index, label in enumerate(names)]),
        (*units, *("" for _ in range(len(units), count))),
        frames.analog_rate_hz,
        frames.analog,
    )


def _plates(parameters: Parameters, frames: C3dFrames, metres: float) -> tuple[tuple[ForcePlate, ...], list[str]]:
    group = "FORCE_PLATFORM"
    kinds = numbers_of(parameters, group, "TYPE").ravel()
    count = min(int(number_of(parameters, group, "USED", len(kinds))), len(kinds))
    corners = numbers_of(parameters, group, "CORNERS")
    origins = numbers_of(parameters, group, "ORIGIN")
    lists = numbers_of(parameters, group, "CHANNEL")
    found, notes = list[ForcePlate](), list[str]()
    for index in range(max(count, 0)):
        kind, wanted = int(kinds[index]), CHANNELS.get(int(kinds[index]), 0)
        if not wanted:
            notes.append(f"plate {index + 1}: plates of type {kind} are not read.")
            continue
        if corners.shape[:2] != (3, 4) or index >= corners.shape[2] or index >= np.atleast_2d(origins).shape[-1]:
            notes.append(f"plate {index + 1}: the file does not say where it stands.")
            continue
        place = corners[..., index].T.astype(np.float64) * metres
        own = np.asarray(lists[:, index] if lists.ndim == 2 and index < lists.shape[1] else [], dtype=int)[:wanted] - 1
        if len(own) < wanted or own.min() < 0 or own.max() >= frames.analog.shape[1] or _area(place) < 1e-4:
            notes.append(f"plate {index + 1}: its channels or corners are not in the file.")
            continue
        plate, said = plate_in_world(
            PlateChannels(
                number=index + 1,
                kind=kind,
                values=frames.analog[:, own] * _factors(parameters, own, kind, metres),
                rate_hz=frames.analog_rate_hz,
                corners_m=place,
                origin_m=np.atleast_2d(origins)[:3, index].astype(np.float64) * metres,
                calibration=_calibration(parameters, index, metres) if kind == 4 else None,
            )
        )
        found.append(plate)
        notes += said
    return tuple(found), notes


def _area(corners_m: Array) -> float:
    return float(np.linalg.norm(np.cross(corners_m[2] - corners_m[0], corners_m[3] - corners_m[1])) / 2.0)


def _factors(parameters: Parameters, channels: Array, kind: int, metres: float) -> Array:
    """Return what makes each channel N, N m or m. Shape (n,)."""
    units = texts_of(parameters, "ANALOG", "UNITS")
    factors = np.ones(len(channels))
    if kind == 4:
        return factors  # volts or counts; the calibration matrix knows
    for place, channel in enumerate(channels):
        told = units[channel].lower() if channel < len(units) else ""
        if kind != 3 and place >= 3:
            is_length = kind == 1 and place < 5
            factors[place] = metres if is_length or told not in {"nm", "n.m", "n*m"} else 1.0
    return factors


def _calibration(parameters: Parameters, index: int, metres: float) -> Array | None:
    """Return the matrix that makes N and N m of channels. Shape (6, 6)."""
    matrices = numbers_of(parameters, "FORCE_PLATFORM", "CAL_MATRIX")
    if matrices.ndim != 3 or matrices.shape[:2] != (6, 6) or index >= matrices.shape[2]:
        return None
    matrix = matrices[..., index].astype(np.float64)
    matrix[3:] *= metres
    return matrix


def _events(parameters: Parameters, first_s: float) -> tuple[GaitEvent, ...]:
    times = numbers_of(parameters, "EVENT", "TIMES")
    labels, contexts = texts_of(parameters, "EVENT", "LABELS"), texts_of(parameters, "EVENT", "CONTEXTS")
    if times.ndim != 2 or times.shape[0] != 2:
        return ()
    found = []
    for (minutes, seconds), label, context in zip(times.T, labels, contexts, strict=False):
        kind, side = _EVENTS.get(label.lower()), _SIDES.get(context.lower())
        if kind and side:
            found.append(GaitEvent(kind, side, float(60.0 * minutes + seconds) - first_s))
    return tuple(sorted(found, key=lambda event: event.time_s))


def _person(parameters: Parameters) -> tuple[float | None, float | None]:
    """Return height and mass where the file tells them; heights above 3 are millimetres or centimetres."""
    mass = number_of(parameters, "PROCESSING", "BODYMASS", 0.0)
    height = number_of(parameters, "PROCESSING", "HEIGHT", 0.0)
    height *= 1e-3 if height > 300.0 else 1e-2 if height > 3.0 else 1.0
    return height if 0.5 < height < 2.6 else None, mass if 5.0 < mass < 300.0 else None
