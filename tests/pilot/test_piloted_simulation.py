"""Piloted simulation: a story from start to end, its motion and receipt, delays, radio and bad input."""

import numpy as np
import pytest

from strut.errors import BadTableError, OutOfRangeError
from strut.models.catalogue import load_robot, robot_of
from strut.pilot.controllers.reference import PlayRequest, StandRequest, WalkRequest
from strut.pilot.piloted_simulation import Clock, Push, World, simulate_requests

FAST = Clock(control_hz=1000.0, settle_s=0.4, rest_s=0.2)
SHORT = Clock(control_hz=1000.0, settle_s=0.1, rest_s=0.05)


@pytest.fixture(scope="module")
def story():
    """StandRequest, look about, walk while squatting lower, stop."""
    time_s = np.linspace(0.0, 1.2, 13)
    share = np.sin(np.pi * time_s / 1.2) ** 2
    zero = np.zeros_like(share)
    look = PlayRequest(
        time_s, np.stack([zero, zero, 0.9 - 0.05 * share], axis=1), np.stack([zero, zero, 0.2 * share], axis=1)
    )
    walks = [WalkRequest(0.4, height_m=0.88, distance_m=0.3), WalkRequest(0.4, height_m=0.8, distance_m=0.7)]
    return simulate_requests([look, *walks, StandRequest(0.2)], world=World(seed=3), clock=FAST)


def test_a_story_runs_from_start_to_end(story):
    outcome = story.outcome
    assert outcome.finished
    assert outcome.distance_m == pytest.approx(1.0, abs=0.12)
    assert 0.2 < outcome.torque_use < 1.0
    assert outcome.foot_slip_mm < 30.0
    phases = [phase for _, _, phase in outcome.timeline]
    assert phases.index("rise") < phases.index("lean") < phases.index("walk") < phases.index("brake")


def test_its_motion_is_cassies_and_its_receipt_is_measured(story):
    motion = story.motion
    robot = robot_of(motion)
    assert robot.name == "cassie"
    motion.check_even()
    weight = robot.mass_kg * 9.81
    assert motion.ground_force_n[:, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.02)
    assert motion.receipt.verdict == "ok"
    assert motion.receipt.torque_use == story.outcome.torque_use
    assert motion.receipt.joint_limit_margin_rad > 0.0
    assert 0.0 < motion.receipt.joint_speed_use < 1.5
    assert motion.qpos[:, 2].min() == pytest.approx(0.8, abs=0.03)


def test_the_same_seed_gives_the_same_motion():
    first, second, other = (
        simulate_requests([StandRequest(0.1)], world=World(seed=seed), clock=SHORT).motion.qpos for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - other).max() > 1e-7


def test_a_stand_bears_a_delay_of_three_milliseconds_at_two_kilohertz():
    run = simulate_requests(
        [StandRequest(1.2, 0.85)], world=World(delay_s=0.003), clock=Clock(settle_s=0.4, rest_s=0.2)
    )
    assert run.outcome.finished
    assert run.motion.qpos[-1, 2] == pytest.approx(0.85, abs=0.01)


def test_a_person_takes_over_and_gives_back():
    def radio(time_s):
        return LOW if 0.2 <= time_s < 1.7 else None

    run = simulate_requests([StandRequest(2.0), StandRequest(0.2, 0.88)], clock=FAST, radio=radio)
    assert run.outcome.finished
    assert run.motion.qpos[:, 2].min() == pytest.approx(0.8, abs=0.01)
    assert run.motion.qpos[-1, 2] == pytest.approx(0.88, abs=0.01)


LOW = StandRequest(0.0, 0.8)


def test_a_fall_is_reported():
    lean = PlayRequest([0.0, 1.0], [(0.0, 0.0, 0.9), (0.25, 0.0, 0.9)], np.zeros((2, 3)), "too far")
    run = simulate_requests([lean, StandRequest(2.0)], clock=FAST)
    assert run.outcome.fell
    assert not run.outcome.finished
    assert run.motion.receipt.verdict == "refused"
    assert [reason.text for reason in run.motion.receipt.reasons] == ["the robot fell"]


def test_bad_rates_and_robots_are_refused_in_one_sentence():
    with pytest.raises(OutOfRangeError, match=r"choose 20, 25, 50, 100 or 200 samples"):
        Clock(control_hz=1100.0)
    with pytest.raises(OutOfRangeError, match=r"must be from 20 to 10000 Hz"):
        Clock(record_hz=1.0)
    with pytest.raises(BadTableError, match=r"no control\.toml"):
        simulate_requests([StandRequest()], load_robot("alice"))


def test_pushes_act_in_their_time_and_add_up(cassie):
    """Up to its start a push changes nothing; two that cancel each other never do."""
    clock = Clock(control_hz=1000.0, settle_s=0.0, rest_s=0.1)
    left, right = (Push(0.0495, (0.0, side * 50.0, 0.0), 0.02) for side in (1.0, -1.0))
    free, pushed, balanced = (
        simulate_requests([StandRequest(0.05)], cassie, world=World(pushes=pushes), clock=clock).motion.qpos
        for pushes in ((), (left,), (left, right))
    )
    np.testing.assert_array_equal(balanced, free)
    np.testing.assert_array_equal(pushed[:6], free[:6])
    assert pushed[7, 1] > free[7, 1] + 1e-5
    late = Push(0.0695, (0.0, 50.0, 0.0), 0.02)
    twice, at_once = (
        simulate_requests([StandRequest(0.05)], cassie, world=World(pushes=pushes), clock=clock).motion.qpos
        for pushes in ((left, late), (Push(0.0495, (0.0, 50.0, 0.0), 0.04),))
    )
    np.testing.assert_array_equal(twice, at_once)


def test_a_simulation_ends_when_it_has_rested_or_its_time_is_up(cassie):
    def end_s(**times):
        clock = Clock(control_hz=1000.0, settle_s=0.0, **times)
        return simulate_requests([StandRequest(0.05)], cassie, clock=clock).outcome.upright_s

    assert end_s(rest_s=0.1) - end_s(rest_s=0.05) == pytest.approx(0.05)
    assert end_s(rest_s=5.0, longest_s=0.12) == pytest.approx(0.12)
