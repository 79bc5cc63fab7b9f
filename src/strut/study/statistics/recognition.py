"""Recognition: whether emotions were seen, judged against everybody's own habits of answering.

Who often says "neutral" hits neutral often without looking, and who never says "I do not know" hits more often than
one in all options. So no share is compared with a fixed chance: the answers of each participant that name an emotion
are put into any other order, and hits are compared with what those orders give. Given the counts, Wagner's unbiased
hit rate (H. L. Wagner, 1993) grows with the hits, so that its permutation test is the same one; its own test over
participants stands beside it. An emotion is called recognised only where the test of all emotions together succeeds
too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from strut.arrays import Array
from strut.study.statistics.answers import DO_NOT_KNOW, Answers, IntArray
from strut.study.statistics.significance import Significance, holm, permutation_p, wilson_interval

ALPHA = 0.05
PERMUTATIONS = 5000
ALL = "all"
NEEDS_TWO_ANSWERS = "nobody gave two, so there is nothing to permute within participants."
_FEWEST_PEOPLE = 3  # for a test over participants
_BATCH_CELLS = 2_000_000  # keeps a shuffle of many long sessions in some tens of megabytes


@dataclass(frozen=True, slots=True)
class Recognition:
    """How often an emotion was seen when it was shown.

    Args:
        emotion: Which; "all" for all together.
        hits: How often it was named when it was shown.
        shown: How often it was shown.
        do_not_know: How often people said that they do not know.
        rate: Hits of all showings, with Wilson's 95 % interval `low` to `high`.
        rate_named: Hits of the answers that name an emotion; None where none does.
        expected: Hits that everybody's own answers would give in any other order, on average.
        unbiased: Wagner's unbiased hit rate of the answers that name an emotion.
        p_value: One-sided permutation test within participants; `p_holm` is corrected for all emotions.
        wagner_t: Wagner's paired t test over participants, one-sided, with `wagner_dof`, `wagner_p` and `wagner_holm`.
        recognised: Whether it is above chance: `p_holm` and the test of all emotions together are below 5 %.
    """

    emotion: str
    hits: int
    shown: int
    do_not_know: int
    rate: float
    low: float
    high: float
    rate_named: float | None
    expected: float | None = None
    unbiased: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    wagner_t: float | None = None
    wagner_dof: int | None = None
    wagner_p: float | None = None
    wagner_holm: float | None = None
    recognised: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class NamedAnswers:
    """The answers that name an emotion, as numbers: who, what was shown, what was answered. Shapes (N,)."""

    emotions: tuple[str, ...]
    who: IntArray
    meant: IntArray
    seen: IntArray


def named_answers(answers: Answers) -> NamedAnswers:
    """Return the answers other than "do not know"; what was never shown has numbers beyond those of the emotions."""
    table = answers.table[answers.table["perceived"] != DO_NOT_KNOW]
    names = list(dict.fromkeys((*answers.emotions, *table["perceived"])))
    who = pd.factorize(table["participant"])[0]
    meant, seen = (pd.Index(names).get_indexer(table[column]) for column in ("intended", "perceived"))
    return NamedAnswers(answers.emotions, who.astype(np.int64), meant.astype(np.int64), seen.astype(np.int64))


def shuffled_hits(named: NamedAnswers, rng: np.random.Generator, permutations: int) -> IntArray:
    """Return the hits of each emotion when everybody's answers are shuffled. Shape (permutations, emotions).

    scipy's permutation test has no groups to shuffle within; for a single participant the two agree.
    """
    hits = np.zeros((permutations, len(named.emotions)), dtype=np.int64)
    shown = np.eye(len(named.emotions), dtype=np.float32)
    order = np.argsort(named.who, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(named.who[order])) + 1):
        meant = named.meant[own]
        seen = named.seen[own]
        batch = max(1, _BATCH_CELLS // max(1, len(own)))
        for start in range(0, permutations, batch):
            part = hits[start : start + batch]
            shuffled = rng.permuted(np.broadcast_to(seen, (len(part), len(own))), axis=1)
            part += ((shuffled == meant).astype(np.float32) @ shown[meant]).astype(np.int64)
    return hits


def recognitions(
    answers: Answers, rng: np.random.Generator, *, permutations: int = PERMUTATIONS
) -> tuple[tuple[Recognition, ...], Recognition, Significance | None]:
    """Return every emotion's recognition, that of all together, and the test of all together.

    Where nobody named emotions twice nothing can be permuted: then there is no test, and nothing is called recognised.
    """
    named = named_answers(answers)
    rows = [_counted(answers, emotion) for emotion in answers.emotions]
    whole = _counted(answers, ALL)
    if len(named.who) == len(np.unique(named.who)):
        return tuple(rows), whole, None
    by_chance = shuffled_hits(named, rng, permutations)
    p_values = [permutation_p(row.hits, by_chance[:, k]) for k, row in enumerate(rows)]
    test = Significance(
        "permutation of answers within participants, number of hits",
        float(whole.hits),
        permutation_p(whole.hits, by_chance.sum(axis=1)),
        len(named.seen),
        note=f"{permutations} permutations; {by_chance.sum(axis=1).mean():.1f} hits expected by chance",
    )
    expected = by_chance.mean(axis=0).tolist()
    wagner = _wagner(named)
    for k, (p_value, p_holm) in enumerate(zip(p_values, holm(p_values), strict=True)):
        found = {"p_value": p_value, "p_holm": p_holm, "expected": expected[k], "unbiased": _unbiased(named, k)}
        recognised = p_holm < ALPHA and test.p_value < ALPHA
        rows[k] = replace(rows[k], **found, **wagner[k], recognised=recognised)  # type: ignore[arg-type]
    p_all = {"p_value": test.p_value, "p_holm": test.p_value, "expected": float(sum(expected))}
    return tuple(rows), replace(whole, **p_all, recognised=test.p_value < ALPHA), test  # type: ignore[arg-type]


def _counted(answers: Answers, emotion: str) -> Recognition:
    """Return the counts of one emotion, or of all."""
    meant, seen = (answers.table[column].to_numpy(dtype=object) for column in ("intended", "perceived"))
    of_it = np.full(len(meant), True) if emotion == ALL else meant == emotion
    hits = int((of_it & (seen == meant)).sum())
    shown = int(of_it.sum())
    unknown = int((of_it & (seen == DO_NOT_KNOW)).sum())
    rate_named = hits / (shown - unknown) if shown > unknown else None
    return Recognition(emotion, hits, shown, unknown, hits / shown, *wilson_interval(hits, shown), rate_named)


def _unbiased(named: NamedAnswers, emotion: int) -> float:
    """Return Wagner's unbiased hit rate over all participants: hits squared over showings times uses of the word."""
    shown = named.meant == emotion
    said = named.seen == emotion
    return float((shown & said).sum() ** 2 / max(1, shown.sum() * said.sum()))


