"""C3D plates: the group FORCE_PLATFORM of a C3D file → force plates in world axes, or why one is not read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, Index
from strut.formats.c3d_frames import C3dFrames
from strut.formats.c3d_parameters import Parameters, Raw, number_of, numbers_of, texts_of
from strut.formats.force_plates import CHANNELS, PlateChannels, plate_in_world
from strut.recording import ForcePlate

GROUP = "FORCE_PLATFORM"
MIN_AREA_M2 = 1e-4
_NEWTON_METRES = {"nm", "n.m", "n*m"}


def read_plates(parameters: Parameters, frames: C3dFrames, metres: float) -> tuple[tuple[ForcePlate, ...], list[str]]:
    """Return the plates in a file, and notes about what was found out or changed.

    Args:
        parameters: Of the file.
        frames: Of the file.
        metres: In one unit of its points.
    """
    kinds = numbers_of(parameters, GROUP, "TYPE").ravel()
    count = min(int(number_of(parameters, GROUP, "USED", len(kinds))), len(kinds))
    plates = list[ForcePlate]()
    notes = list[str]()
    for index in range(count):
        entry = _PlateEntry(parameters, frames, metres, index, int(kinds[index]))
        if reason := entry.unreadable_because():
            notes.append(f"plate {index + 1}: {reason}")
            continue
        plate, plate_notes = plate_in_world(entry.channels())
        plates.append(plate)
        notes += plate_notes
    return tuple(plates), notes


@dataclass(frozen=True, slots=True, eq=False)
class _PlateEntry:
    """One plate of the group."""

    parameters: Parameters
    frames: C3dFrames
    metres: float
    index: int
    kind: int

    def unreadable_because(self) -> str:
        """Return why it cannot be read; empty if it can."""
        corners_m = self.corners_m()
        own = self.channel_numbers()
        if self.kind not in CHANNELS:
            return f"plates of type {self.kind} are not read."
        if corners_m.shape != (4, 3) or len(self.origin_m()) != 3:
            return "the file does not say where it stands."
        if len(own) != CHANNELS[self.kind] or not ((own >= 0) & (own < self.frames.analog.shape[1])).all():
            return "its channels are not in the file."
        area_m2 = np.linalg.norm(np.cross(corners_m[2] - corners_m[0], corners_m[3] - corners_m[1])) / 2.0
        return "" if area_m2 > MIN_AREA_M2 else "its corners are no rectangle."

    def _column(self, name: str) -> Raw:
        """Return its entry of a parameter whose last dimension counts plates; empty if there is none."""
        values = numbers_of(self.parameters, GROUP, name)
        return values[..., self.index] if values.ndim and self.index < values.shape[-1] else np.empty(0)

    def corners_m(self) -> Array:
        """Return its corners. Shape (4, 3)."""
        return np.asarray(self._column("CORNERS").T, dtype=np.float64) * self.metres

    def origin_m(self) -> Array:
        """Return ORIGIN as the file has it. Shape (3,)."""
        return np.atleast_1d(np.asarray(self._column("ORIGIN"), dtype=np.float64)) * self.metres

    def channel_numbers(self) -> Index:
        """Return which analog channels are its own, from 0."""
        return np.atleast_1d(np.asarray(self._column("CHANNEL"), dtype=np.intp))[: CHANNELS.get(self.kind, 0)] - 1

    def channels(self) -> PlateChannels:
        """Return its channels in N, N m and m."""
        own = self.channel_numbers()
        factors = np.ones(CHANNELS[self.kind])
        if self.kind in (1, 2):
            units = (*texts_of(self.parameters, "ANALOG", "UNITS"), *[""] * self.frames.analog.shape[1])
            are_nm = [units[channel].lower() in _NEWTON_METRES for channel in own[3:]]
            factors[3:] = np.where(are_nm, 1.0, self.metres)
        if self.kind == 1:
            factors[3:5] = self.metres  # the centre of pressure
        calibration = np.array(self._column("CAL_MATRIX"), dtype=np.float64)
        has_calibration = self.kind == 4 and calibration.shape == (6, 6)
        if has_calibration:
            calibration[3:] *= self.metres
        return PlateChannels(
            number=self.index + 1,
            kind=self.kind,
            values=self.frames.analog[:, own] * factors,
            rate_hz=self.frames.analog_rate_hz,
            corners_m=self.corners_m(),
            origin_m=self.origin_m(),
            calibration=calibration if has_calibration else None,
        )
