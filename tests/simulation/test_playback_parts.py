"""What is made of a run: falls, slips, distances and costs, on runs that are written by hand."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from strut.engines.frame_kinematics import frame_poses
from strut.errors import OutOfRangeError, UnknownNameError
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.simulation.early_end import DOWN_S, MUCH_SHORT, MUCH_SLIP_MM, does_as_planned, is_sliding_far, stays_down
from strut.simulation.outcome import Outcome
from strut.simulation.physics import Run
from strut.simulation.playback import MAX_FACTOR, simulate
from strut.simulation.run_outcome import (
    CARRIES,
    SUNK,
    TIPPED_RAD,
    TOUCHED_N,
    is_down,
    largest_slip_m,
    measure_outcome,
)
from strut.simulation.sensing import Sensing
from tests.simulation.exact_runs import PETE, STEP_S, followed

CARRIED_N = CARRIES * PETE.mass_kg * 9.81


def walked(samples=11, speed_m_s=0.2):
    """Return a plan along a slanting line and a run that follows it exactly."""
    way_m = speed_m_s * STEP_S * np.arange(samples)
    return followed(np.column_stack([0.5 + 0.6 * way_m, -0.2 + 0.8 * way_m]))


def test_a_run_that_does_as_planned_has_no_error():
    motion, run = walked()
    run.torque_nm[4, 2] = -0.5 * PETE.torque_limit_nm[2]
    outcome = measure_outcome(PETE, motion, run, 1.5)
    assert not outcome.fell
    assert (outcome.stumbles, outcome.upright_s) == (0, pytest.approx(1.0))
    assert (outcome.distance_m, outcome.commanded_distance_m) == pytest.approx((0.2, 0.2))
    assert (outcome.heading_drift_rad, outcome.foot_slip_mm, outcome.tracking_error_rad) == pytest.approx(
        (0.0, 0.0, 0.0)
    )
    assert outcome.torque_use == pytest.approx(0.5)
    assert outcome.cost_of_transport == pytest.approx(3.0 * 1.0 / (PETE.mass_kg * 1.5 * 9.81 * 0.2))


def test_what_differs_from_the_plan_is_reported():
    motion, run = walked()
    run.qpos[-1, :2] = [0.5 + 0.3, -0.2]  # 0.18 m of it along the way
    run.qpos[6, 9] += 0.07
    run.qpos[-1, 3:7] = [np.cos(0.15), 0.0, 0.0, np.sin(0.15)]
    outcome = measure_outcome(PETE, motion, run, 1.0)
    assert outcome.distance_m == pytest.approx(0.18)
    assert outcome.heading_drift_rad == pytest.approx(0.3)
    assert outcome.tracking_error_rad == pytest.approx(0.07)
    still, standing = walked(speed_m_s=0.0)
    assert measure_outcome(PETE, still, standing, 1.0).cost_of_transport is None


def test_who_is_down_at_the_end_fell_and_who_got_up_stumbled():
    motion, run = walked()
    run.other_load_n[3:5] = TOUCHED_N + 1.0
    run.qpos[8:, 2] *= 0.99 * SUNK
    run.torque_nm[9] = 10.0 * PETE.torque_limit_nm
    outcome = measure_outcome(PETE, motion, run, 1.0)
    assert (outcome.fell, outcome.stumbles, outcome.upright_s) == (True, 1, pytest.approx(0.8))
    assert outcome.distance_m == pytest.approx(0.16)
    assert outcome.torque_use == 0.0  # after the fall nothing counts
    motion, run = walked()
    run.other_load_n[3:5] = TOUCHED_N + 1.0
    up = measure_outcome(PETE, motion, run, 1.0)
    assert (up.fell, up.stumbles) == (False, 1)


@pytest.mark.parametrize(("share", "down"), [(0.99, False), (1.01, True)])
def test_bodies_are_down_when_tipped_sunk_carried_or_broken(share, down):
    motion, run = walked(3)
    half = share * TIPPED_RAD / 2.0
    run.qpos[1, 3:7] = np.cos(half), 0.0, np.sin(half), 0.0
    assert is_down(motion, run).tolist() == [False, down, False]
    motion, run = walked(3)
    run.qpos[1, 3:7] = -np.array([np.cos(half), np.sin(half), 0.0, 0.0])  # the other sign is the same turn
    assert is_down(motion, run).tolist() == [False, down, False]
    motion, run = walked(3)
    run.qpos[2, 2] *= SUNK / share
    assert is_down(motion, run).tolist() == [False, False, down]
    motion, run = walked(3)
    run.other_load_n[0] = share * TOUCHED_N
    assert is_down(motion, run).tolist() == [down, False, False]
    run.qpos[2, 12] = np.nan
    assert is_down(motion, run)[2]


def test_who_has_been_down_for_long_stays_down():
    samples = round(DOWN_S / STEP_S) + 3
    motion, run = walked(samples)
    run.other_load_n[1:] = 2.0 * TOUCHED_N
    assert not stays_down(motion, run.first(round(DOWN_S / STEP_S)))
    assert stays_down(motion, run)
    run.other_load_n[-2] = 0.0
    assert not stays_down(motion, run)


def test_a_foot_slips_while_it_carries_planned_or_not():
    motion, run = walked()
    run.foot_in_world[:5, 1, 0] = [0.0, 0.001, 0.003, 0.002, 0.5]
    run.foot_load_n[4:6, 1] = 0.99 * CARRIED_N  # in these samples it carries no more
    run.foot_in_world[6:, 1, :2] = [[1.0, 1.0], [1.003, 1.004], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    run.foot_in_world[:, 1, 2] = np.arange(11)  # heights do not count
    held = replace(run, qpos=np.tile(motion.qpos[:1], (11, 1)))
    assert largest_slip_m(PETE, held) == pytest.approx(0.005)
    assert largest_slip_m(PETE, held.first(6)) == pytest.approx(0.003)
    assert largest_slip_m(PETE, held, ends=range(4, 5)) == pytest.approx(0.003)
    assert largest_slip_m(PETE, held, ends=range(11, 12)) == pytest.approx(0.005)
    assert largest_slip_m(PETE, held, ends=range(4)) == 0.0
    run.foot_load_n[:, 1] = 0.5 * CARRIED_N
    assert largest_slip_m(PETE, replace(held, foot_load_n=run.foot_load_n)) == 0.0


@pytest.mark.parametrize(("share", "slips"), [(0.99, False), (1.01, True)])
def test_a_foot_slides_far_once_it_ceases_to_carry_unless_the_body_is_down(share, slips):
    motion, run = walked(31)
    qpos = np.tile(motion.qpos[:1], (31, 1))
    still = replace(motion, qpos=qpos.copy())
    held = replace(run, qpos=qpos)
    held.foot_in_world[20:, 2, 1] = share * MUCH_SLIP_MM * 1e-3
    assert not is_sliding_far(PETE, still, held)
    held.foot_load_n[29:, 2] = 0.0
    assert is_sliding_far(PETE, still, held) is slips
    held.other_load_n[-1] = 2.0 * TOUCHED_N
    assert not is_sliding_far(PETE, still, held)


def test_a_motion_is_done_as_planned_if_the_robot_stays_upright_goes_as_far_and_hardly_slides():
    good = Outcome(
        fell=False, upright_s=1.0, distance_m=1.0, commanded_distance_m=1.0, heading_drift_rad=0.0, foot_slip_mm=0.0,
        tracking_error_rad=0.0, torque_use=0.0, cost_of_transport=None,
    )  # fmt: skip
    for changes in ({}, {"foot_slip_mm": 0.99 * MUCH_SLIP_MM}, {"distance_m": 1.0 - 0.99 * MUCH_SHORT}):
        assert does_as_planned(replace(good, **changes))
    for changes in (
        {"fell": True},
        {"stumbles": 1},
        {"foot_slip_mm": 1.01 * MUCH_SLIP_MM},
        {"distance_m": 1.0 - 1.01 * MUCH_SHORT},
        {"distance_m": 1.0 + 1.01 * MUCH_SHORT},
    ):
        assert not does_as_planned(replace(good, **changes))


def test_conditions_and_controllers_that_do_not_exist_are_refused():
    slow, _ = walked(3)
    motion = replace(slow, time_s=0.01 * np.arange(3))
    for friction, scale in ((0.0, 1.0), (1.0, 0.0), (MAX_FACTOR * 1.01, 1.0), (1.0, MAX_FACTOR * 1.01)):
        with pytest.raises(OutOfRangeError, match="it must be above 0"):
            simulate(motion, PETE, friction=friction, mass_scale=scale)
    with pytest.raises(UnknownNameError, match="magic"):
        simulate(motion, PETE, controller="magic")


def test_a_robot_without_legs_has_nothing_to_balance():
    pepper = load_robot("pepper")
    qpos = np.zeros((4, 3 + len(pepper.joint_names)))
    motion = Motion("pepper", 0.01 * np.arange(4), qpos, pepper.joint_names, np.zeros((4, 0), dtype=bool), ())
    for controller in ("balance", "whole_body"):
        with pytest.raises(OutOfRangeError, match="does not stand on legs"):
            simulate(motion, pepper, controller=controller)
    noisy = Sensing(delay_s=0.01)
    with pytest.raises(OutOfRangeError, match=r"change nothing\.$"):
        simulate(motion, pepper, controller="servos", sensing=noisy)
    assert "--controller" not in simulate(motion, pepper, sensing=noisy).outcome.unfelt


def test_a_hand_that_is_busy_is_measured_and_a_platform_told_how_far_it_came():
    pepper = load_robot("pepper")
    joints = len(pepper.joint_names)
    time_s = 1.0 + STEP_S * np.arange(4)
    qpos = np.zeros((4, 3 + joints))
    qpos[:, 0] = 0.3 * np.arange(4) / 3.0
    qpos[:, 1] = 0.4 * np.arange(4) / 3.0
    motion = Motion(
        "pepper", time_s, qpos, pepper.joint_names, np.zeros((4, 0), dtype=bool), (), meta={"task": {"hand": "right"}}
    )
    happened = qpos.copy()
    happened[-1, :3] = [0.5, 0.0, 0.2]
    happened[2, 3 + pepper.joint_names.index("RShoulderPitch")] += 0.1
    run = Run(
        time_s, happened, np.zeros((4, 3 + joints)), np.zeros(4), np.zeros((4, 0, 3)), np.zeros((4, 0)), np.zeros(4)
    )
    run.torque_nm[1, 3] = 0.5 * pepper.torque_limit_nm[0]
    outcome = measure_outcome(pepper, motion, run, 1.0)
    assert (outcome.fell, outcome.foot_slip_mm, outcome.cost_of_transport) == (False, None, None)
    assert (outcome.commanded_distance_m, outcome.distance_m) == pytest.approx((0.5, 0.3))
    assert outcome.heading_drift_rad == pytest.approx(0.2)
    assert outcome.tracking_error_rad == pytest.approx(0.1)
    assert outcome.torque_use == pytest.approx(0.5)
    frame = pepper.chains.hand["right"]
    far = np.linalg.norm(frame_poses(pepper, frame, happened)[0] - frame_poses(pepper, frame, qpos)[0], axis=1).max()
    assert outcome.hand_error_mm == pytest.approx(1e3 * far)


def test_a_loaded_sole_that_twists_slips_as_far_as_its_corners():
    """Its middle stays where it is; MuJoCo's kinematics say where its corners go."""
    alice = load_robot("alice")
    corners = alice.feet[0].points
    data = mujoco.MjData(alice.model)
    angles_rad = np.linspace(0.0, 0.4, 9)
    qpos = np.tile(alice.standing_qpos, (9, 1))
    feet_m = np.empty((9, 2, 3))
    corners_m = np.empty((9, len(corners), 3))
    for sample, angle in enumerate(angles_rad):
        qpos[sample, 3:7] = [np.cos(angle / 2.0), 0.0, 0.0, np.sin(angle / 2.0)]
        data.qpos[:] = qpos[sample]
        mujoco.mj_forward(alice.model, data)
        feet_m[sample] = [data.site(foot.frame).xpos for foot in alice.feet]
        body = data.body(corners[0].body)
        local_m = np.array([corner.position_m for corner in corners])
        corners_m[sample] = body.xpos + local_m @ body.xmat.reshape(3, 3).T - feet_m[sample, 0]
    still_m = np.tile(feet_m[:1], (9, 1, 1))  # as if the body turned about its sole
    load_n = np.tile([100.0, 0.0], (9, 1))
    _, run = walked(9)
    run = replace(run, qpos=qpos, foot_in_world=still_m, foot_load_n=load_n)
    expected_m = np.linalg.norm((corners_m - corners_m[0])[..., :2], axis=-1).max()
    assert expected_m > 0.02
    assert largest_slip_m(alice, run) == pytest.approx(expected_m)
