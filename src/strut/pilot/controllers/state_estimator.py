"""State estimator: complementary filter of accelerometer and stance-leg kinematics for the velocity of the base.

Orientation comes from the inertial measurement unit, height from the stance leg; nothing is read from the simulator.
The velocity integrates the accelerometer and is corrected towards the velocity at which the stance foot would rest.
Springs of a swing leg are assumed at rest: their vibration hardly moves the foot, and feedback of it would excite them.
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
    """Readings of the sensors at one tick.

    Args:
        quaternion: Orientation of the base, wxyz, of length 1. Shape (4,).
        gyro_rad_s: Angular velocity in base axes. Shape (3,).
        accelerometer_m_s2: Specific force in base axes. Shape (3,).
        joint_rad: Angles of all joints, springs included, in the order of the model. Shape (n_joints,).
        joint_rad_s: Their rates. Shape (n_joints,).
    """

    quaternion: Array
    gyro_rad_s: Array
    accelerometer_m_s2: Array
    joint_rad: Array
    joint_rad_s: Array


class StateEstimator:
    """The estimated state. Arrays are reused at every tick.

    Attributes:
        dynamics: Whole-body dynamics at the estimated configuration and velocity, with the base at the origin.
        velocity: Velocities of the base and the motors. Shape (6 + n_motors,).
        foot_velocity: Velocities of the feet, five rows each. Shape (10,).
        height_m: Of the base over the ground.
        travelled_m: Position of the base in world x and y, by dead reckoning. Shape (2,).
    """

    def __init__(self, body: ActuatedModel, tick_s: float) -> None:
        self.body = body
        self.dynamics = body.dynamics()
        gains = body.table.observer
        self._tick_s = tick_s
        self._correction = 1.0 - (1.0 - gains.velocity * 1e-3) ** (tick_s / 1e-3)  # the gain is tuned for ticks of 1 ms
        self._qpos = np.zeros(body.model.nq)
        self._qvel = np.zeros(body.model.nv)
        self.velocity = np.zeros(BASE + body.motor_count)
        self.foot_velocity = np.zeros(FOOT_ROWS * FEET)
        self.height_m = 0.0
        self.travelled_m = np.zeros(2)
        self.motor_rad = np.zeros(body.motor_count)
        self._motor_qpos = body.motor_dof + 1
        leg_springs = [np.flatnonzero(body.spring_leg == leg) for leg in range(FEET)]
        self._spring_dof = [body.spring_dof[springs] for springs in leg_springs]
        self._spring_qpos = [dofs + 1 for dofs in self._spring_dof]
        self._spring_rest = [body.spring_rest[springs] for springs in leg_springs]
        self._spring_map = [body.spring_map[springs] for springs in leg_springs]
        joints = [body.model.joint(name).dofadr[0] - BASE for name in gains.load_joints]
        self._load_joint = [int(joint) for joint in joints]
        self._loaded_rad = gains.loaded_rad

    def update(self, measured: Measurement, swing: int | None) -> None:
        """Update the estimate with a measurement; `swing` is the swing foot, None in double support."""
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
            spring_map = self._spring_map[swing]
            qpos[self._spring_qpos[swing]] = self._spring_rest[swing] + spring_map @ self.motor_rad
            qvel[self._spring_dof[swing]] = spring_map @ self.velocity[BASE:]
        dynamics.set_configuration(qpos)
        acceleration = dynamics.base_rotation @ measured.accelerometer_m_s2
        acceleration[2] -= GRAVITY_M_S2
        base_velocity = qvel[:3]  # a view: the estimate of the last tick
        base_velocity += acceleration * self._tick_s
        weights = self._contact_weights(measured.joint_rad, swing)
        foot_velocity = dynamics.jacobian[:, 3:] @ qvel[3:]  # relative to the base
        odometry = -(weights[0] * foot_velocity[:3] + weights[1] * foot_velocity[FOOT_ROWS : FOOT_ROWS + 3])
        base_velocity += self._correction * (odometry - base_velocity)
        self.height_m = -float(weights[0] * dynamics.pivot[0, 2] + weights[1] * dynamics.pivot[1, 2])
        self.travelled_m += base_velocity[:2] * self._tick_s
        dynamics.set_velocity(qvel)
        np.add(foot_velocity, dynamics.jacobian[:, :3] @ base_velocity, out=self.foot_velocity)
        self.velocity[:BASE] = qvel[:BASE]

    def _contact_weights(self, joint_rad: Array, swing: int | None) -> tuple[float, float]:
        """Return each foot's weight in leg odometry: the stance foot alone, or by the deflection of their springs."""
        if swing is not None:
            return (0.0, 1.0) if swing == 0 else (1.0, 0.0)
        left, right = (max(-float(joint_rad[joint]), 0.0) for joint in self._load_joint)
        total = left + right
        if total < self._loaded_rad:
            return 0.5, 0.5
        return left / total, right / total
