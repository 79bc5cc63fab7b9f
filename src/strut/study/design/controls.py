"""Controls and confounds: what else than the emotion differs between motions, and motions without one difference.

A control is a picture, not a movement a robot could make: nothing checks its balance.
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
    """Return how fast the body travels over the ground, forwards or backwards."""
    way = np.linalg.norm(motion.qpos[-1, :2] - motion.qpos[0, :2])
    return float(way / motion.duration_s)


def speed_matched(motion: Motion, reference: Motion) -> Motion:
    """Return the motion played so that the body travels as fast as in the reference: same posture, other tempo."""
    own = mean_speed_m_s(motion)
    wanted = mean_speed_m_s(reference)
    if own < 1e-4 or wanted < 1e-4:
        raise StudyError("A motion that does not travel cannot be matched in speed; leave its control out.")
    return replace(motion, time_s=motion.time_s[0] + (motion.time_s - motion.time_s[0]) * own / wanted, receipt=None)


def posture_matched(motion: Motion, reference: Motion, robot: Robot) -> Motion:
    """Return the motion about the reference's mean posture: same tempo and step, other carriage of the body.

    Joints keep their swing about their mean, a floating base its turning about its mean orientation; the lowest foot of
    the whole motion stands where the reference's does.
    """
    if motion.robot != reference.robot:
        raise StudyError(f"A {motion.robot} cannot take the posture of a {reference.robot}.")
    qpos = motion.qpos.copy()
    qpos[:, robot.base_size :] += reference.joint_angles_rad.mean(axis=0) - motion.joint_angles_rad.mean(axis=0)
    if robot.floats:  # a platform carries its body level, whatever the feeling
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
    """Return which share of its asked feeling the middle of a motion shows, so long; 0 seconds are all of it.

    A feeling may come and go: the receipt tells its mean, `shown_over_time` when. None where nobody measured it.
    """
    if motion.receipt is None or motion.receipt.strength is None:
        return None
    shares = np.asarray(motion.meta.get("shown_over_time") or [1.0], dtype=float)
    part = min(1.0, seconds / motion.duration_s) if seconds else 1.0
    return motion.receipt.strength * _mean_of_middle(shares, part) / max(_mean_of_middle(shares, 1.0), 1e-9)


def _mean_of_middle(values: Array, part: float) -> float:
    """Return the mean of the middle part of evenly spaced values, by straight lines between them. Shape (n,)."""
    at = np.linspace(0.5 - 0.5 * part, 0.5 + 0.5 * part, 201)
    return float(np.interp(at, np.linspace(0.0, 1.0, len(values)), values).mean())


def confounds(motions: Sequence[Motion], seconds: float = 0.0) -> list[str]:
    """Return in words what may spoil a comparison: different bodies, and feelings that are shown in part."""
    robots = sorted({motion.robot for motion in motions})
    found = [f"the motions are of {' and '.join(robots)}: people may tell bodies, not feelings"] if robots[1:] else []
    weakened = weakened_words(motions, seconds)
    if weakened:
        part = f" in the {seconds:g} s that people see" if seconds else ""
        found.append(f"less than asked is shown{part}: {weakened}; the report says so")
    return found


def weakened_words(motions: Sequence[Motion], seconds: float = 0.0) -> str:
    """Return 'happy 62 %, sad 86 %' for the motions whose middle shows less of an emotion than was asked for."""
    shares = [(motion.meta.get("emotion", "motion"), share_seen(motion, seconds)) for motion in motions]
    less = [f"{name} {format_percent(share)}" for name, share in shares if share is not None and share < 0.995]
    return ", ".join(less)
