"""Weakening in numbers: rungs, shares and proofs of feelings that are asked for more or less than as published."""

from dataclasses import replace
from types import SimpleNamespace
from typing import ClassVar

import pytest

from strut.draft import Candidate, Generator, Search, StrongestCandidate, not_made
from strut.gaits.hand_task.request import HandTask
from strut.pipeline.candidates import COARSE, FINAL, Candidates
from strut.pipeline.weakening import Weakening, prove_best, strongest_expression
from strut.receipt import Reason, ReasonKind
from tests.alice import ALICE
from tests.pipeline.test_trials import standing
from tests.pipeline.test_weakening import HAPPY, Hasty, Picky, replaced


class Rungs(Picky):
    """Tries quarters of what is asked, each as it will be."""

    search: ClassVar[Search] = Search(rungs=4)


class Free(Picky):
    """Tries any intensity."""

    search: ClassVar[Search] = Search()


class Whole(Picky):
    """Searches coarsely and weakens all parameters alike."""

    search: ClassVar[Search] = Search(coarsely=True)


def lifts(generator):
    """How strong the lift of each style was that was tried; as published it is 1.6."""
    return [(style.lift - 1.0) / 0.6 for style, _ in generator.tried]


def trials_of(generator, intensity=1.0, **options):
    return Candidates(replaced(HAPPY, intensity=intensity, **options), ALICE, generator)


def test_rungs_are_even_parts_of_what_is_asked_and_strict_requests_have_one():
    generator = Rungs(lambda style: style.lift <= 1.0 + 0.6 * 0.5)
    kept = strongest_expression(trials_of(generator, 1.2))
    assert lifts(generator) == pytest.approx([1.2, 0.9, 0.6, 0.3])
    assert kept.candidate.intensity == pytest.approx(0.3)
    strict = Rungs(lambda style: style.lift <= 1.3)
    strongest_expression(trials_of(strict, 1.2, strict=True))
    assert lifts(strict) == pytest.approx([1.2, 0.0])
    assert [level for _, level in strict.tried] == ["final", "final"]


def test_without_rungs_tenths_are_tried_and_then_fiftieths():
    generator = Free(lambda style: style.lift <= 1.0 + 0.6 * 0.73)
    kept = strongest_expression(trials_of(generator))
    assert lifts(generator)[:4] == pytest.approx([1.0, 0.9, 0.8, 0.7])
    assert 0.71 <= kept.candidate.intensity <= 0.73


class ProvedFirst(Picky):
    """Proves what is asked, then neutral, before anything is searched."""

    search: ClassVar[Search] = Search(coarsely=True, rungs=4, proof_first=True)


def test_what_passes_as_asked_is_settled_by_one_proof_and_else_by_neutral():
    easy = ProvedFirst(lambda _style: True)
    kept = strongest_expression(trials_of(easy, 0.8))
    assert (kept.candidate.intensity, kept.binding_limits) == (0.8, ())
    assert [level for _, level in easy.tried] == ["final"]
    hard = ProvedFirst(lambda style: style.lift <= 1.0 + 0.6 * 0.5)
    kept = strongest_expression(trials_of(hard, 0.8))
    assert kept.candidate.intensity == pytest.approx(0.4)
    assert lifts(hard)[:3] == pytest.approx([0.8, 0.0, 0.0])
    assert [level for _, level in hard.tried[:3]] == ["final", "search", "final"]


def candidate_of(likes, shares=None, *, intensity=1.0, rung=0.125, generator=Picky):
    trials = trials_of(generator(likes), intensity)
    trials.searched[trials.asked_style] = trials.candidate(trials.request.asked, COARSE)
    return Weakening(replace(trials, shares=shares or {}), rung)


def test_a_candidate_finds_the_strongest_within_a_rung_and_what_stopped_it():
    candidate = candidate_of(lambda style: style.lift <= 1.0 + 0.6 * 0.55, intensity=0.8, rung=0.3)
    candidate.search()
    assert candidate.found.candidate.intensity == pytest.approx(0.4)  # 0.8 and 0.6 break it; 0.5 is nearer than a rung
    assert candidate.found.binding_limits[0].limit == "joint speed"
    shown, kept = candidate.expressiveness
    assert kept == pytest.approx(0.5)
    assert sorted(candidate.main_shares(candidate.found.candidate).values()) == pytest.approx([0.0, 0.5, 0.5, 0.5])
    assert shown == pytest.approx(0.375)  # for one of the four main words the robot has no part
    assert Weakening(candidate.candidates, 0.25).expressiveness == (0.0, 0.0)  # nothing is found yet


