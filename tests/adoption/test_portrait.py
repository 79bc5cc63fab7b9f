"""Portraits: labels are beside the robot, near what they name, and do not overlap."""

import numpy as np
import pytest

from strut.adoption.portrait import EDGE_PX, SIZE_PX, place_labels


@pytest.mark.parametrize("limbs", [1, 4, 12, 30])
def test_labels_do_not_overlap_each_other_or_the_body_and_are_inside_the_picture(limbs: int) -> None:
    rng = np.random.default_rng(limbs)
    line_px = 22.0
    body = (230.0, 770.0)
    anchors = rng.uniform((body[0], 300.0), (body[1], 700.0), (limbs, 2))
    widths = rng.uniform(60.0, 160.0, limbs)
    positions = place_labels(anchors, widths, line_px, body)
    assert (positions[:, 0] >= EDGE_PX).all()
    assert (positions[:, 0] + widths <= SIZE_PX[0] - EDGE_PX).all()
    assert ((positions[:, 0] + widths < body[0]) | (positions[:, 0] > body[1])).all()
    assert (positions[:, 1] > line_px / 2).all()
    assert (positions[:, 1] < SIZE_PX[1] - line_px / 2).all()
    for side in (positions[:, 0] < 500.0, positions[:, 0] > 500.0):
        rows = positions[side, 1][np.argsort(anchors[side, 1])]
        assert (np.diff(rows) >= line_px - 1e-9).all()  # in the order of their anchors, so that lines do not cross


def test_a_single_label_is_beside_its_limb() -> None:
    (position,) = place_labels(np.array([[300.0, 400.0]]), np.array([100.0]), 20.0, (230.0, 770.0))
    assert position[0] + 100.0 < 230.0
    assert abs(position[1] - 400.0) <= 20.0
