"""Drafts of a keyframe animation: the feasible motion nearest to it.

Drafts come in order of preference: the whole movement by the requested method, then by retiming its centre of mass,
then at smaller and smaller amplitudes about the first pose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from strut.animation.animation_frames import AnimationFrames, round_corners, sample_keyframes
from strut.animation.animation_ik import PlantedStance, planted_stance, solve_frames
from strut.animation.com_retiming import retime_com
from strut.animation.feasible_animation import FeasibleAnimation, tracking_error
from strut.animation.request import Animate, AnimationMethod
from strut.animation.whole_body_tracking import track_whole_body
from strut.arrays import Array, Index
from strut.draft import Detail, Draft, Generator, OnProgress, Search, not_made
from strut.errors import OutOfRangeError
from strut.ocp.windowed_tracking import WINDOW_INTERVALS
from strut.plumbing.number_text import format_percent
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request
from strut.robot import Robot
from strut.style import Style

STRENGTHS_AND_MARGINS: dict[AnimationMethod, tuple[tuple[float, float], ...]] = {
    # strength of the movement, and balance margin [m] added for the motion between two frames
    "mass": (
        *((1.0, 0.0), (1.0, 0.006), (1.0, 0.014)),
        *((0.9, 0.006), (0.8, 0.006), (0.65, 0.006), (0.5, 0.006)),
    ),
    "body": ((1.0, 0.0), (1.0, 0.006)),  # weaker movements are left to the faster method `mass`
    "pieces": ((1.0, 0.0), (1.0, 0.006)),
}
REPORTED_STRETCH = 1.02  # smaller stretches are invisible
ALL_JOINTS = {"body": "all joints at once", "pieces": "all joints window by window"}
WEAKENED_STRETCH = 1.0 / 0.85  # a movement that takes longer by this factor counts as weakened


@dataclass(frozen=True, slots=True, eq=False)
class AnimationDrafts(Generator):
    """Drafts of one keyframe animation.

    Args:
        robot: Robot that performs it.
        task: The animation and the method.
        margin_m: Balance margin to keep.
        rate_hz: Samples per second.
    """

    search: ClassVar[Search] = Search(rungs=1)  # the drafts themselves lower the strength

    robot: Robot
    task: Animate
    margin_m: float
    rate_hz: float

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return the drafts of a request to animate."""
        task = request.task
        assert isinstance(task, Animate)
        return cls(robot, task, request.min_margin_m, request.rate_hz)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- keyframes have their own style
        """Yield the feasible motion nearest to the animation, then weaker ones; raises UnreachableFrameError."""
        animation = self.task.animation
        if animation.walks:
            raise OutOfRangeError("The story walks; only standing parts can be animated. Cut it at its walks.")
        stance = planted_stance(self.robot, animation)
        for fallback, (strength, added_margin_m, method) in enumerate(self.fallbacks()):
            frames = sample_keyframes(animation, self.robot.foot_names, self.robot.joint_names, strength=strength)
            frame_qpos = solve_frames(stance, frames)
            if len(frames.corner):
                frames = round_corners(frames)
                frame_qpos = solve_frames(stance, frames)
            margin_m = self.margin_m + added_margin_m
            feasible = make_feasible(stance, frames, frame_qpos, margin_m=margin_m, rate_hz=self.rate_hz, method=method)
            report = {"method": method, **animation_report(frames.time_s, frames.key, frame_qpos, feasible, strength)}
            yield self._draft(report, feasible, style, fallback)

    def fallbacks(self) -> Iterator[tuple[float, float, AnimationMethod]]:
        """Yield strength, added margin and method: the requested method first, then the centre of mass alone."""
        methods: tuple[AnimationMethod, ...] = ("mass",) if self.task.method == "mass" else (self.task.method, "mass")
        for method in methods:
            for strength, added_margin_m in STRENGTHS_AND_MARGINS[method]:
                yield strength, added_margin_m, method

    def _draft(self, report: dict[str, Any], feasible: FeasibleAnimation, style: Style, fallback: int) -> Draft:
        strength = report["strength"]
        requested = self.task.method
        report["not_by"] = (
            f"method: {ALL_JOINTS[requested]} found no motion within the limits, so only the centre of mass was moved"
            if report["method"] != requested
            else ""
        )
        if not feasible.solved:
            text = "no timing and no path of the centre of mass keeps this movement balanced"
            return not_made(self.robot, style, LimitName.BALANCE_MARGIN, text)
        reasons = [Reason(ReasonKind.SLOWED, None, text) for text in report["slower"]]
        if strength < 1.0:
            text = f"{format_percent(strength)} of the movement, because all of it breaks a limit"
            reasons.insert(0, Reason(ReasonKind.WEAKENED, None, text))
        stretch = report["duration_s"] / report["drawn_s"]
        return Draft(
            self.robot,
            feasible.time_s,
            feasible.qpos,
            feasible.contact,
            style,
            kept=strength,
            reasons=tuple(reasons) if stretch > WEAKENED_STRETCH or strength < 1.0 else (),
            fallback=fallback,
            meta={
                "title": self.task.animation.title,
                "animation": report,
                "eyes": expression_changes(feasible.time_s, feasible.eyes),
            },
        )