def test_a_search_without_a_feasible_candidate_reports_the_limits_of_neutral():
    candidate = candidate_of(lambda _style: False)
    candidate.search()
    assert candidate.found.candidate is None
    assert candidate.search_below(-0.5).candidate is None
    easy = candidate_of(lambda _style: True)
    assert easy.search_below(-0.5).candidate.intensity == 0.0
    assert easy.search_below(0.6).candidate.intensity == 0.6
    assert easy.search_below(0.6).binding_limits == ()


def test_the_share_of_an_emotion_counts_each_visible_parameter():
    """A happy walk changes four words of this robot: tempo, stride, sway and lift."""
    trials = trials_of(Picky(lambda _style: True))
    whole = Weakening(trials, 0.125)
    assert (whole.kept_share(1.0), whole.kept_share(0.4)) == (1.0, 0.4)
    some = Weakening(replace(trials, shares={"lift": 0.5, "tempo": 0.0}), 0.125)
    assert some.kept_share(1.0) == pytest.approx(1.0 - (0.5 + 1.0) / 4.0)
    assert some.kept_share(0.5) == pytest.approx(1.0 - (0.75 + 1.0) / 4.0)


def test_proofs_that_refuse_let_a_candidate_look_one_two_and_four_rungs_lower():
    candidate = candidate_of(lambda _style: True, rung=0.1, generator=lambda likes: Hasty(likes, lambda style: False))
    candidate.search()
    found = []
    while candidate.found.candidate is not None:
        found.append(candidate.found.candidate.intensity)
        nothing = candidate.prove()
        assert nothing.candidate is None
        assert nothing.binding_limits[0].text == "too fast"
    assert found == pytest.approx([1.0, 0.9, 0.7, 0.3, 0.0])
    assert candidate.refusals == 5


def test_rungs_of_a_candidate_are_parts_of_what_was_asked():
    candidate = candidate_of(
        lambda _style: True, intensity=0.8, rung=0.25, generator=lambda likes: Hasty(likes, lambda style: False)
    )
    candidate.search()
    candidate.prove()
    assert candidate.found.candidate.intensity == pytest.approx(0.6)
    assert candidate.found.binding_limits[0].limit == "joint speed"


OWN_REASON = Reason(ReasonKind.LIMIT, None, "own reason")


class Wordy(Picky):
    """Says itself that it shows only half of the speed."""

    def drafts(self, style, detail):
        for draft in super().drafts(style, detail):
            yield replace(draft, expressed={"speed": 0.5}, reasons=(OWN_REASON,)) if not draft.violations else draft


def test_parameters_that_a_draft_expresses_less_are_reported_with_both_shares():
    candidate = candidate_of(lambda _style: True, {"lift": 0.5}, intensity=0.8, generator=Wordy)
    candidate.search()
    kept = candidate.prove()
    draft = kept.candidate.draft
    assert kept.candidate.intensity == 0.8
    assert draft.expressed["speed"] == pytest.approx(0.5)
    assert draft.expressed["lift"] == pytest.approx(0.5, abs=0.02)
    assert draft.reasons == (
        OWN_REASON,
        Reason(ReasonKind.WEAKENED, None, "lift at 50 %, all else as asked"),
    )
    assert draft.kept == pytest.approx(1.0 - 0.5 / 4.0)
    lower = candidate.with_reason(replace(kept.candidate, intensity=0.4, draft=standing()))
    assert lower.draft.reasons == (Reason(ReasonKind.WEAKENED, None, "lift at 25 %, all else as asked"),)
    assert lower.draft.kept == pytest.approx(1.0 - 0.75 / 4.0)
    plain = candidate_of(lambda _style: True)
    assert plain.with_reason(kept.candidate) is kept.candidate


