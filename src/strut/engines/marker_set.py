"""MuJoCo as a dummy for markers: where those of a robot's `markers.toml` are in a posture. Our nouns in, arrays out."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from strut.errors import BadTableError
from strut.robot import Array, Robot


def marker_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the markers a robot wears, in the order of `marker_points`."""
    return tuple(name for places in _segments(robot).values() for name in places)


def marker_points(robot: Robot, qpos: Array) -> Array:
    """Return where a robot's markers are in world. Shape (T, nq) in, (T, n, 3) out."""
    model = robot.model
    data = mujoco.MjData(model)
    bodies, places = _places(robot, model)
    points = np.empty((len(qpos), len(bodies), 3))
    for k, sample in enumerate(qpos):
        data.qpos[:] = sample
        mujoco.mj_kinematics(model, data)
        points[k] = data.xpos[bodies] + np.einsum("nij,nj->ni", data.xmat[bodies].reshape(-1, 3, 3), places)
    return points


def _segments(robot: Robot) -> Mapping[str, Mapping[str, list[float]]]:
    segments: Mapping[str, Mapping[str, list[float]]] = robot.table("markers")["segment"]
    return segments


def _places(robot: Robot, model: mujoco.MjModel) -> tuple[list[int], Array]:
    """Return the body of each marker and its place in that body's frame [m]. Lengths n, shape (n, 3)."""
    bodies, places = [], []
    for segment, own in _segments(robot).items():
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, segment)
        if body < 0:
            raise BadTableError(f"{robot.name}: markers.toml names a segment {segment} that the body does not have.")
        for name, place in own.items():
            if np.shape(place) != (3,) or not np.isfinite(place).all():
                raise BadTableError(f"{robot.name}: the marker {name} needs three finite coordinates.")
            bodies.append(body)
            places.append(place)
    return bodies, np.array(places)
