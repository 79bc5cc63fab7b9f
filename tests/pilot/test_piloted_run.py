"""Runs of a piloted simulation: clocks, delays, phases, records and outcomes, partly on hand-made plants."""

from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest

from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import StandRequest, WalkRequest
from strut.pilot.piloted_record import MIN_HEIGHT_SHARE, MIN_UPRIGHT_COSINE, PilotedRecord
from strut.pilot.piloted_simulation import (
    BegunPhase,
    Clock,
    PilotedLoop,
    Push,
    World,
    measure_run,
    piloted_loop,
    simulate_requests,
)
from strut.pilot.plant.torque_model import contact_load_n
from strut.pilot.plant.torque_plant import NO_NOISE
from strut.simulation.run_outcome import TOUCHED_N

CASSIE = load_robot("cassie")
CONTACT_LOAD_N = contact_load_n(CASSIE)
JOINTS = len(CASSIE.joint_names)
LOADED_N = contact_load_n(CASSIE)


@pytest.mark.parametrize("rates", [(200.0, 20.0), (200.0, 200.0), (10000.0, 50.0), (1000.0, 125.0)])
def test_rates_that_divide_each_other_are_accepted(rates):
    clock = Clock(*rates)
    assert (clock.control_hz, clock.record_hz) == rates


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ((10200.0, 100.0), "The control rate is 10200 Hz"),
        ((19.0, 19.0), "The control rate is 19 Hz"),
        ((1000.0, 19.9), "The record rate is 19.9 Hz"),
        ((1000.0, 10001.0), "The record rate is 10001 Hz"),
        ((900.0, 100.0), "do not divide 900 ticks"),
        ((1000.0, 150.0), "150 samples a second do not divide"),
    ],
)
def test_other_rates_are_refused(rates, words):
    with pytest.raises(OutOfRangeError, match=words):
        Clock(*rates)


@pytest.mark.parametrize(("control_hz", "steps"), [(200.0, 5), (400.0, 3), (1000.0, 1), (2000.0, 1)])
def test_a_tick_is_made_of_steps_of_a_millisecond_at_most(control_hz, steps):
    loop = piloted_loop(CASSIE, World(friction=0.35), Clock(control_hz=control_hz, settle_s=0.0))
    assert loop.steps == steps
    assert loop.plant.model.opt.timestep == pytest.approx(1.0 / control_hz / steps)
    assert loop.plant.model.geom("floor").friction[0] == 0.35
    assert (loop.ticks, loop.pilot.tick_s) == (0, pytest.approx(1.0 / control_hz))


def test_torques_are_delayed_as_set_and_settling_takes_its_time():
    world = World(delay_s=0.003, noise=NO_NOISE)
    loop = piloted_loop(CASSIE, world, Clock(control_hz=1000.0, settle_s=0.0))
    acted = []
    for _ in range(5):
        loop.tick()
        acted.append(loop.record.torque_use > 0.0)
    assert acted == [False, False, False, True, True]
    assert (loop.ticks, len(loop.tick_times_s)) == (5, 5)
    assert loop.idle_ticks == 5  # nothing is asked
    loop.settle(0.008)
    assert loop.plant.time_s == pytest.approx(0.008)  # the ticks before it count as settling
    assert (loop.ticks, loop.idle_ticks, loop.tick_times_s) == (0, 0, [])
    assert loop.plant.model.geom("floor").friction[0] == pytest.approx(CASSIE.friction)


