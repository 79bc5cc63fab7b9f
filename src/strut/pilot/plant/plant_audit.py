"""Plant audit: consistency of forces, torques and motion in a recorded run of a torque-driven plant.

Such a motion is not planned: springs bend, feet land, and the robot balances by moving. By the equations of motion, the
recorded forces must explain the acceleration of the body (as impulse over a tenth of a second, because landings are
shorter than a sample) and act at its feet, and with torques and springs they must explain the motion of the joints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from strut.arrays import Array
from strut.audit import Audit
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.draft import Draft
from strut.engines.inverse_dynamics import InverseDynamics, inverse_dynamics, velocities
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.pilot.plant.passive_forces import passive_forces
from strut.pilot.plant.plant_limits import LIMIT_SET, PlantAudit
from strut.pilot.plant.torque_model import torque_model
from strut.robot import Robot
from strut.verify.landing_audit import mean_size

WINDOW_S = 0.1  # of the moving mean
FEWEST_SAMPLES = 60  # in a recording that can be judged
SETTLING_S = 0.15  # cut off at both ends, where finite differences are one-sided

Smoothing = Callable[[Array], Array]


def was_piloted(draft: Draft) -> bool:
    """Return whether a draft is a recorded run of a torque-driven plant, with torques and forces."""
    has_columns = draft.torque_nm is not None and draft.ground_force_n is not None
    is_long_enough = len(draft.qpos) >= FEWEST_SAMPLES
    return "piloted" in draft.meta and has_columns and is_long_enough and draft.robot.tables.control is not None


def plant_audit(draft: Draft, audit: Audit) -> Audit:
    """Return an audit with the forces and torques of the file and how well they explain the movement.

    An audit of any other draft is returned unchanged.
    """
    if not was_piloted(draft):
        return audit
    assert draft.torque_nm is not None
    assert draft.ground_force_n is not None
    robot = draft.robot
    time_s = draft.time_s
    qpos = draft.qpos
    dynamics = inverse_dynamics(robot, time_s, qpos)
    qvel, _ = velocities(robot, time_s, qpos)
    smooth = _smoothing(time_s)
    part = PlantAudit(
        force_off=_force_off(robot, dynamics, draft.ground_force_n, smooth),
        cop_off_m=_cop_off(robot, dynamics, draft.ground_force_n, smooth),
        torque_off=_torque_off(robot, dynamics, draft, qvel, smooth),
        tilt_rad=_tilt(qpos),
    )
    return replace(
        audit,
        torque_nm=draft.torque_nm,
        ground_force_n=draft.ground_force_n,
        margin_m=np.full(len(time_s), np.inf),  # it balances by stepping and keeps no margin
        force_disagreement=None,
        torque_disagreement=None,
        limit_set=LIMIT_SET,
        parts={**audit.parts, LIMIT_SET: part},
    )


def _smoothing(time_s: Array) -> Smoothing:
    """Return a moving mean over a tenth of a second, with the ends cut off."""
    step_s = float(time_s[1] - time_s[0])
    width = max(1, round(WINDOW_S / step_s))
    cut = max(1, round(SETTLING_S / step_s))

    def smooth(values: Array) -> Array:
        inner = values[cut:-cut]
        total = np.cumsum(np.concatenate([np.zeros((1, *inner.shape[1:])), inner]), axis=0)
        return np.asarray((total[width:] - total[:-width]) / width)

    return smooth


def _force_off(robot: Robot, dynamics: InverseDynamics, force_n: Array, smooth: Smoothing) -> float:
    off = smooth(force_n.sum(axis=1)) - smooth(dynamics.ground_force_n)
    return mean_size(np.linalg.norm(off, axis=1)) / (robot.mass_kg * GRAVITY_M_S2)


def _cop_off(robot: Robot, dynamics: InverseDynamics, force_n: Array, smooth: Smoothing) -> float:
    """Return the distance between the centres of pressure of recorded forces and of the motion, across the feet [m].

    Along a line foot, the centre of pressure is free; across, it is on the line.
    """
    motion_cop = cop_of_wrench(smooth(dynamics.ground_force_n), smooth(dynamics.ground_moment_nm))
    moment = np.cross(dynamics.foot_in_world, force_n).sum(axis=1)
    recorded_cop = cop_of_wrench(smooth(force_n.sum(axis=1)), smooth(moment))
    points = dynamics.point_in_world.reshape(len(force_n), len(robot.feet), -1, 3)
    along = smooth((points[:, :, 0] - points[:, :, 1]).mean(axis=1))[:, :2]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    off = motion_cop - recorded_cop
    return mean_size(off[:, 1] * along[:, 0] - off[:, 0] * along[:, 1])


def _torque_off(robot: Robot, dynamics: InverseDynamics, draft: Draft, qvel: Array, smooth: Smoothing) -> float:
    """Return the residual of the joints' equations of motion with recorded torques and forces, relative to the torques.

    The centre of pressure along the line of a foot is not recorded; the position with the smallest residual is taken.
    """
    assert draft.torque_nm is not None
    assert draft.ground_force_n is not None
    plant = torque_model(robot, friction=robot.friction, step_s=1e-3)
    acting = draft.torque_nm + passive_forces(plant, draft.qpos, qvel)
    shape = (len(draft.qpos), len(robot.feet), 2, 3, len(robot.joint_names))
    jacobian = dynamics.contact_jacobian.reshape(shape)
    pushed = np.einsum("tfpxj,tfx->tfpj", jacobian, draft.ground_force_n)
    off = smooth(dynamics.torque_nm - acting - pushed.mean(axis=2).sum(axis=1))
    lever = smooth((pushed[:, :, 0] - pushed[:, :, 1]) / 2.0)  # torque per position on each line, from -1 to 1
    gram = np.einsum("tfj,tgj->tfg", lever, lever) + 1e-3 * np.eye(lever.shape[1])
    place = np.linalg.solve(gram, np.einsum("tfj,tj->tf", lever, off)[..., None])[..., 0]
    off = off - np.einsum("tf,tfj->tj", np.clip(place, -1.0, 1.0), lever)
    return mean_size(off) / max(mean_size(smooth(dynamics.torque_nm)), mean_size(draft.torque_nm), 1e-9)


def _tilt(qpos: Array) -> float:
    _, x, y, _ = qpos[:, 3:7].T
    return float(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)).max())
