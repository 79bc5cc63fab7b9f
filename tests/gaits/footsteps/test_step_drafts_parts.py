"""Step drafts part by part: paces and heights of a gait, checks of own footsteps, and secondary motion of the body."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Detail
from strut.errors import BadFootstepsError, StrutError
from strut.gaits.footsteps import step_drafts
from strut.gaits.footsteps.biped_model import biped_model
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.step_drafts import (
    StepDrafts,
    describe_step,
    step_at,
)
from strut.gaits.footsteps.table import StepsTable
from strut.models.catalogue import load_robot
from strut.pipeline.walk import walk
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
    assert describe_step(step) == "right foot to 0.123 m, -0.050 m, 31 degrees"


def test_a_step_out_of_reach_is_named_with_its_instant():
    separation = biped_model(ALICE).separation_m
    steps = [Footstep(RIGHT, Place(0.02, -separation / 2.0)), Footstep(LEFT, Place(0.2, separation / 2.0))]
    with pytest.raises(StrutError, match=r"in step 2 \(left foot to 0.200 m, 0.0\d+ m, 0 degrees\) at \d\.\d\d s"):
        walk("alice", footsteps=steps)


def test_the_body_bounces_in_the_walk_and_not_while_it_stands():
    robot = load_robot("alice").expressing("animated")
    drafts = StepDrafts(robot, Steps(goals=(Place(0.1, 0.0),)), 50.0)
    calm, bouncing = (next(iter(drafts.drafts(Style(bounce=bounce), Detail()))) for bounce in (0.0, 2.0))
    rise_m = bouncing.qpos[:, 2] - calm.qpos[:, 2]
    assert np.abs(rise_m[[0, -1]]).max() < 1e-6
    assert np.ptp(rise_m) > 1e-3
    plain = StepDrafts(ALICE, Steps(goals=(Place(0.1, 0.0),)), 50.0)
    still, same = (next(iter(plain.drafts(Style(bounce=bounce), Detail()))) for bounce in (0.0, 2.0))
    assert_allclose(same.qpos, still.qpos)
