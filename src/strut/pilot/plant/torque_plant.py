"""MuJoCo as the plant of a torque-controlled robot: torques and pushes in, noisy sensors and contact forces out."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from strut.arrays import Array
from strut.models.model_builder import FLOOR
from strut.robot import BASE

mujoco.set_mju_user_warning(lambda _message: None)  # else MuJoCo writes a log file into the user's folder


@dataclass(frozen=True, slots=True)
class SensorNoise:
    """Standard deviations of white noise per reading, and constant biases in a random direction.

    The tilt bias rotates roll and pitch; yaw has no bias.
    """

    joint_rad: float = 5e-4
    joint_rad_s: float = 0.03
    gyro_rad_s: float = 0.005
    accelerometer_m_s2: float = 0.1
    accelerometer_bias_m_s2: float = 0.05
    tilt_bias_rad: float = 0.00524


USUAL_NOISE = SensorNoise()
NO_NOISE = SensorNoise(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class TorquePlant:
    """A simulated body driven by torques at its joints. Its arrays are views of the simulation.

    Args:
        model: Compiled model with an accelerometer and a gyro.
        base: Name of the floating base.
        feet: Names of the bodies of the feet.
    """

    def __init__(self, model: mujoco.MjModel, base: str, feet: tuple[str, str]) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self._base = model.body(base).id
        self._gear = model.actuator_gear[:, 0].copy()
        self._feet = [model.body(foot).id for foot in feet]
        self._floor = model.geom(FLOOR).id
        self.qpos = self.data.qpos
        self.qvel = self.data.qvel
        self.motor_dof = model.jnt_dofadr[model.actuator_trnid[:, 0]]
        acc = model.sensor("accelerometer")
        gyro = model.sensor("gyro")
        self.accelerometer = self.data.sensordata[acc.adr[0] : acc.adr[0] + 3]
        self.gyro = self.data.sensordata[gyro.adr[0] : gyro.adr[0] + 3]

    def reset(self, qpos: Array) -> None:
        """Place the body at rest in a configuration. Shape (nq,)."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = qpos
        mujoco.mj_forward(self.model, self.data)
        self.accelerometer[:] = self.data.xmat[self._base].reshape(3, 3).T @ (0.0, 0.0, 9.81)

    def step(self, torque_nm: Array, steps: int) -> None:
        """Apply torques for a number of simulation steps. Shape (n_motors,)."""
        self.data.ctrl[:] = torque_nm / self._gear
        mujoco.mj_step(self.model, self.data, nstep=steps)

    def push(self, force_n: Array) -> None:
        """Apply a force to the base until the next call, in world axes. Shape (3,)."""
        self.data.xfrc_applied[self._base, :3] = force_n

    @property
    def time_s(self) -> float:
        """Time since the last reset."""
        return float(self.data.time)

    def foot_places(self) -> Array:
        """Return the origins of the feet's bodies in world. Shape (2, 3)."""
        return np.asarray(self.data.xpos[self._feet])

    def foot_forces(self) -> tuple[Array, float]:
        """Return the ground force on each foot in world axes (2, 3), and the size of that on all other bodies [N]."""
        forces = np.zeros((2, 3))
        other = 0.0
        contact_force = np.zeros(6)
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            pair = (int(contact.geom1), int(contact.geom2))
            if self._floor not in pair:
                continue
            mujoco.mj_contactForce(self.model, self.data, k, contact_force)
            sign = 1.0 if pair[0] == self._floor else -1.0
            force = contact.frame.reshape(3, 3).T @ contact_force[:3] * sign
            body = int(self.model.geom_bodyid[pair[1] if pair[0] == self._floor else pair[0]])
            if body in self._feet:
                forces[self._feet.index(body)] += force
            else:
                other += float(np.linalg.norm(force))
        return forces, other


class Sensors:
    """Noisy sensors of the plant."""

    def __init__(self, plant: TorquePlant, noise: SensorNoise, rng: np.random.Generator) -> None:
        self._plant = plant
        self._rng = rng
        joints = plant.model.nv - BASE
        deviations = [noise.joint_rad] * joints + [noise.joint_rad_s] * joints
        self._deviation = np.array(deviations + [noise.gyro_rad_s] * 3 + [noise.accelerometer_m_s2] * 3)
        bias = rng.standard_normal(3)
        self._bias = noise.accelerometer_bias_m_s2 * bias / np.linalg.norm(bias)
        angle = rng.uniform(0.0, 2.0 * np.pi)
        self._tilt = np.array(
            [1.0, 0.5 * noise.tilt_bias_rad * np.cos(angle), 0.5 * noise.tilt_bias_rad * np.sin(angle), 0.0]
        )
        self._tilt /= np.linalg.norm(self._tilt)
        self._joints = joints

    def read(self) -> tuple[Array, Array, Array, Array, Array]:
        """Return quaternion (4,), gyro (3,), accelerometer (3,), joint angles and joint rates (n_joints,)."""
        plant = self._plant
        n = self._joints
        noise = self._rng.standard_normal(2 * n + 6)
        noise *= self._deviation
        quaternion = np.empty(4)
        mujoco.mju_mulQuat(quaternion, plant.qpos[3:7], self._tilt)
        return (
            quaternion,
            plant.qvel[3:BASE] + noise[2 * n : 2 * n + 3],
            plant.accelerometer + self._bias + noise[2 * n + 3 :],
            plant.qpos[7:] + noise[:n],
            plant.qvel[BASE:] + noise[n : 2 * n],
        )
