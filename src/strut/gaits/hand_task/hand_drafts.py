"""Hand drafts: a hand does its task and the rest of the body expresses a style, as far as the head can follow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

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

READS = (  # style parameters that a performance expresses
    *("activity", "jerkiness", "gaze", "tempo", "size", "trunk_pitch_rad", "head_pitch_rad", "body_pitch_rad"),
    *("shoulder_rad", "elbow_rad", "nod_rad", "asymmetry", "breath", "breath_pace"),
)
ALWAYS_NAMED = ("jerkiness", "activity", "gaze")  # those that every motion file names
LEANS = ("body_pitch_rad", "trunk_pitch_rad", "asymmetry")  # style parameters that move the shoulder with the trunk
SHARPNESS = 1.2  # of a task, per unit of jerkiness above neutral
CLEARANCE_M = 0.05  # smallest distance of the user's eyes from the robot's body
GAZE_SEARCH_HZ = 25.0  # samples per second while the gaze is searched: heads turn slowly
GAZE_SEARCH_STEPS = 2  # integration steps per sample of that search
GAZE_RESOLUTION = 0.02  # of the gaze, from 0 averted to 1 direct: 2 % cannot be seen
MAX_STEP_S = 0.010  # of the integration; with longer steps the style would move the hand


@dataclass(frozen=True, eq=False)
class HandDrafts(Generator):
    """Drafts performances.

    Args:
        robot: The robot.
        task: The hand's task, the user, and how to do it.
        rate_hz: Samples per second.
        expressive: Whether an emotion is expressed beside the hand's task.
    """

    robot: Robot
    task: HandTask
    rate_hz: float
    expressive: bool

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return the generator for the task of a request."""
        task = request.task
        assert isinstance(task, HandTask)
        return cls(robot, task, request.rate_hz, expressive=request.emotion is not None)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- all are made in full
        """Yield the one performance of a style, with another gaze if the head cannot follow the requested one.

        Raises:
            BadTableError: If the robot stands on its feet.
            OutOfRangeError: If the user touches the robot, or its hand cannot point at the target.
            UnreachablePathError: If the hand cannot follow its path, whatever the head does.
            RefusedError: If the head can follow no gaze.
        """
        robot = self.robot
        problem = self.problem(style)
        try:
            found, shown = _track_with_style(problem, style) if self.expressive else (tracked(problem), None)
        except UnreachablePathError as error:
            if "target_m" not in problem.path.options:
                raise
            place = ", ".join(f"{value:g}" for value in problem.path.options["target_m"])
            raise OutOfRangeError(
                f"The {problem.path.hand} hand of {robot.name} cannot point at ({place}) m; "
                "choose a target in front of it."
            ) from error
        kept, reasons = (1.0, ()) if shown is None else _kept_gaze(style, shown)
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
        """Return the tracking problem without a style; raises as `drafts` does if robot, task or user do not fit."""
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
        substeps = max(1, math.ceil(1.0 / (self.rate_hz * MAX_STEP_S) - 1e-9))
        problem = TrackingProblem(robot, path, None, user, task.law, time_s, substeps)
        _check_user(problem)
        return problem

    def _meta(self, problem: TrackingProblem, shown: Style | None) -> dict[str, Any]:
        """Return the description of the task in a motion file; the task audit compares the motion with this alone."""
        path = problem.path
        table = self.robot.expression
        more = [word for word in READS if word not in ALWAYS_NAMED and table.mapping(word) is not None]
        words = (*ALWAYS_NAMED, *more)
        return {
            "style": None if shown is None else {word: getattr(shown, word) for word in words},
            "task": {**path.options, "hand": path.hand, "platform": "led" if path.platform else "free"},
            "options": {"user_m": problem.user_m.tolist(), "law": problem.law},
        }


def _check_user(problem: TrackingProblem) -> None:
    """Raise OutOfRangeError if the user's eyes are not three finite numbers, or inside the robot in its first pose."""
    robot = problem.robot
    user_m = problem.user_m
    if user_m.shape != (3,) or not np.isfinite(user_m).all():
        raise OutOfRangeError("The user's position needs three finite numbers: x, y, z in metres.")
    first_qpos = problem.tracker().settled()
    centre, rotation = solid_poses(robot, first_qpos[None])
    for solid, centre_m, solid_to_world in zip(solids(robot), centre[0], rotation[0], strict=True):
        if solid.distance_m(solid_to_world.T @ (user_m - centre_m)) < CLEARANCE_M:
            place = ", ".join(f"{value:g}" for value in user_m)
            raise OutOfRangeError(
                f"The user at ({place}) m is inside {robot.name} or touches it; place the user farther away."
            )


