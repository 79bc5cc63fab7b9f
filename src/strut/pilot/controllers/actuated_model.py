"""Actuated model: a biped as its controllers see it, with motors, joints that follow by springs, and line feet."""

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
    """Where motors and springs are among the coordinates of a model; the base comes first in qpos and qvel.

    Args:
        table: How it is controlled.
        model: Compiled.
        motor_dof: Columns of qvel. Shape (n_motors,).
        spring_dof: Columns of qvel. Shape (n_springs,).
        spring_leg: Which foot's leg each spring belongs to. Shape (n_springs,).
        spring_rest: Angle at rest: constant part. Shape (n_springs,).
        spring_map: What follows the motors: rest = constant + map @ motor angles. Shape (n_springs, n_motors).
        torque_limit_nm: Of the motors, at the joint. Shape (n_motors,).
        friction_nm_s_rad: Of the motors and gears, at the joint: what they brake by themselves. Shape (n_motors,).
        foot_motor: Which motors turn the feet.
        feet: Where they touch.
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
        """How many motors it has."""
        return len(self.motor_dof)

    def dynamics(self) -> WholeBody:
        """Return its dynamics with springs locked: velocities of the base, then of the motors."""
        reduction = np.zeros((self.model.nv, BASE + self.motor_count))
        reduction[:BASE, :BASE] = np.eye(BASE)
        reduction[self.motor_dof, np.arange(BASE, BASE + self.motor_count)] = 1.0
        reduction[self.spring_dof, BASE:] = self.spring_map
        return WholeBody(self.model, self.table.base, self.feet, reduction)

    def at_rest(self, motor_rad: Array) -> Array:
        """Return joint angles with springs at rest. Shapes (n_motors,) in, (n_joints,) out."""
        joints = np.zeros(self.model.nv - BASE)
        joints[self.motor_dof - BASE] = motor_rad
        joints[self.spring_dof - BASE] = self.spring_rest + self.spring_map @ motor_rad
        return joints


def actuated_model(model: MjModel, table: ControlTable) -> ActuatedModel:
    """Return the body that a table describes; raises BadTableError where it names what the model does not have."""
    names = {model.joint(k).name: int(model.joint(k).dofadr[0]) for k in range(model.njnt)}
    legs = [sorted(names[j] for j in _leg_joints(model, foot.body)) for foot in table.foot]
    _check_joints(table, model, set(names))
    motors = list(table.motors)
    springs = [spring.joint for spring in table.spring]
    left, right = (motors.index(foot.joint) for foot in table.foot)
    return ActuatedModel(
        table=table,
        model=model,
        motor_dof=np.array([names[name] for name in motors]),
        spring_dof=np.array([names[name] for name in springs]),
        spring_leg=np.array([0 if names[name] in legs[0] else 1 for name in springs]),
        spring_rest=np.array([spring.rest_rad for spring in table.spring]),
        spring_map=_spring_map(table),
        torque_limit_nm=np.array([_torque_limit(model, name) for name in motors]),
        friction_nm_s_rad=np.array([model.dof_damping[names[name]] for name in motors]),
        foot_motor=(left, right),
        feet=(_foot_line(table.foot[0]), _foot_line(table.foot[1])),
    )


def _check_joints(table: ControlTable, model: MjModel, names: set[str]) -> None:
    """Refuse a table that names other joints than the model has, or leaves some out."""
    wanted = {*table.motors, *(spring.joint for spring in table.spring), *(foot.joint for foot in table.foot)}
    if missing := wanted - names:
        raise BadTableError(f"control.toml: the model has no joint {sorted(missing)[0]}.")
    if len(table.motors) + len(table.spring) != model.nv - BASE or model.nq != model.nv + 1:
        raise BadTableError("control.toml: motors and springs together are not the joints of the model.")
    if len(table.motor_damping) != len(table.motors):
        raise BadTableError(f"control.toml: motor_damping needs {len(table.motors)} numbers, one for each motor.")


def _spring_map(table: ControlTable) -> Array:
    """Return by how much each spring's rest follows each motor. Shape (n_springs, n_motors)."""
    follows = np.zeros((len(table.spring), len(table.motors)))
    for row, spring in enumerate(table.spring):
        if spring.follows is not None:
            follows[row, table.motors.index(spring.follows)] = spring.ratio
    return follows


def _leg_joints(model: MjModel, body_name: str) -> list[str]:
    """Return the joints between the base and a body."""
    body = model.body(body_name).id
    found = []
    while model.body_parentid[body] != 0:
        first = model.body_jntadr[body]
        count = model.body_jntnum[body]
        found += [model.joint(k).name for k in range(first, first + count)]
        body = model.body_parentid[body]
    return found


def _torque_limit(model: MjModel, name: str) -> float:
    motor = model.actuator(name)
    return float(abs(motor.ctrlrange[1] * motor.gear[0]))


def _foot_line(foot: LineFoot) -> FootLine:
    """Return the line of a foot: its pivot is the point of the sole nearest to the foot's joint."""
    toe = np.array(foot.toe_m)
    heel = np.array(foot.heel_m)
    line = (toe - heel) / np.linalg.norm(toe - heel)
    below = toe - line * (line @ toe)  # from the joint to the line, at a right angle
    distance = float(np.linalg.norm(below))
    normal = -below / distance
    return FootLine(
        body=foot.body,
        pivot=-(distance + foot.radius_m) * normal,
        axes=np.stack([line, normal], axis=1),
        ends_m=(float(line @ toe), float(line @ heel)),
    )


def limited(torque_nm: Array, limit_nm: Array) -> Array:
    """Return torques within their limits. Shape (n,)."""
    return np.maximum(np.minimum(torque_nm, limit_nm), -limit_nm)
