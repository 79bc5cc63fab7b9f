"""Alice in physics: she arrives at random goals without falling, looking after each step where she is."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.errors import BadMotionError
from strut.gaits.footsteps.biped_model import biped_model
from strut.gaits.footsteps.foot_poses import standing_place
from strut.gaits.footsteps.goal_walk import (
    MAX_CORRECTION_M,
    MAX_CORRECTION_RAD,
    _corrected,
    _gait,
    _Walker,
    simulate_to_goal,
)
from strut.gaits.footsteps.phases import PhaseTimes
from strut.pipeline.walk import walk
from strut.place import Place
from strut.simulation.playback import simulate
from tests.alice import ALICE


def random_goal(seed):
    rng = np.random.default_rng(seed)
    distance_m = math.sqrt(rng.uniform())
    bearing = rng.uniform(-math.pi, math.pi)
    return Place(distance_m * math.cos(bearing), distance_m * math.sin(bearing), rng.uniform(-math.pi, math.pi))


def test_alice_arrives_at_a_goal_drawn_at_random():
    """benchmarks/bench_goals.py has twenty of them."""
    arrival = simulate_to_goal(walk(ALICE, goal=random_goal(3), pace="fastest"))
    assert not arrival.fell
    assert arrival.goal_error_m < 0.02
    assert arrival.heading_error_rad < math.radians(5.0)


def test_a_heavier_robot_on_a_slippery_floor_still_arrives():
    motion = walk(ALICE, goal=Place(0.15, 0.1, 1.2), pace=0.05)
    arrival = simulate_to_goal(motion, friction=0.25, mass_scale=1.3)
    assert not arrival.fell
    assert arrival.goal_error_m < 0.02
    assert arrival.heading_error_rad < math.radians(5.0)


def test_looking_after_each_step_ends_nearer_than_walking_blindly():
    motion = walk(ALICE, goal=Place(0.3, 0.0, 2.0), pace=0.08)
    blind = simulate(motion, friction=0.2, mass_scale=1.5).motion
    missed_m = standing_place(ALICE, blind.qpos[-1]).distance_m(Place(0.3, 0.0, 2.0))
    looking = simulate_to_goal(motion, friction=0.2, mass_scale=1.5)
    assert looking.goal_error_m < 0.8 * missed_m


def test_planned_and_simulated_walks_are_the_same_on_a_good_floor():
    motion = walk(ALICE, goal=Place(0.12, 0.0))
    outcome = simulate(motion).outcome
    assert not outcome.fell
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, abs=0.002)
    assert outcome.foot_slip_mm < 1.0


def test_a_walk_that_tips_on_paper_falls_in_physics():
    motion = walk(ALICE, goal=Place(0.2, 0.0), pace=0.02)
    hurried = 6.0
    fast = type(motion)(
        motion.robot, motion.time_s / hurried, motion.qpos, motion.joint_names, motion.contact, motion.foot_names
    )
    assert simulate(fast, ALICE).outcome.fell


def test_only_walks_to_goals_can_be_walked_again(mrpete_motion):
    with pytest.raises(BadMotionError, match="is no walk of steps to a goal"):
        simulate_to_goal(mrpete_motion)


def test_a_walk_that_was_saved_before_bodies_could_lean_is_walked_upright():
    motion = walk("alice", goal=Place(0.05, 0.0))
    gait = {name: value for name, value in motion.meta["gait"].items() if name != "upper_rad"}
    arrival = simulate_to_goal(replace(motion, meta={**motion.meta, "gait": gait}))
    assert not arrival.fell
    assert arrival.goal_error_m < 0.01


@pytest.fixture
def mrpete_motion():
    return walk("mrpete", cycles=2, rate_hz=25.0)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_step_is_corrected_towards_where_it_is_wanted_and_no_further_than_legs_allow(sign):
    stance = Place(0.4, -0.2, 0.6)
    planned = Place(0.05, 0.09, 0.1)
    near = stance.compose(Place(0.05 + sign * 0.004, 0.09 - sign * 0.003, 0.1 + sign * 0.02))
    found = _corrected(planned, near, stance)
    assert found.distance_m(near) == pytest.approx(0.0, abs=1e-12)
    assert found.heading_rad == pytest.approx(near.heading_rad)
    far = stance.compose(Place(0.05 + sign * 0.3, 0.09 - sign * 0.4, 0.1 + sign * 1.0))
    seen = _corrected(planned, far, stance).relative_to(stance)
    moved = np.array([seen.x_m - planned.x_m, seen.y_m - planned.y_m])
    assert moved == pytest.approx(sign * MAX_CORRECTION_M * np.array([0.6, -0.8]))
    assert seen.heading_rad - planned.heading_rad == pytest.approx(sign * MAX_CORRECTION_RAD)


def test_steps_are_told_one_after_the_other_up_to_the_last():
    told = []
    simulate_to_goal(walk("alice", goal=Place(0.1, 0.0)), on_step=lambda number, of: told.append((number, of)))
    assert told == [(number, len(told)) for number in range(1, len(told) + 1)]
    assert len(told) >= 2


@pytest.mark.parametrize(
    ("tilt_rad", "axis", "height", "fell"),
    [
        (0.0, (1.0, 0.0, 0.0), 1.0, False),
        (0.2, (0.0, 1.0, 0.0), 1.0, False),
        (3.0, (0.0, 0.0, 1.0), 1.0, False),  # who turns round has not fallen
        (math.pi / 2, (1.0, 0.0, 0.0), 1.0, True),  # on its side, held as high as it stood
        (math.pi, (0.0, 1.0, 0.0), 1.0, True),
        (0.0, (1.0, 0.0, 0.0), 0.3, True),  # upright on its knees
    ],
)
def test_who_tips_over_or_sinks_has_fallen(tilt_rad, axis, height, fell):
    qpos = np.array([0.0, 0.0, 0.2 * height, math.cos(tilt_rad / 2), *(math.sin(tilt_rad / 2) * np.array(axis))])
    walker = SimpleNamespace(_plant=SimpleNamespace(qpos=qpos), _gait=SimpleNamespace(body_height_m=0.2))
    assert _Walker.fallen.fget(walker) == fell


def test_every_phase_of_a_walk_ends_on_a_sample():
    legs = biped_model(ALICE)
    gait = _gait(ALICE, walk("alice", goal=Place(0.05, 0.0)))
    uneven = replace(gait, times=PhaseTimes(0.3333, 0.4444, 0.0001))
    times = _Walker(ALICE, legs, uneven, "corrected", None, 0.01, None)._gait.times
    assert (times.shift_s, times.swing_s, times.settle_s) == pytest.approx((0.33, 0.44, 0.01))
