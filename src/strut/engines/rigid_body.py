"""MuJoCo's forward kinematics along a trajectory: one loop over samples, and what is read in it.

Conventions: positions in world axes; rotations from a frame to world; quaternions wxyz; of a floating base, qvel holds
the linear velocity in world axes and the angular velocity in base axes, as MuJoCo has it.
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

GRAVITY_M_S2 = 9.81  # the engine's own
FrameKind = Literal["body", "inertia", "site", "geom"]
_FIELDS = {
    "body": ("xpos", "xmat"),
    "inertia": ("xipos", "ximat"),
    "site": ("site_xpos", "site_xmat"),
    "geom": ("geom_xpos", "geom_xmat"),
}


@lru_cache(maxsize=16)
def compile_model(model: mujoco.MjModel | str) -> mujoco.MjModel:
    """Return a model, compiled if it is still MJCF text. Callers that change it must copy it first."""
    return mujoco.MjModel.from_xml_string(model) if isinstance(model, str) else model


def scratch_data(model: mujoco.MjModel) -> mujoco.MjData:
    """Return data for one sweep that asks for places alone: to make new ones costs as much as thirty samples.

    They are this thread's and hold what the last sweep left; a sweep that stops half-way for another needs its own.
    """
    return _data_of_thread(model, get_ident())


@lru_cache(maxsize=16)
def _data_of_thread(model: mujoco.MjModel, thread: int) -> mujoco.MjData:  # noqa: ARG001  (tells threads apart)
    return mujoco.MjData(model)


def sweep(
    model: mujoco.MjModel, data: mujoco.MjData, qpos: Array, qvel: Array | None = None, qacc: Array | None = None
) -> Iterator[int]:
    """Bring `data` to one sample after the other and yield its number: the one loop over samples.

    Kinematics are up to date; with velocities, the centre of mass and spatial velocities, too. Callers read views of
    `data` that they have looked up before: a look-up costs a microsecond. Shapes (T, nq), (T, nv), (T, nv).
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
    """Return where n frames of a kind, by their numbers in the model, are along a trajectory.

    Shape (T, nq) in; origins (T, n, 3) and rotations to world (T, n, 3, 3) out.
    """
    data = scratch_data(model)
    chosen = np.asarray(index, dtype=np.intp)
    place, turn = (getattr(data, field) for field in _FIELDS[kind])
    position = np.empty((len(qpos), len(chosen), 3))
    rotation = np.empty((len(qpos), len(chosen), 9))
    for k in sweep(model, data, qpos):
        position[k] = place[chosen]
        rotation[k] = turn[chosen]
    return position, rotation.reshape(len(qpos), len(chosen), 3, 3)


def body_poses(model: mujoco.MjModel, names: Sequence[str], qpos: Array) -> tuple[Array, Array]:
    """Return origins and rotations of bodies in world. Shape (T, nq) in, (T, n, 3) and (T, n, 3, 3) out."""
    return poses(model, "body", [model.body(name).id for name in names], qpos)


def point_positions(model: mujoco.MjModel, points: Sequence[tuple[str, Sequence[float]]], qpos: Array) -> Array:
    """Return where points of bodies, given by body and place in its frame, are. Shape (T, nq) in, (T, n, 3) out."""
    place, turn = body_poses(model, [body for body, _ in points], qpos)
    return np.asarray(place + np.einsum("tnij,nj->tni", turn, np.array([point for _, point in points])))


def foot_geoms(robot: Robot) -> dict[int, int]:
    """Return the geoms that touch the ground for a foot, by number, each with the number of its foot.

    A ball or a box is called as the foot's frame, the points of a sole or a line `FRAME_0`, `FRAME_1`, ...
    """
    model = robot.model
    found = dict[int, int]()
    names = {model.geom(index).name: index for index in range(model.ngeom)}
    for index, foot in enumerate(robot.feet):
        points = (f"{foot.frame}_{point}" for point in range(len(foot.points)))
        found |= {names[name]: index for name in (foot.frame, *points) if name in names}
    return found


def joint_anchors(robot: Robot, qpos: Array) -> Array:
    """Return where the axes of a robot's joints are in world. Shape (nq,) in, (n_joints, 3) out."""
    model = robot.model
    data = scratch_data(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    return np.array([data.xanchor[model.joint(name).id] for name in robot.joint_names])


def foot_sites(robot: Robot) -> Index:
    """Return the numbers of the sites that are frames of feet. Shape (n,)."""
    return np.array([robot.model.site(foot.frame).id for foot in robot.feet], dtype=np.intp)


def _foot_poses(robot: Robot, qpos: Array) -> tuple[Array, Array]:
    return poses(robot.model, "site", foot_sites(robot).tolist(), qpos)


def foot_positions(robot: Robot, qpos: Array) -> Array:
    """Return the centres of the feet in world. Shape (T, nq) in, (T, n_feet, 3) out."""
    return _foot_poses(robot, qpos)[0]


def foot_contact_points(robot: Robot, qpos: Array) -> Array:
    """Return where the feet touch, or would touch, the ground. Shape (T, nq) in, (T, n_points, 3) out."""
    return points_of_feet(robot, *_foot_poses(robot, qpos))


def points_of_feet(robot: Robot, foot_in_world: Array, foot_rotation: Array) -> Array:
    """Return the contact points. Shapes (T, n_feet, 3), (T, n_feet, 9) in, (T, n_points, 3) out."""
    below = np.array([(0.0, 0.0, foot.radius_m) for foot in robot.feet]).reshape(-1, 3)
    owner = list(robot.point_feet)
    return np.asarray(foot_in_world[:, owner] + contact_point_offsets(robot, foot_rotation) - below[owner])


def contact_point_offsets(robot: Robot, foot_rotation: Array) -> Array:
    """Return where contact points are from their feet's frames, in world axes. (T, n_feet, 9) in, (T, n_points, 3)."""
    in_frame = np.array([(x, y, 0.0) for foot in robot.feet for x, y in foot.outline_m]).reshape(-1, 3)
    rotation = foot_rotation.reshape(len(foot_rotation), -1, 3, 3)[:, list(robot.point_feet)]
    return np.asarray(np.einsum("tpij,pj->tpi", rotation, in_frame))


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """The robot's bodies as point masses.

    Args:
        mass_kg: Shape (n,).
        limb: Which foot's limb each body belongs to; -1 for what carries the limbs. Shape (n,).
        centre_in_world: Centres of mass. Shape (T, n, 3).
    """

    mass_kg: Array
    limb: npt.NDArray[np.int_]
    centre_in_world: Array


def point_masses(robot: Robot, qpos: Array) -> Masses:
    """Return where the masses of the robot are along a motion. Shape (T, nq)."""
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
    """Return the momentum of the whole body in world [N s]. Shapes (T, nq), (T, nv) in, (T, 3) out."""
    data = mujoco.MjData(model)
    momentum = np.empty((len(qpos), 3))
    for k in sweep(model, data, qpos, qvel):
        mujoco.mj_subtreeVel(model, data)
        momentum[k] = model.body_subtreemass[1] * data.subtree_linvel[1]
    return momentum


def body_geoms(model: mujoco.MjModel) -> list[int]:
    """Return the numbers of all geoms that are not the world's."""
    return [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] != 0]