def test_a_run_is_sampled_at_its_rate_and_radio_and_pushes_act_every_tick():
    called_s = []
    sampled_s = []

    def radio(time_s):
        called_s.append(time_s)

    clock = Clock(control_hz=1000.0, record_hz=100.0, settle_s=0.0, rest_s=0.02)
    world = World(noise=NO_NOISE, friction=0.5, seed=4, delay_s=0.001, pushes=(Push(0.0, (0.0, 0.0, -200.0), 0.01),))
    run = simulate_requests(
        [StandRequest(0.02)], CASSIE, world=world, clock=clock, radio=radio, on_sample=sampled_s.append
    )
    assert run.outcome.finished
    np.testing.assert_allclose(run.motion.time_s, 0.01 * np.arange(len(sampled_s)), atol=1e-12)
    np.testing.assert_allclose(sampled_s, run.motion.time_s, atol=1e-12)
    np.testing.assert_allclose(called_s, 0.001 * np.arange(10 * (len(sampled_s) - 1)), atol=1e-12)
    assert run.motion.meta["simulated"] == {"friction": 0.5, "seed": 4, "delay_s": 0.001}
    free = simulate_requests([StandRequest(0.02)], CASSIE, world=World(noise=NO_NOISE), clock=clock)
    assert free.motion.meta["simulated"]["friction"] == CASSIE.friction
    assert run.motion.qpos[1, 2] < free.motion.qpos[1, 2] - 1e-4  # the push moved it down
    stopped = Clock(control_hz=1000.0, settle_s=0.0, longest_s=0.01)
    ended = simulate_requests([StandRequest(5.0)], CASSIE, clock=stopped)
    assert not ended.outcome.finished
    assert [reason.text for reason in ended.motion.receipt.reasons] == ["the run was stopped before the last request"]


# notes


def test_each_phase_of_each_request_is_recorded_once_with_its_time():
    requests = [StandRequest(1.0), StandRequest(1.0)]
    loop = SimpleNamespace(
        begun=[], record=SimpleNamespace(time_s=[]), pilot=SimpleNamespace(state_machine=SimpleNamespace())
    )
    sequence = [(None, "hold"), (0, "rise"), (0, "rise"), (0, "hold"), (1, "hold"), (1, "hold"), (None, "hold")]
    for number, (request, phase) in enumerate(sequence):
        loop.record.time_s.append(0.12345 * number)
        loop.pilot.state_machine.current = None if request is None else requests[request]
        loop.pilot.state_machine.phase = phase
        PilotedLoop.record_phase(loop, requests)
    assert loop.begun == [BegunPhase(0, "rise", 0.123), BegunPhase(0, "hold", 0.37), BegunPhase(1, "hold", 0.494)]


def test_ticks_without_a_request_count_as_idle():
    torque = np.zeros(10)
    pilot = SimpleNamespace(tick_s=0.001, radio=None, torque=lambda _: torque, state_machine=SimpleNamespace(idle=True))
    loop = PilotedLoop(
        pilot,
        SimpleNamespace(step=lambda *_: None),
        SimpleNamespace(read=lambda: (0.0,) * 5),
        SimpleNamespace(tick=lambda *_: None),
        1,
        deque(),
    )
    idle_ticks = []
    for idle, radio in ((True, None), (True, None), (False, None), (True, None), (True, StandRequest()), (True, None)):
        pilot.state_machine.idle = idle
        pilot.radio = radio
        loop.tick()
        idle_ticks.append(loop.idle_ticks)
    assert idle_ticks == [1, 2, 0, 1, 0, 1]


# outcomes


def loop_of(**changes):
    """Return a loop with a hand-made record: three samples, 0.5 m to the left and forward."""
    qpos = np.tile(CASSIE.standing_qpos, (3, 1))
    qpos[:, 0] = [2.0, 2.1, 2.3]
    qpos[:, 1] = [-1.0, -0.7, -0.6]
    force_n = np.zeros((3, 2, 3))
    force_n[:, 0, 2] = 1.01 * CONTACT_LOAD_N
    force_n[:, 1, 2] = [0.99 * CONTACT_LOAD_N, 1.01 * CONTACT_LOAD_N, 0.0]
    record = {
        "time_s": [0.0, 0.4, 0.8], "qpos": list(qpos), "force_n": list(force_n), "fell": False, "torque_use": 0.7,
        "torque_nm": [np.zeros(JOINTS)] * 3, "work_j": 30.0, "timeline": [(0.0, "standing", "hold")],
        "slip_m": lambda _robot, _load_n: 0.004, "path_m": lambda: 2.0, "mean_force_n": lambda: 0.9 * force_n,
    }  # fmt: skip
    pilot = SimpleNamespace(state_machine=SimpleNamespace(idle=changes.pop("idle", True)))
    return SimpleNamespace(
        record=SimpleNamespace(**record | changes), pilot=pilot, tick_times_s=[0.001, 0.004, 0.002], begun=[]
    )


