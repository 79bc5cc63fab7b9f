"""A motion in physics: it arrives, it stays up, and what would make it fall does."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import strut
from strut.errors import OutOfRangeError
from strut.motion import Motion
from strut.simulation.early_end import DOWN_S
from strut.simulation.physics import ASKED_S, Run, run_servos
from strut.simulation.run_outcome import measure_outcome


@pytest.fixture(scope="module")
def neutral() -> Motion:
    return strut.walk("mrpete", "neutral", cycles=2)


@cache
def _walk(emotion: str) -> Motion:
    return strut.walk("mrpete", emotion, cycles=2, rate_hz=50.0)


def test_walk_arrives_without_a_fall(neutral: Motion) -> None:
    outcome = strut.simulate(neutral).outcome
    assert not outcome.fell
    assert outcome.upright_s == neutral.duration_s
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, rel=0.1)
    assert outcome.foot_slip_mm < 5.0
    assert outcome.torque_use < 1.0


@pytest.mark.parametrize(
    ("emotion", "mass_scale"),
    [("neutral", 1.1), ("happy", 1.1), ("sad", 1.1), ("angry", 1.1), ("fearful", 1.1), ("sad", 0.9), ("angry", 0.9)],
)
def test_every_emotion_survives_slippery_floors_and_wrong_masses(emotion: str, mass_scale: float) -> None:
    outcome = strut.simulate(_walk(emotion), friction=0.5, mass_scale=mass_scale).outcome
    assert not outcome.fell
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, rel=0.1)
    assert outcome.foot_slip_mm < 5.0


def test_a_robot_without_strength_falls(neutral: Motion) -> None:
    robot = strut.load_robot("mrpete")
    weak = replace(robot, torque_limit_nm=np.full(28, 1.0))
    played = strut.simulate(neutral, weak)
    assert played.outcome.fell
    assert played.outcome.upright_s < neutral.duration_s
    lain_s = played.motion.duration_s - played.outcome.upright_s  # who lies is not watched to the end of the plan
    assert DOWN_S <= lain_s <= DOWN_S + 2.0 * ASKED_S


def test_nothing_moves_when_nothing_is_asked(neutral: Motion) -> None:
    still = replace(
        neutral,
        qpos=np.tile(neutral.qpos[:1], (len(neutral.time_s), 1)),
        contact=np.ones_like(neutral.contact),
        torque_nm=None,
        ground_force_n=None,
    )
    playback = strut.simulate(still)
    assert not playback.outcome.fell
    assert abs(playback.outcome.distance_m) < 1e-3
    assert playback.outcome.cost_of_transport is None
    np.testing.assert_allclose(playback.motion.qpos[-1, :3], still.qpos[0, :3], atol=2e-3)


def test_ground_carries_the_weight_while_standing(neutral: Motion) -> None:
    robot = strut.load_robot("mrpete")
    samples = 100
    run = run_servos(
        robot,
        neutral.time_s[:samples],
        neutral.qpos[0],
        np.tile(neutral.joint_angles_rad[0], (samples, 1)),
        np.tile(neutral.torque_nm[0], (samples, 1)),
        friction=0.5,
        mass_scale=1.0,
    )
    assert run.foot_load_n[-1].sum() == pytest.approx(robot.mass_kg * 9.81, rel=0.01)
    assert not run.other_load_n.any()


@pytest.mark.parametrize("friction", [0.0, -1.0, float("nan")])
def test_impossible_floors_are_refused(neutral: Motion, friction: float) -> None:
    with pytest.raises(OutOfRangeError, match="friction"):
        strut.simulate(neutral, friction=friction)


def _happened(motion: Motion, qpos: np.ndarray, torque_nm: np.ndarray) -> Run:
    samples = len(motion.time_s)
    feet = (samples, len(motion.foot_names))
    return Run(
        time_s=motion.time_s,
        qpos=qpos,
        torque_nm=torque_nm,
        power_w=np.ones(samples),
        foot_in_world=np.zeros((*feet, 3)),
        foot_load_n=np.full(feet, 20.0),
        other_load_n=np.zeros(samples),
    )


def test_travel_counts_along_the_commanded_direction_and_torques_against_their_own_limits(neutral: Motion) -> None:
    """Planned aslant, walked half of it and as much to the side; one joint of many is busiest for its own limit."""
    robot = strut.load_robot("mrpete")
    planned = neutral.qpos.copy()
    real = neutral.qpos.copy()
    share = np.linspace(0.0, 1.0, len(planned))
    planned[:, 0] = -0.3 * share
    planned[:, 1] = 0.4 * share
    real[:, 0] = -0.15 * share + 0.4 * share
    real[:, 1] = 0.2 * share + 0.3 * share
    torque_nm = np.zeros((len(planned), 28))
    limits = robot.torque_limit_nm.copy()
    limits[3] = 2.0
    torque_nm[5, 3] = -1.5
    torque_nm[6, 7] = 4.0  # 75 % of a weak servo, 4.0 of 8.4 of a strong one
    robot = replace(robot, torque_limit_nm=limits)
    outcome = measure_outcome(robot, replace(neutral, qpos=planned), _happened(neutral, real, torque_nm), 1.0)
    assert not outcome.fell
    assert outcome.commanded_distance_m == pytest.approx(0.5)
    assert outcome.distance_m == pytest.approx(0.25)
    assert outcome.torque_use == pytest.approx(0.75)


def test_a_robot_on_wheels_drives_where_its_platform_is_led_with_its_hand_where_it_should_be():
    motion = strut.perform("pepper", "carry", None, duration_s=6.0, rate_hz=50.0)
    outcome = strut.simulate(motion).outcome
    assert outcome.commanded_distance_m == pytest.approx(np.hypot(1.0, 0.35))  # from the first station to the last
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, abs=0.02)
    assert abs(outcome.heading_drift_rad) < 0.02
    assert outcome.hand_error_mm < 20.0
    assert outcome.upright_s == pytest.approx(6.0)
    assert 0.0 < outcome.torque_use <= 1.0
