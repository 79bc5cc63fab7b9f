"""Trial plan: which stimulus one participant sees when, and in which order they read the options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product

import numpy as np

from strut.study.design.design import Design
from strut.study.design.groups import balanced_group

CHECK_NUMBERS = 5  # an attention check asks for one of so many
VIEWS = 8  # sides from which stimuli are seen where the view is random
Show = tuple[str, str]  # a stimulus, and the one beside it where two are compared


@dataclass(frozen=True, slots=True)
class Trial:
    """One showing of one stimulus, or of two (`other` is the right one); block 0 is practice.

    `check` is the number that an attention check asks for, which shows nothing; 0 for trials that show something.
    """

    number: int
    block: int
    stimulus: str
    other: str = ""
    check: int = 0

    @property
    def practice(self) -> bool:
        """Whether the answer counts for nothing."""
        return self.block == 0

    @property
    def stimuli(self) -> tuple[str, ...]:
        """What is shown, from left to right."""
        return tuple(name for name in (self.stimulus, self.other) if name)


def session_plan(
    design: Design, index: int, shown: Mapping[str, int], groups: Mapping[str, int]
) -> tuple[str, tuple[Trial, ...]]:
    """Return group and trials of one participant; `groups` is how many people each group has so far."""
    group = balanced_group(design.groups, groups, np.random.default_rng([design.seed, index, 2]))
    return group, trial_plan(design, index, shown, group)


def trial_plan(design: Design, index: int, shown: Mapping[str, int], group: str = "") -> tuple[Trial, ...]:
    """Return the trials of one participant, whose number (from 0) decides order and nothing else.

    `shown` is how often each stimulus was planned for earlier participants, so that all are rated equally often.
    """
    rng = np.random.default_rng([design.seed, index])
    names = _chosen(design, rng, shown, group)
    session = design.session
    shows = _practice(design, names, rng)
    practice = len(shows)
    for block, repeat in product(range(session.blocks), range(session.repeats)):
        row = (index * session.blocks + block) * session.repeats + repeat
        last = shows[-1][1] if shows else ("", "")
        shows += [(block + 1, show) for show in _ordered(design, _shows(design, names, row), rng, row, last)]
    trials = [Trial(0, block, *show) for block, show in shows]
    lot = np.random.default_rng([design.seed, index, 3])
    trials[practice:] = _with_checks(trials[practice:], session.attention_checks, lot)
    return tuple(replace(one, number=number) for number, one in enumerate(trials, start=1))


def _practice(design: Design, names: Sequence[str], rng: np.random.Generator) -> list[tuple[int, Show]]:
    """Return the practice trials: each practice stimulus once or, where there is none, some of the study's own."""
    if design.practice:
        return [(0, show) for show in _shows(design, [entry.name for entry in design.practice], 0)]
    own = _shows(design, names, 0)
    lot = rng.permutation(len(own))
    return [(0, own[lot[number % len(own)]]) for number in range(design.session.practice)]


def _shows(design: Design, names: Sequence[str], row: int) -> list[Show]:
    """Return what is shown once: each stimulus, or each pair, which changes sides from row to row."""
    if not design.ask.shows_pairs:
        return [(name, "") for name in names]
    pairs = list(combinations(names, 2))
    swapped = np.random.default_rng([design.seed, 0, 4]).random(len(pairs)) < 0.5
    return [(b, a) if (row + int(swap)) % 2 else (a, b) for (a, b), swap in zip(pairs, swapped, strict=True)]


def _with_checks(trials: list[Trial], checks: int, rng: np.random.Generator) -> list[Trial]:
    """Return trials with attention checks between them, one in each equal part, never first."""
    if not checks:
        return trials
    edges = np.linspace(1, max(1, len(trials)), checks + 1).astype(int)
    places = [int(rng.integers(low, max(low + 1, high))) for low, high in pairwise(edges)]
    mixed = list(trials)
    for place in reversed(places):
        block = trials[min(place, len(trials)) - 1].block
        mixed.insert(place, Trial(0, block, "", "", 1 + int(rng.integers(CHECK_NUMBERS))))
    return mixed


def planned_showings(plan: Sequence[Trial]) -> Counter[str]:
    """Return how often a plan shows each stimulus, practice left out."""
    return Counter(name for trial in plan if not trial.practice for name in trial.stimuli)


def view_of(design: Design, participant: int, trial: int) -> int:
    """Return from which of the sides of a random view one participant sees one trial; 0 where there is one."""
    if not design.display.azimuth_spread_deg:
        return 0
    return int(np.random.default_rng([design.seed, participant, trial, 5]).integers(VIEWS))


def view_azimuths(azimuth_deg: float, spread_deg: float) -> tuple[float, ...]:
    """Return the azimuths from which stimuli are seen [deg]: one, or evenly as far to either side as the spread."""
    if not spread_deg:
        return (azimuth_deg,)
    shares = np.arange(VIEWS) / VIEWS if spread_deg == 180.0 else np.linspace(0.0, 1.0, VIEWS)  # all round, no end
    return tuple((azimuth_deg + spread_deg * (2.0 * shares - 1.0)).tolist())


def williams_row(count: int, row: int) -> list[int]:
    """Return one row of a Latin square in which, over all rows, everything follows everything else equally often.

    E. J. Williams (1949): `count` rows if it is even; if it is odd, `count` rows more that run backwards.
    """
    first = [0]
    for step in range(1, count):
        first.append((step + 1) // 2 if step % 2 else count - step // 2)
    shifted = [(entry + row) % count for entry in first]
    return shifted[::-1] if count % 2 and (row // count) % 2 else shifted


def _chosen(design: Design, rng: np.random.Generator, shown: Mapping[str, int], group: str) -> tuple[str, ...]:
    """Return the stimuli of a participant: all of the group, or those shown least so far, ties by lot."""
    names = [entry.name for entry in design.seen_by(group)]
    if not design.session.per_participant:
        return tuple(names)
    lot = rng.permutation(len(names))
    ranked = sorted(range(len(names)), key=lambda k: (shown.get(names[k], 0), lot[k]))
    kept = set(ranked[: design.session.per_participant])
    return tuple(name for k, name in enumerate(names) if k in kept)


def _ordered(design: Design, shows: Sequence[Show], rng: np.random.Generator, row: int, last: Show) -> list[Show]:
    """Return what is shown in the order of the design; by lot, what was seen last never comes again at once."""
    if design.session.order == "fixed":
        return list(shows)
    if design.session.order == "latin-square":
        return [shows[k] for k in williams_row(len(shows), row)]
    order = [shows[k] for k in rng.permutation(len(shows))]
    if set(order[0]) == set(last) and len(order) > 1:  # of one there is no other to take
        other = int(rng.integers(1, len(order)))
        order[0], order[other] = order[other], order[0]
    return order
