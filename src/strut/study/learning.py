"""Learning: whether people get better from block to block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import statsmodels.api as sm

from strut.errors import AnswersError
from strut.study.answers import Answers
from strut.study.significance import wilson_interval


@dataclass(frozen=True, slots=True)
class BlockRate:
    """The hit rate of one block with Wilson's 95 % interval."""

    block: int
    hits: int
    shown: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Learning:
    """Hit rates by block, and by how much the odds of a hit change from one block to the next.

    `odds_ratio` and what follows come from a logistic model whose answers are correlated within participants
    (generalised estimating equations); they are None where `note` says why.
    """

    blocks: tuple[BlockRate, ...]
    odds_ratio: float | None
    low: float | None
    high: float | None
    p_value: float | None
    note: str = ""


def learning(answers: Answers) -> Learning:
    """Return how hit rates change over blocks."""
    if not answers.perceived:
        raise AnswersError("answers", "there are no choices (`perceived`), so there is nothing to learn.")
    correct, rates = answers.correct, []
    for block in np.unique(answers.block):
        here = correct[answers.block == block]
        hits, shown = int(here.sum()), len(here)
        rates.append(BlockRate(int(block), hits, shown, hits / shown, *wilson_interval(hits, shown)))
    reason = _why_not(answers, rates)
    if reason:
        return Learning(tuple(rates), None, None, None, None, reason)
    who = np.unique(np.array(answers.participant), return_inverse=True)[1]
    design = sm.add_constant(answers.block.astype(float))
    model = sm.GEE(
        correct.astype(float),
        design,
        groups=who,
        family=sm.families.Binomial(),
        cov_struct=sm.cov_struct.Exchangeable(),
    )
    fit = model.fit()
    with np.errstate(invalid="ignore"):  # a robust variance below 0 is no number
        (low, high), p_value = fit.conf_int()[1], float(fit.pvalues[1])
    if not np.isfinite([low, high, p_value]).all():
        return Learning(tuple(rates), None, None, None, None, "the answers do not determine how the odds change")
    odds, lowest, highest = (float(np.exp(value)) for value in (fit.params[1], low, high))
    return Learning(tuple(rates), odds, lowest, highest, p_value)


def _why_not(answers: Answers, rates: list[BlockRate]) -> str:
    if len(rates) < 2:
        return "there is one block only"
    if len(answers.participants) < 3:
        return "fewer than three participants say nothing about others"
    if all(rate.hits == rate.shown for rate in rates) or all(rate.hits == 0 for rate in rates):
        return "all answers are alike, so the odds cannot change"
    if len(rates) == 2 and any(rate.hits in (0, rate.shown) for rate in rates):
        return "a block without any miss or any hit makes the odds infinite"
    return ""
