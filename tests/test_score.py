"""Scores: keyframes from TOML, texts and sections; weights over time; and errors of one sentence with file and line."""

import math

import numpy as np
import pytest

import strut
from strut.errors import OutOfRangeError, ScoreError, UnknownNameError

TOML = """\
bpm = 120
end = 20

[[keyframe]]
at = 0
emotion = "neutral"

[[keyframe]]
at = 8
emotion = "happy"
intensity = 0.5
speed_m_s = 0.3
turn_deg_s = 90
ease = 4
"""


@pytest.fixture
def score_file(tmp_path):
    def write(text):
        path = tmp_path / "dance.toml"
        path.write_text(text, "utf-8")
        return path

    return write


def test_a_score_file_counts_beats_where_it_has_a_tempo(score_file):
    score = strut.Score.read(score_file(TOML))
    assert score.duration_s == 10.0
    neutral, happy = score.keyframes
    assert neutral == strut.ScoreKey(0.0, strut.named_emotion("neutral"))
    assert happy == strut.ScoreKey(4.0, strut.named_emotion("happy"), 0.5, 0.3, math.pi / 2.0, 2.0)


def test_a_score_file_without_a_tempo_counts_seconds(score_file):
    score = strut.Score.read(score_file(TOML.replace("bpm = 120\n", "")))
    assert (score.duration_s, score.keyframes[1].at_s, score.keyframes[1].ease_s) == (20.0, 8.0, 4.0)


def test_a_text_a_list_and_keyframes_make_the_same_score():
    emotions = [strut.named_emotion(name) for name in ("neutral", "happy", "sad")]
    keyframes = tuple(strut.ScoreKey(at_s, emotion) for at_s, emotion in zip((0.0, 3.0, 7.5), emotions, strict=True))
    score = strut.Score(keyframes, 11.5)
    assert strut.Score.from_text("neutral 3s, happy 4.5, sad") == score
    assert strut.Score.of_sections([("neutral", 3), (emotions[1], 4.5), ("sad", 4)]) == score
    assert score.label == "neutral, happy, sad"


def test_each_keyframe_takes_over_smoothly_from_the_one_before():
    score = strut.Score.of_sections([("neutral", 3.0), ("happy", 1.0), ("sad", 4.0)])
    assert [key.ease_s for key in score.eased(1.0).keyframes] == [1.0, 0.5, 1.0]
    time_s = np.arange(0.0, 9.0, 0.001)
    weights = score.weights_at(time_s)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    assert weights.min() >= 0.0
    steady = {0: (0.0, 3.0), 1: (3.5, 4.0), 2: (5.0, 9.0)}
    for keyframe, (begin_s, end_s) in steady.items():
        np.testing.assert_allclose(weights[(time_s > begin_s) & (time_s < end_s), keyframe], 1.0, atol=1e-12)
    acceleration = np.diff(weights, n=2, axis=0) / 0.001**2
    assert (
        np.abs(np.diff(acceleration, axis=0)).max() < 0.5
    )  # 60 / 0.5**3 per cubic second: no jump of the second derivative


@pytest.mark.parametrize(
    ("wrong", "instead", "line", "reason"),
    [
        ("at = 0", "at = 1", 5, "keyframe.at: is 1; the first keyframe begins at 0."),
        ("at = 8", "at = 0", 9, "keyframe.at: is 0; it must be later than 0, the one before."),
        ("end = 20", "end = 8", 2, "end: is 8; it must be later than 8, the last keyframe."),
        ("end = 20", "end = 9999", 2, "end: is 9999; a score ends at 1200 at the latest."),
        ("end = 20", "end = -1", 2, "end: must be a number above 0, not -1."),
        ("ease = 4", "ease = 13", 14, "keyframe.ease: is 13; it must be above 0 and at most 12, its section."),
        ("bpm = 120", "bpm = 1", 1, "bpm: must be a number from 20 to 400, not 1."),
        ('"happy"', '"hapy"', 10, "keyframe.emotion: does not fit: There is no emotion 'hapy' (nearest: happy"),
        ('emotion = "happy"', "pad = [2, 0, 0]", 10, "keyframe.pad: does not fit: pleasure is 2"),
        ("intensity = 0.5", "intensity = 2", 11, "keyframe.intensity: must be a number from 0 to 1.5, not 2."),
        ("speed_m_s = 0.3", "speed_m_s = nan", 12, "keyframe.speed_m_s: must be a finite number."),
        ("turn_deg_s = 90", "turn = 90", 13, "keyframe.turn: there is no such field here; known are at, emotion, pad"),
        ("ease = 4", "pad = [0, 0, 0]", 10, "keyframe.emotion: or pad is needed, and not both."),
        ("[[keyframe]]", "[[key]]", 4, "key: there is no such field here"),
        ("bpm = 120", "bpm = ", 1, "is not TOML"),
    ],
)
def test_a_wrong_score_file_is_one_sentence_with_file_line_and_field(score_file, wrong, instead, line, reason):
    path = score_file(TOML.replace(wrong, instead))
    with pytest.raises(ScoreError) as error:
        strut.Score.read(path)
    text = str(error.value)
    assert text.startswith(f"{path}, line {line}")
    assert reason in text
    assert "\n" not in text


@pytest.mark.parametrize("text", ["3s, happy", "happy 3 4s, sad", "happy -1s, sad", ", sad"])
def test_a_text_that_is_no_score_is_refused_with_an_example(text):
    with pytest.raises(OutOfRangeError, match="write for instance 'neutral 3s, happy 4s, sad'"):
        strut.Score.from_text(text)


def test_scores_in_code_are_checked_as_files_are():
    neutral = strut.named_emotion("neutral")
    with pytest.raises(OutOfRangeError, match="at of keyframe 1 of a score is 1; the first keyframe begins at 0"):
        strut.Score((strut.ScoreKey(1.0, neutral),), 2.0)
    with pytest.raises(OutOfRangeError, match="lasts 0 s"):
        strut.Score.of_sections([("happy", 0.0)])
    with pytest.raises(OutOfRangeError, match="at least one keyframe"):
        strut.Score((), 2.0)
    with pytest.raises(UnknownNameError, match="There is no emotion 'glad'"):
        strut.Score.of_sections([("glad", 1.0)])
