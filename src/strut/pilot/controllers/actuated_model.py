"""Actuated model of a biped for its controllers: motors, passive spring joints and line feet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from strut.arrays import Array, Index
from strut.errors import BadTableError
from strut.pilot.controllers.controller_dynamics import FootLine, WholeBody
from strut.robot import BASE
from strut.schemas.control import ControlTable, LineFoot

if TYPE_CHECKING:
    from mujoco import MjModel

FEET = 2


@dataclass(frozen=True, slots=True, eq=False)
class ActuatedModel:
    """Indices of motors and springs in the coordinates of a model; the base comes first in qpos and qvel.

    Args:
        table: Motors, springs, feet and gains from control.toml.
        model: Compiled MuJoCo model.
        motor_dof: Columns of qvel of the motors. Shape (n_motors,).
        spring_dof: Columns of qvel of the springs. Shape (n_springs,).
        spring_leg: Leg of each spring, 0 left or 1 right. Shape (n_springs,).
        spring_rest: Constant part of the rest angles [rad]. Shape (n_springs,).
        spring_map: Part of the rest angles that follows the motors: rest = spring_rest + spring_map @ motor angles.
            Shape (n_springs, n_motors).
        torque_limit_nm: Torque limits at the joints. Shape (n_motors,).
        friction_nm_s_rad: Viscous friction of motors and gears at the joints. Shape (n_motors,).
        foot_motor: Motors of the ankles, left and right.
        feet: Contact lines of the feet.
    """

    table: ControlTable
    model: MjModel
    motor_dof: Index
    spring_dof: Index
    spring_leg: Index
    spring_rest: Array
    spring_map: Array
    torque_limit_nm: Array
    friction_nm_s_rad: Array
    foot_motor: tuple[int, int]
    feet: tuple[FootLine, FootLine]

    @property
    def motor_count(self) -> int:
        """Number of motors."""
        return len(self.motor_dof)

    def dynamics(self) -> WholeBody:
        """Return the whole-body dynamics with locked springs; minimal velocities: base, then motors."""
        reduction = np.zeros((self.model.nv, BASE + self.motor_count))
        reduction[:BASE, :BASE] = np.eye(BASE)
        reduction[self.motor_dof, np.arange(BASE, BASE + self.motor_count)] = 1.0
        reduction[self.spring_dof, BASE:] = self.spring_map
        return WholeBody(self.model, self.table.base, self.feet, reduction)

    def joints_at_rest(self, motor_rad: Array) -> Array:
        """Return all joint angles when the springs are at rest. Shapes (n_motors,) in, (n_joints,) out."""
        joints = np.zeros(self.model.nv - BASE)
        joints[self.motor_dof - BASE] = motor_rad
        joints[self.spring_dof - BASE] = self.spring_rest + self.spring_map @ motor_rad
        return joints


def actuated_model(model: MjModel, table: ControlTable) -> ActuatedModel:
    """Return the actuated model of control.toml; raises BadTableError if that does not match the MuJoCo model."""
    dof = {model.joint(k).name: int(model.joint(k).dofadr[0]) for k in range(model.njnt)}
    _check_joints(table, model, set(dof))
    left_leg = _leg_joints(model, table.foot[0].body)
    motors = list(table.motors)
    springs = [spring.joint for spring in table.spring]
    left_ankle, right_ankle = (motors.index(foot.joint) for foot in table.foot)
    return ActuatedModel(
        table=table,
        model=model,
        motor_dof=np.array([dof[name] for name in motors]),
        spring_dof=np.array([dof[name] for name in springs]),
        spring_leg=np.array([0 if name in left_leg else 1 for name in springs]),
        spring_rest=np.array([spring.rest_rad for spring in table.spring]),
        spring_map=_spring_map(table),
        torque_limit_nm=np.array([_torque_limit(model, name) for name in motors]),
        friction_nm_s_rad=np.array([model.dof_damping[dof[name]] for name in motors]),
        foot_motor=(left_ankle, right_ankle),
        feet=(_foot_line(table.foot[0]), _foot_line(table.foot[1])),
    )


def _check_joints(table: ControlTable, model: MjModel, names: set[str]) -> None:
    """Raise BadTableError unless motors and springs together are the joints of the model."""
    wanted = {*table.motors, *(spring.joint for spring in table.spring), *(foot.joint for foot in table.foot)}
    if missing := wanted - names:
        raise BadTableError(f"control.toml: the model has no joint {sorted(missing)[0]}.")
    if len(table.motors) + len(table.spring) != model.nv - BASE or model.nq != model.nv + 1:
        raise BadTableError("control.toml: motors and springs together are not the joints of the model.")
    if len(table.motor_damping) != len(table.motors):
        raise BadTableError(f"control.toml: motor_damping needs {len(table.motors)} numbers, one for each motor.")


def _spring_map(table: ControlTable) -> Array:
    """Return the change of each spring's rest angle per motor angle. Shape (n_springs, n_motors)."""
    spring_map = np.zeros((len(table.spring), len(table.motors)))
    for row, spring in enumerate(table.spring):
        if spring.follows is not None:
            spring_map[row, table.motors.index(spring.follows)] = spring.ratio
    return spring_map


def _leg_joints(model: MjModel, body_name: str) -> list[str]:
    """Return the names of the joints between the base and a body."""
    body = model.body(body_name).id
    joints = []
    while model.body_parentid[body] != 0:
        first = model.body_jntadr[body]
        count = model.body_jntnum[body]
        joints += [model.joint(k).name for k in range(first, first + count)]
        body = model.body_parentid[body]
    return joints


def _torque_limit(model: MjModel, name: str) -> float:
    motor = model.actuator(name)
    return float(abs(motor.ctrlrange[1] * motor.gear[0]))


def _foot_line(foot: LineFoot) -> FootLine:
    """Return the contact line of a foot; its pivot is the point of the sole nearest to the ankle."""
    toe = np.array(foot.toe_m)
    heel = np.array(foot.heel_m)
    line = (toe - heel) / np.linalg.norm(toe - heel)
    below = toe - line * (line @ toe)  # perpendicular from the ankle to the line
    distance = float(np.linalg.norm(below))
    normal = -below / distance
    return FootLine(
        body=foot.body,
        pivot=-(distance + foot.radius_m) * normal,
        axes=np.stack([line, normal], axis=1),
        ends_m=(float(line @ toe), float(line @ heel)),
    )


def clip_torque(torque_nm: Array, limit_nm: Array) -> Array:
    """Return the torques, clipped to their limits. Shape (n,)."""
    return np.maximum(np.minimum(torque_nm, limit_nm), -limit_nm)
