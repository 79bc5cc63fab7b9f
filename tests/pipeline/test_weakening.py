"""Weakening: only the words that break a limit are weakened, each as far as it must be, and the receipt says which."""

from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from msgspec.structs import replace as replaced

from strut.draft import Generator, Search, not_made
from strut.emotion import named_emotion
from strut.gaits.footsteps.request import Steps
from strut.pipeline.candidates import Candidates
from strut.pipeline.weakening import strongest_expression
from strut.place import Place
from strut.receipt import Reason, ReasonKind
from strut.request import Request
from strut.verify.receipt_builder import planned_receipt
from tests.alice import ALICE
from tests.pipeline.test_trials import standing

HAPPY = Request(
    robot="alice",
    task=Steps(goals=(Place(0.1, 0.0),)),
    emotion=named_emotion("happy"),
    intensity=1.0,
    rate_hz=20.0,
    expression="published",
)


@dataclass(frozen=True)
class Picky(Generator):
    """Drafts a robot that stands, in the styles that it likes."""

    likes: object
    search: ClassVar[Search] = Search(coarsely=True, rungs=8, by_parameters=True)
    tried: list = field(default_factory=list)

    def drafts(self, style, detail):
        self.tried.append((style, detail.level))
        yield standing() if self.likes(style) else not_made(ALICE, style, "joint speed", "too fast")


def kept_by(likes, feeling="happy"):
    trials = Candidates(replaced(HAPPY, emotion=named_emotion(feeling)), ALICE, Picky(likes))
    return strongest_expression(trials), trials


def test_what_passes_as_asked_is_searched_once_and_proved_once():
    kept, trials = kept_by(lambda _style: True)
    assert (kept.candidate.intensity, kept.candidate.draft.kept, kept.binding_limits) == (1.0, 1.0, ())
    assert [level for _, level in trials.generator.tried] == ["search", "final"]


def test_only_the_word_that_breaks_a_limit_isweakened_reason():
    kept, trials = kept_by(lambda style: style.lift <= 1.31)
    shown, _ = trials.generator.tried[-1]
    asked = trials.asked_style
    assert shown.lift == pytest.approx(1.3)  # half of the way to its 1.6
    assert (shown.tempo, shown.stride, shown.sway) == (asked.tempo, asked.stride, asked.sway)
    assert kept.candidate.draft.kept == pytest.approx(1.0 - 0.5 / 4.0)  # of four words that it has parts for
    assert kept.candidate.draft.reasons == (Reason(ReasonKind.WEAKENED, None, "lift at 50 %, all else as asked"),)


def test_a_receipt_names_the_weakened_parameters_and_the_limit():
    kept, _ = kept_by(lambda style: style.tempo <= 1.1)
    attempt = kept.candidate
    receipt = planned_receipt(
        attempt.draft, emotion=HAPPY.emotion, asked=1.0, intensity=attempt.intensity, binding_limits=kept.binding_limits
    )
    assert receipt.verdict == "weakened"
    assert tuple(map(str, receipt.reasons[:2])) == (
        "joint speed: too fast",
        "weakened: tempo and stride at 50 %, all else as asked",
    )
    assert attempt.draft.expressed["speed"] == pytest.approx(0.5, abs=0.05)


def test_each_of_several_words_that_break_limits_goes_as_far_as_it_does():
    kept, trials = kept_by(lambda style: style.lift >= 0.7 and style.body_height >= 0.92, "sad")  # of 0.5 and 0.85
    shown, _ = trials.generator.tried[-1]
    asked = trials.asked_style
    assert (shown.lift, shown.body_height) == pytest.approx((1.0 - 0.5 * 0.5, 1.0 - 0.5 * 0.15))
    assert (shown.tempo, shown.stride, shown.sway) == (asked.tempo, asked.stride, asked.sway)
    assert kept.candidate.draft.kept == pytest.approx(1.0 - 2 * 0.5 / 5.0)
    assert kept.candidate.draft.reasons == (
        Reason(ReasonKind.WEAKENED, None, "body height and lift at 50 %, all else as asked"),
    )


