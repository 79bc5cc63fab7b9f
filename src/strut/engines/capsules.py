"""Capsules: how far apart two limbs are, each a rod with a radius. Negative where they overlap."""

from __future__ import annotations

import numpy as np

from strut.engines.rigid_body import body_poses
from strut.errors import UnknownNameError
from strut.robot import Array, Robot

_NOTHING = 1e-12  # a squared length or its square that is as good as 0


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


def _ends(robot: Robot, capsule: dict[str, object], qpos: Array) -> tuple[Array, Array]:
    place, turn = (part[:, 0] for part in body_poses(robot.model, [str(capsule["segment"])], qpos))
    return place + turn @ np.array(capsule["from_m"]), place + turn @ np.array(capsule["to_m"])
