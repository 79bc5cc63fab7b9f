"""Mixed model: what the emotion does to an answer once people's own habits are taken out as random effects."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

from strut.errors import AnswersError
from strut.study.answers import Answers

_FEWEST_PEOPLE = 3


@dataclass(frozen=True, slots=True)
class Term:
    """One fixed effect: its estimate, standard error and 95 % interval; `p_value` is None in a Bayesian model."""

    name: str
    estimate: float
    standard_error: float
    low: float
    high: float
    p_value: float | None


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
        p_value: Likelihood-ratio test that the emotion makes no difference at all; None in a Bayesian model.
        note: What the fitting said on its way.
    """

    name: str
    reference: str
    n: int
    participants: int
    terms: tuple[Term, ...]
    participant_sd: float
    residual_sd: float | None
    p_value: float | None
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the model as JSON would hold it."""
        return asdict(self)


def mixed_rating(answers: Answers, scale: str) -> MixedModel:
    """Fit rating ~ emotion + (1 | participant) by maximum likelihood."""
    table, reference = _table(answers)
    table = table[np.isfinite(table[scale])]
    if table["participant"].nunique() < _FEWEST_PEOPLE or table[scale].nunique() < 2 or len(answers.emotions) < 2:
        raise AnswersError("answers", f"are too few or too alike for a mixed model of {scale}.")
    formula = f"{scale} ~ {_by_emotion(reference)}"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        full = smf.mixedlm(formula, table, groups=table["participant"]).fit(reml=False)
        null = smf.mixedlm(f"{scale} ~ 1", table, groups=table["participant"]).fit(reml=False)
    if not (full.converged and null.converged):
        raise AnswersError("answers", f"the mixed model of {scale} did not converge; look for people with one rating.")
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
    """Fit hit ~ emotion + (1 | participant), logistic, by variational Bayes; intervals are posterior ones."""
    table, reference = _table(answers)
    if table["participant"].nunique() < _FEWEST_PEOPLE or table["correct"].nunique() < 2 or len(answers.emotions) < 2:
        raise AnswersError("answers", "are too few or too alike for a mixed model of the choices.")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = BinomialBayesMixedGLM.from_formula(
            f"correct ~ {_by_emotion(reference)}", {"participant": "0 + C(participant)"}, table
        )
        unknowns = model.k_fep + model.k_vcp + model.k_vc
        fit = model.fit_vb(mean=np.zeros(unknowns), sd=np.full(unknowns, 0.6))  # left alone it starts at random
    terms = tuple(
        Term(_plain(name), float(mean), float(sd), float(mean - 1.96 * sd), float(mean + 1.96 * sd), None)
        for name, mean, sd in zip(model.exog_names, fit.fe_mean, fit.fe_sd, strict=True)
    )
    return MixedModel(
        name="logistic mixed model, hit ~ emotion + (1 | participant), variational Bayes, log odds",
        reference=reference,
        n=len(table),
        participants=int(table["participant"].nunique()),
        terms=terms,
        participant_sd=float(np.exp(fit.vcp_mean[0])),
        residual_sd=None,
        p_value=None,
        note="; ".join(sorted({str(warning.message) for warning in said})),
    )


def _table(answers: Answers) -> tuple[pd.DataFrame, str]:
    return answers.frame(), answers.emotions[0]


def _by_emotion(reference: str) -> str:
    return f"C(intended, Treatment({reference!r}))"


def _plain(name: str) -> str:
    """Return 'sad' for the formula library's 'C(intended, Treatment('neutral'))[T.sad]'."""
    return name.rsplit("[T.", 1)[-1].rstrip("]") if "[T." in name else name
