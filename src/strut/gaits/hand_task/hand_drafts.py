"""Hand drafts: a task for a hand and a style for the rest, looking away only as far as the head can turn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from strut.arrays import Array
from strut.balance.wheels import drive_use
from strut.draft import Detail, Draft, Generator, OnProgress
from strut.engines.inverse_dynamics import inverse_dynamics, velocities
from strut.errors import BadTableError, OutOfRangeError, RefusedError, UnreachablePathError
from strut.expression.expressed_share import expressed_shares, not_expressed
from strut.gaits.hand_task.hand_path import HandPath, path_through
from strut.gaits.hand_task.hand_tracking import TrackedTask
from strut.gaits.hand_task.named_tasks import AS_WRITTEN, MovementQuality, hand_task
from strut.gaits.hand_task.request import HandTask
from strut.gaits.hand_task.task_limits import MAX_GAZE_ERROR_RAD
from strut.gaits.hand_task.tracking_problem import TrackingProblem, tracked
from strut.maths.bisection import bisect
from strut.models.solids import solid_poses, solids
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request
from strut.robot import Robot
from strut.style import Style

# words of a style that a performance shows, and those of them that a file always names
READS = (
    *("activity", "jerkiness", "gaze", "tempo", "size", "trunk_pitch_rad", "head_pitch_rad", "body_pitch_rad"),
    *("shoulder_rad", "elbow_rad", "nod_rad", "asymmetry", "breath", "breath_pace"),
)
ALWAYS_NAMED = ("jerkiness", "activity", "gaze")
LEANS = ("body_pitch_rad", "trunk_pitch_rad", "asymmetry")  # words that carry the arm along
SHARP = 1.2  # sharpness of a task per jerkiness beyond the usual
CLEARANCE_M = 0.05  # of a user from the robot's body
_GAZE_SEARCH_HZ = 25.0
_GAZE_STEP = 0.02
_LONGEST_STEP_S = 0.010  # of the integration; with longer ones the hand would feel the feeling


@dataclass(frozen=True, eq=False)
class HandDrafts(Generator):
    """Drafts performances.

    Args:
        robot: Who performs.
        task: What its hand has to do, for whom, and how.
        rate_hz: Samples per second.
        expressive: Whether anything but the hand's task is to be shown.
    """

    robot: Robot
    task: HandTask
    rate_hz: float
    expressive: bool

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return what drafts the task of a request."""
        task = request.task
        assert isinstance(task, HandTask)
        return cls(robot, task, request.rate_hz, expressive=request.emotion is not None)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- all are made in full
        """Yield the one performance of a style, looking elsewhere where the head cannot look as asked.

        Raises:
            BadTableError: If the robot stands on its feet.
            OutOfRangeError: If the user touches the robot, or its hand cannot point at the target.
            UnreachablePathError: If the hand cannot follow its path, whatever the head does.
            RefusedError: If the head can look nowhere.
        """
        robot = self.robot
        problem = self.problem(style)
        try:
            found, shown = _showing(problem, style) if self.expressive else (tracked(problem), None)
        except UnreachablePathError as error:
            if "target_m" not in problem.path.options:
                raise
            place = ", ".join(f"{value:g}" for value in problem.path.options["target_m"])
            raise OutOfRangeError(
                f"The {problem.path.hand} hand of {robot.name} cannot point at ({place}) m; "
                "choose a target in front of it."
            ) from error
        kept, reasons = (1.0, ()) if shown is None else _looked_away(style, shown)
        meta = self._meta(problem, shown)
        yield Draft(
            robot=robot,
            time_s=problem.time_s,
            qpos=found.qpos,
            contact=np.zeros((len(problem.time_s), 0), dtype=np.bool_),
            style=shown,
            expressed={} if shown is None else expressed_shares(robot, style, shown, reads=READS),
            not_expressed=() if shown is None else not_expressed(robot, style, reads=READS),
            kept=kept,
            reasons=reasons,
            meta=meta,
        )

    def problem(self, style: Style) -> TrackingProblem:
        """Return path, user and samples; what to show is left open. Raises if robot, task or user cannot be."""
        robot = self.robot
        task = self.task
        if robot.floats:
            raise BadTableError(
                f"{robot.name} stands on its feet and has no stories: hands of robots on wheels have tasks; "
                f"try `strut walk {robot.name}`."
            )
        path = _path(robot, task, _quality(robot, style) if self.expressive else AS_WRITTEN)
        path = replace(path, platform=None) if task.platform == "free" else path
        user = np.asarray(robot.chains.head.user_m if task.user_m is None else task.user_m, dtype=float)
        time_s = np.linspace(0.0, path.duration_s, max(2, round(path.duration_s * self.rate_hz) + 1))
        substeps = max(1, math.ceil(1.0 / (self.rate_hz * _LONGEST_STEP_S) - 1e-9))
        problem = TrackingProblem(robot, path, None, user, task.law, time_s, substeps)
        _checked_user(robot, user, problem.tracker().settled())
        return problem

    def _meta(self, problem: TrackingProblem, shown: Style | None) -> dict[str, Any]:
        """Return what a motion file says of the task; `verify` measures against this and nothing else."""
        path = problem.path
        table = self.robot.expression
        more = [word for word in READS if word not in ALWAYS_NAMED and table.mapping(word) is not None]
        words = (*ALWAYS_NAMED, *more)
        return {
            "style": None if shown is None else {word: getattr(shown, word) for word in words},
            "task": {**path.options, "hand": path.hand, "platform": "led" if path.platform else "free"},
            "options": {"user_m": problem.user_m.tolist(), "law": problem.law},
        }


