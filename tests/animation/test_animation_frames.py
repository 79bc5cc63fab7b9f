"""Animation files and drawings: what is wrong is said with its line; curves pass their keys as an animator expects."""

import numpy as np
import pytest

from strut.animation.animation_file import load_animation
from strut.animation.animation_frames import round_corners, sample_keyframes
from strut.animation.stories import story_names, story_path
from strut.errors import AnimationError, FileError, UnknownNameError
from strut.schemas.keyframes import Animation, AnimationKey

GOOD = """title = "hop"
emotion = "happy"

[[keyframe]]
time_s = 0.0

[[keyframe]]
time_s = 1.0
base_m = [0.0, 0.05, -0.1]
turn_deg = [0.0, 10.0, 0.0]
eyes = "wide"

[[keyframe]]
time_s = 2.0
"""


def test_file_is_read_as_written(tmp_path):
    path = tmp_path / "hop.toml"
    path.write_text(GOOD)
    animation = load_animation(path)
    assert animation.keyframe[1].base_m == (0.0, 0.05, -0.1)
    assert animation.keyframe[1].eyes == "wide"
    assert animation.duration_s == 2.0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "time_s = 2.0",
            "time_s = 0.9",
            "hop.toml, line 14, keyframe.time_s: keyframe 3 is at 0.9 s, not 0.04 s or more",
        ),
        ("time_s = 0.0", "time_s = 0.5", "line 5, keyframe.time_s: is 0.5 s; the first keyframe is at 0"),
        ('"happy"', '"hapy"', "line 2, emotion: is unknown: There is no emotion 'hapy' (nearest: happy"),
        ("[0.0, 0.05, -0.1]", "[0.0, 0.05]", "line 9, keyframe.base_m: must be a list of 3"),
        ("-0.1]", "nan]", "line 9, keyframe.base_m: must be finite"),
        ('"wide"', '"wild"', "line 11, keyframe.eyes: is 'wild'"),
        ("turn_deg", "turn_rad", "keyframe.turn_rad: there is no such field here"),
        ('eyes = "wide"', "speed_m_s = [0.3, 0.0]", "keyframe.speed_m_s: is for a walk"),
        ('eyes = "wide"', "leave = 0.0", "keyframe.leave: must be a number above 0"),
        ("[[keyframe]]\ntime_s = 2.0\n", "", "still two"),
    ],
)
def test_mistakes_are_named_with_line_and_field(tmp_path, old, new, words):
    path = tmp_path / "hop.toml"
    path.write_text(GOOD.replace(old, new, 1))
    if words == "still two":
        assert len(load_animation(path).keyframe) == 2
        return
    with pytest.raises(AnimationError) as refused:
        load_animation(path)
    assert words in str(refused.value)


def test_what_is_no_file_or_no_text_is_said_so(tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        load_animation(tmp_path / "none.toml")
    (tmp_path / "noise.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AnimationError, match="not UTF-8"):
        load_animation(tmp_path / "noise.toml")
    with pytest.raises(UnknownNameError, match="nearest: curious"):
        story_path("cassie", "curios")


def frames_of(*keyframes):
    return sample_keyframes(Animation("test", "neutral", keyframes), ("left",), ("head",))


def test_frames_are_25_a_second_and_keys_are_met():
    drawing = frames_of(AnimationKey(0.0), AnimationKey(1.0, (0.0, 0.0, 0.1)), AnimationKey(2.2, (0.0, 0.0, -0.1)))
    assert len(drawing.time_s) == 56
    np.testing.assert_array_equal(drawing.key, [0, 25, 55])
    np.testing.assert_allclose(drawing.base_m[drawing.key, 2], [0.0, 0.1, -0.1], atol=1e-12)


def test_bezier_starts_and_ends_at_rest_and_never_overshoots():
    drawing = frames_of(
        AnimationKey(0.0), AnimationKey(1.0, (0.0, 0.0, 0.1)), AnimationKey(2.0, (0.0, 0.0, 0.1)), AnimationKey(3.0)
    )
    height = drawing.base_m[:, 2]
    assert abs(height[1]) < 0.1 * 0.04 / 3.0
    assert height.max() <= 0.1 + 1e-12
    np.testing.assert_allclose(height[25:51], 0.1, atol=1e-12)


def test_linear_goes_straight():
    drawing = frames_of(AnimationKey(0.0, interpolation="linear"), AnimationKey(1.0, turn_deg=(0.0, 90.0, 0.0)))
    np.testing.assert_allclose(drawing.turn_rad[:, 1], np.linspace(0.0, np.pi / 2.0, 26), atol=1e-12)


def test_a_long_handle_starts_later_and_a_long_arrival_ends_softer():
    plain = frames_of(AnimationKey(0.0), AnimationKey(1.0, (0.0, 0.0, 1.0))).base_m[:, 2]
    late = frames_of(AnimationKey(0.0, leave=0.9), AnimationKey(1.0, (0.0, 0.0, 1.0))).base_m[:, 2]
    soft = frames_of(AnimationKey(0.0), AnimationKey(1.0, (0.0, 0.0, 1.0), arrive=0.9)).base_m[:, 2]
    assert late[12] < plain[12] - 0.1
    assert soft[12] > plain[12] + 0.1
    share = np.arange(26) / 25.0
    np.testing.assert_allclose(plain, share**2 * (3.0 - 2.0 * share), atol=1e-9)  # handles of a third: the plain cubic


def test_strength_scales_the_movement_about_the_first_key():
    keys = AnimationKey(0.0, (0.0, 0.1, 0.0)), AnimationKey(1.0, (0.0, 0.3, 0.0))
    half = sample_keyframes(Animation("test", "neutral", keys), (), (), strength=0.5)
    np.testing.assert_allclose(half.base_m[[0, -1], 1], [0.1, 0.2])


def test_eight_animations_come_with_cassie_each_with_its_emotion():
    names = ("angry", "curious", "fearful", "happy", "neutral", "proud", "sad", "tired")
    assert story_names("cassie") == names
    for name in names:
        story = load_animation(story_path("cassie", name))
        assert story.emotion == name
        assert 4.0 <= story.duration_s <= 10.0
        assert story.about


def test_corners_are_rounded_and_nothing_else():
    keys = (
        AnimationKey(0.0),
        AnimationKey(1.0, (0.0, 0.1, 0.0), interpolation="linear"),
        AnimationKey(2.0, (0.0, -0.1, 0.0)),
        AnimationKey(3.0),
    )
    sharp = frames_of(*keys)
    np.testing.assert_array_equal(sharp.corner, [25, 50])
    soft = round_corners(sharp)
    bend = np.abs(np.diff(sharp.base_m[:, 1], n=2)).max()
    assert np.abs(np.diff(soft.base_m[:, 1], n=2)).max() < 0.5 * bend
    far = np.abs(np.arange(76)[:, None] - sharp.corner).min(axis=1) >= 6
    np.testing.assert_array_equal(soft.base_m[far], sharp.base_m[far])
    np.testing.assert_array_equal(round_corners(frames_of(keys[0], keys[3])).base_m, frames_of(keys[0], keys[3]).base_m)
