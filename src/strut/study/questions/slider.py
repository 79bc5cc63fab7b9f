"""Slider: where between three words the motion lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from strut.study.design.response_models import Reply, Respond, ScaleRatings, Shown, SimulatedObserver, scale_between
from strut.study.questions.form_fields import read_number_field
from strut.study.questions.handle import HandleQuestion, check_touched

if TYPE_CHECKING:
    import numpy as np

    from strut.study.design.design import Design
    from strut.study.design.trial_plan import Trial


class Slider(HandleQuestion, frozen=True, forbid_unknown_fields=True):
    """A position between three words, chosen after the motion.

    Args:
        do_not_know: Whether participants may say that they cannot decide.
    """

    name: ClassVar[str] = "slider"

    do_not_know: bool = True

    @classmethod
    def toml_fields(cls, intended: Sequence[str]) -> str:
        """Return the lines of `[ask]` in a new design file."""
        del intended
        return 'ends = ["anger", "neutral", "joy"]   # low, middle, high\ndo_not_know = true\n'

    @property
    def is_undecided_allowed(self) -> bool:
        """Whether people may say that they cannot decide."""
        return self.do_not_know

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return the position on [-1, 1]; None if the participant could not decide."""
        del trial, seconds
        if self.do_not_know and form.get("undecided") == "1":
            return {"rating": None}
        check_touched(form)
        return {"rating": read_number_field(form, "rating", -100, 100) / 100.0}

    def procedure(self) -> str:
        """Return the question as the methods section describes it."""
        low, middle, high = self.ends
        return f"a slider from {low} over {middle} to {high}"

    def respond(self, design: Design, model: ScaleRatings) -> Respond:
        """Return a function that sets the slider to the rating of the scale between its ends."""
        del design
        rate = model.rater()
        scale, sign = scale_between(self.ends)

        def reply(shown: Sequence[Shown], participant: SimulatedObserver, rng: np.random.Generator) -> Reply:
            rating = sign * rate(shown[0], participant, rng)[scale]
            return {"rating": None if rng.random() < participant.unknown else round(rating, 2)}

        return reply

    def simulation_note(self) -> str:
        """Return what a simulated audience assumes."""
        return f"Their ratings of {scale_between(self.ends)[0]} stand in for the slider."