def _checked_user(robot: Robot, user_m: Array, qpos: Array) -> Array:
    """Return the position of the user's eyes if it is outside the robot as it stands. Shapes (3,), (nq,)."""
    user = np.asarray(user_m, dtype=float)
    if user.shape != (3,) or not np.isfinite(user).all():
        raise OutOfRangeError("The user's position needs three finite numbers: x, y, z in metres.")
    centre, rotation = solid_poses(robot, qpos[None])
    for solid, middle_m, turn in zip(solids(robot), centre[0], rotation[0], strict=True):
        if solid.distance_m(turn.T @ (user - middle_m)) < CLEARANCE_M:
            place = ", ".join(f"{value:g}" for value in user)
            raise OutOfRangeError(
                f"The user at ({place}) m is inside {robot.name} or touches it; place the user farther away."
            )
    return user


def _quality(robot: Robot, style: Style) -> MovementQuality:
    """Return how a style does a task; as it is written where the body has no part for that."""
    table = robot.expression
    if table.mapping("size") is None:
        return AS_WRITTEN
    sharpness = SHARP * (style.jerkiness - table.neutral_value("jerkiness"))
    leans = [(word, joint, factor) for word in LEANS for joint, factor in table.joints(word).items()]
    trunk = {joint: factor * (getattr(style, word) - table.neutral_value(word)) for word, joint, factor in leans}
    return MovementQuality(style.tempo, style.size, min(max(sharpness, -1.0), 1.0), trunk)


def _path(robot: Robot, task: HandTask, quality: MovementQuality) -> HandPath:
    if task.path is not None:
        return path_through(task.task, task.hand, np.array(task.path, dtype=float))
    target = None if task.target_m is None else np.asarray(task.target_m, dtype=float)
    return hand_task(robot, task.task, duration_s=task.duration_s, target_m=target, quality=quality)


def _showing(problem: TrackingProblem, style: Style) -> tuple[TrackedTask, Style]:
    """Return the performance of a style and what of it is shown: the gaze gives way where the head cannot follow."""
    found = _tracked_if_possible(replace(problem, style=style))
    if found is None:
        tracked(problem)  # raises if the hand cannot follow on its own
    if found is None or not _good_enough(problem, found):
        style = replace(style, gaze=_gaze_within_reach(problem, style))
        found = tracked(replace(problem, style=style))
    return found, style


def _looked_away(asked: Style, shown: Style) -> tuple[float, tuple[Reason, ...]]:
    """Return the share of the asked gaze that is kept, and why not all of it."""
    if shown.gaze == asked.gaze:
        return 1.0, ()
    end = 1.0 if shown.gaze > asked.gaze else 0.0
    text = f"the head reaches its end, so directness is {shown.gaze:.2f} instead of {asked.gaze:.2f}"
    return abs(end - shown.gaze) / abs(end - asked.gaze), (Reason(ReasonKind.LIMIT, LimitName.GAZE, text),)


def _good_enough(problem: TrackingProblem, found: TrackedTask) -> bool:
    """Return whether another gaze would not help: the head looks as asked or need not, or the platform is too fast."""
    if problem.law == "paper" or _looks_as_asked(found):
        return True
    robot = problem.robot
    time_s = problem.time_s
    force = inverse_dynamics(robot, time_s, found.qpos).drive_force
    return bool((drive_use(robot, velocities(robot, time_s, found.qpos)[0], force) > 1.0).any())


def _gaze_within_reach(problem: TrackingProblem, style: Style) -> float:
    """Return the gaze nearest to the style's that the head can keep up with: more direct, or else more averted."""
    duration_s = problem.path.duration_s
    samples = max(2, round(duration_s * _GAZE_SEARCH_HZ) + 1)
    coarse = replace(problem, time_s=np.linspace(0.0, duration_s, samples), steps=2)

    def keeps_up(gaze: float) -> bool:
        found = _tracked_if_possible(replace(coarse, style=replace(style, gaze=gaze)))
        return found is not None and _looks_as_asked(found)

    for end in (1.0, 0.0):
        if keeps_up(end):
            return bisect(keeps_up, end, style.gaze, resolution=_GAZE_STEP)[0]
    place = ", ".join(f"{value:g}" for value in problem.user_m)
    text = f"while its hand is busy the head can look neither at the user at ({place}) m nor away"
    raise RefusedError(
        [Reason(ReasonKind.LIMIT, LimitName.GAZE, text)],
        "Move the user in front of the robot.",
    )


def _tracked_if_possible(problem: TrackingProblem) -> TrackedTask | None:
    """Return a performance, or None if what is shown takes the hand so far that it can no longer follow."""
    try:
        return tracked(problem)
    except UnreachablePathError:
        return None


def _looks_as_asked(found: TrackedTask) -> bool:
    off_rad = found.largest_gaze_error_rad
    return off_rad is None or off_rad < MAX_GAZE_ERROR_RAD
