"""Self-assessment manikins: figures for pleasure, arousal and dominance, one row each (Bradley and Lang, 1994)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from msgspec import Meta

from strut.study.design.response_models import Reply, Respond, ScaleRatings, Shown, SimulatedObserver
from strut.study.design.text_fields import check_texts
from strut.study.questions.form_fields import read_number_field
from strut.study.questions.question import AskContext
from strut.study.questions.rating import RatingQuestion
from strut.study.statistics.answers import PAD_SCALES, PadScale
from strut.study.statistics.cells import CellReader, read_rating

if TYPE_CHECKING:
    import numpy as np

    from strut.study.design.design import Design
    from strut.study.design.trial_plan import Trial


class SelfAssessment(RatingQuestion, frozen=True, forbid_unknown_fields=True):
    """Ratings of pleasure, arousal and dominance by figures.

    Args:
        scales: The scales that are asked.
        points: Number of figures of a scale: 5, 7 or 9.
    """

    name: ClassVar[str] = "sam"
    seconds_per_answer: ClassVar[float] = 9.0
    answer_cells: ClassVar[Mapping[str, CellReader]] = dict.fromkeys(PAD_SCALES, read_rating)
    response_model: ClassVar[type | None] = ScaleRatings

    scales: Annotated[tuple[PadScale, ...], Meta(min_length=1)] = PAD_SCALES
    points: Annotated[int, Meta(ge=5, le=9)] = 9

    def checked(self, context: AskContext) -> Self:
        """Return the question; raise DesignError if its scales have no middle or are named twice."""
        check_texts(context.file, ("ask", "scales"), self.scales)
        if self.points % 2 == 0:
            reason = f"is {self.points}; a scale with a middle has 5, 7 or 9 points."
            raise context.file.field_error(("ask", "points"), reason)
        return self

    @classmethod
    def toml_fields(cls, intended: Sequence[str]) -> str:
        """Return the lines of `[ask]` in a new design file."""
        del intended
        return 'scales = ["pleasure", "arousal", "dominance"]\npoints = 9                          # 5, 7 or 9\n'

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """The scales."""
        return self.scales

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return the rating of each scale on [-1, 1]."""
        del trial, seconds
        middle = (self.points + 1) / 2.0
        return {
            scale: (read_number_field(form, scale, 1, self.points) - middle) / (self.points - middle)
            for scale in self.scales
        }

    def procedure(self) -> str:
        """Return the question as the methods section describes it."""
        return f"self-assessment manikins with {self.points} points for {', '.join(self.scales)}"

    def respond(self, design: Design, model: ScaleRatings) -> Respond:
        """Return a function that chooses the figure nearest to the rating."""
        del design
        rate = model.rater()
        steps = (self.points - 1) / 2.0

        def reply(shown: Sequence[Shown], participant: SimulatedObserver, rng: np.random.Generator) -> Reply:
            ratings = rate(shown[0], participant, rng)
            return {scale: round(value * steps) / steps for scale, value in ratings.items() if scale in self.scales}

        return reply
