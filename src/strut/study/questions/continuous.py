"""Continuous: where between three words the motion lies at every instant, rated while it plays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from msgspec import Meta

from strut.errors import AnswersError, BadReplyError
from strut.study.design.response_models import Reply, Respond, ScaleRatings, Shown, SimulatedObserver, scale_between
from strut.study.questions.handle import HandleQuestion, check_touched
from strut.study.questions.question import AskContext
from strut.study.statistics.cells import CellReader, read_number

if TYPE_CHECKING:
    import pandas as pd

    from strut.study.design.design import Design
    from strut.study.design.trial_plan import Trial

MAX_SAMPLES = 2400  # of one rating: 2400 samples of up to four letters fit into a form of 64 kB
HANDLE_LAG_S = 1.0  # our assumption: time constant with which a simulated handle follows what is seen
HANDLE_NOISE = 0.1  # our assumption: standard deviation of its position around that


def _read_trace(cell: str, _scale: tuple[float, float] = (-1.0, 1.0)) -> str:
    """Return a rating over time as it is written: whole numbers from -100 to 100 with blanks between them."""
    try:
        fits = all(-100 <= int(value) <= 100 for value in cell.split())
    except ValueError:
        fits = False
    if not fits:
        raise ValueError("not a row of whole numbers from -100 to 100 with blanks between them.")
    return cell


def _read_sampling_rate(cell: str, _scale: tuple[float, float] = (-1.0, 1.0)) -> float:
    return read_number(cell, (0.0, 1000.0))


class Continuous(HandleQuestion, frozen=True, forbid_unknown_fields=True):
    """A position between three words, followed while the motion plays; `rate_hz` is how often it is sampled.

    Args:
        rate_hz: Samples of the handle per second.
    """

    name: ClassVar[str] = "continuous"
    seconds_per_answer: ClassVar[float] = 3.0
    context_cells: ClassVar[Mapping[str, CellReader]] = {"trace": _read_trace, "trace_hz": _read_sampling_rate}
    answers_during_motion: ClassVar[bool] = True
    missing_text: ClassVar[str] = "must_move"

    rate_hz: Annotated[float, Meta(ge=1.0, le=30.0)] = 10.0

    def checked(self, context: AskContext) -> Self:
        """Return the question; raise DesignError if the samples of one rating do not fit into a form."""
        most = MAX_SAMPLES / context.seconds
        question = super().checked(context)
        if self.rate_hz > most:
            reason = f"is {self.rate_hz:g}; motions of {context.seconds:g} s allow {most:.3g}."
            raise context.file.field_error(("ask", "rate_hz"), reason)
        return question

    @classmethod
    def toml_fields(cls, intended: Sequence[str]) -> str:
        """Return the lines of `[ask]` in a new design file."""
        del intended
        return (
            'ends = ["anger", "neutral", "joy"]   # low, middle, high\n'
            "rate_hz = 10                        # how often the handle is read\n"
        )

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return the samples as text of whole numbers from -100 to 100, and their mean on [-1, 1]."""
        del trial
        if form.get("undecided") == "1":
            return {"rating": None, "trace": ""}
        text = form.get("trace", "").strip()
        check_touched(form)
        if not re.fullmatch(r"-?\d{1,3}( -?\d{1,3})*", text, re.ASCII):
            raise BadReplyError("the ratings over time are not readable.")
        values = [int(value) for value in text.split(" ")]
        min_samples = int(0.5 * self.rate_hz * seconds)
        if not min_samples <= len(values) <= MAX_SAMPLES or max(map(abs, values)) > 100:
            raise BadReplyError("the ratings over time are not complete.")
        return {"rating": round(sum(values) / len(values) / 100.0, 4), "trace": text}

    @property
    def context_columns(self) -> dict[str, Any]:
        """The samples, and how many a second has."""
        return {"trace": None, "trace_hz": f"{self.rate_hz:g}"}

    @classmethod
    def check_table(cls, table: pd.DataFrame, source: str) -> None:
        """Raise AnswersError if the sampling rate is missing or differs between rows."""
        if "trace" not in table:
            return
        if "trace_hz" not in table:
            raise AnswersError(source, "has `trace` but not `trace_hz`, the samples of it in a second.", 1)
        rates = [(line, float(row["trace_hz"])) for line, row in table.iterrows() if row["trace"]]
        for line, rate_hz in rates:
            if not rate_hz > 0.0:
                raise AnswersError(source, "trace_hz must say how many samples of `trace` a second has.", line)
            if rate_hz != rates[0][1]:
                reason = f"trace_hz is {rate_hz:g}, on line {rates[0][0]} {rates[0][1]:g}; all rows need one rate."
                raise AnswersError(source, reason, line)

    def procedure(self) -> str:
        """Return the question as the methods section describes it."""
        low, middle, high = self.ends
        return (
            f"a rating from {low} over {middle} to {high} by a handle that was moved while the motion was seen and "
            f"read {self.rate_hz:g} times a second"
        )

    def hypotheses(self, emotions: Sequence[str]) -> tuple[str, ...]:
        """Return the hypotheses of a preregistration."""
        del emotions
        return (
            "The emotion shown changes the rating, averaged over the motion.",
            "For [motions], the rating over time leaves the middle of the scale. [Say which, and in which direction.]",
        )

    def analysis_plan(self) -> tuple[str, ...]:
        """Return the analyses of a preregistration."""
        return (
            *super().analysis_plan(),
            "Ratings over time: simultaneous 95 % bands for all instants and motions, from the largest t under sign "
            "flips of participants.",
        )

    def respond(self, design: Design, model: ScaleRatings) -> Respond:
        """Return a function that moves a handle towards the rating of the scale between its ends."""
        rate = model.rater()
        scale, sign = scale_between(self.ends)
        samples = round((design.display.seconds or 5.0) * self.rate_hz) + 1
        share = np.exp(-1.0 / self.rate_hz / HANDLE_LAG_S)
        rise = 1.0 - share ** np.arange(samples)

        def reply(shown: Sequence[Shown], participant: SimulatedObserver, rng: np.random.Generator) -> Reply:
            from scipy.signal import lfilter  # noqa: PLC0415 -- takes 0.2 s to load, which pages need not wait for

            goal = sign * rate(shown[0], participant, rng)[scale]
            noise = lfilter([np.sqrt(1.0 - share**2)], [1.0, -share], rng.normal(0.0, HANDLE_NOISE, samples))
            values = np.rint(100.0 * np.clip(goal * rise + noise * rise, -1.0, 1.0)).astype(int)
            return {"rating": round(float(values.mean()) / 100.0, 4), "trace": " ".join(map(str, values.tolist()))}

        return reply

    def simulation_note(self) -> str:
        """Return what a simulated audience assumes."""
        return f"A handle follows their ratings of {scale_between(self.ends)[0]} with a lag of our choice."
