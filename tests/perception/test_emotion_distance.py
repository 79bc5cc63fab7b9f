"""Distances between feelings: features of known movements, and a threshold that published judgements bear out."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError
from strut.gaits.hand_task.perform import perform
from strut.models.catalogue import load_robot
from strut.perception.distinguish import Distinguished, distinguish, distinguished
from strut.perception.emotion_distance import (
    calibration_pairs,
    emotion_distances,
    held_out_pairs,
    perceived,
    separation,
    threshold,
)
from strut.perception.emotion_map import emotion_map_png, emotion_page
from strut.perception.expressive_features import FEATURES, expressive_features
from strut.study.design.published import published

NAMES = {"anger": "angry", "fear": "fearful"}


@pytest.fixture(scope="module")
def waves():
    return {
        (name, layer): perform("pepper", "wave", name, duration_s=4.0, rate_hz=50.0, expression=layer)
        for name in ("angry", "fearful")
        for layer in ("published", "animated")
    }


def test_a_movement_that_is_slowed_down_keeps_its_size_and_posture_and_loses_pace(waves):
    motion = waves["angry", "published"]
    robot = load_robot("pepper")
    slow = replace(motion, time_s=2.0 * motion.time_s)
    one = expressive_features(motion, robot)
    other = expressive_features(slow, robot)
    for name, power in {"pace": 1, "acceleration": 2, "jerk": 3, "amplitude": 0, "height": 0, "head_pitch": 0}.items():
        assert_allclose(one[name] / other[name], 2.0**power, rtol=1e-9)
    assert tuple(one) == FEATURES


def test_where_a_body_stands_and_heads_is_no_feature(waves):
    motion = waves["angry", "published"]
    robot = load_robot("pepper")
    moved = motion.qpos.copy()
    cosine = np.cos(0.7)
    sine = np.sin(0.7)
    moved[:, :2] = motion.qpos[:, :2] @ np.array([[cosine, sine], [-sine, cosine]]) + 3.0
    moved[:, 2] += 0.7
    there = expressive_features(replace(motion, qpos=moved), robot)
    for name, value in expressive_features(motion, robot).items():
        assert_allclose(there[name], value, atol=1e-9)


def test_one_level_is_what_stimuli_differed_by(waves):
    base = dict(expressive_features(waves["angry", "published"], load_robot("pepper")))
    level = perceived().level
    nodding = base | {"head_pitch": base["head_pitch"] + np.deg2rad(16.0)}
    faster = base | {"pace": 1.3 * (base["pace"] + level["pace"].floor) - level["pace"].floor}
    assert_allclose(emotion_distances([base, nodding, faster])[0], [0.0, 1.0, 1.0], atol=1e-3)


def test_pepper_s_anger_and_fear_are_confused_as_published_and_told_apart_when_animated(waves):
    robot = load_robot("pepper")
    for layer, told in (("published", False), ("animated", True)):
        motions = [waves[name, layer] for name in ("angry", "fearful")]
        found = distinguished(robot, ("angry", "fearful"), motions, layer)
        assert (found.confused == []) == told
        assert found.sentences()[0].startswith("Both feelings" if told else "People would confuse angry and fearful")


def test_the_threshold_parts_pairs_that_it_has_never_seen():
    """Nineteen of 22 pairs; a threshold that knew nothing would put about half of them on the right side."""
    assert not set(calibration_pairs()) & set(held_out_pairs())
    assert len(calibration_pairs()) == len(held_out_pairs()) == 22
    found = separation(held_out_pairs(), threshold())
    assert (found.right, found.pairs) == (19, 22)
    assert found.auc == pytest.approx(0.94, abs=0.005)
    assert threshold() == pytest.approx(2.66, abs=0.005)


def test_who_was_told_apart_follows_from_the_published_counts():
    table = published("quadruped")
    names = table["emotions"]
    for pair in (pair for pair in perceived().pair if pair.study == "quadruped"):
        i = names.index(pair.first)
        j = names.index(pair.second)
        wrong = table["counts"][pair.first][j] + table["counts"][pair.second][i]
        right = table["counts"][pair.first][i] + table["counts"][pair.second][j]
        assert pair.told_apart == (wrong / (wrong + right) < 0.25)


def test_a_map_of_points_in_a_plane_is_that_plane():
    points = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [1.0, 1.0]])
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    found = Distinguished("nobody", "published", tuple("abcd"), (1.0,) * 4, ({"pace": 1.0},) * 4, distance, 2.0)
    assert found.map_error < 1e-9
    assert found.pairs[0] == ("a", "d", pytest.approx(2.0**0.5))
    assert [pair[:2] for pair in found.confused] == [("a", "d")]


def test_a_map_of_a_tetrahedron_says_that_it_is_flat_and_errs_less_than_its_shadow():
    """Four points at equal distances: the best plane is a square, whose diagonals are sqrt(2) sides."""
    distance = 3.0 * (1.0 - np.eye(4))
    found = Distinguished("nobody", "published", tuple("abcd"), (1.0,) * 4, ({"pace": 1.0},) * 4, distance, 2.0)
    sides = np.sort(found.drawn[np.triu_indices(4, 1)])
    assert sides[4:] == pytest.approx(np.sqrt(2.0) * sides[:2].mean(), rel=1e-3)
    assert sides[:4] == pytest.approx(6.0 * (4.0 + 2.0 * np.sqrt(2.0)) / 16.0, rel=1e-3)  # least squares of the sides
    assert found.map_kept == pytest.approx(1.0 - np.abs(sides - 3.0).mean() / 3.0)
    assert "on a plane and keeps 83 % of the distances" in found.map_sentence()


def test_neutral_is_to_the_left_wherever_it_is_named():
    distance = np.array([[0.0, 4.0, 9.0], [4.0, 0.0, 5.0], [9.0, 5.0, 0.0]])
    for names in (("neutral", "sad", "happy"), ("happy", "sad", "neutral")):
        found = Distinguished("nobody", "published", names, (None,) * 3, ({"pace": 1.0},) * 3, distance, 2.0)
        assert np.argmin(found.places[:, 0]) == names.index("neutral")


def test_what_nobody_judged_has_kept_nothing_that_is_known(waves):
    motions = [replace(waves[name, "published"], receipt=None) for name in ("angry", "fearful")]
    found = distinguished(load_robot("pepper"), ("angry", "fearful"), motions, "published")
    assert [told["kept"] for told in found.as_dict()["feelings"].values()] == [None, None]
    assert b"kept" not in emotion_page(found)


def test_map_page_and_json_say_what_was_found(waves):
    motions = [waves[name, "published"] for name in ("angry", "fearful")]
    found = distinguished(load_robot("pepper"), ("angry", "fearful"), motions, "published")
    assert emotion_map_png(found).startswith(b"\x89PNG")
    assert b"People would confuse angry and fearful" in emotion_page(found)
    table = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert table["confused"] == [["angry", "fearful"]]
    assert table["threshold_right"]["pairs"] == 22


def test_one_feeling_alone_has_no_distance():
    with pytest.raises(OutOfRangeError, match="at least two feelings"):
        distinguish("pepper", ["sad"])
