"""Step drafts part by part: paces and heights of a gait, checks of own footsteps, and secondary motion of the body."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadFootstepsError, OutOfRangeError
from strut.expression.secondary_motion import Rhythm, secondary_motion
from strut.gaits.footsteps import step_drafts
from strut.gaits.footsteps.biped_model import biped_model
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.step_drafts import (
    StepDrafts,
    _check_length,
    _out_of_reach,
    _secondary_motion,
    _triple,
    described,
    step_at,
)
from strut.gaits.footsteps.table import StepsTable
from strut.models.catalogue import load_robot
from strut.place import LEFT, RIGHT, Footstep, Place
from strut.style import Style
from tests.alice import ALICE

TABLE = ALICE.gait_as(StepsTable)


def gait(style=None, *, slower=None, **task):
    drafts = StepDrafts(ALICE, Steps(goals=(Place(0.1, 0.0),), **task), 50.0)
    return drafts.at_pace(slower).gait(style or Style())


def test_a_gait_has_the_tables_numbers_times_the_words_of_the_style():
    plain = gait()
    style = Style(stride=0.8, lift=1.5, body_height=0.95, sway=1.2, tempo=1.25)
    found = gait(style)
    separation = biped_model(ALICE).separation_m
    assert found.limits.length_m == pytest.approx(0.8 * TABLE.step_length_m)
    assert (found.limits.side_m, found.limits.turn_rad) == (TABLE.side_step_m, TABLE.step_turn_rad)
    assert found.limits.separation_m == pytest.approx(separation)
    assert found.step_height_m == pytest.approx(1.5 * TABLE.step_height_m)
    assert found.body_height_m == pytest.approx(0.95 * TABLE.body_height_m)
    assert found.outward_m == pytest.approx(0.2 * separation / 2.0)
    assert plain.times.step_s == pytest.approx(TABLE.shift_s + TABLE.swing_s)
    assert found.times.step_s == pytest.approx(plain.times.step_s / 1.25)
    assert len(found.upper_rad) == len(ALICE.joint_names) - 12


def test_the_users_numbers_go_before_the_tables():
    found = gait(step_length_m=0.02, step_height_m=0.01, body_height_m=0.2, pace=0.04)
    assert (found.limits.length_m, found.step_height_m, found.body_height_m) == pytest.approx((0.02, 0.01, 0.2))
    assert found.times.step_s == pytest.approx(0.5)
    own = gait()
    slow = gait(Style(tempo=2.0), slower=3.0)
    assert slow.times.step_s == pytest.approx(3.0 * own.times.step_s)  # the search says the pace, not the style
    mass = gait(law="mass")
    assert mass.times.settle_s == pytest.approx(max(own.times.settle_s, own.times.shift_s))
    for slower, rate in ((None, 1.0), (0.2, 2.0), (0.1, 5.0), (2.0, 1.0)):
        drafts = StepDrafts(ALICE, Steps(goals=(Place(0.1, 0.0),)), 50.0).at_pace(slower)
        assert drafts.search_rate_hz == pytest.approx(rate * step_drafts.SEARCH_RATE_HZ)


@pytest.mark.parametrize(("y_m", "words"), [(0.02, "onto the right one"), (0.7, "apart")])
def test_own_footsteps_on_the_other_foot_or_beyond_the_legs_are_refused(y_m, words):
    separation = biped_model(ALICE).separation_m
    wrong = Footstep(LEFT, Place(0.0, -separation / 2.0 + y_m, 0.0))
    fine = Footstep(RIGHT, Place(0.02, -separation / 2.0))
    drafts = StepDrafts(ALICE, Steps(footsteps=(fine, wrong)), 50.0)
    with pytest.raises(BadFootstepsError, match=rf"Step 2 \(left foot to .*{words}"):
        _ = drafts.legs


def test_legs_span_what_straight_ones_would_at_their_height():
    legs = biped_model(ALICE)
    height = TABLE.body_height_m
    span = legs.separation_m + 2.0 * np.sqrt(legs.longest_leg_m**2 - height**2)
    for more, refused in ((-1e-4, False), (1e-4, True)):
        step = Footstep(LEFT, Place(0.0, -legs.separation_m / 2.0 + span + more))
        drafts = StepDrafts(ALICE, Steps(footsteps=(step,)), 50.0)
        if refused:
            with pytest.raises(BadFootstepsError, match="apart"):
                _ = drafts.legs
        else:
            assert drafts.legs.separation_m == legs.separation_m


def test_legs_that_are_shorter_than_the_body_is_high_span_what_they_stand_on():
    legs = biped_model(ALICE)
    step = Footstep(LEFT, Place(0.0, legs.separation_m / 2.0 + 0.01))
    with pytest.raises(BadFootstepsError, match="apart; at a body height of 500 mm"):
        _ = StepDrafts(ALICE, Steps(footsteps=(step,), body_height_m=0.5), 50.0).legs


def test_walks_that_would_take_too_many_samples_are_refused():
    times = SimpleNamespace(step_s=2.0)
    most = step_drafts.MAX_SAMPLES
    _check_length(most // 200, times, 100.0)
    with pytest.raises(OutOfRangeError, match="come nearer"):
        _check_length(most // 200 + 1, times, 100.0)


PHASES = [
    SimpleNamespace(kind=kind, start_s=start, stop_s=stop)
    for kind, start, stop in (
        ("stand", 0.0, 1.0), ("shift", 1.0, 2.0), ("swing", 2.0, 3.0),
        ("shift", 3.0, 4.0), ("foot turn", 4.0, 5.0), ("settle", 5.0, 6.0),
    )
]  # fmt: skip


def test_the_step_under_way_is_counted_with_the_shift_before_it():
    assert [step_at(PHASES, t) for t in (0.0, 2.5, 3.0, 3.1, 5.0, 5.9)] == [1, 1, 1, 2, 2, 2]
    step = Footstep(RIGHT, Place(0.1234, -0.05, np.radians(31.0)))
    assert described(step) == "right foot to 0.123 m, -0.050 m, 31 degrees"
    plan = SimpleNamespace(time_s=np.array([0.0, 3.5]), phases=PHASES)

    class ShortError(Exception):
        sample = 1

    told = _out_of_reach([step, Footstep(LEFT, Place(0.0, 0.0))], plan, ShortError("too far"))
    assert told == "too far in step 2 (left foot to 0.000 m, 0.000 m, 0 degrees) at 3.50 s"
    assert _out_of_reach([], plan, ShortError("too far")) == "too far standing at 3.50 s"
    assert _triple(Place(1.0, 2.0, 3.0 * np.pi)) == pytest.approx([1.0, 2.0, np.pi])


def test_secondary_motion_beats_once_a_step_and_comes_and_goes_with_the_walk():
    robot = load_robot("alice").expressing("animated")
    time_s = np.linspace(0.0, 6.0, 61)
    plan = SimpleNamespace(time_s=time_s, phases=PHASES)
    style = Style(bounce=2.0)
    secondary = _secondary_motion(robot, style, plan, 0.22)
    assert secondary.rise[0] == secondary.rise[-1] == 0.0
    assert_allclose(secondary.rise[time_s <= 1.0], 0.0, atol=1e-9)  # it has not set off
    assert_allclose(secondary.rise[time_s >= 5.0], 0.0, atol=1e-9)
    unit_s = np.sqrt(0.22 / 9.81)
    beat = np.interp(time_s, [0.0, 1.0, 3.0, 5.0, 7.0], [0.0, 0.0, 1.0, 2.0, 3.0])
    ends = np.minimum((time_s - 1.0) / 2.0, (5.0 - time_s) / 2.0)
    u = np.clip(ends, 0.0, 1.0)
    walking = u**3 * (10.0 + u * (6.0 * u - 15.0))
    near = secondary_motion(robot, style, Rhythm(time_s, beat, walking, np.ones(61), unit_s))
    assert np.abs(secondary.rise - near.rise)[(time_s > 1.0) & (time_s < 5.0)].max() < 0.35 * np.ptp(near.rise)
    at_step = np.argmin(np.abs(time_s - 3.0))
    assert secondary.rise[at_step] == pytest.approx(near.rise[at_step], abs=1e-9)
    assert _secondary_motion(ALICE, style, plan, 0.22) is None
    standing = SimpleNamespace(time_s=time_s, phases=[PHASES[0], PHASES[-1]])
    assert _secondary_motion(robot, style, standing, 0.22) is None
