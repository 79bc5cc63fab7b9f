"""Motion as CSV: one row per sample, one column per number, names and units in the header."""

from __future__ import annotations

import csv
import io

import numpy as np
import numpy.typing as npt

from strut.motion import Motion
from strut.plumbing.csv_text import safe_cell
from strut.robot import FLOATING

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


WRITER = MotionCsv()
