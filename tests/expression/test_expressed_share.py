"""What is shown of a feeling: one measure for every body; a word that the body has no part for counts nothing."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strut.emotion import Emotion, emotions, named_emotion
from strut.expression.blend import style_for
from strut.expression.expressed_share import expressed_shares, main_parameters, not_expressed
from strut.models.catalogue import load_robot
from strut.schemas.expression import ExpressionTable
from strut.style import Style

ROBOTS = {name: load_robot(name) for name in ("alice", "heiman", "mrpete", "pepper")}
SAD = named_emotion("sad")
any_robot = st.sampled_from(sorted(ROBOTS))
any_emotion = st.sampled_from(sorted(emotions()))


def test_main_words_are_what_people_could_see():
    assert main_parameters(ROBOTS["alice"], SAD) == (
        *("speed", "lift", "sway", "body_height", "trunk_pitch_rad", "head_pitch_rad"),
    )
    assert main_parameters(ROBOTS["heiman"], SAD) == (
        "speed",
        "trunk_pitch_rad",
        "head_pitch_rad",
        "arm_swing",
        "elbow_rad",
    )
    assert main_parameters(ROBOTS["mrpete"], SAD) == ("speed", "postures")
    assert main_parameters(ROBOTS["pepper"], SAD) == ("activity", "jerkiness", "gaze")
    assert main_parameters(ROBOTS["heiman"], named_emotion("fearful")) == (
        *("speed", "tempo", "trunk_pitch_rad", "arm_swing", "elbow_rad", "shoulder_rad"),
    )
    assert main_parameters(ROBOTS["heiman"], SAD, 0.1) == ("speed", "arm_swing")  # 1.6 degrees are not seen


@given(any_robot, any_emotion, st.floats(0.0, 1.5))
def test_a_style_shows_all_of_itself_and_neutral_shows_nothing(robot, emotion, intensity):
    body = ROBOTS[robot]
    asked = style_for(body, named_emotion(emotion), intensity)
    lacking = {"trunk_pitch_rad", "head_pitch_rad"} if robot == "alice" else set()
    for word, share in expressed_shares(body, asked, asked).items():
        assert share == (0.0 if word in lacking else pytest.approx(1.0))
    assert set(expressed_shares(body, asked, body.expression.neutral_style()).values()) <= {0.0}


@given(any_robot, any_emotion, st.floats(0.3, 1.0), st.floats(0.0, 1.0))
def test_a_share_of_an_emotion_is_that_share_of_every_parameter(robot, emotion, intensity, share):
    body = ROBOTS[robot]
    asked, weaker = (style_for(body, named_emotion(emotion), k * intensity) for k in (1.0, share))
    shares = expressed_shares(body, asked, weaker)
    curved = {"tempo"} | (
        {"speed"} if robot == "mrpete" else set()
    )  # durations of steps are linear; his speed a product
    for word in set(shares) - curved:
        lacking = robot == "alice" and word.endswith("pitch_rad")
        assert shares[word] == (0.0 if lacking else pytest.approx(share, abs=1e-9))


def test_a_pose_that_relaxes_for_a_while_shows_its_mean_share():
    robot = ROBOTS["mrpete"]
    asked = style_for(robot, Emotion(-0.6, 0.6, -0.1))
    relaxed = replace(asked, postures=tuple((name, 0.48 * weight) for name, weight in asked.postures))
    assert expressed_shares(robot, asked, relaxed) == {"speed": 1.0, "postures": pytest.approx(0.48)}
    assert expressed_shares(robot, asked, replace(asked, postures=()))["postures"] == 0.0


def test_more_than_asked_is_all_of_it_and_the_opposite_is_nothing():
    robot = ROBOTS["heiman"]
    asked = style_for(robot, SAD)
    shown = replace(asked, trunk_pitch_rad=0.4, head_pitch_rad=-0.1)
    assert expressed_shares(robot, asked, shown) == {
        "speed": 1.0,
        "trunk_pitch_rad": 1.0,
        "head_pitch_rad": 0.0,
        "arm_swing": 1.0,
        "elbow_rad": 1.0,
    }


def test_parameters_without_a_mapping_are_reported_with_their_direction():
    happy = not_expressed(ROBOTS["alice"], style_for(ROBOTS["alice"], named_emotion("happy")))
    animated = "alice has no part for it as published (--expression animated moves it)"
    assert happy == (f"trunk pitch 16 degrees back, {animated}",)
    sad = not_expressed(ROBOTS["alice"], style_for(ROBOTS["alice"], SAD))
    assert sad == (f"trunk pitch 16 degrees forwards and head pitch 16 degrees forwards, {animated}",)
    assert not_expressed(ROBOTS["alice"], Style(elbow_rad=math.radians(30), bounce=1.5)) == (
        "elbow 30 degrees, alice has no part for it",
        f"bounce 1.50, {animated}",
    )
    assert not_expressed(ROBOTS["pepper"], Style(direction=-1, postures=(("sad", 1.0),))) == (
        "walking backwards and postures sad, pepper has no part for it",
    )


@pytest.mark.parametrize("robot", ["heiman", "mrpete", "pepper"])
@pytest.mark.parametrize("emotion", ["neutral", "happy", "sad", "angry", "fearful", "proud"])
def test_bodies_with_a_part_for_every_word_leave_out_nothing(robot, emotion):
    assert not_expressed(ROBOTS[robot], style_for(ROBOTS[robot], named_emotion(emotion))) == ()


def test_parameters_decided_elsewhere_are_reported_with_the_reason():
    style = style_for(ROBOTS["alice"], named_emotion("fearful"))
    assert not_expressed(ROBOTS["alice"], style, {"tempo": "the fastest pace was asked for"}) == (
        "tempo 0.71, the fastest pace was asked for",
    )
    assert not_expressed(ROBOTS["alice"], Style(), {"tempo": "the fastest pace was asked for"}) == ()


def test_a_body_without_an_expression_table_has_no_part_for_anything():
    bare = replace(ROBOTS["mrpete"], tables=replace(ROBOTS["mrpete"].tables, expression=None))
    assert bare.expression == ExpressionTable()
    assert not_expressed(bare, Style(lift=1.5)) == ("lift 1.50, mrpete has no part for it",)
    assert expressed_shares(bare, Style(lift=1.5), Style(lift=1.5)) == {"lift": 0.0}


def test_a_style_parameter_without_a_joint_does_not_count():
    style = style_for(ROBOTS["alice"], named_emotion("fearful"))
    assert expressed_shares(ROBOTS["alice"], style, style, reads=("tempo", "stride", "lift", "sway")) == {
        "speed": 1.0,
        "lift": 1.0,
        "sway": 1.0,
        "body_height": 0.0,
    }
    assert not_expressed(ROBOTS["alice"], style, reads=("tempo", "stride", "lift", "sway")) == (
        "body height 0.80, alice has no part for it",
    )
