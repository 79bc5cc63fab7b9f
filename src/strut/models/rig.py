"""Rig: a robot's joints as the bones of an animator, and the visible parts of the body on each of them.

A bone turns about its own x axis by the angle of its joint since the rest pose; its y axis points along it. The first
bone is the base, with the axes of its body: forward, left and up. Axes depend on the body and not on the pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array, frozen_array
from strut.errors import BadTableError
from strut.models.solid_mesh import MOST_FACES, lightened
from strut.models.solids import LEAST_OPACITY, Mesh, Solid, seen_geoms, solid_poses, solids
from strut.robot import FLOATING, Robot

MIN_BONE_M = 0.02  # a shorter bone can be neither seen nor grasped
BASE_BONE_SHARE = 0.15  # length of the base's bone over the extent of all bones


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """Bones of a robot; n of them, the base first, each parent before its children.

    Args:
        robot: Name of whom they move.
        fingerprint: Of its body.
        names: Base, then the joints. Length n.
        parents: Number of the bone that carries each; -1 for the base. Length n.
        start_m: Where each begins at rest, in world. Shape (n, 3).
        rotation: Its axes at rest, in world. Shape (n, 3, 3).
        length_m: How long it is drawn. Shape (n,).
        qpos: Coordinates at rest. Shape (nq,).
        base_size: Coordinates before the joints.
    """

    robot: str
    fingerprint: str
    names: tuple[str, ...]
    parents: tuple[int, ...]
    start_m: Array
    rotation: Array
    length_m: Array
    qpos: Array
    base_size: int

    def __post_init__(self) -> None:
        for name in ("start_m", "rotation", "length_m", "qpos"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The bones that are joints, in the order of the coordinates."""
        return self.names[1:]

    def local(self, bone: int) -> tuple[Array, Array]:
        """Return where a bone begins and its axes at rest, seen from its parent. Shapes (3,) and (3, 3)."""
        parent = self.parents[bone]
        if parent < 0:
            return self.start_m[bone], self.rotation[bone]
        to_parent = self.rotation[parent].T
        return to_parent @ (self.start_m[bone] - self.start_m[parent]), to_parent @ self.rotation[bone]

    def frames(self, qpos: Array) -> tuple[Array, Array]:
        """Return where bones begin and their axes in world. Shape (T, nq) in; (T, n, 3) and (T, n, 3, 3) out."""
        place = np.empty((len(qpos), len(self.names), 3))
        turn = np.empty((len(qpos), len(self.names), 3, 3))
        place[:, 0], turn[:, 0] = self._base(qpos)
        angle = qpos[:, self.base_size :] - self.qpos[self.base_size :]
        for bone in range(1, len(self.names)):
            parent = self.parents[bone]
            offset_m, rest = self.local(bone)
            place[:, bone] = place[:, parent] + turn[:, parent] @ offset_m
            turn[:, bone] = turn[:, parent] @ rest @ Rotation.from_euler("x", angle[:, [bone - 1]]).as_matrix()
        return place, turn

    def _base(self, qpos: Array) -> tuple[Array, Array]:
        """Return the base's bone. Shape (T, nq) in; (T, 3) and (T, 3, 3) out."""
        place = np.tile(self.start_m[0], (len(qpos), 1))
        if self.base_size == FLOATING:
            return qpos[:, :3], Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True).as_matrix()
        if self.base_size:
            place[:, :2] += qpos[:, :2] - self.qpos[:2]
            yaw = qpos[:, [2]] - self.qpos[2]
            return place, Rotation.from_euler("z", yaw).as_matrix() @ self.rotation[0]
        return place, np.tile(self.rotation[0], (len(qpos), 1, 1))

    def coordinates(self, place_m: Array, rotation: Array) -> Array:
        """Return the coordinates of a robot whose bones are somewhere. (T, n, 3), (T, n, 3, 3) in, (T, nq) out."""
        qpos = np.tile(self.qpos, (len(place_m), 1))
        if self.base_size == FLOATING:
            body = Rotation.from_matrix(rotation[:, 0])
            qpos[:, :3] = place_m[:, 0]
            qpos[:, 3:FLOATING] = body.as_quat(canonical=True, scalar_first=True)
        elif self.base_size:
            qpos[:, :2] += place_m[:, 0, :2] - self.start_m[0, :2]
            qpos[:, 2] += Rotation.from_matrix(rotation[:, 0] @ self.rotation[0].T).as_euler("ZYX")[:, 0]
        angle = self.own_turns(rotation)[:, :, 0]
        qpos[:, self.base_size :] += np.unwrap(angle, axis=0)
        return qpos

    def own_turns(self, rotation: Array) -> Array:
        """Return how joints are turned since rest, as rotation vectors in own axes. (T, n, 3, 3) in, (T, m, 3) out."""
        turns = []
        for bone in range(1, len(self.names)):
            rest = self.local(bone)[1]
            seen = np.swapaxes(rotation[:, self.parents[bone]] @ rest, 1, 2) @ rotation[:, bone]
            turns.append(Rotation.from_matrix(seen).as_rotvec())
        return np.stack(turns, axis=1)

    def misplaced_m(self, place_m: Array, rotation: Array) -> Array:
        """Return how far bones begin from where their parents carry them. Shapes as above in, (T, n) out."""
        away = np.zeros(place_m.shape[:2])
        for bone in range(1, len(self.names)):
            parent = self.parents[bone]
            carried = place_m[:, parent] + rotation[:, parent] @ self.local(bone)[0]
            away[:, bone] = np.linalg.norm(place_m[:, bone] - carried, axis=1)
        return away


