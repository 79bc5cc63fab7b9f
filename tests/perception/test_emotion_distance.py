"""Emotion distance: features of known movements, and a threshold that published judgements confirm."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadTableError, OutOfRangeError
from strut.gaits.hand_task.perform import perform
from strut.models.catalogue import load_robot
from strut.perception.distinguish import Discriminability, compare_motions, distinguish
from strut.perception.emotion_distance import (
    calibration_pairs,
    discrimination_threshold,
    emotion_distances,
    evaluate_threshold,
    held_out_pairs,
    perceived_table,
)
from strut.perception.emotion_map import emotion_map_png, emotion_page
from strut.perception.features import FEATURES, expressive_features
from strut.study.design.published import published


@pytest.fixture(scope="module")
def waves():
    return {
        (name, layer): perform("pepper", "wave", name, duration_s=4.0, rate_hz=50.0, expression=layer)
        for name in ("angry", "fearful")
        for layer in ("published", "animated")
    }


def discriminability(distances, emotions=tuple("abcd"), kept=None):
    n = len(emotions)
    return Discriminability(
        "alice", "published", emotions, (kept,) * n, ({"pace": 1.0},) * n, np.asarray(distances), threshold=2.0
    )


def test_a_slower_movement_keeps_its_size_and_posture_and_has_less_pace(waves):
    motion = waves["angry", "published"]
    robot = load_robot("pepper")
    slow = replace(motion, time_s=2.0 * motion.time_s)
    features = expressive_features(motion, robot)
    slow_features = expressive_features(slow, robot)
    for name, power in {"pace": 1, "acceleration": 2, "jerk": 3, "amplitude": 0, "height": 0, "head_pitch": 0}.items():
        assert_allclose(features[name] / slow_features[name], 2.0**power, rtol=1e-9)
    assert tuple(features) == FEATURES


def test_features_do_not_depend_on_position_and_heading(waves):
    motion = waves["angry", "published"]
    robot = load_robot("pepper")
    moved = motion.qpos.copy()
    cosine = np.cos(0.7)
    sine = np.sin(0.7)
    moved[:, :2] = motion.qpos[:, :2] @ np.array([[cosine, sine], [-sine, cosine]]) + 3.0
    moved[:, 2] += 0.7
    moved_features = expressive_features(replace(motion, qpos=moved), robot)
    for name, value in expressive_features(motion, robot).items():
        assert_allclose(moved_features[name], value, atol=1e-9)


def test_one_level_is_the_difference_between_published_stimuli(waves):
    """30 % of speed and 16 degrees of the head (Hicheur and others, 2013)."""
    features = dict(expressive_features(waves["angry", "published"], load_robot("pepper")))
    level = perceived_table().level
    nodding = features | {"head_pitch": features["head_pitch"] + np.deg2rad(16.0)}
    faster = features | {"pace": 1.3 * (features["pace"] + level["pace"].floor) - level["pace"].floor}
    assert_allclose(emotion_distances([features, nodding, faster])[0], [0.0, 1.0, 1.0], atol=1e-3)


def test_anger_and_fear_of_pepper_are_confused_as_published_and_distinguished_when_animated(waves):
    robot = load_robot("pepper")
    for layer, distinguished in (("published", False), ("animated", True)):
        motions = [waves[name, layer] for name in ("angry", "fearful")]
        result = compare_motions(robot, ("angry", "fearful"), motions, layer)
        assert (result.confused == []) == distinguished
        start = "distinguish both emotions" if distinguished else "People would confuse angry and fearful"
        assert start in result.sentences()[0]


def test_the_threshold_predicts_pairs_that_did_not_determine_it():
    """19 of 22 pairs; chance would be about half of them."""
    assert not set(calibration_pairs()) & set(held_out_pairs())
    assert len(calibration_pairs()) == len(held_out_pairs()) == 22
    test = evaluate_threshold(held_out_pairs(), discrimination_threshold())
    assert (test.correct, test.pairs) == (19, 22)
    assert test.auc == pytest.approx(0.94, abs=0.005)
    assert discrimination_threshold() == pytest.approx(2.66, abs=0.005)


def test_judgements_follow_from_the_published_confusion_matrix():
    table = published("quadruped")
    names = table["emotions"]
    for pair in (pair for pair in perceived_table().pair if pair.study == "quadruped"):
        i = names.index(pair.first)
        j = names.index(pair.second)
        wrong = table["counts"][pair.first][j] + table["counts"][pair.second][i]
        right = table["counts"][pair.first][i] + table["counts"][pair.second][j]
        assert pair.distinguished == (wrong / (wrong + right) < 0.25)


def test_a_map_of_points_in_a_plane_is_exact():
    points = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [1.0, 1.0]])
    result = discriminability(np.linalg.norm(points[:, None] - points[None], axis=2))
    assert result.map_error < 1e-9
    assert result.pairs[0] == ("a", "d", pytest.approx(2.0**0.5))
    assert [pair[:2] for pair in result.confused] == [("a", "d")]


def test_a_map_of_a_tetrahedron_is_a_square_and_reports_its_error():
    """Four points at equal distances: the best plane is a square, whose diagonals are sqrt(2) sides."""
    result = discriminability(3.0 * (1.0 - np.eye(4)))
    sides = np.sort(result.map_distances[np.triu_indices(4, 1)])
    assert sides[4:] == pytest.approx(np.sqrt(2.0) * sides[:2].mean(), rel=1e-3)
    assert sides[:4] == pytest.approx(6.0 * (4.0 + 2.0 * np.sqrt(2.0)) / 16.0, rel=1e-3)  # least squares of the sides
    assert result.map_accuracy == pytest.approx(1.0 - np.abs(sides - 3.0).mean() / 3.0)
    assert "keeps 83 % of the distances" in result.map_sentence()


@pytest.mark.parametrize("emotions", [("neutral", "sad", "happy"), ("happy", "sad", "neutral")])
def test_neutral_is_on_the_left_of_the_map(emotions):
    result = discriminability([[0.0, 4.0, 9.0], [4.0, 0.0, 5.0], [9.0, 5.0, 0.0]], emotions)
    assert np.argmin(result.map_positions[:, 0]) == emotions.index("neutral")


def test_a_motion_without_receipt_has_no_known_intensity(waves):
    motions = [replace(waves[name, "published"], receipt=None) for name in ("angry", "fearful")]
    result = compare_motions(load_robot("pepper"), ("angry", "fearful"), motions, "published")
    assert [entry["intensity_kept"] for entry in result.as_dict()["emotions"].values()] == [None, None]
    assert b"(intensity" not in emotion_page(result)


def test_map_page_and_json_report_the_confused_pair(waves):
    motions = [waves[name, "published"] for name in ("angry", "fearful")]
    result = compare_motions(load_robot("pepper"), ("angry", "fearful"), motions, "published")
    assert emotion_map_png(result).startswith(b"\x89PNG")
    assert b"People would confuse angry and fearful" in emotion_page(result)
    table = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert table["confused"] == [["angry", "fearful"]]
    assert table["threshold_test"]["pairs"] == 22


def test_one_emotion_alone_is_refused():
    with pytest.raises(OutOfRangeError, match="at least two emotions"):
        distinguish("pepper", ["sad"])


def test_a_task_of_a_robot_that_walks_is_refused():
    with pytest.raises(BadTableError, match="the task wave does not apply"):
        distinguish("mrpete", ["sad", "happy"], task="wave")


def test_a_robot_that_does_not_walk_performs_its_task_as_perform_plans_it(monkeypatch):
    monkeypatch.setattr("strut.perception.distinguish.TASK_S", 2.0)
    result = distinguish("pepper", ["sad", "happy"], task="wave")
    robot = load_robot("pepper")
    motions = [perform("pepper", "wave", name, duration_s=2.0) for name in ("sad", "happy")]
    assert_allclose(result.distances, compare_motions(robot, ("sad", "happy"), motions, "published").distances)
