"""Request of a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, get_args

import msgspec

from strut.errors import OutOfRangeError
from strut.gaits.crawl.table import CrawlTable
from strut.request import Adjustable, RobotTask, TaskKind
from strut.request_checks import check_cycles, check_length, check_word
from strut.score import ScoreKey

Balance = Literal["y", "xy"]
FASTEST_TEMPO = 10.0
KEYFRAME_CYCLES = 5  # fade in, one steady cycle, fade out


class Crawl(RobotTask, frozen=True, tag="crawl", kw_only=True):
    """Walk straight ahead, one foot at a time.

    Args:
        cycles: Whole gait cycles.
        step_length_m: Neutral step length; the robot's own if None.
        step_height_m: Neutral step height; the robot's own if None.
        balance: Body sways in `y` alone, as published, or in `xy`.
        tempo: Factor on the pace of the steps.
    """

    walks: ClassVar[str] = "crawls straight ahead"
    relaxes: ClassVar[bool] = True
    follows_scores: ClassVar[bool] = True
    adjustable: ClassVar[Mapping[str, Adjustable]] = {
        "step_length_m": Adjustable("step length", "mm"),
        "step_height_m": Adjustable("step height", "mm"),
    }

    cycles: int = 10
    step_length_m: float | None = None
    step_height_m: float | None = None
    balance: Balance = "xy"
    tempo: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cycles(self.cycles, 2)  # one to fade a pose in, one to fade it out
        check_length("step length", self.step_length_m)
        check_length("step height", self.step_height_m)
        if self.step_height_m == 0.0:
            raise OutOfRangeError("The step height is 0 m, so the feet would drag; choose at least 10 mm.")
        check_word("balance", self.balance, get_args(Balance))
        if not 0.0 < self.tempo <= FASTEST_TEMPO:  # also catches NaN
            raise OutOfRangeError(f"The tempo is {self.tempo:g}; choose more than 0 and at most {FASTEST_TEMPO:g}.")

    def at_keyframe(self, keyframe: ScoreKey) -> Self:
        """Return a crawl that fades the pose of a keyframe in and out; raises OutOfRangeError for speeds and turns."""
        if keyframe.speed_m_s is not None or keyframe.turn_rad_s != 0.0:
            raise OutOfRangeError("A crawl goes straight ahead at its own pace; leave speed and turn out of the score.")
        return msgspec.structs.replace(self, cycles=KEYFRAME_CYCLES)

    def probe(self, **options: Any) -> Self:
        """Return a short crawl; in neutral there is no pose to fade."""
        return msgspec.structs.replace(self, cycles=min(self.cycles, 3), **options)


KIND = TaskKind(
    request=Crawl,
    generator="strut.gaits.crawl.crawl_drafts:CrawlDrafts.of_request",
    table=CrawlTable,
    options="strut.gaits.crawl.options:crawl_options",
)
