"""Gait track: the path of a body over the ground as pieces of constant twist, each from rest to rest.

A constant twist carries a body to any place and heading (the logarithm of the displacement), so that a goal
is reached exactly; far goals are faced first, walked to, and then the heading is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from strut.arrays import Array
from strut.maths.easing import smooth_step
from strut.place import Place, wrap_angle

RAMP = 1.0  # cycles in which a piece comes up to speed, and in which it stops


@dataclass(frozen=True, slots=True)
class TrackPiece:
    """Travel forwards and to the left [m] and turn to the left [rad] in a steady cycle, and the number of cycles."""

    per_cycle: tuple[float, float, float]
    cycles: int


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a body goes in a cycle at most: forwards and sideways [m], and how far it turns [rad]."""

    forwards_m: float
    sideways_m: float
    turn_rad: float


def pieces_to(start: Place, goals: Sequence[Place], reach: Reach) -> tuple[TrackPiece, ...]:
    """Return the pieces that lead over places to the last of them."""
    pieces: list[TrackPiece] = []
    for here, there in pairwise((start, *goals)):
        pieces += _leg(there.relative_to(here), reach)
    return tuple(pieces) or (TrackPiece((0.0, 0.0, 0.0), 2),)  # who is there already marches on the spot


def _leg(away: Place, reach: Reach) -> list[TrackPiece]:
    """Return the fewest cycles that lead to a place seen from here: at once, or facing it first."""
    turn = wrap_angle(away.heading_rad)
    bearing = math.atan2(away.y_m, away.x_m)
    distance_m = math.hypot(away.x_m, away.y_m)
    at_once = _piece(_twist(away.x_m, away.y_m, turn), reach)
    facing = [(0.0, 0.0, bearing), (distance_m, 0.0, 0.0), (0.0, 0.0, wrap_angle(turn - bearing))]
    in_turn = [piece for travel in facing for piece in _piece(travel, reach)]
    return min(at_once, in_turn, key=lambda pieces: sum(piece.cycles for piece in pieces))


def _piece(travel: tuple[float, float, float], reach: Reach) -> list[TrackPiece]:
    """Return one piece for a whole twist, within reach in every cycle; none for none."""
    x, y, turn = travel
    needed = max(abs(x) / reach.forwards_m, abs(y) / reach.sideways_m, abs(turn) / reach.turn_rad)
    if needed < 1e-9:
        return []
    steady = max(1, math.ceil(needed - 1e-9))
    return [TrackPiece((x / steady, y / steady, turn / steady), steady + 1)]  # its two ramps are worth one cycle


def _twist(x_m: float, y_m: float, turn_rad: float) -> tuple[float, float, float]:
    """Return the twist that carries a body to a place in unit time: the logarithm of a displacement of the plane."""
    half = turn_rad / 2.0
    along = 1.0 if abs(half) < 1e-9 else half / math.tan(half)
    return (along * x_m + half * y_m, -half * x_m + along * y_m, turn_rad)


def envelope(phase: Array, pieces: Sequence[TrackPiece]) -> Array:
    """Return how much of its speed the body has: 0 between pieces. Shape (...) in and out."""
    shown = np.zeros_like(phase)
    begin = 0
    for piece in pieces:
        inside = (phase >= begin) & (phase <= begin + piece.cycles)
        ramp = np.minimum(smooth_step((phase - begin) / RAMP), smooth_step((begin + piece.cycles - phase) / RAMP))
        shown = np.where(inside, ramp, shown)
        begin = begin + piece.cycles
    return np.asarray(shown)


def track(phase: Array, pieces: Sequence[TrackPiece]) -> Array:
    """Return place and heading of the body at phases of the walk: x, y [m], yaw [rad]. Shape (...) in, (..., 3) out."""
    found = np.zeros((*np.shape(phase), 3))
    place = np.zeros(3)
    begin = 0
    for piece in pieces:
        gone = np.clip(_distance_in_cycles(np.asarray(phase) - begin, piece.cycles), 0.0, piece.cycles - RAMP)
        here = _carried(place, np.multiply.outer(gone, piece.per_cycle))
        found = np.where(np.asarray(phase)[..., None] >= begin, here, found)
        place = _carried(place, (piece.cycles - RAMP) * np.array(piece.per_cycle))
        begin += piece.cycles
    return found


def _distance_in_cycles(phase: Array, cycles: int) -> Array:
    """Return how far the body has come since the start of a piece, in steady cycles. Shape (...)."""
    fine = np.linspace(0.0, cycles, 200 * cycles + 1)
    rate = envelope(fine, (TrackPiece((1.0, 0.0, 0.0), cycles),))
    gone = np.concatenate([[0.0], np.cumsum((rate[1:] + rate[:-1]) / 2.0 * np.diff(fine))])
    return np.asarray(np.interp(phase, fine, gone * (cycles - RAMP) / gone[-1]))


def _carried(place: Array, twist: Array) -> Array:
    """Return where a twist carries a place: the exponential. Shapes (3,), (..., 3) in, (..., 3) out."""
    x, y, turn = np.moveaxis(np.asarray(twist), -1, 0)
    small = np.abs(turn) < 1e-9
    safe = np.where(small, 1.0, turn)
    sine = np.where(small, 1.0, np.sin(turn) / safe)
    verse = np.where(small, turn / 2.0, (1.0 - np.cos(turn)) / safe)
    dx = sine * x - verse * y
    dy = verse * x + sine * y
    c = np.cos(place[2])
    s = np.sin(place[2])
    return np.stack([place[0] + c * dx - s * dy, place[1] + s * dx + c * dy, place[2] + turn], axis=-1)
