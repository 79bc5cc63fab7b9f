"""How often does a 95 % interval of a hit rate cover the truth when people differ?

    python benchmarks/bench_study_coverage.py [--sets 1000]

People have hit rates of their own, with a mean and a standard deviation, and each gives some answers. There are four
distributions of people: beta, two kinds of people, a normal one cut off at 0 and 1, and normal log odds. The truth is
the mean of the population. `percent` is how often our interval covers it, `wilson_percent` how often Wilson's interval
does, which takes all answers as independent; the widths are means. Required: at least 93 % in every case. Each row is
the worst of all numbers of people and answers, of one distribution, rate and standard deviation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from time import process_time

import numpy as np
from scipy import special

from record import Row, benchmark_parser, record
from strut.arrays import Array
from strut.study.statistics.hit_rate import hit_rate_interval
from strut.study.statistics.significance import wilson_interval

RATES = (0.1, 0.5, 0.95)
PERSON_SDS = (0.0, 0.1, 0.2, 0.25, 0.35)
PEOPLE = (8, 20, 60)
ANSWERS = (5, 30)
POPULATION = 400_000  # people, of whom the truth is the mean where it has no formula
Rates = Callable[[np.random.Generator, int], Array]


def beta_people(rate: float, sd: float) -> Rates:
    """Return a function that draws rates from a beta distribution."""
    precision = rate * (1.0 - rate) / sd**2 - 1.0
    return lambda rng, count: rng.beta(rate * precision, (1.0 - rate) * precision, count)


def two_kinds(rate: float, sd: float) -> Rates:
    """Return a function that draws one of two rates: as far below as above the mean, or 0 or 1 and another one."""
    if sd <= rate <= 1.0 - sd:
        return lambda rng, count: np.where(rng.random(count) < 0.5, rate - sd, rate + sd)
    small = min(rate, 1.0 - rate)
    other = (sd**2 + small**2) / small
    side = (lambda value: value) if rate < 0.5 else (lambda value: 1.0 - value)
    return lambda rng, count: side(np.where(rng.random(count) < small / other, other, 0.0))


def cut_off(rate: float, sd: float) -> Rates:
    """Return a function that draws rates from a normal distribution and moves those outside to 0 or 1."""
    return lambda rng, count: np.clip(rng.normal(rate, sd, count), 0.0, 1.0)


def normal_log_odds(rate: float, sd: float) -> Rates:
    """Return a function that draws log odds from a normal distribution; `sd` is that of the rates for a small one."""
    return lambda rng, count: special.expit(rng.normal(special.logit(rate), sd / (rate * (1.0 - rate)), count))


DISTRIBUTIONS = {
    "beta": beta_people,
    "two kinds": two_kinds,
    "cut-off normal": cut_off,
    "normal log odds": normal_log_odds,
}


def cases() -> Iterator[tuple[str, float, float]]:
    """Yield distribution, mean rate and standard deviation of all possible populations."""
    for name, rate, sd in product(DISTRIBUTIONS, RATES, PERSON_SDS):
        is_possible = name in ("cut-off normal", "normal log odds") or sd < 0.98 * np.sqrt(rate * (1.0 - rate))
        if is_possible and (sd > 0.0 or name == "beta"):
            yield name, rate, sd


def coverage_row(name: str, rate: float, sd: float, sets: int) -> Row:
    """Return the worst coverage over numbers of people and answers."""
    rng = np.random.default_rng(2032)
    started = process_time()
    draw: Rates = DISTRIBUTIONS[name](rate, sd) if sd else lambda _rng, count: np.full(count, rate)
    truth = float(draw(rng, POPULATION).mean()) if name in ("cut-off normal", "normal log odds") else rate
    rows = []
    for people, answers in product(PEOPLE, ANSWERS):
        shown = np.full(people, answers)
        intervals = np.zeros((sets, 2, 2))  # sets, ours and Wilson's, ends
        for k in range(sets):
            hits = rng.binomial(answers, draw(rng, people))
            intervals[k] = hit_rate_interval(hits, shown), wilson_interval(int(hits.sum()), people * answers)
        covers = (intervals[..., 0] <= truth) & (truth <= intervals[..., 1])
        rows.append((*covers.mean(axis=0), *np.ptp(intervals, axis=2).mean(axis=0), people, answers))
    ours, _, _, _, people, answers = min(rows)
    wilson = min(row[1] for row in rows)
    width, wilson_width = np.mean([row[2:4] for row in rows], axis=0)
    return {
        "people_are": name,
        "rate": rate,
        "person_sd": sd,
        "sets": sets,
        "percent": round(100 * float(ours), 1),
        "worst_people": people,
        "worst_answers": answers,
        "wilson_percent": round(100 * float(wilson), 1),
        "width": round(float(width), 3),
        "wilson_width": round(float(wilson_width), 3),
        "cpu_s": round(process_time() - started, 1),
        "kept": bool(ours >= 0.93),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, print and record; quick: two studies of one population."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    options = parser.parse_args(arguments)
    packages = ("strut", "numpy", "scipy", "statsmodels")
    if options.quick:
        record("study_coverage", [coverage_row("beta", 0.5, 0.25, 2)], packages=packages, quick=True)
        return
    for case in cases():  # recorded one by one: nothing is lost when a long run is stopped
        record("study_coverage", [coverage_row(*case, options.sets)], packages=packages)


if __name__ == "__main__":
    main()