def build_rig(robot: Robot, qpos: Array | None = None) -> Rig:
    """Return the bones of a robot at rest in a posture, by default as it stands. Shape (nq,)."""
    model = robot.model
    rest = np.array(robot.standing_qpos if qpos is None else qpos)
    data = mujoco.MjData(model)
    data.qpos[:] = rest
    mujoco.mj_kinematics(model, data)
    joints = [model.joint(name).id for name in robot.joint_names]
    if any(model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_HINGE for joint in joints):
        raise BadTableError(f"{robot.name} has a joint that is no hinge; bones turn about one axis each.")
    base = base_body(robot)
    parents = (-1, *(_carrier(model, joint, joints) for joint in joints))
    start = np.array([data.xpos[base], *(data.xanchor[joint] for joint in joints)])
    towards = [_end(model, data, bone, parents, start, joints) for bone in range(1, len(start))]
    own = data.xmat[base].reshape(3, 3)
    rotation = [own]
    for bone, (joint, end) in enumerate(zip(joints, towards, strict=True), start=1):
        rotation.append(_axes(data.xaxis[joint], end, _directions(model, data, bone, parents, joints)))
    length = [float(abs(rotation[k + 1][:, 1] @ end)) for k, end in enumerate(towards)]
    return Rig(
        robot=robot.name,
        fingerprint=robot.fingerprint,
        names=(model.body(base).name, *robot.joint_names),
        parents=parents,
        start_m=start,
        rotation=np.array(rotation),
        length_m=np.maximum([BASE_BONE_SHARE * float(np.ptp(start, axis=0).max()), *length], MIN_BONE_M),
        qpos=rest,
        base_size=robot.base_size,
    )


def base_body(robot: Robot) -> int:
    """Return the number of the body that carries the first joints and that coordinates before them move."""
    model = robot.model
    first = model.joint(robot.joint_names[0]).id
    body = int(model.body_parentid[model.jnt_bodyid[first]])
    while model.body_parentid[body] > 0:
        body = int(model.body_parentid[body])
    return body if robot.base_size else 0


