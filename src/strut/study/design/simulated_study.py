"""Simulated study: observers of a response model answer it; power of its findings, and how many people it needs.

Power is that of the very tests of the report, run on simulated studies.
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
from strut.study.design.response_models import Respond, Shown, SimulatedObserver, observer
from strut.study.design.trial_plan import Trial, planned_showings, session_plan
from strut.study.statistics.answer_table import export_csv
from strut.study.statistics.answers import Answers
from strut.study.statistics.recognition import ALL

RUNS = 200
_FEWEST = 3
_MOST = 2000  # people
_AROUND = (0.7, 0.85, 1.0, 1.2, 1.45)  # sizes, as shares of a rough one, between which the right one is found
_ROUGH = 0.02  # about the standard error of a power from five sizes with 200 studies each
_SAID = {"age": None, "gender": None, "response_ms": None, "plays": None, "received_at": ""}
OnSize = Callable[[int, float], None]


def simulated_rows(design: Design, audience: Audience, people: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return the answers of simulated people, in the form of `Database.rows`, each marked as simulated."""
    if people < 1:
        raise StudyError(f"An audience of {people} cannot answer; ask for at least one.")
    return _answered(design, audience.make(design), shown_by(design), people, rng)


def _answered(
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
            rows.append({**_SAID, **person, **place, "reply": _replied(trial, answer, shown, participant, rng)})
        times.update(planned_showings(plan))
        groups.update([group])
    return rows


def _replied(
    trial: Trial, answer: Respond, shown: dict[str, Shown], participant: SimulatedObserver, rng: np.random.Generator
) -> dict[str, Any]:
    """Return an answer as the database has it: the motion that was chosen, or a check that was passed."""
    if trial.check:
        return {"check": trial.check, "asked": trial.check}
    return answer([shown[name] for name in trial.stimuli], participant, rng)


def _table(design: Design, rows: list[dict[str, Any]]) -> Answers:
    """Return simulated answers as the statistics want them, without the way over a text."""
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
    """Return in which share of simulated studies each finding is significant."""
    respond = audience.make(design)
    shown = shown_by(design)
    found = Counter[str]()
    for _ in range(runs):
        answers = _table(design, _answered(design, respond, shown, people, rng))
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
    """Return the fewest people with whom a study finds something with a probability.

    The size is doubled until the power is there, then five sizes around it are simulated and the power is taken as a
    normal distribution of the root of the size, which it is for a test of a mean. Simulated powers are rough: a size
    that falls short by less than they can tell, 2 %, suffices, where one person more would be far too many.

    Args:
        design: Of the study.
        audience: Who answers.
        power: Probability wanted.
        finding: Of `findings`; the first one if left out.
        runs: Studies to simulate of each of the five sizes.
        rng: Chance.
        on_size: Is told each size that was simulated and the power there.
    """
    if not 0.1 <= power <= 0.99:
        raise OutOfRangeError(f"A power of {power:g} cannot be planned for; it must lie between 0.1 and 0.99.")

    def measured(people: int, runs: int) -> float:
        found = simulated_power(design, audience, people, runs=runs, rng=rng)
        name = finding or next(iter(found))
        if name not in found:
            raise UnknownNameError("finding", name, tuple(found), "`strut study simulate --runs 10`")
        on_size(people, found[name])
        return found[name]

    def doubled(people: int) -> int:
        if 2 * people > _MOST:
            raise StudyError(f"Not even {people} simulated people show {finding or ALL} with a power of {power:g}.")
        return 2 * people

    people = _FEWEST
    while measured(people, runs // 3) < power:
        people = doubled(people)
    while True:
        sizes = sorted({max(2, round(share * 0.75 * people)) for share in _AROUND})
        shares = [measured(size, runs) for size in sizes]
        if shares[0] < power <= max(shares):
            return fewest_people(np.array(sizes, float), np.array(shares) * runs, runs, power)
        if sizes[0] == 2 and shares[0] >= power:
            return 2
        people = sizes[0] if shares[0] >= power else doubled(people)  # chance has misled the doubling


def fewest_people(sizes: Array, hits: Array, runs: int, power: float) -> int:
    """Return the fewest people that reach a power, from hits in so many simulated studies of each size. Shapes (n,)."""
    roots = sm.add_constant(np.sqrt(sizes))
    family = sm.families.Binomial(sm.families.links.Probit())
    counts = np.column_stack([hits, runs - hits]) + 0.5  # a size that never or always succeeds has a finite place too
    start, slope = map(float, sm.GLM(counts, roots, family=family).fit().params)
    fewer = math.floor(((float(stats.norm.ppf(power)) - start) / slope) ** 2)
    suffices = float(stats.norm.cdf(start + slope * math.sqrt(fewer))) > power - _ROUGH
    return max(2, fewer if suffices else fewer + 1)


@dataclass(frozen=True, slots=True)
class SimulatedStudy:
    """A study that a simulated audience has answered: who they are, what to doubt, their answers as CSV, the power.

    `people` is how many took part; where a power was asked for, how many are needed for it.
    """

    question: str
    audience: Audience
    caveat: str
    people: int
    answers: int
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
    """Let a published response model answer a study, to try it or to know its power.

    Args:
        folder: Of the study.
        people: How many simulated observers.
        audience: `quadruped`, `superposition`, `pepper` or `feedback`; the one that fits the design if left out.
        runs: How many such studies to simulate for the power of each finding; none if 0.
        power: Find how many people give this power, instead of `people`.
        finding: For which finding; all emotions together if left out.
        seed: Of the answers.
        on_size: Is told each size tried and its power.

    Example:
        >>> strut.rehearse_study("mystudy", people=30, runs=100).power  # doctest: +SKIP
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
    about = design.question, model, caveat(design, model), people
    return SimulatedStudy(*about, len(rows), export_csv(design, rows), found)
