"""Simulated study: a simulated audience answers a study; the power of its findings, and the sample size for a power.

The power is that of the tests of the report, run on simulated studies.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

from strut.arrays import Array
from strut.errors import OutOfRangeError, StudyError, UnknownNameError
from strut.study.design.audience import Audience, audience_for, caveat, shown_by, with_confidence
from strut.study.design.design import Design, read_design
from strut.study.design.response_models import Respond, Shown, observer
from strut.study.design.trial_plan import planned_showings, session_plan
from strut.study.statistics.answer_table import export_csv
from strut.study.statistics.answers import Answers
from strut.study.statistics.recognition import ALL

RUNS = 200  # simulated studies for one power: its standard error is at most 3.5 %
_MIN_PEOPLE = 3
_MAX_PEOPLE = 2000
_SIZES = (0.7, 0.85, 1.0, 1.2, 1.45)  # sample sizes to simulate, relative to a rough one
_POWER_TOLERANCE = 0.02  # the standard error of a power from five sizes with 200 studies each
_NOT_MEASURED = {"age": None, "gender": None, "response_ms": None, "plays": None, "received_at": ""}
OnSize = Callable[[int, float], None]


def simulated_rows(design: Design, audience: Audience, people: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return the answers of simulated participants in the form of `Database.rows`, each marked as simulated."""
    if people < 1:
        raise StudyError(f"An audience of {people} cannot answer; ask for at least one.")
    return _simulate_answers(design, audience.make(design), shown_by(design), people, rng)


