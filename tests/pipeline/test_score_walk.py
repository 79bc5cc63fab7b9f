"""Walks through a score: features of every keyframe, no jumps, weakened only near a limit, receipts, refusals."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import strut
from strut.draft import Violation
from strut.errors import OutOfRangeError
from strut.gaits.pattern.request import PatternGait
from strut.viewer.receipt_text import headline, receipt_sentences, title_of
from tests.adoption.small_robots import import_robot, quadruped

SECTIONS = (("neutral", 0.0, 4.0), ("fearful", 4.0, 7.0), ("sad", 7.0, 13.0))
TEXT = "neutral 4s, fearful 3s, sad 6s"
START_S = 1.8  # standing and the first cycle, in which the body comes up to speed
STOP_S = 1.8


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(quadruped(), tmp_path_factory.mktemp("quadruped"))[0]


@pytest.fixture(scope="module")
def walk(robot):
    return strut.walk(robot, score=TEXT)


@pytest.fixture(scope="module")
def steady(robot):
    return {emotion: strut.walk(robot, emotion, cycles=6) for emotion, _, _ in SECTIONS}


def features(motion, begin_s, end_s):
    """Return period [s], stride [m], height [m] and pitch [rad] of the body over whole cycles between two times."""
    foot = motion.contact[:, 0]
    lift_off = np.flatnonzero(foot[:-1] & ~foot[1:]) + 1
    lift_off = lift_off[(motion.time_s[lift_off] >= begin_s) & (motion.time_s[lift_off] <= end_s)]
    first, last = lift_off[0], lift_off[-1]
    cycles = len(lift_off) - 1
    base = motion.qpos[first:last]
    pitch = Rotation.from_quat(base[:, 3:7].copy(), scalar_first=True).as_euler("ZYX")[:, 1]
    return {
        "period": (motion.time_s[last] - motion.time_s[first]) / cycles,
        "stride": float(np.linalg.norm(motion.qpos[last, :2] - motion.qpos[first, :2])) / cycles,
        "height": float(base[:, 2].mean()),
        "pitch": float(pitch.mean()),
    }


def steady_features(motion):
    return features(motion, 0.35 * motion.duration_s, 0.7 * motion.duration_s)


def test_every_keyframe_is_walked_as_its_emotion_alone_is(walk, steady):
    for emotion, begin_s, end_s in SECTIONS:
        starts_s = begin_s + (START_S if begin_s == 0.0 else 1.0)  # from then on it alone is there
        in_section = features(walk, starts_s, min(end_s, walk.duration_s - STOP_S))
        alone = steady_features(steady[emotion])
        assert in_section["period"] == pytest.approx(alone["period"], rel=0.03), emotion
        assert in_section["stride"] == pytest.approx(alone["stride"], rel=0.05), emotion
        assert in_section["height"] == pytest.approx(alone["height"], rel=0.01), emotion
        assert in_section["pitch"] == pytest.approx(alone["pitch"], abs=0.02), emotion


def test_the_emotions_of_the_walk_differ_from_each_other(steady):
    """Or the test above would pass for a walk that never changes."""
    alone = [steady_features(steady[emotion]) for emotion, _, _ in SECTIONS]
    assert np.ptp([feature["period"] for feature in alone]) > 0.1
    assert np.ptp([feature["height"] for feature in alone]) > 0.01 * alone[0]["height"]


def test_joint_speed_and_acceleration_have_no_jump_where_keyframes_meet(robot, walk, steady):
    def peaks(motion):
        step_s = motion.time_s[1] - motion.time_s[0]
        speed = np.diff(motion.joint_angles_rad, axis=0) / step_s
        acceleration = np.diff(speed, axis=0) / step_s
        return np.abs(speed), np.abs(acceleration)

    speed, acceleration = peaks(walk)
    assert (speed.max(axis=0) <= robot.joint_speed_limit_rad_s).all()
    of_steady = [peaks(motion) for motion in steady.values()]
    assert speed.max() <= 1.15 * max(part[0].max() for part in of_steady)
    assert acceleration.max() <= 1.15 * max(part[1].max() for part in of_steady)


def test_the_walk_starts_and_ends_standing_and_lasts_about_as_long_as_asked(walk):
    period_s = 1.5
    assert walk.duration_s == pytest.approx(13.0, abs=0.5 * period_s)
    assert walk.contact[[0, -1]].all()
    assert np.abs(walk.joint_angles_rad[1] - walk.joint_angles_rad[0]).max() < 1e-3
    assert np.abs(walk.joint_angles_rad[-1] - walk.joint_angles_rad[-2]).max() < 1e-3


def test_a_walk_of_three_emotions_stays_upright_in_simulation(robot, walk):
    outcome = strut.simulate(walk, robot=robot).outcome
    assert outcome.fell is False
    assert outcome.distance_m == pytest.approx(walk.receipt.distance_m, rel=0.2)


def test_the_receipt_has_every_keyframe_and_the_intensity_over_time(walk):
    receipt = walk.receipt
    table = json.loads(json.dumps(receipt.as_dict()))["score"]
    assert [(key["emotion"], key["at_s"]) for key in table["keyframes"]] == [
        (emotion, begin_s) for emotion, begin_s, _ in SECTIONS
    ]
    assert all(key["kept_share"] == 1.0 for key in table["keyframes"])
    asked = np.interp([2.0, 6.0, 9.0], table["time_s"], table["intensity_asked"])
    np.testing.assert_allclose(asked, [0.0, 1.0, 1.0])
    assert table["intensity_kept"] == table["intensity_asked"]
    assert "follows neutral, fearful, sad" in headline(receipt)
    assert title_of(walk) == "Neutral, fearful, sad"
    sentence = "Kept of its score: neutral from 0.0 s at 100 %, fearful from 4.0 s at 100 %, sad from 7.0 s at 100 %."
    assert sentence in receipt_sentences(receipt)


def test_a_saved_walk_keeps_its_score(robot, walk, tmp_path):
    walk.save(tmp_path / "walk.npz")
    motion = strut.load_motion(tmp_path / "walk.npz")
    assert motion.receipt.score == walk.receipt.score
    assert strut.Request.from_dict(motion.meta["request"]).score == strut.Score.from_text(TEXT)
    assert strut.check(motion, robot).verdict == "ok"


def test_a_score_of_one_emotion_is_the_walk_of_that_emotion(robot, steady):
    alone = steady["sad"]
    scored = strut.walk(robot, score=[("sad", alone.duration_s)])
    assert scored.duration_s == pytest.approx(alone.duration_s, abs=0.011)
    samples = min(len(scored.time_s), len(alone.time_s))
    assert np.abs(scored.qpos[:samples] - alone.qpos[:samples]).max() < 1e-3


class Doorway:
    """The body may not be lower than in neutral while it passes a place on its clock."""

    name = "doorway"

    def __init__(self, begin_s, end_s, lowest_m):
        self.begin_s, self.end_s, self.lowest_m = begin_s, end_s, lowest_m

    def violation(self, draft):
        is_inside = (draft.time_s > self.begin_s) & (draft.time_s < self.end_s)
        broken = is_inside & (draft.qpos[:, 2] < self.lowest_m)
        return Violation(self.name, broken, "the body is too low") if broken.any() else None


def test_a_walk_is_weakened_only_near_the_instant_that_breaks_a_limit(robot, steady):
    height_m = {emotion: steady_features(motion)["height"] for emotion, motion in steady.items()}
    assert height_m["sad"] < height_m["neutral"]
    score = strut.Score.of_sections([("sad", 12.0)])
    limit = Doorway(8.9, 9.1, 0.5 * (height_m["sad"] + height_m["neutral"]))
    request = strut.Request(robot=robot.name, task=PatternGait(), score=score)
    motion = strut.run(request, robot=robot, limits=[limit])
    table = motion.receipt.score
    time_s = np.array(table["time_s"])
    share = np.array(table["intensity_kept"]) / np.array(table["intensity_asked"])
    assert share[np.abs(time_s - 9.0) < 0.3].max() < 0.8
    np.testing.assert_allclose(share[np.abs(time_s - 9.0) > 2.0], 1.0, atol=1e-3)
    assert motion.receipt.verdict == "weakened"
    assert 0.8 < table["keyframes"][0]["kept_share"] < 1.0
    assert any("doorway" in str(reason) for reason in motion.receipt.reasons)


def test_a_keyframe_has_a_speed_and_a_turn_of_its_own(robot):
    neutral = strut.named_emotion("neutral")
    score = strut.Score(
        (strut.ScoreKey(0.0, neutral, speed_m_s=0.2), strut.ScoreKey(3.5, neutral, speed_m_s=0.2, turn_rad_s=0.3)), 9.0
    )
    motion = strut.walk(robot, score=score)
    yaw = np.unwrap(Rotation.from_quat(motion.qpos[:, 3:7].copy(), scalar_first=True).as_euler("ZYX")[:, 0])

    def mean_turn(begin_s, end_s):
        return np.diff(np.interp([begin_s, end_s], motion.time_s, yaw))[0] / (end_s - begin_s)

    assert mean_turn(1.5, 3.0) == pytest.approx(0.0, abs=0.02)
    assert mean_turn(4.7, 7.0) == pytest.approx(0.3, abs=0.03)


def test_robots_without_a_score_say_in_one_sentence_which_ones_have_one():
    expected = (
        "heiman finds its own steps and follows no score yet; "
        "every robot that crawls straight ahead or walks by a gait pattern follows one."
    )
    with pytest.raises(OutOfRangeError) as error:
        strut.walk("heiman", score="neutral 3s, sad")
    assert str(error.value) == expected


def test_what_contradicts_a_score_is_refused(robot):
    with pytest.raises(OutOfRangeError, match="Emotion and score are both given"):
        strut.walk(robot, "sad", score="neutral 3s, sad")
    with pytest.raises(OutOfRangeError, match="leave one of them out"):
        strut.walk(robot, score="neutral 3s, sad", goal=strut.Place(1.0, 0.0))
    with pytest.raises(OutOfRangeError, match="Intensity is 3"):
        strut.walk(robot, score="neutral 3s, sad", intensity=3.0)
