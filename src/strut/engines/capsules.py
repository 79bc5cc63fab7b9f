"""Capsules: how far apart two limbs are, each a rod with a radius. Negative where they overlap."""

from __future__ import annotations

import numpy as np

from strut.engines.rigid_body import body_poses
from strut.errors import UnknownNameError
from strut.robot import Array, Robot


def capsule_distance(robot: Robot, qpos: Array, first: str, second: str) -> Array:
    """Return the distance between the surfaces of two capsules of a robot [m]. Shape (T, nq) in, (T,) out."""
    capsules = robot.table("contact")["capsule"]
    for name in (first, second):
        if name not in capsules:
            raise UnknownNameError("capsule", name, tuple(capsules), f"{robot.name}'s contact.toml")
    ends = [_ends(robot, capsules[name], qpos) for name in (first, second)]
    apart = segment_distance(*ends[0], *ends[1])
    return np.asarray(apart - capsules[first]["radius_m"] - capsules[second]["radius_m"])


def segment_distance(start: Array, stop: Array, other_start: Array, other_stop: Array) -> Array:
    """Return the distance between two straight segments in space. Shapes (T, 3) in, (T,) out.

    The nearest points are inside both segments, or at an end of one of them: the smallest of all five cases.
    """
    along, other, between = stop - start, other_stop - other_start, start - other_start
    a, b, c = _dot(along, along), _dot(along, other), _dot(other, other)
    d, e = _dot(along, between), _dot(other, between)
    spread = a * c - b * b
    safe = np.where(spread > 1e-12, spread, 1.0)
    s = np.where(spread > 1e-12, (b * e - c * d) / safe, -1.0)  # parallel segments: an end is as near as any point
    t = np.where(spread > 1e-12, (a * e - b * d) / safe, -1.0)
    inside = (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    crossing = np.linalg.norm(between + s[:, None] * along - t[:, None] * other, axis=1)
    cases = [
        np.where(inside, crossing, np.inf),
        _to_segment(start, other_start, other_stop),
        _to_segment(stop, other_start, other_stop),
        _to_segment(other_start, start, stop),
        _to_segment(other_stop, start, stop),
    ]
    return np.asarray(np.min(cases, axis=0))


def _to_segment(point: Array, start: Array, stop: Array) -> Array:
    along = stop - start
    share = np.clip(_dot(point - start, along) / _dot(along, along), 0.0, 1.0)
    return np.asarray(np.linalg.norm(point - start - share[:, None] * along, axis=1))


def _dot(one: Array, other: Array) -> Array:
    return np.asarray(np.sum(one * other, axis=-1))


def _ends(robot: Robot, capsule: dict[str, object], qpos: Array) -> tuple[Array, Array]:
    place, turn = (part[:, 0] for part in body_poses(robot.mjcf, [str(capsule["segment"])], qpos))
    return place + turn @ np.array(capsule["from_m"]), place + turn @ np.array(capsule["to_m"])
