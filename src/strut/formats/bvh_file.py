"""BVH: a skeleton and its joint angles; read, its joints are markers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.arrays import Array
from strut.formats.bvh_skeleton import BvhJoint, SkeletonReader, bvh_frames
from strut.formats.marker_labels import unique_labels
from strut.formats.number_table import number, parsed_rows, refuse_unless
from strut.recording import Recording

TALLEST_M = 2.6
SMALLEST_M = 0.5
JUMP_M = 0.15  # between two frames no joint moves so far


def recording_from_bvh(content: str, name: str, unit_m: float | None) -> Recording:
    """Return the joints of a BVH text as markers; raises TableDamageError with words that fit after the file's name.

    Args:
        content: Of the file.
        name: Of the recording.
        unit_m: What one unit of the file is; the format does not tell. Metres if None.
    """
    joints, values, step_s = parsed_bvh(content)
    first = bvh_frames(joints, values[:1])[0][0] * (unit_m or 1.0)
    tall = float(np.ptp(first, axis=0).max())
    refuse_unless(
        SMALLEST_M < tall < TALLEST_M,
        f"would show a person of {tall:.3g} m; BVH files tell no unit: give what one is in metres "
        "(--unit 0.01 for cm, 0.056444 for the CMU database; unit_m in Python).",
    )
    places, notes = _without_first_pose(bvh_frames(joints, values)[0] * (unit_m or 1.0))
    names = unique_labels([joint.name for joint in joints])
    return Recording(name, 1.0 / step_s, names, places, notes=("Markers are the joints of a BVH skeleton.", *notes))


def parsed_bvh(content: str) -> tuple[list[BvhJoint], Array, float]:
    """Return skeleton, channels of all frames (T, n) and time between frames; raises TableDamageError."""
    refuse_unless(content.startswith("HIERARCHY"), "is not a BVH file: it does not begin with HIERARCHY.")
    hierarchy, motion, table = content.partition("MOTION")
    refuse_unless(motion != "", "is a damaged BVH file: it has no line MOTION.")
    joints = _skeleton(hierarchy)
    values, step_s = _table(table.strip().splitlines(), joints, hierarchy.count("\n") + 2)
    return joints, values, step_s


def _skeleton(hierarchy: str) -> list[BvhJoint]:
    reader = SkeletonReader()
    for place, line in enumerate(hierarchy.splitlines(), start=1):
        reader.read(line, place)
    refuse_unless(len(reader.joints) > 0, "is a damaged BVH file: it has no joints.")
    return reader.joints


def _table(lines: Sequence[str], joints: Sequence[BvhJoint], first_line: int) -> tuple[Array, float]:
    """Return the channels of all frames (T, n) and the time between frames."""
    facts = [number(line.partition(":")[2], first_line) for line in lines[:2]]
    told = len(facts) == 2 and bool(np.isfinite(facts).all())
    refuse_unless(told, "is a damaged BVH file: it does not tell its frames or their time.")
    frames = int(facts[0])
    step_s = facts[1]
    refuse_unless(1e-5 < step_s < 10.0, f"is a damaged BVH file: its frame time is {step_s:g} s.")
    values = parsed_rows(lines[2:], sum(len(joint.channels) for joint in joints), first_line + 2)
    whole = 0 < frames <= len(values)
    refuse_unless(whole, f"is cut short: its header promises {frames} frames and {len(values)} are there.")
    return values[:frames], step_s


def _without_first_pose(places: Array) -> tuple[Array, tuple[str, ...]]:
    """Return joints without a first frame from which everything jumps, and a sentence about it."""
    step_m = np.linalg.norm(np.diff(places[:3], axis=0), axis=-1).max(axis=-1)
    if len(step_m) < 2 or not step_m[0] > JUMP_M > step_m[1]:
        return places, ()
    return places[1:], ("The first frame is a pose of its own, from which the movement jumps; it was left out.",)


def bvh_text(joints: Sequence[BvhJoint], columns: Sequence[Array], step_s: float) -> bytes:
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
