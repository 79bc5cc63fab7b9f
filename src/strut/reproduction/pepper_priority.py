"""Pepper's priorities: what the published law does to the head, and what the corrected one does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.engines.frame_kinematics import FrameKinematics
from strut.generators.hand_path import HandPath
from strut.generators.hand_task import hand_task
from strut.kinematics.task_priority import DAMPED_BELOW, Law, Level, resolve
from strut.pipeline.performance import Part, Performance, Player
from strut.reproduction.comparison import Comparison, compared, corrected, unpublished
from strut.robot import Array, Robot
from strut.style import Style
from strut.verify.task_audit import settled

_STYLE = Style(jerkiness=0.125, activity=0.875, gaze=0.875)
_USER_M = np.array([3.0, 0.0, 1.2])
_WIDE = 1e9


def priority_rows(robot: Robot) -> list[Comparison]:
    """Return freedom, disturbance and gaze under both laws."""
    published = robot.table("published")
    path = hand_task(robot, "wave", duration_s=10.0)
    calm = _played(robot, path, None, "corrected")
    paper, ours = _played(robot, path, _STYLE, "paper"), _played(robot, path, _STYLE, "corrected")
    printed, better = (_gaze_errors(played) for played in (paper, ours))
    printed_median, median = _head_velocity_error(robot, "paper"), _head_velocity_error(robot, "corrected")
    apart_mm = float(np.abs(ours.hand_error_m - calm.hand_error_m).max()) * 1e3
    freed = replace(path, platform=None)
    free = Player(Part(robot, freed, _STYLE, _USER_M, "corrected", np.linspace(0.0, 0.1, 11), 1)).play()
    gaze, instead = "gaze error while waving, mean and largest", "each level makes up for those above"
    return [
        compared("priorities", "dimensions left, platform locked", published["freedom"], "locked", ours.redundancy),
        compared("priorities", "dimensions left, platform free", published["freedom"], "free", free.redundancy),
        compared("priorities", f"published law: {gaze}", published["gaze"], "paper_law", printed),
        corrected("P15", gaze, printed, better, "rad", instead),
        corrected("P15", "median relative error of the head", printed_median, median, "", "random postures"),
        unpublished("priorities", "wrist moved by the feeling", apart_mm, "mm", "midpoint steps of 10 ms"),
    ]


def _gaze_errors(played: Performance) -> list[float]:
    """Return the mean and the largest error of the gaze after 3 s."""
    assert played.gaze_error_rad is not None
    late = played.gaze_error_rad[settled(played.time_s)]
    return [float(late.mean()), float(late.max())]


def _played(robot: Robot, path: HandPath, style: Style | None, law: Law) -> Performance:
    return Player(Part(robot, path, style, _USER_M, law, np.linspace(0.0, 10.0, 1001), 1)).play()


def _head_velocity_error(robot: Robot, law: Law) -> float:
    """Return the median relative error of the head's velocity for random postures and errors, platform locked."""
    rng, kinematics = np.random.default_rng(2), FrameKinematics(robot, ("right_wrist", "eyes"))
    bound: Array = np.full(15, _WIDE)
    errors = []
    for joints in rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad, (300, 15)):
        kinematics.move(np.concatenate([np.zeros(3), joints]))
        hand, head = (frame.jacobian[:, 3:] for frame in kinematics.frames)
        wanted = 0.3 * rng.normal(size=3)
        levels = [Level(hand, 0.3 * rng.normal(size=6)), Level(head[3:], wanted), Level(None, np.zeros(15))]
        if np.linalg.svd(hand)[1][-1] > DAMPED_BELOW:
            got = head[3:] @ resolve(levels, -bound, bound, law=law).velocity
            errors.append(np.linalg.norm(got - wanted) / np.linalg.norm(wanted))
    return float(np.median(errors))
