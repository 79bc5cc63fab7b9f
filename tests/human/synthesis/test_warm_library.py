"""Solved gaits as starts: blends near what is asked, without dimensions, on any mesh."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.problem.criteria import named_criteria
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.synthesis.initial_guess import guessed_step
from strut.human.synthesis.synthesize import SynthesisRequest
from strut.human.synthesis.warm_library import FEATURE_SCALE, WarmLibrary, blend_shares, features, warm_library
from strut.models.subject import subject
from strut.ocp.collocation import DirectCollocation
from strut.ocp.interior_point import BOUND_PUSH, SOLVED_BARRIER, SolverOptions
from strut.ocp.layout import Layout
from strut.ocp.trajectory import variables_of

COARSE = (6, 5, 3, 3)  # coarser ones have a second, dearer optimum for guessed steps


def request_of(robot, speed_m_s):
    options = named_gait_options(robot, [HUMAN])
    return SynthesisRequest(robot, named_criteria(robot, "natural"), options, speed_m_s)


def asked(robot, speed_m_s):
    return features(robot, speed_m_s, robot.expression.neutral_style())


def test_a_blend_takes_neighbours_in_proportion_and_leaves_out_what_is_far():
    known = np.zeros((4, len(FEATURE_SCALE)))
    known[:, 0] = 0.30, 0.36, 0.60, 0.33
    known[3, 3] = 1.0  # a step that bends far forwards
    assert_allclose(blend_shares(known, known[1]), [0.0, 1.0, 0.0, 0.0], atol=1e-6)
    between, beyond = np.zeros((2, len(FEATURE_SCALE)))
    between[0] = 0.345
    beyond[0] = 0.9
    assert_allclose(blend_shares(known, between), [0.25, 0.75, 0.0, 0.0], atol=1e-9)
    assert_allclose(blend_shares(known, beyond), [0.0, 0.0, 1.0, 0.0], atol=1e-6)


def test_what_is_kept_comes_back_for_the_same_walker(gait, heiman):
    path = gait.trajectory
    library = WarmLibrary.of([(heiman, path, asked(heiman, 1.3))], [phase.intervals for phase in path.problem.phases])
    back = library.initial_guess(heiman, path.problem, asked(heiman, 1.3))
    for name in ("time_s", "q", "u", "force_n", "duration_s"):
        assert_allclose(getattr(back, name), getattr(path, name), rtol=1e-9, atol=1e-9, err_msg=name)
    assert_allclose(back.v, path.v, atol=1e-3)  # of the splines through an exact movement
    assert_allclose(np.concatenate(list(back.impulse_n_s.values())), np.concatenate(list(path.impulse_n_s.values())))
    assert back.parameter["step_length_m"] == pytest.approx(gait.step_length_m)


def test_a_body_of_another_size_gets_its_own_lengths_times_and_forces(heiman):
    small = subject(1.55, 52.0)
    pace = 1.3
    size = small.subject.standing_pelvis_height_m / heiman.subject.standing_pelvis_height_m
    wanted = asked(heiman, pace)
    ours, theirs = (
        warm_library().initial_guess(robot, request_of(robot, 1.2).problem(COARSE), wanted) for robot in (heiman, small)
    )
    assert_allclose(theirs.q[:, 3:], ours.q[:, 3:])
    assert_allclose(theirs.q[:, :3], size * ours.q[:, :3])
    assert_allclose(theirs.duration_s, size**0.5 * ours.duration_s)
    assert_allclose(theirs.force_n, small.mass_kg / heiman.mass_kg * ours.force_n)


@pytest.mark.parametrize("mesh", [COARSE, (14, 11, 6, 6)])
def test_blends_keep_the_equations_of_any_mesh(heiman, mesh):
    problem = request_of(heiman, 1.24).problem(mesh)
    start = warm_library().initial_guess(heiman, problem, asked(heiman, 1.24))
    step = np.diff(start.time_s)[:, None]
    inside = np.diff(start.phase_of) == 0
    now = slice(None, -1)
    then = slice(1, None)  # accelerations are straight between nodes
    speed = start.v[now] + step * (start.a[now] + start.a[then]) / 2.0
    place = start.q[now] + step * start.v[now] + step**2 * (2.0 * start.a[now] + start.a[then]) / 6.0
    assert_allclose(speed[inside], start.v[then][inside], atol=1e-9)
    assert_allclose(place[inside], start.q[then][inside], atol=1e-9)
    continuous = [phase.arrival == "continuous" for phase in problem.phases[1:]]
    borders = np.flatnonzero(~inside)[continuous]
    assert_allclose(start.v[borders], start.v[borders + 1], atol=1e-9)


def test_steps_of_another_kind_are_not_blended():
    library = warm_library()
    wanted = np.zeros(len(FEATURE_SCALE))
    kinds = [[0.25, 0.25, 0.25, 0.25]] * 2 + [[0.4, 0.2, 0.2, 0.2]]  # the last stands longer on a flat foot
    known = np.zeros((3, len(FEATURE_SCALE)))
    known[:, 0] = 0.30, 0.36, 0.40
    wanted[0] = 0.37
    apart = replace(library, features=known, duration=np.array(kinds))
    assert_allclose(apart.shares(wanted), [0.0, 1.0, 0.0], atol=1e-9)
    assert_allclose(replace(apart, duration=np.ones((3, 4))).shares(wanted), [0.0, 0.75, 0.25], atol=1e-9)


@pytest.fixture(scope="module")
def program(heiman):
    return DirectCollocation(request_of(heiman, 1.24).problem(COARSE))


def test_the_library_begins_nearer_to_the_equations_of_motion_than_a_guessed_step(program, heiman):
    starts = (
        warm_library().initial_guess(heiman, program.problem, asked(heiman, 1.24)),
        guessed_step(heiman, program.problem, 1.24),
    )
    off = [_off(program, variables_of(Layout(program.problem), start)) for start in starts]
    assert off[0] < 0.2 * off[1]


def _off(program, x):
    rows, _ = program.assembly.linear(x)
    beyond = np.maximum(np.maximum(program.assembly.lower - rows, rows - program.assembly.upper), 0.0)
    return float(np.sqrt(np.mean(beyond**2)))


def test_both_starts_end_in_the_same_optimum(program, heiman):
    warm = program.solve(
        warm_library().initial_guess(heiman, program.problem, asked(heiman, 1.24)),
        options=SolverOptions(initial_barrier=SOLVED_BARRIER, bound_push=BOUND_PUSH),
    )
    cold = program.solve(guessed_step(heiman, program.problem, 1.24), options=SolverOptions(adaptive_barrier=True))
    assert warm.cost == pytest.approx(cold.cost, rel=5e-4)  # the solver's tolerance leaves them 2e-4 apart
    assert_allclose(warm.trajectory.q, cold.trajectory.q, atol=0.02)


def test_the_usual_gait_starts_from_solved_gaits_and_says_so(gait):
    assert gait.attempts[0].startswith("start 0 from solved gaits: ")
    assert gait.solution.iterations <= 15  # many more, and the library no longer fits the criteria: make it again


def test_the_library_knows_what_it_holds(heiman):
    assert warm_library().holds(asked(heiman, 1.3))
    assert not warm_library().holds(asked(heiman, 1.37))


def test_other_criteria_and_manners_start_from_a_guessed_step(heiman):
    usual = request_of(heiman, 1.3)
    assert usual.has_solved_gaits
    assert not replace(usual, weights=named_criteria(heiman, "multi")).has_solved_gaits
    assert not replace(usual, options=replace(usual.options, posture=False)).has_solved_gaits
    bent = replace(usual.options.style, trunk_pitch_rad=0.9)  # nobody has walked like that
    assert not replace(usual, options=replace(usual.options, style=bent)).has_solved_gaits
