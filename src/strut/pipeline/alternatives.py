"""Alternatives: which choice makes a request infeasible even in neutral, and the nearest value that is feasible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from strut.draft import Candidate, Violation
from strut.errors import ImpossibleStepError, RefusedError, StrutError
from strut.maths.bisection import exponential_search
from strut.pipeline.candidates import COARSE, FINAL, Candidates, generator_for
from strut.plumbing.number_text import format_amount
from strut.request import Adjustable, Request

MARGIN = Adjustable("balance margin", "mm")
MAX_FULL_CHECKS = 6  # of values that pass briefly, one after the other, before the full check alone is searched


def refusal(candidates: Candidates, violations: Sequence[Violation]) -> StrutError:
    """Return the error about a request that even neutral cannot keep, with the nearest feasible value of an option.

    Args:
        candidates: Of the request.
        violations: What the neutral motion breaks.
    """
    task = candidates.request.task
    first = violations[0]
    own = task.refusal(first.limit, str(first.reason))
    if own is not None:
        return own
    infeasible = None
    for choice in choices_of(candidates):
        feasible = choice.nearest_feasible()
        error = ImpossibleStepError(
            choice.option.label, choice.asked, str(first.reason), choice.usual, feasible, choice.option.unit
        )
        if feasible is not None:
            return error
        infeasible = infeasible or error
    if infeasible is not None:
        return infeasible
    worst_first = sorted(violations, key=lambda violation: -float(violation.broken.mean()))
    broken = [violation.limit for violation in violations]
    more = candidates.generator.explain_failure(broken)
    return RefusedError([*more, *(violation.reason for violation in worst_first)], task.advice(broken))


def slower_requests(candidates: Candidates) -> Iterator[tuple[float, Candidates]]:
    """Yield speeds [m/s] below the usual one that neutral seems to keep, the largest first, with their candidates.

    Yields nothing if a speed was chosen, if the robot has no usual one, or if the caller passed the generator.
    """
    if candidates.is_own_generator:
        return
    request = candidates.request
    usual_m_s = candidates.generator.usual_options.get("speed_m_s")
    option = request.task.adjustable.get("speed_m_s")
    if usual_m_s is None or option is None:
        return
    for share in option.usual_shares:
        task = request.task.at_usual_speed(share * usual_m_s)
        if task is None:
            return
        choice = Choice(candidates, "speed_m_s", share * usual_m_s, usual_m_s)
        if choice.passes_briefly(share * usual_m_s * 1e3):
            slowed = msgspec.structs.replace(request, task=task)
            generator = generator_for(slowed, candidates.robot, candidates.on_progress)
            yield share * usual_m_s, candidates.of_request(slowed, generator)


def choices_of(candidates: Candidates) -> Iterator[Choice]:
    """Yield the options that a user has chosen other than usual; none if drafts take too long to try other values."""
    request = candidates.request
    if not candidates.how.coarsely:
        return
    chosen = request.task.chosen_options()
    usual = dict(candidates.generator.usual_options)
    if request.margin_m is not None:
        chosen["margin_m"] = request.margin_m
        usual["margin_m"] = request.task.usual_margin_m
    for name, asked in chosen.items():
        is_searchable = name == "margin_m" or not candidates.is_own_generator
        if is_searchable and name in usual and asked != usual[name]:
            yield Choice(candidates, name, asked, usual[name])


@dataclass(frozen=True, slots=True)
class Choice:
    """An option that a user chose.

    Args:
        candidates: Of the request that is infeasible.
        name: Field of the task, or `margin_m` of the request.
        asked: The value that was chosen, in SI units.
        usual: The usual value.
    """

    candidates: Candidates
    name: str
    asked: float
    usual: float

    @property
    def option(self) -> Adjustable:
        """What the option is called, its unit, and how finely it is searched."""
        return MARGIN if self.name == "margin_m" else self.candidates.request.task.adjustable[self.name]

    def nearest_feasible(self) -> float | None:
        """Return the feasible value nearest to the one that was asked for; None if there is none.

        A robot that is too weak for its usual value is tried from shares of it on.
        """
        shares = self.option.usual_shares if self.asked > self.usual else ()
        asked = self.asked * 1e3
        for share in (1.0, *shares):
            usual = share * self.usual * 1e3
            value = nearest_feasible(self.passes_briefly, self.passes_fully, usual, asked, self.option.resolution)
            if value is not None:
                return value * 1e-3
        return None

    def passes_briefly(self, thousandths: float) -> bool:
        """Return whether a short neutral motion passes with another value of the option."""
        value = thousandths * 1e-3
        request = self.candidates.request
        if self.name == "margin_m":
            probe = self._candidates(msgspec.structs.replace(request, task=request.task.probe(), margin_m=value))
        else:
            task = request.task.probe(**{self.name: value})
            probe = self._candidates(msgspec.structs.replace(request, task=task))
        candidate = probe.candidate(0.0, COARSE)
        time_s = candidate.draft.time_s
        if candidate.passes and time_s[1] - time_s[0] >= 1.5 / request.rate_hz:  # coarse samples prove nothing
            candidate = probe.candidate(0.0, replace(FINAL, fallback=candidate.draft.fallback))
        return self._reported(value, candidate)

    def passes_fully(self, thousandths: float) -> bool:
        """Return whether the whole neutral motion passes with another value of the option.

        Only a motion that must stay upright in simulation, which may fall late, is checked once more.
        """
        request = self.candidates.request
        if self.name == "margin_m" or not request.task.simulated:
            return True
        value = thousandths * 1e-3
        task = msgspec.structs.replace(request.task, **{self.name: value})
        whole = self._candidates(msgspec.structs.replace(request, task=task))
        return self._reported(value, whole.candidate(0.0, FINAL))

    def _candidates(self, request: Request) -> Candidates:
        """Return candidates of a request, which do not report their own progress."""
        generator = self.candidates.generator
        if not self.candidates.is_own_generator:
            generator = generator_for(request, self.candidates.robot)
        return replace(self.candidates.of_request(request, generator), on_progress=None)

    def _reported(self, value: float, candidate: Candidate) -> bool:
        words = f"a {self.option.label} of {format_amount(value, self.option.unit)}"
        self.candidates.report(0.0, passed=candidate.passes, instead=words)
        return candidate.passes


def nearest_feasible(
    passes_briefly: Callable[[float], bool],
    passes_fully: Callable[[float], bool],
    usual: float,
    asked: float,
    step: float,
) -> float | None:
    """Return the feasible value nearest to `asked`; None if not even `usual` is feasible.

    Tests a fixed grid from `usual` on: where feasibility has gaps, bisection would answer each request differently. A
    request for more, which passes briefly further out, may yet find less.

    Args:
        passes_briefly: Whether a value passes for a short time.
        passes_fully: Whether it passes over the whole motion.
        usual: A value that is usually feasible.
        asked: The value that is not.
        step: Distance of two values of the grid.
    """
    if not passes_briefly(usual):
        return None
    start = math.ceil(usual) if asked < usual else math.floor(usual)
    step = math.copysign(step, asked - usual)
    last = math.ceil(round((asked - start) / step, 6)) - 1  # the last value of the grid before `asked`

    def value(number: int) -> float:
        return start + step * number

    furthest = exponential_search(lambda number: passes_briefly(value(number)), last)
    checked_to = max(furthest - MAX_FULL_CHECKS, 0)
    for number in range(furthest, checked_to, -1):
        if passes_fully(value(number)):
            return value(number)
    if not passes_fully(value(0)):
        return None
    return value(exponential_search(lambda number: passes_fully(value(number)), checked_to))
