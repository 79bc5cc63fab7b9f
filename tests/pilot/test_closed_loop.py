"""Controllers in simulation: springs and torque limits on, noisy sensors, friction 0.6; what happened is measured."""

from dataclasses import replace

import numpy as np
import pytest

from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.controllers.pilot import Pilot
from strut.pilot.controllers.reference import PlayRequest, StandReference, StandRequest, WalkRequest
from strut.pilot.controllers.standing_controller import StandingController
from strut.pilot.controllers.state_estimator import Measurement, StateEstimator
from strut.pilot.piloted_simulation import Clock, Push, World, simulate_requests
from strut.pilot.plant.torque_plant import NO_NOISE, USUAL_NOISE, Sensors, TorquePlant

FAST = Clock(control_hz=1000.0, settle_s=0.4, rest_s=0.2)
SWAY_S = 4.0


class Rig:
    """A plant with its sensors and a pilot, stepped by hand."""

    def __init__(self, model, table, queue=(), *, noise=USUAL_NOISE, seed=0):
        self.body = actuated_model(model, table)
        self.plant = TorquePlant(model, "pelvis", ("left_foot", "right_foot"))
        self.plant.reset(model.qpos0)
        self.sensors = Sensors(self.plant, noise, np.random.default_rng(seed))
        self.pilot = Pilot(self.body, rate_hz=1000.0, height_m=0.9)
        self.pilot.enqueue(queue)

    def run(self, duration_s):
        while self.plant.time_s < duration_s and self.plant.qpos[2] > 0.5:
            self.plant.step(self.pilot.torque(Measurement(*self.sensors.read())), 1)
            yield self.plant.time_s


def angle_deg(plant, joint):
    return float(np.degrees(plant.data.joint(joint).qpos[0]))


def test_a_stand_bends_the_springs_as_the_robot_does(model, table):
    rig = Rig(model, table, [StandRequest(9.0, 0.861)], noise=NO_NOISE)
    for _ in rig.run(2.5):
        pass
    assert rig.plant.qpos[2] == pytest.approx(0.861, abs=0.003)
    assert angle_deg(rig.plant, "left_shin") == pytest.approx(-2.7, abs=0.3)
    deflection = angle_deg(rig.plant, "left_knee") + angle_deg(rig.plant, "left_ankle") - 13.0
    assert deflection == pytest.approx(6.6, abs=1.3)  # measured 6.6 with rods as bodies, 5.5 with a tendon


@pytest.mark.parametrize("knee_nm_rad", [500.0, 3000.0])
def test_joint_feedback_and_feet_that_balance_forward_alone_fall_sideways(model, body, knee_nm_rad):
    """In about 3 s, however stiff the knees are: legs on springs are too soft to resist roll (behaviour 16)."""
    plant = TorquePlant(model, "pelvis", ("left_foot", "right_foot"))
    plant.reset(model.qpos0)
    stiffness = np.tile([500.0, 300.0, 500.0, knee_nm_rad, 0.0], 2)
    damping = np.tile([10.0, 5.0, 10.0, knee_nm_rad / 60.0, 1.0], 2)
    wanted = model.qpos0[body.motor_dof + 1]
    feet = [4, 9]
    while plant.time_s < 6.0 and plant.qpos[2] > 0.6:
        angle = plant.data.qpos[body.motor_dof + 1]
        rate = plant.data.qvel[body.motor_dof]
        ahead_m, left_m = (plant.data.subtree_com[1] - plant.foot_places().mean(axis=0))[:2]
        torque = stiffness * (wanted - angle) - damping * rate
        torque[feet] -= 300.0 * ahead_m + 60.0 * plant.data.qvel[0]
        plant.step(np.clip(torque, -body.torque_limit_nm, body.torque_limit_nm), 1)
    assert 2.0 < plant.time_s < 5.0
    assert abs(left_m) > 0.3
    assert abs(ahead_m) < 0.03


def sway():
    time_s = np.linspace(0.0, SWAY_S, 51)
    wave = np.sin(2.0 * np.pi * time_s / SWAY_S) * np.minimum(1.0, np.minimum(time_s, time_s[-1] - time_s))
    zero = np.zeros_like(wave)
    place = np.stack([zero, 0.03 * wave, 0.85 + 0.06 * wave], axis=1)
    return PlayRequest(time_s, place, np.radians(np.stack([5.0 * wave, 5.0 * wave, 10.0 * wave], axis=1)), "sway")


def test_a_stand_follows_sines_of_all_six_degrees_of_freedom(model, table):
    rig = Rig(model, table, [sway()])
    errors = []
    for _ in rig.run(5.2):
        reference = rig.pilot.state_machine.reference
        if rig.pilot.state_machine.phase == "play":
            w, x, y, z = rig.plant.qpos[3:7]
            turn = (2 * (w * x + y * z), 2 * (w * y - z * x), 2 * (w * z + x * y))
            height = rig.plant.qpos[2] - reference.place_m[2]
            errors.append([height, *rig.pilot.standing.com_error_m, *np.subtract(turn, reference.turn_rad)])
    assert len(errors) > 3500
    height, forward, left, roll, pitch, yaw = np.abs(errors).max(axis=0)
    assert height < 0.01
    assert max(forward, left) < 0.015
    assert np.degrees([roll, pitch, yaw]).max() < 1.5


