"""Rating: what questions share whose answers are numbers on scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from strut.errors import AnswersError
from strut.study.questions.question import Question

if TYPE_CHECKING:
    import numpy as np

    from strut.study.statistics.answers import Answers


class RatingQuestion(Question, frozen=True, forbid_unknown_fields=True):
    """A question whose answers are ratings: their means, mixed models and correlations are computed for every scale.

    `read_reply` and `respond` return numbers from -1 to 1 for each column, 0 at the middle of the scale, or None if the
    participant is undecided. So a scale from 1 to 7 is rescaled there, once. `read_rating` reads the columns.
    """

    are_ratings: ClassVar[bool] = True

    def findings(self, answers: Answers, rng: np.random.Generator) -> dict[str, bool]:
        """Return the effect of the emotion on each scale ("all, pleasure") and each mean off the middle."""
        from strut.study.statistics.mixed import mixed_rating  # noqa: PLC0415 -- loads pandas, which pages do not need
        from strut.study.statistics.ratings import rating_means  # noqa: PLC0415
        from strut.study.statistics.recognition import ALL, ALPHA  # noqa: PLC0415
        from strut.study.statistics.significance import holm  # noqa: PLC0415

        del rng

        def emotion_p(scale: str) -> float | None:
            try:
                return mixed_rating(answers, scale).p_value
            except AnswersError:
                return None

        p_values = holm([emotion_p(scale) for scale in answers.ratings])
        effects = {
            f"{ALL}, {scale}": p is not None and p < ALPHA for scale, p in zip(answers.ratings, p_values, strict=True)
        }
        return effects | {f"{row.emotion}, {row.scale}": row.off_middle(ALPHA) for row in rating_means(answers)}

    def hypotheses(self, emotions: Sequence[str]) -> tuple[str, ...]:
        """Return the hypotheses of a preregistration."""
        from strut.study.report.apa import and_list  # noqa: PLC0415 -- with the other texts of the report

        del emotions
        return (
            f"On each scale ({and_list(list(self.answer_columns))}), the emotion shown changes the rating.",
            "For [emotions and scales], the mean rating differs from the middle of the scale. "
            "[Say which, and in which direction.]",
        )

    def analysis_plan(self) -> tuple[str, ...]:
        """Return the analyses of a preregistration."""
        return (
            "Hypothesis 1: linear mixed model with random intercepts and slopes of participants, crossed with stimuli "
            "if emotions are shown by several; restricted maximum likelihood, F test with Satterthwaite's degrees of "
            "freedom, Holm's correction over scales.",
            "Hypothesis 2: two-sided one-sample t tests of the means of participants, Holm's correction over all "
            "means; Cohen's d.",
        )
