"""Study statistics: all statistics of a table of answers, and reasons for those that are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from strut.errors import AnswersError, OutOfRangeError
from strut.plumbing.number_text import format_count
from strut.study.questions.question import Finding, question_types
from strut.study.statistics import confusion
from strut.study.statistics.answers import DO_NOT_KNOW, Answers
from strut.study.statistics.confidence import Confidence, analyse_confidence
from strut.study.statistics.confusion import Confusion, Kappa, Learning
from strut.study.statistics.group_effects import GroupEffect, group_effects
from strut.study.statistics.labels import Codes, Labels, analyse_labels, coded_answers
from strut.study.statistics.mixed import MixedModel, mixed_choice, mixed_rating
from strut.study.statistics.preferences import Preferences, preferences
from strut.study.statistics.rating_curves import RatingCurve, has_traces, rating_curves
from strut.study.statistics.ratings import (
    ControlEffect,
    Correlation,
    RatingMean,
    control_effects,
    correlations,
    rating_means,
    untested_controls,
)
from strut.study.statistics.recognition import NEEDS_TWO_ANSWERS, Recognition, chances, recognitions
from strut.study.statistics.significance import Significance

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Choices:
    """Statistics of choices: confusion matrix, recognition, association, agreement and learning.

    `chance` is the hit rate of guessing among the emotions, `chance_all` that of guessing among all options with
    "do not know", None if it was not offered. No test uses either.
    """

    confusion: Confusion
    chance: float
    chance_all: float | None
    chance_from: str
    overall: Recognition
    hit_rates: tuple[Recognition, ...]
    chi2_uniform: Significance
    chi2_independence: Significance | None
    cramers_v: float | None
    permutation: Significance | None
    cohens_kappa: Kappa | None
    fleiss_kappa: Kappa | None
    learning: Learning

    @property
    def has_small_expectations(self) -> bool:
        """Whether an expected count is so small that the chi-squared tests are approximate."""
        smallest = self.chi2_independence.smallest_expectation if self.chi2_independence else None
        return smallest is not None and smallest < confusion.SMALL_EXPECTATION


@dataclass(frozen=True, slots=True)
class StudyStatistics:
    """All statistics of a study; `left_out` says what could not be computed and why.

    Answers to controls enter `control_effects` alone: elsewhere they would be taken for answers to original motions.
    `further` are findings of questions that bring statistics of their own, by the name of the question.
    """

    participants: int
    answers: int
    practice_left_out: int
    simulated: bool
    choices: Choices | None = None
    ratings: tuple[RatingMean, ...] = ()
    correlations: tuple[Correlation, ...] = ()
    models: tuple[MixedModel, ...] = ()
    control_effects: tuple[ControlEffect, ...] = ()
    left_out: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    preferences: Preferences | None = None
    curves: tuple[RatingCurve, ...] = ()
    labels: Labels | None = None
    confidence: Confidence | None = None
    group_effects: tuple[GroupEffect, ...] = ()
    further: dict[str, Finding] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics as JSON holds them."""
        found = asdict(replace(self, further={}))
        found["further"] = {name: dict(finding.data) for name, finding in self.further.items()}
        if self.choices:
            found["choices"] |= found["choices"].pop("confusion") | {"counts": self.choices.confusion.counts.tolist()}
        return found


def study_statistics(
    answers: Answers,
    *,
    options: Sequence[str] = (),
    chance: float | None = None,
    codes: Codes | None = None,
    seed: int = 0,
) -> StudyStatistics:
    """Compute all statistics of a table of answers.

    Args:
        answers: Choices, ratings, comparisons of two or labels.
        options: The possible answers; all emotions shown or named if left out.
        chance: Hit rate of guessing, which is reported but not used in any test; if left out, one over the number of
            emotions offered or, if that is not known, of those that occur.
        codes: Codes that a laboratory gave to labels.
        seed: Of permutations and resampling: the same answers give the same numbers.

    Example:
        >>> strut.study.study_statistics(strut.study.read_answers("answers.csv")).as_dict()["choices"]
    """
    left_out: list[str] = []
    rng = np.random.default_rng(seed)
    if answers.are_pairs:
        return _statistics_of_pairs(answers, rng, left_out)
    all_answers = answers
    answers = answers.originals
    if not len(answers):
        raise AnswersError("answers", "all answers are to controls; there are no originals to compare them with.")
    labels, answers = _labels(answers, codes, rng)
    choices = _choices(answers, options, chance, rng, left_out) if answers.are_choices else None
    models = _models(answers, choices, left_out)
    ratings = _ratings(answers, left_out)
    slopes = correlations(answers, left_out)
    curves = _curves(answers, rng, left_out)
    groups = group_effects(answers, rng, left_out)
    return StudyStatistics(
        participants=len(all_answers.participants),
        answers=len(all_answers),
        practice_left_out=answers.practice,
        simulated=answers.simulated,
        choices=choices,
        ratings=ratings,
        correlations=slopes,
        models=models,
        control_effects=control_effects(all_answers),
        curves=curves,
        left_out=(*left_out, *untested_controls(all_answers)),
        remarks=answers.remarks,
        labels=labels,
        confidence=analyse_confidence(answers),
        group_effects=groups,
        further=_further(answers, rng),
    )


def _further(answers: Answers, rng: np.random.Generator) -> dict[str, Finding]:
    """Return the statistics that questions bring with them."""
    found = {}
    for name, question in question_types().items():
        finding = question.analyse(answers, rng) if question.answer_cells_in(answers.table) else None
        if finding is not None:
            found[name] = finding
    return found


