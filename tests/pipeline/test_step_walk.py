"""Alice walks to where she is sent, with a feeling: gate, receipt, pace, and what she says about impossible wishes."""

import math
from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.emotion import named_emotion
from strut.errors import BadFootstepsError, BadTableError, ImpossibleStepError, OutOfRangeError, RefusedError
from strut.expression.blend import style_for
from strut.formats.motion_file import load_motion, save_motion
from strut.gaits.footsteps.foot_poses import sole_places, standing_place
from strut.place import LEFT, RIGHT, Footstep, Place, wrap_angle
from strut.receipt import LimitName, Reason, ReasonKind
from strut.verify.check import check
from tests.alice import ALICE

GOAL = Place(0.15, 0.08, 1.0)


@pytest.fixture(scope="module")
def walk():
    return strut.walk(ALICE, goal=GOAL)


def test_walk_ends_exactly_at_the_goal(walk):
    place = standing_place(ALICE, walk.qpos[-1])
    assert place.distance_m(GOAL) < 1e-9
    assert abs(wrap_angle(place.heading_rad - GOAL.heading_rad)) < 1e-9
    assert walk.receipt.task_error_mm < 1e-6


def test_receipt_is_what_an_independent_check_measures(walk):
    again = check(walk, ALICE)
    same = ("balance_margin_mm", "joint_limit_margin_rad", "joint_speed_use", "torque_use", "duration_s", "verdict")
    for key in same:
        assert getattr(again, key) == getattr(walk.receipt, key)
    assert walk.receipt.verdict == "ok"
    assert walk.receipt.foot_slip_mm == again.foot_slip_mm < 1.5  # of shoes half a millimetre above the ground
    assert walk.receipt.penetration_mm < 1e-6
    assert walk.receipt.balance_margin_mm > 30.0


def test_feet_carry_the_weight(walk):
    load = walk.ground_force_n[..., 2]
    np.testing.assert_allclose(load.sum(axis=1).mean(), ALICE.mass_kg * 9.81, rtol=0.01)
    assert load[~walk.contact].max() == 0.0
    assert load.min() > -0.5  # a foot cannot pull