@pytest.mark.parametrize("force_n", [(60.0, 0.0, 0.0), (-60.0, 0.0, 0.0), (0.0, 60.0, 0.0)])
def test_a_stand_survives_a_push_from_behind_from_the_front_and_from_a_side(force_n):
    run = simulate_requests([StandRequest(2.2)], world=World(pushes=(Push(0.2, force_n),)), clock=FAST)
    assert run.outcome.finished
    assert run.motion.qpos[-1, 2] == pytest.approx(0.9, abs=0.01)


def sidestep(duration_s):
    """The base 10 cm to the left by minimum jerk, and back."""
    u = np.linspace(0.0, 1.0, 26)
    out = u**3 * (10.0 + u * (6.0 * u - 15.0))
    time_s = np.concatenate([u, 1.0 + u[1:]]) * duration_s
    share = np.concatenate([out, out[-2::-1]])
    zero = np.zeros_like(share)
    return PlayRequest(time_s, np.stack([zero, 0.1 * share, zero + 0.8], axis=1), np.zeros((len(share), 3)), "sidestep")


@pytest.mark.parametrize(("duration_s", "stands"), [(0.5, False), (1.0, True)])
def test_a_drawn_movement_that_is_too_quick_falls_and_stands_at_twice_the_time(duration_s, stands):
    run = simulate_requests([StandRequest(0.2, 0.8), sidestep(duration_s), StandRequest(1.0, 0.8)], clock=FAST)
    assert run.outcome.finished == stands
    assert run.outcome.fell != stands


def test_a_walk_turns_as_fast_as_asked():
    request = WalkRequest(0.3, turn_rad_s=0.3, height_m=0.85, duration_s=20.0)
    run = simulate_requests([request], clock=replace(FAST, longest_s=4.6))
    w, x, y, z = run.motion.qpos[:, 3:7].T
    heading = np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
    steady = slice(*np.searchsorted(run.motion.time_s, (2.4, 2.4 + 3 * 0.7)))
    assert not run.outcome.fell
    assert np.polyfit(run.motion.time_s[steady], heading[steady], 1)[0] == pytest.approx(0.3, abs=0.03)


def test_a_walk_survives_a_push_from_the_side():
    push = Push(2.2, (0.0, 60.0, 0.0))
    run = simulate_requests([WalkRequest(0.4, height_m=0.85, duration_s=2.0)], world=World(pushes=(push,)), clock=FAST)
    assert run.outcome.finished


@pytest.mark.parametrize(
    ("command", "steady_s"), [((0.8, 0.2, 0.75), 7.8), ((-0.5, -0.2, 0.95), 5.2)], ids=["fast ahead", "backwards"]
)
def test_a_walk_keeps_its_speed_and_height_in_the_corners_of_what_it_can(command, steady_s):
    forward, left, height = command
    run = simulate_requests(
        [WalkRequest(forward, left, 0.0, height, duration_s=20.0)],
        clock=replace(FAST, longest_s=steady_s + 1.5),
        world=World(seed=1),
    )
    assert not run.outcome.fell
    time_s = run.motion.time_s
    qpos = run.motion.qpos
    steady = slice(*np.searchsorted(time_s, (steady_s, steady_s + 2 * 0.7)))
    speed = (qpos[steady][-1, :2] - qpos[steady][0, :2]) / (time_s[steady][-1] - time_s[steady][0])
    np.testing.assert_allclose(speed, (forward, left), atol=0.045)
    assert qpos[steady, 2].mean() == pytest.approx(height, abs=0.015)
    assert run.outcome.torque_use < 1.0
    swing = ~run.motion.contact[steady]
    assert (swing.mean(axis=0) > 0.3).all()
    assert not swing.all(axis=1).any()


def test_the_observer_knows_the_speed_that_it_never_measures(model, table):
    rig = Rig(model, table, [WalkRequest(0.5, height_m=0.85, duration_s=20.0)], seed=2)
    errors = []
    for time_s in rig.run(5.1):
        if time_s > 3.3:
            errors.append(rig.pilot.estimator.velocity[:2] - rig.plant.qvel[:2])
    assert np.abs(np.mean(errors, axis=0)).max() < 0.02
    assert np.std(errors, axis=0).max() < 0.05


def test_a_swinging_leg_is_seen_with_springs_at_rest(body):
    estimator = StateEstimator(body, 0.001)
    joints = np.array(body.model.qpos0[7:])
    bent = joints.copy()
    bent[[4, 11]] = -0.05
    for swing, seen in ((0, (True, False)), (1, (False, True)), (None, (False, False))):
        measured = Measurement(np.array([1.0, 0, 0, 0]), np.zeros(3), np.array([0, 0, 9.81]), bent, np.zeros(14))
        estimator.update(measured, swing)
        at_rest = np.isclose(estimator.dynamics.pivot[:, 2], -0.9, atol=1e-3)
        assert tuple(at_rest) == seen


def test_torques_of_a_quiet_stand_are_equal_left_and_right(body):
    estimator = StateEstimator(body, 0.001)
    measured = Measurement(
        np.array([1.0, 0, 0, 0]), np.zeros(3), np.array([0, 0, 9.81]), body.model.qpos0[7:], np.zeros(14)
    )
    estimator.update(measured, None)
    torque = StandingController(estimator).torque(StandReference((*StandingController(estimator).com_state()[:2], 0.9)))
    mirrored = torque[5:] * (-1.0, -1.0, 1.0, 1.0, 1.0)
    np.testing.assert_allclose(torque[:5], mirrored, atol=0.6)  # the pelvis's centre is a third of a millimetre aside
