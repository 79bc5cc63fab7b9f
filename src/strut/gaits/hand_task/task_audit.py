"""Task audit: errors of hand and head in the hand task that a motion names, measured from its samples alone.

Only the request is taken from the motion: task, style and user. The errors are measured again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.audit import Audit
from strut.draft import Draft
from strut.engines.frame_kinematics import FrameKinematics, frame_poses
from strut.errors import BadMotionError
from strut.expression.body_swing import posture_over_time
from strut.gaits.hand_task.gaze import looking_at
from strut.gaits.hand_task.hand_path import HandPath, path_through
from strut.gaits.hand_task.named_tasks import MovementQuality, hand_frame, hand_task
from strut.gaits.hand_task.task_limits import PART, TaskAudit
from strut.kinematics.task_priority import LOST_BELOW
from strut.maths.easing import eased_time
from strut.maths.rotation import orientation_error, quaternion_from_rotation, slerp
from strut.robot import Robot
from strut.style import Style


def add_task_audit(draft: Draft, audit: Audit) -> Audit:
    """Return an audit with how well a draft does the task that it names; unchanged if it names none."""
    task = task_audit(draft)
    return audit if task is None else replace(audit, parts={**audit.parts, PART: task})


def task_audit(draft: Draft) -> TaskAudit | None:
    """Measure how well a draft does the task that it names; None if it names none."""
    task = draft.meta.get("task")
    robot = draft.robot
    if not isinstance(task, Mapping) or robot.tables.chains is None:
        return None
    try:
        path = _path(robot, task, draft.time_s)
        parameters: Any = draft.meta.get("style")
        style = None
        if parameters is not None:
            numbers: dict[str, Any] = {name: float(value) for name, value in parameters.items()}
            style = Style(**numbers)
        options = draft.meta["options"]
        user_m = np.array(options["user_m"], dtype=float) if style is not None else np.zeros(3)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise BadMotionError(
            f"What the motion says about its task makes no sense ({type(error).__name__}: {error}); perform it again."
        ) from error
    found = measure_task(robot, path, style, user_m, draft)
    return replace(found, gaze_counts=options.get("law") != "paper")


def _path(robot: Robot, task: Mapping[str, Any], time_s: Array) -> HandPath:
    """Return the path that the hand had to follow."""
    if "path" in task:
        rows = np.array(task["path"], dtype=float)
        if rows.ndim != 2 or rows.shape[1] not in (4, 8) or not np.isfinite(rows).all():
            raise ValueError("its path is no table of 4 or 8 finite columns")
        path = path_through(str(task["task"]), str(task["hand"]), rows)
    else:
        target = task.get("target_m")
        path = hand_task(
            robot,
            str(task["task"]),
            duration_s=float(task["duration_s"]),
            target_m=None if target is None else np.array(target, dtype=float),
            quality=_quality(task.get("manner", {})),
        )
    duration_s = float(time_s[-1] - time_s[0])
    if abs(path.duration_s - duration_s) > 1.5 * duration_s / (len(time_s) - 1):
        raise ValueError(f"its task takes {path.duration_s:g} s and the motion {duration_s:g} s")
    return replace(path, platform=None) if task.get("platform") == "free" else path


def _quality(said: Mapping[str, Any]) -> MovementQuality:
    numbers = {name: float(value) for name, value in said.items() if name != "trunk_rad"}
    trunk_rad = {str(joint): float(angle) for joint, angle in said.get("trunk_rad", {}).items()}
    return MovementQuality(**numbers, trunk_rad=trunk_rad)


def measure_task(robot: Robot, path: HandPath, style: Style | None, user_m: Array, draft: Draft) -> TaskAudit:
    """Measure a draft against the path of its hand and, with a style, against the gaze at the user."""
    time_s = draft.time_s - draft.time_s[0]
    qpos = draft.qpos
    wanted = path.poses(np.minimum(time_s, path.duration_s))
    position_m, rotation = frame_poses(robot, hand_frame(robot, path.hand), qpos)
    turn = np.zeros((len(time_s), 3))
    if wanted.rotation is not None:
        goals = [quaternion_from_rotation(one) for one in wanted.rotation.reshape(-1, 9)]
        turn = np.array(
            [orientation_error(now, goal) for now, goal in zip(rotation.reshape(-1, 9), goals, strict=True)]
        )
        if path.spin_free:
            turn = np.einsum("tij,ti->tj", wanted.rotation[:, :, 1:], turn)
    return TaskAudit(
        draft.time_s,
        np.linalg.norm(position_m - wanted.position_m, axis=1),
        np.linalg.norm(turn, axis=1),
        None if style is None else gaze_error_rad(robot, path, style, user_m, time_s, qpos),
        redundancy(robot, path, qpos, head_counts=style is not None),
    )


def gaze_error_rad(robot: Robot, path: HandPath, style: Style, user_m: Array, time_s: Array, qpos: Array) -> Array:
    """Return the angle of the head from where the style wants it. Shape (T,)."""
    if user_m.shape != (3,) or not np.isfinite(user_m).all():
        raise ValueError("its user is not at three finite numbers")
    head = robot.chains.head.frame
    platform = qpos[:, : robot.base_size] if path.platform is not None else np.zeros((len(qpos), robot.base_size))
    posture = posture_over_time(robot, style, eased_time(time_s, path.duration_s))
    at_rest = frame_poses(robot, head, np.concatenate([platform, posture], axis=1))[1].reshape(-1, 9)
    eyes_m, now = frame_poses(robot, head, qpos)
    off = [
        orientation_error(looks, slerp(quaternion_from_rotation(rest), looking_at(eyes, user_m), style.gaze))
        for looks, rest, eyes in zip(now.reshape(-1, 9), at_rest, eyes_m, strict=True)
    ]
    return np.asarray(np.linalg.norm(off, axis=1))


def redundancy(robot: Robot, path: HandPath, qpos: Array, *, head_counts: bool) -> int:
    """Return the smallest number of degrees of freedom that hand and head leave; a led platform is not one."""
    kinematics = FrameKinematics(robot, (hand_frame(robot, path.hand), robot.chains.head.frame))
    hand, head = kinematics.frames
    led = robot.base_size if path.platform is not None else 0
    turned = path.poses(np.zeros(1)).rotation is not None
    ranks = []
    for sample in qpos:
        kinematics.move(sample)
        rows = [hand.jacobian[:3, led:]]
        if turned and path.spin_free:
            rows.append(hand.rotation.reshape(3, 3)[:, 1:].T @ hand.jacobian[3:, led:])
        elif turned:
            rows.append(hand.jacobian[3:, led:])
        if head_counts:
            rows.append(head.jacobian[3:, led:])
        ranks.append(int(np.linalg.matrix_rank(np.concatenate(rows), tol=LOST_BELOW)))
    return int(qpos.shape[1]) - led - max(ranks)
