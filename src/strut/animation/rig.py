"""Rig: a robot's joints as the bones of an animator: where they are at rest, and how they turn.

A bone turns about its own x axis by the angle of its joint since the rest pose; its y axis points along it. The first
bone is the base, which has the axes of its body: forward, left and up. So axes depend on the body and not on the pose.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.errors import RigFileError
from strut.robot import FLOATING, frozen_array
from strut.schemas.eyes import EYES


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


EYES_BONE = "eyes"  # slides forward on the base: the number of the expression times the step below
EYES_STEP_M = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class RigMovement:
    """A movement of a rig as a file of an animator's program has it.

    Args:
        time_s: From 0. Shape (T,).
        place_m: Where bones begin, in world. Shape (T, n, 3).
        rotation: Their axes. Shape (T, n, 3, 3).
        eyes: Expression of every frame. Length T.
    """

    time_s: Array
    place_m: Array
    rotation: Array
    eyes: tuple[str, ...]


def check_bones(rig: Rig, names: Collection[str], path: Path) -> None:
    """Raise RigFileError if a file does not have every bone of a rig."""
    missing = [name for name in rig.names if name not in names]
    if missing:
        raise RigFileError(
            path,
            f"is a rig of another robot: it has no bone {missing[0]}, which {rig.robot} has "
            f"({len(missing)} of {len(rig.names)} are missing).",
        )


def expressions(slider_m: Array) -> tuple[str, ...]:
    """Return the expressions that the slider of the eyes tells. Shape (T,)."""
    number = np.clip(np.rint(slider_m / EYES_STEP_M).astype(int), 0, len(EYES) - 1)
    return tuple(EYES[k] for k in number)


def slider_m(changes: Sequence[tuple[float, str]], time_s: Array) -> Array:
    """Return where the slider of the eyes is, from when which expression begins. Shape (T,) in and out."""
    place = np.zeros(len(time_s))
    for start_s, name in changes:
        place[time_s >= start_s - 1e-9] = EYES.index(name) * EYES_STEP_M
    return place
