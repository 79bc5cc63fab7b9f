"""BVH: a skeleton and its joint angles; read, its joints are markers; written, any robot is a skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from strut.capture.marker_labels import unique_labels
from strut.capture.number_table import TableDamageError, parsed_rows
from strut.engines.rigid_body import body_poses
from strut.motion import Motion
from strut.recording import Recording
from strut.robot import Array, Robot

MOST_JOINTS = 2000
TALLEST_M, SMALLEST_M = 2.6, 0.5
JUMP_M = 0.15  # between two frames no joint moves so far
_CHANNELS = {f"{axis}{kind}" for axis in "XYZ" for kind in ("position", "rotation")}


@dataclass(frozen=True, slots=True)
class BvhJoint:
    """A joint of the skeleton; offset in the parent's frame in the file's unit, channels in the order of the file."""

    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...]


def recording_from_bvh(content: str, name: str, unit_m: float | None) -> Recording:
    """Return the joints of a BVH text as markers; raises TableDamageError with words that fit after the file's name.

    Args:
        content: Of the file.
        name: Of the recording.
        unit_m: What one unit of the file is; the format does not tell. Metres if None.
    """
    joints, lines, first = _skeleton(content)
    facts = {}
    for line in lines[first : first + 2]:
        key, _, value = line.partition(":")
        facts[key.strip().lower()] = value.strip()
    try:
        frames, step_s = int(facts["frames"]), float(facts["frame time"])
    except (KeyError, ValueError) as error:
        raise TableDamageError(
            f"is a damaged BVH file: it lacks its number of frames or its frame time ({error})."
        ) from error
    if not 1e-5 < step_s < 10.0:
        raise TableDamageError(f"is a damaged BVH file: its frame time is {step_s:g} s.")
    values = parsed_rows(lines[first + 2 :], sum(len(joint.channels) for joint in joints), first + 3)
    if len(values) < frames:
        raise TableDamageError(f"is cut short: its header promises {frames} frames and {len(values)} are there.")
    places = bvh_places(joints, values[:frames]) * (1.0 if unit_m is None else unit_m)
    tall = float(np.ptp(places[0], axis=0).max())
    if not SMALLEST_M < tall < TALLEST_M:
        raise TableDamageError(
            f"would show a person of {tall:.3g} m; BVH files tell no unit: give what one is in metres "
            "(unit_m; 0.01 for cm, 0.056444 for the CMU database)."
        )
    notes = ["Markers are the joints of a BVH skeleton."]
    step_m = np.linalg.norm(np.diff(places[:3], axis=0), axis=-1).max(axis=-1)
    if len(places) > 2 and step_m[0] > JUMP_M > step_m[1]:
        places = places[1:]
        notes.append("The first frame is a pose of its own, from which the movement jumps; it was left out.")
    names = unique_labels([joint.name for joint in joints])
    return Recording(name, 1.0 / step_s, names, places, notes=tuple(notes))


def bvh_places(joints: Sequence[BvhJoint], values: Array) -> Array:
    """Return where joints are. Shape (T, number of channels) in, (T, n, 3) out."""
    place = np.empty((len(values), len(joints), 3))
    turn: list[Array] = []
    at = 0
    for index, joint in enumerate(joints):
        own = values[:, at : at + len(joint.channels)]
        at += len(joint.channels)
        turning = "".join(channel[0] for channel in joint.channels if channel.endswith("rotation"))
        angles = own[:, [channel.endswith("rotation") for channel in joint.channels]]
        local = np.broadcast_to(np.eye(3), (len(values), 3, 3))
        if turning:
            local = Rotation.from_euler(turning, angles, degrees=True).as_matrix()
        offset = np.broadcast_to(np.array(joint.offset), (len(values), 3)).copy()
        for column, channel in enumerate(joint.channels):
            if channel.endswith("position"):
                offset[:, "XYZ".index(channel[0])] += own[:, column]
        if joint.parent < 0:
            place[:, index] = offset
            turn.append(local)
        else:
            place[:, index] = place[:, joint.parent] + np.einsum("tij,tj->ti", turn[joint.parent], offset)
            turn.append(turn[joint.parent] @ local)
    return place


def _skeleton(content: str) -> tuple[list[BvhJoint], list[str], int]:
    """Return the joints, all lines and the number of the line after MOTION."""
    lines = content.splitlines()
    if not lines or lines[0].strip() != "HIERARCHY":
        raise TableDamageError("is not a BVH file: it does not begin with HIERARCHY.")
    joints, open_joints = list[BvhJoint](), list[int]()
    name = ""
    for number, line in enumerate(lines[1:], start=2):
        words = line.split()
        if not words:
            continue
        if words[0] == "MOTION":
            return joints, lines, number
        if words[0] in ("ROOT", "JOINT", "End"):
            owner = joints[open_joints[-1]].name if open_joints else ""
            name = f"{owner}End" if words[0] == "End" else words[-1]
        elif words[0] == "OFFSET":
            joints.append(_joint(name, open_joints, words, number))
            open_joints.append(len(joints) - 1)
        elif words[0] == "CHANNELS":
            joints[-1] = _with_channels(joints[-1] if joints else None, words, number)
        elif words[0] == "}":
            if not open_joints:
                raise TableDamageError(f"is a damaged BVH file: line {number} closes a joint that is not open.")
            open_joints.pop()
    raise TableDamageError("is a damaged BVH file: it has no line MOTION.")


def _joint(name: str, open_joints: Sequence[int], words: Sequence[str], number: int) -> BvhJoint:
    try:
        x, y, z = map(float, words[1:])
    except ValueError as error:
        raise TableDamageError(f"is a damaged BVH file: line {number} needs three numbers.") from error
    if (open_joints[-1] if open_joints else 0) > MOST_JOINTS:
        raise TableDamageError(f"is a damaged BVH file: it has more than {MOST_JOINTS} joints.")
    return BvhJoint(name, open_joints[-1] if open_joints else -1, (x, y, z), ())


def _with_channels(joint: BvhJoint | None, words: Sequence[str], number: int) -> BvhJoint:
    if joint is None or not set(words[2:]) <= _CHANNELS or words[1] != str(len(words) - 2):
        raise TableDamageError(f"is a damaged BVH file: line {number} names channels that there are not.")
    return BvhJoint(joint.name, joint.parent, joint.offset, tuple(words[2:]))


class BvhWriter:
    """Writes the bodies of a robot as a skeleton in metres with z up; rotations are about z, then y, then x."""

    ending = ".bvh"

    def content(self, motion: Motion, robot: Robot) -> bytes:
        """Return the text in UTF-8."""
        model = robot.model
        names = [model.body(index).name for index in range(1, model.nbody)]
        parents = [int(model.body_parentid[index]) - 1 for index in range(1, model.nbody)]
        place, turn = body_poses(model, names, motion.qpos)
        head = ["HIERARCHY", *_written(names, parents, model.body_pos[1:])]
        columns = []
        for index, parent in enumerate(parents):
            if parent < 0:
                columns += [place[:, index] - model.body_pos[index + 1]]
            local = turn[:, index] if parent < 0 else np.swapaxes(turn[:, parent], 1, 2) @ turn[:, index]
            columns += [Rotation.from_matrix(local).as_euler("ZYX", degrees=True)]
        step_s = (motion.time_s[-1] - motion.time_s[0]) / (len(motion.time_s) - 1)
        head += ["MOTION", f"Frames: {len(motion.time_s)}", f"Frame Time: {step_s:.8f}"]
        rows = [" ".join(f"{value:.6f}" for value in row) for row in np.column_stack(columns)]
        return "\n".join([*head, *rows, ""]).encode()


def _written(names: Sequence[str], parents: Sequence[int], offsets: Array, root: int = -1, depth: int = 0) -> list[str]:
    """Return the lines of the bodies on one parent, depth first: the order in which a compiled model has them."""
    lines, indent = list[str](), "\t" * depth
    for index in [child for child, parent in enumerate(parents) if parent == root]:
        x, y, z = offsets[index]
        places = "" if root >= 0 else "Xposition Yposition Zposition "
        lines += [
            f"{indent}{'JOINT' if root >= 0 else 'ROOT'} {names[index]}",
            f"{indent}{{",
            f"{indent}\tOFFSET {x:.6f} {y:.6f} {z:.6f}",
            f"{indent}\tCHANNELS {3 if root >= 0 else 6} {places}Zrotation Yrotation Xrotation",
            *_written(names, parents, offsets, index, depth + 1),
        ]
        if index not in parents:
            lines += [f"{indent}\tEnd Site", f"{indent}\t{{", f"{indent}\t\tOFFSET 0 0 0", f"{indent}\t}}"]
        lines.append(f"{indent}}}")
    return lines
