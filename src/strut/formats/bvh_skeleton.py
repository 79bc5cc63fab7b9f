"""BVH skeleton: the joints of a BVH text, and where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.formats.number_table import number, refuse_unless

MOST_JOINTS = 2000
_CHANNELS = {f"{axis}{kind}" for axis in "XYZ" for kind in ("position", "rotation")}


@dataclass(frozen=True, slots=True)
class BvhJoint:
    """A joint of the skeleton; offset in the parent's frame in the file's unit, channels in the order of the file."""

    name: str
    parent: int
    offset: tuple[float, ...]
    channels: tuple[str, ...] = ()

    def columns(self, kind: str) -> list[int]:
        """Return which of its channels are positions or rotations."""
        return [index for index, channel in enumerate(self.channels) if channel.endswith(kind)]

    def axes(self, kind: str) -> str:
        """Return the axes of its positions or rotations, in order."""
        return "".join(self.channels[index][0] for index in self.columns(kind))

    def rotation(self, values: Array) -> Array:
        """Return its rotation in the parent's frame. Shape (T, its channels) in, (T, 3, 3) out."""
        axes = self.axes("rotation")
        if not axes:
            return np.broadcast_to(np.eye(3), (len(values), 3, 3))
        turned = Rotation.from_euler(axes, values[:, self.columns("rotation")], degrees=True)
        return np.asarray(turned.as_matrix())

    def place(self, values: Array) -> Array:
        """Return where it is in the parent's frame. Shape (T, its channels) in, (T, 3) out."""
        place = np.tile(np.array(self.offset), (len(values), 1))
        for axis, column in zip(self.axes("position"), self.columns("position"), strict=True):
            place[:, "XYZ".index(axis)] += values[:, column]
        return place


def bvh_frames(joints: Sequence[BvhJoint], values: Array, *, absolute: bool = False) -> tuple[Array, Array]:
    """Return where joints are and how they are turned. (T, number of channels) in; (T, n, 3), (T, n, 3, 3) out.

    Args:
        joints: The skeleton.
        values: Channels of all frames.
        absolute: Whether positions take the place of offsets, as in files that Blender writes; else they add to them.
    """
    place = [np.zeros((len(values), 3))]
    turn = [np.broadcast_to(np.eye(3), (len(values), 3, 3))]  # of the world
    at = 0
    for joint in joints:
        own = values[:, at : at + len(joint.channels)]
        at = at + len(joint.channels)
        parent = joint.parent + 1
        moves = absolute and bool(joint.columns("position"))
        local = (replace(joint, offset=(0.0, 0.0, 0.0)) if moves else joint).place(own)
        place.append(place[parent] + np.einsum("tij,tj->ti", turn[parent], local))
        turn.append(turn[parent] @ joint.rotation(own))
    return np.stack(place[1:], axis=1), np.stack(turn[1:], axis=1)


@dataclass(slots=True)
class SkeletonReader:
    """Reads the lines of a hierarchy, one after the other."""

    joints: list[BvhJoint] = field(default_factory=list)
    open_joints: list[int] = field(default_factory=list)
    name: str = ""

    def read(self, line: str, place: int) -> None:
        """Take one line; raises TableDamageError with its number."""
        words = line.split() or [""]
        readers: dict[str, Callable[[list[str], int], None]] = {
            **dict.fromkeys(("ROOT", "JOINT"), self._named),
            "End": self._ended,
            "OFFSET": self._placed,
            "CHANNELS": self._given_channels,
            "}": self._closed,
        }
        if words[0] in readers:
            readers[words[0]](words, place)

    def _named(self, words: list[str], _: int) -> None:
        self.name = words[-1]

    def _ended(self, _: list[str], place: int) -> None:
        refuse_unless(len(self.open_joints) > 0, f"is a damaged BVH file: line {place} ends a joint that is not open.")
        self.name = f"{self.joints[self.open_joints[-1]].name}End"

    def _placed(self, words: list[str], place: int) -> None:
        fits = len(words) == 4 and len(self.joints) < MOST_JOINTS
        refuse_unless(fits, f"is a damaged BVH file: line {place} needs three numbers.")
        offset = tuple(number(word, place) for word in words[1:])
        parent = [-1, *self.open_joints][-1]
        self.joints.append(BvhJoint(self.name, parent, offset))
        self.open_joints.append(len(self.joints) - 1)

    def _given_channels(self, words: list[str], place: int) -> None:
        known = bool(self.joints) and set(words[2:]) <= _CHANNELS and words[1:2] == [str(len(words) - 2)]
        refuse_unless(known, f"is a damaged BVH file: line {place} names channels that there are not.")
        self.joints[-1] = replace(self.joints[-1], channels=tuple(words[2:]))

    def _closed(self, _: list[str], place: int) -> None:
        refuse_unless(len(self.open_joints) > 0, f"is a damaged BVH file: line {place} closes what is not open.")
        self.open_joints.pop()