def _simulate_answers(
    design: Design, respond: Respond, shown: dict[str, Shown], people: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    rows = []
    times = Counter[str]()
    groups = Counter[str]()
    first = int(rng.integers(2**20))
    answer = with_confidence(respond) if design.ask.confidence else respond
    for index in range(people):
        person = {"code": f"simulated-{index + 1:04d}", "language": design.languages[0], "simulated": True}
        group, plan = session_plan(design, first + index, times, groups)
        participant = observer(design, rng)
        person = {**person, "group_name": group}
        for trial in plan:
            place = {"trial": trial.number, "block": trial.block, "stimulus": trial.stimulus, "other": trial.other}
            if trial.check:  # simulated participants pass attention checks
                reply: dict[str, Any] = {"check": trial.check, "asked": trial.check}
            else:
                reply = answer([shown[name] for name in trial.stimuli], participant, rng)
            rows.append({**_NOT_MEASURED, **person, **place, "reply": reply})
        times.update(planned_showings(plan))
        groups.update([group])
    return rows


def _table(design: Design, rows: list[dict[str, Any]]) -> Answers:
    """Return simulated answers in the form of the statistics; writing and reading CSV would take longer."""
    entries = {entry.name: entry for entry in design.stimuli}
    counted = [row for row in rows if row["block"] > 0 and row["stimulus"]]
    table = pd.DataFrame(counted).rename(columns={"code": "participant", "group_name": "group"})
    replies = pd.DataFrame(table.pop("reply").tolist())[list(design.ask.answer_columns)]
    shown = table["stimulus"].map(entries)
    table = table.assign(intended=[entry.intended for entry in shown], control=[entry.control for entry in shown])
    answers = Answers(pd.concat([table, replies], axis=1), simulated=True)
    return answers if design.ask.shows_pairs else answers.originals


def simulated_power(
    design: Design, audience: Audience, people: int, *, runs: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return for each finding the share of simulated studies in which it is significant."""
    respond = audience.make(design)
    shown = shown_by(design)
    found = Counter[str]()
    for _ in range(runs):
        answers = _table(design, _simulate_answers(design, respond, shown, people, rng))
        found.update({name: int(is_so) for name, is_so in design.ask.findings(answers, rng).items()})
    return {name: count / runs for name, count in found.items()}


def people_needed(
    design: Design,
    audience: Audience,
    *,
    power: float = 0.8,
    finding: str | None = None,
    runs: int = RUNS,
    rng: np.random.Generator,
    on_size: OnSize = lambda _people, _power: None,
) -> int:
    """Return the smallest number of people for the power of a finding.

    The size is doubled until the power is reached. Then five sizes around it are simulated, and a probit curve of the
    power over the square root of the size, which is exact for a test of a mean, is fitted to them. A size whose power
    is below the wanted one by less than the standard error of the simulation (2 %) is enough.

    Args:
        design: The design of the study.
        audience: The simulated audience.
        power: Wanted probability of the finding.
        finding: A finding of the question (`Question.findings`); the first one if left out.
        runs: Simulated studies for each of the five sizes.
        rng: Random number generator.
        on_size: Called with each simulated size and its power.
    """
    if not 0.1 <= power <= 0.99:
        raise OutOfRangeError(f"The power is {power:g}; it must lie between 0.1 and 0.99.")

    def power_of(people: int, runs: int) -> float:
        powers = simulated_power(design, audience, people, runs=runs, rng=rng)
        name = finding or next(iter(powers))
        if name not in powers:
            raise UnknownNameError("finding", name, tuple(powers), "`strut study simulate --runs 10`")
        on_size(people, powers[name])
        return powers[name]

    def double(people: int) -> int:
        if 2 * people > _MAX_PEOPLE:
            raise StudyError(f"Not even {people} simulated people show {finding or ALL} with a power of {power:g}.")
        return 2 * people

    people = _MIN_PEOPLE
    while power_of(people, runs // 3) < power:
        people = double(people)
    while True:
        sizes = sorted({max(2, round(share * 0.75 * people)) for share in _SIZES})
        shares = [power_of(size, runs) for size in sizes]
        if shares[0] < power <= max(shares):
            return fewest_people(np.array(sizes, float), np.array(shares) * runs, runs, power)
        if sizes[0] == 2 and shares[0] >= power:
            return 2
        people = (
            sizes[0] if shares[0] >= power else double(people)
        )  # the doubling stopped too early or too late by chance


def fewest_people(sizes: Array, hits: Array, runs: int, power: float) -> int:
    """Return the smallest size for a power, from the significant ones of `runs` studies of each size. Shapes (n,)."""
    roots = sm.add_constant(np.sqrt(sizes))
    family = sm.families.Binomial(sm.families.links.Probit())
    counts = np.column_stack([hits, runs - hits]) + 0.5  # keeps powers of 0 and 1 finite
    intercept, slope = map(float, sm.GLM(counts, roots, family=family).fit().params)
    fewer = math.floor(((float(stats.norm.ppf(power)) - intercept) / slope) ** 2)
    suffices = float(stats.norm.cdf(intercept + slope * math.sqrt(fewer))) > power - _POWER_TOLERANCE
    return max(2, fewer if suffices else fewer + 1)


@dataclass(frozen=True, slots=True)
class SimulatedStudy:
    """A study answered by a simulated audience: the audience and its caveat, the answers as CSV, the power by finding.

    `people` is the number of participants; if a power was given, the number that it needs. `practice_answers` of the
    `answers` are of practice, which the report leaves out.
    """

    question: str
    audience: Audience
    caveat: str
    people: int
    answers: int
    practice_answers: int
    table: str
    power: dict[str, float]


def rehearse_study(
    folder: Path | str,
    *,
    people: int = 20,
    audience: str | None = None,
    runs: int = 0,
    power: float | None = None,
    finding: str | None = None,
    seed: int = 0,
    on_size: OnSize = lambda _people, _power: None,
) -> SimulatedStudy:
    """Let a published response model answer a study, to try it or to compute its power.

    Args:
        folder: Folder of the study.
        people: Number of simulated participants.
        audience: `quadruped`, `superposition`, `pepper` or `feedback`; the one that fits the design if left out.
        runs: Number of studies to simulate for the power of each finding; none if 0.
        power: Find the number of people for this power, instead of `people`.
        finding: The finding that `power` is for; all emotions together if left out.
        seed: Seed of the answers.
        on_size: Called with each simulated size and its power.

    Example:
        >>> strut.study.rehearse_study("mystudy", people=30, runs=100).power  # doctest: +SKIP
        {'all': 1.0, 'happy': 0.93, 'sad': 0.61}
    """
    design = read_design(Path(folder))
    rng = np.random.default_rng(seed)
    model = audience_for(design, audience)
    if power is not None:
        people = people_needed(design, model, power=power, finding=finding, rng=rng, on_size=on_size)
        runs = runs or RUNS
    found = {}
    rows = []
    if runs:
        found = simulated_power(design, model, people, runs=runs, rng=rng)
    else:
        rows = simulated_rows(design, model, people, rng)
    return SimulatedStudy(
        question=design.question,
        audience=model,
        caveat=caveat(design, model),
        people=people,
        answers=len(rows),
        practice_answers=sum(row["block"] == 0 for row in rows),
        table=export_csv(design, rows),
        power=found,
    )
