"""Controls and confounds: differences between motions other than the emotion, and motions without one of them.

A control is a stimulus, not a motion for a robot: its balance is not checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import foot_positions
from strut.errors import StudyError
from strut.motion import Motion
from strut.plumbing.number_text import format_percent
from strut.robot import Robot


def mean_speed_m_s(motion: Motion) -> float:
    """Return the mean speed of the base over the ground, between its first and last position."""
    distance_m = np.linalg.norm(motion.qpos[-1, :2] - motion.qpos[0, :2])
    return float(distance_m / motion.duration_s)


def speed_matched(motion: Motion, reference: Motion) -> Motion:
    """Return the motion at the mean speed of the reference: same posture, other tempo."""
    own_m_s = mean_speed_m_s(motion)
    reference_m_s = mean_speed_m_s(reference)
    if own_m_s < 1e-4 or reference_m_s < 1e-4:  # 0.1 mm/s: it stands
        raise StudyError("A motion that does not travel cannot be matched in speed; leave its control out.")
    return replace(
        motion, time_s=motion.time_s[0] + (motion.time_s - motion.time_s[0]) * own_m_s / reference_m_s, receipt=None
    )


def posture_matched(motion: Motion, reference: Motion, robot: Robot) -> Motion:
    """Return the motion about the mean posture of the reference: same tempo and steps, other posture.

    Joint angles keep their deviations from their mean, a floating base those from its mean orientation; the lowest foot
    position of the motion is as high as that of the reference.
    """
    if motion.robot != reference.robot:
        raise StudyError(f"The posture of {reference.robot} does not fit {motion.robot}.")
    qpos = motion.qpos.copy()
    qpos[:, robot.base_size :] += reference.joint_angles_rad.mean(axis=0) - motion.joint_angles_rad.mean(axis=0)
    if robot.floats:  # a platform is level in every emotion
        own = _mean_orientation(motion.qpos[:, 3:7])
        wanted = _mean_orientation(reference.qpos[:, 3:7])
        turned = wanted * own.inv() * Rotation.from_quat(motion.qpos[:, 3:7], scalar_first=True)
        qpos[:, 3:7] = turned.as_quat(scalar_first=True)
        qpos[:, 2] += _lowest_foot(robot, reference.qpos) - _lowest_foot(robot, qpos)
    return replace(motion, qpos=qpos, receipt=None, torque_nm=None, ground_force_n=None)


def _mean_orientation(quaternions: Array) -> Rotation:
    return Rotation.from_quat(quaternions, scalar_first=True).mean()


def _lowest_foot(robot: Robot, qpos: Array) -> float:
    return float(foot_positions(robot, qpos)[..., 2].min())


def share_seen(motion: Motion, seconds: float = 0.0) -> float | None:
    """Return the expressed share of the middle of a motion, `seconds` long; 0 seconds are the whole motion.

    The receipt has the mean share, `shown_over_time` its course. None if it was not measured.
    """
    if motion.receipt is None or motion.receipt.strength is None:
        return None
    shares = np.asarray(motion.meta.get("shown_over_time") or [1.0], dtype=float)
    part = min(1.0, seconds / motion.duration_s) if seconds else 1.0
    return motion.receipt.strength * _mean_of_middle(shares, part) / max(_mean_of_middle(shares, 1.0), 1e-9)


def _mean_of_middle(values: Array, part: float) -> float:
    """Return the mean of the middle part of evenly spaced values, interpolated linearly. Shape (n,)."""
    position = np.linspace(0.5 - 0.5 * part, 0.5 + 0.5 * part, 201)
    return float(np.interp(position, np.linspace(0.0, 1.0, len(values)), values).mean())


def confounds(motions: Sequence[Motion], seconds: float = 0.0) -> list[str]:
    """Return sentences on confounds: different robots, and emotions that are not fully expressed."""
    robots = sorted({motion.robot for motion in motions})
    found = []
    if len(robots) > 1:
        found.append(f"the motions are of {' and '.join(robots)}: people may distinguish robots, not emotions")
    weakened = format_weakened(motions, seconds)
    if weakened:
        part = f" in the {seconds:g} s that people see" if seconds else ""
        found.append(f"emotions are expressed weaker than requested{part}: {weakened}; the report says so")
    return found


def format_weakened(motions: Sequence[Motion], seconds: float = 0.0) -> str:
    """Return 'happy 62 %, sad 86 %' for the motions whose middle expresses less than the requested emotion."""
    shares = [(motion.meta.get("emotion", "motion"), share_seen(motion, seconds)) for motion in motions]
    less = [f"{name} {format_percent(share)}" for name, share in shares if share is not None and share < 0.995]
    return ", ".join(less)
