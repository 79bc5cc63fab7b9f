"""Rig: the joints of a robot as bones of an animation program, with the visible parts of the body on them.

A bone turns about its own x axis by the angle of its joint since the rest pose; its y axis points along the bone. The
first bone is the base, with the axes of its body: forward, left and up. Bone axes do not depend on the rest pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array, frozen_array
from strut.errors import BadTableError
from strut.models.solid_mesh import MAX_FACES, simplify_solids
from strut.models.solids import MIN_OPACITY, Mesh, Solid, solid_poses, solids, visible_geoms
from strut.robot import FLOATING, Robot

MIN_BONE_M = 0.02  # a shorter bone is too small to see and select
BASE_BONE_SHARE = 0.15  # length of the base bone, as a share of the extent of all bones


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """Bones of a robot; n of them, the base first, each parent before its children.

    Args:
        robot: Name of the robot.
        fingerprint: Fingerprint of its body.
        names: Base, then the joints. Length n.
        parents: Index of the parent of each bone; -1 for the base. Length n.
        start_m: Heads of the bones at rest, in world. Shape (n, 3).
        rotation: Axes of the bones at rest, in world. Shape (n, 3, 3).
        length_m: Displayed lengths. Shape (n,).
        qpos: Configuration at rest. Shape (nq,).
        base_size: Number of coordinates before the joints.
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
        """Return head and axes of a bone at rest, in the frame of its parent. Shapes (3,) and (3, 3)."""
        parent = self.parents[bone]
        if parent < 0:
            return self.start_m[bone], self.rotation[bone]
        to_parent = self.rotation[parent].T
        return to_parent @ (self.start_m[bone] - self.start_m[parent]), to_parent @ self.rotation[bone]

    def frames(self, qpos: Array) -> tuple[Array, Array]:
        """Return heads and axes of the bones in world. Shape (T, nq) in; (T, n, 3) and (T, n, 3, 3) out."""
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
        """Return head and axes of the base bone. Shape (T, nq) in; (T, 3) and (T, 3, 3) out."""
        place = np.tile(self.start_m[0], (len(qpos), 1))
        if self.base_size == FLOATING:
            return qpos[:, :3], Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True).as_matrix()
        if self.base_size:
            place[:, :2] += qpos[:, :2] - self.qpos[:2]
            yaw = qpos[:, [2]] - self.qpos[2]
            return place, Rotation.from_euler("z", yaw).as_matrix() @ self.rotation[0]
        return place, np.tile(self.rotation[0], (len(qpos), 1, 1))

    def coordinates(self, place_m: Array, rotation: Array) -> Array:
        """Return the configurations of bones in world. Shapes (T, n, 3) and (T, n, 3, 3) in, (T, nq) out."""
        qpos = np.tile(self.qpos, (len(place_m), 1))
        if self.base_size == FLOATING:
            body = Rotation.from_matrix(rotation[:, 0])
            qpos[:, :3] = place_m[:, 0]
            qpos[:, 3:FLOATING] = body.as_quat(canonical=True, scalar_first=True)
        elif self.base_size:
            qpos[:, :2] += place_m[:, 0, :2] - self.start_m[0, :2]
            qpos[:, 2] += Rotation.from_matrix(rotation[:, 0] @ self.rotation[0].T).as_euler("ZYX")[:, 0]
        angle = self.joint_rotations(rotation)[:, :, 0]
        qpos[:, self.base_size :] += np.unwrap(angle, axis=0)
        return qpos

    def joint_rotations(self, rotation: Array) -> Array:
        """Return rotation vectors of joints since rest, in bone axes. Shape (T, n, 3, 3) in, (T, n - 1, 3) out."""
        vectors = []
        for bone in range(1, len(self.names)):
            rest = self.local(bone)[1]
            since_rest = np.swapaxes(rotation[:, self.parents[bone]] @ rest, 1, 2) @ rotation[:, bone]
            vectors.append(Rotation.from_matrix(since_rest).as_rotvec())
        return np.stack(vectors, axis=1)

    def displacement_m(self, place_m: Array, rotation: Array) -> Array:
        """Return distances of bone heads from where their parents place them. Shapes as above in, (T, n) out."""
        distance = np.zeros(place_m.shape[:2])
        for bone in range(1, len(self.names)):
            parent = self.parents[bone]
            carried = place_m[:, parent] + rotation[:, parent] @ self.local(bone)[0]
            distance[:, bone] = np.linalg.norm(place_m[:, bone] - carried, axis=1)
        return distance


