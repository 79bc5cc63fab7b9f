"""Measure: what a draft needs from its robot, computed from its samples alone.

A walk that lands with impacts is differentiated between landings (`landing_audit`), every other motion as a whole.
Features then measure what is theirs through the registry group `strut.audits`: a hand task is compared with its path, a
recorded run of a torque-driven plant with its own columns.
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
from strut.engines.contact_slip import points_on_ground, slip_of_feet
from strut.engines.inverse_dynamics import InverseDynamics, inverse_dynamics, velocities
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.engines.self_distance import self_distance
from strut.registry import find, names
from strut.robot import Robot
from strut.verify.landing_audit import (
    cop_disagreement_m,
    landing_audit,
    lands_with_impacts,
    largest_mean_size,
    margin_disagreement_m,
    mean_size,
)

MIN_SOLE_POINTS = 3  # a foot with fewer is a ball or a line


def measure(draft: Draft) -> Draft:
    """Return the draft with its audit; a draft that could not be made has none."""
    if not len(draft.qpos):
        return draft
    audit = landing_audit(draft) if lands_with_impacts(draft.robot) else _standing_audit(draft)
    for name in names("strut.audits"):
        audit = find("strut.audits", name)(draft, audit)
    return replace(draft, needs=audit)


def audit(robot: Robot, time_s: Array, qpos: Array, contact: npt.NDArray[np.bool_]) -> Audit:
    """Return what a movement without impacts needs. Shapes (T,), (T, nq), (T, n_feet)."""
    return _standing_audit(Draft(robot, time_s, qpos, contact, None))


def _standing_audit(draft: Draft) -> Audit:
    """Return the audit of a motion whose derivatives are known at every sample."""
    robot = draft.robot
    qpos = draft.qpos
    contact = draft.contact
    feet = range(len(robot.feet))
    foot_of_point = np.array(robot.point_feet, dtype=int)
    qvel, _ = velocities(robot, draft.time_s, qpos, draft.moving_ends)
    dynamics = inverse_dynamics(robot, draft.time_s, qpos, draft.moving_ends)
    distance = self_distance(robot, qpos)
    ground = share_ground_force(robot, dynamics, contact)
    cop_in_world = cop_of_wrench(dynamics.ground_force_n, dynamics.ground_moment_nm)
    if robot.feet:
        margin_m = support_margin(contact[:, foot_of_point], dynamics.point_in_world, cop_in_world)
    else:
        margin_m = wheel_margin(robot, qpos, cop_in_world)
    platform_use = drive_use(robot, qvel, dynamics.drive_force)
    on_lines = stands_on_lines(robot, contact)
    point_height_m = dynamics.point_in_world[..., 2]  # (T, n_points)
    height_m = [sole_heights(robot, foot, point_height_m[:, foot_of_point == foot]) for foot in feet]
    level_m = np.concatenate([np.empty((len(qpos), 0)), *height_m], axis=1)  # (T, n_points)
    slip_m = slip_of_feet(
        robot,
        dynamics.point_in_world,
        dynamics.foot_rotation,
        points_on_ground(level_m, contact[:, foot_of_point]),
        step_s=float(draft.time_s[1] - draft.time_s[0]),
        height_m=level_m,
    )
    joint_rad = qpos[:, robot.base_size :]  # (T, n_joints)
    return Audit(
        time_s=draft.time_s,
        qpos=qpos,
        contact=contact,
        cop_in_world=cop_in_world,
        margin_m=margin_m,
        joint_limit_margin_rad=np.minimum(joint_rad - robot.joint_lower_rad, robot.joint_upper_rad - joint_rad),
        joint_speed_rad_s=qvel[:, -len(robot.joint_names) :],
        torque_nm=ground.torque_nm,
        drive_use=platform_use,
        ground_force_n=ground.force_n,
        part_names=dynamics.part_names,
        clearance_m=dynamics.clearance_m,
        foot_height_m=_stack([heights.min(axis=1) for heights in height_m], len(qpos)),
        foot_top_m=_stack([heights.max(axis=1) for heights in height_m], len(qpos)),
        slip_m=slip_m,
        self_distance=distance,
        force_disagreement=_force_disagreement(draft, dynamics),
        torque_disagreement=_torque_disagreement(draft, dynamics),
        cop_disagreement_m=cop_disagreement_m(draft, cop_in_world),
        margin_disagreement_m=margin_disagreement_m(draft, margin_m),
        on_lines=on_lines,
    )


def sole_heights(robot: Robot, foot: int, point_m: Array) -> Array:
    """Return the heights of the points of a foot; of a sole that rolls with its leg, along its middle. Shape (T, n)."""
    outline = np.array(robot.feet[foot].outline_m)
    if len(outline) < MIN_SOLE_POINTS or robot.foot_turns[foot, 0]:
        return point_m
    plane = np.linalg.pinv(np.column_stack([np.ones(len(outline)), outline]))  # height = a + b x + c y
    return np.asarray(point_m - np.outer(point_m @ plane[2], outline[:, 1]))


def _stack(columns: list[Array], samples: int) -> Array:
    """Return one column per foot. Shape (T,) each in, (T, n_feet) out."""
    return np.stack(columns, axis=1) if columns else np.empty((samples, 0))


def _force_disagreement(draft: Draft, dynamics: InverseDynamics) -> float | None:
    """Return how far the draft's own ground forces on stance feet are from its movement's, over the weight."""
    if draft.ground_force_n is None or not draft.robot.feet:
        return None
    stance_n = np.where(draft.contact[..., None], draft.ground_force_n, 0.0).sum(axis=1)
    error_n = np.linalg.norm(stance_n - dynamics.ground_force_n, axis=1)
    return largest_mean_size(error_n, draft.time_s) / (draft.robot.mass_kg * GRAVITY_M_S2)


def _torque_disagreement(draft: Draft, dynamics: InverseDynamics) -> float | None:
    """Return how far the draft's own torques are from those that the movement needs, over the torques.

    Feet may share a load in many ways; a difference that some way of sharing it explains does not count.
    """
    if draft.torque_nm is None:
        return None
    error_nm = dynamics.torque_nm - draft.torque_nm
    error_nm = error_nm - nearest_contact_torque(draft.robot, dynamics, draft.contact, error_nm)
    needed_nm = share_ground_force(draft.robot, dynamics, draft.contact).torque_nm
    return largest_mean_size(error_nm, draft.time_s) / max(mean_size(needed_nm), 1e-9)