def test_same_wish_same_bytes(tmp_path):
    for name in ("a", "b"):
        save_motion(strut.walk(ALICE, "sad", goal=Place(0.05, 0.0)), tmp_path / f"{name}.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert load_motion(tmp_path / "a.npz").meta["options"]["goal"] == [0.05, 0.0, 0.0]


@pytest.mark.parametrize("emotion", ["happy", "sad", "angry", "fearful"])
def test_emotions_change_pace_step_height_and_body_height(emotion):
    motion, neutral = (
        strut.walk(ALICE, name, goal=Place(0.12, 0.0), expression="published") for name in (emotion, "neutral")
    )
    style = style_for(ALICE, named_emotion(emotion), motion.receipt.intensity_kept)
    assert motion.receipt.intensity_kept == 1.0
    gait = motion.meta["gait"]
    usual = neutral.meta["gait"]
    assert gait["line_speed_m_s"] == pytest.approx(style.tempo * style.stride * usual["line_speed_m_s"])
    assert gait["step_height_m"] == pytest.approx(style.lift * usual["step_height_m"])
    assert np.median(motion.qpos[:, 2]) == pytest.approx(style.body_height * np.median(neutral.qpos[:, 2]), abs=1e-9)


def test_receipt_says_which_parameters_the_published_body_lacks():
    receipt = strut.walk(ALICE, "sad", goal=Place(0.04, 0.0), expression="published").receipt
    assert (receipt.verdict, receipt.intensity_kept) == ("weakened", 1.0)
    assert receipt.expressed_share == pytest.approx(4 / 6)  # speed, lift, sway and body height, not trunk and head
    assert receipt.reasons == (
        Reason(ReasonKind.NOT_EXPRESSED, None, "trunk pitch and head pitch are missing or weak"),
    )
    assert receipt.not_expressed == (
        "trunk pitch 16 degrees forwards and head pitch 16 degrees forwards, "
        "alice has no part for it as published (--expression animated moves it)",
    )


def test_an_emotion_that_leaves_too_little_margin_is_weakened_with_a_reason():
    wish = {
        "margin_m": 0.032,
        "rate_hz": 50.0,
        "expression": "published",
    }  # sad stops 6.7 mm short of the sole's middle
    motion = strut.walk(ALICE, "sad", goal=Place(0.08, 0.0), **wish)
    assert motion.receipt.verdict == "weakened"
    assert 0.2 < motion.receipt.intensity_kept < 0.6
    assert motion.receipt.balance_margin_mm >= 32.0
    assert str(motion.receipt.reasons[0]).startswith("balance margin: the centre of pressure falls")
    with pytest.raises(RefusedError, match="Without --strict it would walk at intensity 0"):
        strut.walk(ALICE, "sad", goal=Place(0.08, 0.0), strict=True, **wish)


@pytest.mark.parametrize("expression", ["published", "animated"])
def test_speed_in_neutral_is_the_one_asked_for(expression):
    motion = strut.walk(ALICE, goal=Place(0.6, 0.0), pace=0.04, expression=expression)
    assert motion.meta["gait"]["line_speed_m_s"] == pytest.approx(0.04)
    middle = (motion.time_s > 4.0) & (motion.time_s < motion.duration_s - 4.0)
    x = motion.qpos[middle, 0]
    assert (x[-1] - x[0]) / (motion.time_s[middle][-1] - motion.time_s[middle][0]) == pytest.approx(0.04, rel=0.1)


def test_automatic_phase_times_walk_three_times_faster_at_the_same_margin():
    goal = Place(0.2, 0.0)
    wish = {"goal": goal, "rate_hz": 50.0, "expression": "published"}
    published = strut.walk(ALICE, pace=0.01, law="mass", margin_m=0.0, **wish)
    ours = strut.walk(ALICE, pace="fastest", margin_m=published.receipt.balance_margin_mm * 1e-3, **wish)
    assert ours.meta["gait"]["line_speed_m_s"] > 3.0 * published.meta["gait"]["line_speed_m_s"]
    assert ours.receipt.balance_margin_mm >= published.receipt.balance_margin_mm


def test_the_fastest_walk_is_stopped_by_a_limit():
    walked = strut.walk(ALICE, goal=Place(0.24, 0.0), pace="fastest", rate_hz=50.0).receipt
    assert 0.80 < walked.joint_speed_use <= 0.9
    wide = strut.walk(ALICE, goal=Place(0.24, 0.0), pace="fastest", margin_m=0.034, rate_hz=50.0).receipt
    assert 34.0 <= wide.balance_margin_mm < 34.5
    assert wide.duration_s > 1.05 * walked.duration_s


def test_an_emotion_too_quick_for_the_requested_speed_is_weakened_not_refused():
    receipt = strut.walk(ALICE, "angry", goal=Place(0.4, 0.0), pace=0.10, rate_hz=50.0).receipt
    assert receipt.verdict == "weakened"
    assert 0.3 < receipt.intensity_kept < 1.0
    assert receipt.reasons[0].limit == LimitName.JOINT_SPEED


def test_published_law_goes_faster_only_at_less_margin():
    goal = Place(0.08, 0.0)
    wish = {"pace": "fastest", "law": "mass", "rate_hz": 50.0, "expression": "published"}
    wide, narrow = (strut.walk(ALICE, goal=goal, margin_m=margin, **wish) for margin in (0.03, 0.01))
    assert narrow.duration_s < 0.8 * wide.duration_s
    assert narrow.receipt.balance_margin_mm < wide.receipt.balance_margin_mm


def test_own_footsteps_are_walked_as_listed():
    steps = (Footstep(LEFT, Place(0.03, 0.05, 0.1)), Footstep(RIGHT, Place(0.05, -0.045, 0.0)))
    motion = strut.walk(ALICE, footsteps=steps)
    for foot, step in zip(sole_places(ALICE, motion.qpos[-1]), reversed(steps), strict=True):
        assert foot.distance_m(step.place) < 1e-9
    assert motion.meta["options"]["own_steps"] is True


@pytest.mark.parametrize(
    ("wish", "error", "words"),
    [
        ({"step_length_m": 0.09}, ImpossibleStepError, "step length of 90 mm is not feasible .*feasible one is 6"),
        ({"step_height_m": 0.12}, ImpossibleStepError, "step height of 120 mm is not feasible .*feasible one is 6"),
        (
            {"body_height_m": 0.26},
            ImpossibleStepError,
            "height of 260 mm is not feasible .*feasible one is 23. mm",
        ),
        (
            {"body_height_m": 0.06},
            ImpossibleStepError,
            "height of 60 mm is not feasible .*feasible one is 16. mm",
        ),
        ({"margin_m": 0.05}, ImpossibleStepError, "margin of 50 mm is not feasible .*feasible one is 34 mm"),
        (
            {"pace": 0.3},
            ImpossibleStepError,
            "A speed of 0.3 m/s is not feasible .*feasible one is 0.1[34]. m/s",
        ),
        ({"pace": -1.0}, OutOfRangeError, "The speed is -1 m/s"),
        ({"rate_hz": math.nan}, OutOfRangeError, "The rate is nan"),
        ({"step_length_m": 0.0}, OutOfRangeError, "The step length is 0 m"),
        ({"goal": Place(80.0, 0.0)}, OutOfRangeError, "walk would take 2001 steps and 3202 s; come nearer"),
        ({"goal": ()}, OutOfRangeError, "neither a goal nor a list of steps"),
    ],
)
def test_impossible_wishes_are_named_with_what_works(wish, error, words):
    with pytest.raises(error, match=words):
        strut.walk(ALICE, **{"goal": Place(0.08, 0.0), "rate_hz": 25.0} | wish)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Footstep(RIGHT, Place(0.0, 0.02)), "Step 2 .* would put the foot 45 mm onto the left one"),
        (Footstep(RIGHT, Place(0.25, -0.045)), "cannot be walked: reach: .*in step 2 .right foot to 0.250 m"),
    ],
)
def test_impossible_footsteps_name_the_step(step, words):
    with pytest.raises(BadFootstepsError, match=words):
        strut.walk(ALICE, footsteps=(Footstep(LEFT, Place(0.02, 0.0449)), step))


