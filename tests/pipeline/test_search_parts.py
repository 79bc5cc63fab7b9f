"""Searches part by part: retreats, proofs, paces, alternatives and words of shows, with answers of our own."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Attempt, Draft, StrongestCandidate, Violation
from strut.emotion import named_emotion
from strut.errors import BadFootstepsError, ImpossibleStepError, OutOfRangeError, RefusedError, UnknownNameError
from strut.gaits.footsteps.request import Steps
from strut.maths.easing import smooth_step
from strut.models.catalogue import load_robot
from strut.pilot.piloted_sequence import _eyes, _feelings
from strut.pilot.sequence import STAND, USUAL_ASIDE_M_S, WALK, ShowPart, _walk, queue_of_words
from strut.pipeline import alternatives, relaxation, trials
from strut.pipeline.alternatives import _chosen, _passes, _probe, _what_works, slower, why_not_even_neutral
from strut.pipeline.gate import strongest, strongest_proved
from strut.pipeline.relaxation import deepened, relaxed
from strut.pipeline.trials import Trials, fastest
from strut.pipeline.weakening import _much, _weakened
from strut.place import Place
from strut.request import Request
from tests.alice import ALICE

CASSIE = load_robot("cassie")
SHORT = Violation("torque", np.array([True, False]), "too much")


def attempt_of(intensity, passes, kept=1.0):
    draft = Draft(ALICE, np.array([0.0, 0.5]), np.zeros((2, 1)), np.ones((2, 2), dtype=bool), None, kept=kept)
    return Attempt(intensity, draft, () if passes else (SHORT,), neutral=intensity == 0.0)


def test_a_pose_is_shown_less_around_what_breaks_and_returns_within_a_second():
    time_s = 0.25 * np.arange(13)
    broken = np.zeros(13, dtype=bool)
    broken[6] = True
    found = deepened(np.full(13, 0.9), broken, time_s)
    away = np.abs(time_s - time_s[6])
    assert_allclose(found, 0.9 - 0.05 * smooth_step(1.0 - away), atol=1e-12)
    assert found[6] == pytest.approx(0.85)
    assert found[2] == found[10] == pytest.approx(0.9)
    assert deepened(np.full(13, 0.01), broken, time_s)[6] == 0.0


def test_a_motion_relaxes_from_what_was_asked_downwards_and_keeps_what_shows_more(monkeypatch):
    asked = []
    told = []

    def relaxing(trials, intensity):
        asked.append(round(intensity, 9))
        return attempt_of(intensity, intensity <= 0.85, kept=0.9), np.ones(2)

    monkeypatch.setattr(relaxation, "_relaxing", relaxing)
    searching = SimpleNamespace(
        request=SimpleNamespace(asked=1.0),
        attempt=lambda intensity, detail: attempt_of(intensity, intensity <= 0.75),
        tell=lambda intensity, *, passed: told.append((round(intensity, 9), passed)),
    )
    kept = relaxed(searching, StrongestCandidate(attempt_of(0.5, True), (SHORT,)))
    assert asked == [1.0, 0.9, 0.8, 0.7]
    assert told == [(1.0, False), (0.9, False)]
    assert kept.attempt.intensity == pytest.approx(0.7)
    assert kept.binding_limits == ()
    easy = SimpleNamespace(
        request=searching.request, tell=searching.tell, attempt=lambda i, detail: attempt_of(i, True)
    )
    enough = StrongestCandidate(attempt_of(0.73, True), (SHORT,))
    assert relaxed(easy, enough) is enough  # 0.8 at 0.9 of the time shows no more than that
    assert relaxed(easy, StrongestCandidate(attempt_of(0.71, True), (SHORT,))).attempt.intensity == pytest.approx(0.8)
    assert relaxed(searching, StrongestCandidate(None, (SHORT,))).attempt is None
    whole = StrongestCandidate(attempt_of(1.0, True), ())
    assert relaxed(searching, whole) is whole


def test_relaxing_deepens_until_it_passes_with_the_first_reasons():
    shares = []

    def tried(intensity, detail, *, quiet):
        shares.append(detail.share)
        return attempt_of(intensity, len(shares) > 3)

    found, share = relaxation._relaxing(SimpleNamespace(attempt=tried), 0.8)
    assert found.passes
    assert found.draft.reasons == (SHORT.reason,)
    assert len(shares) == 4
    assert shares[0] is None
    assert share is shares[-1]
    assert share[0] == pytest.approx(1.0 - 3 * 0.05)
    shares.clear()
    never, _ = relaxation._relaxing(
        SimpleNamespace(attempt=lambda *_, **__: shares.append(0) or attempt_of(0.8, False)), 0.8
    )
    assert not never.passes
    assert len(shares) == 13


def test_the_strongest_is_bracketed_downwards_and_then_closely():
    tried = []

    def attempt(intensity):
        tried.append(round(intensity, 9))
        return attempt_of(intensity, intensity <= 0.63)

    kept = strongest(1.0, attempt)
    assert tried[:5] == [1.0, 0.9, 0.8, 0.7, 0.6]
    assert 0.61 <= kept.attempt.intensity <= 0.63
    assert kept.binding_limits == (SHORT,)
    assert strongest(0.5, attempt).binding_limits == ()
    nothing = strongest(1.0, lambda intensity: attempt_of(intensity, False))
    assert nothing.attempt is None
    coarse = strongest(1.0, attempt, coarse=0.5, close=0.5)
    assert coarse.attempt.intensity == 0.5


def test_what_a_proof_refuses_is_looked_for_below_it():
    proved = []

    def prove(found):
        proved.append(round(found.intensity, 6))
        return attempt_of(found.intensity, found.intensity <= 0.5)

    kept = strongest_proved(
        1.0, lambda intensity: attempt_of(intensity, intensity <= 0.55), prove, coarse=0.1, close=0.02
    )
    assert kept.attempt.intensity <= 0.5
    assert all(one > other for one, other in pairwise(proved))
    assert kept.binding_limits == (SHORT,)
    refused = strongest_proved(
        0.2, lambda intensity: attempt_of(intensity, True), lambda found: attempt_of(found.intensity, False)
    )
    assert refused.attempt is None
    unproved = strongest_proved(1.0, lambda intensity: attempt_of(intensity, intensity <= 0.55), None)
    assert 0.53 <= unproved.attempt.intensity <= 0.55


@pytest.mark.parametrize("limit", [0.3, 0.9, 1.0, 1.4, 3.0])
def test_the_fastest_pace_is_found_within_two_percent(limit):
    found = fastest(lambda slower: slower >= limit)
    assert limit <= found <= 1.021 * limit


def test_paces_that_never_or_always_pass_are_given_up():
    assert fastest(lambda slower: False) is None
    assert fastest(lambda slower: True) < trials._QUICKEST * 1.01


def test_weakened_words_are_told_with_their_shares():
    assert str(_weakened({"lift": 0.5, "tempo": 0.004, "stride": 0.5, "sway": 1.0})) == (
        "weakened: tempo left out, lift and stride at 50 %, all else as asked"
    )
    assert (_much(0.0049), _much(0.005), _much(0.256)) == ("left out", "at 1 %", "at 26 %")
    three = str(_weakened(dict.fromkeys(["elbow_rad", "lift", "arm_swing"], 0.5)))
    assert three == "weakened: elbow, lift and arm swing at 50 %, all else as asked"


REQUEST = Request(
    robot="alice", task=Steps(goals=(Place(0.1, 0.0),)), emotion=named_emotion("happy"), intensity=1.0, rate_hz=20.0
)


class Usual:
    """A generator that knows what is usual and is searched coarsely."""

    search = SimpleNamespace(coarsely=True)
    usual = {"speed_m_s": 0.5, "turn_rad_s": 0.0}  # noqa: RUF012


def trials_with(task=None, **options):
    request = msgspec.structs.replace(REQUEST, **options) if task is None else SimpleNamespace(task=task, **options)
    return SimpleNamespace(
        request=request, robot=ALICE, generator=Usual(), how=Usual.search, on_progress=None, tell=lambda *_, **__: None
    )


def test_options_that_differ_from_what_is_usual_are_the_ones_to_blame():
    own = ALICE.tables.gait
    chosen = msgspec.structs.replace(REQUEST.task, step_length_m=0.5, step_height_m=own.step_height_m)
    found = list(_chosen(trials_with(chosen, margin_m=0.05)))
    assert found == [("step_length_m", 0.5, own.step_length_m), ("margin_m", 0.05, REQUEST.task.usual_margin_m)]
    fast = SimpleNamespace(speed_m_s=0.9, turn_rad_s=0.0, usual_margin_m=0.01)
    assert list(_chosen(trials_with(fast, margin_m=0.01))) == [("speed_m_s", 0.9, 0.5)]
    dear = trials_with(fast, margin_m=0.02)
    dear.how = SimpleNamespace(coarsely=False)
    assert list(_chosen(dear)) == []


def test_who_is_too_weak_for_its_usual_speed_is_tried_slower(monkeypatch):
    starts = []

    def nearest(passes, throughout, usual, asked, close):
        starts.append(usual)
        return None if usual > 0.3 else usual

    monkeypatch.setattr(alternatives, "_nearest", nearest)
    trials = trials_with(SimpleNamespace(simulated=False))
    assert _what_works(trials, "speed_m_s", 0.5, 0.9, 20.0) == pytest.approx(0.25)
    assert starts == pytest.approx([0.5, 0.425, 0.375, 0.25])
    starts.clear()
    assert _what_works(trials, "speed_m_s", 0.5, 0.2, 20.0) is None
    assert _what_works(trials, "step_length_m", 0.5, 0.9, 1.0) is None
    assert starts == pytest.approx([0.5, 0.5])


def test_what_is_wrong_is_told_in_the_users_own_terms(monkeypatch):
    reach = Violation("reach", np.array([True]), "too far")
    steps = SimpleNamespace(gait="steps", footsteps=(1,), advice=lambda broken: f"advice {broken}")
    assert isinstance(why_not_even_neutral(trials_with(steps), [reach]), BadFootstepsError)
    monkeypatch.setattr(
        alternatives, "_chosen", lambda trials: iter([("step_length_m", 0.5, 0.1), ("margin_m", 0.05, 0.01)])
    )
    works = {"step_length_m": None, "margin_m": 0.02}
    monkeypatch.setattr(alternatives, "_what_works", lambda trials, option, usual, asked, close: works[option])
    told = why_not_even_neutral(trials_with(steps), [SHORT])
    assert isinstance(told, ImpossibleStepError)
    assert "balance margin" in str(told)
    works["margin_m"] = None
    assert "step length" in str(why_not_even_neutral(trials_with(steps), [SHORT]))
    monkeypatch.setattr(alternatives, "_chosen", lambda trials: iter(()))
    worse = Violation("friction", np.array([True, True]), "slips")
    refused = why_not_even_neutral(trials_with(steps), [SHORT, worse])
    assert isinstance(refused, RefusedError)
    assert [str(reason) for reason in refused.reasons] == ["friction: slips", "torque: too much"]
    assert "advice ['torque', 'friction']" in str(refused)


def test_only_a_request_without_a_speed_is_slowed_down(monkeypatch):
    asked = []
    monkeypatch.setattr(
        alternatives, "_passes", lambda trials, option, thousandths: asked.append(thousandths) or thousandths < 400.0
    )
    own = trials_with()
    own.generator = SimpleNamespace(usual={})
    assert list(slower(own)) == []
    own.generator = Usual()
    own.request = SimpleNamespace(task=SimpleNamespace(speed_m_s=0.4))
    assert list(slower(own)) == []
    assert asked == []


def test_probes_are_neutral_with_another_value_and_nobody_is_told(monkeypatch):
    made = []
    monkeypatch.setattr(alternatives, "generator_for", lambda request, robot: made.append(request) or "generator")
    whole = Trials(REQUEST, ALICE, Usual(), on_progress=print)
    probe = _probe(whole, "step_length_m", 42.0)
    assert made[0].task.step_length_m == pytest.approx(0.042)
    assert made[0].margin_m == REQUEST.margin_m
    assert probe.on_progress is None
    assert probe.generator == "generator"
    _probe(whole, "margin_m", 7.0)
    assert made[1].margin_m == pytest.approx(0.007)


@pytest.mark.parametrize(("step_s", "levels"), [(0.05, ["search"]), (0.0751, ["search", "final"])])
def test_coarse_samples_are_proved_and_fine_ones_are_not(monkeypatch, step_s, levels):
    seen = []

    class Probe:
        request = SimpleNamespace(rate_hz=20.0)

        def attempt(self, intensity, detail):
            seen.append(detail.level)
            found = attempt_of(intensity, True)
            return replace(found, draft=replace(found.draft, time_s=np.array([0.0, step_s])))

    monkeypatch.setattr(alternatives, "_probe", lambda trials, option, thousandths: Probe())
    assert _passes(trials_with(), "pace", 50.0)
    assert seen == levels


def said(words, mood="neutral"):
    return _walk(CASSIE, words, WALK.fullmatch(words), named_emotion(mood))


def test_words_of_a_walk_say_way_length_and_speed():
    own = CASSIE.gait
    plain = said("walk 2 m").request
    assert (plain.forward_m_s, plain.left_m_s, plain.distance_m) == (own.speed_m_s, 0.0, 2.0)
    back = said("walk backwards 3 s at 0.2 m/s").request
    assert (back.forward_m_s, back.distance_m, back.duration_s) == (-0.2, None, 3.0)
    right = said("walk right 0.5 m").request
    assert (right.forward_m_s, right.left_m_s) == (0.0, -USUAL_ASIDE_M_S)
    assert said("walk left 1 m at 0.1").request.left_m_s == pytest.approx(0.1)
    assert said("walk 2 m").reasons == ()
    assert said("walk 2 m").feeling == "neutral"
    assert STAND.fullmatch("wait 2.5 s")[1] == "2.5"


def test_walks_that_take_too_long_or_are_out_of_range_are_refused_with_their_words():
    with pytest.raises(OutOfRangeError, match="'walk 301 s' would take 301 s; a walk of a show takes at most 300 s"):
        said("walk 301 s")
    assert said("walk 300 s").request.duration_s == 300.0
    with pytest.raises(OutOfRangeError, match="'walk 2 m at 9 m/s' when neutral: "):
        said("walk 2 m at 9 m/s")
    with pytest.raises(UnknownNameError, match="part of a show"):
        queue_of_words(CASSIE, "stand 1 s, dance wildly")
    with pytest.raises(UnknownNameError, match="story"):
        queue_of_words(CASSIE, "nothing")
    (stand,) = queue_of_words(CASSIE, "stand 2 s")
    assert (stand.request.hold_s, stand.request.height_m) == (2.0, CASSIE.standing_qpos[2])


def test_eyes_and_feelings_of_a_show_are_those_of_its_parts_while_they_last():
    parts = (
        ShowPart("a", None, ((0.0, "happy"), (2.0, "sad"), (9.0, "angry")), feeling="happy"),
        ShowPart("b", None, ((0.0, "sad"), (1.0, "happy")), feeling="neutral"),
        ShowPart("c", None, (), feeling="happy"),
        ShowPart("d", None, ((0.5, "sad"),), feeling="sad"),
    )
    begun = [SimpleNamespace(number=n, phase=phase, at_s=at) for n, phase, at in (
        (0, "rise", 0.0), (0, "play", 1.0), (1, "walk", 5.0), (2, "hold", 7.0), (3, "play", 8.0))]  # fmt: skip
    assert _eyes(SimpleNamespace(begun=begun), parts) == [
        [0.0, "neutral"], [1.0, "happy"], [3.0, "sad"], [6.0, "happy"], [8.5, "sad"],
    ]  # fmt: skip
    assert _feelings(parts) == ["happy", "sad"]
