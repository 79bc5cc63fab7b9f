"""BVH: a skeleton and its joint angles over time; as a recording, its joints are markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.formats.marker_labels import unique_labels
from strut.formats.number_table import parse_number, parse_rows
from strut.formats.reader import FormatError, require
from strut.recording import Recording

MAX_JOINTS = 2000
MAX_HEIGHT_M = 2.6  # a skeleton outside these heights is in another unit
MIN_HEIGHT_M = 0.5
JUMP_M = 0.15  # a joint that moves farther between two frames was not moved by a person
CHANNELS = {f"{axis}{kind}" for axis in "XYZ" for kind in ("position", "rotation")}


@dataclass(frozen=True, slots=True)
class BvhJoint:
    """A joint of the skeleton.

    Args:
        name: In the file.
        parent: Number of its parent; -1 for a root.
        offset: In the frame of the parent, in the unit of the file.
        channels: In the order of the file, for instance `Zrotation`.
    """

    name: str
    parent: int
    offset: tuple[float, ...]
    channels: tuple[str, ...] = ()

    def columns(self, kind: str) -> list[int]:
        """Return which channels are of the kind `position` or `rotation`."""
        return [index for index, channel in enumerate(self.channels) if channel.endswith(kind)]

    def axes(self, kind: str) -> str:
        """Return the axes of these channels, in order."""
        return "".join(self.channels[index][0] for index in self.columns(kind))

    def rotation(self, values: Array) -> Array:
        """Return the rotation to the frame of the parent. Shape (T, number of channels) in, (T, 3, 3) out."""
        axes = self.axes("rotation")
        if not axes:
            return np.broadcast_to(np.eye(3), (len(values), 3, 3))
        rotation = Rotation.from_euler(axes, values[:, self.columns("rotation")], degrees=True)
        return np.asarray(rotation.as_matrix())

    def position(self, values: Array) -> Array:
        """Return the position in the frame of the parent. Shape (T, number of channels) in, (T, 3) out."""
        position = np.tile(np.array(self.offset), (len(values), 1))
        for axis, column in zip(self.axes("position"), self.columns("position"), strict=True):
            position[:, "XYZ".index(axis)] += values[:, column]
        return position


def bvh_frames(joints: Sequence[BvhJoint], values: Array, *, absolute: bool = False) -> tuple[Array, Array]:
    """Return the positions and the axes of joints in world. (T, number of channels) in; (T, n, 3), (T, n, 3, 3) out.

    Args:
        joints: The skeleton.
        values: Channels of all frames.
        absolute: Whether positions replace offsets, as in files that Blender writes; else they are added.
    """
    position = [np.zeros((len(values), 3))]  # of the world first, which carries the roots
    rotation = [np.broadcast_to(np.eye(3), (len(values), 3, 3))]
    first_channel = 0
    for joint in joints:
        own = values[:, first_channel : first_channel + len(joint.channels)]
        first_channel += len(joint.channels)
        parent = joint.parent + 1
        replaces_offset = absolute and bool(joint.columns("position"))
        in_parent = (replace(joint, offset=(0.0, 0.0, 0.0)) if replaces_offset else joint).position(own)
        position.append(position[parent] + np.einsum("tij,tj->ti", rotation[parent], in_parent))
        rotation.append(rotation[parent] @ joint.rotation(own))
    return np.stack(position[1:], axis=1), np.stack(rotation[1:], axis=1)


def parse_bvh(text: str) -> tuple[list[BvhJoint], Array, float]:
    """Return the skeleton, the channels of all frames (T, n) and the time between frames [s]; raises FormatError."""
    require(text.startswith("HIERARCHY"), "is not a BVH file: it does not begin with HIERARCHY.")
    hierarchy, motion, table = text.partition("MOTION")
    require(motion != "", "is a damaged BVH file: it has no line MOTION.")
    joints = _parse_hierarchy(hierarchy)
    values, step_s = _parse_motion(table.strip().splitlines(), joints, hierarchy.count("\n") + 2)
    return joints, values, step_s


def _parse_hierarchy(hierarchy: str) -> list[BvhJoint]:
    joints = list[BvhJoint]()
    open_joints = list[int]()  # numbers of the joints whose bracket is open, the innermost last
    name = ""
    for line, content in enumerate(hierarchy.splitlines(), start=1):
        words = content.split() or [""]
        match words[0]:
            case "ROOT" | "JOINT":
                name = words[-1]
            case "End":
                if not open_joints:
                    raise FormatError(f"is a damaged BVH file: line {line} ends a joint that is not open.")
                name = f"{joints[open_joints[-1]].name}End"
            case "OFFSET":
                has_numbers = len(words) == 4 and len(joints) < MAX_JOINTS
                require(has_numbers, f"is a damaged BVH file: line {line} needs three numbers.")
                offset = tuple(parse_number(word, line) for word in words[1:])
                joints.append(BvhJoint(name, open_joints[-1] if open_joints else -1, offset))
                open_joints.append(len(joints) - 1)
            case "CHANNELS":
                is_known = bool(joints) and set(words[2:]) <= CHANNELS and words[1:2] == [str(len(words) - 2)]
                require(is_known, f"is a damaged BVH file: line {line} names unknown channels.")
                joints[-1] = replace(joints[-1], channels=tuple(words[2:]))
            case "}":
                require(bool(open_joints), f"is a damaged BVH file: line {line} closes a bracket that is not open.")
                open_joints.pop()
    require(bool(joints), "is a damaged BVH file: it has no joints.")
    return joints


def _parse_motion(lines: Sequence[str], joints: Sequence[BvhJoint], first_line: int) -> tuple[Array, float]:
    """Return the channels of all frames (T, n) and the time between frames [s]."""
    head = [parse_number(line.partition(":")[2], first_line) for line in lines[:2]]
    is_complete = len(head) == 2 and bool(np.isfinite(head).all())
    require(is_complete, "is a damaged BVH file: it lacks the number of its frames or their time.")
    frames = int(head[0])
    step_s = head[1]
    require(1e-5 < step_s < 10.0, f"is a damaged BVH file: its frame time is {step_s:g} s.")
    values = parse_rows(lines[2:], sum(len(joint.channels) for joint in joints), first_line + 2)
    is_whole = 0 < frames <= len(values)
    require(is_whole, f"is cut short: its header promises {frames} frames and {len(values)} are there.")
    return values[:frames], step_s


def encode_bvh(joints: Sequence[BvhJoint], columns: Sequence[Array], step_s: float) -> bytes:
    """Return a BVH file in UTF-8.

    Args:
        joints: Depth first, with their channels.
        columns: Channels of all frames, joint by joint. Shape (T, some) each.
        step_s: Time between frames.
    """
    values = np.column_stack(columns)
    head = ["HIERARCHY", *_hierarchy(joints, -1, 0), "MOTION", f"Frames: {len(values)}", f"Frame Time: {step_s:.8f}"]
    return "\n".join([*head, *(" ".join(f"{value:.6f}" for value in row) for row in values), ""]).encode()


def _hierarchy(joints: Sequence[BvhJoint], parent: int, depth: int) -> list[str]:
    """Return the lines of the joints below one parent."""
    lines = list[str]()
    indent = "\t" * depth
    for index, joint in enumerate(joints):
        if joint.parent == parent:
            below = _hierarchy(joints, index, depth + 1)
            x, y, z = joint.offset
            lines += [
                f"{indent}{'JOINT' if depth else 'ROOT'} {joint.name}",
                f"{indent}{{",
                f"{indent}\tOFFSET {x:.6f} {y:.6f} {z:.6f}",
                f"{indent}\tCHANNELS {' '.join([str(len(joint.channels)), *joint.channels])}",
                *(below or [f"{indent}\t{line}" for line in ("End Site", "{", "OFFSET 0 0 0", "}")]),
                f"{indent}}}",
            ]
    return lines


def recognizes_bvh(head: bytes) -> bool:
    """Return whether a file begins as BVH files do."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith(b"HIERARCHY")


