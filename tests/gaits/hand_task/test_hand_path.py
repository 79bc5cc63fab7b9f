"""Paths of hands: through their rows, with velocities by differences; pointing, and what cannot be pointed at."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from strut.animation.animation_drafts import expression_changes
from strut.errors import OutOfRangeError
from strut.gaits.footsteps.body_path import Lean, lean_of
from strut.gaits.hand_task.hand_path import HandPath, Poses, path_through, stands_still
from strut.gaits.hand_task.named_tasks import hand_task
from strut.models.catalogue import load_robot
from tests.alice import ALICE

TIME_S = np.array([2.0, 2.5, 3.2, 4.0])
PLACE = np.array([[0.1, 0.2, 0.9], [0.2, 0.1, 1.0], [0.3, 0.3, 1.1], [0.2, 0.2, 1.0]])


def test_a_path_without_attitudes_goes_smoothly_through_its_places():
    path = path_through("draw", "right", np.column_stack([TIME_S, PLACE]))
    assert (path.name, path.hand, path.duration_s) == ("draw", "right", 2.0)
    found = path.poses(TIME_S - 2.0)
    assert found.rotation is None
    assert_allclose(found.position_m, PLACE, atol=1e-12)
    assert_allclose(path.poses(np.array([0.7])).position_m, CubicSpline(TIME_S, PLACE)(np.array([2.7])))
    velocity = path.velocity(np.array([0.0, 0.7, 2.0]))
    exact = CubicSpline(TIME_S, PLACE)(np.array([2.0, 2.7, 4.0]), 1)
    assert_allclose(velocity[:, :3], exact, atol=1e-3)
    assert not velocity[:, 3:].any()
    assert not path.platform(np.zeros(3)).any()
    assert path.options["path"] == np.column_stack([TIME_S, PLACE]).tolist()
    assert (path.options["task"], path.options["duration_s"]) == ("draw", 2.0)


def test_a_path_with_attitudes_has_them_and_turns_as_they_say():
    angle = 0.8 * (TIME_S - 2.0)
    turn = Rotation.from_rotvec(np.outer(angle, [0.0, 0.6, 0.8]))
    path = path_through("turn", "left", np.column_stack([TIME_S, PLACE, turn.as_quat(scalar_first=True)]))
    assert_allclose(path.poses(TIME_S - 2.0).rotation, turn.as_matrix(), atol=1e-9)
    assert_allclose(path.velocity(np.array([1.0]))[0, 3:], 0.8 * np.array([0.0, 0.6, 0.8]), atol=1e-3)


def test_a_platform_is_led_at_its_speed_and_one_that_is_free_at_none():
    def driven(time_s):
        return np.column_stack([0.5 * time_s, time_s**2, -0.3 * time_s])

    path = HandPath("a", "right", 4.0, lambda time_s: Poses(driven(time_s), None), driven)
    assert_allclose(path.platform_velocity(np.array([1.0, 3.0])), [[0.5, 2.0, -0.3], [0.5, 6.0, -0.3]], atol=1e-6)
    assert_allclose(path.platform_velocity(np.array([0.0, 4.0]))[:, 1], [1e-4, 8.0 - 1e-4], atol=1e-6)  # one-sided
    free = HandPath("a", "right", 4.0, path.poses, None)
    assert_allclose(free.platform_velocity(np.ones(2)), np.zeros((2, 3)))
    assert stands_still(np.ones(2)).shape == (2, 3)


@pytest.mark.parametrize("share", [1.45, 1.55])
def test_what_is_too_near_cannot_be_pointed_at(share):
    pepper = load_robot("pepper")
    table = pepper.tasks["point"]
    target = np.array(table.from_m) + share * table.reach_m * np.array([0.6, 0.0, 0.8])
    if share < 1.5:
        with pytest.raises(OutOfRangeError, match="farther off"):
            hand_task(pepper, "point", duration_s=4.0, target_m=target)
    else:
        assert hand_task(pepper, "point", duration_s=4.0, target_m=target).spin_free
    with pytest.raises(OutOfRangeError, match="farther off"):
        hand_task(pepper, "point", duration_s=4.0, target_m=np.array([np.inf, 0.0, 0.0]))


def test_changes_of_eyes_are_printed_when_they_begin():
    eyes = ("happy", "happy", "sad", "sad", "happy")
    assert expression_changes(np.array([0.0, 0.1, 0.2, 0.3, 0.4]), eyes) == [
        [0.0, "happy"],
        [0.2, "sad"],
        [0.4, "happy"],
    ]
    with pytest.raises(ValueError, match="zip"):
        expression_changes(np.zeros(3), eyes)


def test_a_lean_shifts_the_mass_by_what_its_joints_move():
    upper = len(ALICE.joint_names) - 12
    angles = 0.2 * np.random.default_rng(0).normal(size=(3, upper))
    lean = lean_of(ALICE, angles)
    data = mujoco.MjData(ALICE.model)
    mujoco.mj_forward(ALICE.model, data)
    upright = data.subtree_com[1].copy()
    for k in range(3):
        data.qpos[:] = ALICE.model.qpos0
        data.qpos[-upper:] = angles[k]
        mujoco.mj_forward(ALICE.model, data)
        assert_allclose(lean.com_shift_m[k], data.subtree_com[1] - upright, atol=1e-9)
    assert lean.joint_rad is angles
    again = Lean(angles, lean.com_shift_m).repeated(4)
    assert_allclose(again.joint_rad, np.tile(angles[0], (4, 1)))
    assert_allclose(again.com_shift_m, np.tile(lean.com_shift_m[0], (4, 1)))
