"""MOT and STO: OpenSim's tables of joint angles or ground forces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.formats.number_table import frame_rate, parsed_rows, refuse_unless, tab_separated
from strut.motion import Motion
from strut.recording import ForcePlate, Recording
from strut.robot import FLOATING

LOADED_N = 20.0
_HALF_PLATE_M = 0.3
_CORNERS = _HALF_PLATE_M * np.array([[1, 0, 1], [-1, 0, 1], [-1, 0, -1], [1, 0, -1]])
_Z_UP_TO_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
_TABLE = re.compile(r"^(?P<head>.*?)^\s*endheader\s*^(?P<table>.*)\Z", re.MULTILINE | re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class MotTable:
    """Columns over time; angles in degrees where the file says so; notes of what was changed. Shapes (T,), (T, n)."""

    names: tuple[str, ...]
    time_s: Array
    values: Array
    in_degrees: bool
    notes: tuple[str, ...] = ()

    def column(self, name: str) -> Array:
        """Return one column; raises TableDamageError. Shape (T,)."""
        refuse_unless(name in self.names, f"has no column {name}.")
        return np.asarray(self.values[:, self.names.index(name)])

    def vectors(self, prefix: str) -> Array:
        """Return three columns that end in x, y and z. Shape (T, 3)."""
        return np.column_stack([self.column(f"{prefix}{axis}") for axis in "xyz"])


def read_mot(content: str) -> MotTable:
    """Return the table of a MOT or STO text; raises TableDamageError with words that fit after the file's name."""
    content, notes = tab_separated(content)
    found = _TABLE.match(content)
    head, table = (found["head"], found["table"].strip()) if found else ("", "")
    refuse_unless(table != "", "is not a MOT file: it has no line 'endheader' followed by a table.")
    titles, *lines = table.splitlines()
    names = titles.split()
    refuse_unless(names[0].lower() == "time", "is not a MOT file: the first column of its table is not the time.")
    values = parsed_rows(lines, len(names), head.count("\n") + 3)
    in_degrees = re.search(r"indegrees\s*=\s*yes", head, re.IGNORECASE) is not None
    return MotTable(tuple(names[1:]), values[:, 0], values[:, 1:], in_degrees, notes)


def recording_from_mot(content: str, name: str) -> Recording:
    """Return plates from a table of ground forces; raises TableDamageError if it holds something else."""
    table = read_mot(content)
    prefixes = [column.removesuffix("force_vx") for column in table.names if column.endswith("force_vx")]
    refuse_unless(
        len(prefixes) > 0,
        "holds no ground forces (columns such as ground_force_vx); a table of joint angles is no recording.",
    )
    rate_hz = frame_rate(table.time_s)
    plates = tuple(_plate(table, prefix, rate_hz) for prefix in prefixes)
    empty = np.empty((len(table.time_s), 0, 3))
    return Recording(name, rate_hz, (), empty, plates=plates, notes=("Only ground forces, no markers.", *table.notes))


def _plate(table: MotTable, prefix: str, rate_hz: float) -> ForcePlate:
    """Return a plate around the places where the force acts; y is up in OpenSim's files."""
    force = table.vectors(f"{prefix}force_v")
    place = table.vectors(f"{prefix}force_p")
    torque = f"{prefix}torque_"
    free = table.vectors(torque) if f"{torque}x" in table.names else np.zeros_like(force)
    loaded = (np.linalg.norm(force, axis=1) > LOADED_N)[:, None]
    centre = np.where(loaded, place, 0.0).sum(axis=0) / max(int(loaded.sum()), 1)
    moment = np.cross(np.where(loaded, place - centre, 0.0), force) + free
    cop = np.where(loaded, place, np.nan)
    return ForcePlate(prefix.rstrip("_") or "plate", rate_hz, force, moment, cop, centre + _CORNERS)


def ground_force_mot(time_s: Array, feet: Sequence[str], force_n: Array, cop_m: Array, twist_nm: Array) -> bytes:
    """Return ground forces as OpenSim's external loads, y up; a foot that does not stand has no force, at the origin.

    Args:
        time_s: Shape (T,).
        feet: Their names, n of them.
        force_n: In world, z up. Shape (T, n, 3).
        cop_m: Centre of pressure; NaN where a foot does not stand. Shape (T, n, 2).
        twist_nm: About the vertical through it. Shape (T, n).
    """
    names = ["time"]
    columns = [time_s[:, None]]
    for index, foot in enumerate(feet):
        place = np.insert(np.nan_to_num(cop_m[:, index]), 2, 0.0, axis=1)
        twist = np.outer(twist_nm[:, index], [0.0, 0.0, 1.0])
        for words, vectors in (("force_v", force_n[:, index]), ("force_p", place), ("torque_", twist)):
            names += [f"{foot.lower()}_ground_{words}{axis}" for axis in "xyz"]
            columns.append(vectors @ _Z_UP_TO_Y_UP.T)
    return _text("ground forces", names, np.concatenate(columns, axis=1))


def _text(title: str, names: Sequence[str], table: Array) -> bytes:
    """Return a table, of which the time is the first column, as a file. Shape (T, len(names))."""
    head = [title, "version=1", f"nRows={len(table)}", f"nColumns={len(names)}", "inDegrees=yes", "endheader"]
    rows = ["\t".join(f"{value:.8f}" for value in row) for row in table]
    return "\n".join([*head, "\t".join(names), *rows, ""]).encode()


def mot_content(motion: Motion) -> bytes:
    """Return coordinates as a file: base in metres and degrees (rotations about y, x, z), then joints in degrees."""
    names, base = _base(motion)
    joints = np.degrees(motion.qpos[:, motion.qpos.shape[1] - len(motion.joint_names) :])
    table = np.column_stack([motion.time_s, base, joints])
    return _text(motion.robot, ["time", *names, *motion.joint_names], table)


def _base(motion: Motion) -> tuple[list[str], Array]:
    """Return names and columns of a floating base; none of one that does not float."""
    if motion.qpos.shape[1] - len(motion.joint_names) != FLOATING:
        return [], motion.qpos[:, :0]
    turned = Rotation.from_quat(motion.qpos[:, 3:7], scalar_first=True).as_euler("YXZ", degrees=True)
    return [f"base_{axis}" for axis in ("tx", "ty", "tz", "ry", "rx", "rz")], np.column_stack(
        [motion.qpos[:, :3], turned]
    )
