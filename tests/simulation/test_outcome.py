"""An outcome is counted right: hand-made runs, whose travel, slip, torque and fall everybody can count, go in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.motion import Motion
from strut.simulation import playback
from strut.simulation.early_end import MUCH_SHORT, cannot_do_as_planned, does_as_planned
from strut.simulation.physics import Run

SAMPLES = 11
RATE_HZ = 100.0
WEIGHT_N = 100.0


@pytest.fixture(scope="module")
def robot():
    found = strut.load_robot("mrpete")
    return replace(found, torque_limit_nm=np.linspace(1.0, 4.0, 28))


@pytest.fixture
def planned(robot, neutral_walk) -> Motion:
    """One metre to the left in a second, all feet down, joints still."""
    qpos = np.tile(neutral_walk.qpos[0], (SAMPLES, 1))
    qpos[:, 0] = 0.0
    qpos[:, 1] = np.linspace(0.0, 1.0, SAMPLES)
    contact = np.ones((SAMPLES, 4), dtype=bool)
    fields = {"torque_nm": np.zeros((SAMPLES, 28)), "ground_force_n": None, "cop_in_world": None}
    time_s = np.arange(SAMPLES) / RATE_HZ
    return replace(neutral_walk, time_s=time_s, qpos=qpos, contact=contact, **fields, balance_margin_m=None)


@pytest.fixture
def run(planned) -> Run:
    """The same, as it would happen if it went well: a quarter of the weight on each foot, nothing else touches."""
    feet = np.zeros((SAMPLES, 4, 3))
    return Run(
        planned.time_s,
        planned.qpos.copy(),
        np.zeros((SAMPLES, 28)),
        np.zeros(SAMPLES),
        feet,
        np.full((SAMPLES, 4), WEIGHT_N / 4.0),
        np.zeros(SAMPLES),
    )


@pytest.fixture
def outcome_of(robot, planned, monkeypatch):
    def outcome(run: Run, **options):
        monkeypatch.setattr(playback, "run_servos", lambda *_args, **_options: run)
        return strut.simulate(planned, robot, **options).outcome

    return outcome


def test_travel_counts_along_the_way_that_was_planned(outcome_of, run):
    assert outcome_of(run).distance_m == pytest.approx(1.0)
    back = run.qpos.copy()
    back[:, 1] *= -0.5
    assert outcome_of(replace(run, qpos=back)).distance_m == pytest.approx(-0.5)
    aside = run.qpos.copy()
    aside[:, 0] = np.linspace(0.0, 3.0, SAMPLES)
    found = outcome_of(replace(run, qpos=aside))
    assert (found.distance_m, found.commanded_distance_m) == pytest.approx((1.0, 1.0))


def test_torque_use_is_the_largest_share_of_any_servos_own_limit(outcome_of, run, robot):
    torque_nm = np.zeros((SAMPLES, 28))
    torque_nm[3, 0] = -0.8
    torque_nm[4, 27] = 2.0  # of limits of 1 and 4 N m
    assert outcome_of(replace(run, torque_nm=torque_nm)).torque_use == pytest.approx(0.8)


def test_work_over_weight_and_distance_is_the_cost_of_transport(outcome_of, run, robot):
    found = outcome_of(replace(run, power_w=np.full(SAMPLES, 20.0)), mass_scale=2.0)
    work_j = 20.0 * (SAMPLES - 1) / RATE_HZ
    assert found.cost_of_transport == pytest.approx(work_j / (2.0 * robot.mass_kg * 9.81), rel=1e-3)


def test_heading_drift_is_the_turn_that_nobody_planned(outcome_of, run, planned):
    half = 0.1
    w, x, y, z = planned.qpos[0, 3:7]
    turned = run.qpos.copy()  # by 2 · 0.1 rad about the vertical, after the planned attitude
    turned[:, 3:7] = [
        np.cos(half) * w - np.sin(half) * z,
        np.cos(half) * x - np.sin(half) * y,
        np.cos(half) * y + np.sin(half) * x,
        np.cos(half) * z + np.sin(half) * w,
    ]
    assert outcome_of(replace(run, qpos=turned)).heading_drift_rad == pytest.approx(2.0 * half)
    assert outcome_of(run).heading_drift_rad == 0.0


def test_a_loaded_foot_that_slides_slips_and_one_in_the_air_does_not(outcome_of, run):
    feet = run.foot_in_world.copy()
    feet[5:, 1, 0] = 0.004
    assert outcome_of(replace(run, foot_in_world=feet)).foot_slip_mm == pytest.approx(4.0)
    load_n = run.foot_load_n.copy()
    load_n[:, 1] = 0.0
    assert outcome_of(replace(run, foot_in_world=feet, foot_load_n=load_n)).foot_slip_mm == 0.0


@pytest.mark.parametrize("what", ["tipped", "sunk", "carried by its belly"])
def test_a_fall_is_told_with_its_instant_and_nothing_after_it_counts(outcome_of, run, what):
    qpos = run.qpos.copy()
    other_n = run.other_load_n.copy()
    torque_nm = run.torque_nm.copy()
    if what == "tipped":
        qpos[6:, 3:7] = [np.cos(0.4), np.sin(0.4), 0.0, 0.0]
    elif what == "sunk":
        qpos[6:, 2] *= 0.4
    else:
        other_n[6:] = 5.0
    torque_nm[7:] = 100.0
    feet = run.foot_in_world.copy()
    feet[7:, 1, 0] = 0.3
    found = outcome_of(replace(run, qpos=qpos, other_load_n=other_n, torque_nm=torque_nm, foot_in_world=feet))
    assert found.fell
    assert found.upright_s == pytest.approx(6 / RATE_HZ)
    assert found.torque_use == 0.0
    assert what == "tipped" or found.foot_slip_mm == 0.0  # the balls of a body that tips roll
    assert found.distance_m == pytest.approx(0.6)


def test_a_walk_is_done_as_planned_unless_much_of_the_way_is_missing(outcome_of, run):
    """Of one metre a tenth may be missing; of two metres, as much again."""
    whole = outcome_of(run)
    for metres in (1.0, 2.0):
        for missing, suffices in ((0.5 * MUCH_SHORT, True), (1.5 * MUCH_SHORT, False)):
            short = replace(whole, commanded_distance_m=metres, distance_m=metres * (1.0 - missing))
            assert does_as_planned(short) == suffices


def test_a_robot_that_is_far_behind_its_plan_is_not_played_to_the_end(robot, planned, run):
    """Of the way of the whole plan an eighth is too much, wherever on the way; a tenth is judged at the end alone."""
    way_m = planned.qpos[-1, :2] - planned.qpos[0, :2]
    for share, ends in ((0.11, False), (0.14, True)):
        behind = run.qpos.copy()
        behind[:, :2] = planned.qpos[: len(behind), :2] - share * way_m
        assert cannot_do_as_planned(robot, planned, replace(run, qpos=behind)) == ends


def test_a_robot_that_has_been_down_cannot_do_as_planned(robot, planned, run):
    sunk = run.qpos.copy()
    sunk[3, 2] *= 0.4
    assert cannot_do_as_planned(robot, planned, replace(run, qpos=sunk))
    assert not cannot_do_as_planned(robot, planned, run)
