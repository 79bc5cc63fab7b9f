"""Gait track: the path of a body over the ground as pieces of constant twist, each from rest to rest.

A constant twist carries a body to any planar pose (it is the logarithm of the displacement), so a goal is reached
exactly. To a far goal, the body turns towards it, walks, and turns to the final heading.
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

RAMP = 1.0  # cycles in which a piece comes up to speed, and in which it stops: feet can change pace once per cycle
SMALL_TURN_RAD = 1e-9  # below it, curvature is lost in rounding, so the limit for a straight line is used


@dataclass(frozen=True, slots=True)
class TrackPiece:
    """Travel forwards and to the left [m] and turn to the left [rad] in a steady cycle, and the number of cycles."""

    per_cycle: tuple[float, float, float]
    cycles: int


@dataclass(frozen=True, slots=True)
class Reach:
    """Largest travel in a cycle forwards and sideways [m], and largest turn [rad]."""

    forwards_m: float
    sideways_m: float
    turn_rad: float


def pieces_to(start: Place, goals: Sequence[Place], reach: Reach) -> tuple[TrackPiece, ...]:
    """Return the pieces that lead from `start` through the goals; two cycles on the spot if it is the goal already."""
    pieces: list[TrackPiece] = []
    for here, there in pairwise((start, *goals)):
        pieces += _pieces_between(there.relative_to(here), reach)
    return tuple(pieces) or (TrackPiece((0.0, 0.0, 0.0), 2),)


def _pieces_between(displacement: Place, reach: Reach) -> list[TrackPiece]:
    """Return the fewest cycles for a displacement: by one twist, or by a turn towards the goal, a walk, and a turn."""
    turn = wrap_angle(displacement.heading_rad)
    bearing = math.atan2(displacement.y_m, displacement.x_m)
    distance_m = math.hypot(displacement.x_m, displacement.y_m)
    one_twist = _piece(_twist(displacement.x_m, displacement.y_m, turn), reach)
    turn_walk_turn = [
        *_piece((0.0, 0.0, bearing), reach),
        *_piece((distance_m, 0.0, 0.0), reach),
        *_piece((0.0, 0.0, wrap_angle(turn - bearing)), reach),
    ]
    return min(one_twist, turn_walk_turn, key=lambda pieces: sum(piece.cycles for piece in pieces))


def _piece(travel: tuple[float, float, float], reach: Reach) -> list[TrackPiece]:
    """Return one piece for a twist, within reach in every cycle; no piece for no travel."""
    x, y, turn = travel
    needed = max(abs(x) / reach.forwards_m, abs(y) / reach.sideways_m, abs(turn) / reach.turn_rad)  # cycles
    rounding = 1e-9  # cycles
    if needed < rounding:
        return []
    steady = max(1, math.ceil(needed - rounding))
    return [TrackPiece((x / steady, y / steady, turn / steady), steady + 1)]  # its two ramps count as one cycle


def _twist(x_m: float, y_m: float, turn_rad: float) -> tuple[float, float, float]:
    """Return the twist that causes a planar displacement in unit time: the logarithm in SE(2)."""
    half = turn_rad / 2.0
    along = 1.0 if abs(half) < SMALL_TURN_RAD else half / math.tan(half)
    return (along * x_m + half * y_m, -half * x_m + along * y_m, turn_rad)


def envelope(phase: Array, pieces: Sequence[TrackPiece]) -> Array:
    """Return the share of its steady speed that the body has; 0 between pieces. Shape (...) in and out."""
    share = np.zeros_like(phase)
    begin = 0
    for piece in pieces:
        end = begin + piece.cycles
        is_inside = (phase >= begin) & (phase <= end)
        ramps = np.minimum(smooth_step((phase - begin) / RAMP), smooth_step((end - phase) / RAMP))
        share = np.where(is_inside, ramps, share)
        begin = end
    return np.asarray(share)


def track(phase: Array, pieces: Sequence[TrackPiece]) -> Array:
    """Return the pose of the body at phases of the walk: x, y [m], yaw [rad]. Shape (...) in, (..., 3) out."""
    phase = np.asarray(phase)
    poses = np.zeros((*np.shape(phase), 3))
    pose = np.zeros(3)
    begin = 0
    for piece in pieces:
        steady_cycles = piece.cycles - RAMP
        travelled = np.clip(_steady_cycles_travelled(phase - begin, piece.cycles), 0.0, steady_cycles)
        poses_in_piece = _apply_twist(pose, np.multiply.outer(travelled, piece.per_cycle))
        poses = np.where(phase[..., None] >= begin, poses_in_piece, poses)
        pose = _apply_twist(pose, steady_cycles * np.array(piece.per_cycle))
        begin += piece.cycles
    return poses


def _steady_cycles_travelled(phase: Array, cycles: int) -> Array:
    """Return the travel since the start of a piece, in that of a steady cycle. Shape (...)."""
    fine = np.linspace(0.0, cycles, 200 * cycles + 1)
    rate = envelope(fine, (TrackPiece((1.0, 0.0, 0.0), cycles),))
    travelled = np.concatenate([[0.0], np.cumsum((rate[1:] + rate[:-1]) / 2.0 * np.diff(fine))])
    return np.asarray(np.interp(phase, fine, travelled * (cycles - RAMP) / travelled[-1]))


def _apply_twist(pose: Array, twist: Array) -> Array:
    """Return the pose after a twist in unit time: the exponential in SE(2). Shapes (3,), (..., 3) in, (..., 3) out."""
    x, y, turn = np.moveaxis(np.asarray(twist), -1, 0)
    is_straight = np.abs(turn) < SMALL_TURN_RAD
    divisor = np.where(is_straight, 1.0, turn)
    sine_over_turn = np.where(is_straight, 1.0, np.sin(turn) / divisor)
    versine_over_turn = np.where(is_straight, turn / 2.0, (1.0 - np.cos(turn)) / divisor)
    dx = sine_over_turn * x - versine_over_turn * y
    dy = versine_over_turn * x + sine_over_turn * y
    cosine = np.cos(pose[2])
    sine = np.sin(pose[2])
    return np.stack([pose[0] + cosine * dx - sine * dy, pose[1] + sine * dx + cosine * dy, pose[2] + turn], axis=-1)
