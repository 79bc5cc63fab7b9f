"""Mixed models: what the emotion does to an answer once people's own habits are taken out as random intercepts.

Neither scipy nor statsmodels fits the logistic one by maximum likelihood, and the standard errors of statsmodels'
variational Bayes are too small: a third of the true one for the intercept of 2000 answers per emotion. So the
likelihood is integrated here over the participants' intercepts by Gauss-Hermite quadrature, maximised by scipy, and
tested against both limits it must meet: plain logistic regression where participants do not differ, and known
parameters where they do.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from numpy.polynomial.hermite import hermgauss
from scipy import optimize, special, stats
from statsmodels.regression.mixed_linear_model import MixedLMParams
from statsmodels.tools.numdiff import approx_hess

from strut.errors import AnswersError
from strut.robot import Array
from strut.study.answers import Answers

_NODES, _WEIGHTS = hermgauss(31)
_NO_SPREAD = 1e-2  # standard deviations of log odds below this cannot be told from none
_FEWEST_PEOPLE = 3
_LEAST_SPREAD_RATIO = 0.01  # to begin a fit at: at 0 the slope is flat and the fit stays there


@dataclass(frozen=True, slots=True)
class Term:
    """One fixed effect: its estimate, standard error, 95 % interval and Wald test against 0."""

    name: str
    estimate: float
    standard_error: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, slots=True)
class MixedModel:
    """A model of n answers with participants as random intercepts; emotions are compared with the reference.

    `participant_sd` is the standard deviation of the intercepts, `residual_sd` of what is left (None for yes-or-no
    answers), `p_value` that of the likelihood-ratio test that the emotion makes no difference at all; `note` is what
    the fitting said on its way.
    """

    name: str
    reference: str
    n: int
    participants: int
    terms: tuple[Term, ...]
    participant_sd: float
    residual_sd: float | None
    p_value: float
    note: str = ""


def mixed_rating(answers: Answers, scale: str) -> MixedModel:
    """Fit rating ~ emotion + (1 | participant) by maximum likelihood."""
    table, reference = answers.table[answers.table[scale].notna()], answers.emotions[0]
    people = table["participant"].nunique()
    if people < _FEWEST_PEOPLE or table[scale].nunique() < 2 or len(answers.emotions) < 2:
        raise _refused(f"a mixed model of {scale} needs three people, two emotions and ratings that differ.")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            full = _fitted(f"{scale} ~ C(intended, Treatment({reference!r}))", table)
            null = _fitted(f"{scale} ~ 1", table)
        except np.linalg.LinAlgError as error:
            raise _refused(f"a mixed model of {scale} is not determined by so few.") from error
    if not (full.converged and null.converged):
        raise _refused(f"the mixed model of {scale} did not converge: within one person its ratings hardly differ.")
    names = [name.rsplit("[T.", 1)[-1].rstrip("]") for name in full.fe_params.index]  # 'sad' of 'C(...)[T.sad]'
    return MixedModel(
        name=f"linear mixed model, {scale} ~ emotion + (1 | participant), maximum likelihood",
        reference=reference,
        n=len(table),
        participants=people,
        terms=_terms(names, full.fe_params, full.bse_fe),
        participant_sd=float(np.sqrt(full.cov_re.iloc[0, 0])),
        residual_sd=float(np.sqrt(full.scale)),
        p_value=_likelihood_ratio(full.llf, null.llf, len(names) - 1),
        note="; ".join(sorted({str(warning.message) for warning in said})),
    )


def mixed_choice(answers: Answers) -> MixedModel:
    """Fit hit ~ emotion + (1 | participant), logistic, by maximum likelihood; estimates are log odds."""
    table, names = answers.table.assign(correct=answers.correct.astype(float)), list(answers.emotions)
    people = table["participant"].nunique()
    if people < _FEWEST_PEOPLE or table["correct"].nunique() < 2 or len(names) < 2:
        raise _refused("a mixed model of the choices needs three people, two emotions, hits and misses.")
    by_person = table.groupby(["participant", "intended"])["correct"]
    hits, shown = (
        counts.unstack(fill_value=0)[names].to_numpy(float) for counts in (by_person.sum(), by_person.count())
    )
    full = fit_logistic(hits, shown)
    null = fit_logistic(hits.sum(axis=1, keepdims=True), shown.sum(axis=1, keepdims=True))
    return MixedModel(
        name="logistic mixed model, hit ~ emotion + (1 | participant), maximum likelihood, log odds",
        reference=names[0],
        n=len(table),
        participants=people,
        terms=_terms(["Intercept", *names[1:]], full.estimate, full.standard_error),
        participant_sd=full.participant_sd,
        residual_sd=None,
        p_value=_likelihood_ratio(full.log_likelihood, null.log_likelihood, len(names) - 1),
    )


def _refused(reason: str) -> AnswersError:
    return AnswersError("answers", reason)


def _terms(names: Iterable[str], estimates: Iterable[float], standard_errors: Iterable[float]) -> tuple[Term, ...]:
    reach = stats.norm.ppf(0.975)
    return tuple(
        Term(name, b, se, b - reach * se, b + reach * se, float(2.0 * stats.norm.sf(abs(b / se))))
        for name, b, se in zip(names, map(float, estimates), map(float, standard_errors), strict=True)
    )


def _likelihood_ratio(full: float, null: float, dof: int) -> float:
    """Return the p-value of log likelihoods with and without the emotion."""
    return float(stats.chi2.sf(max(0.0, 2.0 * (full - null)), dof))


def _fitted(formula: str, table: pd.DataFrame) -> Any:
    """Return statsmodels' fit, begun at the spread that balanced answers would have."""
    model = smf.mixedlm(formula, table, groups=table["participant"].to_numpy())
    plain = smf.ols(formula, table).fit()
    spread = _spread_ratio(plain.resid.groupby(table["participant"]))
    start = MixedLMParams.from_components(fe_params=plain.params.to_numpy(), cov_re=np.array([[spread]]))
    return model.fit(reml=False, start_params=start)


