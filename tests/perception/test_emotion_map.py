"""A map of feelings: words stand beside their points, and no two on top of each other."""

from itertools import combinations

import numpy as np
import pytest

from strut.perception import distinguish
from strut.perception.distinguish import Distinguished
from strut.perception.emotion_map import feeling_map

NAMES = ("neutral", "happy", "sad", "angry", "fearful")


def found(places_m, kept=0.5):
    places = np.array(places_m)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    return Distinguished("go2", "animated", NAMES, (kept,) * 5, ({"speed": 1.0},) * 5, distance, 2.7)


@pytest.mark.parametrize(
    "places",
    [
        [(0, 0), (0.9, 0.1), (0.2, 0.9), (6, 1), (6.5, 0.4)],
        [(0, 0), (3, 0), (6, 0.2), (6.4, 0.8), (9, 0)],
    ],
)
def test_words_do_not_lie_on_each_other(places):
    figure = feeling_map(found(places))
    figure.canvas.draw()
    axes = figure.axes[0]
    boxes = [words.get_window_extent() for words in axes.texts if words.get_text().startswith(NAMES)]
    assert len(boxes) == len(NAMES)
    assert not [pair for pair in combinations(range(5), 2) if boxes[pair[0]].overlaps(boxes[pair[1]])]


def test_feelings_that_are_only_just_told_apart_are_told_so_and_what_a_level_is():
    said, weak = found([(0, 0), (2.75, 0), (0, 8), (9, 9), (20, 0)]).sentences()
    assert weak.startswith("Weakened by limits of the body: ")
    assert "only just told apart" in said
    assert "2.75 levels apart; people need 2.70" in said
    assert "One level is" in said


def test_the_map_says_how_much_of_the_distances_it_keeps_and_joins_what_it_draws_too_near():
    apart = np.array([(0, 0, 0), (2.0, 0, 2.5), (9, 0, 0), (9, 9, 0), (0, 9, 0)], dtype=float)
    words = [text.get_text() for text in feeling_map(found(apart)).axes[0].texts]
    distances = [text for text in words if text.replace(".", "").isdigit()]
    drawn = found(apart)
    near = [pair for pair in combinations(range(5), 2) if drawn.drawn[pair] < drawn.threshold]
    assert distances == [f"{drawn.distance[pair]:.1f}" for pair in near]
    assert "on a plane and keeps" in feeling_map(drawn).get_supxlabel().replace("\n", " ")


def test_places_are_looked_for_once_for_the_map_and_not_for_every_pair(monkeypatch):
    looked = []
    monkeypatch.setattr(distinguish, "smacof", lambda places, distance: looked.append(1) or places)
    feeling_map(found([(0, 0), (3, 0), (6, 0.2), (6.4, 0.8), (9, 0)]))
    assert len(looked) <= 3  # its own, and two of the sentence below it
