"""Free label: which emotion the motion expresses, in the participant's own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from strut.errors import BadReplyError
from strut.study.design.response_models import Reply, Respond, Shown, SimulatedObserver, WordShares
from strut.study.questions.question import Question
from strut.study.statistics.answers import DO_NOT_KNOW
from strut.study.statistics.cells import CellReader, read_any_text

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from strut.study.design.design import Design
    from strut.study.design.trial_plan import Trial
    from strut.study.statistics.answers import Answers

MAX_LABEL_LETTERS = 80


class FreeLabel(Question, frozen=True, forbid_unknown_fields=True):
    """A label in the participant's own words.

    Args:
        do_not_know: Whether participants may say that they do not know.
    """

    name: ClassVar[str] = "free-label"
    seconds_per_answer: ClassVar[float] = 8.0
    answer_cells: ClassVar[Mapping[str, CellReader]] = {"label": read_any_text}
    response_model: ClassVar[type | None] = WordShares

    do_not_know: bool = True

    @classmethod
    def toml_fields(cls, intended: Sequence[str]) -> str:
        """Return the lines of `[ask]` in a new design file."""
        del intended
        return "do_not_know = true\n"

    @property
    def is_undecided_allowed(self) -> bool:
        """Whether people may say that they do not know."""
        return self.do_not_know

    def page_values(self, seed: int, participant: int) -> dict[str, Any]:
        """Return how long a label may be."""
        del seed, participant
        return {"longest": MAX_LABEL_LETTERS}

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return the label; empty if the participant does not know."""
        del trial, seconds
        if self.do_not_know and form.get("undecided") == "1":
            return {"label": ""}
        label = " ".join(form.get("label", "").split())
        if not label:
            raise BadReplyError("no answer was written.")
        return {"label": label[:MAX_LABEL_LETTERS]}

    def statistics_options(self, folder: Path) -> dict[str, Any]:
        """Return the codes that a laboratory gave to labels."""
        from strut.study.statistics.labels import CODES_FILE, read_codes  # noqa: PLC0415 -- loads pandas

        return {"codes": read_codes(folder / CODES_FILE)}

    def findings(self, answers: Answers, rng: np.random.Generator) -> dict[str, bool]:
        """Return whether people agree on labels ("all")."""
        from strut.study.statistics.labels import analyse_labels  # noqa: PLC0415 -- loads pandas
        from strut.study.statistics.recognition import ALL, ALPHA  # noqa: PLC0415

        test = analyse_labels(answers, rng).test
        return {ALL: test is not None and test.p_value < ALPHA}

    def procedure(self) -> str:
        """Return the question as the methods section describes it."""
        return "a label in participants' own words"

    def hypotheses(self, emotions: Sequence[str]) -> tuple[str, ...]:
        """Return the hypotheses of a preregistration."""
        del emotions
        return (
            "Participants give the same label to the same motion more often than expected by chance.",
            "[Say how labels are coded, by whom, and what the codes are expected to be.]",
        )

    def analysis_plan(self) -> tuple[str, ...]:
        """Return the analyses of a preregistration."""
        return (
            "Hypothesis 1: one-sided permutation test of the number of equal labels given to the same motion, labels "
            "permuted within participants, 1999 permutations. Labels that differ in capitals only are one.",
            "Hypothesis 2: codes are analysed as a choice: one-sided permutation test of the number of hits within "
            "participants, then each emotion with Holm's correction.",
        )

    def respond(self, design: Design, model: WordShares) -> Respond:
        """Return a function that writes one of the intended emotions in place of a person."""
        choose = model.chooser(design, self.answer_words(design.intended))

        def reply(shown: Sequence[Shown], participant: SimulatedObserver, rng: np.random.Generator) -> Reply:
            word = choose(shown[0], participant, rng)
            return {"label": "" if word == DO_NOT_KNOW else word}

        return reply

    def simulation_note(self) -> str:
        """Return what a simulated audience assumes."""
        return "They write the words that they chose from."
