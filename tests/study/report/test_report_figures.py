"""Figures of a report hold the numbers of its tables: cells, points with intervals, bands and bars."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from strut.study.report.report_figures import report_figures
from strut.study.statistics.study_statistics import study_statistics
from tests.study.null_data import compared_pairs, guessed_labels, wandering_ratings


@pytest.fixture(scope="module")
def drawn():
    """Return a function that draws the figures of statistics: axes and SVG by caption."""

    def draw(found):
        figures = []
        original = Figure.savefig
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Figure, "savefig", lambda self, *a, **k: figures.append(self) or original(self, *a, **k))
            captions = report_figures(found)
        return {caption: (figure.axes[0], svg) for (caption, svg), figure in zip(captions, figures, strict=True)}

    return draw


def one(figures, beginning):
    (found,) = [pair for caption, pair in figures.items() if caption.startswith(beginning)]
    return found


def points_of(axes):
    """Return the heights of the points, and the ends of their intervals."""
    (container,) = axes.containers
    points, _, (bars,) = container.lines
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    return np.asarray(points.get_ydata(), dtype=float), ends


@pytest.fixture(scope="module")
def choices(drawn, quadruped_statistics):
    return drawn(quadruped_statistics)


def test_cells_of_the_confusion_matrix_are_percent_of_the_answers_to_an_emotion(choices, quadruped_statistics):
    axes, _ = one(choices, "Confusion matrix")
    matrix = quadruped_statistics.choices.confusion
    percent = 100.0 * matrix.counts / matrix.counts.sum(axis=1, keepdims=True)
    (picture,) = axes.images
    assert_allclose(picture.get_array(), percent)
    assert picture.get_clim() == (0, 100)
    for text in axes.texts:
        column, row = text.get_position()
        assert text.get_text() == f"{percent[row, column]:.0f}"
        assert to_hex(text.get_color()) == ("#ffffff" if percent[row, column] > 55.0 else "#1d2430")  # on dark blue
    assert len(axes.texts) == percent.size
    assert [label.get_text() for label in axes.get_xticklabels()] == list(matrix.perceived)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(matrix.intended)
    width_in, height_in = axes.figure.get_size_inches()
    assert 0.5 < width_in / len(matrix.perceived) < 1.5
    assert 0.4 < height_in / len(matrix.intended) < 1.2


def test_hit_rates_have_their_intervals_and_the_line_of_chance(choices, quadruped_statistics):
    axes, _ = one(choices, "Hit rates with 95 % intervals")
    rows = quadruped_statistics.choices.hit_rates
    rates, ends = points_of(axes)
    assert_allclose(rates, [row.rate for row in rows])
    assert_allclose(ends, [[row.low, row.high] for row in rows])
    dashed = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"]
    assert dashed[0] == pytest.approx(quadruped_statistics.choices.chance)
    assert axes.get_ylim() == (0.0, 1.02)
    assert [label.get_text() for label in axes.get_xticklabels()] == [row.emotion for row in rows]
    low, high = axes.get_xlim()
    assert (low, high) == (-0.5, len(rows) - 0.5)


def test_blocks_are_joined_by_a_line(choices, quadruped_statistics):
    axes, _ = one(choices, "Hit rates by block")
    blocks = quadruped_statistics.choices.learning.blocks
    curves = [line for line in axes.lines if line.get_linewidth() == 1.0 and len(line.get_ydata()) == len(blocks)]
    assert_allclose(curves[-1].get_ydata(), [block.rate for block in blocks])
    assert axes.get_xlabel() == "block"


def test_a_figure_is_svg_and_says_if_answers_are_simulated(choices, quadruped_statistics):
    for caption, (_, svg) in choices.items():
        assert ET.fromstring(svg).tag.endswith("svg")
        assert "SIMULATED" not in svg
        assert not caption.startswith("SIMULATED")


def test_means_of_ratings_are_on_the_whole_scale_about_its_middle(drawn, rated_answers):
    found = study_statistics(rated_answers)
    axes, _ = one(drawn(found), "Mean pleasure")
    means, ends = points_of(axes)
    assert_allclose(means, [row.mean for row in found.ratings])
    assert_allclose(ends, [[row.low, row.high] for row in found.ratings])
    assert_allclose(axes.get_ylim(), [-1.05, 1.05])
    (middle,) = [line for line in axes.lines if len(line.get_ydata()) == 2 and set(line.get_ydata()) == {0.0}]
    assert middle.get_linestyle() == "-"
    assert axes.get_ylabel() == "pleasure"


def test_curves_of_ratings_have_their_bands_and_names(drawn):
    found = study_statistics(wandering_ratings(np.random.default_rng(2), people=8, stimuli=3, samples=21))
    axes, _ = one(drawn(found), "Rating over time")
    curves = [line for line in axes.lines if len(line.get_xdata()) == 21]
    assert [line.get_label() for line in curves] == [curve.stimulus for curve in found.curves]
    for line, band, curve in zip(curves, axes.collections, found.curves, strict=True):
        assert_allclose(line.get_xydata(), np.column_stack([curve.time_s, curve.mean]))
        corners = np.concatenate([path.vertices for path in band.get_paths()])
        at_end = corners[np.isclose(corners[:, 0], curve.time_s[-1]), 1]
        assert_allclose([at_end.min(), at_end.max()], [curve.low[-1], curve.high[-1]])
    assert_allclose(axes.get_ylim(), [-1.05, 1.05])


def test_bars_of_labels_are_stacked_by_emotion_the_most_frequent_on_top(drawn):
    found = study_statistics(guessed_labels(np.random.default_rng(1)))
    axes, _ = one(drawn(found), "Frequency of the most frequent labels")
    counts = found.labels.counts
    for row, count in enumerate(counts):
        bars = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2.0) == row]
        assert sum(bar.get_width() for bar in bars) == count.count
        assert max(bar.get_x() + bar.get_width() for bar in bars) == count.count  # one after the other
        assert [bar.get_width() for bar in bars] == list(count.by_emotion.values())
    low, high = axes.get_ylim()
    assert low > high
    assert [label.get_text() for label in axes.get_yticklabels()] == [count.label for count in counts]


def test_strengths_of_motions_descend_with_their_intervals(drawn):
    strengths = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    found = study_statistics(compared_pairs(np.random.default_rng(0), strengths=strengths))
    axes, _ = one(drawn(found), "Strengths of the motions")
    rows = found.preferences.strengths
    heights, ends = points_of(axes)
    assert_allclose(heights, [row.strength for row in rows])
    assert (np.diff(heights) <= 0.0).all()
    assert_allclose(ends, [[row.low, row.high] for row in rows])
    assert [label.get_text() for label in axes.get_xticklabels()] == [row.stimulus for row in rows]
    assert axes.get_xlim() == (-0.5, len(rows) - 0.5)
