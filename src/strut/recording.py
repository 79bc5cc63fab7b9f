"""Recording: markers, analog channels, force plates and events of a gait laboratory, in metres and seconds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, frozen_array
from strut.errors import BadRecordingError

Side = Literal["Right", "Left"]
SIDES: tuple[Side, Side] = ("Right", "Left")
_SIDE_WORDS: dict[str, Side] = {
    **dict.fromkeys(("r", "right", "droit", "droite", "rechts"), "Right"),
    **dict.fromkeys(("l", "left", "gauche", "links"), "Left"),
}
EventKind = Literal["heel_strike", "foot_flat", "heel_off", "toe_off"]
MAX_RATE_HZ = 1e5  # no laboratory samples faster
MAX_DISTANCE_M = 1e3  # of a marker from the origin; beyond, the unit of the file must be wrong


@dataclass(frozen=True, slots=True)
class GaitEvent:
    """An event of a foot, at a time since the first frame of its recording."""

    kind: EventKind
    side: Side
    time_s: float


@dataclass(frozen=True, slots=True, eq=False)
class AnalogChannels:
    """Sampled analog signals, such as voltages and forces.

    Args:
        names: Of the channels.
        units: One for each channel, as in the file; empty if unknown.
        rate_hz: Samples per second.
        values: In those units. Shape (S, n).
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    rate_hz: float
    values: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen_array(self.values))
        if self.values.ndim != 2 or self.values.shape[1] != len(self.names) or len(self.units) != len(self.names):
            raise BadRecordingError(
                f"{len(self.names)} analog channels do not fit values of shape {self.values.shape}."
            )
        _check_rate(self.rate_hz, "analog channels")

    def channel(self, name: str) -> Array:
        """Return the samples of one channel; raises BadRecordingError. Shape (S,)."""
        if name not in self.names:
            raise BadRecordingError(f"There is no analog channel '{name}'; there are {', '.join(self.names)}.")
        return self.values[:, self.names.index(name)]


