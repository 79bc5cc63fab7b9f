"""Foot paths: smooth paths of heels and toes, the speed of the walk, and the velocity of a treadmill belt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import BadRecordingError
from strut.kinematics.treadmill import belt_velocity
from strut.maths.sampling import low_pass
from strut.mocap.markers.gaps import find_runs
from strut.recording import SIDES, Recording, Side, are_seen

CUTOFF_HZ = 20.0  # of the low-pass filter; no benchmark
MIN_RUN = 16  # frames that the filter needs
HEELS = ("HEE", "FT3", "ANK", "MMAL", "ANKLE")  # in order of preference, after the letter of the side
TOES = ("TOE", "MT5", "FT1", "FT2", "BALL", "TIP", "ANK", "MMAL")
ON_THE_HEEL = {"HEE", "FT3"}
ON_THE_ANKLE = {"ANK", "MMAL"}
MIN_SEEN = 0.8  # a marker is preferred if it is seen in this share of the frames of the best seen one; chosen by eye
LOW_M = 0.015  # a foot this close to its lowest height may stand; chosen by eye
REST_M_S = 0.2  # a foot slower than this may stand; chosen by eye
_PELVIS = ("LASI", "RASI", "LPSI", "RPSI", "SACR", "LHIP", "RHIP", "RPV1", "RPV2", "RPV3")


@dataclass(frozen=True, slots=True, eq=False)
class FootPath:
    """One foot.

    Args:
        side: Right or Left.
        heel_m: Marker on the heel, or on the ankle where there is none. Shape (T, 3).
        toe_m: Marker on the forefoot, or on the ankle where there is none. Shape (T, 3).
        heel_speed_m_s: Over the ground, horizontal. Shape (T,).
        toe_speed_m_s: Over the ground, all three axes. Shape (T,).
        on_heel: Whether `heel_m` is on the heel.
        on_toe: Whether `toe_m` is on the forefoot.
    """

    side: Side
    heel_m: Array
    toe_m: Array
    heel_speed_m_s: Array
    toe_speed_m_s: Array
    on_heel: bool
    on_toe: bool

    def at_rest(self) -> npt.NDArray[np.bool_]:
        """Return when heel and toes are low and do not move over the ground. Shape (T,)."""
        with np.errstate(invalid="ignore"):
            is_slow = (self.heel_speed_m_s < REST_M_S) & (self.toe_speed_m_s < REST_M_S)
            return np.asarray(is_slow & _is_low(self.heel_m) & _is_low(self.toe_m))


@dataclass(frozen=True, slots=True, eq=False)
class WalkingPaths:
    """Both feet, the walking speed over the ground, and the velocity of the belt (zero on a floor). Shape (3,)."""

    rate_hz: float
    feet: tuple[FootPath, ...]
    speed_m_s: float
    belt_m_s: Array


def walking_paths(recording: Recording) -> WalkingPaths:
    """Return the paths of the feet of a recording in our axes with markers named by landmark.

    Raises:
        BadRecordingError: If a foot or the pelvis has no marker, or none for long enough.
    """
    rate_hz = recording.rate_hz
    pelvis = _smooth(_mean_path(recording, [name for name in _PELVIS if name in recording.marker_names]), rate_hz)
    ends = {side: (_best_path(recording, side, HEELS), _best_path(recording, side, TOES)) for side in SIDES}
    belt = _belt_velocity(pelvis, {side: (heel[1], toe[1]) for side, (heel, toe) in ends.items()}, rate_hz)
    feet = []
    for side in SIDES:
        (heel_kind, heel), (toe_kind, toe) = ends[side]
        foot = FootPath(
            side=side,
            heel_m=heel,
            toe_m=toe,
            heel_speed_m_s=np.linalg.norm((_velocity(heel, rate_hz) - belt)[:, :2], axis=1),
            toe_speed_m_s=np.linalg.norm(_velocity(toe, rate_hz) - belt, axis=1),
            on_heel=heel_kind in ON_THE_HEEL,
            on_toe=toe_kind not in ON_THE_ANKLE,
        )
        feet.append(foot)
    over_ground = _velocity(pelvis, rate_hz) - belt
    speed_m_s = float(np.nanmedian(np.linalg.norm(over_ground[:, :2], axis=1)))
    return WalkingPaths(rate_hz, tuple(feet), speed_m_s, belt)


def _mean_path(recording: Recording, names: Sequence[str]) -> Array:
    seen = [name for name in names if np.isfinite(recording.marker(name)).any()]
    if not seen:
        raise BadRecordingError(f"{recording.name}: no marker of the pelvis is seen.")
    return np.asarray(recording.markers(seen).mean(axis=1))


def _best_path(recording: Recording, side: str, kinds: Sequence[str]) -> tuple[str, Array]:
    """Return the first kind of marker that is seen about as long as any of them, and its smooth path."""
    names = {kind: f"{side[0]}{kind}" for kind in kinds if f"{side[0]}{kind}" in recording.marker_names}
    paths = {kind: _smooth(recording.marker(name), recording.rate_hz) for kind, name in names.items()}
    seen_share = {kind: float(are_seen(path).mean()) for kind, path in paths.items()}
    if not any(seen_share.values()):
        raise BadRecordingError(
            f"{recording.name}: no marker on the {side.lower()} foot is seen for long ({', '.join(kinds)})."
        )
    kind = next(kind for kind in paths if seen_share[kind] >= MIN_SEEN * max(seen_share.values()))
    return kind, paths[kind]


def _smooth(path: Array, rate_hz: float) -> Array:
    """Return a path after a zero-lag low-pass filter, run by run; NaN where a run is too short. Shape (T, 3)."""
    result = np.full_like(path, np.nan)
    for first, last in find_runs(are_seen(path)):
        if last - first + 1 >= MIN_RUN:
            result[first : last + 1] = low_pass(path[first : last + 1], CUTOFF_HZ, rate_hz)
    return result


def _velocity(path: Array, rate_hz: float) -> Array:
    return np.asarray(np.gradient(path, 1.0 / rate_hz, axis=0))


def _is_low(path: Array) -> npt.NDArray[np.bool_]:
    """Return when a marker is about as low as it ever gets. Shape (T, 3) in, (T,) out."""
    height = path[:, 2]
    return np.asarray(height < np.nanpercentile(height, 5) + LOW_M)


def _belt_velocity(pelvis: Array, ends: Mapping[str, tuple[Array, Array]], rate_hz: float) -> Array:
    """Return the velocity of the ground, from feet that are low. Shape (3,)."""
    pelvis_velocity = np.nanmedian(_velocity(pelvis, rate_hz), axis=0)
    low_velocities = []
    for pair in ends.values():
        for path in pair:
            velocity = _velocity(path, rate_hz)
            with np.errstate(invalid="ignore"):
                is_low = _is_low(path) & (np.abs(velocity[:, 2]) < 0.1)  # m/s; neither lands nor leaves
            low_velocities.append(velocity[is_low])
    standing_feet = np.median(np.concatenate(low_velocities), axis=0)
    return np.append(belt_velocity(pelvis_velocity[:2], standing_feet[:2]), 0.0)
