"""Recognition: whether emotions are recognised above chance, by permutation within participants.

A participant who often answers "neutral" hits neutral often without looking, and one who never answers "I do not know"
hits more often than one in all options. So no hit rate is compared with a fixed chance: the answers of each participant
that name an emotion are permuted, and the hits are compared with those of the permutations. Given the counts, Wagner's
unbiased hit rate (H. L. Wagner, 1993) increases with the hits, so that its permutation test is the same; Wagner's own
test over participants is reported beside it. An emotion is recognised only if the test of all emotions together
succeeds too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from strut.arrays import Array
from strut.study.statistics.answers import DO_NOT_KNOW, Answers, IntArray
from strut.study.statistics.hit_rate import count_hits, hit_rate_interval
from strut.study.statistics.significance import Significance, holm, permutation_p

ALPHA = 0.05
PERMUTATIONS = 5000
ALL = "all"
NEEDS_TWO_ANSWERS = "no participant gave two, so there is nothing to permute within participants."
_MIN_PEOPLE = 3  # for a test over participants
_BATCH_CELLS = 2_000_000  # limits the memory of a permutation of long sessions to tens of megabytes


@dataclass(frozen=True, slots=True)
class Recognition:
    """Hits and hit rates of one emotion, with their tests.

    Args:
        emotion: Its name; "all" for all together.
        hits: Answers that name the emotion when it was shown.
        shown: How often it was shown.
        do_not_know: Answers "I do not know".
        rate: Hit rate over all answers; `low` to `high` is its 95 % interval, participants as clusters.
        rate_named: Hit rate over the answers that name an emotion; None if none does.
        expected: Mean hits of the permutations.
        unbiased: Wagner's unbiased hit rate of the answers that name an emotion.
        p_value: One-sided permutation test within participants; `p_holm` is corrected for all emotions.
        wagner_t: Wagner's paired t test over participants, one-sided, with `wagner_dof`, `wagner_p` and `wagner_holm`.
        recognised: Whether hits are above chance: `p_holm` and the test of all emotions together are below 5 %.
        more_frequent: The answer that people gave most often instead, if more often than they hit; else empty.
        more_frequent_count: How often they gave it.
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
    more_frequent: str = ""
    more_frequent_count: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class NamedAnswers:
    """The answers that name an emotion, as numbers: participant, emotion shown, emotion named. Shapes (N,)."""

    emotions: tuple[str, ...]
    participant: IntArray
    intended: IntArray
    perceived: IntArray


def named_answers(answers: Answers) -> NamedAnswers:
    """Return the answers other than "do not know"; emotions that were never shown have the highest numbers."""
    table = answers.table[answers.table["perceived"] != DO_NOT_KNOW]
    names = list(dict.fromkeys((*answers.emotions, *table["perceived"])))
    participant = pd.factorize(table["participant"])[0]
    intended, perceived = (pd.Index(names).get_indexer(table[column]) for column in ("intended", "perceived"))
    return NamedAnswers(
        answers.emotions, participant.astype(np.int64), intended.astype(np.int64), perceived.astype(np.int64)
    )