def test_the_candidate_that_shows_most_is_proved_first_and_none_below_what_is_asked_for():
    asked = []

    def candidate(name, shown, passes):
        def proved():
            asked.append(name)
            one.found = StrongestCandidate(None, ())
            one.expressiveness = (0.0, 0.0)
            return StrongestCandidate(name if passes else None, ("stopped",))

        one = SimpleNamespace(
            refusals=0,
            search=lambda: None,
            found=StrongestCandidate("found", ()),
            expressiveness=(shown, shown),
            prove=proved,
        )
        return one

    kept = prove_best([candidate("weak", 0.4, True), candidate("strong", 0.8, False), candidate("fair", 0.6, True)])
    assert (kept.candidate, asked) == ("fair", ["strong", "fair"])
    asked.clear()
    assert prove_best([candidate("weak", 0.4, True)], 0.5).candidate is None
    assert asked == []
    assert prove_best([candidate("enough", 0.5, True)], 0.5).candidate == "enough"
    assert prove_best([candidate("little", 0.01, True)]).candidate == "little"
    assert prove_best([candidate("nothing", 0.0, True)]).candidate is None
    refused = prove_best([candidate("none", 0.9, False)])
    assert (refused.candidate, refused.binding_limits) == (None, ("stopped",))


def test_candidates_that_a_proof_refused_are_not_searched_anew():
    searched = []
    done = SimpleNamespace(
        refusals=1,
        search=lambda: searched.append("done"),
        found=StrongestCandidate(None, ()),
        expressiveness=(0.0, 0.0),
    )
    new = SimpleNamespace(
        refusals=0, search=lambda: searched.append("new"), found=StrongestCandidate(None, ()), expressiveness=(0.0, 0.0)
    )
    prove_best([done, new])
    assert searched == ["new"]


def attempt_with(fallback, *, passes=True):
    draft = replace(standing() if passes else not_made(ALICE, None, "reach", "too far"), fallback=fallback)
    return Candidate(0.5, draft, draft.violations, neutral=False)


def detail_of_search(trials):
    """Return the detail with which a search drafts an intensity that it has not tried yet."""
    details = []
    drafts = type(trials.generator).drafts

    class Recording(type(trials.generator)):
        def drafts(self, style, detail):
            details.append(detail)
            yield from drafts(self, style, detail)

    searched = dict(trials.searched)
    replace(trials, generator=Recording(lambda _style: True), searched=searched).search(0.37)
    (detail,) = details
    return detail


def test_a_search_by_parameters_starts_at_the_fallback_of_the_requested_intensity():
    trials = trials_of(Picky(lambda _style: True))
    assert detail_of_search(trials) is COARSE
    trials.searched[trials.asked_style] = attempt_with(5, passes=False)
    assert (detail_of_search(trials).fallback, detail_of_search(trials).neutral_fallback) == (5, 0)
    trials.searched[trials.style(0.0)] = attempt_with(2)
    detail = detail_of_search(replace(trials, shares={"lift": 0.0}))
    assert (detail.level, detail.fallback, detail.neutral_fallback, detail.verdict_only) == ("search", 5, 2, True)
    trials.searched[trials.style(0.0)] = attempt_with(2, passes=False)
    assert detail_of_search(trials).neutral_fallback == 0
    whole = trials_of(Whole(lambda _style: True))
    whole.searched[whole.asked_style] = attempt_with(5)
    assert detail_of_search(whole) is COARSE


def test_drafts_are_tried_in_order_until_one_passes_and_the_attempt_remembers_its_intensity():
    class Second(Generator):
        def drafts(self, style, _detail):
            yield not_made(ALICE, style, "reach", "too far")
            yield replace(standing(), fallback=1)
            raise AssertionError("nobody asks for a third")

    trials = trials_of(Second())
    known = {}
    found = trials.candidate(0.5, COARSE, known=known)
    assert (found.passes, found.draft.fallback, found.intensity, found.neutral) == (True, 1, 0.5, False)
    assert known == {trials.style(0.5): found}
    again = replace(trials, generator=None).candidate(0.5, COARSE, known=known)
    assert (again.draft, again.intensity) == (found.draft, 0.5)
    assert trials.candidate(0.0, FINAL).neutral