def test_the_outcome_follows_from_the_record():
    run = measure_run(CASSIE, loop_of(), 0.2, World())
    outcome = run.outcome
    assert (outcome.fell, outcome.finished, outcome.upright_s, outcome.torque_use) == (False, True, 0.8, 0.7)
    assert (outcome.distance_m, outcome.foot_slip_mm) == pytest.approx((0.5, 4.0))
    assert outcome.cost_of_transport == pytest.approx(30.0 / (CASSIE.mass_kg * 9.81 * 2.0))
    assert (outcome.tick_ms, outcome.real_time_factor) == pytest.approx((2.0, 4.0))
    assert run.motion.contact.tolist() == [[True, False], [True, True], [True, False]]
    for path_m, counts in ((0.099, False), (0.101, True)):
        cost = measure_run(CASSIE, loop_of(path_m=lambda path_m=path_m: path_m), 0.2, World()).outcome.cost_of_transport
        assert (cost is not None) is counts


STOPPED = "simulation: the run was stopped before the last request"


@pytest.mark.parametrize(
    ("idle", "fell", "finished"), [(True, True, False), (False, False, False), (True, False, True)]
)
def test_a_run_with_a_fall_or_a_stop_has_not_finished(idle, fell, finished):
    run = measure_run(CASSIE, loop_of(idle=idle, fell=fell), 0.2, World())
    assert run.outcome.finished is finished
    assert run.motion.receipt.verdict == ("ok" if finished else "refused")
    reasons = ["simulation: the robot fell"] if fell else [] if finished else [STOPPED]
    assert [str(reason) for reason in run.motion.receipt.reasons] == reasons


def receipt_of(joint, places, **changes):
    """Return the receipt of a run with three positions of one joint [rad]."""
    qpos = np.tile(CASSIE.standing_qpos, (3, 1))
    qpos[:, CASSIE.base_size + joint] = places
    return measure_run(CASSIE, loop_of(qpos=list(qpos), **changes), 0.2, World()).motion.receipt


def test_a_run_that_breaks_a_limit_is_refused_with_it():
    stand = CASSIE.standing_qpos[7 + 2]
    upper = CASSIE.joint_upper_rad[6]
    speed = CASSIE.joint_speed_limit_rad_s[2]
    beyond = receipt_of(6, upper + 0.003)
    assert [str(reason) for reason in beyond.reasons] == ["joint limit: left_foot is 0.003 rad beyond its range"]
    fast = receipt_of(2, stand + np.array([-0.01, 0.0, 0.01]) * 1.1 * speed, time_s=[0.0, 0.01, 0.02])
    assert [str(reason) for reason in fast.reasons] == ["joint speed: left_pitch reaches 110 % of its speed limit"]
    weak = receipt_of(2, stand, torque_use=1.02)
    assert [str(reason) for reason in weak.reasons] == ["torque: a motor reaches 102 % of its torque limit"]
    slides = receipt_of(2, stand, slip_m=lambda _robot, _load_n: 0.031)
    assert [str(reason) for reason in slides.reasons] == ["foot slip: a foot slides 31.0 mm in a stance"]
    assert {receipt.verdict for receipt in (beyond, fast, weak, slides)} == {"refused"}
    kept = receipt_of(6, upper + 0.0015, torque_use=1.0, slip_m=lambda _robot, _load_n: 0.03)
    assert (kept.verdict, kept.reasons) == ("ok", ())


