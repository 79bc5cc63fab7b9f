"""Permutation: would a person who answers without looking do as well? Answers are shuffled within each participant."""

from __future__ import annotations

import numpy as np

from strut.errors import AnswersError
from strut.study.answers import Answers
from strut.study.significance import Significance

_BATCH_CELLS = 2_000_000  # keeps a shuffle of many long sessions in some tens of megabytes


def permutation_test(answers: Answers, rng: np.random.Generator, *, permutations: int = 5000) -> Significance:
    """Test whether the number of hits exceeds what each participant's own answers, in any other order, would give.

    It keeps everybody's liking for certain answers and needs no independence between answers of one person, so it
    replaces the chi-squared test of a study with repeated measures. scipy's permutation test has no groups to shuffle
    within; for a single participant the two agree.
    """
    if not answers.perceived:
        raise AnswersError("answers", "there are no choices (`perceived`) to permute.")
    codes = {name: code for code, name in enumerate(dict.fromkeys((*answers.intended, *answers.perceived)))}
    meant = np.array([codes[name] for name in answers.intended])
    seen = np.array([codes[name] for name in answers.perceived])
    people, who = np.unique(answers.participant, return_inverse=True)
    if len(people) == len(seen):
        raise AnswersError("answers", "nobody gave two, so there is nothing to permute within participants.")
    observed = int((meant == seen).sum())
    hits = np.zeros(permutations, dtype=np.int64)
    for participant in range(len(people)):
        own = who == participant
        hits += _shuffled_hits(meant[own], seen[own], rng, permutations)
    as_good = int((hits >= observed).sum())
    return Significance(
        "permutation of answers within participants, number of hits",
        float(observed),
        (1 + as_good) / (1 + permutations),  # the observed order is one of them, so p is never 0
        len(seen),
        note=f"{permutations} permutations; {hits.mean():.1f} hits expected by chance",
    )


def _shuffled_hits(
    meant: np.typing.NDArray[np.int64], seen: np.typing.NDArray[np.int64], rng: np.random.Generator, permutations: int
) -> np.typing.NDArray[np.int64]:
    """Return the hits of one participant for each of many shuffles. Shape (permutations,)."""
    batch = max(1, _BATCH_CELLS // len(seen))
    parts = []
    for start in range(0, permutations, batch):
        rows = min(batch, permutations - start)
        shuffled = rng.permuted(np.broadcast_to(seen, (rows, len(seen))), axis=1)
        parts.append((shuffled == meant).sum(axis=1))
    return np.concatenate(parts)
