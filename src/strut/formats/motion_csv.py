"""Motion as CSV: one row per sample, one column per number, names and units in the header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from strut.motion import Motion

_BASES: dict[int, tuple[str, ...]] = {
    7: ("base_x_m", "base_y_m", "base_z_m", "base_qw", "base_qx", "base_qy", "base_qz"),
    3: ("base_x_m", "base_y_m", "base_yaw_rad"),
    0: (),
}


class MotionCsv:
    """Writes a motion as a table; the base first, as x, y, z and a quaternion w, x, y, z, then joints and feet."""

    ending = ".csv"

    def content(self, motion: Motion) -> bytes:
        """Return the table in UTF-8."""
        columns = dict((*_movement(motion), *_forces(motion)))
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
        return buffer.getvalue().encode()

    def lost(self, motion: Motion) -> tuple[str, ...]:
        """Return what a table has no place for."""
        return ("receipt", "notes") if motion.receipt else ("notes",)


Columns = Iterator[tuple[str, npt.NDArray[np.generic]]]  # name and numbers of each column, shape (T,)


def _movement(motion: Motion) -> Columns:
    yield "time_s", motion.time_s
    free = motion.qpos.shape[1] - len(motion.joint_names)
    base = _BASES.get(free, tuple(f"base_{index}" for index in range(free)))
    joints = [f"{name}_rad" for name in motion.joint_names]
    yield from zip((*base, *joints), motion.qpos.T, strict=True)
    yield from zip((f"{foot}_contact" for foot in motion.foot_names), motion.contact.T.astype(int), strict=True)


def _forces(motion: Motion) -> Columns:
    """Yield torques, forces of the ground, centre of pressure and balance margin, as far as they are known."""
    if motion.torque_nm is not None:
        yield from zip((f"{name}_nm" for name in motion.joint_names), motion.torque_nm.T, strict=True)
    if motion.ground_force_n is not None:
        forces = motion.ground_force_n.reshape(len(motion.time_s), -1).T
        yield from zip((f"{foot}_f{axis}_n" for foot in motion.foot_names for axis in "xyz"), forces, strict=True)
    if motion.cop_in_world is not None:
        yield from zip(("cop_x_m", "cop_y_m"), motion.cop_in_world.T, strict=True)
    if motion.balance_margin_m is not None:
        yield "balance_margin_m", motion.balance_margin_m


WRITER = MotionCsv()
