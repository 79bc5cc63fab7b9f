"""Motion as CSV: one row per sample, one column per number, names and units in the header; written and read."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.balance.contact_detection import detect_contacts
from strut.formats.number_table import parse_rows
from strut.formats.reader import require
from strut.models.catalogue import as_robot, robot_of
from strut.motion import Motion
from strut.plumbing.csv_text import original_cell, safe_cell
from strut.robot import FLOATING, Robot

BASE_COLUMNS: dict[int, tuple[str, ...]] = {  # by the number of coordinates before the joints
    FLOATING: ("base_x_m", "base_y_m", "base_z_m", "base_qw", "base_qx", "base_qy", "base_qz"),
    3: ("base_x_m", "base_y_m", "base_yaw_rad"),  # a platform on wheels
    0: (),
}


class MotionCsv:
    """Writes a motion as a table: base (x, y, z and a quaternion w, x, y, z), joints, feet, and forces if known."""

    ending = ".csv"

    def encode(self, motion: Motion) -> bytes:
        """Return the table in UTF-8."""
        joints = motion.joint_names
        feet = motion.foot_names
        base_size = motion.qpos.shape[1] - len(joints)
        base = BASE_COLUMNS.get(base_size, tuple(f"base_{index}" for index in range(base_size)))
        columns: dict[str, npt.NDArray[np.generic]] = {"time_s": motion.time_s}
        columns |= zip((*base, *(f"{joint}_rad" for joint in joints)), motion.qpos.T, strict=True)
        columns |= zip((f"{foot}_contact" for foot in feet), motion.contact.T.astype(int), strict=True)
        if motion.torque_nm is not None:
            columns |= zip((f"{joint}_nm" for joint in joints), motion.torque_nm.T, strict=True)
        if motion.ground_force_n is not None:
            forces_n = motion.ground_force_n.reshape(len(motion.time_s), -1).T
            columns |= zip((f"{foot}_f{axis}_n" for foot in feet for axis in "xyz"), forces_n, strict=True)
        if motion.cop_in_world is not None:
            columns |= zip(("cop_x_m", "cop_y_m"), motion.cop_in_world.T, strict=True)
        if motion.balance_margin_m is not None:
            columns["balance_margin_m"] = motion.balance_margin_m
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(map(safe_cell, columns))
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        return buffer.getvalue().encode()

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what a table cannot store."""
        return ("receipt", "notes") if motion.receipt else ("notes",)


class MotionCsvReader:
    """Reads such tables; columns that a motion does not need may be missing, and others are left out."""

    endings = (".csv",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether the first line names a time and an angle."""
        names = _header(head.decode("utf-8-sig", errors="replace").partition("\n")[0])
        return "time_s" in names and any(name.endswith("_rad") for name in names)

    def read(self, content: bytes, path: Path, *, robot: Robot | str) -> Motion:
        """Return the motion of a robot; contacts are detected if the table has none.

        Args:
            content: Of the file.
            path: Of the file.
            robot: The robot that moves.
        """
        first, *lines = content.decode("utf-8-sig", errors="replace").splitlines() or [""]
        names = _header(first)
        require("time_s" in names, "has no column time_s in its first line.")
        require(len(set(names)) == len(names), "names a column twice.")
        body = as_robot(robot)
        table = dict(zip(names, parse_rows(lines, len(names), 2, ",").T, strict=True))
        time_s = table["time_s"]
        qpos_names = (*BASE_COLUMNS[body.base_size], *(f"{joint}_rad" for joint in body.joint_names))
        missing = [name for name in qpos_names if name not in table]
        require(not missing, f"has no column {', '.join(missing[:4])}, which {body.name} needs.")
        qpos = np.column_stack([table[name] for name in qpos_names])
        contact: Any = _columns(table, [f"{foot}_contact" for foot in body.foot_names])
        torque_nm = _columns(table, [f"{joint}_nm" for joint in body.joint_names])
        force_n = _columns(table, [f"{foot}_f{axis}_n" for foot in body.foot_names for axis in "xyz"])
        motion = Motion(
            robot=body.name,
            time_s=time_s,
            qpos=qpos,
            joint_names=body.joint_names,
            contact=np.zeros((len(time_s), len(body.foot_names)), dtype=bool) if contact is None else contact,
            foot_names=body.foot_names,
            torque_nm=torque_nm,
            ground_force_n=None if force_n is None else force_n.reshape(len(time_s), -1, 3),
            cop_in_world=_columns(table, ["cop_x_m", "cop_y_m"]),
            balance_margin_m=table.get("balance_margin_m"),
            meta={"source": path.name, "robot_fingerprint": body.fingerprint},
        )
        robot_of(motion, body)
        if contact is None and body.feet:
            note = "The file has no contacts; they are found from heights and speeds of the feet."
            detected = detect_contacts(body, motion.time_s, motion.qpos)
            motion = replace(motion, contact=detected, meta={**motion.meta, "notes": [note]})
        return motion


def _header(line: str) -> list[str]:
    """Return the names of the columns."""
    return [original_cell(name.strip().strip('"')) for name in line.split(",")]


def _columns(table: Mapping[str, Array], names: Sequence[str]) -> Array | None:
    """Return some columns, None if one is not there. Shape (T, n)."""
    return np.column_stack([table[name] for name in names]) if names and all(map(table.__contains__, names)) else None


READER = MotionCsvReader()
WRITER = MotionCsv()
