"""From a point in pleasure-arousal-dominance space to a style: exact at the anchors, continuous, linear along rays."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strut.emotion import Emotion, emotion_table, named_emotion
from strut.expression.blend import anchor_weights, style_for
from strut.style import Style
from tests.thesis import EMOTIONS, NUMBERS

axis = st.floats(-1.0, 1.0)


@pytest.mark.parametrize("emotion", EMOTIONS[1:])
def test_an_anchor_shows_itself_alone_and_fully(mrpete, emotion):
    weights = anchor_weights(mrpete, named_emotion(emotion), 1.0)
    assert weights == pytest.approx({name: float(name == emotion) for name in EMOTIONS[1:]}, abs=1e-12)


@pytest.mark.parametrize("emotion", EMOTIONS[1:])
def test_the_style_of_an_anchor_is_the_printed_one(mrpete, emotion):
    numbers, style = NUMBERS["pose"][emotion], style_for(mrpete, named_emotion(emotion), 1.0)
    assert style.direction * style.tempo == pytest.approx(numbers["speed"], abs=1e-12)  # E18: absolute, no difference
    assert style.stride * 80 == pytest.approx(80 + numbers["step_length_change_mm"], abs=1e-9)
    assert [name for name, _ in style.postures] == [emotion]


def test_neutral_and_any_emotion_at_intensity_zero_are_the_same_style(mrpete):
    for name in emotion_table():
        assert style_for(mrpete, named_emotion(name), 0.0) == Style()
    assert style_for(mrpete, Emotion(0.0, 0.0, 0.0), 1.0) == Style()


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


@given(intensity=st.floats(0.0, 1.5), name=st.sampled_from(sorted(emotion_table())))
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
