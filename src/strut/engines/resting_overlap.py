"""Resting overlap: pairs of geoms that overlap in the posture in which a robot stands, and those around joints."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.arrays import Array

MAX_DISTANCE_M = 1e3  # larger than any robot: distances are never cut off
_ONE_PLACE_M = 0.001  # between joint axes that meet in one place, and from that place to the shapes that contain it
_POINT_M = 1e-6  # radius of a sphere that stands for a point
_ANCHOR_WEIGHT = 1e-6  # keeps the place on parallel axes between their anchors; 0 would leave it undetermined


@dataclass(frozen=True, slots=True)
class RestingOverlap:
    """Two geoms that overlap in the standing posture and are not of neighbours.

    Args:
        geoms: The two geoms.
        bodies: Names of their bodies.
        distance_m: Their distance, which is negative.
        is_joined: Whether the axes of all joints between the two meet in one place that lies in both shapes: then they
            overlap there in every posture, as neighbours do.
    """

    geoms: tuple[int, int]
    bodies: tuple[str, str]
    distance_m: float
    is_joined: bool


def find_resting_overlaps(
    model: mujoco.MjModel, standing: Array, pairs: Iterable[tuple[int, int]], *, deeper_than_m: float = 0.0
) -> tuple[RestingOverlap, ...]:
    """Return which pairs of geoms overlap in the standing configuration, shape (nq,), by more than a depth."""
    data = mujoco.MjData(model)
    data.qpos[:] = standing
    mujoco.mj_kinematics(model, data)
    found = []
    for one, other in pairs:
        distance_m = mujoco.mj_geomDistance(model, data, one, other, MAX_DISTANCE_M, None)
        if distance_m < -deeper_than_m:
            bodies = (model.body(model.geom_bodyid[one]).name, model.body(model.geom_bodyid[other]).name)
            found.append(RestingOverlap((one, other), bodies, distance_m, _are_joined(model, data, one, other)))
    return tuple(found)


def _are_joined(model: mujoco.MjModel, data: mujoco.MjData, one: int, other: int) -> bool:
    """Return whether the axes of the joints between two geoms meet in one place that lies in both."""
    joints = _joints_between(model, int(model.geom_bodyid[one]), int(model.geom_bodyid[other]))
    if (model.jnt_type[joints] != mujoco.mjtJoint.mjJNT_HINGE).any():
        return False
    across = np.eye(3) - data.xaxis[joints][:, :, None] * data.xaxis[joints][:, None, :]  # (n, 3, 3)
    anchor = data.xanchor[joints]
    weight = across + _ANCHOR_WEIGHT * np.eye(3)
    place = np.linalg.solve(weight.sum(axis=0), np.einsum("nij,nj->i", weight, anchor))
    beside_m = np.linalg.norm(np.einsum("nij,nj->ni", across, place - anchor), axis=1)
    if beside_m.max() > _ONE_PLACE_M:
        return False
    return all(_distance_to(model, data, geom, place) < _ONE_PLACE_M for geom in (one, other))


def _joints_between(model: mujoco.MjModel, one: int, other: int) -> list[int]:
    """Return the joints on the path from one body to another."""
    between = set(_path_to_root(model, one)) ^ set(_path_to_root(model, other))
    return [
        joint
        for body in between
        for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])
    ]


def _path_to_root(model: mujoco.MjModel, body: int) -> list[int]:
    path = [body]
    while path[-1]:
        path.append(int(model.body_parentid[path[-1]]))
    return path


def _distance_to(model: mujoco.MjModel, data: mujoco.MjData, geom: int, place: Array) -> float:
    """Return the distance of a place (3,) from the surface of a geom, negative inside."""
    probe_model = copy.copy(model)
    point = 1 if geom == 0 else 0  # any other geom becomes the point
    probe_model.geom_type[point] = mujoco.mjtGeom.mjGEOM_SPHERE
    probe_model.geom_size[point] = (_POINT_M, 0.0, 0.0)
    probe = mujoco.MjData(probe_model)
    probe.geom_xpos[:] = data.geom_xpos
    probe.geom_xmat[:] = data.geom_xmat
    probe.geom_xpos[point] = place
    return float(mujoco.mj_geomDistance(probe_model, probe, geom, point, MAX_DISTANCE_M, None))
