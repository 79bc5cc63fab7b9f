"""C3D plates: the group FORCE_PLATFORM of a C3D file → force plates in world axes, or why one is not read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.formats.c3d_frames import C3dFrames
from strut.formats.c3d_parameters import Parameters, Raw, number_of, numbers_of, texts_of
from strut.formats.force_plates import CHANNELS, PlateChannels, plate_in_world
from strut.recording import ForcePlate
from strut.robot import Index

GROUP = "FORCE_PLATFORM"
SMALLEST_M2 = 1e-4
_NEWTON_METRES = {"nm", "n.m", "n*m"}


def read_plates(parameters: Parameters, frames: C3dFrames, metres: float) -> tuple[tuple[ForcePlate, ...], list[str]]:
    """Return the plates of a file, and sentences about what was found or changed.

    Args:
        parameters: Of the file.
        frames: Of the file.
        metres: What one unit of its points is.
    """
    kinds = numbers_of(parameters, GROUP, "TYPE").ravel()
    count = min(int(number_of(parameters, GROUP, "USED", len(kinds))), len(kinds))
    found = list[ForcePlate]()
    notes = list[str]()
    for index in range(count):
        entry = _PlateEntry(parameters, frames, metres, index, int(kinds[index]))
        if missing := entry.missing():
            notes.append(f"plate {index + 1}: {missing}")
            continue
        plate, said = plate_in_world(entry.channels())
        found.append(plate)
        notes += said
    return tuple(found), notes


@dataclass(frozen=True, slots=True, eq=False)
class _PlateEntry:
    """One plate of the group."""

    parameters: Parameters
    frames: C3dFrames
    metres: float
    index: int
    kind: int

    def missing(self) -> str:
        """Return why it cannot be read; empty if it can."""
        reasons = {
            f"plates of type {self.kind} are not read.": self.kind not in CHANNELS,
            "the file does not say where it stands.": self.corners().shape != (4, 3) or len(self.origin()) != 3,
            "its channels are not in the file.": not self._has_channels(),
        }
        return next((reason for reason, holds in reasons.items() if holds), "") or self._too_small()

    def _has_channels(self) -> bool:
        own = self.own()
        return len(own) == CHANNELS.get(self.kind, 0) and bool(((own >= 0) & (own < self.frames.analog.shape[1])).all())

    def _too_small(self) -> str:
        corners = self.corners()
        area = np.linalg.norm(np.cross(corners[2] - corners[0], corners[3] - corners[1])) / 2.0
        return "" if area > SMALLEST_M2 else "its corners are no rectangle."

    def _column(self, name: str) -> Raw:
        """Return its entry of a parameter whose last dimension counts plates; empty if there is none."""
        values = numbers_of(self.parameters, GROUP, name)
        return values[..., self.index] if values.ndim and self.index < values.shape[-1] else np.empty(0)

    def corners(self) -> Array:
        """Return its corners [m]. Shape (4, 3)."""
        return np.asarray(self._column("CORNERS").T, dtype=np.float64) * self.metres

    def origin(self) -> Array:
        """Return ORIGIN as the file has it [m]. Shape (3,)."""
        return np.atleast_1d(np.asarray(self._column("ORIGIN"), dtype=np.float64)) * self.metres

    def own(self) -> Index:
        """Return which analog channels are its own, from 0."""
        return np.atleast_1d(np.asarray(self._column("CHANNEL"), dtype=np.intp))[: CHANNELS.get(self.kind, 0)] - 1

    def factors(self) -> Array:
        """Return what makes each channel N, N m or m. Shape (n,)."""
        factors = np.ones(CHANNELS[self.kind])
        if self.kind in (1, 2):
            units = (*texts_of(self.parameters, "ANALOG", "UNITS"), *[""] * self.frames.analog.shape[1])
            factors[3:] = [
                1.0 if units[channel].lower() in _NEWTON_METRES else self.metres for channel in self.own()[3:]
            ]
        if self.kind == 1:
            factors[3:5] = self.metres  # places
        return factors

    def calibration(self) -> Array | None:
        """Return the matrix that makes N and N m of channels, of type 4. Shape (6, 6)."""
        matrix = np.array(self._column("CAL_MATRIX"), dtype=np.float64)
        if self.kind != 4 or matrix.shape != (6, 6):
            return None
        matrix[3:] *= self.metres
        return matrix

    def channels(self) -> PlateChannels:
        """Return it as its channels tell it."""
        return PlateChannels(
            number=self.index + 1,
            kind=self.kind,
            values=self.frames.analog[:, self.own()] * self.factors(),
            rate_hz=self.frames.analog_rate_hz,
            corners_m=self.corners(),
            origin_m=self.origin(),
            calibration=self.calibration(),
        )
