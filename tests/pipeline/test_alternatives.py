"""The nearest feasible value: searched on a grid from the usual value to the one asked for, and never beyond."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import pytest
from msgspec.structs import replace as replaced

from strut.draft import Detail, Generator, Search, Violation, not_made
from strut.emotion import named_emotion
from strut.errors import BadFootstepsError, ImpossibleStepError, RefusedError
from strut.gaits.footsteps.request import Steps
from strut.gaits.pattern.request import PatternGait
from strut.pipeline import alternatives
from strut.pipeline.alternatives import Choice, choices_of, nearest_feasible, refusal, slower_requests
from strut.pipeline.candidates import Candidates
from strut.pipeline.run import run
from strut.place import Footstep, Place
from strut.receipt import Reason, ReasonKind
from strut.request import Request
from strut.style import Style
from tests.alice import ALICE
from tests.pipeline.test_trials import standing

GOAL = (Place(0.1, 0.0),)
REQUEST = Request(robot="alice", task=Steps(goals=GOAL), emotion=named_emotion("happy"), rate_hz=20.0)
SHORT = Violation("torque", standing().contact[:, 0], "too much")


@dataclass(frozen=True)
class Strong(Generator):
    """Drafts a robot that stands, if a request is not too hard for it; remembers each style and level."""

    search: ClassVar[Search] = Search(coarsely=True)

    request: Request
    is_feasible: object = lambda request: True
    tried: list = field(default_factory=list)

    @property
    def usual_options(self):
        table = ALICE.gait
        return {
            "speed_m_s": 0.4,
            "turn_rad_s": 0.0,
            "sideways_m_s": 0.0,
            "pace": table.pace,
            "step_length_m": table.step_length_m,
            "step_height_m": table.step_height_m,
        }

    def drafts(self, style, detail):
        self.tried.append((style, detail.level))
        yield standing() if self.is_feasible(self.request) else not_made(ALICE, style, "torque", "too weak")


@pytest.fixture
def candidates_of(monkeypatch):
    """Return what makes candidates of a request; every request that is tried instead is drafted alike."""

    def candidates(request, is_feasible=lambda request: True, **options):
        monkeypatch.setattr(alternatives, "generator_for", lambda other, *_: Strong(other, is_feasible))
        return Candidates(request, ALICE, Strong(request, is_feasible), **options)

    return candidates


@pytest.mark.parametrize(("usual", "asked", "limit"), [(80.0, 500.0, 203.0), (200.0, 60.0, 120.0), (80.0, 81.5, 80.0)])
@pytest.mark.parametrize("step", [1.0, 20.0])
def test_the_nearest_feasible_value_lies_between_usual_and_asked(usual, asked, limit, step):
    tried = []

    def passes(value):
        tried.append(value)
        return value <= limit if asked > usual else value >= limit

    value = nearest_feasible(passes, passes, usual, asked, step)
    low, high = sorted((usual, asked))
    assert all(low - 1e-9 <= other <= high + 1e-9 for other in tried)
    assert abs(value - limit) <= step
    assert passes(value)


def passes_with_gaps(value):
    """Return whether a speed passes briefly: some fail amid others, as joints that reach a stop make it."""
    return value <= 1250.0 or 1290.0 <= value <= 1400.0 or 1450.0 <= value <= 1610.0


def passes_fully(value):
    return passes_with_gaps(value) and not 1180.0 <= value <= 1230.0 and not 1525.0 <= value <= 1600.0


@pytest.mark.parametrize("usual", [406.0, 366.0, 251.0])
def test_a_larger_wish_never_gets_less_and_wishes_beyond_what_is_feasible_get_the_same(usual):
    refused = [10.0 * tens for tens in range(50, 500) if not passes_fully(10.0 * tens)]
    values = [nearest_feasible(passes_with_gaps, passes_fully, usual, asked, 20.0) for asked in refused]
    assert values == sorted(values)
    assert len({value for value, asked in zip(values, refused, strict=True) if asked > 1620.0}) == 1
    assert all(value < asked for value, asked in zip(values, refused, strict=True))
    assert all(passes_fully(value) for value in values)


def test_few_full_checks_are_needed():
    checked = []

    def fully(limit):
        return lambda value: checked.append(value) or value <= limit

    assert nearest_feasible(lambda _value: True, fully(620.0), 400.0, 4000.0, 20.0) == 620.0
    assert len(checked) <= 13
    checked.clear()
    assert nearest_feasible(lambda value: value <= 203.0, fully(999.0), 80.0, 500.0, 1.0) == 203.0
    assert checked == [203.0]
    for brief_limit in (302.0, 205.0):
        checked.clear()
        value = nearest_feasible(lambda value, most=brief_limit: value <= most, fully(203.0), 80.0, 500.0, 1.0)
        assert value == pytest.approx(203.0, abs=1.0)
    assert checked == [205.0, 204.0, 203.0]


def test_nothing_is_feasible_if_not_even_the_usual_value_is():
    assert nearest_feasible(lambda _value: False, lambda _value: True, 80.0, 500.0, 1.0) is None
    assert nearest_feasible(lambda _value: True, lambda _value: False, 80.0, 500.0, 1.0) is None


@pytest.mark.parametrize(("asked", "value"), [(84.9, 80.0), (76.2, 81.0)])
def test_a_usual_value_between_grid_points_is_rounded_away_from_what_is_asked(asked, value):
    assert nearest_feasible(lambda other: other == 80.5, lambda _other: True, 80.5, asked, 1.0) == value


def test_only_options_other_than_usual_are_to_blame(candidates_of):
    own = ALICE.gait
    task = replaced(REQUEST.task, step_length_m=0.5, step_height_m=own.step_height_m)
    chosen = list(choices_of(candidates_of(replaced(REQUEST, task=task, margin_m=0.05))))
    assert [(choice.name, choice.asked, choice.usual) for choice in chosen] == [
        ("step_length_m", 0.5, own.step_length_m),
        ("margin_m", 0.05, task.usual_margin_m),
    ]
    fast = replaced(REQUEST, task=PatternGait(speed_m_s=0.9), margin_m=PatternGait.usual_margin_m)
    assert [choice.name for choice in choices_of(candidates_of(fast))] == ["speed_m_s"]
    sideways = replaced(REQUEST, task=PatternGait(speed_m_s=0.0, sideways_m_s=0.1))
    assert [choice.name for choice in choices_of(candidates_of(sideways))] == ["sideways_m_s"]


def test_no_other_value_is_tried_if_drafts_take_long(candidates_of):
    class Slow(Strong):
        search: ClassVar[Search] = Search(rungs=4)

    request = replaced(REQUEST, margin_m=0.05)
    assert list(choices_of(replace(candidates_of(request), generator=Slow(request)))) == []


def test_a_refusal_names_the_first_option_with_a_feasible_value(candidates_of):
    task = replaced(REQUEST.task, step_length_m=0.5)
    request = replaced(REQUEST, task=task, margin_m=0.05)
    both = refusal(candidates_of(request, lambda other: other.margin_m <= 0.0205), [SHORT])
    assert isinstance(both, ImpossibleStepError)
    assert (both.what, both.feasible_m) == ("balance margin", pytest.approx(0.020))
    neither = refusal(candidates_of(request, lambda _other: False), [SHORT])
    assert (neither.what, neither.feasible_m) == ("step length", None)
    short = refusal(candidates_of(request, lambda other: other.task.step_length_m <= 0.1005), [SHORT])
    assert (short.what, short.feasible_m) == ("step length", pytest.approx(0.1))


def test_without_a_choice_the_worst_violations_come_first(candidates_of):
    seldom = Violation("friction", standing().contact[:, 0] & [True, False, False, False, False], "slips")
    error = refusal(candidates_of(REQUEST), [seldom, SHORT])
    assert isinstance(error, RefusedError)
    assert [str(reason) for reason in error.reasons] == ["torque: too much", "friction: slips"]


def test_footsteps_out_of_reach_are_the_users_own(candidates_of):
    steps = replaced(REQUEST, task=Steps(footsteps=(Footstep(0, Place(0.9, 0.0)),)))
    out_of_reach = Violation("reach", SHORT.broken, "too far")
    assert isinstance(refusal(candidates_of(steps), [out_of_reach]), BadFootstepsError)


def test_a_robot_too_weak_for_its_usual_speed_is_offered_a_slower_one(candidates_of):
    def is_feasible(other):
        return abs(other.task.speed_m_s) <= 0.3005

    fast = candidates_of(replaced(REQUEST, task=PatternGait(speed_m_s=0.9)), is_feasible)
    assert Choice(fast, "speed_m_s", 0.9, 0.4).nearest_feasible() == pytest.approx(0.3)
    slow = candidates_of(replaced(REQUEST, task=PatternGait(speed_m_s=0.35)), is_feasible)
    assert Choice(slow, "speed_m_s", 0.35, 0.4).nearest_feasible() is None


@pytest.mark.parametrize(
    ("limit_m_s", "share"), [(0.35, 0.85), (0.32, 0.75), (0.25, 0.5), (0.15, 0.35), (0.1, 0.25), (0.09, None)]
)
def test_a_robot_too_weak_for_its_usual_speed_walks_at_the_largest_share_that_passes(candidates_of, limit_m_s, share):
    request = replaced(REQUEST, task=PatternGait())
    candidates = replace(
        candidates_of(request, lambda other: other.task.speed_m_s <= limit_m_s + 1e-9),
        searched={Style(): "candidates of the usual speed"},
    )
    speed_m_s, slower = next(slower_requests(candidates), (None, None))
    assert speed_m_s == (None if share is None else pytest.approx(share * 0.4))
    assert slower is None or (slower.request.task.speed_m_s, slower.searched) == (speed_m_s, {})


def test_a_robot_that_walks_slower_than_usual_says_so(candidates_of, monkeypatch):
    monkeypatch.setattr("strut.pipeline.candidates.verify_upright", lambda draft, *, may_slide: draft)
    request = replaced(REQUEST, task=PatternGait(), emotion=None)
    candidates_of(request, lambda other: (other.task.speed_m_s or 0.4) <= 0.2)
    monkeypatch.setattr("strut.pipeline.run.generator_for", alternatives.generator_for)
    assert [str(reason) for reason in run(request, robot=ALICE).receipt.reasons] == [
        "walks at 0.20 m/s in neutral, because its usual speed would break a limit (torque: too weak)"
    ]


@pytest.mark.parametrize(
    ("options", "may_slide"), [({}, True), ({"turn_rad_s": 3.0}, False), ({"sideways_m_s": -0.1}, False)]
)
def test_a_neutral_walk_may_slide_and_a_turn_of_which_less_can_be_done_may_not(
    candidates_of, monkeypatch, options, may_slide
):
    seen = []

    def prove(draft, *, may_slide):
        seen.append(may_slide)
        return draft

    monkeypatch.setattr("strut.pipeline.candidates.verify_upright", prove)
    task = PatternGait(**options)
    assert candidates_of(replaced(REQUEST, task=task, emotion=None)).candidate(0.0, Detail()).passes
    assert seen == [may_slide]


def test_a_chosen_speed_is_not_replaced(candidates_of):
    assert list(slower_requests(candidates_of(replaced(REQUEST, task=PatternGait(speed_m_s=0.4))))) == []
    assert list(slower_requests(candidates_of(REQUEST))) == []  # planned steps have a pace instead


def test_a_probe_is_neutral_short_and_keeps_what_else_was_asked(candidates_of, monkeypatch):
    made = []
    candidates = candidates_of(replaced(REQUEST, margin_m=0.004), on_progress=lambda step: None)

    def generator_for(request, robot):
        made.append(Strong(request))
        return made[-1]

    monkeypatch.setattr(alternatives, "generator_for", generator_for)
    assert Choice(candidates, "step_length_m", 0.5, 0.08).passes_briefly(42.0)
    request = made[0].request
    assert (request.task.step_length_m, request.margin_m) == (pytest.approx(0.042), 0.004)
    assert request.task.goals == (Place(4.0 * 0.042, 0.0),)
    assert {style for style, _ in made[0].tried} == {candidates.style(0.0)}
    assert Choice(candidates, "margin_m", 0.05, 0.01).passes_briefly(7.0)
    assert made[1].request.margin_m == pytest.approx(0.007)


@pytest.mark.parametrize(("rate_hz", "levels"), [(20.0, ["search"]), (100.0, ["search", "final"])])
def test_a_coarse_draft_is_proved_unless_it_had_as_many_samples(candidates_of, monkeypatch, rate_hz, levels):
    generator = Strong(REQUEST)
    candidates = candidates_of(replaced(REQUEST, rate_hz=rate_hz))
    monkeypatch.setattr(alternatives, "generator_for", lambda *_: generator)
    assert Choice(candidates, "margin_m", 0.05, 0.01).passes_briefly(5.0)
    assert [level for _, level in generator.tried] == levels


@pytest.mark.parametrize(("speed_m_s", "passes"), [(0.82, True), (0.84, False), (-0.82, True)])
def test_a_walk_that_is_simulated_must_pass_over_its_whole_length(candidates_of, monkeypatch, speed_m_s, passes):
    monkeypatch.setattr("strut.pipeline.candidates.verify_upright", lambda draft, *, may_slide: draft)

    def is_feasible(other):
        return abs(other.task.speed_m_s) <= (0.83 if other.task.cycles > 3 else 0.9)

    choice = Choice(candidates_of(replaced(REQUEST, task=PatternGait()), is_feasible), "speed_m_s", 0.9, 0.4)
    assert choice.passes_briefly(1e3 * speed_m_s)
    assert choice.passes_fully(1e3 * speed_m_s) is passes


def test_the_margin_and_motions_without_simulation_need_no_full_check(candidates_of):
    never = candidates_of(replaced(REQUEST, task=PatternGait()), lambda _other: False)
    assert Choice(never, "margin_m", 0.05, 0.01).passes_fully(5.0)
    steps = candidates_of(REQUEST, lambda _other: False)
    assert Choice(steps, "step_length_m", 0.5, 0.08).passes_fully(100.0)


def test_values_that_are_tried_are_reported_at_no_intensity(candidates_of):
    steps = []
    request = replaced(REQUEST, task=PatternGait())
    candidates = candidates_of(request, lambda other: other.task.speed_m_s != 0.12, on_progress=steps.append)
    Choice(candidates, "speed_m_s", 0.9, 0.4).passes_briefly(120.0)
    Choice(candidates, "turn_rad_s", 0.9, 0.0).passes_briefly(1e3 * math.radians(20.0))
    assert [(step.intensity, step.passed, step.instead) for step in steps] == [
        (0.0, False, "a speed of 0.12 m/s"),
        (0.0, True, "a turn of 20.0°/s"),
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
            "A speed of 0.9 m/s is not feasible (it falls); the largest feasible one is 0.6",
        ),
        ("speed", -0.5, 0.4, -0.3, "mm/s", "the largest feasible one is -0.3 m/s."),
        ("speed", 0.3, 0.02, 0.04, "mm/s", "the largest feasible one is 40 mm/s."),
        ("turn", math.radians(-90.0), 0.0, math.radians(-20.0), "°/s", "A turn of -90.0°/s is not feasible"),
        ("body height", 0.06, 0.2, 0.16, "mm", "the smallest feasible one is 160 mm."),
    ],
)
def test_a_feasible_value_is_written_in_units_that_people_read(what, asked, usual, works, unit, words):
    assert words in str(ImpossibleStepError(what, asked, "it falls", usual, works, unit))


def test_a_refusal_for_many_reasons_names_three_of_them():
    def refused(texts):
        return str(RefusedError([Reason(ReasonKind.LIMIT, None, text) for text in texts], "Ask for less."))

    assert refused([f"limit {number}" for number in range(8)]) == (
        "Refused: limit 0; limit 1; limit 2; and 5 more (all of them with --json). Ask for less."
    )
    assert "more" not in refused(["slides", "falls", "bends"])
