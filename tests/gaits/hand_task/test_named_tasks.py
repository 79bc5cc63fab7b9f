"""Tasks of a hand as paths: at rest at both ends, through their waypoints, towards their target."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Detail
from strut.emotion import Emotion
from strut.engines.frame_kinematics import frame_poses
from strut.expression.blend import style_for
from strut.gaits.hand_task.hand_drafts import HandDrafts
from strut.gaits.hand_task.named_tasks import hand_frame, hand_task
from strut.gaits.hand_task.request import HandTask
from strut.gaits.hand_task.task_limits import MAX_GAZE_ERROR_RAD
from strut.gaits.hand_task.tracking_problem import tracked
from strut.models.catalogue import load_robot


@pytest.fixture(scope="module")
def pepper():
    return load_robot("pepper")


@pytest.mark.parametrize("task", ["wave", "carry", "point"])
def test_a_hand_starts_and_ends_at_rest_with_a_rotation_throughout(pepper, task):
    path = hand_task(pepper, task, duration_s=8.0)
    assert_allclose(path.velocity(np.array([0.0, 8.0])), 0.0, atol=1e-3)
    assert np.abs(path.velocity(np.linspace(0.5, 4.0, 20))).max() > 0.05
    rotation = path.poses(np.linspace(0.0, 8.0, 9)).rotation
    assert_allclose(rotation @ rotation.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (9, 3, 3)), atol=1e-9)
    assert_allclose(np.linalg.det(rotation), 1.0)


def test_a_waving_forearm_swings_as_a_sine_once_the_clock_has_sped_up(pepper):
    table = pepper.tasks["wave"]
    time_s = np.linspace(1.5, 8.5, 15)
    swing = table.swing["RElbowRoll"]
    column = pepper.base_size + pepper.joint_names.index("RElbowRoll")
    qpos = np.zeros((15, pepper.base_size + len(pepper.joint_names)))
    for joint, angle_rad in table.posture_rad.items():
        qpos[:, pepper.base_size + pepper.joint_names.index(joint)] = angle_rad
    clock_s = time_s - 0.5  # speeding up for a second costs half a second
    qpos[:, column] += swing.amplitude_rad * np.sin(2.0 * np.pi * swing.frequency_hz * clock_s)
    wanted = frame_poses(pepper, hand_frame(pepper, "right"), qpos)
    found = hand_task(pepper, "wave", duration_s=10.0).poses(time_s)
    assert_allclose(found.position_m, wanted[0], atol=1e-9)
    assert_allclose(found.rotation, wanted[1], atol=1e-9)


@pytest.mark.parametrize("duration_s", [5.0, 10.0])
def test_a_platform_drives_through_its_stations_and_the_tray_stays_level_on_it(pepper, duration_s):
    table = pepper.tasks["carry"]
    path = hand_task(pepper, "carry", duration_s=duration_s)
    ends = np.array([0.0, duration_s])
    assert_allclose(path.platform(ends), [table.platform[0], table.platform[-1]], atol=1e-12)
    time_s = np.linspace(0.0, duration_s, 2001)
    driven = path.platform(time_s)
    for station in table.platform[1:-1]:
        assert np.linalg.norm(driven - station, axis=1).min() < 2e-3
    poses = path.poses(ends)
    x, y, yaw = table.platform[-1]
    start = poses.position_m[0]
    turned = [x + np.cos(yaw) * start[0] - np.sin(yaw) * start[1], y + np.sin(yaw) * start[0] + np.cos(yaw) * start[1]]
    assert_allclose(poses.position_m[1], [*turned, start[2]], atol=1e-9)  # the same place on the platform
    up = path.poses(time_s[::100]).rotation[:, 2]  # the vertical in the hand's own axes
    assert_allclose(up, np.broadcast_to(up[0], up.shape), atol=1e-9)


def test_a_hand_that_points_ends_a_forearm_from_the_elbow_on_the_line_to_its_target(pepper):
    table = pepper.tasks["point"]
    target = np.array([1.5, 0.4, 1.3])
    path = hand_task(pepper, "point", duration_s=6.0, target_m=target)
    start, held, end = (path.poses(np.array([t])) for t in (0.0, table.raise_s, 6.0))
    elbow = np.array(table.from_m)
    ahead = (target - elbow) / np.linalg.norm(target - elbow)
    assert_allclose(end.rotation[0, :, 0], ahead, atol=1e-9)
    assert_allclose(end.position_m[0], elbow + table.reach_m * ahead, atol=1e-9)
    assert_allclose(held.position_m, end.position_m, atol=1e-9)
    assert np.linalg.norm(start.position_m - end.position_m) > 0.05
    assert path.spin_free
    assert path.options["target_m"] == target.tolist()


def test_a_gaze_is_weakened_only_as_far_as_the_head_needs(pepper):
    asked = style_for(pepper, Emotion(-0.75, -0.75, -0.75))
    drafts = HandDrafts(pepper, HandTask(task="wave", duration_s=2.0), 50.0, expressive=True)
    draft = next(iter(drafts.drafts(asked, Detail())))
    assert draft.style.gaze > asked.gaze
    assert draft.kept == pytest.approx((1.0 - draft.style.gaze) / (1.0 - asked.gaze))  # of the way from direct
    assert len(draft.reasons) == 1
    shown = [replace(draft.style, gaze=gaze) for gaze in (draft.style.gaze, draft.style.gaze - 0.05)]
    off_rad = [tracked(replace(drafts.problem(style), style=style)).largest_gaze_error_rad for style in shown]
    assert off_rad[0] < MAX_GAZE_ERROR_RAD <= off_rad[1]
