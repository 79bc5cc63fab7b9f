"""The crawler: whatever the sway, feet stand on their footprints and knees stay on their side."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from strut.emotion import named_emotion
from strut.engines.rigid_body import foot_positions
from strut.expression.blend import style_for
from strut.gaits.crawl.crawl_plan import crawl_gait, crawl_plan
from strut.gaits.crawl.crawler import crawler
from strut.gaits.crawl.key_pose import key_pose
from strut.kinematics.leg7r import leg_forward
from tests.thesis import EMOTIONS


def crawl(robot, emotion, intensity=1.0, rate_hz=25.0):
    style = style_for(robot, named_emotion(emotion), intensity)
    pose = key_pose(robot, style)
    return crawler(robot, pose, crawl_plan(crawl_gait(robot), pose, style, cycles=3, rate_hz=rate_hz))


def swaying(body, amplitude_m=0.04):
    wave = np.sin(np.linspace(0.0, 12.0, len(body.plan.time_s)))
    return amplitude_m * np.stack([0.5 * wave, wave], axis=1)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_feet_are_on_their_footprints_however_the_body_sways(mrpete, emotion):
    body = crawl(mrpete, emotion)
    planned = body.plan.foot_in_world + np.array([0.0, 0.0, mrpete.feet[0].radius_m])
    for shift in (np.zeros((len(body.plan.time_s), 2)), swaying(body)):
        assert (body.posture(shift).excess_m < 0.0).all()
        assert_allclose(foot_positions(mrpete, body.posture(shift).qpos), planned, atol=1e-10)


def test_the_body_is_where_sway_height_and_pitch_put_it(mrpete):
    body = crawl(mrpete, "happy")
    shift = swaying(body)
    qpos = body.posture(shift).qpos
    assert_allclose(qpos[:, 0], body.plan.body_x_m + shift[:, 0], atol=1e-15)
    assert_allclose(qpos[:, 1], shift[:, 1], atol=1e-15)
    assert_allclose(qpos[:, 2], body.height_m + mrpete.feet[0].radius_m, atol=1e-15)
    assert_allclose(np.linalg.norm(qpos[:, 3:7], axis=1), np.ones(len(qpos)), atol=1e-15)
    nose_z = 2.0 * (qpos[:, 4] * qpos[:, 6] - qpos[:, 3] * qpos[:, 5])  # of the body's x axis in world
    assert_allclose(nose_z, np.sin(body.nose_up_rad), atol=1e-15)
    assert body.nose_up_rad.max() > 0.4  # the happy nose is up


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_joints_move_continuously_and_start_inside_their_limits(mrpete, emotion):
    body = crawl(mrpete, emotion, rate_hz=400.0)  # happy's hind thighs pass their hips' singularity: fast, but no jump
    qpos = body.posture(swaying(body)).qpos
    assert np.abs(np.diff(qpos[:, 7:], axis=0)).max() < 0.2
    assert ((qpos[0, 7:] > mrpete.joint_lower_rad) & (qpos[0, 7:] < mrpete.joint_upper_rad)).all()


def test_a_foot_out_of_reach_is_reported_and_stretched_towards(mrpete):
    body = crawl(mrpete, "neutral")
    far = np.zeros((len(body.plan.time_s), 2))
    far[:, 1] = 0.6
    assert body.posture(far).excess_m.max() > 0.0
    assert np.isfinite(body.posture(far).qpos).all()


def test_a_feeling_at_intensity_zero_is_the_neutral_crawl_bit_for_bit(mrpete):
    neutral = crawl(mrpete, "neutral")
    nothing = crawl(mrpete, "angry", intensity=0.0)
    still = np.zeros((len(neutral.plan.time_s), 2))
    assert_array_equal(nothing.posture(still).qpos, neutral.posture(still).qpos)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_a_foot_on_the_ground_does_not_roll_while_the_body_pitches(mrpete, emotion):
    """A ball foot that turned in world would roll away from its footprint."""
    body = crawl(mrpete, emotion)
    qpos = body.posture(swaying(body)).qpos
    body_to_world = Rotation.from_quat(qpos[:, 3:7], scalar_first=True).as_matrix()
    for index, mounted in enumerate(body.legs):
        foot_to_hip = leg_forward(mounted.leg, qpos[:, 7 + 7 * index : 14 + 7 * index])[1]
        foot_to_world = body_to_world @ mounted.hip_to_body @ foot_to_hip
        both = body.plan.contact[1:, index] & body.plan.contact[:-1, index]
        assert_allclose(foot_to_world[1:][both], foot_to_world[:-1][both], atol=1e-9)


def test_secondary_motion_lifts_the_body_by_a_share_of_its_height_and_bends_its_nose_down(mrpete):
    style = style_for(mrpete, named_emotion("happy"), 1.0)
    pose = key_pose(mrpete, style)
    plan = crawl_plan(crawl_gait(mrpete), pose, style, cycles=2, rate_hz=10.0)
    samples = len(plan.time_s)
    secondary = SimpleNamespace(pitch_rad=np.full(samples, 0.1), rise=np.full(samples, 0.05))
    plain = crawler(mrpete, pose, plan)
    lively = crawler(mrpete, pose, plan, secondary)
    assert_allclose(lively.height_m, 1.05 * plain.height_m)
    assert_allclose(lively.nose_up_rad, plain.nose_up_rad - 0.1)
