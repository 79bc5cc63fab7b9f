"""Trial plan: which stimulus one participant sees when, and in which order they read the options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from strut.study.design import Design


@dataclass(frozen=True, slots=True)
class Trial:
    """One showing of one stimulus; block 0 is practice."""

    number: int
    block: int
    stimulus: str

    @property
    def practice(self) -> bool:
        """Whether the answer counts for nothing."""
        return self.block == 0


def trial_plan(design: Design, index: int, shown: Mapping[str, int]) -> tuple[Trial, ...]:
    """Return the trials of one participant, whose number (from 0) decides order and nothing else.

    `shown` is how often each stimulus was planned for earlier participants, so that all are rated equally often.
    """
    rng = np.random.default_rng([design.seed, index])
    names = _chosen(design, rng, shown)
    session, practice = design.session, [names[k] for k in rng.permutation(len(names))]
    shows = [(0, practice[number % len(names)]) for number in range(session.practice)]
    for block, repeat in product(range(session.blocks), range(session.repeats)):
        row = (index * session.blocks + block) * session.repeats + repeat
        last = shows[-1][1] if shows else ""
        shows += [(block + 1, name) for name in _ordered(design, names, rng, row, last)]
    return tuple(Trial(number, *show) for number, show in enumerate(shows, start=1))


def option_order(design: Design, participant: int) -> tuple[str, ...]:
    """Return the options of a choice as one participant reads them in every trial, "do not know" last."""
    if not design.ask.shuffle:
        return design.answer_options
    lot = np.random.default_rng([design.seed, participant, 1]).permutation(len(design.ask.options))
    return (*(design.ask.options[k] for k in lot), *design.answer_options[len(lot) :])


def williams_row(count: int, row: int) -> list[int]:
    """Return one row of a Latin square in which, over all rows, everything follows everything else equally often.

    E. J. Williams (1949): `count` rows if it is even; if it is odd, `count` rows more that run backwards.
    """
    first = [0]
    for step in range(1, count):
        first.append((step + 1) // 2 if step % 2 else count - step // 2)
    shifted = [(entry + row) % count for entry in first]
    return shifted[::-1] if count % 2 and (row // count) % 2 else shifted


def _chosen(design: Design, rng: np.random.Generator, shown: Mapping[str, int]) -> tuple[str, ...]:
    """Return the stimuli of a participant: all, or those shown least so far, ties by lot; in the file's order."""
    names = [entry.name for entry in design.stimuli]
    if not design.session.per_participant:
        return tuple(names)
    lot = rng.permutation(len(names))
    ranked = sorted(range(len(names)), key=lambda k: (shown.get(names[k], 0), lot[k]))
    kept = set(ranked[: design.session.per_participant])
    return tuple(name for k, name in enumerate(names) if k in kept)


def _ordered(design: Design, names: Sequence[str], rng: np.random.Generator, row: int, last: str) -> list[str]:
    """Return the stimuli in the order of the design; by lot, the one seen last never comes again at once."""
    if design.session.order == "fixed":
        return list(names)
    if design.session.order == "latin-square":
        return [names[k] for k in williams_row(len(names), row)]
    order = [names[k] for k in rng.permutation(len(names))]
    if order[0] == last and len(order) > 1:  # of one there is no other to take
        other = int(rng.integers(1, len(order)))
        order[0], order[other] = order[other], order[0]
    return order
