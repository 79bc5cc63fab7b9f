"""Gait solver: feet stay where they are planned, balls roll, and the zero-moment point is where the plan has it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.balance.centre_of_pressure import cop_of_wrench
from strut.engines.inverse_dynamics import ground_reaction
from strut.engines.task_jacobians import task_jacobians
from strut.gaits.pattern.gait_plan import planned_zmp
from strut.gaits.pattern.gait_solver import SolvedGait, SolverEffort, resample_gait, solve_gait
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.styled_gait import StyledGait
from strut.style import Style
from strut.verify.measure import audit
from tests.adoption.small_robots import biped, import_robot, quadruped

TWO_ROUNDS = SolverEffort(rounds=2)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("two"), "biped.urdf")[0]


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    return import_robot(quadruped(), tmp_path_factory.mktemp("four"))[0]


def styled_gait(robot, **style):
    return StyledGait.upright(robot, PatternGait(cycles=2), Style(**style)).at_fallback(4)


def solved(gait, rate_hz=50.0, **options):
    """Return a plan of two cycles, the posture of its body, and its solution."""
    plan = gait.plan(rate_hz, cycles=2)
    posture = gait.body_posture(plan)
    guess_qpos = gait.initial_guess(plan, posture)
    return plan, posture, solve_gait(gait.robot, plan, posture, guess_qpos, length_m=gait.stance.height_m, **options)


@pytest.fixture(scope="module")
def biped_gait(two):
    return solved(styled_gait(two, lift=1.5), effort=TWO_ROUNDS)


def test_the_errors_of_a_gait_are_those_of_its_own_samples(two, biped_gait):
    plan, posture, gait = biped_gait
    now = task_jacobians(two, gait.solution.qpos)
    error_m = np.linalg.norm(now.foot_in_world - plan.foot_in_world, axis=-1)  # soles do not roll
    assert_allclose(gait.solution.foot_error_m, error_m, atol=1e-12)
    com_target = np.column_stack([gait.com_m, posture.height_m])
    com_error_m = np.linalg.norm(now.com_in_world - com_target, axis=-1)
    assert_allclose(gait.solution.com_error_m, com_error_m, atol=1e-12)


def test_stance_feet_stay_in_place_and_swing_feet_near_their_paths(biped_gait):
    plan, posture, gait = biped_gait
    error_m = gait.solution.foot_error_m
    is_stance = plan.schedule.contact
    assert error_m[is_stance].max() < 3e-4
    assert 1e-3 < error_m[~is_stance].max() < 0.01 * posture.height_m.mean()


def test_stance_soles_stay_flat(two, biped_gait):
    plan, _, gait = biped_gait
    up = task_jacobians(two, gait.solution.qpos).foot_rotation[..., 2, 2]
    assert np.arccos(np.clip(up[plan.schedule.contact], -1.0, 1.0)).max() < 0.01


@pytest.mark.parametrize("name", ["two", "four"])
def test_each_round_brings_the_zero_moment_point_nearer_to_its_plan(request, name):
    gait = styled_gait(request.getfixturevalue(name))

    def zmp_error_m(rounds):
        plan, _, result = solved(gait, effort=SolverEffort(rounds=rounds))
        reaction = ground_reaction(gait.robot, plan.time_s, result.solution.qpos)
        error_m = cop_of_wrench(reaction.force_n, reaction.moment_nm) - planned_zmp(plan)
        return float(np.sqrt(np.mean(np.sum(error_m**2, axis=1))))

    errors_m = [zmp_error_m(rounds) for rounds in (0, 1, 3)]
    assert errors_m[2] < errors_m[1] < errors_m[0]
    assert errors_m[2] < 0.01 * gait.stance.height_m


def test_spherical_feet_roll_without_slipping(four):
    """The audit measures slip with rolling feet; their centres do move."""
    plan, _, gait = solved(styled_gait(four), effort=TWO_ROUNDS)
    qpos = gait.solution.qpos
    contact = plan.schedule.contact
    assert audit(four, plan.time_s, qpos, contact).slip_m.max() < 1e-3
    feet_m = task_jacobians(four, qpos).foot_in_world
    displacement_m = (feet_m - plan.foot_in_world)[contact]
    assert np.abs(displacement_m[:, :2]).max() > 1e-3
    assert np.abs(displacement_m[:, 2]).max() < 1e-3


def test_a_hopeless_solution_is_not_improved(two):
    plan, _, gait = solved(styled_gait(two), is_hopeless=lambda _: True)
    _, _, without_rounds = solved(styled_gait(two), effort=SolverEffort(rounds=0))
    assert_allclose(gait.solution.qpos, without_rounds.solution.qpos, atol=1e-3)
    assert_allclose(gait.com_m, without_rounds.com_m, atol=1e-12)
    assert len(gait.time_s) == len(plan.time_s)


def test_a_path_of_the_centre_of_mass_is_followed(two):
    gait = styled_gait(two)
    _, _, first = solved(gait, effort=SolverEffort(rounds=1))
    path_m = first.com_m + np.array([0.002, -0.001])
    plan, posture, again = solved(gait, com_m=path_m, effort=SolverEffort(rounds=0))
    assert_allclose(again.com_m, path_m)
    com_m = task_jacobians(two, again.solution.qpos).com_in_world
    assert_allclose(com_m, np.column_stack([path_m, posture.height_m]), atol=2e-3)
    assert len(plan.time_s) == len(com_m)


def test_a_resampled_gait_is_the_coarse_one_with_more_samples(two, biped_gait):
    styled = styled_gait(two, lift=1.5)
    coarse_plan, _, coarse = biped_gait
    plan = styled.plan(100.0, cycles=2)
    posture = styled.body_posture(plan)
    fine = resample_gait(two, coarse, plan, posture, length_m=styled.stance.height_m)
    assert_allclose(plan.time_s[::2], coarse_plan.time_s)
    assert np.abs(fine.qpos[::2] - coarse.solution.qpos).max() < 0.02
    assert fine.foot_error_m[plan.schedule.contact].max() < 1e-3


def test_a_gait_between_its_samples_has_unit_quaternions_and_rests_at_both_ends():
    time_s = np.linspace(0.0, 1.0, 6)
    angle = 0.3 * time_s
    zeros = np.zeros(6)
    qpos = np.column_stack([time_s, zeros, zeros, np.cos(angle), np.sin(angle), zeros, zeros, 5.0 + time_s**2])
    com_m = np.column_stack([2.0 * time_s, -time_s])
    gait = SolvedGait(time_s, SimpleNamespace(qpos=qpos), com_m)
    resampled_qpos, resampled_com_m = gait.at(np.array([0.0, 0.5, 1.0, 1.3]))
    assert_allclose(np.linalg.norm(resampled_qpos[:, 3:7], axis=1), 1.0, atol=1e-12)
    assert_allclose(resampled_qpos[:, 7], [5.0, 5.25, 6.0, 6.0], atol=0.02)
    assert_allclose(resampled_com_m, [[0.0, 0.0], [1.0, -0.5], [2.0, -1.0], [2.0, -1.0]], atol=1e-9)


def test_a_gait_does_not_depend_on_the_time_at_which_it_begins(four):
    gait = styled_gait(four)
    plan, posture, now = solved(gait, 25.0, effort=SolverEffort(rounds=1))
    later_plan = replace(plan, time_s=4.0 + plan.time_s)
    guess_qpos = gait.initial_guess(later_plan, posture)
    later = solve_gait(
        four, later_plan, posture, guess_qpos, length_m=gait.stance.height_m, effort=SolverEffort(rounds=1)
    )
    assert_allclose(later.solution.qpos, now.solution.qpos, atol=1e-9)
