"""MOT and STO: OpenSim's tables of joint angles or ground forces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points
from strut.formats.force_plates import LOADED_N
from strut.formats.motion_markers import omitted_beside_markers
from strut.formats.number_table import frame_rate, parse_rows, tab_separated
from strut.formats.reader import FormatError, require
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.recording import SIDES, ForcePlate, Recording
from strut.robot import FLOATING

MIN_WEIGHT_N = 1.0  # a body with less has no centre of pressure in a file that we write
BASE_COLUMNS = tuple(f"base_{axis}" for axis in ("tx", "ty", "tz", "ry", "rx", "rz"))  # turns about y, then x, then z
HALF_PLATE_M = 0.3  # the file has forces and no plates; this is the size of a common one
_CORNERS = HALF_PLATE_M * np.array([[1, 0, 1], [-1, 0, 1], [-1, 0, -1], [1, 0, -1]])
_Z_UP_TO_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
_FILE = re.compile(r"^(?P<head>.*?)^\s*endheader\s*^(?P<table>.*)\Z", re.MULTILINE | re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class MotTable:
    """Columns over time.

    Args:
        names: Of the columns, without the time.
        time_s: Shape (T,).
        values: Shape (T, n).
        in_degrees: Whether angles are in degrees.
        notes: What was changed to read the file.
    """

    names: tuple[str, ...]
    time_s: Array
    values: Array
    in_degrees: bool
    notes: tuple[str, ...] = ()

    def column(self, name: str) -> Array:
        """Return one column; raises FormatError. Shape (T,)."""
        require(name in self.names, f"has no column {name}.")
        return np.asarray(self.values[:, self.names.index(name)])

    def vectors(self, prefix: str) -> Array:
        """Return the three columns of a prefix and x, y or z. Shape (T, 3)."""
        return np.column_stack([self.column(f"{prefix}{axis}") for axis in "xyz"])


def parse_mot(text: str) -> MotTable:
    """Return the table of a MOT or STO file; raises FormatError."""
    text, notes = tab_separated(text)
    match = _FILE.match(text)
    table = match["table"].strip() if match else ""
    if match is None or not table:
        raise FormatError("is not a MOT file: it has no line 'endheader' followed by a table.")
    titles, *lines = table.splitlines()
    names = titles.split()
    require(names[0].lower() == "time", "is not a MOT file: the first column of its table is not the time.")
    values = parse_rows(lines, len(names), match["head"].count("\n") + 3)
    in_degrees = re.search(r"indegrees\s*=\s*yes", match["head"], re.IGNORECASE) is not None
    return MotTable(tuple(names[1:]), values[:, 0], values[:, 1:], in_degrees, notes)


class MotReader:
    """Reads ground forces as plates."""

    endings = (".mot", ".sto")
    returns = Recording

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins as a table of ground forces does."""
        return b"endheader" in head.lower() and b"force_v" in head

    def read(self, content: bytes, path: Path) -> Recording:
        """Return the plates; raises FormatError if the table holds something else."""
        table = parse_mot(content.decode("utf-8-sig", errors="replace"))
        prefixes = [name.removesuffix("force_vx") for name in table.names if name.endswith("force_vx")]
        require(len(prefixes) > 0, "holds no ground forces (columns such as ground_force_vx).")
        rate_hz = frame_rate(table.time_s)
        plates = tuple(_plate(table, prefix, rate_hz) for prefix in prefixes)
        notes = ("Only ground forces, no markers.", *table.notes)
        return Recording(path.stem, rate_hz, (), np.empty((len(table.time_s), 0, 3)), plates=plates, notes=notes)


def _plate(table: MotTable, prefix: str, rate_hz: float) -> ForcePlate:
    """Return a plate around the points where the force acts; y is up in OpenSim's files."""
    force_n = table.vectors(f"{prefix}force_v")
    point_m = table.vectors(f"{prefix}force_p")
    has_torque = f"{prefix}torque_x" in table.names
    free_moment_nm = table.vectors(f"{prefix}torque_") if has_torque else np.zeros_like(force_n)
    is_loaded = (np.linalg.norm(force_n, axis=1) > LOADED_N)[:, None]
    centre_m = np.where(is_loaded, point_m, 0.0).sum(axis=0) / max(int(is_loaded.sum()), 1)
    moment_nm = np.cross(np.where(is_loaded, point_m - centre_m, 0.0), force_n) + free_moment_nm
    cop_m = np.where(is_loaded, point_m, np.nan)
    return ForcePlate(prefix.rstrip("_") or "plate", rate_hz, force_n, moment_nm, cop_m, centre_m + _CORNERS)


