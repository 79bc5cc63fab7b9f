"""Animation drafts: a drawn story that a body can really perform, as near to the drawing as it can be.

Drafts come in order of preference: the whole movement by the method that was asked for, then by its centre of mass
alone, then less and less of it about the first pose.
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
    # strength, and balance margin beyond what is asked, for what lies between two frames [m]
    "mass": (
        *((1.0, 0.0), (1.0, 0.006), (1.0, 0.014)),
        *((0.9, 0.006), (0.8, 0.006), (0.65, 0.006), (0.5, 0.006)),
    ),
    "body": ((1.0, 0.0), (1.0, 0.006)),  # what is weaker, or not solved, is for the centre of mass
    "pieces": ((1.0, 0.0), (1.0, 0.006)),
}
VISIBLE_STRETCH = 1.02  # less is not told
ALL_JOINTS = {"body": "all joints at once", "pieces": "all joints window by window"}
WEAKENED_STRETCH = 1.0 / 0.85  # a movement that takes longer than this is weakened


@dataclass(frozen=True, slots=True, eq=False)
class AnimationDrafts(Generator):
    """Drafts of one story.

    Args:
        robot: Who performs it.
        task: The story.
        margin_m: Balance margin that shall be kept.
        rate_hz: Samples per second.
    """

    search: ClassVar[Search] = Search(rungs=1)  # a drawing has its own strength: there is none in between to search

    robot: Robot
    task: Animate
    margin_m: float
    rate_hz: float

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return what drafts the task of a request."""
        task = request.task
        assert isinstance(task, Animate)
        return cls(robot, task, request.min_margin_m, request.rate_hz)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- a drawing has its own style
        """Yield the story as near to the drawing as it can be, then weaker; raises UnreachableFrameError."""
        animation = self.task.animation
        if animation.walks:
            raise OutOfRangeError("The story walks; only what it does standing can be animated: cut it at its walks.")
        stance = planted_stance(self.robot, animation)
        for fallback, (strength, more_m, method) in enumerate(self._variants()):
            frames = sample_keyframes(animation, self.robot.foot_names, self.robot.joint_names, strength=strength)
            raw = solve_frames(stance, frames)
            if len(frames.corner):
                frames = round_corners(frames)
                raw = solve_frames(stance, frames)
            feasible = self._feasible(stance, frames, raw, more_m, method)
            report = {"method": method, **animation_report(frames.time_s, frames.key, raw, feasible, strength)}
            yield self._draft(report, feasible, style, fallback)

    def _variants(self) -> Iterator[tuple[float, float, AnimationMethod]]:
        """Yield strength, margin beyond what is asked and method: as asked first, then the centre of mass alone."""
        methods: tuple[AnimationMethod, ...] = ("mass",) if self.task.method == "mass" else (self.task.method, "mass")
        for method in methods:
            yield from ((strength, more_m, method) for strength, more_m in STRENGTHS_AND_MARGINS[method])

    def _feasible(
        self, stance: PlantedStance, frames: AnimationFrames, raw: Array, more_m: float, method: AnimationMethod
    ) -> FeasibleAnimation:
        margin_m = self.margin_m + more_m
        return make_feasible(stance, frames, raw, margin_m=margin_m, rate_hz=self.rate_hz, method=method)

    def _draft(self, report: dict[str, Any], feasible: FeasibleAnimation, style: Style, fallback: int) -> Draft:
        strength = report["strength"]
        asked = self.task.method
        report["not_by"] = (
            f"method: {ALL_JOINTS[asked]} gave nothing that keeps the limits, so the centre of mass alone was moved"
            if report["method"] != asked
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
    raw: Array,
    *,
    margin_m: float,
    rate_hz: float,
    method: AnimationMethod,
) -> FeasibleAnimation:
    """Return the movement nearest to a drawing, with coordinates (N, nq), that keeps every limit.

    Args:
        stance: Who, and how it stands.
        frames: N frames.
        raw: Their coordinates. Shape (N, nq).
        margin_m: Balance margin that shall be kept.
        rate_hz: Samples per second of the result.
        method: `body` optimises all joints, forces and times at once, `pieces` window by window with exact joins,
            `mass` the centre of mass and times alone.
    """
    if method == "mass":
        return retime_com(stance, frames, raw, margin_m=margin_m, rate_hz=rate_hz)
    intervals = WINDOW_INTERVALS if method == "pieces" else None
    return track_whole_body(stance, frames, raw, margin_m=margin_m, rate_hz=rate_hz, window_intervals=intervals)


def animation_report(
    drawn_s: Array, key: Index, raw: Array, feasible: FeasibleAnimation, strength: float = 1.0
) -> dict[str, Any]:
    """Return how far a movement is from its drawing, where time was stretched and why, as JSON can hold it.

    Args:
        drawn_s: When each frame was drawn. Shape (N,).
        key: Keyframes. Shape (n_keys,).
        raw: Coordinates as drawn. Shape (N, nq).
        feasible: What came of it.
        strength: Of the movement that was drawn.
    """
    times = feasible.frame_time_s
    far = tracking_error(feasible, raw)
    away = far.place_m
    between = np.ones(len(away), dtype=np.bool_)
    between[key] = False
    intervals: list[dict[str, Any]] = []
    for number, stretch in enumerate(feasible.stretch):
        first = key[number]
        last = key[number + 1]
        intervals.append(
            {
                "drawn_s": [float(drawn_s[first]), float(drawn_s[last])],
                "performed_s": [float(times[first]), float(times[last])],
                "stretch": float(stretch),
                "why": _why(feasible, number) if stretch > VISIBLE_STRETCH else "",
            }
        )
    slower = [
        f"the part from {part['drawn_s'][0]:.2f} to {part['drawn_s'][1]:.2f} s takes {part['stretch']:.2f} times as "
        f"long, because {part['why']}"
        for part in intervals
        if part["why"]
    ]
    return {
        "frames": len(away),
        "keyframes": [int(frame) for frame in key],
        "drawn_s": float(drawn_s[-1]),
        "duration_s": float(times[-1]),
        "strength": strength,
        "away_mm": {
            "rms": float(np.sqrt(np.mean(away**2))) * 1e3,
            "largest": float(away.max()) * 1e3,
            "largest_at_s": float(times[int(np.argmax(away))]),
            "keyframes_rms": float(np.sqrt(np.mean(away[key] ** 2))) * 1e3,
            "between_rms": float(np.sqrt(np.mean(away[between] ** 2))) * 1e3 if between.any() else 0.0,
        },
        "turned_deg": {
            "rms": float(np.degrees(np.sqrt(np.mean(far.turn_rad**2)))),
            "largest": float(np.degrees(far.turn_rad.max())),
        },
        "joints_deg": {"largest": float(np.degrees(far.joint_rad.max()))},
        "intervals": intervals,
        "slower": slower,
        "rounds": feasible.rounds,
    }


def _why(feasible: FeasibleAnimation, interval: int) -> str:
    return feasible.why.get(interval, "at the drawn speed the centre of pressure would leave the feet")


def expression_changes(time_s: Array, eyes: Sequence[str]) -> list[list[Any]]:
    """Return when which expression of the eyes begins, from that of every instant. Shape (T,) and length T."""
    changes: list[list[Any]] = []
    for instant_s, expression in zip(time_s, eyes, strict=True):
        if not changes or changes[-1][1] != expression:
            changes.append([float(instant_s), expression])
    return changes