def test_crawlers_do_not_walk_to_goals():
    with pytest.raises(BadTableError, match="mrpete crawls straight ahead, so that goals cannot be chosen"):
        strut.walk("mrpete", goal=GOAL)


def test_weaker_servos_are_weakened_or_refused():
    weak = replace(ALICE, torque_limit_nm=np.full(15, 1.0))
    with pytest.raises(RefusedError, match="torque: "):
        strut.walk(weak, goal=Place(0.08, 0.0))


def test_a_late_impossible_step_is_found_at_once():
    good = [Footstep((LEFT, RIGHT)[k % 2], Place(0.02 * (k + 1), (0.0449, -0.0449)[k % 2])) for k in range(11)]
    bad = Footstep(RIGHT, Place(0.5, -0.0449))
    tried = []
    with pytest.raises(BadFootstepsError, match="in step 12 "):
        strut.walk(ALICE, footsteps=(*good, bad), emotion="sad", on_progress=tried.append)
    assert len(tried) == 3


def test_a_fearful_animated_walk_leans_back_looks_about_and_keeps_its_balance():
    motion = strut.walk("alice", "fearful", goal=Place(0.06, 0.0), expression="animated", rate_hz=50.0)
    assert motion.receipt.expression == "animated"
    trunk, yaw, head = motion.qpos[:, 19:].T
    assert (trunk < -0.1).mean() > 0.9
    assert yaw.min() < -0.3 < 0.3 < yaw.max()
    assert abs((trunk + head).mean()) < 0.1  # she looks ahead of her
    assert motion.receipt.verdict == "ok"
    assert motion.receipt.balance_margin_mm > 20.0
    assert check(motion).verdict == "ok"
    assert not strut.walk("alice", "fearful", goal=Place(0.04, 0.0), expression="published").qpos[:, 19:].any()