class MotWriter:
    """Writes joint angles in degrees, and ground forces as OpenSim's external loads in a file beside."""

    ending = ".mot"

    def encode(self, motion: Motion) -> bytes:
        """Return the base in metres and degrees (rotations about y, x, z), and the joints in degrees."""
        names: tuple[str, ...] = ()
        base = motion.qpos[:, :0]
        if motion.qpos.shape[1] - len(motion.joint_names) == FLOATING:
            names = BASE_COLUMNS
            rotation = Rotation.from_quat(motion.qpos[:, 3:7], scalar_first=True).as_euler("YXZ", degrees=True)
            base = np.column_stack([motion.qpos[:, :3], rotation])
        table = np.column_stack([motion.time_s, base, np.degrees(motion.joint_angles_rad)])
        return _encode_table(motion.robot, ["time", *names, *motion.joint_names], table)

    def encode_beside(self, motion: Motion) -> dict[str, bytes]:
        """Return the file of ground forces, if the motion has any.

        None if feet are soles: a motion does not hold where under a sole its force acts.
        """
        return {"_forces.mot": _encode_external_loads(motion)} if _has_point_forces(motion) else {}

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        stored = {"joint angles"} | ({"ground forces"} if _has_point_forces(motion) else set())
        platform = ("the platform",) if motion.qpos.shape[1] - len(motion.joint_names) not in (0, FLOATING) else ()
        return (*platform, *(name for name in omitted_beside_markers(motion) if name not in stored))


def _has_point_forces(motion: Motion) -> bool:
    """Return whether there are ground forces and each acts at the one contact point of its foot."""
    robot = robot_of(motion)
    return motion.ground_force_n is not None and len(robot.point_feet) <= len(robot.feet)


def _encode_external_loads(motion: Motion) -> bytes:
    """Return force, centre of pressure and free moment of each body that stands on the ground."""
    robot = robot_of(motion)
    force_n = motion.ground_force_n  # (T, n_feet, 3)
    assert force_n is not None, "only what has forces is written"
    point_m = foot_contact_points(robot, motion.qpos)  # (T, n_feet, 3)
    body_of_foot = [foot.points[0].body for foot in robot.feet]
    bodies = list(dict.fromkeys(body_of_foot))
    forces = []
    cops = []
    free_moments = []
    for body in bodies:
        own = [index for index, owner in enumerate(body_of_foot) if owner == body]
        own_force = force_n[:, own]
        weight = own_force[..., 2].sum(axis=1)
        is_loaded = weight > MIN_WEIGHT_N
        weighted = np.einsum("tp,tpi->ti", own_force[..., 2], point_m[:, own, :2])
        cop = np.where(is_loaded[:, None], weighted / np.maximum(weight, MIN_WEIGHT_N)[:, None], np.nan)
        arm = point_m[:, own, :2] - np.nan_to_num(cop)[:, None]
        free_moment = (arm[..., 0] * own_force[..., 1] - arm[..., 1] * own_force[..., 0]).sum(axis=1)
        forces.append(own_force.sum(axis=1))
        cops.append(cop)
        free_moments.append(free_moment * is_loaded)
    return encode_ground_forces(
        motion.time_s,
        _column_names(bodies),
        np.stack(forces, axis=1),
        np.stack(cops, axis=1),
        np.stack(free_moments, axis=1),
    )


def _column_names(bodies: Sequence[str]) -> Sequence[str]:
    """Return the names of the bodies in columns: Right and Left for a robot on two feet, as recordings have it."""
    sides = [next((side for side in SIDES if side in body), body) for body in bodies]
    return sides if sorted(sides) == sorted(SIDES) else bodies


def encode_ground_forces(
    time_s: Array, feet: Sequence[str], force_n: Array, cop_m: Array, free_moment_nm: Array
) -> bytes:
    """Return ground forces as OpenSim's external loads, y up; a foot in the air has no force, at the origin.

    Args:
        time_s: Shape (T,).
        feet: Their names, n of them.
        force_n: In world, z up. Shape (T, n, 3).
        cop_m: Centre of pressure; NaN while a foot is in the air. Shape (T, n, 2).
        free_moment_nm: About the vertical through it. Shape (T, n).
    """
    names = ["time"]
    columns = [time_s[:, None]]
    for index, foot in enumerate(feet):
        point_m = np.insert(np.nan_to_num(cop_m[:, index]), 2, 0.0, axis=1)
        moment_nm = np.outer(free_moment_nm[:, index], [0.0, 0.0, 1.0])
        for quantity, vectors in (("force_v", force_n[:, index]), ("force_p", point_m), ("torque_", moment_nm)):
            names += [f"{foot.lower()}_ground_{quantity}{axis}" for axis in "xyz"]
            columns.append(vectors @ _Z_UP_TO_Y_UP.T)
    return _encode_table("ground forces", names, np.concatenate(columns, axis=1))


def _encode_table(title: str, names: Sequence[str], table: Array) -> bytes:
    """Return a table as a file; its first column is the time. Shape (T, len(names))."""
    head = [title, "version=1", f"nRows={len(table)}", f"nColumns={len(names)}", "inDegrees=yes", "endheader"]
    rows = ["\t".join(f"{value:.8f}" for value in row) for row in table]
    return "\n".join([*head, "\t".join(names), *rows, ""]).encode()


READER = MotReader()
WRITER = MotWriter()
