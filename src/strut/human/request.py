"""Request of a human walk that an optimal-control solver finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from strut.human.table import SynthesisTable
from strut.request import RobotTask, TaskKind
from strut.request_checks import check_cycles


class HumanGait(RobotTask, frozen=True, tag="human_gait", kw_only=True):
    """Walk as the solution of an optimal-control problem; `cycles` are whole strides of two steps."""

    walks: ClassVar[str] = "finds its own steps"
    keeps_margin: ClassVar[bool] = False
    is_slow: ClassVar[bool] = True
    lowest_rate_hz: ClassVar[float] = 50.0  # else too few samples lie between two landings
    usual_margin_m: ClassVar[float] = 0.0  # a human step rolls over the edges of the feet

    cycles: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cycles(self.cycles, 1)

    def advice(self, broken: Sequence[str]) -> str:  # noqa: ARG002
        """Return what to do if the solver finds no walk."""
        return "Ask for less intensity."


KIND = TaskKind(
    request=HumanGait,
    generator="strut.human.synthesis.human_drafts:HumanDrafts.of_request",
    table=SynthesisTable,
    options="strut.human.options:human_options",
)
