"""Motions that go on: none freezes, none jumps, and feet stay where they stand."""

from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.engines.rigid_body import foot_positions
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.loop import repeated, there_and_back_s


def fastest_step(motion: Motion) -> float:
    return float(np.abs(np.diff(motion.qpos, axis=0)).max())


def test_a_walk_goes_on_from_where_it_ended_without_a_jump(robot: Robot, calm: Motion) -> None:
    longer = repeated(calm, robot, 2.5 * calm.duration_s)
    assert longer.duration_s >= 2.5 * calm.duration_s
    assert fastest_step(longer) < 1.01 * fastest_step(calm)
    start = calm.qpos[0, :2]
    end = calm.qpos[-1, :2]
    again = round(calm.duration_s / (calm.time_s[1] - calm.time_s[0])) * 2
    np.testing.assert_allclose(longer.qpos[again, :2] - start, 2.0 * (end - start), atol=2e-3)
    assert longer.cop_in_world is not None
    feet = foot_positions(robot, longer.qpos)[..., :2]
    slides = np.linalg.norm(np.diff(feet, axis=0), axis=2)[longer.contact[1:] & longer.contact[:-1]]
    assert slides.max() < 1e-3


def test_a_long_enough_motion_is_left_alone(robot: Robot, calm: Motion) -> None:
    assert repeated(calm, robot, calm.duration_s) is calm


def test_a_motion_that_turns_goes_on_in_its_new_direction(robot: Robot, calm: Motion) -> None:
    turned = calm.qpos.copy()
    angle = np.linspace(0.0, np.pi / 2.0, len(turned))
    turned[:, 3:7] = np.stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)], axis=1)
    turned[:, :2] = np.stack([np.sin(angle), 1.0 - np.cos(angle)], axis=1)  # a quarter of a circle
    circle = repeated(replace(calm, qpos=turned, cop_in_world=None), robot, 3.9 * calm.duration_s)
    away = np.linalg.norm(circle.qpos[:, :2] - [0.0, 1.0], axis=1)
    np.testing.assert_allclose(away, np.ones(len(away)), atol=1e-2)
    assert np.linalg.norm(circle.qpos[-1, :2]) < 0.05  # once around


def test_a_pose_that_differs_is_reached_in_a_moment() -> None:
    pepper = strut.load_robot("pepper")
    joints = len(pepper.joint_names)
    time_s = np.arange(0.0, 1.0, 0.01)
    qpos = np.zeros((len(time_s), 3 + joints))
    qpos[:, 0] = 0.1 * time_s
    qpos[:, 2] = 0.2 * time_s
    qpos[:, 3:] = np.linspace(0.0, 0.4, len(time_s))[:, None]
    reach = Motion("pepper", time_s, qpos, pepper.joint_names, np.ones((len(time_s), 0), dtype=bool), ())
    longer = repeated(reach, pepper, 2.0)
    assert fastest_step(longer) < 0.02
    assert longer.qpos[:, 3:].max() == pytest.approx(0.4)
    assert longer.qpos[-1, 2] > 0.35  # turned twice


def test_a_scene_is_shown_once_and_rewound_to_its_start() -> None:
    times_s = there_and_back_s(10.0, 20.0)
    np.testing.assert_allclose(times_s[:200], np.arange(200) / 20.0)
    assert len(times_s) < 240
    assert (np.diff(times_s[199:]) < 0.0).all()
    assert 0.0 < times_s[-1] < 0.5


def test_a_motion_blends_from_its_last_pose_to_its_first_without_a_kink(stool: Robot, bare: Motion) -> None:
    """The eased share has no speed at its ends and is half in the middle."""
    bent = replace(bare, qpos=bare.qpos + np.linspace(0.0, 0.6, len(bare.qpos))[:, None] * np.eye(8)[7])
    longer = repeated(bent, stool, 1.5)
    start, count = len(bent.qpos), len(longer.qpos) - 2 * len(bent.qpos)
    joint = longer.qpos[start - 1 : start + count + 1, 7]
    share = (joint - joint[0]) / (joint[-1] - joint[0])
    assert count > 5
    assert (np.diff(share) > 0.0).all()
    np.testing.assert_allclose(share + share[::-1], 1.0, atol=1e-9)
    steepest = np.diff(share).max() * (count + 1)
    assert steepest == pytest.approx(1.5, abs=0.05)  # of a cubic
    assert np.diff(share)[0] * (count + 1) < 0.4 * steepest
