"""Loop: motions that are shown together are repeated up to the length of the longest, without a jump."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.maths.rotation import heading_of
from strut.motion import Motion
from strut.registry import find, names
from strut.robot import Robot
from strut.viewer.footage import frame_times_s

REWIND_S = 1.5  # from the end of a scene back to its start
BLEND_S = 0.6  # from the last pose to the first one, if they differ
SAME_POSE = 0.02  # metres or radians; poses that differ by less are the same


def there_and_back_s(duration_s: float, frames_per_s: float) -> Array:
    """Return the times of the frames of a scene: once forward, then quickly rewound. Shape (F,)."""
    forward_s = frame_times_s(duration_s, frames_per_s)
    frames = max(2, round(min(REWIND_S, duration_s) * frames_per_s))
    eased = (1.0 + np.cos(np.pi * np.arange(1, frames) / frames)) / 2.0
    return np.concatenate([forward_s, eased * forward_s[-1]])


def repeat_cycle(robot: Robot, motion: Motion, duration_s: float) -> tuple[Motion, Motion] | None:
    """Return one cycle of a motion, repeated for at least a duration, and that cycle; None if no feature finds one."""
    for name in names("strut.cycles"):
        cyclic: tuple[Motion, Motion] | None = find("strut.cycles", name)(robot, motion, duration_s)
        if cyclic is not None:
            return cyclic
    return None


def repeated(motion: Motion, robot: Robot, duration_s: float) -> Motion:
    """Return a motion of at least a duration, continued from its last pose.

    A cyclic human walk repeats its cycle. Others blend from their last pose to their first one if these differ.
    """
    if motion.duration_s >= duration_s:
        return motion
    if (cyclic := repeat_cycle(robot, motion, duration_s)) is not None:
        return cyclic[0]
    longer = motion
    while longer.duration_s < duration_s:
        longer = _append(longer, motion, robot)
    return longer


def _append(first: Motion, then: Motion, robot: Robot) -> Motion:
    """Return one motion after the other, the second moved and turned on the floor to the end of the first."""
    step_s = float(then.time_s[1] - then.time_s[0])
    qpos, cop = _moved(then, robot, first.qpos[-1])
    steps = round(BLEND_S / step_s) if np.abs(qpos[0] - first.qpos[-1]).max() > SAME_POSE else 0
    share = (np.arange(1, steps + 1) / (steps + 1))[:, None]
    eased = share**2 * (3.0 - 2.0 * share)
    between = first.qpos[-1] + eased * (qpos[0] - first.qpos[-1])
    if robot.floats:
        between[:, 3:7] /= np.linalg.norm(between[:, 3:7], axis=1, keepdims=True)
    samples = steps + len(qpos)
    pressed = None
    if cop is not None and first.cop_in_world is not None:
        slide = first.cop_in_world[-1] + eased * (cop[0] - first.cop_in_world[-1])
        pressed = np.concatenate([first.cop_in_world, slide, cop])
    return replace(
        first,
        time_s=np.concatenate([first.time_s, first.time_s[-1] + step_s * np.arange(1, samples + 1)]),
        qpos=np.concatenate([first.qpos, between, qpos]),
        contact=np.concatenate([first.contact, np.repeat(first.contact[-1:], steps, axis=0), then.contact]),
        cop_in_world=pressed,
        torque_nm=None,
        ground_force_n=None,
        balance_margin_m=None,
        meta=_merged_meta(first, then, float(first.duration_s + step_s * (steps + 1))),
    )


def _merged_meta(first: Motion, then: Motion, start_s: float) -> dict[str, Any]:
    """Return the `meta` of a motion, with the expressions of the eyes of the motion that follows."""
    if "eyes" not in first.meta or not isinstance(then.meta["eyes"], list):
        return dict(first.meta)
    return {
        **first.meta,
        "eyes": [*first.meta["eyes"], *([start_s + time_s, eyes] for time_s, eyes in then.meta["eyes"])],
    }


def _moved(motion: Motion, robot: Robot, end: Array) -> tuple[Array, Array | None]:
    """Return qpos and centre of pressure of a motion moved to start at a pose (nq,). Shapes (T, ...)."""
    qpos = motion.qpos.copy()
    cop = motion.cop_in_world
    if not robot.base_size:
        return qpos, cop
    turn_rad = heading_rad(robot, end) - heading_rad(robot, qpos[0])
    turn = Rotation.from_rotvec([0.0, 0.0, turn_rad])
    on_floor = turn.as_matrix()[:2, :2].T
    start = motion.qpos[0, :2]
    qpos[:, :2] = (motion.qpos[:, :2] - start) @ on_floor + end[:2]
    if robot.floats:
        qpos[:, 3:7] = (turn * Rotation.from_quat(motion.qpos[:, 3:7], scalar_first=True)).as_quat(scalar_first=True)
        qpos[:, 3:7] *= np.where(np.sum(qpos[:1, 3:7] * end[3:7], axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    else:
        qpos[:, 2] += turn_rad
    return qpos, None if cop is None else (cop - start) @ on_floor + end[:2]


def heading_rad(robot: Robot, qpos: Array) -> float:
    """Return the heading of a base. Shape (nq,)."""
    if not robot.floats:
        return float(qpos[2])
    return heading_of(qpos[3:7])
