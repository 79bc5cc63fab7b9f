"""Parts of a walk to a goal: falls, corrections of steps, and what a file says of its gait."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from strut.gaits.footsteps.foot_poses import standing_place
from strut.gaits.footsteps.goal_walk import (
    MAX_CORRECTION_M,
    MAX_CORRECTION_RAD,
    SUNK,
    TIPPED_RAD,
    TOUCHED_N,
    Arrival,
    _corrected,
    _gait,
    _Walker,
)
from strut.gaits.footsteps.table import StepsTable
from strut.place import Place
from strut.simulation.physics import Run
from tests.alice import ALICE, LEGS


def walker(qpos, height_m=0.22):
    gait = SimpleNamespace(body_height_m=height_m)
    return SimpleNamespace(_plant=SimpleNamespace(qpos=qpos), _gait=gait, _robot=ALICE)


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize(("share", "fallen"), [(0.99, False), (1.01, True)])
def test_who_is_tipped_or_sunk_beyond_the_bound_has_fallen(axis, share, fallen):
    fell = _Walker.fallen.fget
    qpos = np.array(ALICE.standing_qpos)
    assert not fell(walker(qpos))
    tipped = qpos.copy()
    tipped[3:7] = 0.0
    tipped[3] = math.cos(share * TIPPED_RAD / 2.0)
    tipped[3 + axis] = math.sin(share * TIPPED_RAD / 2.0)
    assert fell(walker(tipped)) is fallen
    sunk = qpos.copy()
    sunk[2] = SUNK * 0.22 / share
    assert fell(walker(sunk)) is fallen
    turned = qpos.copy()
    turned[3:7] = math.cos(1.5), 0.0, 0.0, math.sin(1.5)
    assert not fell(walker(turned))  # about the vertical
    over = qpos.copy()
    over[3:7] = 0.0
    over[3 + axis] = 1.0 + 1e-9  # upside down, and a little long by rounding
    assert fell(walker(over))
    broken = qpos.copy()
    broken[9] = np.nan
    assert fell(walker(broken))


def test_a_step_is_corrected_only_as_far_as_legs_allow():
    stance = Place(0.2, 0.1, 0.5)
    planned = Place(0.05, -0.1, 0.02)
    near = stance.compose(Place(0.05 + 0.003, -0.1 - 0.004, 0.02 + 0.03))
    found = _corrected(planned, near, stance)
    assert (found.x_m, found.y_m, found.heading_rad) == pytest.approx((near.x_m, near.y_m, near.heading_rad))
    for way in (1.0, -1.0):
        far = stance.compose(Place(0.05 + 0.03, -0.1 - 0.04, 0.02 + 0.5 * way))
        seen = _corrected(planned, far, stance).relative_to(stance)
        moved = MAX_CORRECTION_M
        assert (seen.x_m, seen.y_m) == pytest.approx((0.05 + 0.6 * moved, -0.1 - 0.8 * moved))
        assert seen.heading_rad == pytest.approx(0.02 + way * MAX_CORRECTION_RAD)


def test_the_gait_of_a_file_is_taken_up_and_older_files_are_upright():
    told = {
        "step_length_m": 0.03, "step_height_m": 0.01, "body_height_m": 0.21, "shift_s": 0.5, "swing_s": 0.6,
        "settle_s": 0.7, "outward_m": 0.004,
    }  # fmt: skip
    gait = _gait(ALICE, SimpleNamespace(meta={"gait": told}))
    assert (gait.limits.length_m, gait.limits.separation_m) == (0.03, pytest.approx(LEGS.separation_m))
    own = ALICE.gait_as(StepsTable)
    assert (gait.limits.side_m, gait.limits.turn_rad) == (
        own.side_step_m,
        own.step_turn_rad,
    )
    assert (gait.step_height_m, gait.body_height_m, gait.outward_m) == (0.01, 0.21, 0.004)
    assert (gait.times.shift_s, gait.times.swing_s, gait.times.settle_s) == (0.5, 0.6, 0.7)
    assert gait.upper_rad == (0.0,) * (len(ALICE.joint_names) - 12)
    leaning = _gait(ALICE, SimpleNamespace(meta={"gait": told | {"upper_rad": [0.1] * len(gait.upper_rad)}}))
    assert set(leaning.upper_rad) == {0.1}


def test_an_arrival_is_told_by_where_the_feet_are():
    qpos = np.array(ALICE.standing_qpos)
    joints = len(ALICE.joint_names)

    def run(load):
        return Run(np.zeros(2), np.tile(qpos, (2, 1)), np.zeros((2, joints)), np.zeros(2), np.zeros((2, 2, 3)),
                   np.array([[load, 0.0]] * 2), np.zeros(2))  # fmt: skip

    here = standing_place(ALICE, qpos)
    own = walker(qpos)
    own._runs = [run(1.1 * TOUCHED_N), run(0.9 * TOUCHED_N)]
    own._step_s = 0.02
    own._taken = 7
    own._foot_error_m = 0.003
    own.fallen = False
    motion = SimpleNamespace(robot="alice", joint_names=ALICE.joint_names, foot_names=ALICE.foot_names, meta={"a": 1})
    goal = Place(here.x_m + 0.03, here.y_m - 0.04, here.heading_rad + 0.2 - 2.0 * math.pi)
    found = _Walker.arrival(own, goal, motion)
    assert isinstance(found, Arrival)
    assert (found.goal_error_m, found.heading_error_rad) == pytest.approx((0.05, 0.2))
    assert (found.steps, found.foot_error_m, found.fell) == (7, 0.003, False)
    assert found.duration_s == pytest.approx(0.06)
    assert found.motion.contact[:, 0].tolist() == [True, True, False, False]
    assert found.motion.meta == {"a": 1, "simulated": {"closed_loop": True}}
    assert set(found.as_dict()) == {"fell", "goal_error_m", "heading_error_rad", "duration_s", "steps", "foot_error_m"}
