"""State estimator: complementary filter of accelerometer and stance-leg kinematics for the velocity of the base.

Orientation comes from the inertial unit, height from the stance leg; nothing of the simulator is read. The velocity
integrates the accelerometer and is drawn towards the one at which the standing foot would rest. Springs of a swinging
leg are taken as at rest: their vibration does not move the foot for long, and feeding it back excites them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.pilot.controllers.actuated_model import FEET, ActuatedModel
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.robot import BASE, FLOATING


@dataclass(slots=True, eq=False)
class Measurement:
    """What the sensors say at one tick.

    Args:
        quaternion: Of the base, wxyz, of length 1. Shape (4,).
        gyro_rad_s: In base axes. Shape (3,).
        accelerometer_m_s2: Specific force in base axes. Shape (3,).
        joint_rad: All joints, springs too, in the order of the model. Shape (n_joints,).
        joint_rad_s: Likewise.
    """

    quaternion: Array
    gyro_rad_s: Array
    accelerometer_m_s2: Array
    joint_rad: Array
    joint_rad_s: Array


class Observer:
    """The estimated state. Arrays are written over at every tick.

    Attributes:
        dynamics: Of the body, placed and moving as estimated; the base stands at its origin.
        velocity: Of the base and the motors. Shape (6 + n_motors,).
        foot_velocity: Five rows per foot. Shape (10,).
        height_m: Of the base over the ground.
        travelled_m: Path of the base in world x and y, by dead reckoning. Shape (2,).
    """

    def __init__(self, body: ActuatedModel, tick_s: float) -> None:
        self.body = body
        self.dynamics = body.dynamics()
        gains = body.table.observer
        self._tick_s = tick_s
        self._share = 1.0 - (1.0 - gains.velocity * 1e-3) ** (tick_s / 1e-3)
        self._qpos = np.zeros(body.model.nq)
        self._qvel = np.zeros(body.model.nv)
        self.velocity = np.zeros(BASE + body.motor_count)
        self.foot_velocity = np.zeros(FOOT_ROWS * FEET)
        self.height_m = 0.0
        self.travelled_m = np.zeros(2)
        self.motor_rad = np.zeros(body.motor_count)
        self._motor_qpos = body.motor_dof + 1
        chosen = [np.flatnonzero(body.spring_leg == leg) for leg in range(FEET)]
        self._spring_dof = [body.spring_dof[springs] for springs in chosen]
        self._spring_qpos = [dofs + 1 for dofs in self._spring_dof]
        self._spring_rest = [body.spring_rest[springs] for springs in chosen]
        self._spring_map = [body.spring_map[springs] for springs in chosen]
        joints = [body.model.joint(name).dofadr[0] - BASE for name in gains.load_joints]
        self._load_joint = [int(joint) for joint in joints]
        self._loaded_rad = gains.loaded_rad

    def update(self, measured: Measurement, swing: int | None) -> None:
        """Take in a measurement; `swing` is the foot that does not carry, None if both may."""
        body = self.body
        dynamics = self.dynamics
        qpos = self._qpos
        qvel = self._qvel
        qpos[3:FLOATING] = measured.quaternion
        qpos[FLOATING:] = measured.joint_rad
        qvel[3:BASE] = measured.gyro_rad_s
        qvel[BASE:] = measured.joint_rad_s
        np.take(qpos, self._motor_qpos, out=self.motor_rad)
        np.take(qvel, body.motor_dof, out=self.velocity[BASE:])
        if swing is not None:
            follow = self._spring_map[swing]
            qpos[self._spring_qpos[swing]] = self._spring_rest[swing] + follow @ self.motor_rad
            qvel[self._spring_dof[swing]] = follow @ self.velocity[BASE:]
        dynamics.place(qpos)
        force = dynamics.base_rotation @ measured.accelerometer_m_s2
        force[2] -= GRAVITY_M_S2
        speed = qvel[:3]
        speed += force * self._tick_s
        weights = self._weights(measured.joint_rad, swing)
        slip = dynamics.jacobian[:, 3:] @ qvel[3:]
        odometry = -(weights[0] * slip[:3] + weights[1] * slip[FOOT_ROWS : FOOT_ROWS + 3])
        speed += self._share * (odometry - speed)
        self.height_m = -float(weights[0] * dynamics.pivot[0, 2] + weights[1] * dynamics.pivot[1, 2])
        self.travelled_m += speed[:2] * self._tick_s
        dynamics.move(qvel)
        np.add(slip, dynamics.jacobian[:, :3] @ speed, out=self.foot_velocity)
        self.velocity[:BASE] = qvel[:BASE]

    def _weights(self, joint_rad: Array, swing: int | None) -> tuple[float, float]:
        """Return how far each foot's rest may be believed: the standing one, or both as they bend their springs."""
        if swing is not None:
            return (0.0, 1.0) if swing == 0 else (1.0, 0.0)
        left, right = (max(-float(joint_rad[joint]), 0.0) for joint in self._load_joint)
        total = left + right
        if total < self._loaded_rad:
            return 0.5, 0.5
        return left / total, right / total