def build_rig(robot: Robot, qpos: Array | None = None) -> Rig:
    """Return the bones of a robot whose rest pose is a configuration (nq,), by default its standing one."""
    model = robot.model
    rest = np.array(robot.standing_qpos if qpos is None else qpos)
    data = mujoco.MjData(model)
    data.qpos[:] = rest
    mujoco.mj_kinematics(model, data)
    joints = [model.joint(name).id for name in robot.joint_names]
    if any(model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_HINGE for joint in joints):
        raise BadTableError(f"{robot.name} has a joint that is not a hinge; a bone turns about one axis.")
    base = base_body(robot)
    parents = (-1, *(_parent_bone(model, joint, joints) for joint in joints))
    start = np.array([data.xpos[base], *(data.xanchor[joint] for joint in joints)])
    directions = [_direction(model, data, bone, parents, start, joints) for bone in range(1, len(start))]
    rotation = [data.xmat[base].reshape(3, 3)]
    for bone, (joint, end) in enumerate(zip(joints, directions, strict=True), start=1):
        rotation.append(_axes(data.xaxis[joint], end, _alternative_directions(model, data, bone, parents, joints)))
    length = [float(abs(rotation[k + 1][:, 1] @ end)) for k, end in enumerate(directions)]
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
    """Return the index of the body that carries the first joint and that the base coordinates move."""
    model = robot.model
    first = model.joint(robot.joint_names[0]).id
    body = int(model.body_parentid[model.jnt_bodyid[first]])
    while model.body_parentid[body] > 0:
        body = int(model.body_parentid[body])
    return body if robot.base_size else 0


@dataclass(frozen=True, slots=True, eq=False)
class BonePart:
    """A visible part of the body: its bone, shape and colour; offset and rotation in bone axes."""

    bone: int
    solid: Solid
    offset_m: Array
    rotation: Array

    def vertices_m(self, mesh: Mesh) -> Array:
        """Return the vertices of the mesh in bone axes. Shape (n, 3)."""
        return np.asarray(mesh.vertices @ self.rotation.T + self.offset_m)


def bone_parts(rig: Rig, robot: Robot) -> list[BonePart]:
    """Return the visible parts of a robot on the bones of its rig."""
    place, turn = solid_poses(robot, rig.qpos[None])
    parts = []
    visible = simplify_solids(solids(robot), MAX_FACES)
    for index, (solid, bone) in enumerate(zip(visible, solid_bones(robot), strict=True)):
        if solid.color[3] >= MIN_OPACITY:
            to_bone = rig.rotation[bone].T
            offset_m = to_bone @ (place[0, index] - rig.start_m[bone])
            parts.append(BonePart(bone, solid, offset_m, to_bone @ turn[0, index]))
    return parts


def solid_bones(robot: Robot) -> tuple[int, ...]:
    """Return the bone of each of the `solids` of a robot."""
    model = robot.model
    joints = [model.joint(name).id for name in robot.joint_names]
    return tuple(_bone_of_body(model, int(model.geom_bodyid[geom]), joints) for geom in visible_geoms(model))


def foot_bones(robot: Robot) -> tuple[int, ...]:
    """Return the bone of each foot of a robot."""
    model = robot.model
    joints = [model.joint(name).id for name in robot.joint_names]
    bodies = [int(model.site_bodyid[model.site(foot.frame).id]) for foot in robot.feet]
    return tuple(_bone_of_body(model, body, joints) for body in bodies)


def _parent_bone(model: mujoco.MjModel, joint: int, joints: list[int]) -> int:
    """Return the parent bone of a joint: the joint before it on its body, else the bone of the body above."""
    body = int(model.jnt_bodyid[joint])
    before = [other for other in joints if model.jnt_bodyid[other] == body and other < joint]
    return 1 + joints.index(max(before)) if before else _bone_of_body(model, int(model.body_parentid[body]), joints)


def _bone_of_body(model: mujoco.MjModel, body: int, joints: list[int]) -> int:
    while body > 0:
        own = [joint for joint in joints if model.jnt_bodyid[joint] == body]
        if own:
            return 1 + joints.index(max(own))
        body = int(model.body_parentid[body])
    return 0


def _direction(
    model: mujoco.MjModel, data: mujoco.MjData, bone: int, parents: tuple[int, ...], start: Array, joints: list[int]
) -> Array:
    """Return the vector from the head of a bone to its child joints, else to the middle of its shapes. Shape (3,)."""
    children = [k for k, parent in enumerate(parents) if parent == bone]
    if children:
        return np.asarray(start[children].mean(axis=0) - start[bone])
    geoms = [g for g in range(model.ngeom) if _bone_of_body(model, int(model.geom_bodyid[g]), joints) == bone]
    return np.asarray(data.geom_xpos[geoms].mean(axis=0) - start[bone]) if geoms else np.zeros(3)


def _alternative_directions(
    model: mujoco.MjModel, data: mujoco.MjData, bone: int, parents: tuple[int, ...], joints: list[int]
) -> list[Array]:
    """Return directions fixed to a bone, for bones without length: axes of its child joints and of its body."""
    children = [joints[k - 1] for k, parent in enumerate(parents) if parent == bone]
    body = data.xmat[model.jnt_bodyid[joints[bone - 1]]].reshape(3, 3)
    return [*(data.xaxis[joint] for joint in children), *body.T]


def _axes(axis: Array, towards: Array, others: list[Array]) -> Array:
    """Return the axes of a bone: x is its joint axis, y is as near as possible to its direction. Shape (3, 3)."""
    for direction in (towards, *others):
        across = direction - (direction @ axis) * axis
        if np.linalg.norm(across) > 1e-3:
            break
    along = across / np.linalg.norm(across)
    return np.column_stack([axis, along, np.cross(axis, along)])
