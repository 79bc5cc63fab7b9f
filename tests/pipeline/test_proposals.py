"""What would work instead, part by part: which values are tried, in which direction, and when a proof is asked for."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.draft import Attempt, Draft, Search, Violation
from strut.pipeline import alternatives
from strut.pipeline.alternatives import (
    _nearest,
    _passes,
    _passes_throughout,
    _probe,
    _told,
    _what_works,
)
from strut.pipeline.trials import Trials
from tests.alice import ALICE
from tests.pipeline.test_trials import FASTEST
from tests.pipeline.test_weakening import HAPPY, Picky, replaced

SHORT = Violation("torque", np.array([True, False]), "too much")


def attempt_of(intensity, time_s, *, passes):
    draft = Draft(ALICE, np.array(time_s), np.zeros((2, 1)), np.ones((2, 2), dtype=bool), None)
    return Attempt(intensity, draft, () if passes else (SHORT,), neutral=intensity == 0.0)


@pytest.mark.parametrize(
    ("option", "simulated", "throughout"),
    [("speed_m_s", True, True), ("margin_m", True, False), ("speed_m_s", False, False)],
)
def test_what_a_simulation_judges_must_work_throughout_but_for_the_margin(monkeypatch, option, simulated, throughout):
    asked = []
    monkeypatch.setattr(alternatives, "_nearest", lambda _passes, whole, *_: whole(300.0) and 0.3)
    monkeypatch.setattr(alternatives, "_passes_throughout", lambda *_: asked.append("throughout") or True)
    trials = SimpleNamespace(request=SimpleNamespace(task=SimpleNamespace(simulated=simulated)))
    assert _what_works(trials, option, 0.1, 0.5, 1.0) == 0.3
    assert asked == ["throughout"] * throughout
    monkeypatch.setattr(alternatives, "_nearest", lambda *_: None)
    assert _what_works(trials, option, 0.1, 0.5, 1.0) is None


class Watching(Picky):
    """Likes everything, and remembers the intensity by its style and how carefully it was asked."""

    search = Search(coarsely=True)


def test_probes_are_of_the_neutral_motion(monkeypatch):
    generator = Watching(lambda style: style.tempo == 1.0 and style.lift == 1.0)
    monkeypatch.setattr(alternatives, "generator_for", lambda *_: generator)
    trials = Trials(HAPPY, ALICE, Watching(lambda _style: True))
    assert _passes(trials, "step_length_m", 42.0)
    assert {style == trials.style(0.0) for style, _ in generator.tried} == {True}
    assert generator.tried[0][1] == "search"
    generator.tried.clear()
    assert _passes_throughout(trials, "step_length_m", 42.0)
    assert generator.tried[-1] == (trials.style(0.0), "final")


@pytest.mark.parametrize(
    ("time_s", "passes", "levels"),
    [
        ((1.0, 1.0751), True, ["search", "final"]),  # coarser than one and a half samples of 20 Hz
        ((1.0, 1.0749), True, ["search"]),
        ((1.0, 1.2), False, ["search"]),  # what fails in a coarse look needs no proof
    ],
)
def test_only_coarse_samples_that_pass_are_proved(monkeypatch, time_s, passes, levels):
    seen = []

    def attempt(intensity, detail):
        seen.append((intensity, detail.level, detail.variant))
        found = attempt_of(intensity, time_s, passes=passes and detail.level == "search")
        return replace(found, draft=replace(found.draft, variant=3))

    probe = SimpleNamespace(request=SimpleNamespace(rate_hz=20.0), attempt=attempt)
    monkeypatch.setattr(alternatives, "_probe", lambda *_: probe)
    told = SimpleNamespace(tell=lambda *_, **__: None)
    assert _passes(told, "pace", 50.0) is (levels == ["search"] and passes)
    assert [(intensity, level) for intensity, level, _ in seen] == [(0.0, level) for level in levels]
    assert seen[-1][2] == (3 if len(levels) > 1 else 0)  # proved in the way that was found


def test_an_option_is_told_in_thousandths_or_degrees_at_no_intensity():
    told = []
    trials = SimpleNamespace(tell=lambda intensity, **words: told.append((intensity, words)))
    for passes in (True, False):
        _told(trials, "body_height_m", 160.4, attempt_of(0.0, (0.0, 0.1), passes=passes))
    _told(trials, "turn_rad_s", 1e3 * math.pi / 2.0, attempt_of(0.0, (0.0, 0.1), passes=True))
    assert told == [
        (0.0, {"passed": True, "instead": "a body height of 160 mm"}),
        (0.0, {"passed": False, "instead": "a body height of 160 mm"}),
        (0.0, {"passed": True, "instead": "a turn of 90.0°/s"}),
    ]


def test_a_search_that_is_right_asks_for_one_whole():
    for limit, wholes in ((203.0, [203.0]), (80.5, [80.0])):
        asked = []
        found = _nearest(
            lambda value, most=limit: value <= most, lambda v, asked=asked: asked.append(v) or True, 0.08, 0.5, 1.0
        )
        assert (found, asked) == (pytest.approx(wholes[-1] * 1e-3), pytest.approx(wholes))


def test_usual_values_between_thousandths_are_rounded_towards_what_is_asked():
    for asked, usual_mm, found_m in ((0.0849, 80.5, 0.080), (0.0762, 80.5, 0.081)):
        tried = []

        def passes(value, tried=tried, usual_mm=usual_mm):
            tried.append(value)
            return value == usual_mm

        assert _nearest(passes, lambda _value: True, 0.0805, asked, 1.0) == pytest.approx(found_m)
        assert all(min(usual_mm, 1e3 * asked) <= value <= max(usual_mm, 1e3 * asked) for value in tried)


def test_a_probe_is_as_short_as_tells_and_keeps_what_else_was_asked(monkeypatch):
    monkeypatch.setattr(alternatives, "generator_for", lambda request, robot: (request, robot))
    trials = Trials(replaced(FASTEST, margin_m=0.004), ALICE, Picky(lambda _style: True), on_progress=print)
    probe = _probe(trials, "step_height_m", 25.0)
    assert probe.request.task.step_height_m == pytest.approx(0.025)
    assert (probe.request.margin_m, probe.on_progress) == (0.004, None)
    assert probe.generator == (probe.request, ALICE)
