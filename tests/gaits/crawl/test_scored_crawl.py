"""Crawls through a score: features of every keyframe, no jumps where they meet, simulation, refusals."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import strut
from strut.errors import OutOfRangeError

HAPPY = strut.ScoreKey(12.0, strut.named_emotion("happy"), intensity=0.6)
SCORE = strut.Score((strut.ScoreKey(0.0, strut.named_emotion("neutral")), HAPPY), 40.0)
STEADY = ((6.0, 12.0), (20.0, 34.0))  # neutral alone, happy alone; a crawl fades over two cycles of four seconds


@pytest.fixture(scope="module")
def walk():
    return strut.walk("mrpete", score=SCORE)


@pytest.fixture(scope="module")
def alone():
    return [strut.walk("mrpete", "neutral", cycles=6), strut.walk("mrpete", "happy", intensity=0.6, cycles=6)]


def features(motion, begin_s, end_s):
    """Return period [s], stride [m], height [m] and pitch [rad] of the body over a cycle between two times."""
    foot = motion.contact[:, 0]
    lift_off = np.flatnonzero(foot[:-1] & ~foot[1:]) + 1
    lift_off = lift_off[(motion.time_s[lift_off] >= begin_s) & (motion.time_s[lift_off] <= end_s)]
    first, last = lift_off[0], lift_off[1]
    base = motion.qpos[first:last]
    pitch = Rotation.from_quat(base[:, 3:7].copy(), scalar_first=True).as_euler("ZYX")[:, 1]
    return (
        motion.time_s[last] - motion.time_s[first],
        motion.qpos[last, 0] - motion.qpos[first, 0],
        base[:, 2].mean(),
        pitch.mean(),
    )


def test_every_keyframe_is_crawled_as_its_emotion_alone_is(walk, alone):
    for (begin_s, end_s), steady in zip(STEADY, alone, strict=True):
        period_s, stride_m, height_m, pitch_rad = features(walk, begin_s, end_s)
        expected = features(steady, 0.3 * steady.duration_s, 0.8 * steady.duration_s)
        assert period_s == pytest.approx(expected[0], rel=0.01)
        assert stride_m == pytest.approx(expected[1], rel=0.01)
        assert height_m == pytest.approx(expected[2], rel=0.005)
        assert pitch_rad == pytest.approx(expected[3], abs=0.005)
    assert abs(features(alone[0], 6.0, 16.0)[0] - features(alone[1], 6.0, 16.0)[0]) > 0.1  # or nothing would be tested


def test_joints_have_no_jump_where_keyframes_meet_and_no_foot_slides(walk, alone):
    def acceleration(motion):
        step_s = motion.time_s[1] - motion.time_s[0]
        return np.abs(np.diff(motion.joint_angles_rad, n=2, axis=0)).max() / step_s**2

    assert acceleration(walk) <= 1.1 * max(map(acceleration, alone))
    assert walk.receipt.foot_slip_mm < 1.0
    assert walk.receipt.balance_margin_mm >= 10.0
    assert [key["kept_share"] for key in walk.receipt.score["keyframes"]] == [1.0, 1.0]


def test_a_crawl_of_two_emotions_stays_upright_in_simulation(walk):
    outcome = strut.simulate(walk).outcome
    assert outcome.fell is False
    assert outcome.distance_m == pytest.approx(walk.receipt.distance_m, rel=0.2)


def test_a_crawl_refuses_speeds_and_turns_of_a_keyframe():
    neutral = strut.named_emotion("neutral")
    for key in (strut.ScoreKey(0.0, neutral, speed_m_s=0.1), strut.ScoreKey(0.0, neutral, turn_rad_s=0.1)):
        with pytest.raises(OutOfRangeError, match="leave speed and turn out of the score"):
            strut.walk("mrpete", score=strut.Score((key,), 9.0))