@dataclass(frozen=True, slots=True, eq=False)
class ForcePlate:
    """The ground reaction on a force plate, in world axes.

    Args:
        name: Of the plate.
        rate_hz: Samples per second; the first belongs to the first frame of the markers.
        force_n: Of the ground on the body. Shape (S, 3).
        moment_nm: Of the ground on the body, about the middle of the plate's surface. Shape (S, 3).
        cop_m: Centre of pressure; NaN while the plate is unloaded. Shape (S, 3).
        corners_m: Of the surface. Shape (4, 3).
    """

    name: str
    rate_hz: float
    force_n: Array
    moment_nm: Array
    cop_m: Array
    corners_m: Array

    def __post_init__(self) -> None:
        samples = len(self.force_n)
        for name, shape in (("force_n", 0), ("moment_nm", 0), ("cop_m", 0), ("corners_m", 4)):
            values = frozen_array(getattr(self, name))
            if values.shape != (shape or samples, 3):
                raise BadRecordingError(f"{name} of the plate {self.name} has shape {values.shape}.")
            object.__setattr__(self, name, values)
        _check_rate(self.rate_hz, f"plate {self.name}")

    @property
    def time_s(self) -> Array:
        """Of the samples. Shape (S,)."""
        return np.arange(len(self.force_n)) / self.rate_hz

    @property
    def centre_m(self) -> Array:
        """Centre of the surface. Shape (3,)."""
        return np.asarray(self.corners_m.mean(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Markers of a recording trial, with all other measurements.

    Args:
        name: Of the trial.
        rate_hz: Frames per second.
        marker_names: One for each marker, without the subject's prefix; unique.
        markers_m: In world; NaN where a marker was not seen. Shape (T, n, 3).
        residual_m: Disagreement of the cameras on each marker, if known. Shape (T, n).
        analog: Analog channels, if there are any.
        plates: Force plates.
        events: Of the file, in order of time.
        height_m: Of the person, if known.
        mass_kg: Of the person, if known.
        moments_nm_kg: Of the laboratory's own inverse dynamics about the flexion axes of LAnkle, RKnee and so on, over
            the body mass; NaN where there are none. Shape (T,) each.
        notes: Assumptions and changes of the reader: units, axes, offsets, filled gaps.
    """

    name: str
    rate_hz: float
    marker_names: tuple[str, ...]
    markers_m: Array
    residual_m: Array | None = None
    analog: AnalogChannels | None = None
    plates: tuple[ForcePlate, ...] = ()
    events: tuple[GaitEvent, ...] = ()
    height_m: float | None = None
    mass_kg: float | None = None
    moments_nm_kg: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        frames = len(self.markers_m)
        return f"<Recording {self.name}: {len(self.marker_names)} markers, {frames} frames at {self.rate_hz:g} Hz>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "marker_names", tuple(self.marker_names))
        markers = np.asarray(self.markers_m)
        count = len(self.marker_names)
        if markers.ndim != 3 or markers.shape[1:] != (count, 3):
            raise BadRecordingError(f"{count} marker names do not fit markers of shape {markers.shape}.")
        if len(set(self.marker_names)) != count:
            twice = next(name for k, name in enumerate(self.marker_names) if name in self.marker_names[:k])
            raise BadRecordingError(f"There are two markers {twice}.")
        if np.isinf(markers).any() or (np.abs(markers[np.isfinite(markers)]) > MAX_DISTANCE_M).any():
            raise BadRecordingError(
                f"A marker is farther away than {MAX_DISTANCE_M:g} m; the unit of the file must be wrong."
            )
        object.__setattr__(self, "markers_m", frozen_array(markers))
        if self.residual_m is not None:
            object.__setattr__(self, "residual_m", frozen_array(self.residual_m))
            if self.residual_m.shape != markers.shape[:2]:
                raise BadRecordingError(f"Residuals of shape {self.residual_m.shape} do not fit the markers.")
        _check_rate(self.rate_hz, "markers")

    @property
    def time_s(self) -> Array:
        """Of the frames; the first is 0. Shape (T,)."""
        return np.arange(len(self.markers_m)) / self.rate_hz

    @property
    def duration_s(self) -> float:
        """From the first frame to the last."""
        return max(len(self.markers_m) - 1, 0) / self.rate_hz

    def marker(self, name: str) -> Array:
        """Return the path of one marker in world; raises BadRecordingError. Shape (T, 3)."""
        return self.markers([name])[:, 0]

    def markers(self, names: Sequence[str]) -> Array:
        """Return the paths of markers in world; raises BadRecordingError. Shape (T, len(names), 3)."""
        missing = [name for name in names if name not in self.marker_names]
        if missing:
            raise BadRecordingError(f"{self.name} has no marker {', '.join(missing)}.")
        return self.markers_m[:, [self.marker_names.index(name) for name in names]]


def are_seen(positions_m: Array) -> npt.NDArray[np.bool_]:
    """Return which positions have all three coordinates. Shape (..., 3) in, (...) out."""
    return np.asarray(np.isfinite(positions_m).all(axis=-1))


def channel_sides(names: Sequence[str]) -> list[Side | None]:
    """Return the side of each channel, by its name.

    The first or last word names it (`L Gast`, `left_TA`, `RF L`, `Soleus Droit`), or the first letter if all names
    begin with R or L (`LTRE`).
    """
    all_have_letter = len(names) > 1 and all(name[:1] in {"R", "L"} for name in names)
    return [_side_by_word(name) or (_SIDE_WORDS.get(name[:1].lower()) if all_have_letter else None) for name in names]


def _side_by_word(name: str) -> Side | None:
    """Return the side that the first or the last word of a name means."""
    words = re.split(r"[\s_.:#-]+", name.lower())
    return (_SIDE_WORDS.get(words[0]) or _SIDE_WORDS.get(words[-1])) if len(words) > 1 else None


def _check_rate(rate_hz: float, what: str) -> None:
    if not 0.0 < rate_hz <= MAX_RATE_HZ:  # also catches NaN
        raise BadRecordingError(f"The rate of the {what} is {rate_hz:g} Hz; it must be in (0, {MAX_RATE_HZ:g}] Hz.")
