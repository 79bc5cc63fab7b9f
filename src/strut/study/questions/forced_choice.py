"""Forced choice: which of several words fits the motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from msgspec import Meta
from msgspec.structs import replace

from strut.study.design.response_models import Respond, WordShares
from strut.study.design.text_fields import NonBlankText, check_texts
from strut.study.questions.form_fields import read_choice_field
from strut.study.questions.question import AskContext, Question
from strut.study.statistics.answers import DO_NOT_KNOW
from strut.study.statistics.cells import CellReader, read_word

if TYPE_CHECKING:
    from pathlib import Path

    from strut.study.design.design import Design
    from strut.study.design.translations import Translation
    from strut.study.design.trial_plan import Trial
    from strut.study.statistics.answers import Answers

_PERMUTATIONS = 499  # of each simulated study; the report uses ten times as many


class ForcedChoice(Question, frozen=True, forbid_unknown_fields=True):
    """A choice among words; `shuffle` gives each participant another order.

    Args:
        options: The words; the emotions of the stimuli if empty.
        shuffle: Whether each participant gets another order.
        do_not_know: Whether participants may say that they do not know.
    """

    name: ClassVar[str] = "forced-choice"
    answer_cells: ClassVar[Mapping[str, CellReader]] = {"perceived": read_word}
    min_emotions: ClassVar[int] = 2
    response_model: ClassVar[type | None] = WordShares

    options: Annotated[tuple[NonBlankText, ...], Meta(min_length=2)] = ()
    shuffle: bool = False
    do_not_know: bool = True

    def checked(self, context: AskContext) -> Self:
        """Return the question with the options as written, or with the emotions that the stimuli show."""
        options = self.options or context.intended
        path = ("ask", "options")
        missing = set(context.intended) - set(options)
        if missing:
            raise context.file.field_error(path, f"lacks '{min(missing)}', which a stimulus is intended to show.")
        if DO_NOT_KNOW in options:
            raise context.file.field_error(path, f"holds '{DO_NOT_KNOW}'; write do_not_know = true instead.")
        if len(options) < 2:
            raise context.file.field_error(path, f"needs at least 2, it has {len(options)}.")
        check_texts(context.file, path, options)
        return replace(self, options=options)

    @classmethod
    def toml_fields(cls, intended: Sequence[str]) -> str:
        """Return the lines of `[ask]` in a new design file."""
        options = ", ".join(f'"{emotion}"' for emotion in intended)
        return (
            f"options = [{options}]\n"
            "shuffle = true                      # each person reads them in another order; false: as above\n"
            "do_not_know = true\n"
        )

    @property
    def is_undecided_allowed(self) -> bool:
        """Whether "I do not know" is among the answers."""
        return self.do_not_know

    @property
    def answer_options(self) -> tuple[str, ...]:
        """What people can answer, "do not know" last."""
        return (*self.options, DO_NOT_KNOW) if self.do_not_know else self.options

    def option_order(self, seed: int, participant: int) -> tuple[str, ...]:
        """Return the options as one participant reads them in every trial, "do not know" last."""
        if not self.shuffle:
            return self.answer_options
        order = np.random.default_rng([seed, participant, 1]).permutation(len(self.options))
        return (*(self.options[k] for k in order), *self.answer_options[len(order) :])

    def page_values(self, seed: int, participant: int) -> dict[str, Any]:
        """Return the options in the order of the participant."""
        return {"options": self.option_order(seed, participant)}

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return the option that was chosen."""
        del trial, seconds
        return {"perceived": read_choice_field(form, self.answer_options)}

    def feedback_text(self, words: Translation, intended: Sequence[str], reply: Mapping[str, Any]) -> str:
        """Return the intended emotion beside the answer; only the intended one after an attention check."""
        if "perceived" not in reply:
            return super().feedback_text(words, intended, reply)
        name = "feedback_right" if reply["perceived"] == intended[0] else "feedback_wrong"
        return words.say(name, emotion=words.emotion(intended[0]), answer=words.emotion(reply["perceived"]))

    @property
    def context_columns(self) -> dict[str, Any]:
        """How many answers were offered, which the rate of guessing depends on."""
        return {"options": len(self.answer_options), "do_not_know": int(self.do_not_know)}

    def statistics_options(self, folder: Path) -> dict[str, Any]:
        """Return the options: those that were never chosen belong to the confusion matrix."""
        del folder
        return {"options": self.answer_options}

    def findings(self, answers: Answers, rng: np.random.Generator) -> dict[str, bool]:
        """Return whether all emotions together ("all") and each emotion are recognised."""
        from strut.study.statistics.recognition import ALL, recognitions  # noqa: PLC0415 -- loads pandas

        emotions, overall, _ = recognitions(answers, rng, permutations=_PERMUTATIONS)
        return {ALL: overall.recognised} | {row.emotion: row.recognised for row in emotions}

    def procedure(self) -> str:
        """Return the question as the methods section describes it."""
        order = ", in another order for each participant" if self.shuffle else ""
        return f"a choice among {len(self.answer_options)} answers{order}"

    def hypotheses(self, emotions: Sequence[str]) -> tuple[str, ...]:
        """Return the hypotheses of a preregistration."""
        from strut.study.report.apa import and_list  # noqa: PLC0415 -- with the other texts of the report

        return (
            "Over all emotions, participants name the intended emotion more often than expected by chance.",
            f"Each of {and_list(list(emotions))} is named more often when it is shown than expected by chance. Tested "
            "only if hypothesis 1 is supported.",
        )

    def analysis_plan(self) -> tuple[str, ...]:
        """Return the analyses of a preregistration."""
        confidence = ("Confidence: area under the type 2 ROC curve of each participant against .5, two-sided t test.",)
        return (
            "Hypothesis 1: one-sided permutation test of the number of hits, answers that name an emotion permuted "
            "within participants, 5000 permutations.",
            "Hypothesis 2: the same for each emotion, with Holm's correction. Unbiased hit rates (Wagner, 1993) and "
            "their one-sided paired t tests over participants are reported beside it.",
            "Odds of a hit by emotion, only if hypothesis 1 is supported: mixed model with random intercepts and "
            "slopes of participants, crossed with stimuli if emotions are shown by several.",
            *(confidence if self.confidence else ()),
        )

    def exclusions(self) -> tuple[str, ...]:
        """Return what a preregistration says about "do not know"."""
        return ('"Do not know" is counted and reported apart; it is neither a hit nor a miss in the tests.',)

    def answer_words(self, intended: Sequence[str]) -> tuple[str, ...]:
        """Return the options."""
        del intended
        return self.options

    def respond(self, design: Design, model: WordShares) -> Respond:
        """Return a function that chooses an option in place of a person."""
        choose = model.chooser(design, self.options)
        return lambda shown, participant, rng: {"perceived": choose(shown[0], participant, rng)}
