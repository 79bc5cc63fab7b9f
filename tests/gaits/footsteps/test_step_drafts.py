"""What a style does to steps, where a robot's feet stand, and the step that closes a walk."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Detail
from strut.errors import BadTableError
from strut.gaits.footsteps.foot_poses import sole_places
from strut.gaits.footsteps.footsteps import closing, first_steps
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.step_drafts import SEARCH_RATE_HZ, SEARCH_STEPS, StepDrafts
from strut.gaits.footsteps.table import StepsTable
from strut.gaits.pattern.standing import foot_stance
from strut.place import LEFT, RIGHT, Footstep, Place
from strut.style import Style
from tests.alice import ALICE

WALK = StepDrafts(ALICE, Steps(goals=(Place(0.5, 0.0),)), 50.0)


def test_words_of_a_style_multiply_what_they_name():
    neutral = WALK.gait(Style())
    table = ALICE.gait_as(StepsTable)
    assert neutral.body_height_m == table.body_height_m
    assert neutral.step_height_m == table.step_height_m
    assert neutral.limits.length_m == table.step_length_m
    assert neutral.outward_m == 0.0
    styled = WALK.gait(Style(tempo=2.0, stride=0.5, lift=1.5, body_height=0.95, sway=1.2))
    assert styled.body_height_m == pytest.approx(0.95 * table.body_height_m)
    assert styled.step_height_m == pytest.approx(1.5 * table.step_height_m)
    assert styled.limits.length_m == pytest.approx(0.5 * table.step_length_m)
    assert styled.times.step_s == pytest.approx(neutral.times.step_s / 2.0)
    assert styled.outward_m == pytest.approx(0.1 * WALK.legs.separation_m)  # a fifth of half the separation


def test_a_pace_is_the_length_of_a_step_over_its_time_and_own_lengths_come_first():
    own = Steps(goals=(Place(0.5, 0.0),), step_length_m=0.03, step_height_m=0.02, body_height_m=0.21, pace=0.02)
    gait = replace(WALK, task=own).gait(Style())
    assert gait.limits.length_m / gait.times.step_s == pytest.approx(0.02)
    assert (gait.step_height_m, gait.body_height_m) == (0.02, 0.21)
    times = [WALK.at_pace(slower).gait(Style(tempo=3.0)).times.step_s for slower in (0.5, 1.0)]
    assert times[0] == pytest.approx(times[1] / 2.0)  # which replaces the tempo of the feeling


def test_a_quick_walk_is_searched_with_samples_as_near_in_its_phases():
    assert WALK.search_rate_hz == SEARCH_RATE_HZ
    for slower in (2.0, 1.0, 0.5, 0.25, 0.1):
        rate_hz = WALK.at_pace(slower).search_rate_hz
        assert rate_hz % SEARCH_RATE_HZ == 0.0
        assert rate_hz * slower >= 0.4 * SEARCH_RATE_HZ


def test_a_lively_body_bounces_once_a_step_and_ends_where_it_would_without():
    robot = ALICE.expressing("animated")
    walk = StepDrafts(robot, Steps(goals=(Place(0.15, 0.0),)), 20.0)
    stiff, lively = (next(iter(walk.drafts(Style(bounce=b), Detail()))) for b in (0.0, 2.0))
    rise_m = lively.qpos[:, 2] - stiff.qpos[:, 2]
    assert_allclose(rise_m[[0, -1]], 0.0, atol=1e-9)
    tops = np.flatnonzero(np.diff(np.sign(np.diff(rise_m))) < 0)
    assert_allclose(np.diff(lively.time_s[tops[2:-1]]), walk.gait(Style()).times.step_s, atol=0.051)
    assert np.ptp(rise_m) > 1e-3


def test_a_file_says_where_a_walk_leads_how_it_steps_and_what_it_leaves():
    goals = (Place(0.05, 0.0), Place(0.1, 0.0, 0.1))
    walk = StepDrafts(ALICE, Steps(goals=goals, step_length_m=0.03, pace=0.05), 20.0)
    (draft,) = walk.drafts(Style(), Detail())
    options = draft.meta["options"]
    gait = draft.meta["gait"]
    assert (options["goal"], options["via"]) == (pytest.approx([0.1, 0.0, 0.1]), [[0.05, 0.0, 0.0]])
    assert (options["own_steps"], options["step_length_m"], options["pace"]) == (False, 0.03, 0.05)
    assert gait["line_speed_m_s"] == pytest.approx(0.05)
    assert gait["step_length_m"] == 0.03
    assert gait["shift_s"] + gait["swing_s"] == pytest.approx(0.03 / 0.05)
    assert 0.0 < gait["static_margin_m"] < 0.05
    last = [step for step in draft.meta["footsteps"] if step[0] == RIGHT][-1]
    assert Place(*last[1:]).distance_m(Place(0.1, 0.0, 0.1).compose(Place(0.0, -walk.legs.separation_m / 2.0))) < 1e-9
    assert draft.figures["task_error_mm"] == pytest.approx(0.0, abs=0.1)
    assert draft.expressed == {}


def test_a_search_drafts_the_first_steps_and_only_planned_ones_end_side_by_side():
    legs_m = WALK.legs.separation_m
    own = tuple(Footstep(n % 2, Place(0.01 * (n + 1), (n % 2 - 0.5) * legs_m)) for n in range(SEARCH_STEPS + 2))
    for walk, ahead_m in ((StepDrafts(ALICE, Steps(footsteps=own), 50.0), 0.01), (WALK, 0.0)):
        (draft,) = walk.drafts(Style(), Detail(level="search"))
        lift_offs = np.count_nonzero(draft.contact[:-1] & ~draft.contact[1:])
        assert lift_offs == SEARCH_STEPS
        right, left = sole_places(ALICE, draft.qpos[-1])
        assert abs(left.relative_to(right).x_m) == pytest.approx(ahead_m, abs=1e-6)
        assert draft.meta == {}
    assert_allclose(np.diff(draft.time_s), 1.0 / SEARCH_RATE_HZ)


@pytest.mark.parametrize("foot", [RIGHT, LEFT])
def test_the_closing_foot_stands_beside_the_other_on_its_own_side(foot):
    step = Footstep(foot, Place(0.3, -0.2, 0.7))
    last = closing(step, 0.09)
    assert last.foot != foot
    seen = last.place.relative_to(step.place)
    assert_allclose([seen.x_m, seen.y_m, seen.heading_rad], [0.0, 0.09 if foot == RIGHT else -0.09, 0.0], atol=1e-12)
    walk = tuple(Footstep(number % 2, Place(0.05 * number, 0.09 * (number % 2))) for number in range(6))
    assert first_steps(walk, 6, 0.09) == walk
    assert first_steps(walk, 4, 0.09)[:3] == walk[:3]
    assert first_steps(walk, 4, 0.09)[3].place.x_m == pytest.approx(walk[2].place.x_m)
    assert len(first_steps(walk, 4, 0.09)) == 4


def test_feet_are_told_apart_by_the_corner_at_which_they_stand(mrpete):
    stance, qpos = foot_stance(mrpete)
    assert sorted(stance.places) == ["front left", "front right", "hind left", "hind right"]
    for place, (x, y, _) in zip(stance.places, stance.foot_m, strict=True):
        assert place == f"{'front' if x > 0.0 else 'hind'} {'left' if y > 0.0 else 'right'}"
    assert_allclose(stance.foot_m[:, :2].mean(axis=0), 0.0, atol=1e-12)
    assert 0.0 < stance.height_m < qpos[2] + 0.1
    assert foot_stance(ALICE)[0].places == ("right", "left")


def test_a_body_with_three_feet_has_no_stance(mrpete):
    with pytest.raises(BadTableError, match="gaits are known for two and for four"):
        foot_stance(replace(mrpete, feet=mrpete.feet[:3]))
