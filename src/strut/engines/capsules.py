"""Capsules: how far apart two limbs are, each a rod with a radius. Negative where they overlap."""

from __future__ import annotations

import numpy as np

from strut.engines.rigid_body import point_positions
from strut.errors import UnknownNameError
from strut.robot import Array, Robot

_NOTHING = 1e-12  # a squared length or its square that is as good as 0


def capsule_distance(robot: Robot, qpos: Array, first: str, second: str) -> Array:
    """Return the distance between the surfaces of two capsules of a robot [m]. Shape (T, nq) in, (T,) out."""
    capsules = robot.contacts.capsule
    for name in (first, second):
        if name not in capsules:
            raise UnknownNameError("capsule", name, tuple(capsules), f"{robot.name}'s contact.toml")
    both = [capsules[name] for name in (first, second)]
    points = [(capsule.segment, end) for capsule in both for end in (capsule.from_m, capsule.to_m)]
    ends = point_positions(robot.model, points, qpos).transpose(1, 0, 2)
    return np.asarray(segment_distance(*ends) - sum(capsule.radius_m for capsule in both))


def segment_distance(start: Array, stop: Array, other_start: Array, other_stop: Array) -> Array:
    """Return the distance between two straight segments in space, which may be points. Shapes (T, 3) in, (T,) out.

    Ericson, Real-Time Collision Detection (2005), section 5.1.9: the nearest point of the first line, the nearest to it
    of the other segment, and the nearest to that of the first.
    """
    along, other, between = stop - start, other_stop - other_start, start - other_start
    a, b, c = _dot(along, along), _dot(along, other), _dot(other, other)
    d, e = _dot(along, between), _dot(other, between)
    spread = a * c - b * b  # 0 of parallel segments: then any point of the first line will do
    s = np.where(spread > _NOTHING, np.clip((b * e - c * d) / np.maximum(spread, _NOTHING), 0.0, 1.0), 0.0)
    t = np.clip((b * s + e) / np.maximum(c, _NOTHING), 0.0, 1.0)
    s = np.clip((b * t - d) / np.maximum(a, _NOTHING), 0.0, 1.0)
    return np.asarray(np.linalg.norm(between + s[:, None] * along - t[:, None] * other, axis=1))


def _dot(one: Array, other: Array) -> Array:
    return np.asarray(np.einsum("ti,ti->t", one, other))
