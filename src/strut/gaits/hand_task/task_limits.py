"""Task limits: the tolerances within which a hand follows its path and the head looks where the style wants it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.audit import Audit
from strut.draft import Limit
from strut.receipt import LimitName
from strut.robot import Robot
from strut.verify.limits import UpperBound

PART = "hand_task"  # name of this part of an audit
MAX_HAND_ERROR_M = 1e-3  # cannot be seen, and is far above the error of the integration
MAX_HAND_TURN_RAD = 5e-3  # a third of a degree
MAX_GAZE_ERROR_RAD = 0.002  # 2 mm at a distance of a metre
SETTLED_S = 3.0  # the gaze is judged from here on, or from a third of a shorter motion


@dataclass(frozen=True, slots=True, eq=False)
class TaskAudit:
    """How well the task of a hand was done. All shapes start with T.

    Args:
        time_s: Shape (T,).
        hand_error_m: Distance of the hand from its path. Shape (T,).
        hand_turn_rad: Angle of the hand from its path; zero where any orientation will do. Shape (T,).
        gaze_error_rad: Angle of the head from where the style wants it; None if no emotion is expressed. Shape (T,).
        redundancy: Fewest degrees of freedom that hand and head leave free.
        gaze_counts: Whether the gaze is judged; the published law does not promise it.
    """

    time_s: Array
    hand_error_m: Array
    hand_turn_rad: Array
    gaze_error_rad: Array | None
    redundancy: int
    gaze_counts: bool = True

    @property
    def largest_gaze_error_rad(self) -> float | None:
        """The largest angle of the head from its goal once it has settled; None without a goal."""
        return None if self.gaze_error_rad is None else float(self.gaze_error_rad[settled(self.time_s)].max())

    def receipt_figures(self) -> dict[str, Any]:
        """Return the errors of hand and head and the redundancy, by the receipt's keys."""
        return {
            "task_error_mm": float(self.hand_error_m.max()) * 1e3,
            "gaze_error_rad": self.largest_gaze_error_rad,
            "redundancy": self.redundancy,
        }


def settled(time_s: Array) -> npt.NDArray[np.bool_]:
    """Return at which samples the gaze is judged: the head needs time to get there. Shape (T,) in and out."""
    since_s = time_s - time_s[0]
    return np.asarray(since_s >= min(SETTLED_S, since_s[-1] / 3.0))


def task_limits(_robot: Robot) -> tuple[Limit, ...]:
    """Return the limits of a hand task; a motion without one keeps them."""
    hand = ("the hand",)
    head = ("the head",)

    def judged_gaze_error_rad(task: TaskAudit) -> Array:
        """Return the error of the head once it has settled; 0 before, and if the gaze is not judged. Shape (T,)."""
        if task.gaze_error_rad is None or not task.gaze_counts:
            return np.zeros(len(task.time_s))
        return np.where(settled(task.time_s), task.gaze_error_rad, 0.0)

    return (
        UpperBound(
            LimitName.TASK,
            hand,
            _of_task(lambda task: 1e3 * task.hand_error_m),
            1e3 * MAX_HAND_ERROR_M,
            "is {:.1f} mm off its path",
        ),
        UpperBound(
            LimitName.TASK,
            hand,
            _of_task(lambda task: task.hand_turn_rad),
            MAX_HAND_TURN_RAD,
            "is turned {:.3f} rad from its path",
        ),
        UpperBound(
            LimitName.GAZE,
            head,
            _of_task(judged_gaze_error_rad),
            MAX_GAZE_ERROR_RAD,
            "looks {:.3f} rad beside its goal",
        ),
    )


def _of_task(value: Callable[[TaskAudit], Array]) -> Callable[[Audit], Array]:
    """Return a value of the task's audit as a column; no column without a task. Shape (T,) in, (T, 1 or 0) out."""

    def column(audit: Audit) -> Array:
        task = audit.parts.get(PART)
        return value(task)[:, None] if isinstance(task, TaskAudit) else np.empty((0, 0))

    return column
