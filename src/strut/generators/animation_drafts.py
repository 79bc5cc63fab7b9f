"""Animation drafts: a drawn story that a body can really perform, as near to the drawing as it can be.

Drafts come in order of preference: the whole movement, then less and less of it about the first pose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from strut.draft import Detail, Draft, Search, not_made
from strut.drawing import Drawing, drawn, rounded
from strut.errors import OutOfRangeError
from strut.generators.feasible_story import FeasibleStory, feasible_story
from strut.generators.planted_story import drawn_qpos, planted_stance
from strut.request import Animate
from strut.robot import Robot
from strut.style import Style

WAYS = (  # strength, and balance margin beyond what is asked, for what lies between two frames [m]
    *((1.0, 0.0), (1.0, 0.006), (1.0, 0.014)),
    *((0.9, 0.006), (0.8, 0.006), (0.65, 0.006), (0.5, 0.006)),
)
VISIBLE_STRETCH = 1.02  # less is not told
AS_DRAWN = 1.0 / 0.85  # a movement that takes longer than this is weakened


@dataclass(frozen=True, slots=True, eq=False)
class AnimationDrafts:
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

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- a drawing has its own style
        """Yield the story as near to the drawing as it can be, then weaker; raises UnreachableFrameError."""
        animation = self.task.animation
        if animation.walks:
            raise OutOfRangeError("The story walks; only what it does standing can be animated: cut it at its walks.")
        stance = planted_stance(self.robot, animation)
        for variant, (strength, more_m) in enumerate(WAYS):
            frames = drawn(animation, self.robot.foot_names, self.robot.joint_names, strength=strength)
            raw = drawn_qpos(stance, frames)
            if len(frames.corner):
                frames = rounded(frames)
                raw = drawn_qpos(stance, frames)
            story = feasible_story(stance, frames, raw, margin_m=self.margin_m + more_m, rate_hz=self.rate_hz)
            yield self._draft(frames, story, style, variant)

    def _draft(self, frames: Drawing, story: FeasibleStory, style: Style, variant: int) -> Draft:
        strength = WAYS[variant][0]
        if not story.path.solved:
            sentence = "balance: no time and no path of the centre of mass keeps this movement on its feet"
            return not_made(self.robot, style, "balance margin", sentence)
        report = story_report(frames, story, strength)
        weaker = [f"strength: {strength:.0%} of the movement, for the whole of it breaks a limit"]
        reasons = [*(weaker if strength < 1.0 else []), *report["slower"]]
        stretch = report["duration_s"] / report["drawn_s"]
        return Draft(
            self.robot,
            story.time_s,
            story.qpos,
            story.contact,
            style,
            kept=strength,
            reasons=tuple(reasons) if stretch > AS_DRAWN or strength < 1.0 else (),
            variant=variant,
            meta={"title": self.task.animation.title, "animation": report, "eyes": _changes(story)},
        )


def story_report(frames: Drawing, story: FeasibleStory, strength: float) -> dict[str, Any]:
    """Return how far a movement is from its drawing, where time was stretched and why, as JSON can hold it."""
    times, away = story.path.time_s, story.away_m
    between = np.ones(len(away), dtype=np.bool_)
    between[frames.key] = False
    intervals: list[dict[str, Any]] = []
    for number, stretch in enumerate(story.path.stretch):
        first, last = frames.key[number], frames.key[number + 1]
        intervals.append(
            {
                "drawn_s": [float(frames.time_s[first]), float(frames.time_s[last])],
                "performed_s": [float(times[first]), float(times[last])],
                "stretch": float(stretch),
                "why": _why(story, number) if stretch > VISIBLE_STRETCH else "",
            }
        )
    slower = [
        f"time: {part['drawn_s'][0]:.2f} to {part['drawn_s'][1]:.2f} s takes {part['stretch']:.2f} times as long, "
        f"for {part['why']}"
        for part in intervals
        if part["why"]
    ]
    return {
        "frames": len(away),
        "keyframes": [int(frame) for frame in frames.key],
        "drawn_s": float(frames.time_s[-1]),
        "duration_s": float(times[-1]),
        "strength": strength,
        "away_mm": {
            "rms": float(np.sqrt(np.mean(away**2))) * 1e3,
            "largest": float(away.max()) * 1e3,
            "largest_at_s": float(times[int(np.argmax(away))]),
            "keyframes_rms": float(np.sqrt(np.mean(away[frames.key] ** 2))) * 1e3,
            "between_rms": float(np.sqrt(np.mean(away[between] ** 2))) * 1e3 if between.any() else 0.0,
        },
        "intervals": intervals,
        "slower": slower,
        "rounds": story.rounds,
    }


def _why(story: FeasibleStory, interval: int) -> str:
    return story.reasons.words.get(interval, "at the drawn speed the centre of pressure would leave the feet")


def _changes(story: FeasibleStory) -> list[list[Any]]:
    """Return when which expression of the eyes begins."""
    changes: list[list[Any]] = []
    for time_s, eyes in zip(story.time_s, story.eyes, strict=True):
        if not changes or changes[-1][1] != eyes:
            changes.append([float(time_s), eyes])
    return changes
