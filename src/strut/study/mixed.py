"""Mixed model: what the emotion does to an answer once people's own habits are taken out as random effects."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLMParams

from strut.errors import AnswersError
from strut.robot import Array
from strut.study.answers import Answers
from strut.study.logistic_mixed import fit_logistic

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
    """A model with participants as random intercepts.

    Args:
        name: What was modelled and how.
        reference: The emotion that the others are compared with.
        n: Answers.
        participants: People.
        terms: Fixed effects.
        participant_sd: Standard deviation of the participants' intercepts.
        residual_sd: Standard deviation of what is left; None for yes-or-no answers.
        p_value: Likelihood-ratio test that the emotion makes no difference at all.
        note: What the fitting said on its way.
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
    table, reference = _table(answers)
    table = table[np.isfinite(table[scale])]
    if table["participant"].nunique() < _FEWEST_PEOPLE or table[scale].nunique() < 2 or len(answers.emotions) < 2:
        raise AnswersError(
            "answers", f"a mixed model of {scale} needs three people, two emotions and ratings that differ."
        )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            full = _fitted(f"{scale} ~ {_by_emotion(reference)}", table)
            null = _fitted(f"{scale} ~ 1", table)
        except np.linalg.LinAlgError as error:
            raise AnswersError("answers", f"a mixed model of {scale} is not determined by so few.") from error
    if not (full.converged and null.converged):
        raise AnswersError(
            "answers", f"the mixed model of {scale} did not converge: within one person its ratings hardly differ."
        )
    interval = full.conf_int()
    terms = tuple(
        Term(
            _plain(name),
            float(full.fe_params[name]),
            float(full.bse_fe[name]),
            float(interval.loc[name].iloc[0]),
            float(interval.loc[name].iloc[1]),
            float(full.pvalues[name]),
        )
        for name in full.fe_params.index
    )
    gain = max(0.0, 2.0 * float(full.llf - null.llf))
    return MixedModel(
        name=f"linear mixed model, {scale} ~ emotion + (1 | participant), maximum likelihood",
        reference=reference,
        n=len(table),
        participants=int(table["participant"].nunique()),
        terms=terms,
        participant_sd=float(np.sqrt(full.cov_re.iloc[0, 0])),
        residual_sd=float(np.sqrt(full.scale)),
        p_value=float(stats.chi2.sf(gain, len(terms) - 1)),
        note="; ".join(sorted({str(warning.message) for warning in said})),
    )


def mixed_choice(answers: Answers) -> MixedModel:
    """Fit hit ~ emotion + (1 | participant), logistic, by maximum likelihood; estimates are log odds."""
    table, reference = _table(answers)
    if table["participant"].nunique() < _FEWEST_PEOPLE or table["correct"].nunique() < 2 or len(answers.emotions) < 2:
        raise AnswersError("answers", "a mixed model of the choices needs three people, two emotions, hits and misses.")
    by_person = table.pivot_table(index="participant", columns="intended", values="correct", aggfunc=["sum", "count"])
    names = list(answers.emotions)
    hits = by_person["sum"].reindex(columns=names).fillna(0.0).to_numpy()
    shown = by_person["count"].reindex(columns=names).fillna(0.0).to_numpy()
    full = fit_logistic(hits, shown)
    null = fit_logistic(hits.sum(axis=1, keepdims=True), shown.sum(axis=1, keepdims=True))
    reach = stats.norm.ppf(0.975) * full.standard_error
    p_values = 2.0 * stats.norm.sf(np.abs(full.estimate / full.standard_error))
    terms = tuple(
        Term(name, float(mean), float(se), float(mean - far), float(mean + far), float(p))
        for name, mean, se, far, p in zip(
            ["Intercept", *names[1:]], full.estimate, full.standard_error, reach, p_values, strict=True
        )
    )
    gain = max(0.0, 2.0 * (full.log_likelihood - null.log_likelihood))
    return MixedModel(
        name="logistic mixed model, hit ~ emotion + (1 | participant), maximum likelihood, log odds",
        reference=reference,
        n=len(table),
        participants=len(hits),
        terms=terms,
        participant_sd=full.participant_sd,
        residual_sd=None,
        p_value=float(stats.chi2.sf(gain, len(names) - 1)),
    )


def _fitted(formula: str, table: pd.DataFrame) -> Any:
    """Return statsmodels' fit, begun at the spread that balanced answers would have."""
    people = table["participant"].to_numpy()
    model = smf.mixedlm(formula, table, groups=people)
    plain = smf.ols(formula, table).fit()
    spread = _spread_ratio(plain.resid.to_numpy(), people)
    start = MixedLMParams.from_components(fe_params=plain.params.to_numpy(), cov_re=np.array([[spread]]))
    return model.fit(reml=False, start_params=start)


def _spread_ratio(residual: Array, people: npt.ArrayLike) -> float:
    """Return the variance between people over that within, likeliest if everybody answered equally often.

    S. R. Searle, G. Casella, C. E. McCulloch: Variance Components (1992), chapter 3.
    """
    who = np.unique(people, return_inverse=True)[1]
    count = np.bincount(who)
    means = np.bincount(who, residual) / count
    within = float(((residual - means[who]) ** 2).sum()) / max(1, len(residual) - len(count))
    each = len(residual) / len(count)
    between = float((means**2).mean())
    return max(between / max(within, 1e-12) - 1.0 / each, _LEAST_SPREAD_RATIO)


def _table(answers: Answers) -> tuple[pd.DataFrame, str]:
    return answers.frame(), answers.emotions[0]


def _by_emotion(reference: str) -> str:
    return f"C(intended, Treatment({reference!r}))"


def _plain(name: str) -> str:
    """Return 'sad' for the formula library's 'C(intended, Treatment('neutral'))[T.sad]'."""
    return name.rsplit("[T.", 1)[-1].rstrip("]") if "[T." in name else name
