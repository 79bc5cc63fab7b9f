"""MOT and STO: OpenSim's tables of joint angles or ground forces."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from strut.capture.number_table import TableDamageError, frame_rate, parsed_rows
from strut.motion import Motion
from strut.recording import ForcePlate, Recording
from strut.robot import FLOATING, Array

_HALF_PLATE_M = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class MotTable:
    """Columns over time; angles in degrees where the file says so. Shapes (T,) and (T, n)."""

    names: tuple[str, ...]
    time_s: Array
    values: Array
    in_degrees: bool

    def column(self, name: str) -> Array:
        """Return one column; raises TableDamageError. Shape (T,)."""
        if name not in self.names:
            raise TableDamageError(f"has no column {name}.")
        return np.asarray(self.values[:, self.names.index(name)])


def read_mot(content: str) -> MotTable:
    """Return the table of a MOT or STO text; raises TableDamageError with words that fit after the file's name."""
    lines = content.splitlines()
    ends = [index for index, line in enumerate(lines[:100]) if line.strip().lower() == "endheader"]
    if not ends or len(lines) < ends[0] + 3:
        raise TableDamageError("is not a MOT file: it has no line 'endheader' followed by a table.")
    header, first = "\n".join(lines[: ends[0]]).lower(), ends[0] + 1
    while first < len(lines) and not lines[first].strip():
        first += 1
    names = tuple(lines[first].split())
    if not names or names[0].lower() != "time":
        raise TableDamageError("is not a MOT file: the first column of its table is not the time.")
    table = parsed_rows(lines[first + 1 :], len(names), first + 2)
    return MotTable(names[1:], table[:, 0], table[:, 1:], re.search(r"indegrees\s*=\s*yes", header) is not None)


def recording_from_mot(content: str, name: str) -> Recording:
    """Return plates from a table of ground forces; raises TableDamageError if it holds something else."""
    table = read_mot(content)
    prefixes = [column[: -len("force_vx")] for column in table.names if column.endswith("force_vx")]
    if not prefixes:
        raise TableDamageError(
            "holds no ground forces (columns such as ground_force_vx); a table of joint angles is no recording."
        )
    rate_hz = frame_rate(table.time_s)
    plates = []
    for prefix in prefixes:
        force = np.column_stack([table.column(f"{prefix}force_v{axis}") for axis in "xyz"])
        place = np.column_stack([table.column(f"{prefix}force_p{axis}") for axis in "xyz"])
        torque = prefix.replace("ground_", "ground_torque_") if "ground_" in prefix else f"{prefix}torque_"
        names = [f"{torque}{axis}" for axis in "xyz"]
        free = np.column_stack([table.column(column) for column in names]) if set(names) <= set(table.names) else 0.0
        plates.append(_plate(prefix.rstrip("_") or "plate", rate_hz, force, place, np.broadcast_to(free, force.shape)))
    empty = np.empty((len(table.time_s), 0, 3))
    return Recording(name, rate_hz, (), empty, plates=tuple(plates), notes=("Only ground forces, no markers.",))


def _plate(name: str, rate_hz: float, force: Array, place: Array, free: Array) -> ForcePlate:
    """Return a plate around the places where the force acts; y is up in OpenSim's files."""
    loaded = np.linalg.norm(force, axis=1) > 20.0
    cop = np.where(loaded[:, None], place, np.nan)
    centre = place[loaded].mean(axis=0) if loaded.any() else np.zeros(3)
    corners = centre + _HALF_PLATE_M * np.array([[1, 0, 1], [-1, 0, 1], [-1, 0, -1], [1, 0, -1]])
    moment = np.cross(np.where(loaded[:, None], place - centre, 0.0), force) + free
    return ForcePlate(name, rate_hz, force, moment, cop, corners)


class MotWriter:
    """Writes a motion's coordinates: base in metres and degrees (rotations about y, x, z), then joints in degrees."""

    ending = ".mot"

    def content(self, motion: Motion) -> bytes:
        """Return the text in UTF-8."""
        free = motion.qpos.shape[1] - len(motion.joint_names)
        joints = np.degrees(motion.qpos[:, free:])
        base, columns = motion.qpos[:, :0], list[str]()
        if free == FLOATING:
            turned = Rotation.from_quat(motion.qpos[:, 3:7], scalar_first=True).as_euler("YXZ", degrees=True)
            base = np.column_stack([motion.qpos[:, :3], turned])
            columns = [f"base_{axis}" for axis in ("tx", "ty", "tz", "ry", "rx", "rz")]
        table = np.column_stack([motion.time_s, base, joints])
        names = ["time", *columns, *motion.joint_names]
        head = [
            motion.robot,
            "version=1",
            f"nRows={len(table)}",
            f"nColumns={len(names)}",
            "inDegrees=yes",
            "endheader",
        ]
        rows = ["\t".join(f"{value:.8f}" for value in row) for row in table]
        return "\n".join([*head, "\t".join(names), *rows, ""]).encode()

    def lost(self, motion: Motion) -> tuple[str, ...]:
        """Return what the motion has and the file does not."""
        has = {"contact": motion.contact.any(), "torque_nm": motion.torque_nm is not None}
        has["ground_force_n"] = motion.ground_force_n is not None
        return (*(name for name, there in has.items() if there), "meta")
