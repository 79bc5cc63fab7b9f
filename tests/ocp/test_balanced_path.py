"""Balanced path: time scales, weights and the pendulum, on a point mass whose answer can be computed by hand."""

import numpy as np
import pytest

from strut.balance.polygon import convex_hull
from strut.ocp import balanced_path
from strut.ocp.balanced_path import BalancedPathProgram, PathProblem, blending, pendulum_zmp, second_difference

HALF_M = np.array([0.08, 0.13])
FRAME_S = 0.04


def problem_of(com_m, key):
    corners = HALF_M * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    return PathProblem(com_m, np.array(key), FRAME_S, [convex_hull(corners).edges] * len(com_m), 0.4)


def sway_problem(width_m=0.1, frames=13):
    rest = np.zeros(10)
    smooth = np.linspace(0.0, 1.0, frames) ** 2 * (3.0 - 2.0 * np.linspace(0.0, 1.0, frames))
    y = np.concatenate([rest, width_m * smooth, np.full(10, width_m)])
    com = np.column_stack([np.zeros_like(y), y, np.full_like(y, 0.7)])
    return problem_of(com, [0, 10, 9 + frames, len(y) - 1])


def solved(problem):
    nothing = np.zeros((len(problem.com_m), 2))
    ones = np.ones(len(problem.key) - 1)
    return BalancedPathProgram(problem).solve(problem.as_drawn, nothing, ones)


def margin(problem, path):
    zmp = pendulum_zmp(np.column_stack([path.com_m, problem.com_m[:, 2]]), np.diff(path.time_s))
    return (HALF_M - np.abs(zmp)).min()


def test_what_stands_as_drawn_stays_as_drawn():
    problem = sway_problem(width_m=0.03, frames=40)
    path = solved(problem)
    np.testing.assert_allclose(path.com_m, problem.com_m[:, :2], atol=1e-4)
    np.testing.assert_allclose(path.stretch, 1.0, atol=1e-3)
    np.testing.assert_allclose(path.time_s, FRAME_S * np.arange(60), atol=5e-3)


def test_a_drawing_is_itself_a_path_that_costs_nothing():
    drawn = sway_problem().as_drawn
    assert (drawn.solved, drawn.cost, drawn.iterations) == (True, 0.0, 0)
    np.testing.assert_allclose(drawn.stretch, 1.0)


def test_what_the_whole_body_adds_to_a_pendulum_stays_inside_too_and_shrinks_where_it_is_slowed_down():
    problem = sway_problem(width_m=0.06)
    moment_m = np.zeros((len(problem.com_m), 2))
    moment_m[10:23, 1] = 0.07  # a pressure that the limbs move to the left while the body does
    path = BalancedPathProgram(problem).solve(problem.as_drawn, moment_m, np.ones(3))
    assert path.solved
    step_s = np.diff(path.time_s)
    slower = np.concatenate([step_s[:1], step_s])[:, None] / FRAME_S
    pendulum = pendulum_zmp(np.column_stack([path.com_m, problem.com_m[:, 2]]), step_s)
    assert (HALF_M - np.abs(pendulum + moment_m / slower**2)).min() == pytest.approx(0.0, abs=1e-4)
    assert slower.max() > 1.02


def test_what_would_tip_over_is_slowed_down_and_made_smaller_until_it_does_not():
    problem = sway_problem()
    assert margin(problem, problem.as_drawn) < -0.05
    path = solved(problem)
    assert path.solved
    assert margin(problem, path) > -1e-5
    assert ((path.stretch >= 1.0 - 1e-6) & (path.stretch <= 4.0 + 1e-6)).all()
    assert path.stretch[1] == path.stretch.max() > 1.05


def test_heavier_keyframes_are_met_more_nearly(monkeypatch):
    problem = sway_problem()
    weighted = np.abs(solved(problem).com_m - problem.com_m[:, :2]).max(axis=1)[problem.key].max()
    monkeypatch.setattr(balanced_path, "KEYFRAME", balanced_path.FRAME)
    monkeypatch.setattr(balanced_path, "LAST", balanced_path.FRAME)
    equal = np.abs(solved(problem).com_m - problem.com_m[:, :2]).max(axis=1)[problem.key].max()
    assert weighted < 0.9 * equal


def test_time_scales_go_over_smoothly_and_cover_every_step_once():
    mix = blending(np.array([0, 20, 30, 60]))
    assert mix.shape == (60, 3)
    np.testing.assert_allclose(mix.sum(axis=1), 1.0)
    np.testing.assert_allclose(mix[:15, 0], 1.0)
    assert np.abs(np.diff(mix @ [1.0, 2.0, 1.0])).max() < 0.25


def test_accelerations_of_uneven_frames_are_those_of_a_parabola():
    step_s = np.array([0.03, 0.05, 0.04, 0.06])
    time_s = np.concatenate([[0.0], np.cumsum(step_s)])
    np.testing.assert_allclose(second_difference(1.5 * time_s[:, None] ** 2, step_s)[1:-1], 3.0)


def test_an_impossible_path_is_said_to_be_unsolved():
    problem = sway_problem()
    far = problem.com_m.copy()
    far[:, 2] = np.where(np.arange(len(far)) % 2, 0.7, 1.7)  # up and down by a metre, every frame
    assert not solved(PathProblem(far, problem.key, FRAME_S, problem.edges, problem.slope)).solved


@pytest.mark.parametrize("width_m", [0.02, 0.06, 0.1])
def test_stretch_grows_with_the_movement(width_m):
    assert solved(sway_problem(width_m + 0.02)).stretch[1] >= solved(sway_problem(width_m)).stretch[1] - 0.01
