"""How often do the verdicts of a study see what is not there?

    python benchmarks/bench_study_null.py [--sets 1000]

Choices: people who answer without looking, in six kinds of data. A false alarm is any emotion called recognised; beside
it the same with an exact binomial test against one over all options, which strut used before, and with Wagner's test as
published. Required: at most 6 %. Ratings: no emotion and no factor makes a difference, but people read emotions and
factors in their own ways and motions differ. Required: at most 7 %. `cpu_s` is processor time.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from record import Row, record

sys.path.insert(0, str(Path(__file__).parent.parent))  # the null data are those of the tests

from scipy import stats
from tests.study.null_data import guessed_answers, indifferent_ratings

from strut.errors import AnswersError
from strut.study.answers import Answers
from strut.study.confusion import confusion, hit_rates
from strut.study.mixed import mixed_choice, mixed_rating
from strut.study.ratings import correlations
from strut.study.recognition import named_answers, recognitions, wagner_pairs
from strut.study.significance import holm

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
PERMUTATIONS, PEOPLE, REPEATS = 999, 20, 3  # 60 answers per emotion


def choice_row(case: str, sets: int) -> Row:
    """Return the false alarms of the verdicts on choices."""
    rng, started = np.random.default_rng(2026), process_time()
    ours, overall, binomial, wagner, published = 0, 0, 0, 0, 0
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
        binomial += any(row.p_holm < 0.05 for row in hit_rates(confusion(answers), 1 / 6))
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
    rng, started, false = np.random.default_rng(2027), process_time(), 0
    for _ in range(sets):
        answers = indifferent_ratings(rng, **RATINGS[case])
        if case.startswith("factor"):
            (row,) = correlations(answers, [])
            false += row.p_value < 0.05
        else:
            false += mixed_rating(answers, "pleasure").p_value < 0.05
    return _mixed_row(f"ratings: {case}", sets, false, started)


def odds_row(sets: int) -> Row:
    """Return the false alarms of the logistic model: all emotions equally hard, people's slopes sd 0.5 of log odds."""
    rng, started, false, fitted = np.random.default_rng(2028), process_time(), 0, 0
    for _ in range(sets):
        answers = indifferent_ratings(rng, people=PEOPLE, times=3, slope_sd=0.0)
        table = answers.table.drop(columns=["pleasure", "factor_level"])
        who, what = table["participant"].astype(int), table["intended"].str[1:].astype(int)
        odds = 0.3 + rng.normal(0.0, 0.8, PEOPLE)[who] + rng.normal(0.0, 0.5, (PEOPLE, 5))[who, what]
        hit = rng.random(len(table)) < 1.0 / (1.0 + np.exp(-odds))
        try:
            model = mixed_choice(Answers(table.assign(perceived=np.where(hit, table["intended"], "other"))))
        except AnswersError:
            continue
        false, fitted = false + (model.p_value < 0.05), fitted + 1
    return _mixed_row("choices: odds of a hit, slopes sd 0.5", fitted, false, started)


def _mixed_row(case: str, sets: int, false: int, started: float) -> Row:
    blank = dict.fromkeys(("overall_percent", "wagner_percent", "wagner_as_published_percent", "binomial_percent"), "")
    told = {"case": case, "sets": sets, "false_percent": round(100 * false / sets, 1)}
    return {**told, **blank, "cpu_s": round(process_time() - started, 1), "kept": false / sets <= 0.07}


def main() -> None:
    """Simulate, print and record."""
    parser = ArgumentParser()
    parser.add_argument("--sets", type=int, default=1000)
    sets = parser.parse_args().sets
    packages = ("strut", "numpy", "scipy", "statsmodels")
    for case in CHOICES:  # recorded one by one: nothing is lost when a long run is stopped
        record("study_null", [choice_row(case, sets)], packages=packages)
    for case in RATINGS:
        record("study_null", [rating_row(case, sets)], packages=packages)
    record("study_null", [odds_row(max(20, sets // 4))], packages=packages)


if __name__ == "__main__":
    main()
