"""Torque model: the MJCF file of a robot's folder, with its own motors, springs and sensors, on our floor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadTableError
from strut.models.catalogue import HOME, robot_home
from strut.models.model_builder import FLOOR
from strut.robot import Robot
from strut.schemas.control import ControlTable
from strut.schemas.imported import ImportedBody

CONTACT_LOAD_SHARE = 0.05  # of the weight: the default contact load
FLOOR_SOLREF = (0.005, 1.0)  # time constant [s] and damping ratio of contacts: a stiff floor


def control_table(robot: Robot) -> ControlTable:
    """Return control.toml of a robot's folder; raises BadTableError without one."""
    table = robot.tables.control
    if table is None:
        raise BadTableError(f"{robot.name} has no control.toml in its folder, so no controller can drive it.")
    return table


def contact_load_n(robot: Robot) -> float:
    """Return the load above which a foot is in contact; a foot that is being set down may still tilt."""
    load_n = control_table(robot).contact_load_n
    return CONTACT_LOAD_SHARE * robot.mass_kg * GRAVITY_M_S2 if load_n is None else load_n


def slip_load_n(robot: Robot) -> float:
    """Return the load above which a moving foot slips; a foot that is being set down or lifted may slide."""
    load_n = control_table(robot).slip_load_n
    return contact_load_n(robot) if load_n is None else load_n


def torque_model(robot: Robot, *, friction: float, step_s: float) -> mujoco.MjModel:
    """Return a robot's own MJCF model on a floor, driven by torques; feet and floor have the same friction."""
    body = robot.body_as(ImportedBody)
    if body.mjcf is None:
        raise BadTableError(f"{robot.name} cannot be driven by torques: its body is not described by an MJCF file.")
    spec = mujoco.MjSpec.from_file(str(_folder(robot) / body.mjcf))
    spec.option.timestep = step_s
    floor = spec.worldbody.add_geom(name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05])
    floor.contype = 1
    floor.conaffinity = 0
    floor.priority = 1  # only the floor's friction counts
    floor.friction = [friction, 0.005, 0.0001]
    floor.solref = FLOOR_SOLREF
    return spec.compile()


@dataclass(frozen=True, slots=True, eq=False)
class MotorGears:
    """Gear ratios and joint damping of the motors, in the order of control.toml. Shapes (n_motors,)."""

    ratio: Array
    damping_nm_s_rad: Array


def motor_gears(robot: Robot) -> MotorGears:
    """Return the gears of a robot's motors, from its own MJCF file."""
    model = torque_model(robot, friction=robot.friction, step_s=0.001)
    motors = control_table(robot).motors
    joints = [model.joint(name).dofadr[0] for name in motors]
    return MotorGears(
        np.array([float(model.actuator(name).gear[0]) for name in motors]), np.array(model.dof_damping[joints])
    )


def _folder(robot: Robot) -> Path:
    homes = (HOME / robot.name, robot_home() / robot.name)
    return next((home for home in homes if (home / "robot.toml").is_file()), Path(robot.name))
