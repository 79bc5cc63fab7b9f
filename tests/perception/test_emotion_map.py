"""Emotion map: labels do not overlap, and the map reports how accurate it is."""

from itertools import combinations

import numpy as np
import pytest

from strut.perception.distinguish import Discriminability
from strut.perception.emotion_map import emotion_map

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")


def discriminability(points, kept=0.5):
    points = np.array(points, dtype=float)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    return Discriminability("go2", "animated", EMOTIONS, (kept,) * 5, ({"speed": 1.0},) * 5, distances, threshold=2.7)


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0), (0.9, 0.1), (0.2, 0.9), (6, 1), (6.5, 0.4)],
        [(0, 0), (3, 0), (6, 0.2), (6.4, 0.8), (9, 0)],
    ],
)
def test_labels_do_not_overlap(points):
    figure = emotion_map(discriminability(points))
    figure.canvas.draw()
    axes = figure.axes[0]
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text().startswith(EMOTIONS)]
    assert len(boxes) == len(EMOTIONS)
    assert not [pair for pair in combinations(range(5), 2) if boxes[pair[0]].overlaps(boxes[pair[1]])]


def test_barely_distinguished_emotions_are_reported_with_the_meaning_of_a_level():
    closest, weakened = discriminability([(0, 0), (2.75, 0), (0, 8), (9, 9), (20, 0)]).sentences()
    assert weakened.startswith("Limits of the body weaken neutral (")
    assert "People barely distinguish all 5 emotions." in closest
    assert "is 2.75 levels apart, and people need 2.70" in closest
    assert "One level is" in closest


def test_the_map_reports_its_accuracy_and_marks_pairs_that_it_shows_too_close():
    points = np.array([(0, 0, 0), (2.0, 0, 2.5), (9, 0, 0), (9, 9, 0), (0, 9, 0)], dtype=float)
    result = discriminability(points)
    texts = [text.get_text() for text in emotion_map(result).axes[0].texts]
    distances = [text for text in texts if text.replace(".", "").isdigit()]
    close = [pair for pair in combinations(range(5), 2) if result.map_distances[pair] < result.threshold]
    assert distances == [f"{result.distances[pair]:.1f}" for pair in close]
    assert "onto a plane and keeps" in emotion_map(result).get_supxlabel().replace("\n", " ")
