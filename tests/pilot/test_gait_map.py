"""The map of a gait library: every point of the grid in its colour, a key of what is drawn and nothing else."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.errors import FileError
from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_library_build import gait_grid
from strut.pilot.gait_library.gait_map import COLORS, gait_map, save_gait_map


def record(index, status="ok", **came):
    return SimpleNamespace(index=index, status=status, figures={"walked_by_pendulum": came} if came else {})


def stored(records, counts):
    return SimpleNamespace(records=lambda: iter(records), grid=gait_grid(load_robot("cassie"), counts))


def key_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_library_without_results_is_drawn_without_falls():
    points = [record((0, 0, height)) for height in range(8)]
    figure = gait_map(load_robot("cassie"), stored(points, (1, 1, 8)))
    assert key_of(figure) == ["found, not tried"]
    assert [len(axes.patches) for axes in figure.axes] == [1] * 8  # in two rows
    assert figure.get_size_inches()[0] < 12.0


def test_what_was_held_fell_or_is_missing_has_its_colour_and_its_word():
    points = [
        record((0, 0, 0), held=True, speed_off_m_s=0.02),
        record((1, 0, 0), held=True, speed_off_m_s=0.3),
        record((2, 0, 0), held=False, speed_off_m_s=None),
        record((3, 0, 0), status="failed"),
    ]
    figure = gait_map(load_robot("cassie"), stored(points, (5, 1, 1)))
    assert key_of(figure) == ["held", "fell", "none found", "speed off by more than 0.1 m/s"]
    (axes,) = figure.axes
    assert len({patch.get_facecolor() for patch in axes.patches}) == 3
    (dot,) = axes.lines
    centres = [patch.get_center() for patch in axes.patches]
    np.testing.assert_allclose(dot.get_xydata()[0], centres[1])  # the point whose speed is off
    grid = gait_grid(load_robot("cassie"), (5, 1, 1))
    np.testing.assert_allclose(centres, [(grid.left_m_s.values[0], speed) for speed in grid.forward_m_s.values[:4]])
    assert (
        "1 points (white) not computed yet, 2 of 3 that were tried held by the pendulum walker" in figure.get_suptitle()
    )
    assert set(key_of(figure)[:3]) <= set(COLORS)


def test_a_picture_of_no_known_kind_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"choose \.png or \.svg"):
        save_gait_map(load_robot("cassie"), stored([], (1, 1, 1)), tmp_path / "map.txt")
