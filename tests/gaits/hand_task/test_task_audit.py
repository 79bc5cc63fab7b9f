"""Errors of hand and head that are known beforehand: Pepper stands still beside its goals."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.draft import Draft
from strut.engines.frame_kinematics import frame_poses
from strut.errors import BadMotionError
from strut.expression.body_swing import posture_over_time
from strut.gaits.hand_task.hand_path import HandPath, Poses, stands_still
from strut.gaits.hand_task.task_audit import gaze_error_rad, measure_task, redundancy, task_audit
from strut.models.catalogue import load_robot
from strut.style import Style

PEPPER = load_robot("pepper")
JOINTS = len(PEPPER.joint_names)
TIME_S = np.linspace(0.0, 2.0, 9)
REST = posture_over_time(PEPPER, Style(gaze=0.0), np.zeros(1))[0]  # the head is bowed
HEAD_PITCH = PEPPER.joint_names.index("HeadPitch")


def still(**joints):
    """Return samples of Pepper with a bent right arm; other angles, and the yaw of the platform, as given."""
    qpos = np.tile([0.0, 0.0, 0.0, *REST], (len(TIME_S), 1))
    angles = {"RShoulderPitch": 0.6, "RShoulderRoll": -0.3, "RElbowYaw": 0.4, "RElbowRoll": 0.7} | joints
    for name, angle in angles.items():
        qpos[:, 3 + PEPPER.joint_names.index(name)] = angle
    return qpos


def draft_of(qpos, start_s=0.0, **meta):
    return Draft(PEPPER, start_s + TIME_S, qpos, np.zeros((len(TIME_S), 0), dtype=bool), None, meta=meta)


def path_of(qpos, aside_m=(0.0, 0.0, 0.0), turned=None, **options):
    """Return the path of a hand that rests beside where the right wrist is, turned in its own axes, if at all."""
    place, attitude = (one[0] for one in frame_poses(PEPPER, "right_wrist", qpos[:1]))

    def poses(at_s):
        goal = None if turned is None else np.tile(attitude.reshape(3, 3) @ turned.as_matrix(), (len(at_s), 1, 1))
        return Poses(np.tile(place + aside_m, (len(at_s), 1)), goal)

    return HandPath("rest", "right", 2.0, poses, options.pop("platform", stands_still), **options)


def measured(path, qpos, style=None, user_m=(3.0, 0.0, 1.2), start_s=5.0):
    return measure_task(PEPPER, path, style, np.array(user_m), draft_of(qpos, start_s))


def test_a_hand_is_as_far_from_its_path_as_it_is_and_any_attitude_will_do():
    qpos = still()
    found = measured(path_of(qpos, (0.03, 0.0, -0.04)), qpos)
    assert_allclose(found.hand_error_m, 0.05)
    assert_allclose(found.hand_turn_rad, 0.0)
    assert found.gaze_error_rad is None
    assert found.time_s[0] == 5.0


@pytest.mark.parametrize(
    ("axis", "spin_free", "seen"), [(0, False, 1.0), (0, True, 0.0), (1, True, 1.0), (2, True, 1.0)]
)
def test_a_hand_is_turned_by_as_much_as_its_goal_and_may_spin_about_its_own_x_axis(axis, spin_free, seen):
    qpos = still()
    turned = Rotation.from_rotvec(0.1 * np.eye(3)[axis])
    found = measured(path_of(qpos, turned=turned, spin_free=spin_free), qpos)
    assert_allclose(found.hand_turn_rad, 0.1 * seen, atol=1e-9)
    assert_allclose(found.hand_error_m, 0.0, atol=1e-12)


def test_after_its_end_a_path_stays_where_it_ended():
    qpos = still()
    path = path_of(still())
    moving = HandPath(
        "rest",
        "right",
        1.0,
        lambda at_s: Poses(path.poses(at_s).position_m + at_s[:, None] * [0.1, 0.0, 0.0], None),
        None,
    )
    assert_allclose(measured(moving, qpos).hand_error_m, 0.1 * np.minimum(TIME_S, 1.0), atol=1e-12)


# gaze


def gaze(style, qpos, user_m=(3.0, 0.0, 1.2), **options):
    return gaze_error_rad(PEPPER, path_of(qpos, **options), style, np.array(user_m), TIME_S, qpos)


def test_without_a_gaze_the_error_is_what_the_head_turns_from_its_posture():
    away = Style(gaze=0.0)
    assert_allclose(gaze(away, still()), 0.0, atol=1e-9)
    assert_allclose(gaze(away, still(HeadPitch=REST[HEAD_PITCH] - 0.35)), 0.35, atol=1e-9)


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_a_partial_gaze_turns_that_share_of_the_way_to_the_user(share):
    """The user stands to the left at the height of the eyes."""
    eyes_m = frame_poses(PEPPER, "eyes", still()[:1])[0][0]
    bearing = 0.8
    user_m = eyes_m + 2.0 * np.array([math.cos(bearing), math.sin(bearing), 0.0])
    looks = Rotation.from_matrix(frame_poses(PEPPER, "eyes", still()[:1])[1].reshape(3, 3))
    whole = (Rotation.from_euler("z", bearing) * looks.inv()).magnitude()
    assert whole > bearing  # it also lifts its head
    assert_allclose(gaze(Style(gaze=share), still(), user_m), share * whole, atol=1e-9)


def test_a_platform_that_is_led_takes_the_posture_of_the_head_with_it():
    qpos = still()
    qpos[:, 2] = 0.5
    assert_allclose(gaze(Style(gaze=0.0), qpos), 0.0, atol=1e-9)
    assert_allclose(gaze(Style(gaze=0.0), qpos, platform=None), 0.5, atol=1e-9)


@pytest.mark.parametrize("user_m", [(1.0, 2.0), (1.0, np.nan, 1.0), (np.inf, 0.0, 1.0), (1.0, 0.0, 1.0, 0.0)])
def test_a_user_without_a_position_is_refused(user_m):
    with pytest.raises(ValueError, match="three finite numbers"):
        gaze(Style(gaze=0.0), still(), user_m)


# redundancy


@pytest.mark.parametrize(
    ("options", "head", "taken"),
    [
        ({}, False, 3),
        ({"turned": Rotation.identity()}, False, 6),
        ({"turned": Rotation.identity(), "spin_free": True}, False, 5),
        ({"spin_free": True}, False, 3),
        ({}, True, 6),
        ({"turned": Rotation.identity()}, True, 9),
    ],
)
def test_hand_and_head_take_a_dimension_for_each_thing_that_they_must_keep(options, head, taken):
    qpos = still(HipPitch=-0.2, HipRoll=0.1, KneePitch=0.1, HeadPitch=0.2)
    assert redundancy(PEPPER, path_of(qpos, **options), qpos, head_counts=head) == JOINTS - taken
    free = redundancy(PEPPER, path_of(qpos, platform=None, **options), qpos, head_counts=head)
    assert free == JOINTS + 3 - taken


# what a motion names


def test_a_draft_without_a_task_has_no_audit_and_the_published_law_does_not_promise_a_gaze():
    qpos = still()
    place = frame_poses(PEPPER, "right_wrist", qpos[:1])[0][0]
    rows = np.column_stack([TIME_S, np.tile(place + np.array([0.0, 0.006, 0.008]), (len(TIME_S), 1))])
    task = {"task": "rest", "hand": "right", "path": rows.tolist()}
    assert task_audit(draft_of(qpos)) is None
    assert task_audit(draft_of(qpos, task="rest")) is None
    for law, counts in (("paper", False), ("corrected", True)):
        found = task_audit(draft_of(qpos, task=task, options={"law": law}))
        assert_allclose(found.hand_error_m, 0.01, atol=1e-9)
        assert (found.gaze_counts, found.gaze_error_rad) == (counts, None)
    looks = {"task": task, "style": {"gaze": 0.0}, "options": {"user_m": [3.0, 0.0, 1.2]}}
    assert_allclose(task_audit(draft_of(qpos, **looks)).gaze_error_rad, 0.0, atol=1e-9)
    with pytest.raises(BadMotionError, match="makes no sense"):
        task_audit(draft_of(qpos, task=task))
    other = SimpleNamespace(meta={"task": task}, robot=SimpleNamespace(tables=SimpleNamespace(chains=None)))
    assert task_audit(other) is None