class BvhReader:
    """Reads the joints of a person's skeleton as markers."""

    endings = (".bvh",)
    returns = Recording

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins as BVH files do."""
        return recognizes_bvh(head)

    def read(self, content: bytes, path: Path, *, unit_m: float = 1.0) -> Recording:
        """Return the joints as markers; raises FormatError.

        Args:
            content: Of the file.
            path: Names the recording.
            unit_m: Metres in one unit of the file, which the format does not name.
        """
        joints, values, step_s = parse_bvh(content.decode("utf-8-sig", errors="replace"))
        height_m = float(np.ptp(bvh_frames(joints, values[:1])[0][0] * unit_m, axis=0).max())
        require(
            MIN_HEIGHT_M < height_m < MAX_HEIGHT_M,
            f"would show a person of {height_m:.3g} m; BVH files name no unit: give the metres in one "
            "(--unit 0.01 for cm, 0.056444 for the CMU database; unit_m in Python).",
        )
        markers_m = bvh_frames(joints, values)[0] * unit_m
        notes = ["Markers are the joints of a BVH skeleton."]
        if _starts_with_rest_pose(markers_m):
            markers_m = markers_m[1:]
            notes.append("The first frame is a pose of its own, from which the movement jumps; it was left out.")
        names = unique_labels([joint.name for joint in joints])
        return Recording(path.stem, 1.0 / step_s, names, markers_m, notes=tuple(notes))


def _starts_with_rest_pose(markers_m: Array) -> bool:
    """Return whether everything jumps after the first frame and not after the second. Shape (T, n, 3)."""
    step_m = np.linalg.norm(np.diff(markers_m[:3], axis=0), axis=-1).max(axis=-1)
    return len(step_m) == 2 and bool(step_m[0] > JUMP_M > step_m[1])


READER = BvhReader()
