"""Measure: what a draft needs from its robot, from its samples alone. One way in for every body.

Bodies that land with impacts are differentiated between landings (`landing_audit`), all others throughout; a hand that
has a task is measured against it (`task_audit`), a recorded run of a driven plant against itself (`plant_audit`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.audit import Audit
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.ground_force import nearest_contact_torque, share_ground_force
from strut.balance.support import stands_on_lines, support_margin
from strut.balance.wheels import drive_use, wheel_margin
from strut.draft import Draft
from strut.engines.inverse_dynamics import InverseDynamics, inverse_dynamics, velocities
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.engines.self_distance import self_distance
from strut.gaits.hand_task.task_audit import task_audit
from strut.maths.rotation import rolled_by
from strut.maths.sampling import runs
from strut.pilot.plant.plant_audit import plant_audit, was_piloted
from strut.robot import Robot
from strut.verify.landing_audit import landing_audit, lands_with_impacts, mean_size

SOLE_POINTS = 3  # and more: fewer are a ball or a line


def measure(draft: Draft) -> Draft:
    """Return the draft with what it needs; one that could not be made at all needs nothing."""
    if not len(draft.qpos):
        return draft
    if lands_with_impacts(draft.robot):
        return replace(draft, needs=landing_audit(draft))
    if was_piloted(draft):
        return replace(draft, needs=plant_audit(draft, _audit(draft)))
    return replace(draft, needs=replace(_audit(draft), task=task_audit(draft)))


def audit(robot: Robot, time_s: Array, qpos: Array, contact: npt.NDArray[np.bool_]) -> Audit:
    """Return what a movement without impacts needs. Shapes (T,), (T, nq), (T, n_feet)."""
    return _audit(Draft(robot, time_s, qpos, contact, None))


def _audit(draft: Draft) -> Audit:
    robot = draft.robot
    time_s = draft.time_s
    qpos = draft.qpos
    contact = draft.contact
    dynamics = inverse_dynamics(robot, time_s, qpos)
    near = self_distance(robot, qpos)
    qvel, _ = velocities(robot, time_s, qpos)
    angles = qpos[:, robot.base_size :]
    rolled_m = rolled_by(dynamics.foot_rotation, np.array([foot.points[0].radius_m for foot in robot.feet]))
    cop = cop_of_wrench(dynamics.ground_force_n, dynamics.ground_moment_nm)
    ground = share_ground_force(robot, dynamics, contact)
    used = drive_use(robot, qvel, dynamics.drive_force)
    owner = np.array(robot.point_feet, dtype=int)
    on_lines = stands_on_lines(robot, contact)
    first_m = dynamics.point_in_world[:, [robot.point_feet.index(foot) for foot in range(len(robot.feet))]]
    if robot.feet:
        margin_m = support_margin(contact[:, owner], dynamics.point_in_world, cop)
    else:
        margin_m = wheel_margin(robot, qpos, cop)
    height_m = [_heights(robot, foot, dynamics.point_in_world[:, owner == foot, 2]) for foot in range(len(robot.feet))]
    return Audit(
        time_s=time_s,
        qpos=qpos,
        contact=contact,
        cop_in_world=cop,
        margin_m=margin_m,
        joint_limit_margin_rad=np.minimum(angles - robot.joint_lower_rad, robot.joint_upper_rad - angles),
        joint_speed_rad_s=qvel[:, -len(robot.joint_names) :],
        torque_nm=ground.torque_nm,
        drive_use=used,
        ground_force_n=ground.force_n,
        part_names=dynamics.part_names,
        clearance_m=dynamics.clearance_m,
        foot_height_m=_per_foot([points.min(axis=1) for points in height_m], len(qpos)),
        foot_top_m=_per_foot([points.max(axis=1) for points in height_m], len(qpos)),
        slip_m=_slip(contact, dynamics.foot_in_world, first_m - rolled_m),
        self_distance=near,
        force_disagreement=_force_disagreement(draft, dynamics),
        torque_disagreement=_torque_disagreement(draft, dynamics),
        on_lines=on_lines,
    )


def _heights(robot: Robot, foot: int, point_m: Array) -> Array:
    """Return how high the points of a foot are; of a sole that rolls with its leg, along its middle. Shape (T, n)."""
    outline = np.array(robot.feet[foot].outline_m)
    if len(outline) < SOLE_POINTS or robot.foot_turns[foot, 0]:
        return point_m
    plane = np.linalg.pinv(np.column_stack([np.ones(len(outline)), outline]))
    return np.asarray(point_m - np.outer(point_m @ plane[2], outline[:, 1]))


def _per_foot(columns: list[Array], samples: int) -> Array:
    """Return one column per foot. Shape (T,) each in, (T, n_feet) out."""
    return np.stack(columns, axis=1) if columns else np.empty((samples, 0))


def _slip(contact: npt.NDArray[np.bool_], *ways_m: Array) -> Array:
    """Return how far each foot has slid since it landed, the least of all ways: a ball may roll, or turn on the spot.

    Shapes (T, n), (T, n, 3) in, (T, n) out.
    """
    slip = np.zeros(contact.shape)
    for foot, down in enumerate(contact.T):
        for stance in runs(down):
            paths = [way[stance, foot, :2] - way[stance.start, foot, :2] for way in ways_m]
            slip[stance, foot] = np.min([np.linalg.norm(path, axis=1) for path in paths], axis=0)
    return slip


def _force_disagreement(draft: Draft, dynamics: InverseDynamics) -> float | None:
    """Return how far the draft's own ground forces, where feet are down, are from what moves it, of the weight."""
    if draft.ground_force_n is None or not draft.robot.feet:
        return None
    carried = np.where(draft.contact[..., None], draft.ground_force_n, 0.0).sum(axis=1)
    off_n = np.linalg.norm(carried - dynamics.ground_force_n, axis=1)
    return mean_size(off_n) / (draft.robot.mass_kg * GRAVITY_M_S2)


def _torque_disagreement(draft: Draft, dynamics: InverseDynamics) -> float | None:
    """Return how far the draft's own torques are from what the movement needs, of the torques.

    Feet may share a load in many ways; whatever some way to share it explains is no disagreement.
    """
    if draft.torque_nm is None:
        return None
    off = dynamics.torque_nm - draft.torque_nm
    off = off - nearest_contact_torque(draft.robot, dynamics, draft.contact, off)
    needed = share_ground_force(draft.robot, dynamics, draft.contact).torque_nm
    return mean_size(off) / max(mean_size(needed), 1e-9)
