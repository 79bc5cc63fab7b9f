"""How often are the verdicts of a study false alarms?

    python benchmarks/bench_study_null.py [--sets 1000] [--only groups]

Choices: people who answer without looking, in six kinds of data. A false alarm is any emotion called recognised; beside
it the same with an exact binomial test against one over all options, which strut used before, and with Wagner's test as
published. Required: at most 6 %. Ratings: no emotion and no factor makes a difference, but people read emotions and
factors in their own ways and motions differ. Required: at most 7 %, also of pairs, ratings over time, groups and
labels. Learning: people differ in how well they hit and in how that changes, but not on average; required: at most 6 %.
The effect of the emotion on the odds of a hit, as reports say it, of people who guess; required: at most 6 %.
`cpu_s` is processor time. How often intervals cover the truth: bench_study_coverage.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from record import Row, benchmark_parser, record

sys.path.insert(0, str(Path(__file__).parent.parent))  # the null data are those of the tests

from scipy import stats
from tests.study.null_data import (
    compared_pairs,
    grouped_ratings,
    groups_with_own_motions,
    guessed_answers,
    guessed_labels,
    indifferent_ratings,
    unlearned_answers,
    wandering_ratings,
)

from strut.errors import AnswersError
from strut.study.statistics.answers import Answers
from strut.study.statistics.confusion import confusion, learning
from strut.study.statistics.group_effects import group_effects
from strut.study.statistics.labels import analyse_labels
from strut.study.statistics.mixed import mixed_choice, mixed_rating
from strut.study.statistics.preferences import preferences
from strut.study.statistics.rating_curves import rating_curves
from strut.study.statistics.ratings import correlations
from strut.study.statistics.recognition import named_answers, recognitions, wagner_pairs
from strut.study.statistics.significance import binomial_p, holm
from strut.study.statistics.study_statistics import study_statistics

CHOICES: dict[str, dict[str, Any]] = {
    "uniform": {},
    "biased answers (35 % one word)": {"shares": (0.35, 0.25, 0.2, 0.1, 0.1)},
    "personal habits (log weights sd 1)": {"habit_sd": 1.0},
    "do not know 0 %, offered": {"habit_sd": 0.5},
    "do not know 30 %": {"unknown": 0.3, "habit_sd": 0.5},
    "unequal numbers": {"unequal": True, "shares": (0.35, 0.25, 0.2, 0.1, 0.1)},
}
RATINGS: dict[str, dict[str, Any]] = {
    "emotion, 20 people, slopes sd 0.2": {},
    "emotion, 40 people, slopes sd 0.2": {"people": 40},
    "emotion, one answer each, slopes sd 0.2": {"times": 1},
    "emotion, 3 motions each sd 0.2": {"motions": 3, "stimulus_sd": 0.2},
    "factor, 5 motions sd 0.2": {"stimulus_sd": 0.2},
    "factor, 15 motions sd 0.2": {"motions": 3, "stimulus_sd": 0.2},
}


def any_group(answers: Answers, rng: np.random.Generator) -> bool:
    """Whether any group is said to differ."""
    return any((row.p_holm or 1.0) < 0.05 for row in group_effects(answers, rng, []))


def any_instant(answers: Answers, rng: np.random.Generator) -> bool:
    """Whether any rating over time is said to leave the middle."""
    return any(row.off_middle for row in rating_curves(answers, rng, []))


def any_pair(answers: Answers, rng: np.random.Generator) -> bool:
    """Whether any motion is said to be preferred to another."""
    return any((row.p_holm or 1.0) < 0.05 for row in preferences(answers, rng).pairs)


def any_difference(answers: Answers, rng: np.random.Generator) -> bool:
    """Whether motions are said to differ as a whole."""
    return preferences(answers, rng).differ


def any_agreement(answers: Answers, rng: np.random.Generator) -> bool:
    """Whether people are said to agree on labels."""
    test = analyse_labels(answers, rng).test
    return test is not None and test.p_value < 0.05


def any_learning(answers: Answers, rng: np.random.Generator) -> bool:
    """Whether the odds of a hit are said to change from block to block."""
    del rng
    p_value = learning(answers).p_value
    return p_value is not None and p_value < 0.05


def any_effect_on_hits(answers: Answers, rng: np.random.Generator) -> bool:
    """Whether a report says that the emotion shown changed the odds of a hit."""
    found = study_statistics(answers, seed=int(rng.integers(2**31)))
    return any(model.are_hits and model.p_value < 0.05 for model in found.models)


Make = Callable[..., Answers]
Verdict = Callable[[Answers, np.random.Generator], bool]
DESIGNS: dict[str, tuple[Make, Verdict]] = {
    "pairs: any difference, 20 people, likings sd 0.5": (compared_pairs, any_difference),
    "pairs: any difference, 8 people, likings sd 1, side 0.5": (
        partial(compared_pairs, people=8, liking_sd=1.0, side=0.5),
        any_difference,
    ),
    "pairs: any pair, 20 people, likings sd 0.5": (partial(compared_pairs, repeats=2), any_pair),
    "ratings over time: any instant, 20 people": (wandering_ratings, any_instant),
    "ratings over time: any instant, 8 people": (partial(wandering_ratings, people=8), any_instant),
    "groups: any emotion, two of 12": (grouped_ratings, any_group),
    "groups: any emotion, three of 8, spreads 1 to 5": (partial(grouped_ratings, groups=3, unequal=True), any_group),
    "groups: any emotion, two of 12, one of two motions shared": (groups_with_own_motions, any_group),
    "groups: preferences, two of 12": (partial(compared_pairs, people=24, groups=2), any_group),
    "labels: agreement, 15 people with favourite words": (guessed_labels, any_agreement),
}
LEARNING: dict[str, dict[str, Any]] = {
    "8 people, 2 blocks of 10": {"people": 8},
    "8 people, 4 blocks of 5, slopes sd 0.2": {"people": 8, "blocks": 4, "repeats": 5, "slope_sd": 0.2},
    "12 people, 2 blocks of 10, slopes sd 0.3": {"slope_sd": 0.3},
    "12 people, 2 blocks of 5, 10 % hits": {"repeats": 5, "odds": -2.2, "person_sd": 1.0},
    "20 people, 2 blocks of 5, 90 % hits": {"people": 20, "repeats": 5, "odds": 2.2, "person_sd": 1.0},
    "40 people, 4 blocks of 5, slopes sd 0.2": {"people": 40, "blocks": 4, "repeats": 5, "slope_sd": 0.2},
}
ODDS = "choices: odds of a hit, slopes sd 0.5"
PERMUTATIONS = 999
PEOPLE = 20
REPEATS = 3  # 60 answers per emotion


def choice_row(case: str, sets: int) -> Row:
    """Return the false alarms of the verdicts on choices."""
    rng = np.random.default_rng(2026)
    started = process_time()
    ours = 0
    overall = 0
    binomial = 0
    wagner = 0
    published = 0
    for _ in range(sets):
        answers = guessed_answers(rng, people=PEOPLE, repeats=REPEATS, **CHOICES[case])
        emotions, whole, _ = recognitions(answers, rng, permutations=PERMUTATIONS)
        named = named_answers(answers)
        ours += any(row.recognised for row in emotions)
        overall += whole.recognised
        wagner += any(row.wagner_holm is not None and row.wagner_holm < 0.05 for row in emotions)
        pairs = [wagner_pairs(named, k, as_published=True) for k in range(len(named.emotions))]
        tests = [float(stats.ttest_rel(*pair, alternative="greater").pvalue) for pair in pairs]
        published += min(holm(tests)) < 0.05
        matrix = confusion(answers)
        counts = zip(matrix.hits.tolist(), matrix.shown.tolist(), strict=True)
        binomial += min(holm([binomial_p(k, n, 1 / 6) for k, n in counts])) < 0.05
    return {
        "case": f"choices: {case}",
        "sets": sets,
        "false_percent": round(100 * ours / sets, 1),
        "overall_percent": round(100 * overall / sets, 1),
        "wagner_percent": round(100 * wagner / sets, 1),
        "wagner_as_published_percent": round(100 * published / sets, 1),
        "binomial_percent": round(100 * binomial / sets, 1),
        "cpu_s": round(process_time() - started, 1),
        "kept": ours / sets <= 0.06,
    }


def rating_row(case: str, sets: int) -> Row:
    """Return the false alarms of the mixed models."""
    rng = np.random.default_rng(2027)
    started = process_time()
    false = 0
    for _ in range(sets):
        answers = indifferent_ratings(rng, **RATINGS[case])
        if case.startswith("factor"):
            (row,) = correlations(answers, [])
            false += row.p_value < 0.05
        else:
            false += mixed_rating(answers, "pleasure").p_value < 0.05
    return _mixed_row(f"ratings: {case}", sets, false, started)


def design_row(case: str, sets: int) -> Row:
    """Return the false alarms of the verdicts on pairs, ratings over time, groups and labels."""
    rng = np.random.default_rng(2029)
    started = process_time()
    false = 0
    make, verdict = DESIGNS[case]
    for _ in range(sets):
        false += bool(verdict(make(rng), rng))
    return _mixed_row(case, sets, false, started)


def learning_row(case: str, sets: int) -> Row:
    """Return the false alarms of the test of learning."""
    rng = np.random.default_rng(2030)
    started = process_time()
    false = sum(any_learning(unlearned_answers(rng, **LEARNING[case]), rng) for _ in range(sets))
    return _mixed_row(f"learning: {case}", sets, false, started, allowed=0.06)


def effect_row(case: str, sets: int, *, fewest: int = 20) -> Row:
    """Return how often a report of people who guess says that the emotion changed the odds of a hit."""
    rng = np.random.default_rng(2031)
    started = process_time()
    sets = max(fewest, sets // 4)  # each takes more than a second
    guesses = (guessed_answers(rng, people=PEOPLE, repeats=REPEATS, **CHOICES[case]) for _ in range(sets))
    false = sum(any_effect_on_hits(answers, rng) for answers in guesses)
    return _mixed_row(f"effect on hits, as reported: {case}", sets, false, started, allowed=0.06)


def odds_row(sets: int, *, fewest: int = 20) -> Row:
    """Return the false alarms of the logistic model: all emotions equally hard, people's slopes sd 0.5 of log odds."""
    rng = np.random.default_rng(2028)
    started = process_time()
    false = 0
    fitted = 0
    for _ in range(max(fewest, sets // 4)):  # each takes a second
        answers = indifferent_ratings(rng, people=PEOPLE, times=3, slope_sd=0.0)
        table = answers.table.drop(columns=["pleasure", "factor_level"])
        who = table["participant"].astype(int)
        what = table["intended"].str[1:].astype(int)
        odds = 0.3 + rng.normal(0.0, 0.8, PEOPLE)[who] + rng.normal(0.0, 0.5, (PEOPLE, 5))[who, what]
        hit = rng.random(len(table)) < 1.0 / (1.0 + np.exp(-odds))
        try:
            model = mixed_choice(Answers(table.assign(perceived=np.where(hit, table["intended"], "other"))))
        except AnswersError:
            continue
        false = false + (model.p_value < 0.05)
        fitted = fitted + 1
    return _mixed_row(ODDS, fitted, false, started)


def _mixed_row(case: str, sets: int, false: int, started: float, *, allowed: float = 0.07) -> Row:
    blank = dict.fromkeys(("overall_percent", "wagner_percent", "wagner_as_published_percent", "binomial_percent"), "")
    told = {"case": case, "sets": sets, "false_percent": round(100 * false / sets, 1)}
    return {**told, **blank, "cpu_s": round(process_time() - started, 1), "kept": false / sets <= allowed}


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, print and record; quick: two data sets of every case."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--only", default="", help="cases that hold this text, such as groups")
    options = parser.parse_args(arguments)
    sets = 2 if options.quick else options.sets
    cases: dict[str, Callable[[int], Row]] = {case: partial(design_row, case) for case in DESIGNS}
    cases |= {f"choices: {case}": partial(choice_row, case) for case in CHOICES}
    cases |= {f"ratings: {case}": partial(rating_row, case) for case in RATINGS}
    cases |= {f"learning: {case}": partial(learning_row, case) for case in LEARNING}
    few = 1 if options.quick else 20
    cases |= {f"effect on hits: {case}": partial(effect_row, case, fewest=few) for case in list(CHOICES)[:3]}
    cases[ODDS] = partial(odds_row, fewest=few)
    for case, row in cases.items():  # recorded one by one: nothing is lost when a long run is stopped
        if options.only in case:
            packages = ("strut", "numpy", "scipy", "statsmodels")
            record("study_null", [row(sets)], packages=packages, quick=options.quick)


if __name__ == "__main__":
    main()
