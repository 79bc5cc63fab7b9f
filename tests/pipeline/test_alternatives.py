"""What would work instead: found on the way from what is usual to what was asked, in thousandths, and never beyond."""

import math
from typing import ClassVar

import pytest

from strut.cli.screen import _said
from strut.errors import ImpossibleStepError, RefusedError
from strut.gaits.pattern.request import PatternGait
from strut.pipeline import alternatives
from strut.pipeline.alternatives import _chosen, _nearest, _passes, _passes_throughout, _told
from strut.pipeline.trials import SEARCH, Trials
from strut.receipt import Reason, ReasonKind
from tests.alice import ALICE
from tests.pipeline.test_weakening import HAPPY, Picky, replaced


@pytest.mark.parametrize(("usual", "asked", "limit"), [(0.08, 0.5, 203.0), (0.2, 0.06, 120.0), (0.08, 0.0815, 80.0)])
@pytest.mark.parametrize("close", [1.0, 20.0])
def test_the_nearest_that_works_lies_between_usual_and_asked(usual, asked, limit, close):
    tried = []

    def passes(thousandths):
        tried.append(thousandths)
        return thousandths <= limit if asked > usual else thousandths >= limit

    found = 1e3 * _nearest(passes, passes, usual, asked, close)
    low, high = sorted((1e3 * usual, 1e3 * asked))
    assert all(low - 1e-9 <= value <= high + 1e-9 for value in tried)
    assert abs(found - limit) <= close
    assert passes(found)


def passes_with_gaps(thousandths):
    """Return whether a speed passes for a while: some fail amid others, as joints that come to a stop make it."""
    return thousandths <= 1250.0 or 1290.0 <= thousandths <= 1400.0 or 1450.0 <= thousandths <= 1610.0


def passes_throughout(thousandths):
    return passes_with_gaps(thousandths) and not 1180.0 <= thousandths <= 1230.0 and not 1525.0 <= thousandths <= 1600.0


@pytest.mark.parametrize("usual", [0.406, 0.366, 0.251])
def test_a_larger_wish_is_not_told_less_and_wishes_beyond_what_works_are_told_the_same(usual):
    wishes = [0.01 * hundredths for hundredths in range(50, 500)]
    refused = [asked for asked in wishes if not passes_throughout(1e3 * asked)]
    told = [_nearest(passes_with_gaps, passes_throughout, usual, asked, 20.0) for asked in refused]
    assert told == sorted(told)
    assert len({works for works, asked in zip(told, refused, strict=True) if asked > 1.62}) == 1
    assert all(works < asked for works, asked in zip(told, refused, strict=True))
    assert all(passes_throughout(1e3 * works) for works in told)


def test_where_wholes_fail_far_below_what_passes_for_a_while_few_are_asked_for():
    wholes = []

    def throughout(thousandths):
        wholes.append(thousandths)
        return thousandths <= 620.0

    assert _nearest(lambda _thousandths: True, throughout, 0.4, 4.0, 20.0) == pytest.approx(0.62)
    assert len(wholes) <= 13


def test_nothing_is_proposed_where_not_even_the_usual_works():
    assert _nearest(lambda _thousandths: False, lambda _thousandths: True, 0.08, 0.5, 1.0) is None
    assert _nearest(lambda _thousandths: True, lambda _thousandths: False, 0.08, 0.5, 1.0) is None


def test_what_only_works_for_a_while_is_not_proposed():
    wholes = []

    def throughout(thousandths):
        wholes.append(thousandths)
        return thousandths <= 203.0

    for most in (302.0, 205.0):
        found = _nearest(lambda thousandths, most=most: thousandths <= most, throughout, 0.08, 0.5, 1.0)
        assert found == pytest.approx(0.203, abs=1e-3)
    assert wholes[-3:] == [205.0, 204.0, 203.0]  # a while that tells nearly all needs few wholes


@pytest.mark.parametrize(("speed_m_s", "works"), [(0.82, True), (0.84, False), (-0.82, True)])
def test_what_works_for_a_while_is_proposed_if_it_works_throughout(monkeypatch, speed_m_s, works):
    def likes(request, *_robot):
        return Picky(lambda _style: abs(request.task.speed_m_s) <= (0.83 if request.task.cycles > 3 else 0.9))

    monkeypatch.setattr(alternatives, "generator_for", likes)
    monkeypatch.setattr(Trials, "_is_simulated", lambda _trials, _detail: False)
    trials = Trials(replaced(HAPPY, task=PatternGait()), ALICE, Picky(lambda _style: True))
    assert _passes(trials, "speed_m_s", 1e3 * speed_m_s)
    assert _passes_throughout(trials, "speed_m_s", 1e3 * speed_m_s) is works


def test_who_walks_sideways_alone_is_not_told_of_a_speed():
    class Usual(Picky):
        usual: ClassVar[dict[str, float]] = {"speed_m_s": 0.4, "sideways_m_s": 0.0}

    generator = Usual(lambda _style: True)
    trials = Trials(replaced(HAPPY, task=PatternGait(speed_m_s=0.0, sideways_m_s=0.1)), ALICE, generator)
    assert [option for option, _, _ in _chosen(trials)] == ["sideways_m_s"]


def test_whoever_watches_is_told_what_is_tried_instead():
    told = []
    trials = Trials(HAPPY, ALICE, Picky(lambda _style: True), on_progress=told.append)
    found = trials.attempt(0.0, SEARCH, quiet=True)
    assert _told(trials, "speed_m_s", 120.0, found) is found
    assert _told(trials, "turn_rad_s", 1e3 * math.radians(20.0), found) is found
    assert [_said(step) for step in told] == [
        "a speed of 0.12 m/s keeps its limits",
        "a turn of 20.0°/s keeps its limits",
    ]


@pytest.mark.parametrize(
    ("what", "asked", "usual", "works", "unit", "words"),
    [
        (
            "speed",
            0.9,
            0.4,
            0.62,
            "mm/s",
            "A speed of 0.9 m/s is impossible (it falls); the largest that works is 0.6",
        ),
        ("speed", -0.5, 0.4, -0.3, "mm/s", "the largest that works is -0.3 m/s."),
        ("speed", 0.3, 0.02, 0.04, "mm/s", "the largest that works is 40 mm/s."),
        ("turn", math.radians(-90.0), 0.0, math.radians(-20.0), "°/s", "A turn of -90.0°/s is impossible"),
        ("body height", 0.06, 0.2, 0.16, "mm", "the smallest that works is 160 mm."),
    ],
)
def test_what_works_is_told_in_units_that_people_read(what, asked, usual, works, unit, words):
    assert words in str(ImpossibleStepError(what, asked, "it falls", usual, works, unit))


def test_a_refusal_for_many_reasons_names_three_of_them():
    said = str(
        RefusedError([Reason(ReasonKind.LIMIT, None, f"limit {number}") for number in range(8)], "Ask for less.")
    )
    assert said == "Refused: limit 0; limit 1; limit 2; and 5 more (all of them with --json). Ask for less."
    assert "more" not in str(
        RefusedError([Reason(ReasonKind.LIMIT, None, text) for text in ("slides", "falls", "bends")], "Ask for less.")
    )
