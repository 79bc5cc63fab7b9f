"""Weakening: the strongest feasible expression; all style parameters are weakened, or only those that break a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from strut.draft import Candidate, StrongestCandidate, Violation
from strut.expression.expressed_share import expressed_shares, visible_parameters
from strut.maths.bisection import bisect
from strut.pipeline.candidates import COARSE, FINAL, Candidates
from strut.pipeline.gate import COARSE_STEP, RESOLUTION, strongest_proved
from strut.plumbing.number_text import format_percent, join_words
from strut.receipt import Reason, ReasonKind
from strut.style import PARAMETER_GROUPS, parameter_label

PARTIAL_SHARES = (0.5, 0.25)  # of a group of parameters, tried where the whole of it breaks a limit
ENOUGH = 0.5  # mean share of the main parameters from which on weakening all of them alike is not tried, too
NEARLY_ALL = 0.7  # share of what can be expressed that must be left where only the proof refuses the whole emotion
LEFT_OUT = 0.005  # share of a parameter below which it is reported as left out
NOTHING = StrongestCandidate(None, ())


def strongest_expression(candidates: Candidates) -> StrongestCandidate:
    """Return the strongest candidate that passes."""
    if candidates.how.by_parameters:
        return _weaken_by_parameters(candidates)
    if candidates.how.proof_first:
        if not candidates.request.task.wants_fastest:
            full = candidates.candidate(candidates.request.asked, FINAL)
            if full.passes:
                return StrongestCandidate(full, ())
        neutral = candidates.prove(candidates.search(0.0))  # a short search may not refuse a request
        if not neutral.passes:
            return StrongestCandidate(None, neutral.violations)
    # weaken all style parameters alike
    how = candidates.how
    asked = candidates.request.asked
    rung = asked if candidates.request.strict else asked / max(how.rungs, 1)
    coarse, close = (rung, rung) if how.rungs else (COARSE_STEP, RESOLUTION)
    prove = candidates.prove if how.coarsely else None
    return strongest_proved(asked, candidates.search, prove, coarse=coarse, close=close)


def _weaken_by_parameters(candidates: Candidates) -> StrongestCandidate:
    """Return all that is asked, or with some of its parameters weakened, or neutral."""
    quick = candidates.candidate(candidates.request.asked, COARSE)
    full = candidates.prove(quick) if quick.passes else quick
    if full.passes:
        return StrongestCandidate(full, ())
    candidates.searched[candidates.asked_style] = full
    found = NOTHING if candidates.request.strict else _weaken_groups(candidates, is_nearly_feasible=quick.passes)
    if found.candidate is not None:
        return found
    known = candidates.searched.get(candidates.style(0.0))
    # only a whole motion may refuse a request
    neutral = candidates.candidate(0.0, FINAL) if known is None or not known.passes else candidates.prove(known)
    if not neutral.passes:
        return StrongestCandidate(None, neutral.violations)
    return StrongestCandidate(neutral, candidates.searched[candidates.asked_style].violations)


@dataclass(slots=True, eq=False)
class Weakening:
    """One way to weaken an emotion: some of its style parameters, each by its share, or all of them alike.

    Args:
        candidates: With the shares of the parameters that are weakened.
        rung: Smallest part of the intensity that is asked for that makes a difference.
        found: The strongest candidate of a search, below what proofs refused.
        refusals: Number of proofs that refused a candidate.
    """

    candidates: Candidates
    rung: float
    found: StrongestCandidate = NOTHING
    refusals: int = 0

    def search(self) -> None:
        """Search the strongest candidate."""
        self.found = self.search_below(self.candidates.request.asked)

    def search_below(self, upper: float) -> StrongestCandidate:
        """Return the strongest candidate up to an intensity."""
        close = self.rung * self.candidates.request.asked
        tried = list[Candidate]()

        def passes(intensity: float) -> bool:
            tried.append(self.candidates.search(intensity))
            return tried[-1].passes

        best = max(upper, 0.0)
        if best > 0.0 and not passes(best):
            best, _ = bisect(passes, 0.0, best, resolution=close)  # whether 0 passes is found last
        candidate = self.candidates.search(best)
        if not candidate.passes:
            return StrongestCandidate(None, candidate.violations)
        binding_limits = next((other.violations for other in reversed(tried) if not other.passes), ())
        return StrongestCandidate(candidate, binding_limits)

    @property
    def expressiveness(self) -> tuple[float, float]:
        """Mean expressed share of the main parameters of the candidate that was found, then of all; 0 without one."""
        candidate = self.found.candidate
        if candidate is None:
            return (0.0, 0.0)
        return (self.main_share(candidate), self.kept_share(candidate.intensity / self.candidates.request.asked))

    def main_share(self, candidate: Candidate) -> float:
        """Return the mean expressed share of the main parameters."""
        shares = self.main_shares(candidate)
        return sum(shares.values()) / max(len(shares), 1)

    def main_shares(self, candidate: Candidate) -> dict[str, float]:
        """Return the expressed share of each main parameter."""
        style = self.candidates.style(candidate.intensity)
        return expressed_shares(self.candidates.robot, self.candidates.asked_style, style)

    def kept_share(self, share: float) -> float:
        """Return the share of all parameters that is kept where those that are weakened have this share."""
        shares = self.candidates.shares
        lost = sum(1.0 - share * part for part in shares.values())
        return 1.0 - lost / len(_visible(self.candidates)) if shares else share

    def prove(self) -> StrongestCandidate:
        """Return the candidate that was found if a final draft passes, too; if not, search further below it."""
        assert self.found.candidate is not None, "only a candidate that was found can be proved"
        asked = self.candidates.request.asked
        full = self.candidates.prove(self.found.candidate)
        if full.passes:
            asked_violations = self.candidates.searched[self.candidates.asked_style].violations
            return StrongestCandidate(self.with_reason(full), self.found.binding_limits or asked_violations)
        self.candidates.searched[self.candidates.style(full.intensity)] = full  # or it would be found again
        nothing = StrongestCandidate(None, full.violations)
        lower = full.intensity - 2**self.refusals * self.rung * asked
        self.refusals += 1
        is_weaker_possible = full.intensity > 0.0
        self.found = (
            replace(self.search_below(lower), binding_limits=full.violations) if is_weaker_possible else nothing
        )
        return nothing

    def with_reason(self, candidate: Candidate) -> Candidate:
        """Return a candidate whose draft says which parameters are weakened."""
        asked = self.candidates.request.asked
        shares = self.candidates.shares
        draft = candidate.draft
        if not shares:
            return candidate
        share = candidate.intensity / asked
        expressed = {
            name: value * draft.expressed.get(name, 1.0) for name, value in self.main_shares(candidate).items()
        }
        reason = weakened_reason({name: share * part for name, part in shares.items()})
        draft = replace(draft, expressed=expressed, kept=self.kept_share(share), reasons=(*draft.reasons, reason))
        return replace(candidate, intensity=asked, draft=draft)


def prove_best(weakenings: Sequence[Weakening], min_share: float = 0.0) -> StrongestCandidate:
    """Return the first candidate that passes its proof, the most expressive first; none below a mean share."""
    for weakening in weakenings:
        if not weakening.refusals:
            weakening.search()
    binding_limits: tuple[Violation, ...] = ()
    while True:
        best = max(weakenings, key=lambda weakening: weakening.expressiveness)
        if best.found.candidate is None or best.expressiveness[0] < max(min_share, 1e-9):
            return StrongestCandidate(None, binding_limits)
        proved = best.prove()
        if proved.candidate is not None:
            return proved
        binding_limits = proved.binding_limits


def _weaken_groups(candidates: Candidates, *, is_nearly_feasible: bool) -> StrongestCandidate:
    """Return the candidate in which each group of parameters goes as far as it can beside more important groups.

    Where too little of the emotion is left, it is compared with weakening all parameters alike.
    """
    rung = 1.0 / candidates.how.rungs
    visible = _visible(candidates)
    alike = Weakening(candidates, rung)
    if is_nearly_feasible:
        found = _weaken_slightly(alike, visible)
        if found.candidate is not None:
            return found
    if not candidates.search(
        0.0
    ).passes:  # groups are added to neutral; all parameters alike may yet be easier than that
        return prove_best([alike])
    groups = [tuple(name for name in group if name in visible) for group in PARAMETER_GROUPS]
    groups = [group for group in groups if group]
    shares = _add_groups(candidates, groups, dict.fromkeys(sum(groups, ()), 0.0))
    by_groups = Weakening(replace(candidates, shares=shares), rung)
    found = prove_best([by_groups], ENOUGH)
    return found if found.candidate is not None else prove_best([by_groups, alike])


def _weaken_slightly(alike: Weakening, visible: Sequence[str]) -> StrongestCandidate:
    """Return a candidate with a little less of every parameter, or with all but the tempo, where only the proof fails.

    Steps that are slower or faster than its own are what makes a robot fall most often.
    """
    candidates = alike.candidates
    own_tempo = [Weakening(replace(candidates, shares={"tempo": 0.0}), alike.rung)] if "tempo" in visible else []
    asked = candidates.searched[candidates.asked_style]
    return prove_best([alike, *own_tempo], NEARLY_ALL * alike.main_share(asked))


def _add_groups(
    candidates: Candidates, groups: Sequence[tuple[str, ...]], shares: dict[str, float]
) -> dict[str, float]:
    """Return the given shares, with as much of each further group of parameters as still keeps every limit.

    Groups are added by halves, because most of them usually fit together.
    """

    def with_share(share: float) -> dict[str, float]:
        return shares | dict.fromkeys(sum(groups, ()), share)

    def passes(share: float) -> bool:
        return replace(candidates, shares=with_share(share)).search(candidates.request.asked).passes

    if passes(1.0):
        return with_share(1.0)
    if len(groups) <= 1:
        return with_share(next(filter(passes, PARTIAL_SHARES), 0.0))
    half = len(groups) // 2
    return _add_groups(candidates, groups[half:], _add_groups(candidates, groups[:half], shares))


def _visible(candidates: Candidates) -> list[str]:
    """Return the style parameters that the emotion changes visibly and that the robot has a part for."""
    visible = visible_parameters(candidates.robot, candidates.asked_style)
    return [name for name in visible if candidates.robot.expression.mapping(name) is not None]


def weakened_reason(shares: Mapping[str, float]) -> Reason:
    """Return which style parameters are weakened, and how far."""
    parts = []
    for share in sorted({share for share in shares.values() if share < 1.0}):
        labels = join_words([parameter_label(name) for name, value in shares.items() if value == share])
        parts.append(f"{labels} {'left out' if share < LEFT_OUT else f'at {format_percent(share)}'}")
    return Reason(ReasonKind.WEAKENED, None, f"{', '.join(parts)}, all else as asked")
