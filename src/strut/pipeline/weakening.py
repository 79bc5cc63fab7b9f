"""Weakening: the strongest expression that a body can keep, all of its words alike or only those that break a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from strut.draft import Attempt, StrongestCandidate, Violation
from strut.expression.shown import expressed_shares, visible_parameters
from strut.maths.bisection import bisect
from strut.pipeline.gate import CLOSE, COARSE, strongest_proved
from strut.pipeline.trials import FINAL, SEARCH, Trials
from strut.plumbing.number_text import format_percent, join_words
from strut.receipt import Reason, ReasonKind
from strut.style import PARAMETER_GROUPS, parameter_label

PARTIAL_SHARES = (0.5, 0.25)  # of a group of words, tried where the whole of it breaks a limit
ENOUGH = 0.5  # of the main words, on average: where so much is left, nobody looks whether all words alike leave more
NEARLY_ALL = 0.7  # of what can be shown: where only a proof refuses all of a feeling, no less of its main words will do
NOTHING = StrongestCandidate(None, ())
LEAST_TOLD = 0.005  # share of a word below which it is called left out


def strongest_expression(trials: Trials) -> StrongestCandidate:
    """Return the strongest attempt that passes."""
    if trials.how.by_words:
        return _of_words(trials)
    settled = _settled_first(trials) if trials.how.proof_first else None
    return _in_all_words(trials) if settled is None else settled


def _of_words(trials: Trials) -> StrongestCandidate:
    """Return all that is asked, or that with some of its words weakened, or with all of them."""
    quick = trials.attempt(trials.request.asked, SEARCH)
    full = trials.prove(quick) if quick.passes else quick
    if full.passes:
        return StrongestCandidate(full, ())
    trials.searched[trials.asked_style] = full
    kept = NOTHING if trials.request.strict else _by_words(trials, nearly=quick.passes)
    return kept if kept.attempt is not None else _neutral(trials)


def _settled_first(trials: Trials) -> StrongestCandidate | None:
    """Return what needs no search: all that is asked passes, or not even neutral; None if neither is so."""
    if not trials.fastest:
        full = trials.attempt(trials.request.asked, FINAL)
        if full.passes:
            return StrongestCandidate(full, ())
    neutral = trials.prove(trials.search(0.0))  # only a whole motion may say that not even neutral works
    return None if neutral.passes else StrongestCandidate(None, neutral.violations)


def _in_all_words(trials: Trials) -> StrongestCandidate:
    """Return the strongest attempt in which all words are weakened alike."""
    how = trials.how
    asked = trials.request.asked
    rung = asked if trials.request.strict else asked / max(how.rungs, 1)
    coarse, close = (rung, rung) if how.rungs else (COARSE, CLOSE)
    prove = trials.prove if how.coarsely else None
    return strongest_proved(asked, trials.search, prove, coarse=coarse, close=close)


def _neutral(trials: Trials) -> StrongestCandidate:
    """Return the neutral motion: only a whole one may say that not even that works."""
    known = trials.searched.get(trials.style(0.0))
    whole = trials.attempt(0.0, FINAL) if known is None or not known.passes else trials.prove(known)
    return (
        StrongestCandidate(whole, trials.searched[trials.asked_style].violations)
        if whole.passes
        else StrongestCandidate(None, whole.violations)
    )


@dataclass(slots=True, eq=False)
class _Candidate:
    """A way to weaken a feeling: some of its words, each by its share, or all of them alike.

    Args:
        trials: With the words that are weakened.
        rung: Smallest part of what is asked that makes a difference.
        found: The strongest attempt that a search found below what proofs refused.
        failed: Proofs that refused.
    """

    trials: Trials
    rung: float
    found: StrongestCandidate = NOTHING
    failed: int = 0

    def search(self) -> None:
        """Look for the strongest attempt."""
        self.found = self._searched(self.trials.request.asked)

    def _searched(self, ceiling: float) -> StrongestCandidate:
        """Return the strongest attempt up to an intensity."""
        close = self.rung * self.trials.request.asked
        tried = list[Attempt]()

        def passes(intensity: float) -> bool:
            tried.append(self.trials.search(intensity))
            return tried[-1].passes

        best = max(ceiling, 0.0)
        if best > 0.0 and not passes(best):
            best, _ = bisect(passes, 0.0, best, close=close)  # that nothing of it breaks nothing is looked at last
        found = self.trials.search(best)
        binding_limits = next((attempt.violations for attempt in reversed(tried) if not attempt.passes), ())
        return StrongestCandidate(found, binding_limits) if found.passes else StrongestCandidate(None, found.violations)

    @property
    def expressiveness(self) -> tuple[float, float]:
        """The mean share of the main words, then of all words, that the found attempt shows; nothing if none is."""
        attempt = self.found.attempt
        asked = self.trials.request.asked
        if attempt is None:
            return (0.0, 0.0)
        return (self.shown(attempt), self.kept(attempt.intensity / asked))

    def shown(self, attempt: Attempt) -> float:
        """Return how much of the main words an attempt shows on average."""
        shares = self.shares(attempt)
        return sum(shares.values()) / max(len(shares), 1)

    def shares(self, attempt: Attempt) -> dict[str, float]:
        """Return how much of each main word an attempt shows."""
        return expressed_shares(self.trials.robot, self.trials.asked_style, self.trials.style(attempt.intensity))

    def kept(self, share: float) -> float:
        """Return the share of all words that people would see, where those that are weakened have a share."""
        shares = self.trials.shares
        lost = sum(1.0 - share * part for part in shares.values())
        return 1.0 - lost / len(_changed_words(self.trials)) if shares else share

    def proved(self) -> StrongestCandidate:
        """Return the found attempt if a proof confirms it, told in words; else look below it, ever further."""
        assert self.found.attempt is not None, "only what was found can be proved"
        asked = self.trials.request.asked
        binding_limits = self.found.binding_limits
        full = self.trials.prove(self.found.attempt)
        if full.passes:
            return StrongestCandidate(
                self._told(full), binding_limits or self.trials.searched[self.trials.asked_style].violations
            )
        self.trials.searched[self.trials.style(full.intensity)] = full  # or other candidates would find it again
        lower = full.intensity - 2**self.failed * self.rung * asked
        self.failed += 1
        nothing = StrongestCandidate(None, full.violations)
        self.found = replace(self._searched(lower), binding_limits=full.violations) if full.intensity > 0.0 else nothing
        return nothing

    def _told(self, attempt: Attempt) -> Attempt:
        """Return an attempt that says which words it weakens."""
        asked = self.trials.request.asked
        shares = self.trials.shares
        draft = attempt.draft
        if not shares:
            return attempt
        share = attempt.intensity / asked
        expressed = {word: value * draft.expressed.get(word, 1.0) for word, value in self.shares(attempt).items()}
        reasons = (*draft.reasons, _weakened({word: share * part for word, part in shares.items()}))
        return replace(
            attempt, intensity=asked, draft=replace(draft, expressed=expressed, kept=self.kept(share), reasons=reasons)
        )


def _best_proved(candidates: Sequence[_Candidate], least: float = 0.0) -> StrongestCandidate:
    """Return the first proof that passes of the candidates that show most of a feeling; none below a mean share."""
    for candidate in candidates:
        if not candidate.failed:
            candidate.search()
    binding_limits: tuple[Violation, ...] = ()
    best = max(candidates, key=lambda candidate: candidate.expressiveness)
    while best.found.attempt is not None and best.expressiveness[0] >= max(least, 1e-9):
        kept = best.proved()
        if kept.attempt is not None:
            return kept
        binding_limits = kept.binding_limits
        best = max(candidates, key=lambda candidate: candidate.expressiveness)
    return StrongestCandidate(None, binding_limits)


def _by_words(trials: Trials, *, nearly: bool) -> StrongestCandidate:
    """Return the attempt in which every part of a feeling goes as far as it does beside those that tell more.

    Where less than enough is left of the parts, they are compared with all words weakened alike.
    """
    rung = 1.0 / trials.how.rungs
    changed = _changed_words(trials)
    alike = _Candidate(trials, rung)
    kept = _nearly_all(alike, changed) if nearly else NOTHING
    if kept.attempt is not None:
        return kept
    if not trials.search(0.0).passes:  # parts are put on what is neutral; less of all words may yet be easier than that
        return _best_proved([alike])
    parts = [part for part in (tuple(word for word in words if word in changed) for words in PARAMETER_GROUPS) if part]
    shares = _climbed(trials, parts, dict.fromkeys(sum(parts, ()), 0.0))
    climbed = _Candidate(replace(trials, shares=shares), rung)
    kept = _best_proved([climbed], ENOUGH)
    return kept if kept.attempt is not None else _best_proved([climbed, alike])


def _nearly_all(alike: _Candidate, changed: Sequence[str]) -> StrongestCandidate:
    """Return most of a feeling that only the proof refuses: a little less of every word, or all at its own cadence.

    Steps that are slower or quicker than its own are what a robot falls in most.
    """
    trials = alike.trials
    steady = [_Candidate(replace(trials, shares={"tempo": 0.0}), alike.rung)] if "tempo" in changed else []
    return _best_proved([alike, *steady], NEARLY_ALL * alike.shown(trials.searched[trials.asked_style]))


def _climbed(trials: Trials, parts: Sequence[tuple[str, ...]], shares: dict[str, float]) -> dict[str, float]:
    """Return shares of words that seem to keep every limit: those given, and of some parts as much as they leave room.

    Parts that fit together are found by halves: most of a feeling usually fits.
    """

    def raised(share: float) -> dict[str, float]:
        return shares | dict.fromkeys(sum(parts, ()), share)

    def passes(share: float) -> bool:
        return replace(trials, shares=raised(share)).search(trials.request.asked).passes

    if passes(1.0):
        return raised(1.0)
    if len(parts) <= 1:
        return raised(next(filter(passes, PARTIAL_SHARES), 0.0))
    half = len(parts) // 2
    return _climbed(trials, parts[half:], _climbed(trials, parts[:half], shares))


def _changed_words(trials: Trials) -> list[str]:
    """Return the words that the feeling changes visibly and for which the robot has a part."""
    shown = visible_parameters(trials.robot, trials.asked_style)
    return [word for word in shown if trials.robot.expression.mapping(word) is not None]


def _weakened(shares: Mapping[str, float]) -> Reason:
    """Return which style parameters were weakened, and how far."""
    levels = sorted({share for share in shares.values() if share < 1.0})
    said = [
        f"{join_words([parameter_label(word) for word, one in shares.items() if one == share])} {_much(share)}"
        for share in levels
    ]
    return Reason(ReasonKind.WEAKENED, None, f"{', '.join(said)}, all else as asked")


def _much(share: float) -> str:
    return "left out" if share < LEAST_TOLD else f"at {format_percent(share)}"