def _labels(answers: Answers, codes: Codes | None, rng: np.random.Generator) -> tuple[Labels | None, Answers]:
    """Return the statistics of labels, and the answers with their codes as choices if there are codes."""
    if "label" not in answers.table:
        return None, answers
    coded = coded_answers(answers, codes) if codes else None
    return analyse_labels(answers, rng, codes), coded or answers


def _models(answers: Answers, choices: Choices | None, left_out: list[str]) -> tuple[MixedModel, ...]:
    """Return the mixed models: of hits only if they are above chance, because hits of guesses differ by emotion too."""
    fits = [partial(mixed_rating, answers, scale) for scale in answers.ratings]
    if choices and choices.overall.recognised:
        fits.insert(0, partial(mixed_choice, answers))
    elif choices:
        left_out.append("the effect of the emotion on hits: hits of all emotions together are not above chance.")
    models = [_try(fit, left_out) for fit in fits]
    return tuple(model for model in models if model is not None)


def _ratings(answers: Answers, left_out: list[str]) -> tuple[RatingMean, ...]:
    if not len(answers.ratings.columns):
        return ()
    means = _try(partial(rating_means, answers), left_out) or ()
    left_out += _unrated(answers, means)
    return means


def _curves(answers: Answers, rng: np.random.Generator, left_out: list[str]) -> tuple[RatingCurve, ...]:
    if not has_traces(answers):
        return ()
    return _try(partial(rating_curves, answers, rng, left_out), left_out) or ()


def _statistics_of_pairs(answers: Answers, rng: np.random.Generator, left_out: list[str]) -> StudyStatistics:
    """Compute the statistics of comparisons of two motions."""
    found = _try(partial(preferences, answers, rng), left_out)
    groups = group_effects(answers, rng, left_out)
    return StudyStatistics(
        participants=len(answers.participants),
        answers=len(answers),
        practice_left_out=answers.practice,
        simulated=answers.simulated,
        left_out=tuple(left_out),
        remarks=answers.remarks,
        preferences=found,
        confidence=analyse_confidence(answers),
        group_effects=groups,
        further=_further(answers, rng),
    )


def _choices(
    answers: Answers, options: Sequence[str], chance: float | None, rng: np.random.Generator, left_out: list[str]
) -> Choices:
    matrix = confusion.confusion(answers, options)
    guess, guess_all, source = _chances(answers, options, chance)
    rows, overall, test = recognitions(answers, rng)
    if test is None:
        left_out.append(NEEDS_TWO_ANSWERS)
    independence = _try(partial(confusion.chi2_independence, matrix), left_out)
    return Choices(
        confusion=matrix,
        chance=guess,
        chance_all=guess_all,
        chance_from=source,
        overall=overall,
        hit_rates=rows,
        chi2_uniform=confusion.chi2_uniform(matrix),
        chi2_independence=independence,
        cramers_v=confusion.cramers_v(matrix) if independence else None,
        permutation=test,
        cohens_kappa=confusion.cohens_kappa_of(answers, matrix, rng) if independence else None,
        fleiss_kappa=_try(partial(confusion.fleiss_kappa_of, answers), left_out),
        learning=confusion.learning(answers),
    )


def _chances(answers: Answers, options: Sequence[str], chance: float | None) -> tuple[float, float | None, str]:
    """Return the hit rates of guessing among emotions and among all options, and where they come from."""
    offered = _offered(answers, options)
    occur = set(answers.table["perceived"]) | set(answers.emotions)
    unknown = answers.do_not_know or DO_NOT_KNOW in {*options, *occur}
    count = offered or len(occur)
    source = format_count(offered, "[option was|options were] offered")
    if not offered:
        source = f"{format_count(count, '[answer occurs|answers occur]')}; how many were offered is not known"
    if chance is not None and not 0.0 < chance < 1.0:
        raise OutOfRangeError(f"The chance is {chance:g}; it must lie between 0 and 1.")
    if chance is None and count - unknown < 2:
        raise AnswersError(
            "answers", "only one answer occurs, so the hit rate of guessing is not known; give --chance."
        )
    if chance is not None:
        return chance, None, "as given"
    if unknown:
        source = f'{source}, "do not know" among them'
    return *chances(count, do_not_know=unknown), source


def _offered(answers: Answers, options: Sequence[str]) -> int:
    """Return how many answers people could choose from, 0 if it is not known; raise AnswersError if more occur."""
    offered = answers.options or len(options)
    named = set(answers.table["perceived"]) | set(options)
    if offered and len(named) > offered:
        names = ", ".join(sorted(named))
        raise AnswersError(
            "answers",
            f"{format_count(offered, '[option was|options were] offered')}, but there are {len(named)}: {names}.",
        )
    return offered


def _unrated(answers: Answers, ratings: Sequence[RatingMean]) -> list[str]:
    """Return which means are missing, and why."""
    tested = {(row.emotion, row.scale) for row in ratings}
    return [
        f"the mean {scale.replace('_', ' ')} of {emotion}: it was rated by fewer than two people."
        for scale in answers.ratings
        for emotion in answers.emotions
        if tested and (emotion, scale) not in tested
    ]


def _try(compute: Callable[[], _Result], left_out: list[str]) -> _Result | None:
    """Return the result of `compute`; if it raises AnswersError, add the reason to `left_out` and return None."""
    try:
        return compute()
    except AnswersError as error:
        left_out.append(error.reason)
        return None
