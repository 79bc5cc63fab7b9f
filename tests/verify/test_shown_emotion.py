"""A claim of an emotion is measured from the motion: what it does not show, a receipt may not say."""

import json
import re
from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.verify.shown_emotion import shown_emotion


@pytest.fixture(scope="module")
def walk():
    """Return short walks by robot, emotion and intensity, each planned once."""
    how = {"alice": {"goal": strut.Place(0.3, 0.0)}, "mrpete": {"cycles": 4}}
    return cache(lambda robot, emotion, intensity=1.0: strut.walk(robot, emotion, intensity=intensity, **how[robot]))


def claiming(motion, other):
    """Return a motion with the receipt of another one."""
    return replace(motion, receipt=other.receipt)


def mid_height_m(robot, motion):
    """Return the mean height of the base over the middle third, by MuJoCo's kinematics."""
    model = strut.load_robot(robot).model
    data = mujoco.MjData(model)
    heights = []
    for qpos in motion.qpos[len(motion.qpos) // 3 : -len(motion.qpos) // 3]:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        heights.append(data.xpos[1, 2])
    return np.mean(heights)


@pytest.mark.parametrize("robot", ["alice", "mrpete"])
@pytest.mark.parametrize("emotion", ["sad", "angry", "fearful"])
def test_an_honest_claim_is_borne_out(walk, robot, emotion):
    motion = walk(robot, emotion)
    found = strut.check(motion)
    assert (found.verdict, found.reasons) == ("ok", ())
    assert found.intensity_kept == pytest.approx(motion.receipt.intensity_kept, abs=0.03)
    assert found.expressed_share <= motion.receipt.expressed_share


@pytest.mark.parametrize("robot", ["alice", "mrpete"])
def test_a_neutral_walk_that_claims_an_emotion_is_refused(walk, robot):
    lie = claiming(walk(robot, "neutral"), walk(robot, "sad"))
    found = strut.check(lie)
    assert found.verdict == "refused"
    assert found.intensity_kept == pytest.approx(0.0, abs=0.02)
    assert found.expressed_share == pytest.approx(0.0, abs=0.02)
    (reason,) = found.reasons
    assert reason.limit == "file"
    assert re.match(r"the file claims \d+ % of sad, the motion shows 0 % \(speed 0 %", reason.text)


def test_half_of_an_emotion_is_measured_as_half_of_the_way_from_neutral(walk):
    neutral, half, full = (walk("mrpete", "sad", intensity) for intensity in (0.0, 0.4, 0.8))  # all kept
    heights = [mid_height_m("mrpete", motion) for motion in (neutral, half, full)]
    expected = (heights[1] - heights[0]) / (heights[2] - heights[0])
    lie = claiming(half, full)
    shown = shown_emotion(strut.load_robot("mrpete"), lie)
    assert shown.shares["body height"] == pytest.approx(expected, abs=0.03)
    assert shown.share == pytest.approx(0.5, abs=0.05)
    assert strut.check(lie).verdict == "refused"
    assert strut.check(half).intensity_kept == pytest.approx(0.4, abs=0.03)


def test_an_edited_speed_is_named(walk):
    """The same movement twice as slow keeps its posture; joints stay within every limit."""
    angry = walk("alice", "angry")
    slow = replace(angry, time_s=2.0 * angry.time_s, torque_nm=None, ground_force_n=None, cop_in_world=None)
    slow = replace(slow, balance_margin_m=None)
    shown = shown_emotion(strut.load_robot("alice"), slow)
    assert shown.shares["speed"] == 0.0
    assert shown.shares["lift"] == pytest.approx(1.0, abs=0.01)


def test_check_says_in_json_what_it_measured(walk, tmp_path, capsys):
    lie = claiming(walk("alice", "neutral"), walk("alice", "sad"))
    strut.save_motion(lie, tmp_path / "lie.npz")
    assert main(["check", str(tmp_path / "lie.npz"), "--json"]) == 3
    said = capsys.readouterr()
    assert json.loads(said.out)["intensity_kept"] == pytest.approx(0.0, abs=0.02)
    assert "the motion shows 0 %" in said.err


def test_what_cannot_be_measured_is_not_copied(walk):
    sad = walk("alice", "sad")
    found = strut.check(replace(sad, meta={name: value for name, value in sad.meta.items() if name != "request"}))
    assert found.verdict == "ok"
    assert (found.emotion, found.intensity_asked) == ("sad", 1.0)
    assert found.intensity_kept is None
    assert found.expressed_share is None


@pytest.mark.parametrize("asked", [3, {}, {"task": {"type": "none"}}, {"robot": "alice", "task": 3}])
def test_a_askedthat_is_none_is_no_error(walk, asked):
    sad = walk("alice", "sad")
    assert strut.check(replace(sad, meta=sad.meta | {"request": asked})).intensity_kept is None
