"""Servo balance: a planned walk is kept upright by moving the pressure under the feet, through position servos.

The capture point c + v / omega (Pratt et al., 2006) is compared with the planned one, carried along with where feet
really are. The pressure under each loaded foot goes beyond the error, inside its sole; the moment that takes is the
feet's, so the joints above give it: minus the transposed angular Jacobian times the moment.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.control.step_adjustment import StepAdjustment
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.engines.task_jacobians import task_jacobians
from strut.engines.walking_state import WalkingState, servo_stiffness
from strut.motion import Motion
from strut.robot import Array, Robot

GAIN = 3.0  # pressure moves by this much of the error; below 1 the capture point runs away
INSIDE = 0.85  # share of the sole that the pressure may use
UNLOADED = 0.02  # a foot that carries less of the weight is left alone
HANDOVER_S = 0.08  # in which a foot takes over or gives up its load


@dataclass(frozen=True, slots=True)
class Sensing:
    """What an estimator does to the state: noise of velocities, and how old it is.

    Args:
        velocity_noise_m_s: Standard deviation of the base's linear velocity.
        turn_noise_rad_s: Of its angular velocity.
        delay_s: Age of the state.
        seed: Of the noise.
    """

    velocity_noise_m_s: float = 0.0
    turn_noise_rad_s: float = 0.0
    delay_s: float = 0.0
    seed: int = 0


class ServoBalance:
    """Feedback for one playback of a walk; `correction` is called at every tick, in order."""

    def __init__(self, robot: Robot, motion: Motion, sensing: Sensing | None = None) -> None:
        planned = task_jacobians(robot, motion.qpos)
        self._time_s, self._foot_m = motion.time_s, planned.foot_in_world[..., :2]
        self._omega = math.sqrt(GRAVITY_M_S2 / float(planned.com_in_world[:, 2].mean()))
        com = planned.com_in_world[:, :2]
        self._capture_m = com + np.gradient(com, motion.time_s, axis=0) / self._omega
        self._load = _loads(motion.time_s, motion.contact)
        outlines = [np.array(foot.outline_m) for foot in robot.feet]
        self._least = INSIDE * np.array([outline.min(axis=0) for outline in outlines])
        self._most = INSIDE * np.array([outline.max(axis=0) for outline in outlines])
        self._state, self._weight_n = WalkingState(robot), robot.mass_kg * GRAVITY_M_S2
        self._steps, self._stiffness = StepAdjustment(robot, motion), servo_stiffness(robot)
        self._sensing = Sensing() if sensing is None else sensing
        self._noise, self._past = np.random.default_rng(self._sensing.seed), deque[tuple[float, Array, Array]]()

    def correction(self, time_s: float, qpos: Array, qvel: Array) -> Array:
        """Return the torques to add to those of the servos. Shapes (nq,), (nv,) in, (n_joints,) out."""
        state = self._state
        seen_qpos, seen_qvel = self._sensed(time_s, qpos, qvel)
        state.move(seen_qpos, seen_qvel)
        load, planned_m = self._now(self._load, time_s), self._now(self._foot_m, time_s)
        capture_m = state.com_m[:2] + state.com_velocity_m_s[:2] / self._omega
        carried_m = load @ (state.foot_m[:, :2] - planned_m)
        error_m = capture_m - self._now(self._capture_m, time_s) - carried_m
        torque = np.zeros(state.foot_turning.shape[-1])
        for foot in np.flatnonzero(load > UNLOADED):
            flat = state.foot_rotation[foot, :2, :2]
            shift = flat @ np.clip(flat.T @ (GAIN * error_m), self._least[foot], self._most[foot])
            pushed_n = load[foot] * self._weight_n
            moment = np.array([shift[1] * pushed_n, -shift[0] * pushed_n, 0.0])
            torque -= moment @ state.foot_turning[foot]
        step_s = self._time_s[1] - self._time_s[0]
        sample = min(max(round((time_s - self._time_s[0]) / step_s), 0), len(self._time_s) - 1)
        return torque[6:] + self._stiffness * self._steps.joints(sample, state, seen_qpos, carried_m, error_m)

    def _sensed(self, time_s: float, qpos: Array, qvel: Array) -> tuple[Array, Array]:
        """Return the state that an estimator would give."""
        sensing, past = self._sensing, self._past
        past.append((time_s, qpos.copy(), qvel.copy()))
        while len(past) > 1 and past[1][0] <= time_s - sensing.delay_s + 1e-9:
            past.popleft()
        _, seen_qpos, seen_qvel = past[0]
        spread = (*[sensing.velocity_noise_m_s] * 3, *[sensing.turn_noise_rad_s] * 3)
        if any(spread):
            seen_qvel = seen_qvel.copy()
            seen_qvel[:6] += self._noise.normal(size=6) * spread
        return seen_qpos, seen_qvel

    def _now(self, values: Array, time_s: float) -> Array:
        """Return evenly sampled values at a time. Shape (T, ...) in, (...) out."""
        step_s = self._time_s[1] - self._time_s[0]
        place = min(max((time_s - self._time_s[0]) / step_s, 0.0), len(values) - 1.0)
        before = min(int(place), len(values) - 2)
        share = place - before
        return np.asarray((1.0 - share) * values[before] + share * values[before + 1])


def _loads(time_s: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return the share of the weight that each foot carries, going over smoothly. Shape (T, n) in and out."""
    window = max(1, round(HANDOVER_S / (time_s[1] - time_s[0])))
    kernel = np.hanning(window + 2)[1:-1]
    padded = np.pad(contact.astype(float), ((window, window), (0, 0)), mode="edge")
    smooth = np.stack([np.convolve(column, kernel / kernel.sum(), mode="same") for column in padded.T], axis=1)
    load = np.where(contact, smooth[window:-window], 0.0)
    return np.asarray(load / np.maximum(load.sum(axis=1, keepdims=True), 1e-9))
