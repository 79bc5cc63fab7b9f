"""Gait drafts: order of the fallbacks, coarse checks, samples, figures, and robots that cannot walk."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Detail
from strut.engines.task_jacobians import task_jacobians
from strut.gaits.pattern import gait_drafts
from strut.gaits.pattern.gait_drafts import TWO_POINTS, GaitDrafts, stands_on_two_points
from strut.gaits.pattern.gait_fallbacks import FALLBACKS, CoarseCheck
from strut.gaits.pattern.gait_figures import gait_figures
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.styled_gait import StyledGait
from strut.place import Place
from strut.receipt import LimitName
from strut.style import Style
from tests.adoption.small_robots import biped, import_robot, quadruped

STYLE = Style(tempo=1.2, stride=0.8, body_height=0.97)
OUT_OF_REACH_ABOVE_2 = [CoarseCheck(0.5 if fallback % 9 >= 2 else 2.0, 1.01) for fallback in range(len(FALLBACKS))]


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


@pytest.fixture(scope="module")
def short_walk(robot):
    """A plan and its solution, to stand for any."""
    return StyledGait.upright(robot, PatternGait(cycles=2), Style()).at_fallback(4).solve(25.0, cycles=2)


@pytest.fixture
def script(robot, short_walk, monkeypatch):
    """Return a function that makes drafts with given coarse checks and given speeds of the drafted joints."""
    monkeypatch.setattr(StyledGait, "solve", lambda self, rate_hz, *, cycles, guess=None: short_walk)

    def fallbacks(style, detail, checks=OUT_OF_REACH_ABOVE_2, speeds=(), speed_m_s=None):
        rest = iter(speeds)
        monkeypatch.setattr(gait_drafts, "speed_use", lambda robot, time_s, qpos: next(rest, 0.5))
        by_key = {(style, fallback): check for fallback, check in enumerate(checks)}
        drafts = GaitDrafts(robot, PatternGait(speed_m_s=speed_m_s), 50.0, by_key)
        return [draft.fallback for draft in drafts.drafts(style, detail)]

    return fallbacks


def test_the_first_fallback_in_reach_is_drafted_and_neutral_continues_with_shorter_steps(robot, script):
    neutral = robot.expression.neutral_style()
    assert script(neutral, Detail("search")) == [2, 9 + 2, 18 + 2]
    assert script(neutral, Detail("final")) == [2, 3, 9 + 2, 9 + 3, 18 + 2, 18 + 3]  # each a little lower, too
    assert script(STYLE, Detail("search")) == [2]
    assert script(STYLE, Detail("final")) == [2, 3]
    assert script(STYLE, Detail("final", fallback=4)) == [4, 5]
    assert script(STYLE, Detail("final", fallback=8)) == [8]  # the lowest
    assert script(STYLE, Detail("search", fallback=5)) == [3]
    assert script(STYLE, Detail("search", fallback=5, neutral_fallback=9 + 1)) == [9 + 2]
    assert script(STYLE, Detail("whole", fallback=7)) == [7]
    usual_m_s = GaitDrafts(robot, PatternGait(), 50.0).usual_options["speed_m_s"]
    assert script(neutral, Detail("search"), speed_m_s=2.0 * usual_m_s) == [2]
    assert script(neutral, Detail("search"), speed_m_s=-2.0 * usual_m_s) == [2]
    assert script(neutral, Detail("search"), speed_m_s=0.9 * usual_m_s) == [2, 9 + 2, 18 + 2]


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [
        ((0.9,), [2]),
        ((1.2, 1.1, 0.9), [2, 4, 6]),
        ((1.2, 1.19), [2, 4]),  # a lower body is hardly slower
        ((1.3,), [2]),  # a joint that hits its stop
        ((1.2, 1.1, 1.05, 1.02), [2, 4, 6, 8]),
    ],
)
def test_with_joints_too_fast_the_body_is_lowered_while_that_slows_them(script, speeds, expected):
    assert script(STYLE, Detail("search"), speeds=speeds) == expected
    assert script(STYLE, Detail("final"), speeds=speeds) == [*expected, 3]


@pytest.mark.parametrize(
    ("here", "below", "expected"),
    [
        (CoarseCheck(0.5, 1.05), CoarseCheck(0.5, 1.06), [2]),
        (CoarseCheck(0.5, 1.03), CoarseCheck(0.5, 1.06), [2, 4]),  # too near to the limit to compare
        (CoarseCheck(0.5, 1.05), CoarseCheck(5.9, 1.04), [2, 4]),
        (CoarseCheck(0.5, 1.05), CoarseCheck(6.1, 1.04), [2]),
    ],
)
def test_a_lower_body_that_the_check_finds_faster_or_far_out_of_reach_is_not_drafted(script, here, below, expected):
    checks = [CoarseCheck(2.0, 1.01), CoarseCheck(2.0, 1.01), here, here, below, *[here] * 4]
    assert script(STYLE, Detail("search"), checks=checks, speeds=(1.2, 0.9)) == expected


def test_no_check_is_made_twice(robot, monkeypatch):
    checked = []
    check = StyledGait.check
    monkeypatch.setattr(StyledGait, "check", lambda self: checked.append((self.style, self.body_height)) or check(self))
    drafts = GaitDrafts(robot, PatternGait(cycles=2), 50.0)
    for _ in range(2):
        next(iter(drafts.drafts(Style(), Detail("search"))))
    assert len(checked) == len(set(checked)) == len(drafts.checks)


def test_joints_that_the_check_finds_far_too_fast_are_reported_without_a_draft_if_only_a_verdict_is_needed(robot):
    slow = replace(robot, joint_speed_limit_rad_s=np.full_like(robot.joint_speed_limit_rad_s, 0.3))
    drafts = GaitDrafts(slow, PatternGait(cycles=2), 50.0)
    style = Style(lift=1.2)
    (verdict,) = drafts.drafts(style, Detail("search", verdict_only=True))
    assert not len(verdict.qpos)
    assert "of its speed limit at" in str(verdict.violations[0].reason)
    assert len(next(iter(drafts.drafts(style, Detail("search")))).qpos)


def test_feet_out_of_reach_are_a_violation_of_the_draft(robot):
    drafts = GaitDrafts(robot, PatternGait(cycles=2), 50.0)
    (near,) = drafts.drafts(Style(), Detail("whole", fallback=4))
    assert near.violations == ()
    (far,) = drafts.drafts(Style(stride=3.0), Detail("whole", fallback=0))
    (violation,) = far.violations
    assert violation.limit == LimitName.REACH
    assert violation.broken.any()
    assert " mm from its place at " in violation.text
    assert violation.text.split(" is ")[0] in robot.foot_names


def test_a_robot_on_two_balls_is_refused(tmp_path, robot):
    four = import_robot(quadruped(), tmp_path)[0]
    two_balls = replace(four, feet=four.feet[:2])
    assert stands_on_two_points(two_balls)
    assert not stands_on_two_points(four)
    assert not stands_on_two_points(robot)
    sole_points = [foot.points for foot in robot.feet]
    on_balls = replace(
        robot,
        feet=tuple(replace(foot, points=points[:1]) for foot, points in zip(robot.feet, sole_points, strict=True)),
    )
    (draft,) = GaitDrafts(on_balls, PatternGait(), 50.0).drafts(STYLE, Detail())
    assert [violation.text for violation in draft.violations] == [TWO_POINTS]


def test_a_draft_has_the_samples_the_cycles_and_the_figures_of_its_plan(robot):
    task = PatternGait(cycles=2)
    drafts = GaitDrafts(robot, task, 100.0)
    quick = next(iter(drafts.drafts(STYLE, Detail("search"))))
    final = next(iter(drafts.drafts(STYLE, Detail("final", fallback=quick.fallback))))
    assert_allclose(np.diff(quick.time_s), 0.02)
    assert_allclose(np.diff(final.time_s), 0.01)
    assert final.meta["options"]["cycles"] == 2
    plan = StyledGait.upright(robot, task, STYLE).at_fallback(final.fallback).plan(100.0, cycles=None)
    assert_allclose(final.time_s, plan.time_s)
    np.testing.assert_array_equal(final.contact, plan.schedule.contact)
    assert_allclose(final.share_over_time, plan.expressed_share)
    foot_m = task_jacobians(robot, final.qpos).foot_in_world
    error_m = np.linalg.norm(foot_m - plan.foot_in_world, axis=-1)
    assert error_m[plan.schedule.contact].max() < 1e-3
    assert final.figures == gait_figures(robot, task, plan, final.qpos)


def test_the_usual_options_are_the_speed_of_the_pattern_straight_ahead(robot):
    usual = GaitDrafts(robot, PatternGait(), 50.0).usual_options
    gait = StyledGait.upright(robot, PatternGait(), Style())
    assert usual == {"speed_m_s": gait.stride_m / gait.period_s, "turn_rad_s": 0.0, "sideways_m_s": 0.0}


def test_figures_report_the_steady_speed_the_turn_rate_and_what_was_requested(robot):
    time_s = np.arange(0.0, 10.0, 0.05)
    phase = np.clip((time_s - 1.0) / 1.5, 0.0, 5.0)
    walked_s = np.clip(time_s - 1.0, 0.0, 7.5)
    qpos = np.tile(robot.standing_qpos, (len(time_s), 1))
    qpos[:, 0] = 0.4 * walked_s
    yaw = 0.2 * walked_s
    qpos[:, 3:7] = np.column_stack([np.cos(yaw / 2.0), 0.0 * yaw, 0.0 * yaw, np.sin(yaw / 2.0)])
    plan = SimpleNamespace(time_s=time_s, phase=phase)
    figures = gait_figures(robot, PatternGait(speed_m_s=0.3, sideways_m_s=0.4, turn_rad_s=0.25), plan, qpos)
    assert figures["walking_speed_m_s"] == pytest.approx(0.4, rel=1e-6)
    assert figures["walking_speed_asked_m_s"] == pytest.approx(0.5)
    assert figures["turn_rate_rad_s"] == pytest.approx(0.2, rel=1e-6)
    assert figures["turn_rate_asked_rad_s"] == 0.25
    assert gait_figures(robot, PatternGait(), plan, qpos)["walking_speed_asked_m_s"] is None


def test_the_error_at_the_goal_counts_from_where_the_walk_began(robot):
    qpos = np.tile(robot.standing_qpos, (3, 1))
    qpos[:, :2] += [[0.5, -0.3], [0.8, 0.0], [1.5, 0.1]]
    task = PatternGait(goals=(Place(9.0, 9.0), Place(0.97, 0.44)))
    assert gait_figures(robot, task, None, qpos) == {"task_error_mm": pytest.approx(50.0)}
