"""What feelings do to a walk of steps: the published speeds and angles, exact at the anchors and neutral at zero."""

import math

import pytest

from strut.emotion import Emotion, named_emotion
from strut.expression.blend import style_for
from strut.style import Style
from tests.alice import ALICE

PUBLISHED = {"sad": (0.4, 16, 16), "happy": (1.3, -16, 0), "angry": (1.6, 16, 0), "fearful": (0.5, 0, 0)}  # + forwards


@pytest.mark.parametrize("name", PUBLISHED)
def test_anchors_have_the_published_speed_and_angles(name):  # Hicheur and others, in Felis (2015), Table 1.1
    speed, trunk_deg, head_deg = PUBLISHED[name]
    style = style_for(ALICE, named_emotion(name), 1.0)
    assert style.tempo * style.stride == pytest.approx(speed)
    assert math.degrees(style.trunk_pitch_rad) == pytest.approx(trunk_deg)
    assert math.degrees(style.head_pitch_rad) == pytest.approx(head_deg)


def test_neutral_and_zero_intensity_change_nothing():
    assert style_for(ALICE, named_emotion("neutral"), 1.0) == Style()
    assert style_for(ALICE, named_emotion("sad"), 0.0) == Style()


def test_half_an_emotion_is_half_way():
    half, full = (style_for(ALICE, named_emotion("sad"), value) for value in (0.5, 1.0))
    assert half.body_height - 1.0 == pytest.approx((full.body_height - 1.0) / 2.0)
    assert half.tempo * half.stride == pytest.approx(0.7)


def test_a_blend_lies_between_its_anchors():
    sad, fearful = (named_emotion(name) for name in ("sad", "fearful"))
    between = Emotion(*((a + b) / 2.0 for a, b in zip(sad.pad, fearful.pad, strict=True)))
    height = [style_for(ALICE, emotion, 1.0).body_height for emotion in (fearful, between, sad)]
    assert height[0] < height[1] < 1.0


def test_published_emotions_keep_trunk_and_head_at_zero_and_animated_ones_bend_them():
    lively = ALICE.expressing("animated")
    for name in PUBLISHED:
        feeling = named_emotion(name)
        assert ALICE.expression.moved_angles(style_for(ALICE, feeling)) == {}
        moved = lively.expression.moved_angles(style_for(lively, feeling))
        assert set(moved) == {"trunk_pitch", "head_pitch"}
        assert (moved["trunk_pitch"] > 0.0) == (name in ("sad", "angry"))  # the others lean back
        looks_rad = moved["trunk_pitch"] + moved["head_pitch"]  # to the level; positive is down
        assert (looks_rad < -0.2, looks_rad > 0.5) == (name == "happy", name == "sad")
    assert set(lively.expression.moved_angles(lively.expression.neutral_style()).values()) == {0.0}