def test_of_words_that_break_a_limit_together_those_that_tell_more_are_kept():
    kept, _ = kept_by(lambda style: style.lift + style.tempo <= 2.2)  # of 1.6 and 1.2
    assert kept.candidate.draft.reasons == (Reason(ReasonKind.WEAKENED, None, "lift left out, all else as asked"),)


class Hasty(Picky):
    """Overlooks in a search what a proof sees."""

    def __init__(self, likes, proves):
        super().__init__(likes)
        self.proves = proves

    def drafts(self, style, detail):
        liked = self.likes(style) and (detail.level == "search" or self.proves(style))
        yield standing() if liked else not_made(ALICE, style, "joint speed", "too fast")


def test_where_a_proof_refuses_what_a_search_has_found_all_its_words_are_a_rung_weaker():
    trials = Candidates(HAPPY, ALICE, Hasty(lambda style: style.lift <= 1.31, lambda style: style.tempo <= 1.11))
    attempt = strongest_expression(trials).candidate
    assert attempt.draft.reasons == (
        Reason(ReasonKind.WEAKENED, None, "lift at 31 %, tempo, stride and sway at 62 %, all else as asked"),
    )
    assert attempt.draft.kept == pytest.approx(0.625 * 3.5 / 4.0)


def test_where_only_a_proof_refuses_all_of_it_a_little_less_of_every_word_is_tried_first():
    kept = strongest_expression(Candidates(HAPPY, ALICE, Hasty(lambda _style: True, lambda style: style.lift <= 1.5)))
    assert (kept.candidate.intensity, kept.candidate.draft.kept) == (0.75, 1.0)


def test_if_the_cadence_of_an_emotion_falls_the_rest_is_expressed_at_the_neutral_cadence():
    kept = strongest_expression(Candidates(HAPPY, ALICE, Hasty(lambda _style: True, lambda style: style.tempo == 1.0)))
    assert kept.candidate.draft.reasons == (Reason(ReasonKind.WEAKENED, None, "tempo left out, all else as asked"),)
    assert kept.candidate.draft.kept == pytest.approx(0.75)


def test_an_emotion_easier_than_neutral_is_found_where_neutral_breaks_limits():
    kept, _ = kept_by(lambda style: style.tempo <= 0.9 and style.lift >= 0.7, "sad")
    assert kept.candidate.intensity == pytest.approx(0.5)


def test_nothing_is_kept_where_not_even_a_whole_neutral_motion_passes():
    kept, trials = kept_by(lambda _style: False)
    assert kept.candidate is None
    assert kept.binding_limits[0].text == "too fast"
    assert trials.generator.tried[-1][1] == "final"


def test_an_attempt_knows_whether_less_of_it_would_be_the_same_again():
    trials = Candidates(HAPPY, ALICE, Picky(lambda _style: True))
    assert [trials.search(intensity).neutral for intensity in (1.0, 0.5, 0.0)] == [False, False, True]
    assert trials.search(1.0).neutral is False  # also when it is taken from what was searched before


def test_a_style_is_proved_once():
    trials = Candidates(HAPPY, ALICE, Picky(lambda _style: True))
    proofs = [trials.prove(trials.search(0.5)) for _ in range(2)]
    assert [level for _, level in trials.generator.tried] == ["search", "final"]
    assert proofs[0].draft is proofs[1].draft


class ProvedFirst(Picky):
    """Wants to know first whether neutral works."""

    search: ClassVar[Search] = Search(coarsely=True, rungs=8, proof_first=True)


def test_that_nothing_works_is_said_of_neutral_itself():
    trials = Candidates(HAPPY, ALICE, ProvedFirst(lambda _style: False))
    assert strongest_expression(trials).candidate is None
    assert [style == trials.style(0.0) for style, _ in trials.generator.tried] == [False, True, True]
