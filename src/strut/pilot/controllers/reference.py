"""References that the controllers track, standing or walking, and the requests of which a sequence consists."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from scipy.interpolate import CubicSpline

from strut.arrays import Array, frozen_array
from strut.errors import OutOfRangeError
from strut.plumbing.argument_types import coerce_fields
from strut.schemas.control import CommandRange
from strut.simulation.attitude import Triple

ZERO: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class StandReference:
    """Desired pose of the base, relative to the feet, with its derivatives.

    Args:
        place_m: Centre of mass forward and left of the middle of the soles; height of the base above the ground.
        turn_rad: Roll, pitch, yaw; yaw relative to the mean heading of the feet.
        place_m_s: Rate of `place_m`.
        turn_rad_s: Rate of `turn_rad`.
        place_m_s2: Rate of `place_m_s`.
        turn_rad_s2: Rate of `turn_rad_s`.
    """

    place_m: Triple
    turn_rad: Triple = ZERO
    place_m_s: Triple = ZERO
    turn_rad_s: Triple = ZERO
    place_m_s2: Triple = ZERO
    turn_rad_s2: Triple = ZERO


@dataclass(frozen=True, slots=True)
class WalkReference:
    """Desired gait: mean speed forward and left in the walk's heading, turning rate, height and pitch of the base.

    `lift` is the clearance of the swing foot, relative to the usual clearance.
    """

    forward_m_s: float
    left_m_s: float
    turn_rad_s: float
    height_m: float
    height_m_s: float = 0.0
    pitch_rad: float = 0.0
    lift: float = 1.0


Reference = StandReference | WalkReference


@dataclass(frozen=True, slots=True)
class StandRequest:
    """Move to a pose of the base and hold it for a time; without a height, that of the standing robot."""

    hold_s: float = 1.0
    height_m: float | None = None
    forward_m: float = 0.0
    left_m: float = 0.0
    turn_rad: Triple = ZERO

    def goal(self, standing_height_m: float) -> StandReference:
        """Return the desired pose, at rest."""
        height_m = standing_height_m if self.height_m is None else self.height_m
        return StandReference((self.forward_m, self.left_m, height_m), self.turn_rad)


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """Walk for a distance or a duration, exactly one of them; without a height, at that of the standing robot."""

    forward_m_s: float = 0.0
    left_m_s: float = 0.0
    turn_rad_s: float = 0.0
    height_m: float | None = None
    distance_m: float | None = None
    duration_s: float | None = None
    pitch_rad: float = 0.0
    lift: float = 1.0

    def goal(self, standing_height_m: float) -> WalkReference:
        """Return the desired gait."""
        return WalkReference(
            self.forward_m_s,
            self.left_m_s,
            self.turn_rad_s,
            standing_height_m if self.height_m is None else self.height_m,
            pitch_rad=self.pitch_rad,
            lift=self.lift,
        )


@dataclass(frozen=True, slots=True, eq=False)
class PlayRequest:
    """Track a trajectory of the base over planted feet, such as that of an animation.

    Args:
        time_s: Times, increasing from 0. Shape (T,).
        place_m: Position as in `StandReference`. Shape (T, 3).
        turn_rad: Attitude as in `StandReference`. Shape (T, 3).
        name: Title for people.
    """

    time_s: Array
    place_m: Array
    turn_rad: Array
    name: str = "animation"

    def __post_init__(self) -> None:
        for name in ("time_s", "place_m", "turn_rad"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))
        rows = (len(self.time_s), 3)
        if len(self.time_s) < 2 or self.place_m.shape != rows or self.turn_rad.shape != rows:
            raise OutOfRangeError(
                f"The movement '{self.name}' needs at least two times, and a position and an attitude for each."
            )
        if self.time_s[0] != 0.0 or (np.diff(self.time_s) <= 0.0).any():
            raise OutOfRangeError(f"The times of the movement '{self.name}' do not increase from 0.")
        if not (np.isfinite(self.place_m).all() and np.isfinite(self.turn_rad).all()):
            raise OutOfRangeError(f"The movement '{self.name}' holds a number that is not finite.")

    @property
    def duration_s(self) -> float:
        """Time of the last sample."""
        return float(self.time_s[-1])


class BaseTrajectory:
    """A trajectory of the base as a smooth function of time, at rest at both ends."""

    def __init__(self, movement: PlayRequest) -> None:
        values = np.concatenate([movement.place_m, movement.turn_rad], axis=1)
        self._spline = CubicSpline(movement.time_s, values, bc_type="clamped")
        self._rate = self._spline.derivative()
        self._bend = self._spline.derivative(2)
        self._end = movement.duration_s

    def at(self, time_s: float) -> StandReference:
        """Return the reference at a time; after the end, the last pose at rest."""
        values = self._spline(min(time_s, self._end)).tolist()
        if time_s >= self._end:
            return StandReference(_triple(values[:3]), _triple(values[3:]))
        rates = self._rate(time_s).tolist()
        bends = self._bend(time_s).tolist()
        parts = (values[:3], values[3:], rates[:3], rates[3:], bends[:3], bends[3:])
        return StandReference(*(_triple(part) for part in parts))


PilotRequest = StandRequest | WalkRequest | PlayRequest


def _triple(values: list[float]) -> Triple:
    x, y, z = values
    return x, y, z


def check_request(request: PilotRequest, command: CommandRange, standing_height_m: float) -> None:
    """Raise OutOfRangeError if a request is outside the command range of a robot of this height."""
    coerce_fields(request)
    match request:
        case StandRequest():
            height = request.goal(standing_height_m).place_m[2]
            _check("standing height", height, command.standing_height_m, "m")
            _check("time to hold", request.hold_s, (0.0, 3600.0), "s")
        case PlayRequest():
            for height in (request.place_m[:, 2].min(), request.place_m[:, 2].max()):
                _check(f"height in '{request.name}'", float(height), command.standing_height_m, "m")
        case WalkRequest():
            _check("speed forward", request.forward_m_s, command.forward_m_s, "m/s")
            _check("speed sideways", request.left_m_s, command.sideways_m_s, "m/s")
            _check("turning rate", request.turn_rad_s, command.turn_rad_s, "rad/s")
            _check("walking height", request.goal(standing_height_m).height_m, command.walking_height_m, "m")
            _check("pitch of a walk", request.pitch_rad, command.walking_pitch_rad, "rad")
            _check("lift of the feet", request.lift, command.lift, "times the usual")
            _check_end(request)
    numbers = [getattr(request, field.name) for field in fields(request)]
    if any(isinstance(value, float) and not np.isfinite(value) for value in numbers):
        raise OutOfRangeError("A request holds a number that is not finite.")


def _check_end(walk: WalkRequest) -> None:
    if (walk.distance_m is None) == (walk.duration_s is None):
        raise OutOfRangeError("A walk needs a distance or a duration, and not both.")
    if walk.duration_s is not None:
        _check_above_0("time to walk", walk.duration_s, 3600.0, "s")
    if walk.distance_m is not None:  # not 0: every walk takes at least one step, which covers some centimetres
        _check_above_0("distance to walk", walk.distance_m, 1000.0, "m")
    if walk.distance_m is not None and walk.forward_m_s == 0.0 and walk.left_m_s == 0.0:
        raise OutOfRangeError("A walk over a distance needs a speed; give one, or a duration.")


def _check_above_0(what: str, value: float, maximum: float, unit: str) -> None:
    if not 0.0 < value <= maximum:
        raise OutOfRangeError(f"The {what} is {value:g} {unit}; it must be above 0 and at most {maximum:g} {unit}.")


def _check(what: str, value: float, bounds: tuple[float, float], unit: str) -> None:
    lowest, highest = bounds
    if not lowest <= value <= highest:
        raise OutOfRangeError(f"The {what} is {value:g} {unit}; it must be from {lowest:g} to {highest:g} {unit}.")


LocomotionMode = Literal["standing", "walking"]
Source = Literal["animation", "radio"]
