"""Trial plan: the sequence of trials of each participant, with counterbalancing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product

import numpy as np

from strut.study.design.design import Design
from strut.study.design.groups import balanced_group

CHECK_NUMBERS = 5  # options of an attention check
VIEWS = 8  # azimuths of a random view
ShownPair = tuple[str, str]  # a stimulus, and the one to its right if two are compared


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial with one stimulus, or with two (`other` is the right one); block 0 is practice.

    `check` is the number that an attention check asks for; such a trial has no stimulus. It is 0 in all other trials.
    """

    number: int
    block: int
    stimulus: str
    other: str = ""
    check: int = 0

    @property
    def practice(self) -> bool:
        """Whether it is a practice trial, whose answer does not count."""
        return self.block == 0

    @property
    def stimuli(self) -> tuple[str, ...]:
        """The stimuli, from left to right."""
        return tuple(name for name in (self.stimulus, self.other) if name)


def session_plan(
    design: Design, index: int, shown: Mapping[str, int], groups: Mapping[str, int]
) -> tuple[str, tuple[Trial, ...]]:
    """Return group and trials of a participant; `groups` is the number of people in each group so far."""
    group = balanced_group(design.groups, groups, np.random.default_rng([design.seed, index, 2]))
    return group, trial_plan(design, index, shown, group)


def trial_plan(design: Design, index: int, shown: Mapping[str, int], group: str = "") -> tuple[Trial, ...]:
    """Return the trials of a participant, whose number (from 0) decides the order.

    `shown` is how often each stimulus was planned for earlier participants, so that all are shown equally often.
    """
    rng = np.random.default_rng([design.seed, index])
    names = _choose_stimuli(design, rng, shown, group)
    session = design.session
    rounds = _practice(design, names, rng)
    practice = len(rounds)
    for block, repeat in product(range(session.blocks), range(session.repeats)):
        row = (index * session.blocks + block) * session.repeats + repeat
        last = rounds[-1][1] if rounds else ("", "")
        rounds += [(block + 1, pair) for pair in _order(design, _pairs(design, names, row), rng, row, last)]
    trials = [Trial(0, block, *pair) for block, pair in rounds]
    check_rng = np.random.default_rng([design.seed, index, 3])
    trials[practice:] = _with_checks(trials[practice:], session.attention_checks, check_rng)
    return tuple(replace(trial, number=number) for number, trial in enumerate(trials, start=1))


def _practice(design: Design, names: Sequence[str], rng: np.random.Generator) -> list[tuple[int, ShownPair]]:
    """Return the practice trials: each practice stimulus once or, if there is none, some of the study's own."""
    if design.practice:
        return [(0, pair) for pair in _pairs(design, [entry.name for entry in design.practice], 0)]
    own = _pairs(design, names, 0)
    random_order = rng.permutation(len(own))
    return [(0, own[random_order[number % len(own)]]) for number in range(design.session.practice)]


def _pairs(design: Design, names: Sequence[str], row: int) -> list[ShownPair]:
    """Return each stimulus alone, or each pair of stimuli; pairs change sides from row to row."""
    if not design.ask.shows_pairs:
        return [(name, "") for name in names]
    pairs = list(combinations(names, 2))
    swapped = np.random.default_rng([design.seed, 0, 4]).random(len(pairs)) < 0.5
    return [(b, a) if (row + int(swap)) % 2 else (a, b) for (a, b), swap in zip(pairs, swapped, strict=True)]


def _with_checks(trials: list[Trial], checks: int, rng: np.random.Generator) -> list[Trial]:
    """Return trials with attention checks between them: one in each of equal parts, never first."""
    if not checks:
        return trials
    edges = np.linspace(1, max(1, len(trials)), checks + 1).astype(int)
    positions = [int(rng.integers(low, max(low + 1, high))) for low, high in pairwise(edges)]
    mixed = list(trials)
    for position in reversed(positions):
        block = trials[min(position, len(trials)) - 1].block
        mixed.insert(position, Trial(0, block, "", "", 1 + int(rng.integers(CHECK_NUMBERS))))
    return mixed


def planned_showings(plan: Sequence[Trial]) -> Counter[str]:
    """Return how often a plan shows each stimulus, without practice."""
    return Counter(name for trial in plan if not trial.practice for name in trial.stimuli)


def view_of(design: Design, participant: int, trial: int) -> int:
    """Return the index of the azimuth of a trial; 0 if azimuths are not random."""
    if not design.display.azimuth_spread_deg:
        return 0
    return int(np.random.default_rng([design.seed, participant, trial, 5]).integers(VIEWS))


def view_azimuths(azimuth_deg: float, spread_deg: float) -> tuple[float, ...]:
    """Return the azimuths of the stimuli [deg]: one, or evenly spaced ones up to the spread on either side."""
    if not spread_deg:
        return (azimuth_deg,)
    shares = (
        np.arange(VIEWS) / VIEWS if spread_deg == 180.0 else np.linspace(0.0, 1.0, VIEWS)
    )  # a full circle has no two ends
    return tuple((azimuth_deg + spread_deg * (2.0 * shares - 1.0)).tolist())


def williams_row(count: int, row: int) -> list[int]:
    """Return one row of a balanced Latin square: over all rows, each entry follows each other one equally often.

    E. J. Williams (1949): `count` rows if it is even; if it is odd, `count` more rows in reverse order.
    """
    first = [0]
    for step in range(1, count):
        first.append((step + 1) // 2 if step % 2 else count - step // 2)
    shifted = [(entry + row) % count for entry in first]
    return shifted[::-1] if count % 2 and (row // count) % 2 else shifted


def _choose_stimuli(design: Design, rng: np.random.Generator, shown: Mapping[str, int], group: str) -> tuple[str, ...]:
    """Return the stimuli of a participant: all of the group, or those shown least so far, at random among equals."""
    names = [entry.name for entry in design.seen_by(group)]
    if not design.session.per_participant:
        return tuple(names)
    random_order = rng.permutation(len(names))
    ranked = sorted(range(len(names)), key=lambda k: (shown.get(names[k], 0), random_order[k]))
    chosen = set(ranked[: design.session.per_participant])
    return tuple(name for k, name in enumerate(names) if k in chosen)


def _order(
    design: Design, pairs: Sequence[ShownPair], rng: np.random.Generator, row: int, last: ShownPair
) -> list[ShownPair]:
    """Return pairs in the order of the design; a random order does not start with the pair shown last."""
    if design.session.order == "fixed":
        return list(pairs)
    if design.session.order == "latin-square":
        return [pairs[k] for k in williams_row(len(pairs), row)]
    order = [pairs[k] for k in rng.permutation(len(pairs))]
    if set(order[0]) == set(last) and len(order) > 1:  # a single one must repeat
        other = int(rng.integers(1, len(order)))
        order[0], order[other] = order[other], order[0]
    return order
