"""From a point in pleasure-arousal-dominance space to a style: exact at the anchors, continuous, linear along rays."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strut.emotion import Emotion, emotions, named_emotion
from strut.errors import BadTableError, OutOfRangeError
from strut.expression.blend import anchor_weights, style_for
from strut.models.catalogue import load_robot
from strut.style import STYLE_PARAMETERS, Style
from tests.thesis import EMOTIONS, NUMBERS

axis = st.floats(-1.0, 1.0)
near_axis = st.floats(-0.6, 0.6)  # so that 1.5 times as far is still a feeling
ROBOTS = {name: load_robot(name) for name in ("alice", "heiman", "mrpete", "pepper")}
any_robot = st.sampled_from(sorted(ROBOTS))


@pytest.mark.parametrize("emotion", EMOTIONS[1:])
def test_an_anchor_shows_itself_alone_and_fully(mrpete, emotion):
    weights = anchor_weights(mrpete, named_emotion(emotion), 1.0)
    assert weights == pytest.approx({name: float(name == emotion) for name in EMOTIONS[1:]}, abs=1e-12)


@pytest.mark.parametrize("emotion", EMOTIONS[1:])
def test_the_style_of_an_anchor_is_the_printed_one(mrpete, emotion):
    numbers = NUMBERS["pose"][emotion]
    style = style_for(mrpete, named_emotion(emotion), 1.0)
    assert style.direction * style.tempo == pytest.approx(numbers["speed"], abs=1e-12)  # E18: absolute, no difference
    assert style.stride * 80 == pytest.approx(80 + numbers["step_length_change_mm"], abs=1e-9)
    assert [name for name, _ in style.postures] == [emotion]


def test_neutral_and_any_emotion_at_intensity_zero_are_the_same_style(mrpete):
    for name in emotions():
        assert style_for(mrpete, named_emotion(name), 0.0) == Style()
    assert style_for(mrpete, Emotion(0.0, 0.0, 0.0), 1.0) == Style()
    for emotion, intensity in ((Emotion(0.0, 0.0, 0.0), 1.0), (named_emotion("sad"), 0.0)):
        assert set(anchor_weights(mrpete, emotion, intensity).values()) == {0.0}


@given(pleasure=axis, arousal=axis, dominance=axis, scale=st.floats(0.05, 1.0))
@settings(deadline=None)
def test_weights_are_linear_along_every_ray(mrpete, pleasure, arousal, dominance, scale):
    assume(np.linalg.norm([pleasure, arousal, dominance]) > 0.05)
    full = anchor_weights(mrpete, Emotion(pleasure, arousal, dominance), 1.0)
    part = anchor_weights(mrpete, Emotion(scale * pleasure, scale * arousal, scale * dominance), 1.0)
    turned_down = anchor_weights(mrpete, Emotion(pleasure, arousal, dominance), scale)
    for name, weight in full.items():
        assert weight >= 0.0
        assert part[name] == pytest.approx(scale * weight, rel=1e-5, abs=1e-9)
        assert turned_down[name] == pytest.approx(scale * weight, rel=1e-12, abs=1e-12)


@given(pleasure=axis, arousal=axis, dominance=axis, towards=st.tuples(axis, axis, axis))
@settings(deadline=None)
def test_neighbouring_emotions_have_neighbouring_weights(mrpete, pleasure, arousal, dominance, towards):
    point = np.array([pleasure, arousal, dominance])
    assume(np.linalg.norm(point) > 0.2)
    near = np.clip(point + 1e-7 * np.array(towards), -1.0, 1.0)
    one, other = (anchor_weights(mrpete, Emotion(*map(float, p)), 1.0) for p in (point, near))
    assert max(abs(one[name] - other[name]) for name in one) < 1e-4


@pytest.mark.parametrize("emotion", EMOTIONS[1:])
@pytest.mark.parametrize("away", [1e-3, 1e-5, 1e-7, 1e-9])
def test_weights_run_continuously_into_every_anchor(mrpete, emotion, away):
    pad = np.array(named_emotion(emotion).pad)
    for direction in np.eye(3):
        weights = anchor_weights(mrpete, Emotion(*map(float, pad + away * direction)), 1.0)
        assert weights[emotion] == pytest.approx(1.0, abs=3 * away + 1e-9)


@given(intensity=st.floats(0.0, 1.5), name=st.sampled_from(sorted(emotions())))
@settings(deadline=None)
def test_every_named_emotion_has_a_style_at_every_intensity(mrpete, name, intensity):
    style = style_for(mrpete, named_emotion(name), intensity)
    assert style.tempo >= 0.4
    assert style.stride >= 0.0


def test_fear_slows_marches_on_the_spot_and_turns_round_without_a_jump(mrpete):
    fear = named_emotion("fearful")
    speeds = []
    for intensity in np.linspace(0.0, 1.0, 301):
        style = style_for(mrpete, fear, float(intensity))
        speeds.append(style.direction * style.tempo * style.stride)
    np.testing.assert_allclose(speeds, 1.0 - 1.5 * np.linspace(0.0, 1.0, 301), atol=1e-12)


def quantities(style):
    """Return what is linear in a feeling, as long as nothing stops at an end of its range."""
    postures = {f"posture {name}": weight for name, weight in style.postures}
    return {word: getattr(style, word) for word in STYLE_PARAMETERS if word not in ("tempo", "stride")} | postures


@given(any_robot, axis, axis, axis, st.floats(0.0, 0.4))
@settings(deadline=None)
def test_every_word_of_every_body_is_linear_along_a_ray(robot, pleasure, arousal, dominance, scale):
    body = ROBOTS[robot]
    point = np.array([pleasure, arousal, dominance])
    assume(np.linalg.norm(point) > 0.2)
    neutral = quantities(body.expression.neutral_style())
    near, far = (quantities(style_for(body, Emotion(*map(float, point)), k)) for k in (scale, 0.4))
    for word, value in far.items():
        rest = neutral.get(word, 0.0)
        assert near.get(word, 0.0) - rest == pytest.approx(scale / 0.4 * (value - rest), abs=1e-9)


@given(any_robot, near_axis, near_axis, near_axis, st.floats(0.0, 1.5))
@settings(deadline=None)
def test_intensity_and_distance_from_neutral_are_the_same_dial(robot, pleasure, arousal, dominance, scale):
    assume(np.linalg.norm([pleasure, arousal, dominance]) * scale > 1e-3)
    body = ROBOTS[robot]
    louder = style_for(body, Emotion(pleasure, arousal, dominance), scale)
    farther = style_for(body, Emotion(scale * pleasure, scale * arousal, scale * dominance), 1.0)
    for word in STYLE_PARAMETERS:
        assert getattr(louder, word) == pytest.approx(getattr(farther, word), rel=1e-6, abs=1e-9)


@given(any_robot, axis, axis, axis, st.tuples(axis, axis, axis), st.floats(0.0, 1.5))
@settings(deadline=None)
def test_neighbouring_emotions_have_neighbouring_styles(robot, pleasure, arousal, dominance, towards, intensity):
    point = np.array([pleasure, arousal, dominance])
    assume(np.linalg.norm(point) > 0.2)
    near = np.clip(point + 1e-7 * np.array(towards), -1.0, 1.0)
    one, other = (style_for(ROBOTS[robot], Emotion(*map(float, p)), intensity) for p in (point, near))
    assert abs(one.speed - other.speed) < 1e-4
    for word, value in quantities(one).items():
        assert abs(value - quantities(other).get(word, 0.0)) < 1e-4


@pytest.mark.parametrize("robot", ["alice", "heiman", "mrpete"])
@pytest.mark.parametrize("emotion", EMOTIONS[1:])
def test_every_word_is_exact_at_the_anchors(robot, emotion):
    body = ROBOTS[robot]
    anchor = body.expression.anchor[emotion]
    style = style_for(body, named_emotion(emotion))
    for word in set(STYLE_PARAMETERS) - {"tempo", "stride"}:
        said = getattr(anchor, word)
        assert getattr(style, word) == pytest.approx(body.expression.neutral_value(word) if said is None else said)
    assert style.speed == pytest.approx(anchor.speed * (anchor.stride or 1.0))
    assert dict(style.postures) == pytest.approx(dict(anchor.postures))


def test_a_blend_stops_at_the_ends_of_a_word_and_of_the_bodys_part_for_it():
    bored = Emotion(-1.0, -1.0, -1.0)
    assert style_for(ROBOTS["pepper"], bored, 1.5).activity == 0.0
    alice = style_for(ROBOTS["alice"], bored, 1.5)
    assert (alice.lift, alice.body_height) == (0.2, pytest.approx(0.5, abs=0.3))
    assert (alice.tempo, alice.stride) == pytest.approx((0.4, 0.4))
    human = style_for(ROBOTS["heiman"], Emotion(-0.7, 1.0, 0.3), 1.5)
    assert human.tempo == pytest.approx(1.0 / 0.55)  # the shortest step
    assert style_for(ROBOTS["heiman"], bored, 1.5).arm_swing == 0.0


def test_a_change_of_speed_is_divided_as_the_table_says():
    happy = {name: style_for(robot, named_emotion("happy")) for name, robot in ROBOTS.items()}
    assert happy["alice"].tempo == happy["alice"].stride == pytest.approx(1.3**0.5)
    assert (happy["mrpete"].tempo, happy["mrpete"].stride) == pytest.approx((0.9, 0.875))
    assert (happy["heiman"].tempo, happy["heiman"].stride) == pytest.approx((1.0 / 0.82, 1.3 * 0.82))


def test_a_robot_without_emotions_walks_neutral_and_refuses_the_others(mrpete):
    bare = replace(mrpete, tables=replace(mrpete.tables, expression=None))
    assert style_for(bare, named_emotion("neutral")) == style_for(bare, named_emotion("sad"), 0.0) == Style()
    with pytest.raises(BadTableError, match=r"mrpete cannot express emotions: its expression\.toml"):
        style_for(bare, named_emotion("sad"))


@pytest.mark.parametrize("intensity", [-0.1, 1.6, float("nan")])
def test_intensities_off_the_dial_are_refused(mrpete, intensity):
    with pytest.raises(OutOfRangeError, match="Intensity is"):
        style_for(mrpete, named_emotion("sad"), intensity)


@pytest.mark.parametrize("intensity", [0.01, 0.1, 0.5, 1.4])
@pytest.mark.parametrize("robot", ["alice", "mrpete"])
def test_weights_are_linear_in_the_intensity(robot, intensity):
    emotion = Emotion(0.3, 0.5, -0.2)
    whole, part = (anchor_weights(ROBOTS[robot], emotion, strength) for strength in (1.0, intensity))
    assert sum(whole.values()) > 0.1
    assert part == pytest.approx({name: intensity * weight for name, weight in whole.items()})
