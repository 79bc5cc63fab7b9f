"""Alice in MuJoCo: she arrives at random goals without falling, and measures after each step where she is."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from strut.engines.rigid_body import foot_positions
from strut.errors import BadMotionError, UnreachablePostureError
from strut.gaits.footsteps.foot_poses import sole_places, standing_place
from strut.gaits.footsteps.goal_walk import CLOSE_M, CLOSE_RAD, MAX_WALKS, simulate_to_goal
from strut.pipeline.walk import walk
from strut.place import Place, between
from strut.simulation.playback import simulate
from strut.simulation.run_outcome import SUNK, TIPPED_RAD
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


def test_steps_are_reported_one_after_the_other_up_to_the_last():
    told = []
    simulate_to_goal(walk("alice", goal=Place(0.1, 0.0)), on_step=lambda number, of: told.append((number, of)))
    assert told == [(number, len(told)) for number in range(1, len(told) + 1)]
    assert len(told) >= 2


@pytest.fixture(scope="module")
def short_walk():
    return walk("alice", goal=Place(0.05, 0.0))


def test_an_arrival_is_where_the_soles_are_at_its_end(short_walk):
    arrival = simulate_to_goal(short_walk)
    motion = arrival.motion
    middle = between(*sole_places(ALICE, motion.qpos[-1]))
    assert arrival.goal_error_m == pytest.approx(math.hypot(middle.x_m - 0.05, middle.y_m), abs=1e-5)
    assert arrival.heading_error_rad == pytest.approx(abs(middle.heading_rad), abs=1e-5)
    assert arrival.steps == len(short_walk.meta["footsteps"]) == 3
    assert arrival.duration_s == pytest.approx(short_walk.duration_s, abs=0.05)
    assert arrival.foot_error_m < 0.001
    lifted = foot_positions(ALICE, motion.qpos)[..., 2]
    assert motion.contact[lifted < lifted.min() + 0.001].mean() > 0.95
    assert not motion.contact[lifted > lifted.min() + 0.01].any()
    assert motion.meta["simulated"] == {"closed_loop": True}


def test_a_robot_that_falls_takes_no_further_step(short_walk):
    """Four times as heavy as planned it tips over; the base is low at the end, and its steps end there."""
    done = []
    arrival = simulate_to_goal(short_walk, mass_scale=4.0, on_step=lambda number, of: done.append((number, of)))
    assert arrival.fell
    assert arrival.steps < 3
    assert done == [(number, 3) for number in range(1, arrival.steps + 1)]
    _, x, y, _ = arrival.motion.qpos[-1, 3:7]
    tilt_rad = math.acos(1.0 - 2.0 * (x * x + y * y))
    assert tilt_rad > TIPPED_RAD or arrival.motion.qpos[-1, 2] < SUNK * short_walk.meta["gait"]["body_height_m"]


def test_on_ice_it_walks_to_the_goal_again_until_it_is_close_or_has_tried_often_enough(short_walk):
    planned = []
    arrival = simulate_to_goal(short_walk, friction=0.02, on_step=lambda number, of: planned.append((number, of)))
    walks = [of for number, of in planned if number == 1]
    assert not arrival.fell
    assert walks[0] == 3
    assert 2 <= len(walks) <= MAX_WALKS
    assert arrival.steps == sum(walks) == len(planned)
    assert len(walks) == MAX_WALKS or (arrival.goal_error_m <= CLOSE_M and arrival.heading_error_rad <= CLOSE_RAD)


def test_a_goal_that_is_behind_the_walk_is_reached_by_steps_of_another_walk(short_walk):
    """The file says a goal that its own footsteps miss by 4 cm and 17 degrees."""
    options = {**short_walk.meta["options"], "goal": [0.09, 0.02, 0.3]}
    arrival = simulate_to_goal(replace(short_walk, meta={**short_walk.meta, "options": options}))
    assert arrival.steps > 3
    assert arrival.goal_error_m <= CLOSE_M
    assert arrival.heading_error_rad <= CLOSE_RAD


def test_every_phase_of_a_walk_ends_on_a_sample(short_walk):
    """Of 0.5912, 0.9871 and 0.7889 s at 50 samples a second, each is the next multiple of 0.02 s."""
    uneven = {"shift_s": 0.5912, "swing_s": 0.9871, "settle_s": 0.7889}
    even = {"shift_s": 0.6, "swing_s": 0.98, "settle_s": 0.78}
    found, expected = (
        simulate_to_goal(replace(short_walk, meta={**short_walk.meta, "gait": short_walk.meta["gait"] | times}))
        for times in (uneven, even)
    )
    assert_array_equal(found.motion.qpos, expected.motion.qpos)


def test_steps_that_legs_cannot_reach_are_refused_with_the_step(short_walk):
    first, *others = short_walk.meta["footsteps"]
    far = [[first[0], first[1] + 0.3, *first[2:]], *others]
    with pytest.raises(UnreachablePostureError, match="in step 1; a walk with shorter steps or a lower body"):
        simulate_to_goal(replace(short_walk, meta={**short_walk.meta, "footsteps": far}))
