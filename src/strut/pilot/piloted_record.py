"""Piloted record: samples of a torque-controlled plant while it runs, and what they amount to."""

from __future__ import annotations

import math

import numpy as np

from strut.arrays import Array
from strut.pilot.plant.torque_plant import TorquePlant
from strut.robot import BASE
from strut.simulation.playback import TOUCHED_N

TIPPED_COSINE = math.cos(math.radians(40.0))  # of the base's tilt: further is a fall
SUNK = 0.5  # so is a base below this share of its first height


class PilotedRecord:
    """What a plant did, sample by sample. Lists have one entry per sample.

    Attributes:
        time_s, qpos, torque_nm: Time, coordinates and joint torques.
        force_n, foot_m: Floor's force on each foot at that instant, and the feet's places.
        timeline: When which mode and phase began.
        fell: Whether it has fallen.
        work_j: Mechanical work of all motors, braking counted as positive.
        torque_use: Largest share of a torque limit.
    """

    def __init__(self, plant: TorquePlant, torque_limit_nm: Array) -> None:
        self._plant = plant
        self._limit = torque_limit_nm
        self._height_m = float(plant.qpos[2])
        self._last = np.zeros(len(torque_limit_nm))
        self._motor_dof = plant.motor_dof
        self.time_s: list[float] = []
        self.qpos: list[Array] = []
        self.torque_nm: list[Array] = []
        self.force_n: list[Array] = []
        self._felt_n: list[list[Array]] = []  # in the ticks that are nearest to each sample
        self._since_n: list[Array] = []  # in the ticks since the last sample
        self.foot_m: list[Array] = []
        self.timeline: list[tuple[float, str, str]] = []
        self.fell = False
        self.work_j = 0.0
        self.torque_use = 0.0

    def tick(self, torque_nm: Array, tick_s: float) -> None:
        """Count the work of torques that are about to act for a tick, and see whether it has fallen. (n_motors,)."""
        self._last = torque_nm
        _, _, height, _, x, y, _ = self._plant.qpos[:7].tolist()
        self.fell = self.fell or 1.0 - 2.0 * (x * x + y * y) < TIPPED_COSINE or height < SUNK * self._height_m
        speed = self._plant.qvel[self._motor_dof]
        self.work_j += float(np.abs(torque_nm) @ np.abs(speed)) * tick_s
        self.torque_use = max(self.torque_use, float(np.max(np.abs(torque_nm) / self._limit)))

    def feel(self) -> None:
        """Note the floor's forces in the tick that has just passed: a landing is shorter than a sample."""
        self._since_n.append(self._plant.foot_forces()[0])

    def forget_work(self) -> None:
        """Count work and torques anew."""
        self.work_j = 0.0
        self.torque_use = 0.0

    def sample(self, time_s: float, mode: str, phase: str) -> None:
        """Record the present instant."""
        plant = self._plant
        force, other = plant.foot_forces()
        half = len(self._since_n) // 2
        if self._felt_n:
            self._felt_n[-1] += self._since_n[:half]
        self._felt_n.append(self._since_n[half:])
        self._since_n = []
        joints = np.zeros(plant.model.nv - BASE)
        joints[self._motor_dof - BASE] = self._last
        self.time_s.append(time_s)
        self.qpos.append(plant.qpos.copy())
        self.torque_nm.append(joints)
        self.force_n.append(force)
        self.foot_m.append(plant.foot_places())
        if not self.timeline or self.timeline[-1][1:] != (mode, phase):
            self.timeline.append((round(time_s, 3), mode, phase))
        self.fell = self.fell or other > TOUCHED_N

    def mean_force_n(self) -> Array:
        """Return the floor's force on each foot, as the mean of the ticks nearest to each sample. Shape (T, 2, 3).

        So no impulse is lost between samples or counted twice, as at single instants.
        """
        means = (np.mean(felt, axis=0) if felt else now for felt, now in zip(self._felt_n, self.force_n, strict=True))
        return np.array(list(means))

    def path_m(self) -> float:
        """Return the length of the base's path over the ground, sampled every half second."""
        each = max(1, round(0.5 / (self.time_s[1] - self.time_s[0]))) if len(self.time_s) > 1 else 1
        places = np.array([qpos[:2] for qpos in self.qpos[::each]])
        return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())

    def slip_m(self, contact_load_n: float) -> float:
        """Return the largest distance that a foot's joint moved over the ground while the foot was in contact."""
        load = np.array(self.force_n)[:, :, 2]
        place = np.array(self.foot_m)[:, :, :2]
        largest = 0.0
        for foot in range(load.shape[1]):
            start: Array | None = None
            for down, here in zip(load[:, foot] > contact_load_n, place[:, foot], strict=True):
                start = (here if start is None else start) if down else None
                if start is not None:
                    largest = max(largest, float(np.linalg.norm(here - start)))
        return largest