def _spread_ratio(residuals: Any) -> float:
    """Return the variance between people over that within, likeliest if everybody answered equally often.

    S. R. Searle, G. Casella, C. E. McCulloch: Variance Components (1992), chapter 3.
    """
    people, answers = residuals.ngroups, int(residuals.size().sum())
    within = float(((residuals.count() - 1) * residuals.var().fillna(0.0)).sum()) / max(1, answers - people)
    between = float((residuals.mean() ** 2).mean())
    return float(max(between / max(within, 1e-12) - people / answers, _LEAST_SPREAD_RATIO))


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """Log odds of a hit: first column's, then differences to it. Shapes (I,); and what the fit is worth."""

    estimate: Array
    standard_error: Array
    participant_sd: float
    log_likelihood: float


def fit_logistic(hits: Array, shown: Array) -> LogisticFit:
    """Fit the model to how often each participant hit each emotion, by maximum likelihood. Shapes (people, I)."""
    rates = hits.sum(axis=0) / shown.sum(axis=0)
    if (rates <= 0.0).any() or (rates >= 1.0).any():
        raise _refused("an emotion was always or never seen, so its odds are infinite: no logistic model.")
    log_odds = special.logit(rates)
    start = np.array([log_odds[0], *(log_odds[1:] - log_odds[0]), 0.5])

    def loss(parameters: Array) -> float:
        return -log_likelihood(parameters[:-1], float(parameters[-1]), hits, shown)

    found = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-4})
    best, spread = found.x, abs(float(found.x[-1]))
    hessian = approx_hess(best, loss)
    if spread < _NO_SPREAD:  # flat in the spread there; the others do not depend on it
        hessian = hessian[:-1, :-1]
    try:
        variance = np.diag(np.linalg.inv(hessian))[: len(rates)]
    except np.linalg.LinAlgError as error:
        raise _refused("a logistic mixed model is not determined by so few.") from error
    if not np.isfinite(found.fun) or (variance <= 0.0).any():
        raise _refused("the logistic mixed model did not converge.")
    return LogisticFit(best[:-1], np.sqrt(variance), spread, -float(found.fun))


def log_likelihood(estimate: Array, participant_sd: float, hits: Array, shown: Array) -> float:
    """Return how probable the hits are, up to a constant, averaged over the participants' unknown intercepts."""
    log_odds = estimate[0] + np.concatenate([[0.0], estimate[1:]])
    odds_at_nodes = log_odds[:, None] + np.sqrt(2.0) * participant_sd * _NODES
    per_person = hits @ odds_at_nodes - shown @ np.logaddexp(0.0, odds_at_nodes)
    return float(special.logsumexp(per_person + np.log(_WEIGHTS / np.sqrt(np.pi)), axis=1).sum())
