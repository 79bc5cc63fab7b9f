"""Mixed models: what the emotion does to an answer beside people's habits, their own readings, and the motions shown.

People differ in their habits (intercepts) and in what an emotion means to them (slopes), and two motions that show
one emotion differ, too. Each enters as a random effect where the design tells it apart: slopes where people answered
an emotion several times, motions where emotions are shown by several. What cannot be told apart is named in the
model's note.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from strut.arrays import Array
from strut.errors import AnswersError
from strut.study.statistics.answers import Answers
from strut.study.statistics.logistic_model import fit_logistic
from strut.study.statistics.variance_components import ComponentFit, PersonEffect, fit_components, products

_FEWEST_PEOPLE = 3
_SPARE_STIMULI = 2  # more stimuli than fixed effects, or their variance is guessed
ONE_MOTION_EACH = "each emotion was shown by one motion, so this holds for these motions and not for others like them"
_HABIT = "participant"
_SLOPE = "participant:emotion"


@dataclass(frozen=True, slots=True)
class Term:
    """One fixed effect: its estimate, standard error, 95 % interval and test against 0 (t, or z where dof is None)."""

    name: str
    estimate: float
    standard_error: float
    low: float
    high: float
    statistic: float
    dof: float | None
    p_value: float


@dataclass(frozen=True, slots=True)
class MixedModel:
    """A model of n answers with random effects; emotions are compared with the reference.

    `sds` are standard deviations of the random effects, `residual_sd` of what is left (None for odds). `statistic` with
    `dof` tests that the emotion makes no difference at all: F with two degrees of freedom, or chi-squared with one.
    `note` is what the design cannot tell apart.
    """

    name: str
    outcome: str
    reference: str
    n: int
    participants: int
    terms: tuple[Term, ...]
    sds: dict[str, float]
    residual_sd: float | None
    statistic: float
    dof: tuple[float, ...]
    p_value: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """What a design tells apart: slopes of people, and motions."""

    slopes: bool
    stimuli: bool

    @property
    def formula(self) -> str:
        """The random part as R writes it."""
        return "(1 | participant)" + self.slopes * " + (1 | participant:emotion)" + self.stimuli * " + (1 | stimulus)"


def random_effects(table: pd.DataFrame) -> RandomEffects:
    """Return what the answers tell apart: slopes where most cells hold two answers, motions where some are spare."""
    cells = table.groupby(["participant", "intended"]).size()
    spare = table["stimulus"].nunique() - table["intended"].nunique()
    return RandomEffects(slopes=bool((cells >= 2).mean() > 0.5), stimuli=bool(spare >= _SPARE_STIMULI))


def mixed_rating(answers: Answers, scale: str) -> MixedModel:
    """Fit rating ~ emotion with people's intercepts and slopes and stimuli, by restricted maximum likelihood."""
    return _linear(answers, answers.table[scale], scale, f"the {scale.replace('_', ' ')}")


def mixed_choice(answers: Answers) -> MixedModel:
    """Fit hit ~ emotion: logistic with people's intercepts and slopes; linear where stimuli are crossed with people."""
    table = answers.table.assign(correct=answers.correct.astype(float))
    names = list(answers.emotions)
    if table["participant"].nunique() < _FEWEST_PEOPLE or table["correct"].nunique() < 2 or len(names) < 2:
        raise AnswersError("answers", "a mixed model of the choices needs three people, two emotions, hits and misses.")
    effects = random_effects(table)
    if effects.stimuli:
        return _linear(answers, table["correct"], "hit", "the share of hits")
    by_person = table.groupby(["participant", "intended"])["correct"]
    hits, shown = (
        counts.unstack(fill_value=0)[names].to_numpy(float) for counts in (by_person.sum(), by_person.count())
    )
    full = fit_logistic(hits, shown, slopes=effects.slopes)
    null = fit_logistic(hits, shown, slopes=effects.slopes, alike=True)
    dof = len(names) - 1
    ratio = max(0.0, 2.0 * (full.log_likelihood - null.log_likelihood))
    sds = {_HABIT: full.participant_sd} | ({_SLOPE: full.slope_sd} if full.slope_sd is not None else {})
    return MixedModel(
        name=f"logistic mixed model, hit ~ emotion + {effects.formula}, maximum likelihood, log odds",
        outcome="the odds of a hit",
        reference=names[0],
        n=len(table),
        participants=len(hits),
        terms=tuple(map(_term, _fixed(names), full.estimate.tolist(), full.standard_error.tolist())),
        sds=sds,
        residual_sd=None,
        statistic=ratio,
        dof=(float(dof),),
        p_value=float(stats.chi2.sf(ratio, dof)),
        note=ONE_MOTION_EACH,
    )


