"""Record of a torque-controlled plant: samples while it runs, and the path, slip and work that follow from them."""

from __future__ import annotations

import math

import numpy as np

from strut.arrays import Array
from strut.engines.contact_slip import slip_under_load
from strut.engines.rigid_body import foot_positions
from strut.pilot.plant.torque_plant import TorquePlant
from strut.robot import BASE, Robot
from strut.simulation.run_outcome import TOUCHED_N

MIN_UPRIGHT_COSINE = math.cos(math.radians(40.0))  # a base tilted further has fallen
MIN_HEIGHT_SHARE = 0.5  # a base below this share of its initial height has fallen


class PilotedRecord:
    """Samples of a plant. Lists have one entry per sample.

    Attributes:
        time_s, qpos, torque_nm: Time, configuration and joint torques.
        force_n: Ground force on each foot at that instant.
        timeline: Time, mode and phase, whenever mode or phase changes.
        fell: Whether the robot has fallen.
        work_j: Mechanical work of all motors; braking counts as positive.
        torque_use: Largest torque relative to its limit.
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
        self._tick_forces_n: list[list[Array]] = []  # ground forces in the ticks nearest to each sample
        self._pending_forces_n: list[Array] = []  # ground forces in the ticks since the last sample
        self.timeline: list[tuple[float, str, str]] = []
        self.fell = False
        self.work_j = 0.0
        self.torque_use = 0.0

    def tick(self, torque_nm: Array, tick_s: float) -> None:
        """Add the work of torques that will act for one tick, and detect a fall. Shape (n_motors,)."""
        self._last = torque_nm
        _, _, height, _, x, y, _ = self._plant.qpos[:7].tolist()
        has_tipped = 1.0 - 2.0 * (x * x + y * y) < MIN_UPRIGHT_COSINE
        self.fell = self.fell or has_tipped or height < MIN_HEIGHT_SHARE * self._height_m
        speed = self._plant.qvel[self._motor_dof]
        self.work_j += float(np.abs(torque_nm) @ np.abs(speed)) * tick_s
        self.torque_use = max(self.torque_use, float(np.max(np.abs(torque_nm) / self._limit)))

    def record_tick_forces(self) -> None:
        """Record the ground forces of the last tick, because a landing is shorter than a sample."""
        self._pending_forces_n.append(self._plant.foot_forces()[0])

    def reset_work(self) -> None:
        """Set work and torque use to 0."""
        self.work_j = 0.0
        self.torque_use = 0.0

    def sample(self, time_s: float, mode: str, phase: str) -> None:
        """Record the present instant."""
        plant = self._plant
        force, other = plant.foot_forces()
        half = len(self._pending_forces_n) // 2
        if self._tick_forces_n:
            self._tick_forces_n[-1] += self._pending_forces_n[:half]
        self._tick_forces_n.append(self._pending_forces_n[half:])
        self._pending_forces_n = []
        joints = np.zeros(plant.model.nv - BASE)
        joints[self._motor_dof - BASE] = self._last
        self.time_s.append(time_s)
        self.qpos.append(plant.qpos.copy())
        self.torque_nm.append(joints)
        self.force_n.append(force)
        if not self.timeline or self.timeline[-1][1:] != (mode, phase):
            self.timeline.append((round(time_s, 3), mode, phase))
        self.fell = self.fell or other > TOUCHED_N

    def mean_force_n(self) -> Array:
        """Return the ground force on each foot, averaged over the ticks nearest to each sample. Shape (T, 2, 3).

        Unlike forces at single instants, averages keep the whole impulse of a landing.
        """
        means = [
            np.mean(forces, axis=0) if forces else instant
            for forces, instant in zip(self._tick_forces_n, self.force_n, strict=True)
        ]
        return np.array(means)

    def path_m(self) -> float:
        """Return the length of the base's path over the ground, sampled every half second."""
        stride = max(1, round(0.5 / (self.time_s[1] - self.time_s[0]))) if len(self.time_s) > 1 else 1
        places = np.array([qpos[:2] for qpos in self.qpos[::stride]])
        return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())

    def slip_m(self, robot: Robot, min_load_n: float) -> float:
        """Return the largest distance that a point of a foot slid since the foot was loaded, rolling not counted.

        Args:
            robot: The robot.
            min_load_n: Vertical force above which a foot is loaded; one that is being set down or lifted may slide.
        """
        qpos = np.array(self.qpos)
        is_loaded = np.array(self.force_n)[:, :, 2] > min_load_n
        step_s = self.time_s[1] - self.time_s[0]
        return float(slip_under_load(robot, foot_positions(robot, qpos), qpos, is_loaded, step_s).max())
