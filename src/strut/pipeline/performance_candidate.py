"""Performance candidate: a style played, measured, and looked away with only as far as the head can turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from strut.errors import RefusedError, UnreachablePathError
from strut.pipeline.performance import Part, Performance, Player
from strut.style import Style
from strut.verify.audit import Audit, audit
from strut.verify.task_audit import LARGEST_GAZE_ERROR_RAD

_GAZE_SEARCH_HZ = 25.0
_GAZE_STEP = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class PerformanceCandidate:
    """A performance at some intensity, what it needs, and the style that it shows in the end."""

    performance: Performance
    measured: Audit
    style: Style | None
    gaze_asked: float


def performance_candidate(part: Part, style: Style | None) -> PerformanceCandidate:
    """Return the performance of a style, looking elsewhere where the head cannot look as asked while the hand is busy.

    Raises:
        UnreachablePathError: If the hand cannot follow its path, whatever the head does.
        RefusedError: If the head can look nowhere.
    """
    asked = 0.5 if style is None else style.gaze
    performance = _played(replace(part, style=style))
    if performance is None and style is not None:
        Player(replace(part, style=None)).play()  # raises if the hand cannot follow on its own
    if style is not None and not _good_enough(part, performance):
        style = replace(style, gaze=_gaze_within_reach(part, style))
        performance = Player(replace(part, style=style)).play()
    performance = performance or Player(part).play()
    return PerformanceCandidate(performance, _measured(part, performance), style, asked)


def _good_enough(part: Part, performance: Performance | None) -> bool:
    """Return whether another gaze would not help: the head looks as asked or need not, or the platform is too fast."""
    if performance is None:
        return False
    return (
        part.law == "paper" or _looks_as_asked(performance) or bool((_measured(part, performance).drive_use > 1).any())
    )


def _measured(part: Part, performance: Performance) -> Audit:
    return audit(part.robot, part.time_s, performance.qpos, np.zeros((len(part.time_s), 0), dtype=np.bool_))


def _gaze_within_reach(part: Part, style: Style) -> float:
    """Return the gaze nearest to the style's that the head can keep up with: more direct, or else more averted."""
    duration_s = part.path.duration_s
    samples = max(2, round(duration_s * _GAZE_SEARCH_HZ) + 1)
    coarse = replace(part, time_s=np.linspace(0.0, duration_s, samples), steps=2)

    def keeps_up(gaze: float) -> bool:
        played = _played(replace(coarse, style=replace(style, gaze=gaze)))
        return played is not None and _looks_as_asked(played)

    for end in (1.0, 0.0):
        if not keeps_up(end):
            continue
        fails, works = style.gaze, end
        while abs(works - fails) > _GAZE_STEP:
            middle = (fails + works) / 2.0
            fails, works = (fails, middle) if keeps_up(middle) else (middle, works)
        return works
    place = ", ".join(f"{value:g}" for value in part.user_m)
    raise RefusedError(
        [f"gaze: while its hand is busy the head can look neither at the user at ({place}) m nor away"],
        "Move the user in front of the robot.",
    )


def _played(part: Part) -> Performance | None:
    """Return a performance, or None if what is shown takes the hand so far that it can no longer follow."""
    try:
        return Player(part).play()
    except UnreachablePathError:
        return None


def _looks_as_asked(performance: Performance) -> bool:
    off_rad = performance.largest_gaze_error_rad
    return off_rad is None or off_rad < LARGEST_GAZE_ERROR_RAD
