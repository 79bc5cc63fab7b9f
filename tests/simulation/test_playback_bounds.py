"""Where an outcome begins and ends: last samples, short ways, far behind, slips since a run was asked, and hands."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.audit import STANDS_STILL_M
from strut.engines.contact_slip import MIN_STEP_S
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.simulation.early_end import (
    CLEARLY,
    DOWN_S,
    MUCH_SHORT,
    MUCH_SLIP_MM,
    STRAIGHT,
    is_sliding_far,
    lags_far,
    stays_down,
)
from strut.simulation.physics import ASKED_S, Run
from strut.simulation.playback import Conditions, play_with_controller, simulate
from strut.simulation.run_outcome import (
    CARRIES,
    SUNK,
    TOUCHED_N,
    hand_error_m,
    is_down,
    largest_slip_m,
    measure_outcome,
)
from strut.simulation.sensing import Sensing
from tests.simulation.exact_runs import JOINTS, PETE, STEP_S, followed

PEPPER = load_robot("pepper")
SAMPLES = 11
START_M = np.array([0.7, -0.4])


def walked(way_m=(0.12, 0.16), samples=SAMPLES):
    """Return a plan along a line from somewhere, and a run that follows it exactly."""
    return followed(START_M + np.outer(np.arange(samples) / (samples - 1), way_m))


def yaw(angle):
    return np.array([math.cos(angle / 2.0), 0.0, 0.0, math.sin(angle / 2.0)])


# outcomes of who floats


@pytest.mark.parametrize(("sample", "counts"), [(7, True), (8, True), (9, False)])
def test_errors_and_torques_count_up_to_the_sample_in_which_it_falls(sample, counts):
    motion, run = walked()
    run.qpos[8:, 2] *= 0.99 * SUNK
    run.qpos[sample, 12] += 0.25
    run.torque_nm[sample, 3] = 0.5 * PETE.torque_limit_nm[3]
    run.foot_load_n[:] = 0.0
    outcome = measure_outcome(PETE, motion, run, 1.0)
    assert outcome.fell
    assert (outcome.tracking_error_rad, outcome.torque_use) == pytest.approx((0.25, 0.5) if counts else (0.0, 0.0))
    weight_n = PETE.mass_kg * 9.81
    assert outcome.cost_of_transport == pytest.approx(3.0 * 8 * STEP_S / (weight_n * 0.16))


@pytest.mark.parametrize(("sample", "counts"), [(10, True), (0, True)])
def test_who_stays_upright_is_judged_to_the_last_sample(sample, counts):
    motion, run = walked()
    run.qpos[sample, 12] += 0.25
    run.torque_nm[sample, 3] = -0.5 * PETE.torque_limit_nm[3]
    outcome = measure_outcome(PETE, motion, run, 1.0)
    assert (outcome.tracking_error_rad, outcome.torque_use) == pytest.approx((0.25, 0.5) if counts else (0.0, 0.0))
    assert outcome.upright_s == pytest.approx(1.0)


def test_a_drift_of_heading_is_the_short_way_round():
    motion, run = walked()
    planned = motion.qpos.copy()
    happened = run.qpos.copy()
    planned[:, 3:7] = yaw(3.1)
    happened[:, 3:7] = yaw(-3.1)
    found = measure_outcome(PETE, replace(motion, qpos=planned), replace(run, qpos=happened), 1.0)
    assert found.heading_drift_rad == pytest.approx(2.0 * math.pi - 6.2)
    back = measure_outcome(PETE, replace(motion, qpos=happened), replace(run, qpos=planned), 1.0)
    assert back.heading_drift_rad == pytest.approx(6.2 - 2.0 * math.pi)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_who_is_to_stay_on_the_spot_moves_forward_and_costs_nothing(share):
    planned_m = share * STANDS_STILL_M
    motion, run = walked((0.0, planned_m))
    run.qpos[-1, :2] = START_M + np.array([0.03, 0.05])
    outcome = measure_outcome(PETE, motion, run, 1.0)
    assert outcome.distance_m == pytest.approx(0.03 if share < 1.0 else 0.05)
    run.qpos[-1, :2] = START_M
    assert measure_outcome(PETE, motion, run, 1.0).cost_of_transport is None
    back_m = [-share * STANDS_STILL_M, 0.0] if share < 1.0 else [0.0, -share * STANDS_STILL_M]
    run.qpos[-1, :2] = START_M + back_m
    assert (measure_outcome(PETE, motion, run, 1.0).cost_of_transport is None) is (share < 1.0)


def test_attitudes_that_rounding_made_a_little_long_are_no_falls():
    motion, run = walked()
    run.qpos[:, 3:7] *= 1.0 + 1e-9
    assert not is_down(motion, run).any()


def test_who_lies_since_before_the_last_while_stays_down():
    samples = round(DOWN_S / STEP_S) + 4
    motion, run = walked(samples=samples)
    run.other_load_n[4:] = 2.0 * TOUCHED_N
    assert is_down(motion, run).tolist() == [False] * 4 + [True] * (samples - 4)
    assert stays_down(motion, run)
    run.other_load_n[4] = 0.0
    assert not stays_down(motion, run)
    run.other_load_n[:] = 2.0 * TOUCHED_N
    for lain_s, stays in ((DOWN_S - STEP_S, False), (DOWN_S + STEP_S, True)):
        assert stays_down(motion, run.first(round(lain_s / STEP_S) + 1)) is stays


# slips


@pytest.mark.parametrize(("gap_s", "slip_m"), [(0.99 * MIN_STEP_S, 0.007), (1.01 * MIN_STEP_S, 0.002)])
def test_a_foot_that_is_unloaded_for_a_moment_goes_on_slipping(gap_s, slip_m):
    _, run = walked((0.0, 0.0))
    load_n = np.zeros((SAMPLES, 4))
    load_n[[2, 4, 5], 1] = 1.01 * CARRIES * PETE.mass_kg * 9.81
    run.foot_in_world[:, 1, 0] = [0.5, 0.5, 0.0, 0.9, 0.005, 0.007, 0.9, 0.9, 0.9, 0.9, 0.9]
    bounced = replace(run, time_s=gap_s * np.arange(SAMPLES), foot_load_n=load_n)
    assert largest_slip_m(PETE, bounced) == pytest.approx(slip_m)


@pytest.mark.parametrize(("ends_at", "is_new"), [(34, False), (35, True), (39, True), (40, False)])
def test_a_stance_is_judged_once_when_it_has_ended_since_the_run_was_last_asked(ends_at, is_new):
    samples = 40
    motion, run = walked((0.0, 0.0), samples)
    time_s = 3.0 + ASKED_S / 5 * np.arange(samples)
    run.foot_load_n[ends_at:, 2] = 0.0
    run.foot_in_world[3:, 2, 1] = 2e-3 * MUCH_SLIP_MM
    assert is_sliding_far(PETE, motion, replace(run, time_s=time_s)) is is_new


# far behind


@pytest.mark.parametrize("samples", [4, SAMPLES])
@pytest.mark.parametrize(("share", "far"), [(0.99, False), (1.01, True)])
def test_who_is_behind_is_so_by_a_share_of_the_whole_way_wherever_it_is(samples, share, far):
    motion, run = walked()
    behind_m = share * CLEARLY * MUCH_SHORT * 0.2
    run.qpos[:, :2] -= behind_m * np.array([0.6, 0.8]) + 0.3 * np.array([0.8, -0.6])  # aside it may be
    assert lags_far(motion, run.first(samples)) is far
    ahead = replace(run, qpos=run.qpos + np.eye(run.qpos.shape[1])[0] * 0.5)
    assert not lags_far(motion, ahead)


def test_on_the_spot_and_on_curves_no_robot_is_behind():
    motion, run = walked((0.9 * STANDS_STILL_M, 0.0))
    run.qpos[:, 0] -= 5.0
    assert not lags_far(motion, run)
    for share, far in ((0.99, False), (1.01, True)):
        bent, run = walked((0.2, 0.0))
        half = 0.1 / (share * STRAIGHT)  # of the path, up to a corner half way
        qpos = bent.qpos.copy()
        aside = math.sqrt(half**2 - 0.1**2)
        qpos[:, 1] += aside * (1.0 - np.abs(np.linspace(-1.0, 1.0, SAMPLES)))
        run.qpos[:, 0] -= 5.0
        assert lags_far(replace(bent, qpos=qpos), run) is far


# hands and platforms


def held(moved_m=(0.0, 0.0), planned_m=(0.0, 0.0), **joints):
    """Return a plan of Pepper and what happened, from somewhere; angles are those of a sample on the way."""
    time_s = 2.0 + STEP_S * np.arange(4)
    qpos = np.zeros((4, 3 + len(PEPPER.joint_names)))
    qpos[:, :2] = START_M
    planned = qpos.copy()
    planned[-1, :2] += planned_m
    motion = Motion("pepper", time_s, planned, PEPPER.joint_names, np.zeros((4, 0), dtype=bool), ())
    qpos[-1, :2] += moved_m
    for name, angle in joints.items():
        qpos[1, 3 + PEPPER.joint_names.index(name)] = angle
    none = np.zeros((4, 0))
    run = Run(time_s, qpos, np.zeros((4, 3 + len(PEPPER.joint_names))), np.zeros(4), none[..., None], none, np.zeros(4))
    return motion, run


def test_a_platform_that_is_not_to_move_has_a_distance_and_a_duration():
    motion, run = held((0.2, 0.1))
    outcome = measure_outcome(PEPPER, motion, run, 1.0)
    assert (outcome.commanded_distance_m, outcome.distance_m) == pytest.approx((0.0, 0.2))
    assert (outcome.upright_s, outcome.heading_drift_rad) == (pytest.approx(3 * STEP_S), 0.0)
    for share, distance_m in ((0.9, 0.2), (1.1, 0.1)):
        led, run = held((0.2, 0.1), (0.0, share * STANDS_STILL_M))
        assert measure_outcome(PEPPER, led, run, 1.0).distance_m == pytest.approx(distance_m)


def test_who_is_bolted_down_goes_nowhere_and_does_not_turn():
    motion, run = held((0.2, 0.1), (0.3, 0.0))
    limits = PEPPER.torque_limit_nm
    bolted = SimpleNamespace(
        floats=False,
        base_size=0,
        joint_names=PEPPER.joint_names,
        torque_limit_nm=limits,
        chains=PEPPER.chains,
        model=PEPPER.model,
    )
    outcome = measure_outcome(bolted, motion, run, 1.0)
    assert (outcome.commanded_distance_m, outcome.distance_m, outcome.heading_drift_rad) == (0.0, 0.0, 0.0)


def test_without_a_task_the_worst_of_all_hands_is_told_and_with_one_the_busy_one():
    motion, run = held(LElbowRoll=-0.4)
    worst_m = hand_error_m(PEPPER, motion, run.qpos)
    assert worst_m > 0.03
    for hand, error_m in (("left", worst_m), ("right", 0.0), ("none", worst_m)):
        busy = replace(motion, meta={"task": {"hand": hand}})
        assert hand_error_m(PEPPER, busy, run.qpos) == pytest.approx(error_m, abs=1e-9)


# playing


def test_a_motion_without_torques_is_fed_with_those_that_it_needs():
    motion, _ = walked((0.0, 0.0))
    played = play_with_controller(PETE, motion, Conditions(0.6), "servos")
    fed = replace(motion, torque_nm=np.zeros((SAMPLES, JOINTS)))  # on straight legs none are needed
    same = play_with_controller(PETE, fed, Conditions(0.6), "servos")
    np.testing.assert_allclose(played.motion.qpos, same.motion.qpos, atol=1e-6)
    assert not played.ended_early
    assert played.motion.torque_nm.shape == (SAMPLES, JOINTS)
    assert played.motion.meta["simulated"] == {"friction": 0.6, "mass_scale": 1.0}
    assert played.outcome.controller == "servos"
    assert played.motion.contact.shape == (SAMPLES, 4)
    usual = simulate(replace(motion, time_s=0.01 * np.arange(SAMPLES)), PETE)
    assert usual.motion.meta["simulated"] == {"friction": PETE.friction, "mass_scale": 1.0}


def test_servos_that_are_asked_for_by_name_refuse_noise_that_they_do_not_feel():
    slow, _ = walked((0.0, 0.0))
    motion = replace(slow, time_s=0.02 * np.arange(SAMPLES))
    with pytest.raises(OutOfRangeError, match=r"^Servos follow joint angles alone.*--controller whole_body"):
        simulate(motion, PETE, controller="servos", sensing=Sensing(delay_s=0.01))
    assert "--controller whole_body" in simulate(motion, PETE, sensing=Sensing(delay_s=0.01)).outcome.unfelt


def test_a_run_ends_when_its_rule_says_so():
    slow, _ = walked((0.0, 0.0), samples=101)
    motion = replace(slow, time_s=0.01 * np.arange(101))
    asked = []

    def ends_later(robot, plan, run):
        assert (robot, plan) == (PETE, motion)
        asked.append(len(run.time_s))
        return len(asked) == 2

    ended = play_with_controller(PETE, motion, Conditions(0.6), "servos", end_rule=ends_later)
    assert ended.ended_early
    assert asked == [25, 50]
    assert len(ended.motion.time_s) == 50
