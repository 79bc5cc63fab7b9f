"""Gait cycle: one whole cycle of a human walk, or the published step, cut from a motion of any length.

A motion that ends as it began is continued from its start (periodic); one that ends as the mirror image of its start,
such as a single step of a symmetric gait, is continued as its mirror image (mirrored). Otherwise the cycle must lie
inside the motion (open). The piece is turned and moved so that it walks along x.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from strut.arrays import Array, Index
from strut.human.analysis.reported_samples import are_reported
from strut.human.anatomy import HEEL, LEFT, RIGHT, TOES, sided
from strut.human.walking_direction import (
    WalkingDirection,
    direction_of_cycles,
    direction_of_mirror,
    direction_of_travel,
)
from strut.kinematics.mirror import mirror_of, mirrored_feet
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.motion import Motion
from strut.ocp.kinematic_tree import read_tree
from strut.robot import BASE, Robot

SAME_POSTURE_RAD = 0.15  # a smaller difference is the same posture; a joint moves half of it between two samples
UNCERTAIN_RAD = 0.2  # sway of the pelvis hides the direction of less than a cycle: a smaller angle to +x counts as 0
MIRROR_SIGN = np.array([1.0, -1.0, 1.0])
Closing = Literal["periodic", "mirrored", "open"]


@dataclass(frozen=True, slots=True, eq=False)
class GaitCycle:
    """A piece of walking.

    Args:
        motion: The piece along the x axis; the pelvis starts at x = 0, time at 0.
        closing: How the motion was continued to find it.
    """

    motion: Motion
    closing: Closing

    @property
    def share(self) -> Array:
        """Time as a share of the whole, 0 to 1. Shape (T,)."""
        return self.motion.time_s / self.motion.duration_s

    @property
    def speed_m_s(self) -> float:
        """Average speed of the pelvis."""
        return float(self.motion.qpos[-1, 0] - self.motion.qpos[0, 0]) / self.motion.duration_s


def coordinate_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of all coordinates of a human model, six of the pelvis first."""
    return read_tree(robot.model, angle_base=True).velocity_names


def gait_cycle(robot: Robot, motion: Motion) -> GaitCycle | None:
    """Return the cycle from one right heel strike to the next; None if there is none."""
    return _between(robot, motion, (sided(HEEL, RIGHT), True), (sided(HEEL, RIGHT), True))


def gait_strides(robot: Robot, motion: Motion) -> list[GaitCycle]:
    """Return every cycle inside the motion, from one right heel strike to the next; mirror the motion for the left."""
    motion = along_x(robot, motion)
    reported = are_reported(motion)
    strikes = _changes(motion, sided(HEEL, RIGHT), True)
    pieces = [
        (_cut(motion, int(start), int(stop)), reported[start : stop + 1].all()) for start, stop in pairwise(strikes)
    ]
    return [GaitCycle(piece if known else _without_forces(piece), "open") for piece, known in pieces]


def published_step(robot: Robot, motion: Motion) -> GaitCycle | None:
    """Return the step from left toe off to right toe off, as the thesis defines it; None if there is none."""
    return _between(robot, motion, (sided(TOES, LEFT), False), (sided(TOES, RIGHT), False))


def along_x(robot: Robot, motion: Motion) -> Motion:
    """Return the motion turned and moved so that it walks along the x axis."""
    return _direction(robot, motion).aligned_with_x(motion)


def repeat_walk(robot: Robot, motion: Motion, duration_s: float) -> tuple[Motion, Motion] | None:
    """Return one cycle of a human walk repeated for at least a duration, and that cycle.

    None if there is no cycle, or if it does not end as it began and so cannot be repeated.
    """
    if robot.tables.symmetry is None or (cycle := gait_cycle(robot, motion)) is None:
        return None
    angles = angles_from_qpos(cycle.motion.qpos)
    if np.abs(angles[-1] - angles[0])[1:].max() > SAME_POSTURE_RAD:
        return None
    once = _cut(cycle.motion, 0, len(angles) - 2)
    repeated = once
    while repeated.duration_s < duration_s:
        repeated = _append(repeated, once)
    return repeated, cycle.motion


def mirror_image(robot: Robot, motion: Motion) -> Motion:
    """Return a motion mirrored at the x-z plane, with its torques and forces."""
    names = coordinate_names(robot)
    feet = mirrored_feet(motion.foot_names)
    torque = motion.torque_nm
    force = motion.ground_force_n
    cop = motion.cop_in_world
    return replace(
        motion,
        qpos=qpos_from_angles(mirror_of(robot, names).image(angles_from_qpos(motion.qpos))),
        contact=motion.contact[:, feet],
        torque_nm=None if torque is None else mirror_of(robot, robot.joint_names).image(torque),
        ground_force_n=None if force is None else force[:, feet] * MIRROR_SIGN,
        cop_in_world=None if cop is None else cop * MIRROR_SIGN[:2],
        balance_margin_m=None,
    )


