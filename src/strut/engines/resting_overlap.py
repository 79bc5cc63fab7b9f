"""Resting overlap: pairs of geoms that overlap in the posture in which a robot stands, and those around joints."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.arrays import Array

_MAX_DISTANCE_M = 1e3  # larger than any robot
_ONE_PLACE_M = 0.001  # between joint axes that meet in one place, and from that place to the shapes that contain it
_POINT_M = 1e-6  # radius of a sphere that stands for a point
_LOOSE = 1e-6  # weight that keeps the place on parallel axes between their anchors


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
        distance_m = mujoco.mj_geomDistance(model, data, one, other, _MAX_DISTANCE_M, None)
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
    weighed = across + _LOOSE * np.eye(3)
    place = np.linalg.solve(weighed.sum(axis=0), np.einsum("nij,nj->i", weighed, anchor))
    beside_m = np.linalg.norm(np.einsum("nij,nj->ni", across, place - anchor), axis=1)
    if beside_m.max() > _ONE_PLACE_M:
        return False
    return all(_distance_to(model, data, geom, place) < _ONE_PLACE_M for geom in (one, other))


def _joints_between(model: mujoco.MjModel, one: int, other: int) -> list[int]:
    """Return the joints on the way from one body to another."""
    ways = [_way_to_root(model, body) for body in (one, other)]
    return [
        joint
        for body in set(ways[0]) ^ set(ways[1])
        for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])
    ]


def _way_to_root(model: mujoco.MjModel, body: int) -> list[int]:
    way = [body]
    while way[-1]:
        way.append(int(model.body_parentid[way[-1]]))
    return way


def _distance_to(model: mujoco.MjModel, data: mujoco.MjData, geom: int, place: Array) -> float:
    """Return the distance of a place (3,) from the surface of a geom, negative inside."""
    pointed = copy.copy(model)
    other = 1 if geom == 0 else 0  # any other geom becomes the point
    pointed.geom_type[other] = mujoco.mjtGeom.mjGEOM_SPHERE
    pointed.geom_size[other] = (_POINT_M, 0.0, 0.0)
    there = mujoco.MjData(pointed)
    there.geom_xpos[:] = data.geom_xpos
    there.geom_xmat[:] = data.geom_xmat
    there.geom_xpos[other] = place
    return float(mujoco.mj_geomDistance(pointed, there, geom, other, _MAX_DISTANCE_M, None))
