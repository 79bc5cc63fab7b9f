"""Rigid-body kinematics along a trajectory (MuJoCo): poses, contact points, masses and momentum.

Conventions: positions in world axes; rotations from a frame to world; quaternions wxyz. The qvel of a floating base
holds its linear velocity in world axes and its angular velocity in base axes, as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import get_ident
from typing import Literal

import mujoco
import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.robot import Robot

GRAVITY_M_S2 = 9.81  # MuJoCo's default, which the models keep
FrameKind = Literal["body", "inertia", "site", "geom"]
_FIELDS = {
    "body": ("xpos", "xmat"),
    "inertia": ("xipos", "ximat"),
    "site": ("site_xpos", "site_xmat"),
    "geom": ("geom_xpos", "geom_xmat"),
}


@lru_cache(maxsize=16)
def compile_model(model: mujoco.MjModel | str) -> mujoco.MjModel:
    """Return the compiled model of MJCF text; a compiled model is returned as it is. Copy it before changing it."""
    return mujoco.MjModel.from_xml_string(model) if isinstance(model, str) else model


def scratch_data(model: mujoco.MjModel) -> mujoco.MjData:
    """Return this thread's reusable data for one sweep over positions; new data costs as much as thirty samples.

    The data holds what the last sweep left. Nested sweeps need data of their own.
    """
    return _data_of_thread(model, get_ident())


@lru_cache(maxsize=16)
def _data_of_thread(model: mujoco.MjModel, thread: int) -> mujoco.MjData:  # noqa: ARG001  (part of the cache's key)
    return mujoco.MjData(model)


def sweep(
    model: mujoco.MjModel, data: mujoco.MjData, qpos: Array, qvel: Array | None = None, qacc: Array | None = None
) -> Iterator[int]:
    """Set `data` to each sample in turn, update its kinematics and yield the sample's index.

    With velocities, the centre of mass and spatial velocities are updated too. Callers fetch the attributes of `data`
    before the loop: each access costs a microsecond. Shapes (T, nq), (T, nv), (T, nv).
    """
    positions = data.qpos
    velocities = data.qvel
    accelerations = data.qacc
    for k in range(len(qpos)):
        positions[:] = qpos[k]
        if qacc is not None:
            accelerations[:] = qacc[k]
        mujoco.mj_kinematics(model, data)
        if qvel is not None:
            velocities[:] = qvel[k]
            mujoco.mj_comPos(model, data)
            mujoco.mj_comVel(model, data)
        yield k


def poses(model: mujoco.MjModel, kind: FrameKind, index: Sequence[int], qpos: Array) -> tuple[Array, Array]:
    """Return the poses along a trajectory of n frames of a kind, given by their indices in the model.

    Shape (T, nq) in; origins (T, n, 3) and rotations to world (T, n, 3, 3) out.
    """
    data = scratch_data(model)
    chosen = np.asarray(index, dtype=np.intp)
    origins, rotations = (getattr(data, field) for field in _FIELDS[kind])
    position = np.empty((len(qpos), len(chosen), 3))
    rotation = np.empty((len(qpos), len(chosen), 9))
    for k in sweep(model, data, qpos):
        position[k] = origins[chosen]
        rotation[k] = rotations[chosen]
    return position, rotation.reshape(len(qpos), len(chosen), 3, 3)


def body_poses(model: mujoco.MjModel, names: Sequence[str], qpos: Array) -> tuple[Array, Array]:
    """Return origins and rotations of bodies in world. Shape (T, nq) in, (T, n, 3) and (T, n, 3, 3) out."""
    return poses(model, "body", [model.body(name).id for name in names], qpos)


def point_positions(model: mujoco.MjModel, points: Sequence[tuple[str, Sequence[float]]], qpos: Array) -> Array:
    """Return points in world that are given by body and position in its frame. Shape (T, nq) in, (T, n, 3) out."""
    origin, rotation = body_poses(model, [body for body, _ in points], qpos)
    return np.asarray(origin + np.einsum("tnij,nj->tni", rotation, np.array([point for _, point in points])))


def foot_geoms(robot: Robot) -> dict[int, int]:
    """Return the index of the foot of each geom that is a foot's contact surface.

    A ball or a box is named after the foot's frame, the points of a sole or a line `FRAME_0`, `FRAME_1`, ...
    """
    model = robot.model
    foot_of_geom = dict[int, int]()
    geoms = {model.geom(index).name: index for index in range(model.ngeom)}
    for index, foot in enumerate(robot.feet):
        points = (f"{foot.frame}_{point}" for point in range(len(foot.points)))
        foot_of_geom |= {geoms[name]: index for name in (foot.frame, *points) if name in geoms}
    return foot_of_geom


def joint_anchors(robot: Robot, qpos: Array) -> Array:
    """Return the anchor points of a robot's joint axes in world. Shape (nq,) in, (n_joints, 3) out."""
    model = robot.model
    data = scratch_data(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    return np.array([data.xanchor[model.joint(name).id] for name in robot.joint_names])


def foot_sites(robot: Robot) -> Index:
    """Return the indices of the sites that are the feet's frames. Shape (n,)."""
    return np.array([robot.model.site(foot.frame).id for foot in robot.feet], dtype=np.intp)


def foot_positions(robot: Robot, qpos: Array) -> Array:
    """Return the centres of the feet in world. Shape (T, nq) in, (T, n_feet, 3) out."""
    return poses(robot.model, "site", foot_sites(robot).tolist(), qpos)[0]


def foot_contact_points(robot: Robot, qpos: Array) -> Array:
    """Return the contact points of the feet, loaded or not. Shape (T, nq) in, (T, n_points, 3) out."""
    return points_of_feet(robot, *poses(robot.model, "site", foot_sites(robot).tolist(), qpos))


def points_of_feet(robot: Robot, foot_in_world: Array, foot_rotation: Array) -> Array:
    """Return the contact points of feet. Shapes (T, n_feet, 3), (T, n_feet, 9) in, (T, n_points, 3) out."""
    below = np.array([(0.0, 0.0, foot.radius_m) for foot in robot.feet]).reshape(-1, 3)
    foot_of_point = list(robot.point_feet)
    offset = contact_point_offsets(robot, foot_rotation)
    return np.asarray(foot_in_world[:, foot_of_point] + offset - below[foot_of_point])


def contact_point_offsets(robot: Robot, foot_rotation: Array) -> Array:
    """Return the vectors from feet to their contact points, in world axes. (T, n_feet, 9) in, (T, n_points, 3) out."""
    in_frame = np.array([(x, y, 0.0) for foot in robot.feet for x, y in foot.outline_m]).reshape(-1, 3)
    rotation = foot_rotation.reshape(len(foot_rotation), -1, 3, 3)[:, list(robot.point_feet)]
    return np.asarray(np.einsum("tpij,pj->tpi", rotation, in_frame))


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """The robot's bodies as point masses.

    Args:
        mass_kg: Shape (n,).
        limb: Index of the foot at the end of each body's limb; -1 for the trunk. Shape (n,).
        centre_in_world: Centres of mass. Shape (T, n, 3).
    """

    mass_kg: Array
    limb: npt.NDArray[np.int_]
    centre_in_world: Array


def point_masses(robot: Robot, qpos: Array) -> Masses:
    """Return the point masses of the robot along a motion. Shape (T, nq)."""
    model = robot.model
    limb = np.full(model.nbody, -1)
    for index, foot in enumerate(robot.feet):
        body = int(model.site_bodyid[model.site(foot.frame).id])
        while model.body_parentid[body] != 0:
            limb[body] = index
            body = int(model.body_parentid[body])
    centres, _ = poses(robot.model, "inertia", range(1, model.nbody), qpos)
    return Masses(model.body_mass[1:].copy(), limb[1:], centres)


def linear_momentum(model: mujoco.MjModel, qpos: Array, qvel: Array) -> Array:
    """Return the linear momentum of the whole body in world [N s]. Shapes (T, nq), (T, nv) in, (T, 3) out."""
    data = mujoco.MjData(model)
    momentum = np.empty((len(qpos), 3))
    for k in sweep(model, data, qpos, qvel):
        mujoco.mj_subtreeVel(model, data)
        momentum[k] = model.body_subtreemass[1] * data.subtree_linvel[1]
    return momentum


def body_geoms(model: mujoco.MjModel) -> list[int]:
    """Return the indices of all geoms that do not belong to the world."""
    return [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] != 0]