def make_feasible(
    stance: PlantedStance,
    frames: AnimationFrames,
    frame_qpos: Array,
    *,
    margin_m: float,
    rate_hz: float,
    method: AnimationMethod,
) -> FeasibleAnimation:
    """Return the feasible motion nearest to the frames of an animation.

    Args:
        stance: The robot in its planted stance.
        frames: N frames.
        frame_qpos: Their configurations. Shape (N, nq).
        margin_m: Balance margin to keep.
        rate_hz: Samples per second of the result.
        method: `body` optimises all joints, forces and times at once, `pieces` window by window with exact joins,
            `mass` only the centre of mass and times.
    """
    if method == "mass":
        return retime_com(stance, frames, frame_qpos, margin_m=margin_m, rate_hz=rate_hz)
    intervals = WINDOW_INTERVALS if method == "pieces" else None
    return track_whole_body(stance, frames, frame_qpos, margin_m=margin_m, rate_hz=rate_hz, window_intervals=intervals)


def animation_report(
    authored_s: Array, key: Index, frame_qpos: Array, feasible: FeasibleAnimation, strength: float = 1.0
) -> dict[str, Any]:
    """Return the tracking error of a motion, and where and why it takes longer, as JSON.

    Args:
        authored_s: Time of each frame in the animation. Shape (N,).
        key: Keyframes. Shape (n_keys,).
        frame_qpos: Configurations of the animation. Shape (N, nq).
        feasible: The feasible motion.
        strength: Amplitude of the movement, relative to the animation.
    """
    times = feasible.frame_time_s
    error = tracking_error(feasible, frame_qpos)
    base_error_m = error.place_m
    between = np.ones(len(base_error_m), dtype=np.bool_)
    between[key] = False
    intervals: list[dict[str, Any]] = []
    for number, stretch in enumerate(feasible.stretch):
        first = key[number]
        last = key[number + 1]
        why = feasible.why.get(number, "at the drawn speed the centre of pressure would leave the feet")
        intervals.append(
            {
                "drawn_s": [float(authored_s[first]), float(authored_s[last])],
                "performed_s": [float(times[first]), float(times[last])],
                "stretch": float(stretch),
                "why": why if stretch > REPORTED_STRETCH else "",
            }
        )
    slower = [
        f"the part from {part['drawn_s'][0]:.2f} to {part['drawn_s'][1]:.2f} s takes {part['stretch']:.2f} times as "
        f"long, because {part['why']}"
        for part in intervals
        if part["why"]
    ]
    return {
        "frames": len(base_error_m),
        "keyframes": [int(frame) for frame in key],
        "drawn_s": float(authored_s[-1]),
        "duration_s": float(times[-1]),
        "strength": strength,
        "away_mm": {
            "rms": float(np.sqrt(np.mean(base_error_m**2))) * 1e3,
            "largest": float(base_error_m.max()) * 1e3,
            "largest_at_s": float(times[int(np.argmax(base_error_m))]),
            "keyframes_rms": float(np.sqrt(np.mean(base_error_m[key] ** 2))) * 1e3,
            "between_rms": float(np.sqrt(np.mean(base_error_m[between] ** 2))) * 1e3 if between.any() else 0.0,
        },
        "turned_deg": {
            "rms": float(np.degrees(np.sqrt(np.mean(error.turn_rad**2)))),
            "largest": float(np.degrees(error.turn_rad.max())),
        },
        "joints_deg": {"largest": float(np.degrees(error.joint_rad.max()))},
        "intervals": intervals,
        "slower": slower,
        "rounds": feasible.rounds,
    }


def expression_changes(time_s: Array, eyes: Sequence[str]) -> list[list[Any]]:
    """Return start and name of each expression, from the expression at every sample. Shape (T,) and length T."""
    changes: list[list[Any]] = []
    for start_s, expression in zip(time_s, eyes, strict=True):
        if not changes or changes[-1][1] != expression:
            changes.append([float(start_s), expression])
    return changes
