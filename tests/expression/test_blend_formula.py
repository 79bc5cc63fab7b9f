"""The blend written out for a small table: angles by the dot product, words by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from strut.emotion import Emotion, named_emotion
from strut.expression.blend import anchor_weights, style_for
from strut.expression.expressed_share import expressed_shares, main_parameters, not_expressed, visible_parameters
from strut.models.catalogue import load_robot
from strut.schemas.expression import (
    Axes,
    EmotionAnchor,
    ExpressionTable,
    LegPose,
    Neutral,
    Pace,
    ParameterMapping,
    ParameterMappings,
    PosturesMapping,
)
from strut.style import Style

LEG = {"all": LegPose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0)}
POSES = PosturesMapping(pose={"low": LEG, "high": LEG})
FEELING = Emotion(0.2, -0.5, 0.4)


def body(**fields):
    robot = load_robot("mrpete")
    return replace(robot, tables=replace(robot.tables, expression=ExpressionTable(**fields)))


def weights_of(names, emotion, intensity):
    """Inverse squared angles by the dot product, scaled so that a mix is as strong as its anchors."""
    point = np.array(emotion.pad)
    anchors = [np.array(named_emotion(name).pad) for name in names]
    cosine = [a @ point / np.linalg.norm(a) / np.linalg.norm(point) for a in anchors]
    share = np.array([math.acos(c) ** -2.0 for c in cosine])
    share /= share.sum()
    scale = intensity * np.linalg.norm(point) / sum(s * np.linalg.norm(a) for s, a in zip(share, anchors, strict=True))
    return scale * share


TABLE = {
    "anchor": {
        "sad": EmotionAnchor(speed=0.5, step_time=1.2, lift=0.6, postures={"low": 1.0}),
        "happy": EmotionAnchor(speed=1.4, trunk_pitch_rad=-0.2, postures={"low": -0.4, "high": 0.7}),
    },
    "axis": {"gaze": Axes(0.1, 0.2, 0.3), "step_time": Axes(arousal=-0.1), "lift": Axes(pleasure=0.3)},
    "neutral": Neutral(lift=0.9, gaze=0.4),
    "parameter": ParameterMappings(postures=POSES, lift=ParameterMapping(), gaze=ParameterMapping()),
}


def test_weights_of_two_anchors_are_their_inverse_squared_angles():
    robot = body(**TABLE)
    found = anchor_weights(robot, FEELING, 0.7)
    assert list(found.values()) == pytest.approx(weights_of(("sad", "happy"), FEELING, 0.7), rel=1e-9)
    assert anchor_weights(body(), FEELING) == {}


@pytest.mark.parametrize("tempo_share", [1.0, 0.25])
def test_words_speed_and_postures_of_a_mix_are_the_weighted_changes(tempo_share):
    robot = body(**TABLE, pace=Pace(tempo_share=tempo_share))
    style = style_for(robot, FEELING, 0.7)
    sad, happy = weights_of(("sad", "happy"), FEELING, 0.7)
    assert style.lift == pytest.approx(0.9 + sad * (0.6 - 0.9) + 0.7 * 0.3 * 0.2)
    assert style.trunk_pitch_rad == pytest.approx(happy * -0.2)
    assert style.gaze == pytest.approx(0.4 + 0.7 * (0.1 * 0.2 - 0.2 * 0.5 + 0.3 * 0.4))
    speed = 1.0 - 0.5 * sad + 0.4 * happy
    step_time = 1.0 + 0.2 * sad + 0.7 * 0.05
    assert style.tempo == pytest.approx(speed**tempo_share / step_time)
    assert style.tempo * style.stride == pytest.approx(speed)
    assert style.direction == 1
    assert dict(style.postures) == pytest.approx({"low": sad - 0.4 * happy, "high": 0.7 * happy})


def test_a_feeling_slower_than_two_fifths_shortens_the_stride_and_one_below_nothing_turns_round():
    slow = style_for(body(anchor={"sad": EmotionAnchor(speed=0.1)}), named_emotion("sad"))
    assert (slow.tempo, slow.stride, slow.direction) == pytest.approx((0.4, 0.25, 1))
    back = style_for(body(anchor={"sad": EmotionAnchor(speed=-0.5)}), named_emotion("sad"))
    assert (back.tempo, back.stride, back.direction) == pytest.approx((0.5, 1.0, -1))
    kept = style_for(body(anchor={"sad": EmotionAnchor(speed=-0.5)}, pace=Pace(min_speed=0.3)), named_emotion("sad"))
    assert (kept.tempo * kept.stride, kept.direction) == pytest.approx((0.3, 1))
    quick = body(anchor={"sad": EmotionAnchor(step_time=0.2)}, pace=Pace(shortest_step=0.5))
    assert style_for(quick, named_emotion("sad")).tempo == pytest.approx(2.0)


def test_a_blend_stops_at_the_ends_of_a_words_range_and_of_the_bodys_own():
    robot = body(
        anchor={"sad": EmotionAnchor(lift=0.2, gaze=0.1, elbow_rad=2.0)},
        parameter=ParameterMappings(
            lift=ParameterMapping(min=0.5), elbow_rad=ParameterMapping(max=1.1), gaze=ParameterMapping()
        ),
    )
    style = style_for(robot, named_emotion("sad"), 1.5)
    assert (style.lift, style.gaze, style.elbow_rad) == pytest.approx((0.5, 0.0, 1.1))
    lifted = body(anchor={"sad": EmotionAnchor(lift=3.0)}, parameter=ParameterMappings(lift=ParameterMapping(max=2.5)))
    assert style_for(lifted, named_emotion("sad")).lift == pytest.approx(2.5)


def test_an_emotion_at_an_anchor_has_its_style_and_one_nearby_almost():
    robot = body(**TABLE)
    sad = named_emotion("sad")
    assert anchor_weights(robot, sad) == {"sad": pytest.approx(1.0), "happy": 0.0}
    p, a, d = sad.pad
    beside = anchor_weights(robot, Emotion(p, a + 1e-5, d))
    assert 0.0 < beside["happy"] < 1e-6


@pytest.mark.parametrize(
    ("word", "neutral", "visible"), [("lift", 1.0, 0.03 / 1.3), ("trunk_pitch_rad", 0.0, 0.035), ("gaze", 0.5, 0.02)]
)
@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_word_is_seen_from_its_smallest_visible_change_on(word, neutral, visible, way):
    robot = body()
    assert visible_parameters(robot, Style(**{word: neutral + 0.99 * way * visible})) == ()
    assert visible_parameters(robot, Style(**{word: neutral + 1.01 * way * visible})) == (word,)


def test_a_fiftieth_of_a_pose_and_the_product_of_tempo_and_stride_are_seen():
    robot = body(**TABLE)
    assert visible_parameters(robot, Style(postures=(("low", 0.019),), gaze=0.4, lift=0.9)) == ()
    assert visible_parameters(robot, Style(postures=(("low", -0.021),), gaze=0.4, lift=0.9)) == ("postures",)
    assert visible_parameters(robot, Style(direction=-1, gaze=0.4, lift=0.9)) == ("direction",)
    asked = Style(tempo=1.25, stride=0.8, gaze=0.4, lift=0.9)  # the same speed
    assert expressed_shares(robot, asked, asked) == {}
    faster = Style(tempo=1.25, stride=0.9, gaze=0.4, lift=0.9)
    assert expressed_shares(robot, faster, faster) == {"speed": 0.0}  # it has a part for neither
    strides = body(parameter=ParameterMappings(stride=ParameterMapping()))
    assert expressed_shares(strides, Style(stride=1.5), Style(stride=1.1)) == {"speed": pytest.approx(0.2)}
    assert expressed_shares(strides, Style(stride=1.5), Style(stride=1.1), reads=("tempo",)) == {"speed": 0.0}


def test_main_words_of_a_table_are_judged_alone_and_poses_by_how_far_they_go_along():
    robot = body(**TABLE, main=("lift", "postures"))
    asked = Style(lift=0.5, gaze=0.9, postures=(("low", 0.6), ("high", 0.8)))
    shown = Style(lift=0.8, gaze=0.9, postures=(("high", 0.5), ("other", 3.0)))
    assert expressed_shares(robot, asked, shown) == {"lift": pytest.approx(0.25), "postures": pytest.approx(0.4)}
    assert main_parameters(robot, named_emotion("sad")) == ("lift", "postures")
    assert main_parameters(robot, named_emotion("sad"), 0.01) == ()


def test_what_is_left_out_is_said_with_its_value_its_way_and_why():
    robot = body(parameter=ParameterMappings(gaze=ParameterMapping()))
    style = Style(head_pitch_rad=-0.2, shoulder_rad=-0.3, sway=1.25, gaze=0.9, tempo=1.1)
    assert not_expressed(robot, style, {"gaze": "the story says where to look", "stride": "it stands"}) == (
        "tempo 1.10 and sway 1.25 and head pitch 11 degrees back and shoulder 17 degrees, mrpete has no part for it",
        "gaze 0.90, the story says where to look",
    )


@pytest.mark.parametrize(("pitch_rad", "way"), [(0.06, "3 degrees forwards"), (-0.06, "3 degrees back")])
def test_a_small_pitch_is_reported_with_its_direction(pitch_rad, way):
    assert not_expressed(body(), Style(head_pitch_rad=pitch_rad)) == (f"head pitch {way}, mrpete has no part for it",)