def test_shares_of_words_scale_with_the_intensity_and_others_stay_as_asked():
    trials = replace(trials_of(Picky(lambda _style: True)), shares={"lift": 0.5, "sway": 0.0})
    style = trials.style(0.5)
    asked = trials.asked_style
    assert style.lift == pytest.approx(1.0 + 0.25 * (asked.lift - 1.0))
    assert (style.sway, style.tempo) == (1.0, asked.tempo)
    quiet = trials_of(Picky(lambda _style: True), task=HandTask(task="still"), emotion=None)
    assert quiet.style(1.0) == quiet.style(0.0)
    told = []
    heard = replace(trials, on_progress=told.append)
    heard.report(0.5, passed=True, instead="less")
    assert [(one.intensity, one.passed, one.instead) for one in told] == [(0.5, True, "less")]


class OneRung(Picky):
    """Tries all of it, or none."""

    search: ClassVar[Search] = Search(rungs=1)


def test_one_rung_is_all_or_nothing():
    generator = OneRung(lambda style: style.lift <= 1.3)
    assert strongest_expression(trials_of(generator, 0.9)).candidate.intensity == 0.0
    assert lifts(generator) == pytest.approx([0.9, 0.0])


def test_a_low_intensity_is_checked_like_a_high_one():
    candidate = candidate_of(lambda style: style.lift <= 1.001)
    found = candidate.search_below(0.05)
    assert (found.candidate.intensity, found.binding_limits[0].limit) == (0.0, "joint speed")
    hasty = candidate_of(lambda _style: True, rung=0.1, generator=lambda likes: Hasty(likes, lambda style: False))
    hasty.found = hasty.search_below(0.05)
    assert hasty.prove().candidate is None
    assert hasty.found.candidate.intensity == 0.0  # what it looks at next


@pytest.mark.parametrize(("shares", "mean"), [({}, 0.0), ({"lift": 0.6}, 0.6), ({"lift": 0.6, "sway": 0.2}, 0.4)])
def test_what_is_shown_is_the_mean_of_the_main_words(shares, mean):
    assert Weakening.main_share(SimpleNamespace(main_shares=lambda _attempt: shares), None) == pytest.approx(mean)


def test_weakening_all_parameters_alike_may_keep_more_than_weakening_some():
    """A robot that keeps its words in proportion, up to three quarters, or else a quarter of its pace alone."""
    asked = trials_of(Picky(lambda _style: True)).asked_style

    def likes(style):
        speed = (style.tempo * style.stride - 1.0) / (asked.tempo * asked.stride - 1.0)
        shares = [speed, (style.sway - 1.0) / (asked.sway - 1.0), (style.lift - 1.0) / (asked.lift - 1.0)]
        alike = max(shares) - min(shares) < 0.01 and max(shares) < 0.76
        return alike or (speed < 0.3 and max(shares[1:]) < 0.01)

    kept = strongest_expression(trials_of(Picky(likes)))
    assert kept.candidate.intensity == pytest.approx(0.75)
    assert kept.candidate.draft.reasons == ()


def test_parts_that_leave_enough_are_kept_without_a_look_at_all_words_alike():
    generator = Picky(lambda style: style.lift <= 1.31)
    strongest_expression(trials_of(generator))
    alike = [style for style, _ in generator.tried if 0.01 < (style.lift - 1.0) / 0.6 < 0.99 and style.tempo < 1.13]
    assert alike == []


@pytest.mark.parametrize("strict", [True, False])
def test_where_no_intensity_passes_neutral_is_kept_with_the_binding_limits(strict):
    generator = Picky(lambda style: style.lift == 1.0 and style.tempo == 1.0 and style.sway == 1.0)
    kept = strongest_expression(trials_of(generator, strict=strict))
    assert (kept.candidate.intensity, kept.candidate.neutral) == (0.0, True)
    assert kept.candidate.passes
    assert [violation.limit for violation in kept.binding_limits] == ["joint speed"]
    style, level = generator.tried[-1]
    assert (style.lift, level) == (1.0, "final")
    assert strict is (len(generator.tried) == 2)  # who is strict wants all of it or nothing
