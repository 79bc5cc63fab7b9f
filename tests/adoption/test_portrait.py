"""Portraits: names of many limbs stand beside the robot, none on another, each near what it means."""

import numpy as np
import pytest

from strut.adoption.portrait import _EDGE_PX, _SIZE_PX, label_places


@pytest.mark.parametrize("limbs", [1, 4, 12, 30])
def test_names_of_limbs_never_overlap_each_other_or_the_body_and_stay_in_the_picture(limbs: int) -> None:
    rng = np.random.default_rng(limbs)
    line_px = 22.0
    body = (230.0, 770.0)
    anchors = rng.uniform((body[0], 300.0), (body[1], 700.0), (limbs, 2))
    widths = rng.uniform(60.0, 160.0, limbs)
    places = label_places(anchors, widths, line_px, body)
    assert (places[:, 0] >= _EDGE_PX).all()
    assert (places[:, 0] + widths <= _SIZE_PX[0] - _EDGE_PX).all()
    assert ((places[:, 0] + widths < body[0]) | (places[:, 0] > body[1])).all()
    assert (places[:, 1] > line_px / 2).all()
    assert (places[:, 1] < _SIZE_PX[1] - line_px / 2).all()
    for side in (places[:, 0] < 500.0, places[:, 0] > 500.0):
        rows = places[side, 1][np.argsort(anchors[side, 1])]
        assert (np.diff(rows) >= line_px - 1e-9).all()  # in the order of what they mean, so that no lines cross there


def test_the_name_of_a_single_limb_stands_beside_it() -> None:
    (place,) = label_places(np.array([[300.0, 400.0]]), np.array([100.0]), 20.0, (230.0, 770.0))
    assert place[0] + 100.0 < 230.0
    assert abs(place[1] - 400.0) <= 20.0