@dataclass(frozen=True, slots=True, eq=False)
class BonePart:
    """A visible part of the body: its bone, shape and colour; offset and rotation in the bone's axes."""

    bone: int
    solid: Solid
    offset_m: Array
    rotation: Array

    def vertices_m(self, mesh: Mesh) -> Array:
        """Return the vertices of the part's mesh in the bone's axes. Shape (n, 3)."""
        return np.asarray(mesh.vertices @ self.rotation.T + self.offset_m)


def bone_parts(rig: Rig, robot: Robot) -> list[BonePart]:
    """Return the visible parts of a robot on the bones of its rig."""
    place, turn = solid_poses(robot, rig.qpos[None])
    parts = []
    seen = lightened(solids(robot), MOST_FACES)
    for index, (solid, bone) in enumerate(zip(seen, solid_bones(robot), strict=True)):
        if solid.color[3] >= LEAST_OPACITY:
            to_bone = rig.rotation[bone].T
            offset_m = to_bone @ (place[0, index] - rig.start_m[bone])
            parts.append(BonePart(bone, solid, offset_m, to_bone @ turn[0, index]))
    return parts


def solid_bones(robot: Robot) -> tuple[int, ...]:
    """Return the bone that carries each of the robot's `solids`."""
    model = robot.model
    joints = [model.joint(name).id for name in robot.joint_names]
    return tuple(_carrying_bone(model, int(model.geom_bodyid[geom]), joints) for geom in seen_geoms(model))


def foot_bones(robot: Robot) -> tuple[int, ...]:
    """Return the bone that carries each of the robot's feet."""
    model = robot.model
    joints = [model.joint(name).id for name in robot.joint_names]
    bodies = [int(model.site_bodyid[model.site(foot.frame).id]) for foot in robot.feet]
    return tuple(_carrying_bone(model, body, joints) for body in bodies)


def _carrier(model: mujoco.MjModel, joint: int, joints: list[int]) -> int:
    """Return the bone that carries a joint: the one before it on the same body, or the last of the bodies above."""
    body = int(model.jnt_bodyid[joint])
    before = [other for other in joints if model.jnt_bodyid[other] == body and other < joint]
    return 1 + joints.index(max(before)) if before else _carrying_bone(model, int(model.body_parentid[body]), joints)


def _carrying_bone(model: mujoco.MjModel, body: int, joints: list[int]) -> int:
    while body > 0:
        own = [joint for joint in joints if model.jnt_bodyid[joint] == body]
        if own:
            return 1 + joints.index(max(own))
        body = int(model.body_parentid[body])
    return 0


def _end(
    model: mujoco.MjModel, data: mujoco.MjData, bone: int, parents: tuple[int, ...], start: Array, joints: list[int]
) -> Array:
    """Return the way from where a bone begins to its end: the next joint, or the middle of its parts. Shape (3,)."""
    children = [k for k, parent in enumerate(parents) if parent == bone]
    if children:
        return np.asarray(start[children].mean(axis=0) - start[bone])
    geoms = [g for g in range(model.ngeom) if _carrying_bone(model, int(model.geom_bodyid[g]), joints) == bone]
    return np.asarray(data.geom_xpos[geoms].mean(axis=0) - start[bone]) if geoms else np.zeros(3)


def _directions(
    model: mujoco.MjModel, data: mujoco.MjData, bone: int, parents: tuple[int, ...], joints: list[int]
) -> list[Array]:
    """Return directions that move along with a bone, for one without length: axes of the next joints, of its body."""
    children = [joints[k - 1] for k, parent in enumerate(parents) if parent == bone]
    body = data.xmat[model.jnt_bodyid[joints[bone - 1]]].reshape(3, 3)
    return [*(data.xaxis[joint] for joint in children), *body.T]


def _axes(axis: Array, towards: Array, others: list[Array]) -> Array:
    """Return the axes of a bone: x about which it turns, y as far as possible where it points. Shape (3, 3)."""
    for direction in (towards, *others):
        across = direction - (direction @ axis) * axis
        if np.linalg.norm(across) > 1e-3:
            break
    along = across / np.linalg.norm(across)
    return np.column_stack([axis, along, np.cross(axis, along)])