def _wagner(named: NamedAnswers) -> list[dict[str, float | int | None]]:
    """Return Wagner's test of each emotion, corrected for their number; None where people do not differ or are few."""
    pairs = [wagner_pairs(named, k) for k in range(len(named.emotions))]
    tests = [_paired(hits - chance) for hits, chance in pairs]
    corrected = holm([p_value for _, _, p_value in tests])
    return [
        {"wagner_t": t, "wagner_dof": dof, "wagner_p": p_value, "wagner_holm": p_holm}
        for (t, dof, p_value), p_holm in zip(tests, corrected, strict=True)
    ]


def wagner_pairs(named: NamedAnswers, emotion: int, *, as_published: bool = False) -> tuple[Array, Array]:
    """Return each participant's unbiased hit rate and what chance gives, as arcsines of roots. Shapes (people,).

    Wagner takes the rate at which chance would hit, showings times uses of the word over the square of all answers,
    and turns that into an arcsine. With few answers each, the arcsines of chance have another mean: with five answers
    0.31 and not 0.20, so that people who guess would seem to see. Unless `as_published`, that mean is taken, which the
    hypergeometric distribution of the hits gives exactly.
    """
    size = int(named.who.max()) + 1
    count, shown, said, hits = (
        np.bincount(named.who, weights, minlength=size)
        for weights in (
            np.ones(len(named.who)),
            named.meant == emotion,
            named.seen == emotion,
            (named.meant == emotion) & (named.seen == emotion),
        )
    )
    saw = shown > 0
    count = count[saw]
    shown = shown[saw]
    said = said[saw]
    hits = hits[saw]
    rates = np.arcsin(hits / np.sqrt(np.maximum(shown * said, 1.0)))
    if as_published:
        return rates, np.arcsin(np.sqrt(shown * said) / count)
    possible = np.arange(int(shown.max(initial=0.0)) + 1)[:, None]
    chance = stats.hypergeom.pmf(possible, count, shown, said)
    return rates, np.nansum(
        chance * np.arcsin(np.clip(possible / np.sqrt(np.maximum(shown * said, 1.0)), 0, 1)), axis=0
    )


def _paired(differences: Array) -> tuple[float | None, int | None, float | None]:
    """Return t, degrees of freedom and one-sided p of differences over participants."""
    if len(differences) < _FEWEST_PEOPLE or np.ptp(differences) < 1e-12:
        return None, None, None
    result = stats.ttest_1samp(differences, 0.0, alternative="greater")
    return float(result.statistic), len(differences) - 1, float(result.pvalue)


def chances(options: int, *, do_not_know: bool) -> tuple[float, float | None]:
    """Return the hit rate of blind guessing among emotions and, where "do not know" is offered, among all options."""
    return (1.0 / (options - 1), 1.0 / options) if do_not_know else (1.0 / options, None)