def test_a_run_that_was_stopped_and_broke_a_limit_has_both_reasons():
    reasons = receipt_of(6, CASSIE.joint_upper_rad[6] + 0.1, idle=False).reasons
    assert [str(reason) for reason in reasons] == [STOPPED, "joint limit: left_foot is 0.100 rad beyond its range"]


def test_the_receipt_of_a_run_has_the_smallest_joint_margin_and_the_largest_speed():
    qpos = np.tile(CASSIE.standing_qpos, (3, 1))
    qpos[:, 7 + 2] += [0.0, 0.3, 0.6]  # 0.75 rad/s throughout
    qpos[1, 7 + 5] = CASSIE.joint_upper_rad[5] - 0.01
    receipt = measure_run(CASSIE, loop_of(qpos=list(qpos)), 0.2, World()).motion.receipt
    assert receipt.joint_limit_margin_rad == pytest.approx(0.01)
    qpos[:, 7 + 5] = CASSIE.standing_qpos[7 + 5]
    steady = measure_run(CASSIE, loop_of(qpos=list(qpos)), 0.2, World()).motion.receipt
    assert steady.joint_speed_use == pytest.approx(0.75 / CASSIE.joint_speed_limit_rad_s[2])
    assert (steady.duration_s, steady.speed_m_s, steady.distance_m) == (0.8, 0.0, 0.0)
    moved = measure_run(CASSIE, loop_of(), 0.2, World()).motion.receipt
    assert moved.speed_m_s == pytest.approx(0.5 / 0.8)


# records


class SetPlant:
    """A plant whose state the test sets: seven coordinates, and two motors that drive the joints 1 and 3."""

    def __init__(self):
        self.qpos = np.array([0.0, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0])
        self.qvel = np.array([9.0] * 7 + [2.0, 9.0, -3.0])
        self.motor_dof = np.array([7, 9])
        self.model = SimpleNamespace(nv=10)
        self.other_n = 0.0

    def foot_forces(self):
        return np.zeros((2, 3)), self.other_n

    def foot_places(self):
        return np.zeros((2, 3))


@pytest.fixture
def plant():
    return SetPlant()


@pytest.fixture
def record(plant):
    return PilotedRecord(plant, np.array([10.0, 20.0]))


def test_work_counts_driving_and_braking_of_the_motors(record):
    record.tick(np.array([4.0, 5.0]), 0.1)
    assert record.work_j == pytest.approx(0.1 * (4.0 * 2.0 + 5.0 * 3.0))
    assert record.torque_use == pytest.approx(0.4)
    record.tick(np.array([-1.0, -14.0]), 0.1)
    assert record.torque_use == pytest.approx(0.7)
    assert record.work_j == pytest.approx(0.1 * (23.0 + 2.0 + 42.0))
    record.sample(0.1236, "standing", "hold")
    assert record.torque_nm[-1].tolist() == [0.0, -1.0, 0.0, -14.0]
    record.reset_work()
    assert (record.work_j, record.torque_use) == (0.0, 0.0)


@pytest.mark.parametrize("axis", [4, 5])
@pytest.mark.parametrize(("beyond", "fell"), [(-0.001, False), (0.001, True)])
def test_a_base_that_tips_sinks_or_touches_the_ground_has_fallen_for_good(plant, record, axis, beyond, fell):
    half = (np.arccos(MIN_UPRIGHT_COSINE) + beyond) / 2.0
    plant.qpos[3] = np.cos(half)
    plant.qpos[axis] = np.sin(half)
    record.tick(np.zeros(2), 0.1)
    assert record.fell is fell
    plant.qpos[3:7] = 1.0, 0.0, 0.0, 0.0
    record.tick(np.zeros(2), 0.1)
    assert record.fell is fell
    for height_m, other_n in ((MIN_HEIGHT_SHARE * 0.9 - 1e-3 * np.sign(beyond), 0.0), (0.9, TOUCHED_N + beyond)):
        low = SetPlant()
        again = PilotedRecord(low, np.ones(2))
        low.qpos[2] = height_m
        low.other_n = other_n
        again.tick(np.zeros(2), 0.1)
        again.sample(0.0, "standing", "hold")
        assert again.fell is fell


