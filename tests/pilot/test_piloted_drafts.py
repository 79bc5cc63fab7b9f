"""Drafts of piloted walks: the style's effect on a walk, its steady speed, and runs that fall or do not end."""

import numpy as np
import pytest

from strut.draft import Detail
from strut.emotion import Emotion
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import StandRequest
from strut.pilot.piloted_drafts import PilotedDrafts, draft_of_run, walk_in_style
from strut.pilot.piloted_simulation import Clock, Push, World, simulate_requests
from strut.pilot.request import PilotedWalk
from strut.pilot.request_json import decode_requests
from strut.receipt import LimitName
from strut.request import Request
from strut.style import Style

CASSIE = load_robot("cassie")
STYLE = Style(tempo=1.2, stride=0.5, body_height=0.95, body_pitch_rad=0.1, lift=1.3)


def test_a_style_scales_the_usual_or_the_requested_walk():
    usual = CASSIE.gait
    walk = walk_in_style(CASSIE, PilotedWalk(), STYLE)
    assert walk.forward_m_s == pytest.approx(0.6 * usual.speed_m_s)
    assert walk.height_m == pytest.approx(0.95 * usual.height_m)
    assert (walk.left_m_s, walk.turn_rad_s, walk.distance_m) == (0.0, 0.0, usual.distance_m)
    assert (walk.pitch_rad, walk.lift) == (0.1, 1.3)
    task = PilotedWalk(speed_m_s=0.4, sideways_m_s=0.2, turn_rad_s=0.3, body_height_m=0.8, distance_m=2.5)
    back = walk_in_style(CASSIE, task, Style(tempo=1.2, stride=0.5, body_height=0.95, direction=-1))
    assert (back.forward_m_s, back.left_m_s) == pytest.approx((-0.24, 0.12))
    assert (back.turn_rad_s, back.distance_m) == (0.3, 2.5)
    assert back.height_m == pytest.approx(0.76)


@pytest.mark.parametrize(("walker", "gaits"), [("pendulum", 0), ("library", 1)])
def test_gaits_are_read_only_for_the_walker_that_follows_them(walker, gaits):
    request = Request(robot="cassie", task=PilotedWalk(walker=walker), emotion=Emotion(0.0, 0.0), rate_hz=50.0)
    drafts = PilotedDrafts.of_request(CASSIE, request)
    assert (drafts.library is not None) == gaits
    assert (drafts.task.walker, drafts.rate_hz) == (walker, 50.0)


def test_a_draft_stands_walks_and_stands_and_measures_the_speed_between_lift_off_and_braking():
    drafts = PilotedDrafts(CASSIE, PilotedWalk(speed_m_s=0.3, sideways_m_s=0.1, distance_m=0.8), 50.0)
    (draft,) = drafts.drafts(Style(tempo=1.1, body_height=0.98), Detail())
    stand, walk, last_stand = decode_requests(draft.meta["piloted"]["requests"])
    assert (stand.hold_s, last_stand.hold_s) == (0.4, 0.4)
    assert stand.height_m == walk.height_m == last_stand.height_m == pytest.approx(0.98 * CASSIE.gait.height_m)
    assert draft.time_s[1] == pytest.approx(0.02)
    assert draft.violations == ()
    assert draft.figures["controller"] == "pilot"
    assert draft.figures["walking_speed_asked_m_s"] == pytest.approx(np.hypot(0.3, 0.1))
    begins = {phase: start_s for start_s, _, phase in draft.meta["outcome"]["timeline"]}
    first, last = np.searchsorted(draft.time_s, (begins["walk"] + 0.7, begins["brake"] - 0.35))
    way_m = np.linalg.norm(draft.qpos[last, :2] - draft.qpos[first, :2])
    mean_m_s = way_m / (draft.time_s[last] - draft.time_s[first])
    assert draft.figures["walking_speed_m_s"] == pytest.approx(mean_m_s, rel=0.15)


def test_a_walk_outside_the_command_range_is_infeasible_in_a_style_and_an_error_in_neutral():
    (draft,) = PilotedDrafts(CASSIE, PilotedWalk(), 80.0).drafts(Style(stride=50.0), Detail())
    assert len(draft.qpos) == 0
    (violation,) = draft.violations
    assert violation.limit == LimitName.COMMAND
    assert violation.text.startswith("the speed forward is")
    assert not violation.text.endswith(".")
    with pytest.raises(OutOfRangeError):
        list(PilotedDrafts(CASSIE, PilotedWalk(speed_m_s=50.0), 80.0).drafts(Style(), Detail()))


@pytest.mark.parametrize(
    ("pushes", "cause"), [((), "is not done after 0 s"), ((Push(0.0, (0.0, 2e4, 0.0), 0.1),), "falls at")]
)
def test_a_run_that_does_not_end_or_falls_violates_the_simulation_from_then_on(pushes, cause):
    clock = Clock(control_hz=1000.0, settle_s=0.0, longest_s=0.3)
    run = simulate_requests([StandRequest(5.0)], CASSIE, world=World(pushes=pushes), clock=clock)
    (violation,) = draft_of_run(CASSIE, run).violations
    assert violation.limit == LimitName.SIMULATION
    assert violation.text.startswith(cause)
    np.testing.assert_array_equal(violation.broken, run.motion.time_s >= run.outcome.upright_s)
    assert violation.broken[-1]


def test_a_run_that_ends_violates_nothing():
    clock = Clock(control_hz=1000.0, settle_s=0.0, rest_s=0.05)
    run = simulate_requests([StandRequest(0.05)], CASSIE, clock=clock)
    assert draft_of_run(CASSIE, run).violations == ()
