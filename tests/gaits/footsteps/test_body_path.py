"""Body paths: nine masses against MuJoCo, published critical times, and the margin that is kept at speed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from strut.balance.centre_of_pressure import GRAVITY_M_S2, cop_of_wrench, zero_moment_point
from strut.engines.inverse_dynamics import ground_reaction
from strut.engines.rigid_body import foot_contact_points
from strut.errors import UnreachablePostureError
from strut.gaits.footsteps.biped_model import biped_model
from strut.gaits.footsteps.body_path import (
    dynamic_margin_m,
    effective_height_m,
    lean_of,
    posture_targets,
    sole_points,
    solve_step_plan,
    static_margin_m,
)
from strut.gaits.footsteps.footsteps import StepLimits, footsteps_to, standing
from strut.gaits.footsteps.phases import PhaseTimes, step_plan
from strut.place import Place
from strut.reproduction.alice import variant, walking_margin_m
from tests.alice import ALICE, LEGS, targets_cm

HERE = Place(0.0, 0.0)
LIMITS = StepLimits(0.04, 0.025, math.radians(20.0), LEGS.separation_m)


def plan_to(goal, times, rate_hz=100.0):
    steps = footsteps_to(HERE, [goal], LIMITS)
    return step_plan(steps, standing(HERE, LEGS.separation_m), times, step_height_m=0.015, rate_hz=rate_hz)


def test_zero_moment_point_of_masses_at_rest_is_under_their_centre():
    masses = np.array([[[0.0, 0.1, 1.0], [0.3, -0.2, 0.5]]] * 5)
    zmp = zero_moment_point(np.array([1.0, 3.0]), masses, 0.01)
    np.testing.assert_allclose(zmp, np.tile([0.225, -0.125], (5, 1)), atol=1e-15)


def test_zero_moment_point_of_an_accelerating_mass_is_behind_it():
    time_s = np.arange(50) * 0.01
    x = 0.5 * 2.0 * time_s**2
    masses = np.stack([x, np.zeros(50), np.full(50, 0.3)], axis=1)[:, None]
    zmp = zero_moment_point(np.array([2.0]), masses, 0.01)
    np.testing.assert_allclose(zmp[1:-1, 0], (x - 0.3 * 2.0 / GRAVITY_M_S2)[1:-1], atol=1e-12)


def test_nine_masses_press_where_the_whole_model_does():
    body = solve_step_plan(LEGS, plan_to(Place(0.1, 0.05, 0.6), PhaseTimes(0.4, 0.6, 0.8)), 0.22)
    reaction = ground_reaction(ALICE, body.plan.time_s, body.qpos)
    whole = cop_of_wrench(reaction.force_n, reaction.moment_nm)
    assert np.abs(whole - body.zmp_in_world).max() < 1e-3  # rods have inertia, points do not


@pytest.mark.parametrize(("torso_cm", "height_cm"), [(0.0, 19.75), (15.0, 31.0)])
def test_heavy_feet_make_the_body_press_from_higher_up(torso_cm, height_cm):
    legs = biped_model(variant(ALICE, torso_m=torso_cm / 100.0, half_width_m=0.035))
    assert effective_height_m(legs, targets_cm()) * 100.0 == pytest.approx(height_cm, abs=0.1)


@pytest.mark.parametrize(
    ("torso_cm", "half_cm", "critical_s"), [(0.0, 3.5, 0.514), (15.0, 3.5, 0.644), (0.0, 2.5, 0.598)]
)
def test_published_walk_loses_its_margin_at_the_critical_phase_time(torso_cm, half_cm, critical_s):
    robot = variant(ALICE, torso_m=torso_cm / 100.0, half_width_m=half_cm / 100.0)
    assert walking_margin_m(robot, 0.02, critical_s - 0.004) < 0.0 < walking_margin_m(robot, 0.02, critical_s + 0.004)


def test_critical_time_solves_its_equation():
    separation_m = 0.0898
    height_m = 0.1975
    half_m = 0.035
    phase_s = 0.513
    share = np.linspace(0.0, 1.0, 5001)
    path = share**3 * (10.0 + share * (6.0 * share - 15.0))
    bend = 60.0 * share - 180.0 * share**2 + 120.0 * share**3
    beyond = separation_m * (height_m / GRAVITY_M_S2 * bend / phase_s**2 - path)
    assert beyond.max() == pytest.approx(half_m, abs=1e-4)


@pytest.mark.parametrize(("step_cm", "speed", "margin_cm"), [(2.0, 1.0, 2.75), (2.0, 1.5, 1.55), (1.0, 1.0, -0.22)])
def test_margin_falls_with_speed_as_the_reference_says(step_cm, speed, margin_cm):
    robot = variant(ALICE, torso_m=0.0, half_width_m=0.035)
    margin_m = walking_margin_m(robot, step_cm / 100.0, step_cm / speed / 2.0)
    assert margin_m * 100.0 == pytest.approx(margin_cm, abs=0.03)


def test_static_plan_keeps_half_the_foot_while_swinging():
    body = solve_step_plan(LEGS, plan_to(Place(0.12, 0.0), PhaseTimes(2.0, 2.0, 2.0), 25.0), 0.22, law="mass")
    single = body.plan.contact.sum(axis=1) == 1
    static = static_margin_m(ALICE, body)
    np.testing.assert_allclose(static[single], np.full(single.sum(), 0.035), atol=1e-12)
    assert static.min() == pytest.approx(0.035, abs=1e-12)


@pytest.mark.parametrize("phase_s", [0.6, 0.35, 0.25])
def test_planned_pressure_keeps_the_margin_that_the_published_walk_loses(phase_s):
    times = PhaseTimes(phase_s, phase_s, 0.8)
    plan = plan_to(Place(0.2, 0.0), times)
    ours = solve_step_plan(LEGS, plan, 0.22)
    published = solve_step_plan(LEGS, plan, 0.22, law="mass")
    assert dynamic_margin_m(ALICE, ours).min() > 0.033
    assert dynamic_margin_m(ALICE, published).min() < 0.0


def test_a_body_that_leads_its_pressure_sways_less():
    times = PhaseTimes(0.2, 0.3, 0.8)
    plan = plan_to(Place(0.2, 0.0), times)
    swing = [np.ptp(solve_step_plan(LEGS, plan, 0.22, law=law).joint_in_world[:, 3, 1]) for law in ("pressure", "mass")]
    assert swing[0] < 0.9 * swing[1]


def test_steps_out_of_reach_are_refused_with_the_sample():
    plan = plan_to(Place(0.2, 0.0), PhaseTimes(0.6, 0.6, 0.8))
    with pytest.raises(UnreachablePostureError, match="centre of mass out of reach") as caught:
        solve_step_plan(LEGS, plan, 0.235, law="mass")
    assert 0 < caught.value.sample < len(plan.time_s)


def test_soles_are_where_the_model_has_them():
    body = solve_step_plan(LEGS, plan_to(Place(0.1, 0.05, 0.6), PhaseTimes(0.4, 0.6, 0.8), 25.0), 0.22)
    np.testing.assert_allclose(sole_points(ALICE, body.plan), foot_contact_points(ALICE, body.qpos), atol=1e-12)


def test_a_fast_body_is_never_over_its_foot_and_still_does_not_tip():
    body = solve_step_plan(LEGS, plan_to(Place(0.2, 0.0), PhaseTimes(0.2, 0.3, 0.8)), 0.22)
    assert static_margin_m(ALICE, body).min() < 0.025
    assert dynamic_margin_m(ALICE, body).min() > 0.033


def test_nine_masses_that_lean_press_where_the_whole_model_does():
    """A trunk that bows takes the pressure along, in whichever direction the walk heads."""
    angles = np.zeros((1, len(ALICE.joint_names) - 12))
    angles[0, 0] = 0.25
    plan = plan_to(Place(0.05, 0.02, 0.6), PhaseTimes(0.4, 0.6, 0.8), 50.0)
    lean = lean_of(ALICE, angles).repeated(len(plan.time_s))
    assert np.abs(lean.com_shift_m).max() > 2e-3
    body = solve_step_plan(LEGS, plan, 0.21, lean=lean)
    reaction = ground_reaction(ALICE, plan.time_s, body.qpos)
    whole = cop_of_wrench(reaction.force_n, reaction.moment_nm)
    assert np.abs(whole - body.zmp_in_world).max() < 1.5e-3
    np.testing.assert_allclose(body.targets.com_in_world[[0, -1]], plan.zmp_in_world[[0, -1]], atol=1e-3)


def test_legs_sway_like_the_same_mass_whichever_way_they_face():
    plan = plan_to(Place(0.05, 0.0), PhaseTimes(0.4, 0.6, 0.8), 10.0)
    heights = []
    for heading in (0.0, 0.9, 2.0):
        turn = np.array([[math.cos(heading), math.sin(heading)], [-math.sin(heading), math.cos(heading)]])
        feet = plan.foot_in_world.copy()
        feet[..., :2] = feet[..., :2] @ turn
        turned = replace(
            plan,
            foot_in_world=feet,
            foot_heading_rad=plan.foot_heading_rad + heading,
            body_heading_rad=plan.body_heading_rad + heading,
        )
        targets = posture_targets(LEGS, turned, 0.22, plan.zmp_in_world @ turn)
        heights.append(effective_height_m(LEGS, targets))
    np.testing.assert_allclose(heights, heights[0], rtol=1e-5)


def test_a_body_is_carried_the_same_way_whenever_it_begins():
    plan = plan_to(Place(0.05, 0.0), PhaseTimes(0.4, 0.6, 0.8), 20.0)
    now, later = (solve_step_plan(LEGS, replace(plan, time_s=start_s + plan.time_s), 0.21) for start_s in (0.0, 3.0))
    np.testing.assert_allclose(later.qpos, now.qpos, atol=1e-9)
    np.testing.assert_allclose(later.zmp_in_world, now.zmp_in_world, atol=1e-9)
