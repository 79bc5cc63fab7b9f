"""Weakening: the strongest expression that a body can keep, all of its words alike or only those that break a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strut.draft import Kept
from strut.expression.shown import shown_shares, visible_words
from strut.pipeline.gate import CLOSE, COARSE, strongest_proved
from strut.pipeline.trials import FINAL, Trials
from strut.style import GROUPS, spoken

GROUP_RUNGS = 4  # even parts of a group of words that are tried


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
    partly = Kept(None, ()) if trials.request.strict else _by_words(trials)
    return _in_all_words(trials) if partly.attempt is None else partly


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
    how, (coarse, close) = trials.how, _steps(trials)
    prove = trials.prove if how.coarsely else None
    kept = strongest_proved(trials.request.asked, trials.search, prove, coarse=coarse, close=close)
    return kept if kept.attempt is not None or not how.by_words else _neutral(trials)


def _steps(trials: Trials) -> tuple[float, float]:
    """Return how far down the next intensity is tried, and how closely the strongest is searched."""
    how, asked = trials.how, trials.request.asked
    if not how.rungs:
        return COARSE, CLOSE
    rung = asked if trials.request.strict else asked / how.rungs
    return (asked if how.by_words else rung), rung  # where drafts break limits one after the other, it is bisected


def _neutral(trials: Trials) -> Kept:
    """Return the neutral motion: only a whole one may say that not even that works."""
    whole = trials.attempt(0.0, FINAL)
    return Kept(whole, trials.searched[trials.asked_style].shortfalls) if whole.passes else Kept(None, whole.shortfalls)


def _by_words(trials: Trials) -> Kept:
    """Return the attempt with the smallest group of words weakened that helps; where none does, the posture alone."""
    changed = _changed_words(trials)
    groups = {name: [_those_in(changed, part) for part in parts] for name, parts in GROUPS.items()}
    found = (_smallest_that_helps(trials, parts) for parts in groups.values())
    weak = next(filter(None, found), ())
    part = len(weak) / max(len(changed), 1)
    kept = _with_less_of(trials, weak, (), len(changed)) if 0.0 < part < 1.0 else Kept(None, ())
    if kept.attempt is not None:
        return kept
    return _posture_alone(trials, sum(groups["posture"], ()), sum(groups["movement"], ()), len(changed))


def _posture_alone(trials: Trials, posture: tuple[str, ...], movement: tuple[str, ...], count: int) -> Kept:
    """Return the attempt that moves as in neutral, in as much of the posture as passes; none if that is not half."""
    if not posture or not movement:
        return Kept(None, ())
    half = replace(trials, weak=posture, gone=movement).search(trials.request.asked / 2.0)
    kept = _with_less_of(trials, posture, movement, count) if half.passes else Kept(None, ())
    least = 1.0 - (len(movement) + len(posture) / 2.0) / count
    return kept if kept.attempt is not None and kept.attempt.draft.kept >= least else Kept(None, ())


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


def _with_less_of(trials: Trials, weak: tuple[str, ...], gone: tuple[str, ...], count: int) -> Kept:
    """Return the strongest attempt that weakens some words, and gives up others, of so many that people see."""
    asked, group = trials.request.asked, replace(trials, weak=weak, gone=gone)
    kept = strongest_proved(asked, group.search, group.prove, coarse=asked, close=asked / GROUP_RUNGS)
    if kept.attempt is None:
        return kept
    share, draft = kept.attempt.intensity / asked, kept.attempt.draft
    shares = shown_shares(trials.robot, trials.asked_style, group.style(kept.attempt.intensity))
    words = {word: value * draft.words.get(word, 1.0) for word, value in shares.items()}
    lost = (len(gone) + len(weak) * (1.0 - share)) / count
    draft = replace(draft, words=words, kept=1.0 - lost, reasons=(*draft.reasons, _told(weak, gone, share)))
    return Kept(replace(kept.attempt, intensity=asked, draft=draft), kept.stopped_by)


def _told(weak: Sequence[str], gone: Sequence[str], share: float) -> str:
    """Return what was weakened, in words."""
    given_up = f" and no {' and '.join(map(spoken, gone))}" if gone else ""
    return f"weakened: {' and '.join(map(spoken, weak))} to {share:.0%}{given_up}, the rest is as asked"
