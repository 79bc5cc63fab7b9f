"""Feelings of a human walk: published speeds and postures at the anchors, continuous between them."""

import numpy as np
import pytest

from strut.acting.human_walk import human_walk, speed_and_bearing
from strut.emotion import Emotion, named_emotion
from strut.errors import OutOfRangeError
from strut.robots.catalogue import load_robot


@pytest.fixture(scope="module")
def heiman():
    return load_robot("heiman")


@pytest.mark.parametrize(  # Hicheur's superposition: percent of neutral speed, degrees of trunk and head, + forwards
    ("name", "percent", "trunk_deg", "head_deg"),
    [("sad", 40, 16, 16), ("happy", 130, -16, 0), ("angry", 160, 16, 0), ("fearful", 50, 0, 0)],
)
def test_anchors_have_the_published_speed_and_posture(heiman, name, percent, trunk_deg, head_deg):
    speed, bearing = speed_and_bearing(heiman, named_emotion(name), 1.0)
    assert speed == pytest.approx(1.3 * percent / 100.0)
    assert np.degrees(bearing.trunk_forward_rad) == pytest.approx(trunk_deg, abs=0.01)
    assert np.degrees(bearing.head_forward_rad) == pytest.approx(head_deg, abs=0.01)


def test_neutral_is_upright_at_usual_speed_and_half_intensity_is_half_the_change(heiman):
    speed, bearing = speed_and_bearing(heiman, Emotion(0.0, 0.0), 1.0)
    assert speed == pytest.approx(1.3)
    assert bearing.trunk_forward_rad == bearing.head_forward_rad == 0.0
    half, leaning = speed_and_bearing(heiman, named_emotion("sad"), 0.5)
    assert half == pytest.approx(1.3 * 0.7)
    assert np.degrees(leaning.trunk_forward_rad) == pytest.approx(8.0, abs=0.01)


def test_too_many_cycles_are_refused(heiman):
    with pytest.raises(OutOfRangeError, match="cycles"):
        human_walk(heiman, named_emotion("sad"), intensity=1.0, cycles=0, strict=False, rate_hz=100.0)
