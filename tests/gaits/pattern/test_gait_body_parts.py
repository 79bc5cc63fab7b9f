"""Parts of a solved gait: how firmly feet keep flat, how balls roll about their footprints, and answers to a miss."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation

from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.pendulum import pendulum_com
from strut.engines.contact_slip import rolling_displacement
from strut.engines.inverse_dynamics import ground_reaction
from strut.gaits.pattern import gait_body
from strut.gaits.pattern.gait_body import (
    SolvedGait,
    _about_middles,
    _answer,
    _hold,
    _rolled,
    _smoothed,
    _targets,
    _wanted_zmp,
    resampled_gait,
    solved_gait,
)
from strut.gaits.pattern.gait_drafts import GaitDrafts
from strut.gaits.pattern.gait_plan import planned_zmp
from strut.gaits.pattern.request import PatternGait
from strut.maths.easing import smooth_step
from strut.style import Style
from tests.adoption.small_robots import biped, import_robot, quadruped


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    return import_robot(quadruped(), tmp_path_factory.mktemp("four"))[0]


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("two"), "biped.urdf")[0]


def posture_of(robot, cycles=2, rate_hz=25.0):
    body = GaitDrafts(robot, PatternGait(cycles=cycles), 50.0)._body(Style()).with_fallback(0.94, 1.0)
    plan = body.plan(rate_hz, cycles=cycles)
    posture = body.body_posture(plan)
    return body, plan, posture, body.start(plan, posture)


def told(robot, targets, qpos):
    """Return a solution that remembers what it was compared with."""
    return SimpleNamespace(qpos=qpos, targets=targets)


def test_feet_keep_flat_on_the_ground_and_hardly_in_the_middle_of_a_swing():
    plan = SimpleNamespace(schedule=SimpleNamespace(share=np.array([[0.0, 0.5], [0.25, 1.0]])))
    assert_allclose(_hold(plan), [[1.0, 3e-4], [3e-4 ** (1.0 - 0.25**2), 1.0]])


def test_a_ball_rolls_about_the_middle_of_each_stance_and_goes_over_smoothly_in_a_swing():
    down = np.array([1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1], dtype=bool)
    travel = np.column_stack([np.arange(13.0) ** 2, -np.arange(13.0), np.zeros(13)])
    rolled = _about_middles(travel, down)
    assert_allclose(rolled[:3], travel[:3] - travel[0])
    assert_allclose(rolled[5:10], travel[5:10] - travel[7])
    assert_allclose(rolled[11:], travel[11:] - travel[12])
    for k, share in ((3, 1.0 / 3.0), (4, 2.0 / 3.0)):
        progress = smooth_step(np.array(share))
        assert_allclose(rolled[k], (1.0 - progress) * rolled[2] + progress * rolled[5])
    assert_allclose(rolled[10], 0.5 * (rolled[9] + rolled[11]))


def test_only_balls_roll_and_only_along_the_ground(four, two):
    _, plan, _, start = posture_of(four)
    qpos = start.copy()
    tilt = 0.1 * np.sin(plan.time_s)
    turned = Rotation.from_quat(qpos[:, 3:7], scalar_first=True) * Rotation.from_rotvec(np.outer(tilt, [0.3, 1.0, 0.2]))
    qpos[:, 3:7] = turned.as_quat(scalar_first=True)
    rolled = _rolled(four, plan, qpos)
    for foot in range(4):
        travel = rolling_displacement(four, [four.feet[foot].points[0]], qpos)[:, 0]
        expected = _about_middles(travel, plan.schedule.contact[:, foot])
        assert_allclose(rolled[:, foot, :2], expected[:, :2], atol=1e-12)
    assert np.abs(rolled).max() > 1e-4
    assert not rolled[..., 2].any()
    _, plan, _, start = posture_of(two)
    assert not _rolled(two, plan, start).any()


def test_targets_have_feet_where_they_have_rolled_and_the_mass_at_its_height(four):
    _, plan, posture, _ = posture_of(four)
    plan = replace(plan, foot_yaw_rad=plan.foot_yaw_rad + np.array([0.1, -0.2, 0.3, 0.0]))
    com = np.random.default_rng(0).normal(size=(2, len(plan.time_s), 2))[0]
    rolling = np.full(plan.foot_in_world.shape, 0.01)
    targets = _targets(plan, posture, com, rolling)
    assert_allclose(targets.foot_in_world, plan.foot_in_world + 0.01)
    for foot, yaw in enumerate((0.1, -0.2, 0.3, 0.0)):
        c = np.cos(plan.foot_yaw_rad[0, foot])
        s = np.sin(plan.foot_yaw_rad[0, foot])
        assert plan.foot_yaw_rad[0, foot] == pytest.approx(yaw, abs=0.2)
        assert_allclose(targets.foot_rotation[0, foot], [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], atol=1e-12)
    assert_allclose(targets.com_in_world, np.column_stack([com, posture.height_m]))
    assert targets.base_rotation is posture.base_rotation
    assert targets.joint_rad is posture.joint_rad


def test_a_pendulum_answers_what_the_pressure_misses_but_no_jolt(four):
    _, plan, posture, start = posture_of(four)
    rolling = np.full(plan.foot_in_world.shape, 0.02)
    moved = replace(plan, push_in_world=plan.push_in_world + 0.02)
    assert_allclose(_wanted_zmp(plan, rolling), planned_zmp(moved))
    reaction = ground_reaction(four, plan.time_s, start)
    miss = planned_zmp(moved) - cop_of_wrench(reaction.force_n, reaction.moment_nm)
    most = 0.1 * posture.height_m.mean()
    assert np.abs(miss).max() > most  # something is cut off
    step_s = plan.time_s[1] - plan.time_s[0]
    expected = pendulum_com(np.clip(miss, -most, most), posture.height_m, step_s=step_s, gravity_m_s2=9.81)
    assert_allclose(_answer(four, plan, posture, rolling, start), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["four", "two"])
def test_gaits_are_smoothed_over_the_time_in_which_a_joint_comes_to_its_stop(request, name):
    robot = request.getfixturevalue(name)
    _, plan, posture, start = posture_of(robot)
    targets = _targets(plan, posture, start[:, :2], np.zeros_like(plan.foot_in_world))
    noisy = start + 0.01 * np.random.default_rng(1).normal(size=start.shape)
    found_qpos = _smoothed(robot, plan, targets, noisy)
    spread = (
        {"four": 0.03, "two": 0.05}[name] * np.sqrt(posture.height_m.mean() / 9.81) / (plan.time_s[1] - plan.time_s[0])
    )
    expected = gaussian_filter1d(noisy, spread, axis=0, mode="nearest")
    expected[:, 3:7] /= np.linalg.norm(expected[:, 3:7], axis=1, keepdims=True)
    assert_allclose(found_qpos, expected, atol=1e-12)


def test_rounds_answer_from_where_the_round_before_ended_until_it_is_enough(two, monkeypatch):
    _, plan, posture, start = posture_of(two)
    solves = []
    answers = []

    def solve(robot, targets, qpos, *, length_m, converged, progress, iterations):
        solves.append((targets, qpos, iterations, (length_m, progress), converged))
        return qpos + 1.0

    def answer(robot, plan, posture, rolling, qpos):
        answers.append(qpos)
        return np.full((len(plan.time_s), 2), 0.01 * len(answers))

    monkeypatch.setattr(gait_body, "whole_body_qpos", solve)
    monkeypatch.setattr(gait_body, "evaluate_solution", told)
    monkeypatch.setattr(gait_body, "_smoothed", lambda robot, plan, targets, qpos: qpos)
    monkeypatch.setattr(gait_body, "_answer", answer)
    first = pendulum_com(planned_zmp(plan), posture.height_m, step_s=0.04, gravity_m_s2=9.81)
    gait = solved_gait(two, plan, posture, start, length_m=0.7, progress=0.02)
    assert_allclose(gait.com_m, first + 0.01 + 0.02 + 0.03, atol=1e-9)
    assert [iterations for _, _, iterations, _, _ in solves] == [20, 12, 12, 12]
    assert [converged for *_, converged in solves] == [1e-5, 1e-5, 1e-5, 1e-7]  # the last settles what is left
    assert {options for *_, options, _ in solves} == {(0.7, 0.02)}
    for k, (targets, qpos, *_) in enumerate(solves):
        assert_allclose(qpos, start + k)
        assert_allclose(targets.com_in_world[:, :2], first + 0.01 * k * (k + 1) / 2.0, atol=1e-9)
    assert_allclose(gait.solved.qpos, start + 4.0)
    assert gait.solved.targets is solves[-1][0]
    assert_allclose(answers, [start + 1.0, start + 2.0, start + 3.0])
    solves.clear()
    solved_gait(two, plan, posture, start, length_m=0.7, ends=lambda found_: found_.qpos[0, 0] > start[0, 0] + 1.5)
    assert len(solves) == 2


def test_who_was_carried_before_begins_with_the_path_of_its_mass(two, monkeypatch):
    _, plan, posture, start = posture_of(two)
    solves = []

    def solve(robot, targets, qpos, *, length_m, converged, progress, iterations):
        solves.append((targets, converged))
        return qpos

    monkeypatch.setattr(gait_body, "whole_body_qpos", solve)
    monkeypatch.setattr(gait_body, "evaluate_solution", told)
    com = np.column_stack([np.sin(plan.time_s), np.cos(plan.time_s)])
    gait = solved_gait(two, plan, posture, start, length_m=0.7, com_m=com, rounds=0)
    ((targets, converged),) = solves
    assert_allclose(targets.com_in_world[:, :2], com)
    assert_allclose(gait.com_m, com)
    assert converged == 1e-7  # no round follows that would settle the rest


def test_a_finer_gait_is_the_coarse_one_between_its_samples_answered_once_more(two, monkeypatch):
    body, coarse, _, start = posture_of(two)
    plan = body.plan(50.0, cycles=2)
    solves = []
    answered = []

    def solve(robot, targets, qpos, *, length_m, iterations):
        solves.append((targets, qpos, iterations))
        return qpos + 1.0

    def answer(robot, plan, posture, rolling, qpos):
        answered.append(qpos)
        return np.full((len(plan.time_s), 2), 0.05)

    monkeypatch.setattr(gait_body, "whole_body_qpos", solve)
    monkeypatch.setattr(gait_body, "evaluate_solution", told)
    monkeypatch.setattr(gait_body, "_smoothed", lambda robot, plan, targets, qpos: qpos + 0.25)
    monkeypatch.setattr(gait_body, "_answer", answer)
    com = np.column_stack([np.sin(coarse.time_s), np.cos(coarse.time_s)])
    gait = SolvedGait(SimpleNamespace(qpos=start), com)
    finer = resampled_gait(two, coarse, gait, plan, body.body_posture(plan), length_m=0.7)
    (first, qpos, few), (second, again, many) = solves
    assert (few, many) == (3, 12)
    inner = (plan.time_s > 0.3) & (plan.time_s < coarse.time_s[-1] - 0.3)
    assert_allclose(first.com_in_world[inner, 0], np.sin(plan.time_s)[inner], atol=1e-4)
    assert_allclose(second.com_in_world[:, :2] - first.com_in_world[:, :2], 0.05, atol=1e-12)
    assert_allclose(qpos[::2][: len(start)], start[: len(qpos[::2])], atol=1e-4)
    assert_allclose(np.linalg.norm(qpos[:, 3:7], axis=1), 1.0, atol=1e-12)
    assert_allclose(answered, [qpos + 1.25])
    assert_allclose(again, qpos + 1.0)  # smoothed once, at the end
    assert_allclose(finer.qpos, qpos + 2.25)
    assert finer.targets is second


def test_a_gait_between_its_samples_has_attitudes_and_rests_at_both_ends():
    time_s = np.linspace(0.0, 1.0, 6)
    angle = 0.3 * time_s
    qpos = np.column_stack([time_s, 0.0 * time_s, 0.0 * time_s, np.cos(angle), np.sin(angle), 0.0 * time_s])
    qpos = np.column_stack([qpos, 0.0 * time_s, 5.0 + time_s**2])
    com = np.column_stack([2.0 * time_s, -time_s])
    found_qpos, found_com = SolvedGait(SimpleNamespace(qpos=qpos), com).at(time_s, np.array([0.0, 0.5, 1.0, 1.3]))
    assert_allclose(np.linalg.norm(found_qpos[:, 3:7], axis=1), 1.0, atol=1e-12)
    assert_allclose(found_qpos[:, 7], [5.0, 5.25, 6.0, 6.0], atol=0.02)
    assert_allclose(found_com, [[0.0, 0.0], [1.0, -0.5], [2.0, -1.0], [2.0, -1.0]], atol=1e-9)


def test_a_gait_is_the_same_whenever_it_begins(four):
    _, plan, posture, start = posture_of(four)
    later = replace(plan, time_s=4.0 + plan.time_s)
    targets = _targets(plan, posture, start[:, :2], np.zeros_like(plan.foot_in_world))
    assert_allclose(_smoothed(four, later, targets, start), _smoothed(four, plan, targets, start), atol=1e-9)
    rolling = np.zeros_like(plan.foot_in_world)
    answers = [_answer(four, one, posture, rolling, start) for one in (plan, later)]
    assert_allclose(answers[1], answers[0], atol=1e-9)
