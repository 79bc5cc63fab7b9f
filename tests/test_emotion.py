"""Emotions: coordinates, names, intensities."""

import dataclasses
import json
import math
import pickle

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strut.emotion import Emotion, checked_intensity, emotions, named_emotion
from strut.errors import OutOfRangeError, UnknownNameError

axis = st.floats(-1.0, 1.0)


@given(pleasure=axis, arousal=axis, dominance=axis)
def test_any_point_of_the_cube_is_an_emotion(pleasure, arousal, dominance):
    assert Emotion(pleasure, arousal, dominance).pad == (pleasure, arousal, dominance)


@pytest.mark.parametrize(
    ("pad", "sentence"),
    [
        ((1.2, 0.0, 0.0), "pleasure is 1.2; rescale it to [-1, 1]."),
        ((0.0, -1.01, 0.0), "arousal is -1.01; rescale it to [-1, 1]."),
        ((0.0, 0.0, math.nan), "dominance is nan; rescale it to [-1, 1]."),
        ((math.inf, 0.0, 0.0), "pleasure is inf; rescale it to [-1, 1]."),
    ],
)
def test_points_outside_the_cube_are_refused(pad, sentence):
    with pytest.raises(OutOfRangeError) as caught:
        Emotion(*pad)
    assert str(caught.value) == sentence


def test_an_emotion_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        named_emotion("happy").pleasure = 0.0


def test_numbers_of_arrays_become_plain_ones():
    felt = Emotion(*np.array([0.5, -0.25, 0.0]))
    assert [type(value) for value in felt.pad] == [float, float, float]
    assert json.loads(msgspec.json.encode(felt))["pleasure"] == 0.5


def test_the_name_is_only_a_label():
    happy = named_emotion("happy")
    assert Emotion(*happy.pad) == happy
    assert (happy.label, Emotion(0.5, -0.25).label) == ("happy", "(0.5, -0.25, 0)")


@pytest.mark.parametrize(
    ("word", "name"),
    [("anger", "angry"), (" Happy ", "happy"), ("FEAR", "fearful"), ("scared", "fearful"), ("none", "neutral")],
)
def test_other_words_find_the_same_emotion(word, name):
    assert named_emotion(word).name == name


def test_every_name_and_other_word_of_the_table_is_found_and_means_one_thing():
    words = [(word, name) for name, row in emotions().items() for word in (name, *row["also_called"])]
    assert len({word for word, _ in words}) == len(words)
    for word, name in words:
        assert named_emotion(word).name == name


def test_neutral_is_the_origin():
    assert named_emotion("neutral").pad == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("name", "pad"),
    [
        ("sad", (-0.63, -0.27, -0.33)),
        ("angry", (-0.51, 0.59, 0.25)),
        ("fearful", (-0.64, 0.60, -0.43)),
        ("disgusted", (-0.60, 0.35, 0.11)),
    ],
)
def test_confirmed_ratings_are_those_of_russell_and_mehrabian(name, pad):  # 1977, table of 151 terms
    assert named_emotion(name).pad == pad
    assert emotions()[name]["confirmed"]


def test_an_unknown_emotion_names_its_neighbours_and_where_to_look():
    with pytest.raises(UnknownNameError) as caught:
        named_emotion("furious")
    nearest = "curious, surprised, proud"
    assert str(caught.value) == f"There is no emotion 'furious' (nearest: {nearest}); `strut emotions` lists them all."
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_emotion_like_no_other_gets_the_whole_list():
    with pytest.raises(UnknownNameError, match="neutral, happy, joyful"):
        named_emotion("xyzzy")


@pytest.mark.parametrize("intensity", [0.0, 0.3, 1, 1.5])
def test_dial_positions_pass(intensity):
    assert checked_intensity(intensity) == intensity


@pytest.mark.parametrize(("intensity", "said"), [(1.51, "1.51"), (-0.1, "-0.1"), (math.nan, "nan"), (math.inf, "inf")])
def test_other_dial_positions_are_refused(intensity, said):
    with pytest.raises(OutOfRangeError) as caught:
        checked_intensity(intensity)
    assert str(caught.value) == f"Intensity is {said}; choose 0 (neutral) to 1.5 (1 is as published)."
