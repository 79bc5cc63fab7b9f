"""Mixed models: the effect of the emotion on answers, with random effects of participants and stimuli.

Participants differ in their mean answer (random intercepts) and in the effect of each emotion (random slopes); motions
of one emotion differ too (random intercepts of stimuli). Each random effect enters if the design identifies it: slopes
if participants answered to an emotion several times, stimuli if emotions are shown by several. The model's note names
what the design does not identify.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from strut.arrays import Array
from strut.errors import AnswersError
from strut.study.statistics.answers import Answers
from strut.study.statistics.logistic_model import fit_logistic
from strut.study.statistics.variance_components import ComponentFit, PersonEffect, fit_components, products

_MIN_PEOPLE = 3
_MIN_SPARE_STIMULI = 2  # stimuli more than emotions, to estimate the variance between stimuli
ONE_MOTION_EACH = "each emotion was shown by one motion, so the result holds for these motions alone"
_INTERCEPT = "participant"
_SLOPE = "participant:emotion"


@dataclass(frozen=True, slots=True)
class Term:
    """One fixed effect: its estimate, standard error, 95 % interval and test against 0 (t, or z if dof is None)."""

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

    `sds` are standard deviations of the random effects, `residual_sd` that of the residual (None for odds). `statistic`
    with `dof` tests that the emotion has no effect: F with two degrees of freedom, or chi-squared with one. `note` says
    what the design does not identify, `are_hits` whether the outcome is a hit and not a rating.
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
    are_hits: bool = False


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """Which random effects a design identifies: slopes of participants, and stimuli."""

    slopes: bool
    stimuli: bool

    @property
    def formula(self) -> str:
        """The random part as R writes it."""
        return "(1 | participant)" + self.slopes * " + (1 | participant:emotion)" + self.stimuli * " + (1 | stimulus)"


def random_effects(table: pd.DataFrame) -> RandomEffects:
    """Return the identified random effects: slopes if most cells hold two answers, stimuli if there are enough."""
    cells = table.groupby(["participant", "intended"]).size()
    spare = table["stimulus"].nunique() - table["intended"].nunique()
    return RandomEffects(slopes=bool((cells >= 2).mean() > 0.5), stimuli=bool(spare >= _MIN_SPARE_STIMULI))


def mixed_rating(answers: Answers, scale: str) -> MixedModel:
    """Fit rating ~ emotion with random intercepts, slopes and stimuli, by restricted maximum likelihood."""
    return _linear(answers, answers.table[scale], scale, f"the {scale.replace('_', ' ')}")


def mixed_choice(answers: Answers) -> MixedModel:
    """Fit hit ~ emotion: logistic with random intercepts and slopes; linear if stimuli are crossed with people.

    Hits differ between emotions even if people guess, because they prefer some answers: without a successful test of
    all emotions (recognition.py) a difference says nothing about recognition.
    """
    table = answers.table.assign(correct=answers.correct.astype(float))
    names = list(answers.emotions)
    if table["participant"].nunique() < _MIN_PEOPLE or table["correct"].nunique() < 2 or len(names) < 2:
        raise AnswersError("answers", "a mixed model of the choices needs three people, two emotions, hits and misses.")
    effects = random_effects(table)
    if effects.stimuli:
        return replace(_linear(answers, table["correct"], "hit", "the share of hits"), are_hits=True)
    by_person = table.groupby(["participant", "intended"])["correct"]
    hits, shown = (
        counts.unstack(fill_value=0)[names].to_numpy(float) for counts in (by_person.sum(), by_person.count())
    )
    full = fit_logistic(hits, shown, slopes=effects.slopes)
    null = fit_logistic(hits, shown, slopes=effects.slopes, alike=True)
    dof = len(names) - 1
    ratio = max(0.0, 2.0 * (full.log_likelihood - null.log_likelihood))
    sds = {_INTERCEPT: full.participant_sd} | ({_SLOPE: full.slope_sd} if full.slope_sd is not None else {})
    return MixedModel(
        name=f"logistic mixed model, hit ~ emotion + {effects.formula}, maximum likelihood, log odds",
        outcome="the odds of a hit",
        reference=names[0],
        n=len(table),
        participants=len(hits),
        terms=tuple(map(_term, _term_names(names), full.estimate.tolist(), full.standard_error.tolist())),
        sds=sds,
        residual_sd=None,
        statistic=ratio,
        dof=(float(dof),),
        p_value=float(stats.chi2.sf(ratio, dof)),
        note=ONE_MOTION_EACH,
        are_hits=True,
    )


def _linear(answers: Answers, values: pd.Series, column: str, outcome: str) -> MixedModel:
    """Fit a linear mixed model of one value per answer, NaN if there is none."""
    used = values.notna()
    table = answers.table[used]
    response = values[used].to_numpy(float)
    names = [name for name in answers.emotions if (table["intended"] == name).any()]
    effects = random_effects(table)
    people = table["participant"].nunique()
    if people < _MIN_PEOPLE or len(np.unique(response)) < 2 or len(names) < 2:
        reason = f"a mixed model of {column} needs three people, two emotions and ratings that differ."
        raise AnswersError("answers", reason)
    emotion = pd.Index(names).get_indexer(table["intended"])
    shown = np.eye(len(names))[emotion]
    fixed = np.column_stack([np.ones(len(table)), shown[:, 1:]])
    own = [PersonEffect(_INTERCEPT, np.ones((len(table), 1)))] + effects.slopes * [PersonEffect(_SLOPE, shown)]
    fit = _fit(table, response, fixed, own, stimuli=effects.stimuli, column=column)
    statistic, *dof, p_value = fit.f_test(np.eye(len(names))[1:])
    return MixedModel(
        name=f"linear mixed model, {column} ~ emotion + {effects.formula}, restricted maximum likelihood",
        outcome=outcome,
        reference=names[0],
        n=len(table),
        participants=people,
        terms=tuple(
            _contrast_term(fit, row, name) for row, name in zip(np.eye(len(names)), _term_names(names), strict=True)
        ),
        sds=fit.sds,
        residual_sd=fit.residual_sd,
        statistic=statistic,
        dof=tuple(map(float, dof)),
        p_value=p_value,
        note="" if effects.stimuli else ONE_MOTION_EACH,
    )


def mixed_slope(table: pd.DataFrame, rating: Array, factor: Array, column: str) -> Term:
    """Return the change of a rating per standard deviation of a factor of the stimuli.

    Participants have random intercepts and slopes, stimuli random intercepts.
    """
    scaled = (factor - factor.mean()) / factor.std()
    own = [PersonEffect(_INTERCEPT, np.ones((len(table), 1))), PersonEffect("participant:factor", scaled[:, None])]
    fixed = np.column_stack([np.ones(len(table)), scaled])
    fit = _fit(table, rating, fixed, own, stimuli=True, column=column)
    return _contrast_term(fit, np.array([0.0, 1.0]), column)


def _fit(
    table: pd.DataFrame, response: Array, fixed: Array, own: list[PersonEffect], *, stimuli: bool, column: str
) -> ComponentFit:
    participant = pd.factorize(table["participant"])[0]
    shown = pd.factorize(table["stimulus"])[0]
    return fit_components(products(response, fixed, participant, own, shown if stimuli else None), column)


def _term_names(names: list[str]) -> list[str]:
    return ["Intercept", *names[1:]]


def _contrast_term(fit: ComponentFit, contrast: Array, name: str) -> Term:
    """Return a contrast of fixed effects with its t test."""
    error = float(np.sqrt(contrast @ fit.covariance @ contrast))
    return _term(name, float(contrast @ fit.estimate), error, fit.dof(contrast))


def _term(name: str, estimate: float, error: float, dof: float | None = None) -> Term:
    """Return an estimate with its t test, or with its z test without degrees of freedom."""
    distribution = stats.norm if dof is None else stats.t(dof)
    statistic = estimate / error
    half_width = float(distribution.ppf(0.975)) * error
    p_value = float(2.0 * distribution.sf(abs(statistic)))
    return Term(name, estimate, error, estimate - half_width, estimate + half_width, statistic, dof, p_value)
