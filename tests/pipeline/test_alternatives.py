"""What would work instead: found on the way from what is usual to what was asked, in thousandths, and never beyond."""

import math
from typing import ClassVar

import pytest

from strut.cli.screen import _said
from strut.errors import ImpossibleStepError, RefusedError
from strut.pipeline import alternatives
from strut.pipeline.alternatives import _chosen, _kept_throughout, _nearest, _told
from strut.pipeline.trials import SEARCH, Trials
from strut.request import PatternGait
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
    assert tried[0] == pytest.approx(1e3 * usual)
    low, high = sorted((1e3 * usual, 1e3 * asked))
    assert all(low - 1e-9 <= value <= high + 1e-9 for value in tried)
    assert abs(found - limit) <= close
    assert passes(found)


def test_nothing_is_proposed_where_not_even_the_usual_works():
    assert _nearest(lambda _thousandths: True, lambda _thousandths: False, 0.08, 0.5, 1.0) is None


def test_what_only_seems_to_work_is_not_proposed():
    proofs = []

    def passes(thousandths):
        proofs.append(thousandths)
        return thousandths <= 203.0

    assert _nearest(lambda thousandths: thousandths <= 302.0, passes, 0.08, 0.5, 1.0) == pytest.approx(0.203, abs=1e-3)
    assert _nearest(lambda thousandths: thousandths <= 203.0, passes, 0.08, 0.5, 1.0) == pytest.approx(0.203, abs=1e-3)
    assert proofs[-2:] == [pytest.approx(80.0), pytest.approx(203.0, abs=1.0)]  # a look that is right needs two proofs


@pytest.mark.parametrize(
    ("limit", "works", "asked", "found"),
    [
        (0.83, 0.874, 5.0, 0.822),  # three hundredths less, twice, and down to whole thousandths
        (0.83, 0.8, 5.0, 0.8),
        (0.83, -0.874, -5.0, -0.822),
        (0.1, 0.874, 5.0, None),
    ],
)
def test_what_works_for_a_while_is_proposed_if_it_works_throughout(monkeypatch, limit, works, asked, found):
    def likes(request, *_robot):
        return Picky(lambda _style: abs(request.task.speed_m_s) <= limit)

    monkeypatch.setattr(alternatives, "generator_for", likes)
    monkeypatch.setattr(Trials, "_is_simulated", lambda _trials, _detail: False)
    trials = Trials(replaced(HAPPY, task=PatternGait()), ALICE, Picky(lambda _style: True))
    said = _kept_throughout(trials, "speed_m_s", works, asked)
    assert said == (found if found is None else pytest.approx(found, abs=1e-9))


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
    said = str(RefusedError([f"limit {number}" for number in range(8)], "Ask for less."))
    assert said == "Refused: limit 0; limit 1; limit 2; and 5 more (all of them with --json). Ask for less."
    assert "more" not in str(RefusedError(["slides", "falls", "bends"], "Ask for less."))