def shuffled_hits(named: NamedAnswers, rng: np.random.Generator, permutations: int) -> IntArray:
    """Return the hits of each emotion when answers are permuted within participants. Shape (permutations, emotions).

    scipy's permutation test cannot permute within groups; for a single participant the two agree.
    """
    hits = np.zeros((permutations, len(named.emotions)), dtype=np.int64)
    shown = np.eye(len(named.emotions), dtype=np.float32)
    order = np.argsort(named.participant, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(named.participant[order])) + 1):
        intended = named.intended[own]
        perceived = named.perceived[own]
        batch = max(1, _BATCH_CELLS // max(1, len(own)))
        for start in range(0, permutations, batch):
            part = hits[start : start + batch]
            shuffled = rng.permuted(np.broadcast_to(perceived, (len(part), len(own))), axis=1)
            part += ((shuffled == intended).astype(np.float32) @ shown[intended]).astype(np.int64)
    return hits


def recognitions(
    answers: Answers, rng: np.random.Generator, *, permutations: int = PERMUTATIONS
) -> tuple[tuple[Recognition, ...], Recognition, Significance | None]:
    """Return the recognition of every emotion, that of all together, and the test of all together.

    If no participant named emotions twice, nothing can be permuted: there is no test, and no emotion is recognised.
    """
    named = named_answers(answers)
    rows = [_count_hits(answers, emotion) for emotion in answers.emotions]
    overall = _count_hits(answers, ALL)
    if len(named.participant) == len(np.unique(named.participant)):
        return tuple(rows), overall, None
    by_chance = shuffled_hits(named, rng, permutations)
    p_values = [permutation_p(row.hits, by_chance[:, k]) for k, row in enumerate(rows)]
    test = Significance(
        "permutation of answers within participants, number of hits",
        float(overall.hits),
        permutation_p(overall.hits, by_chance.sum(axis=1)),
        len(named.perceived),
        note=f"{permutations} permutations; {by_chance.sum(axis=1).mean():.1f} hits expected by chance",
    )
    expected = by_chance.mean(axis=0).tolist()
    wagner = _wagner_tests(named)
    for k, (p_value, p_holm) in enumerate(zip(p_values, holm(p_values), strict=True)):
        tests = {"p_value": p_value, "p_holm": p_holm, "expected": expected[k], "unbiased": _unbiased(named, k)}
        recognised = p_holm < ALPHA and test.p_value < ALPHA
        rows[k] = replace(rows[k], **tests, **wagner[k], recognised=recognised)  # type: ignore[arg-type]
    p_all = {"p_value": test.p_value, "p_holm": test.p_value, "expected": float(sum(expected))}
    return tuple(rows), replace(overall, **p_all, recognised=test.p_value < ALPHA), test  # type: ignore[arg-type]


def _count_hits(answers: Answers, emotion: str) -> Recognition:
    """Return the counts of one emotion, or of all."""
    table = answers.table if emotion == ALL else answers.table[answers.table["intended"] == emotion]
    is_hit = (table["perceived"] == table["intended"]).to_numpy()
    hits = int(is_hit.sum())
    shown = len(table)
    unknown = int((table["perceived"] == DO_NOT_KNOW).sum())
    rate_named = hits / (shown - unknown) if shown > unknown else None
    interval = hit_rate_interval(*count_hits(table, is_hit))
    counted = Recognition(emotion, hits, shown, unknown, hits / shown, *interval, rate_named)
    frequent = table["perceived"].value_counts()
    if emotion == ALL or frequent.iloc[0] <= hits:
        return counted
    return replace(counted, more_frequent=str(frequent.index[0]), more_frequent_count=int(frequent.iloc[0]))


def _unbiased(named: NamedAnswers, emotion: int) -> float:
    """Return Wagner's unbiased hit rate over all participants: hits squared / (times shown * times named)."""
    shown = named.intended == emotion
    said = named.perceived == emotion
    return float((shown & said).sum() ** 2 / max(1, shown.sum() * said.sum()))


def _wagner_tests(named: NamedAnswers) -> list[dict[str, float | int | None]]:
    """Return Wagner's test of each emotion, with Holm's correction; None if people are few or do not differ."""
    pairs = [wagner_pairs(named, k) for k in range(len(named.emotions))]
    tests = [_one_sided_t(hits - chance) for hits, chance in pairs]
    corrected = holm([p_value for _, _, p_value in tests])
    return [
        {"wagner_t": t, "wagner_dof": dof, "wagner_p": p_value, "wagner_holm": p_holm}
        for (t, dof, p_value), p_holm in zip(tests, corrected, strict=True)
    ]


def wagner_pairs(named: NamedAnswers, emotion: int, *, as_published: bool = False) -> tuple[Array, Array]:
    """Return the unbiased hit rate of each participant and that of chance, as arcsines of roots. Shapes (people,).

    Wagner takes the arcsine of the expected proportion (times shown * times named / answers squared). With few answers
    per participant the mean of the arcsines by chance is another one: with five answers 0.31, not 0.20, so that
    participants who guess would seem to recognise emotions. Unless `as_published`, this function returns that mean,
    computed from the hypergeometric distribution of the hits.
    """
    size = int(named.participant.max()) + 1
    count, shown, said, hits = (
        np.bincount(named.participant, weights, minlength=size)
        for weights in (
            np.ones(len(named.participant)),
            named.intended == emotion,
            named.perceived == emotion,
            (named.intended == emotion) & (named.perceived == emotion),
        )
    )
    was_shown = shown > 0
    count = count[was_shown]
    shown = shown[was_shown]
    said = said[was_shown]
    hits = hits[was_shown]
    rates = np.arcsin(hits / np.sqrt(np.maximum(shown * said, 1.0)))
    if as_published:
        return rates, np.arcsin(np.sqrt(shown * said) / count)
    possible = np.arange(int(shown.max(initial=0.0)) + 1)[:, None]
    chance = stats.hypergeom.pmf(possible, count, shown, said)
    return rates, np.nansum(
        chance * np.arcsin(np.clip(possible / np.sqrt(np.maximum(shown * said, 1.0)), 0, 1)), axis=0
    )


def _one_sided_t(differences: Array) -> tuple[float | None, int | None, float | None]:
    """Return t, degrees of freedom and one-sided p of differences over participants; None if they cannot be tested."""
    if len(differences) < _MIN_PEOPLE or np.ptp(differences) < 1e-12:
        return None, None, None
    result = stats.ttest_1samp(differences, 0.0, alternative="greater")
    return float(result.statistic), len(differences) - 1, float(result.pvalue)


def chances(options: int, *, do_not_know: bool) -> tuple[float, float | None]:
    """Return the hit rate of guessing among emotions and, if "do not know" is offered, among all options."""
    return (1.0 / (options - 1), 1.0 / options) if do_not_know else (1.0 / options, None)
