"""Weakening: the strongest expression that a body can keep, all of its words alike or only those that break a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from strut.bisection import bisect
from strut.draft import Attempt, Kept, Shortfall
from strut.expression.shown import shown_shares, visible_words
from strut.pipeline.gate import CLOSE, COARSE, strongest_proved
from strut.pipeline.trials import FINAL, Trials
from strut.style import GROUPS, spoken

RUNGS = 4  # even parts of a group of words that are tried
ENOUGH = 0.5  # of the main words, on average: a group of words that leaves so much is weakened without a look at others
NOTHING = Kept(None, ())
LEAST_TOLD = 0.005  # share of a word below which it is called left out


def strongest_expression(trials: Trials) -> Kept:
    """Return the strongest attempt that passes."""
    if trials.how.by_words:
        return _of_words(trials)
    settled = _settled_first(trials) if trials.how.proof_first else None
    return _in_all_words(trials) if settled is None else settled


def _of_words(trials: Trials) -> Kept:
    """Return all that is asked, or that with some of its words weakened, or with all of them."""
    full = trials.attempt_in_turn(trials.request.asked)
    if full.passes:
        return Kept(full, ())
    trials.searched[trials.asked_style] = full
    kept = NOTHING if trials.request.strict else _by_words(trials)
    return kept if kept.attempt is not None else _neutral(trials)


def _settled_first(trials: Trials) -> Kept | None:
    """Return what needs no search: all that is asked passes, or not even neutral; None if neither is so."""
    if not trials.fastest:
        full = trials.attempt(trials.request.asked, FINAL)
        if full.passes:
            return Kept(full, ())
    neutral = trials.prove(trials.search(0.0))  # only a whole motion may say that not even neutral works
    return None if neutral.passes else Kept(None, neutral.shortfalls)


def _in_all_words(trials: Trials) -> Kept:
    """Return the strongest attempt in which all words are weakened alike."""
    how, asked = trials.how, trials.request.asked
    rung = asked if trials.request.strict else asked / max(how.rungs, 1)
    coarse, close = (rung, rung) if how.rungs else (COARSE, CLOSE)
    prove = trials.prove if how.coarsely else None
    return strongest_proved(asked, trials.search, prove, coarse=coarse, close=close)


def _neutral(trials: Trials) -> Kept:
    """Return the neutral motion: only a whole one may say that not even that works."""
    whole = trials.attempt(0.0, FINAL)
    return Kept(whole, trials.searched[trials.asked_style].shortfalls) if whole.passes else Kept(None, whole.shortfalls)


@dataclass(slots=True, eq=False)
class _Candidate:
    """A way to weaken a feeling: some of its words by even parts, others given up, or all of them alike.

    Args:
        trials: With the words that are weakened and given up.
        rung: Smallest part of what is asked that makes a difference.
        found: The strongest attempt that a search found below what proofs refused.
        failed: Proofs that refused.
    """

    trials: Trials
    rung: float
    found: Kept = NOTHING
    failed: int = 0

    def search(self) -> None:
        """Look for the strongest attempt."""
        self.found = self._searched(self.trials.request.asked)

    def _searched(self, ceiling: float) -> Kept:
        """Return the strongest attempt up to an intensity."""
        close, tried = self.rung * self.trials.request.asked, list[Attempt]()

        def passes(intensity: float) -> bool:
            tried.append(self.trials.search(intensity))
            return tried[-1].passes

        best = max(ceiling, 0.0)
        if best > 0.0 and not passes(best):
            best, _ = bisect(passes, 0.0, best, close=close)  # that nothing of it breaks nothing is looked at last
        found = self.trials.search(best)
        stopped_by = next((attempt.shortfalls for attempt in reversed(tried) if not attempt.passes), ())
        return Kept(found, stopped_by) if found.passes else Kept(None, found.shortfalls)

    @property
    def expressiveness(self) -> tuple[float, float]:
        """The mean share of the main words, then of all words, that the found attempt shows; nothing if none is."""
        attempt, asked = self.found.attempt, self.trials.request.asked
        if attempt is None:
            return (0.0, 0.0)
        shares = self.shares(attempt)
        return (sum(shares.values()) / max(len(shares), 1), self.kept(attempt.intensity / asked))

    def shares(self, attempt: Attempt) -> dict[str, float]:
        """Return how much of each main word an attempt shows."""
        return shown_shares(self.trials.robot, self.trials.asked_style, self.trials.style(attempt.intensity))

    def kept(self, share: float) -> float:
        """Return the share of all words that people would see, where those that are weakened have a share."""
        weak, gone = self.trials.weak, self.trials.gone
        return 1.0 - (len(gone) + len(weak) * (1.0 - share)) / len(_changed_words(self.trials)) if weak else share

    def proved(self) -> Kept:
        """Return the found attempt if a proof confirms it, told in words; else look below it, ever further."""
        assert self.found.attempt is not None, "only what was found can be proved"
        asked, stopped_by = self.trials.request.asked, self.found.stopped_by
        full = self.trials.prove(self.found.attempt)
        if full.passes:
            return Kept(self._told(full), stopped_by or self.trials.searched[self.trials.asked_style].shortfalls)
        self.trials.searched[self.trials.style(full.intensity)] = full  # or other candidates would find it again
        lower = full.intensity - 2**self.failed * self.rung * asked
        self.failed += 1
        nothing = Kept(None, full.shortfalls)
        self.found = replace(self._searched(lower), stopped_by=full.shortfalls) if full.intensity > 0.0 else nothing
        return nothing

    def _told(self, attempt: Attempt) -> Attempt:
        """Return an attempt that says which words it weakens."""
        asked, weak, draft = self.trials.request.asked, self.trials.weak, attempt.draft
        if not weak:
            return attempt
        share = attempt.intensity / asked
        words = {word: value * draft.words.get(word, 1.0) for word, value in self.shares(attempt).items()}
        reasons = (*draft.reasons, _weakened_sentence(weak, self.trials.gone, share))
        return replace(
            attempt, intensity=asked, draft=replace(draft, words=words, kept=self.kept(share), reasons=reasons)
        )


def _best_proved(candidates: Sequence[_Candidate], least: float = 0.0) -> Kept:
    """Return the first proof that passes of the candidates that show most of a feeling; none below a mean share."""
    for candidate in candidates:
        if not candidate.failed:
            candidate.search()
    stopped_by: tuple[Shortfall, ...] = ()
    best = max(candidates, key=lambda candidate: candidate.expressiveness)
    while best.found.attempt is not None and best.expressiveness[0] >= max(least, 1e-9):
        kept = best.proved()
        if kept.attempt is not None:
            return kept
        stopped_by, best = kept.stopped_by, max(candidates, key=lambda candidate: candidate.expressiveness)
    return Kept(None, stopped_by)


def _by_words(trials: Trials) -> Kept:
    """Return the attempt with the smallest group of words weakened that helps enough, else what shows most.

    That is the posture alone, or all words alike.
    """
    changed = _changed_words(trials)
    groups = {name: [_those_in(changed, part) for part in parts] for name, parts in GROUPS.items()}
    weak = next(filter(None, (_smallest_that_helps(trials, groups[name]) for name in _in_turn(trials))), ())
    candidates = [_Candidate(replace(trials, weak=weak), 1.0 / RUNGS)] if 0 < len(weak) < len(changed) else []
    kept = _best_proved(candidates, ENOUGH) if candidates else NOTHING
    posture, movement = sum(groups["posture"], ()), sum(groups["movement"], ())
    if posture and movement:
        candidates.append(_Candidate(replace(trials, weak=posture, gone=movement), 1.0 / RUNGS))
    return kept if kept.attempt is not None else _best_proved([*candidates, _Candidate(trials, 1.0 / trials.how.rungs)])


def _in_turn(trials: Trials) -> list[str]:
    """Return the groups of words in the order in which they are tried: arms first where bodies are too near."""
    broken = {shortfall.limit for shortfall in trials.searched[trials.asked_style].shortfalls}
    return sorted(GROUPS, key=lambda name: (name == "arms") != ("self-collision" in broken))


def _changed_words(trials: Trials) -> list[str]:
    """Return the words that the feeling changes visibly and for which the robot has a part."""
    shown = visible_words(trials.robot, trials.asked_style)
    return [word for word in shown if trials.robot.expression.part(word) is not None]


def _smallest_that_helps(trials: Trials, groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the first group of words without which the feeling seems to keep every limit, or all; none if not."""
    whole = sum(groups, ())
    if not _helps(trials, whole):
        return ()
    return next((group for group in groups if group != whole and _helps(trials, group)), whole)


def _those_in(changed: Sequence[str], group: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in group if word in changed)


def _helps(trials: Trials, weak: tuple[str, ...]) -> bool:
    """Return whether the feeling without some words seems to keep every limit."""
    return bool(weak) and replace(trials, weak=weak).search(0.0).passes


def _weakened_sentence(weak: Sequence[str], gone: Sequence[str], share: float) -> str:
    """Return what was weakened, in words."""
    much = "left out" if share < LEAST_TOLD else f"at {share:.0%}"
    return f"weakened: {_in_a_row(weak)} {much}, {f'without {_in_a_row(gone)}' if gone else 'all else as asked'}"


def _in_a_row(words: Sequence[str]) -> str:
    """Return words as people say them in a row."""
    *others, last = (spoken(word) for word in words)
    return f"{', '.join(others)} and {last}" if others else last