def _linear(answers: Answers, values: pd.Series, column: str, outcome: str) -> MixedModel:
    """Fit a linear mixed model of some values of the answers, NaN where there is none."""
    used = values.notna()
    table = answers.table[used]
    response = values[used].to_numpy(float)
    names = [name for name in answers.emotions if (table["intended"] == name).any()]
    effects = random_effects(table)
    people = table["participant"].nunique()
    if people < _FEWEST_PEOPLE or len(np.unique(response)) < 2 or len(names) < 2:
        reason = f"a mixed model of {column} needs three people, two emotions and ratings that differ."
        raise AnswersError("answers", reason)
    emotion = pd.Index(names).get_indexer(table["intended"])
    shown = np.eye(len(names))[emotion]
    fixed = np.column_stack([np.ones(len(table)), shown[:, 1:]])
    own = [PersonEffect(_HABIT, np.ones((len(table), 1)))] + effects.slopes * [PersonEffect(_SLOPE, shown)]
    fit = _fitted(table, response, fixed, own, stimuli=effects.stimuli, column=column)
    statistic, *dof, p_value = fit.f_test(np.eye(len(names))[1:])
    return MixedModel(
        name=f"linear mixed model, {column} ~ emotion + {effects.formula}, restricted maximum likelihood",
        outcome=outcome,
        reference=names[0],
        n=len(table),
        participants=people,
        terms=tuple(_tested(fit, row, name) for row, name in zip(np.eye(len(names)), _fixed(names), strict=True)),
        sds=fit.sds,
        residual_sd=fit.residual_sd,
        statistic=statistic,
        dof=tuple(map(float, dof)),
        p_value=p_value,
        note="" if effects.stimuli else ONE_MOTION_EACH,
    )


def mixed_slope(table: pd.DataFrame, rating: Array, factor: Array, column: str) -> Term:
    """Return by how much a rating changes per standard deviation of a factor that the stimuli differ in.

    People have intercepts and slopes of their own, and stimuli differ beside the factor.
    """
    scaled = (factor - factor.mean()) / factor.std()
    own = [PersonEffect(_HABIT, np.ones((len(table), 1))), PersonEffect("participant:factor", scaled[:, None])]
    fixed = np.column_stack([np.ones(len(table)), scaled])
    fit = _fitted(table, rating, fixed, own, stimuli=True, column=column)
    return _tested(fit, np.array([0.0, 1.0]), column)


def _fitted(
    table: pd.DataFrame, response: Array, fixed: Array, own: list[PersonEffect], *, stimuli: bool, column: str
) -> ComponentFit:
    who = pd.factorize(table["participant"])[0]
    shown = pd.factorize(table["stimulus"])[0]
    try:
        return fit_components(products(response, fixed, who, own, shown if stimuli else None))
    except AnswersError as error:
        raise AnswersError("answers", f"a mixed model of {column} is not determined by so few.") from error


def _fixed(names: list[str]) -> list[str]:
    return ["Intercept", *names[1:]]


def _tested(fit: ComponentFit, contrast: Array, name: str) -> Term:
    """Return a contrast of fixed effects with its t test."""
    error = float(np.sqrt(contrast @ fit.covariance @ contrast))
    return _term(name, float(contrast @ fit.estimate), error, fit.dof(contrast))


def _term(name: str, estimate: float, error: float, dof: float | None = None) -> Term:
    """Return an estimate with its t test, or its z test where degrees of freedom are not counted."""
    spread = stats.norm if dof is None else stats.t(dof)
    ratio = estimate / error
    reach = float(spread.ppf(0.975)) * error
    p_value = float(2.0 * spread.sf(abs(ratio)))
    return Term(name, estimate, error, estimate - reach, estimate + reach, ratio, dof, p_value)
