"""Learning: whether people get better from block to block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import statsmodels.api as sm

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
    odds_ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    note: str = ""


def learning(answers: Answers) -> Learning:
    """Return how hit rates change over blocks; the answers must hold choices."""
    table = answers.table.assign(correct=answers.correct.astype(float))
    blocks = tuple(
        BlockRate(int(block), int(hits), shown, hits / shown, *wilson_interval(int(hits), shown))
        for block, hits, shown in table.groupby("block")["correct"].agg(["sum", "count"]).itertuples()
    )
    reason = _why_not(answers, blocks)
    if reason:
        return Learning(blocks, note=reason)
    model = sm.GEE(
        table["correct"].to_numpy(),
        sm.add_constant(table["block"].to_numpy(float)),
        groups=np.unique(table["participant"], return_inverse=True)[1],
        family=sm.families.Binomial(),
        cov_struct=sm.cov_struct.Exchangeable(),
    )
    fit = model.fit()
    with np.errstate(invalid="ignore"):  # a robust variance below 0 is no number
        (low, high), p_value = fit.conf_int()[1], float(fit.pvalues[1])
    if not np.isfinite([low, high, p_value]).all():
        return Learning(blocks, note="the answers do not determine how the odds change")
    odds_ratio, low, high = np.exp([fit.params[1], low, high]).tolist()
    return Learning(blocks, odds_ratio, low, high, p_value)


def _why_not(answers: Answers, blocks: tuple[BlockRate, ...]) -> str:
    if len(blocks) < 2:
        return "there is one block only"
    if len(answers.participants) < 3:
        return "fewer than three participants say nothing about others"
    if all(row.hits == row.shown for row in blocks) or all(row.hits == 0 for row in blocks):
        return "all answers are alike, so the odds cannot change"
    if len(blocks) == 2 and any(row.hits in (0, row.shown) for row in blocks):
        return "a block without any miss or any hit makes the odds infinite"
    return ""
