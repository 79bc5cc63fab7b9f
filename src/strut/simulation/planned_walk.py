"""Planned walk: reference state of feet, centre of mass and joints at any time, for controllers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.inverse_dynamics import velocities
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.engines.task_jacobians import task_jacobians
from strut.maths.sampling import runs
from strut.motion import Motion
from strut.robot import BASE, Robot

HANDOVER_S = 0.08  # time in which a foot takes over or gives up its load


class PlannedInstant(NamedTuple):
    """The plan at one time, in world axes; triples are position, velocity and acceleration.

    Args:
        com_m: Centre of mass. Shape (3, 3).
        foot_m: Feet. Shape (3, n, 3).
        foot_rotation: Feet to world. Shape (n, 3, 3).
        foot_turn: Their angular velocity and acceleration. Shape (2, n, 3).
        base_m: Position of the base. Shape (3,).
        base_rotation: Base to world. Shape (3, 3).
        base_turn: Its angular velocity and acceleration, in base axes. Shape (2, 3).
        joint_rad: Joints. Shape (3, n_joints).
        load: Share of the weight that each foot carries. Shape (n,).
        progress: Progress of each foot's stance or swing, from 0 to 1. Shape (n,).
        down: Feet in stance. Shape (n,).
        left_s: Time until each foot's stance or swing ends. Shape (n,).
    """

    com_m: Array
    foot_m: Array
    foot_rotation: Array
    foot_turn: Array
    base_m: Array
    base_rotation: Array
    base_turn: Array
    joint_rad: Array
    load: Array
    progress: Array
    down: npt.NDArray[np.bool_]
    left_s: Array


class PlannedWalk:
    """A motion of a floating robot on feet, with mean height h of its centre of mass and omega = sqrt(g / h)."""

    def __init__(self, robot: Robot, motion: Motion) -> None:
        time_s = motion.time_s
        planned = task_jacobians(robot, motion.qpos)
        qvel, qacc = velocities(robot, time_s, motion.qpos)
        self.height_m = float(planned.com_in_world[:, 2].mean())
        self.omega = math.sqrt(GRAVITY_M_S2 / self.height_m)
        spin = np.einsum("tnij,tj->tni", planned.foot[:, :, 3:], qvel)
        parts: dict[str, Array] = {  # in the order of `PlannedInstant`
            "com_m": _rates(time_s, planned.com_in_world),
            "foot_m": _rates(time_s, planned.foot_in_world),
            "foot_rotation": planned.foot_rotation,
            "foot_turn": np.stack([spin, np.gradient(spin, time_s, axis=0)], axis=1),
            "base_m": motion.qpos[:, :3],
            "base_rotation": planned.base_rotation,
            "base_turn": np.stack([qvel[:, 3:BASE], qacc[:, 3:BASE]], axis=1),
            "joint_rad": np.stack([motion.joint_angles_rad, qvel[:, BASE:], qacc[:, BASE:]], axis=1),
            "load": loads(time_s, motion.contact),
        }
        self._table = np.concatenate([values.reshape(len(time_s), -1) for values in parts.values()], axis=1)
        ends = np.cumsum([values[0].size for values in parts.values()]).tolist()
        starts = [0, *ends[:-1]]
        self._places = [
            (start, end, values.shape[1:]) for values, start, end in zip(parts.values(), starts, ends, strict=True)
        ]
        self._progress, self._left_s = _steps(time_s, motion.contact)
        self._start_s = float(time_s[0])
        self._step_s = float(time_s[1] - time_s[0])
        self._down = motion.contact

    def at(self, time_s: float) -> PlannedInstant:
        """Return the plan at a time, linearly interpolated."""
        table = self._table
        place = min(max((time_s - self._start_s) / self._step_s, 0.0), len(table) - 1.0)
        before = min(int(place), len(table) - 2)
        row = table[before] + (place - before) * (table[before + 1] - table[before])
        values = [row[start:end].reshape(shape) for start, end, shape in self._places]
        now = round(place)
        return PlannedInstant._make((*values, self._progress[now], self._down[now], self._left_s[now]))


def loads(time_s: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return each foot's share of the weight, smoothed over the handover. Shape (T, n) in and out."""
    window = max(1, round(HANDOVER_S / (time_s[1] - time_s[0])))
    kernel = np.hanning(window + 2)[1:-1]
    padded = np.pad(contact.astype(float), ((window, window), (0, 0)), mode="edge")
    smooth = np.stack([np.convolve(column, kernel / kernel.sum(), mode="same") for column in padded.T], axis=1)
    load = np.where(contact, smooth[window:-window], 0.0)
    return np.asarray(load / np.maximum(load.sum(axis=1, keepdims=True), 1e-9))


def _rates(time_s: Array, values: Array) -> Array:
    """Return values with their first and second derivatives. Shape (T, ...) in, (T, 3, ...) out."""
    speed = np.gradient(values, time_s, axis=0)
    return np.stack([values, speed, np.gradient(speed, time_s, axis=0)], axis=1)


def _steps(time_s: Array, contact: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return the progress of each stance and swing, from 0 to 1, and the time until it ends. Shapes (T, n)."""
    progress = np.ones(contact.shape)
    left_s = np.zeros(contact.shape)
    step_s = time_s[1] - time_s[0]
    for foot, down in enumerate(contact.T):
        for rows in (*runs(down), *runs(~down)):
            count = rows.stop - rows.start
            progress[rows, foot] = np.arange(1, count + 1) / (count + 1)
            left_s[rows, foot] = np.arange(count, 0, -1) * step_s
    return progress, left_s
