"""Gait drafts of a small biped: its own pattern, its usual speed, and joints that stay inside their ranges."""

from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Detail
from strut.gaits.pattern.gait_body import _rolled
from strut.gaits.pattern.gait_drafts import GaitDrafts
from strut.gaits.pattern.gait_figures import gait_figures
from strut.gaits.pattern.gait_pattern import time_unit_s
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.table import PatternTable
from strut.kinematics.whole_body import LIMIT_MARGIN_RAD
from strut.place import Place
from strut.style import Style
from tests.adoption.small_robots import biped, import_robot, quadruped

SHOWN = np.sin(np.linspace(0.0, np.pi, 41)) ** 2


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


@pytest.fixture
def body(robot):
    return GaitDrafts(robot, PatternGait(), 50.0)._body(Style())


def of_pattern(robot, **scales):
    """Return the robot with other scales of its gait pattern."""
    return replace(robot, tables=replace(robot.tables, gait=msgspec.structs.replace(robot.tables.gait, **scales)))


def test_a_robots_own_pattern_scales_the_usual_one(robot, body):
    quick = of_pattern(
        robot, period=0.5 * robot.gait_as(PatternTable).period, lift=2.0 * robot.gait_as(PatternTable).lift
    )
    other = GaitDrafts(quick, PatternGait(), 50.0)._body(Style())
    assert other.pattern.period == pytest.approx(0.5 * body.pattern.period)
    assert other.pattern.lift == pytest.approx(2.0 * body.pattern.lift)
    assert other.pattern.stride == pytest.approx(body.pattern.stride)
    usual = [GaitDrafts(one, PatternGait(), 50.0).usual_options["speed_m_s"] for one in (robot, quick)]
    assert usual[1] == pytest.approx(2.0 * usual[0])
    unit_s = time_unit_s(body.stance.height_m, 9.81)
    assert usual[0] == pytest.approx(body.pattern.stride * body.stance.height_m / (body.pattern.period * unit_s))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_swing_that_would_leave_a_joints_range_is_moved_inwards_as_a_whole(robot, body, sign):
    lower = robot.joint_lower_rad + LIMIT_MARGIN_RAD
    upper = robot.joint_upper_rad - LIMIT_MARGIN_RAD
    neck = robot.joint_names.index("neck")
    stop = (upper if sign > 0.0 else lower)[neck]
    standing = body.standing_qpos[7 + neck]
    moved = np.zeros((len(SHOWN), len(robot.joint_names)))
    moved[:, neck] = SHOWN * (stop - standing + sign * 0.1)  # at its height a tenth of a radian beyond
    posture = body._in_range(moved, SHOWN)
    assert_allclose(posture[:, neck], standing + SHOWN * (stop - standing), atol=1e-9)
    assert ((posture >= lower) & (posture <= upper)).all()
    others = np.arange(len(robot.joint_names)) != neck
    assert_allclose(posture[:, others], np.tile(np.clip(body.standing_qpos[7:], lower, upper)[others], (41, 1)))


def test_balls_roll_under_a_body_that_pitches_and_soles_do_not(robot, tmp_path):
    four = import_robot(quadruped(), tmp_path)[0]
    for one, rolls in ((four, True), (robot, False)):
        body = GaitDrafts(one, PatternGait(), 50.0)._body(Style())
        plan = body.plan(50.0, cycles=2)
        pitch_rad = 0.1 * np.sin(plan.time_s)
        qpos = np.tile(one.standing_qpos, (len(pitch_rad), 1))
        qpos[:, 3:7] = np.column_stack([np.cos(pitch_rad / 2), 0 * pitch_rad, np.sin(pitch_rad / 2), 0 * pitch_rad])
        rolled = _rolled(one, plan, qpos)
        down = plan.schedule.contact[:, 0]
        standing = down[1:] & down[:-1]
        step_m = one.feet[0].radius_m * np.diff(pitch_rad) if rolls else np.zeros(len(standing))
        assert_allclose(np.diff(rolled[:, 0], axis=0)[standing], np.outer(step_m, [1.0, 0.0, 0.0])[standing], atol=1e-9)
        assert (np.abs(rolled).max() > 1e-4) == rolls


def test_what_a_look_finds_far_too_fast_is_not_drafted_but_told_where_nobody_needs_more(robot):
    slow = replace(robot, joint_speed_limit_rad_s=np.full_like(robot.joint_speed_limit_rad_s, 0.3))
    drafts = GaitDrafts(slow, PatternGait(cycles=2), 50.0)
    style = Style(lift=1.2)
    (draft,) = drafts.drafts(style, Detail("search", verdict_only=True))
    assert not len(draft.qpos)
    assert "of its speed limit at" in str(draft.violations[0].reason)
    told = next(iter(drafts.drafts(style, Detail("search"))))
    assert len(told.qpos)


def test_a_draft_that_starts_from_a_look_is_the_one_that_starts_from_a_stand(body):
    """Both end where their zero-moment point is; what is left of the way there is below a millimetre and a mrad."""
    body = body.with_fallback(0.94, 1.0)
    look = body.look()
    assert look.found is not None
    (_, cold), (_, warm) = (body.solved(50.0, cycles=3, look=one) for one in (None, look))
    assert_allclose(warm.qpos, cold.qpos, atol=1e-3)


@pytest.mark.parametrize(("asked", "hurries"), [(None, False), (0.01, False), (0.03, True), (-0.03, True)])
def test_only_who_is_asked_for_more_than_its_own_speed_hurries_however_slow_it_is(asked, hurries):
    slow = SimpleNamespace(task=SimpleNamespace(speed_m_s=asked), usual_options={"speed_m_s": 0.02})
    assert GaitDrafts._hurries.fget(slow) is hurries


def test_an_arrival_is_told_from_where_the_walk_began(robot):
    qpos = np.tile(robot.standing_qpos, (3, 1))
    qpos[:, :2] += [[0.5, -0.3], [0.8, 0.0], [1.5, 0.1]]
    task = PatternGait(goals=(Place(0.97, 0.44),))
    assert gait_figures(robot, task, None, qpos) == {"task_error_mm": pytest.approx(50.0)}
