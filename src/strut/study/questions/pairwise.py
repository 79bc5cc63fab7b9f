"""Pairwise: which of two motions, side by side, has more of a quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from msgspec import Meta
from msgspec.structs import replace

from strut.errors import AnswersError
from strut.study.design.response_models import Reply, Respond, Shown, SimulatedObserver, WordShares
from strut.study.questions.form_fields import read_choice_field
from strut.study.questions.question import AskContext, Question
from strut.study.statistics.cells import CellReader, read_word

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from strut.study.design.design import Design
    from strut.study.design.translations import Translation
    from strut.study.design.trial_plan import Trial
    from strut.study.statistics.answers import Answers


class Pairwise(Question, frozen=True, forbid_unknown_fields=True):
    """A choice between two motions.

    Args:
        quality: What one motion has more of, such as `energy`.
    """

    name: ClassVar[str] = "pairwise"
    seconds_per_answer: ClassVar[float] = 4.0
    answer_cells: ClassVar[Mapping[str, CellReader]] = {"chosen": read_word}
    context_cells: ClassVar[Mapping[str, CellReader]] = {"other": read_word, "intended_other": read_word}
    shows_pairs: ClassVar[bool] = True
    asks_for_quality: ClassVar[bool] = True
    response_model: ClassVar[type | None] = WordShares
    blocks: ClassVar[int] = 1

    quality: Annotated[str, Meta(pattern=r"\S", max_length=60)] = ""

    def checked(self, context: AskContext) -> Self:
        """Return the question with the quality as written, or with the first emotion shown that is not neutral."""
        return replace(self, quality=self.quality or _first_emotion(context.intended))

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return the name of the motion that was chosen."""
        del seconds
        return {"chosen": {"left": trial.stimulus, "right": trial.other}[read_choice_field(form, ("left", "right"))]}

    def feedback_text(self, words: Translation, intended: Sequence[str], reply: Mapping[str, Any]) -> str:
        """Return what both motions were meant to be."""
        del reply
        left, right = map(words.emotion, intended)
        return words.say("feedback_pair", left=left, right=right)

    @property
    def context_columns(self) -> dict[str, Any]:
        """The other motion of the pair."""
        return {"other": None, "intended_other": None, "control_other": None}

    @classmethod
    def check_table(cls, table: pd.DataFrame, source: str) -> None:
        """Raise AnswersError if the motion that was chosen is not one of the two."""
        if "chosen" not in table:
            return
        if not {"stimulus", "other"} <= set(table):
            raise AnswersError(source, "has `chosen` but not both `stimulus` and `other`, among which it was.", 1)
        wrong = (table["chosen"] != table["stimulus"]) & (table["chosen"] != table["other"])
        if wrong.any():
            line = wrong.idxmax()
            row = table.loc[line]
            reason = f"chosen is '{row['chosen']}', which is neither {row['stimulus']} nor {row['other']}."
            raise AnswersError(source, reason, line)

    def findings(self, answers: Answers, rng: np.random.Generator) -> dict[str, bool]:
        """Return whether motions differ ("all"), and each pair ("sad, happy")."""
        from strut.study.statistics.preferences import preferences  # noqa: PLC0415 -- loads pandas
        from strut.study.statistics.recognition import ALL, ALPHA  # noqa: PLC0415

        try:
            found = preferences(answers, rng)
        except AnswersError:
            return {ALL: False}
        pairs = {f"{row.first}, {row.second}": row.p_holm is not None and row.p_holm < ALPHA for row in found.pairs}
        return {ALL: found.differ} | pairs

    def procedure(self) -> str:
        """Return the question as the methods section describes it."""
        return f"which of two motions, side by side, is more {self.quality}"

    def hypotheses(self, emotions: Sequence[str]) -> tuple[str, ...]:
        """Return the hypotheses of a preregistration."""
        del emotions
        return (
            f"The motions differ in how often participants choose them as more {self.quality}.",
            "For [pairs], participants prefer the first to the second. [Say which.] Tested only if hypothesis 1 is "
            "supported.",
        )

    def analysis_plan(self) -> tuple[str, ...]:
        """Return the analyses of a preregistration."""
        return (
            "Hypothesis 1: sum over motions of squared differences of wins and losses, against reversals of all "
            "choices of random participants.",
            "Hypothesis 2: two-sided exact sign tests over participants for each pair, Holm's correction over all "
            "pairs.",
            "Strengths: Bradley-Terry model (logistic regression by generalised estimating equations, participants as "
            "clusters, a "
            "constant for the side), described with 95 % intervals.",
        )

    def respond(self, design: Design, model: WordShares) -> Respond:
        """Return a function that chooses the motion that people called by the quality more often."""
        compare = model.comparer(design, self.quality)

        def reply(shown: Sequence[Shown], participant: SimulatedObserver, rng: np.random.Generator) -> Reply:
            return {"chosen": shown[compare(shown, participant, rng)].stimulus}

        return reply

    def simulation_note(self) -> str:
        """Return what a simulated audience assumes."""
        return f"The one that was called {self.quality} more often is chosen, by those shares."


def _first_emotion(intended: Sequence[str]) -> str:
    return next((name for name in intended if name != "neutral"), intended[0])