def _between(robot: Robot, motion: Motion, first: tuple[str, bool], last: tuple[str, bool]) -> GaitCycle | None:
    """Return the piece from one change of contact to another, in the motion or in its continuation.

    The first piece whose forces are reported is taken; if there is none, the first piece, without forces.

    Args:
        robot: A human model.
        motion: Its walk.
        first: Contact point and its state after the change at which the piece begins.
        last: The same of the change at which it ends.
    """
    motion = along_x(robot, motion)
    closing = _closing(robot, motion)
    candidates: list[tuple[Closing, Motion]] = [("open", motion)]
    if closing == "mirrored":
        both = _append(motion, mirror_image(robot, motion))
        candidates.append(("mirrored", _append(both, both)))
    elif closing == "periodic":
        candidates.append(("periodic", _append(motion, motion)))
    for how, continued in candidates:
        starts = _changes(continued, *first)
        stops = _changes(continued, *last)
        pairs = [(int(k), int(stops[stops > k][0])) for k in starts if (stops > k).any()]
        if pairs:
            reported = (
                are_reported(motion) if how == "open" else np.full(len(continued.time_s), are_reported(motion).all())
            )
            inside = [pair for pair in pairs if reported[pair[0] : pair[1] + 1].all()]
            if inside:
                return GaitCycle(_cut(continued, *inside[0]), how)
            return GaitCycle(_without_forces(_cut(continued, *pairs[0])), how)
    return None


def _without_forces(motion: Motion) -> Motion:
    """Return a piece without its torques and forces, because not all of them may be reported."""
    return replace(motion, torque_nm=None, ground_force_n=None, cop_in_world=None)


def _direction(robot: Robot, motion: Motion) -> WalkingDirection:
    by_cycles = direction_of_cycles(motion)
    if by_cycles is not None:
        return by_cycles
    by_mirror = direction_of_mirror(motion)
    by_travel = direction_of_travel(motion)
    for direction, closing in ((by_mirror, "mirrored"), (by_travel, "periodic")):
        if _closing(robot, direction.aligned_with_x(motion)) == closing:
            return direction
    if abs(by_travel.direction_rad) > UNCERTAIN_RAD:
        return by_travel
    return WalkingDirection(0.0, float(motion.qpos[:, 1].mean()))


def _closing(robot: Robot, motion: Motion) -> Closing:
    """Return how the motion can be continued after its last sample."""
    angles = angles_from_qpos(motion.qpos)
    mirror = mirror_of(robot, coordinate_names(robot))
    following = 2.0 * angles[-1] - angles[-2]
    moves = np.ptp(angles[:, BASE:], axis=0).max() > SAME_POSTURE_RAD
    starts: list[tuple[Closing, Array]] = [("periodic", angles[0]), ("mirrored", mirror.image(angles[0]))]
    for closing, start in starts:
        difference_rad = min(np.abs(end - start)[3:].max() for end in (angles[-1], following))
        if moves and difference_rad < SAME_POSTURE_RAD:
            return closing
    return "open"


def _changes(motion: Motion, foot: str, in_contact: bool) -> Index:
    """Return the samples at which a contact point changes to a state."""
    column = motion.contact[:, motion.foot_names.index(foot)]
    return np.asarray(np.flatnonzero((column[1:] == in_contact) & (column[:-1] != in_contact)) + 1)


def _append(motion: Motion, other: Motion) -> Motion:
    """Return one motion followed by the other, one sample later and one sample's travel further on."""
    step_s = float(motion.time_s[-1] - motion.time_s[-2])
    advance = 2.0 * motion.qpos[-1, 0] - motion.qpos[-2, 0] - other.qpos[0, 0]
    moved = other.qpos + advance * np.eye(other.qpos.shape[1])[0]
    cop = other.cop_in_world
    moved_cop = None if cop is None else cop + np.array([advance, 0.0])

    def both(one: Array | None, another: Array | None) -> Array | None:
        return None if one is None or another is None else np.concatenate([one, another])

    return replace(
        motion,
        time_s=np.concatenate([motion.time_s, other.time_s - other.time_s[0] + motion.time_s[-1] + step_s]),
        qpos=np.concatenate([motion.qpos, moved]),
        contact=np.concatenate([motion.contact, other.contact]),
        torque_nm=both(motion.torque_nm, other.torque_nm),
        ground_force_n=both(motion.ground_force_n, other.ground_force_n),
        cop_in_world=both(motion.cop_in_world, moved_cop),
        balance_margin_m=None,
    )


def _cut(motion: Motion, start: int, stop: int) -> Motion:
    """Return the samples from `start` to `stop`, both included, from x = 0 and time 0."""
    part = slice(start, stop + 1)
    start_x = motion.qpos[start, 0]
    torque = motion.torque_nm
    force = motion.ground_force_n
    cop = motion.cop_in_world
    return replace(
        motion,
        time_s=motion.time_s[part] - motion.time_s[start],
        qpos=motion.qpos[part] - start_x * np.eye(motion.qpos.shape[1])[0],
        contact=motion.contact[part],
        torque_nm=None if torque is None else torque[part],
        ground_force_n=None if force is None else force[part],
        cop_in_world=None if cop is None else cop[part] - np.array([start_x, 0.0]),
        balance_margin_m=None,
    )