def _quality(robot: Robot, style: Style) -> MovementQuality:
    """Return how a style does a task; as written for a body that does not scale its movements."""
    table = robot.expression
    if table.mapping("size") is None:
        return AS_WRITTEN
    sharpness = SHARPNESS * (style.jerkiness - table.neutral_value("jerkiness"))
    leans = [(word, joint, factor) for word in LEANS for joint, factor in table.joints(word).items()]
    trunk = {joint: factor * (getattr(style, word) - table.neutral_value(word)) for word, joint, factor in leans}
    return MovementQuality(style.tempo, style.size, min(max(sharpness, -1.0), 1.0), trunk)


def _path(robot: Robot, task: HandTask, quality: MovementQuality) -> HandPath:
    if task.path is not None:
        return path_through(task.task, task.hand, np.array(task.path, dtype=float))
    target = None if task.target_m is None else np.asarray(task.target_m, dtype=float)
    return hand_task(robot, task.task, duration_s=task.duration_s, target_m=target, quality=quality)


def _track_with_style(problem: TrackingProblem, style: Style) -> tuple[TrackedTask, Style]:
    """Return the performance of a style, and the style with the gaze that the head can follow."""
    found = _track_if_possible(replace(problem, style=style))
    if found is None:
        tracked(problem)  # raises if the hand cannot follow on its own
    if found is None or not _needs_no_other_gaze(problem, found):
        style = replace(style, gaze=_nearest_gaze(problem, style))
        found = tracked(replace(problem, style=style))
    return found, style


def _kept_gaze(asked: Style, shown: Style) -> tuple[float, tuple[Reason, ...]]:
    """Return the share of the requested gaze that is kept, and the reason if that is not all of it."""
    if shown.gaze == asked.gaze:
        return 1.0, ()
    end = 1.0 if shown.gaze > asked.gaze else 0.0
    text = f"the head reaches its end, so directness is {shown.gaze:.2f} instead of {asked.gaze:.2f}"
    return abs(end - shown.gaze) / abs(end - asked.gaze), (Reason(ReasonKind.LIMIT, LimitName.GAZE, text),)


def _needs_no_other_gaze(problem: TrackingProblem, found: TrackedTask) -> bool:
    """Return whether another gaze would not help: the head follows it or need not, or the platform is overloaded."""
    if problem.law == "paper" or _follows_gaze(found):
        return True
    robot = problem.robot
    time_s = problem.time_s
    force = inverse_dynamics(robot, time_s, found.qpos).drive_force
    return bool((drive_use(robot, velocities(robot, time_s, found.qpos)[0], force) > 1.0).any())


def _nearest_gaze(problem: TrackingProblem, style: Style) -> float:
    """Return the gaze nearest to the style's that the head can follow: more direct, or else more averted."""
    duration_s = problem.path.duration_s
    samples = max(2, round(duration_s * GAZE_SEARCH_HZ) + 1)
    coarse = replace(problem, time_s=np.linspace(0.0, duration_s, samples), steps=GAZE_SEARCH_STEPS)

    def keeps_up(gaze: float) -> bool:
        found = _track_if_possible(replace(coarse, style=replace(style, gaze=gaze)))
        return found is not None and _follows_gaze(found)

    for end in (1.0, 0.0):
        if keeps_up(end):
            return bisect(keeps_up, end, style.gaze, resolution=GAZE_RESOLUTION)[0]
    place = ", ".join(f"{value:g}" for value in problem.user_m)
    text = f"while its hand is busy the head can look neither at the user at ({place}) m nor away"
    raise RefusedError(
        [Reason(ReasonKind.LIMIT, LimitName.GAZE, text)],
        "Move the user in front of the robot.",
    )


def _track_if_possible(problem: TrackingProblem) -> TrackedTask | None:
    """Return a performance, or None if the style moves the body so far that the hand cannot follow its path."""
    try:
        return tracked(problem)
    except UnreachablePathError:
        return None


def _follows_gaze(found: TrackedTask) -> bool:
    off_rad = found.largest_gaze_error_rad
    return off_rad is None or off_rad < MAX_GAZE_ERROR_RAD