def test_the_timeline_has_each_mode_and_phase_when_it_began(record):
    for time_s, mode, phase in (
        (0.0, "a", "x"),
        (0.1, "a", "x"),
        (0.20049, "a", "y"),
        (0.3, "b", "y"),
        (0.4, "b", "y"),
    ):
        record.sample(time_s, mode, phase)
    assert record.timeline == [(0.0, "a", "x"), (0.2, "a", "y"), (0.3, "b", "y")]
    assert record.time_s == [0.0, 0.1, 0.20049, 0.3, 0.4]


def test_no_impulse_between_samples_is_lost_or_counted_twice(plant, record):
    """Of four ticks between samples the first two belong to the one before: a blow in the third to the one after."""
    pushes_n = {2: 80.0, 5: 40.0}  # between samples

    def push_n(tick):
        return np.full((2, 3), pushes_n.get(tick, 0.0))

    for tick in range(9):
        if tick % 4 == 0:
            record.sample(0.1 * tick, "a", "x")
        plant.foot_forces = lambda tick=tick: (push_n(tick), 0.0)
        record.record_tick_forces()
        plant.foot_forces = lambda: (np.zeros((2, 3)), 0.0)
    mean_n = record.mean_force_n()
    assert mean_n.shape == (3, 2, 3)
    np.testing.assert_allclose(mean_n[:, 1, 2], [0.0, (80.0 + 40.0) / 4.0, 0.0])
    np.testing.assert_array_equal(np.array(record.force_n), 0.0)


def test_without_ticks_between_samples_mean_forces_are_those_of_the_instants(plant, record):
    plant.foot_forces = lambda: (np.full((2, 3), 7.0), 0.0)
    record.sample(0.0, "a", "x")
    np.testing.assert_array_equal(record.mean_force_n(), np.full((1, 2, 3), 7.0))


def test_the_path_is_measured_every_half_second(plant, record):
    """Swaying in between adds nothing: 0.3 and 0.4 m to the first corner, 1.2 m on to the second."""
    for number in range(5):
        plant.qpos[:2] = [(0.0, 0.0), (5.0, 5.0), (0.3, 0.4), (5.0, 5.0), (1.5, 0.4)][number]
        record.sample(0.25 * number, "a", "x")
    assert record.path_m() == pytest.approx(0.5 + 1.2)
    corner = SetPlant()
    once = PilotedRecord(corner, np.ones(2))
    once.sample(0.0, "a", "x")
    assert once.path_m() == 0.0
    for number in (1, 2):
        corner.qpos[number - 1] = 1.0  # round a corner
        once.sample(2.0 * number, "a", "x")
    assert once.path_m() == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        ([WalkRequest], "WalkRequest'> is no request; give a list"),
        (["walk 2 m"], "'walk 2 m' is no request"),
        (None, "None is no request"),
        ([], "Nothing is requested"),
    ],
)
def test_an_invalid_request_is_refused_before_the_run(requests, words):
    with pytest.raises(OutOfRangeError, match=words):
        simulate_requests(requests)


def test_requests_may_come_from_a_generator_and_robots_by_name():
    asked = [StandRequest(hold_s=0.1), StandRequest(hold_s=0.1, height_m=0.85)]
    run = simulate_requests((one for one in asked), "cassie", clock=Clock(settle_s=0.1))
    assert {begun.number for begun in run.begun} == {0, 1}


@pytest.mark.parametrize("friction", [-0.1, float("nan"), float("inf")])
def test_invalid_friction_is_refused(friction):
    with pytest.raises(OutOfRangeError, match="The friction of a world is"):
        World(friction=friction)


@pytest.mark.parametrize("push", [(float("nan"), (0.0, 0.0, 0.0)), (0.1, (float("inf"), 0.0, 0.0))])
def test_invalid_pushes_are_refused(push):
    with pytest.raises(OutOfRangeError, match="not finite"):
        Push(*push)
