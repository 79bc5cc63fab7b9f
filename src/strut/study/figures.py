"""Figures: a study's findings as vector pictures that a page can hold."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from strut.study.ratings import RatingMean
from strut.study.statistics import Choices, StudyStatistics

_INK, _SOFT, _ACCENT = "#1d2430", "#7d8794", "#1f5fbf"
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "strut",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": _INK,
    "axes.edgecolor": _SOFT,
}


def study_figures(found: StudyStatistics) -> list[tuple[str, str]]:
    """Return caption and SVG of every figure there is something for."""
    figures = []
    if found.choices:
        choices = found.choices
        figures += [
            ("Which emotion was taken for which, in percent of what was shown.", confusion_figure(choices)),
            ("Hit rates with Wilson intervals; the dashed line is chance.", hit_figure(choices)),
        ]
        if len(choices.learning.blocks) > 1:
            figures.append(("Hit rates by block, with Wilson intervals.", learning_figure(choices)))
    for scale in dict.fromkeys(row.scale for row in found.ratings):
        rows = [row for row in found.ratings if row.scale == scale]
        figures.append((f"Mean {scale.replace('_', ' ')} with 95 % intervals over participants.", rating_figure(rows)))
    return figures


def confusion_figure(choices: Choices) -> str:
    """Return the confusion matrix as a picture."""
    matrix = choices.confusion
    share = 100.0 * matrix.counts / matrix.shown[:, None]

    def draw(axes: Axes) -> None:
        axes.imshow(share, cmap="Blues", vmin=0, vmax=100, aspect="auto")
        for (row, column), value in np.ndenumerate(share):
            color = "white" if value > 55 else _INK
            axes.text(column, row, f"{value:.0f}", ha="center", va="center", color=color)
        axes.set_xticks(range(len(matrix.perceived)), matrix.perceived, rotation=25, ha="right")
        axes.set_yticks(range(len(matrix.intended)), matrix.intended)
        axes.set(xlabel="answered", ylabel="shown")
        axes.tick_params(length=0)

    return _drawn(draw, (1.5 + 0.85 * len(matrix.perceived), 1.4 + 0.48 * len(matrix.intended)))


def hit_figure(choices: Choices) -> str:
    """Return hit rates against chance."""
    rows = choices.hit_rates

    def draw(axes: Axes) -> None:
        _intervals(axes, [row.rate for row in rows], [row.low for row in rows], [row.high for row in rows])
        axes.axhline(choices.chance, color=_SOFT, linestyle="--", linewidth=1.0)
        axes.set_xticks(range(len(rows)), [row.emotion for row in rows])
        axes.set(ylim=(0.0, 1.02), ylabel="hit rate")

    return _drawn(draw, (1.6 + 0.9 * len(rows), 3.0))


def learning_figure(choices: Choices) -> str:
    """Return hit rates over blocks."""
    rows = choices.learning.blocks

    def draw(axes: Axes) -> None:
        _intervals(axes, [row.rate for row in rows], [row.low for row in rows], [row.high for row in rows])
        axes.plot(range(len(rows)), [row.rate for row in rows], color=_ACCENT, linewidth=1.0)
        axes.axhline(choices.chance, color=_SOFT, linestyle="--", linewidth=1.0)
        axes.set_xticks(range(len(rows)), [str(row.block) for row in rows])
        axes.set(ylim=(0.0, 1.02), xlabel="block", ylabel="hit rate")

    return _drawn(draw, (1.8 + 0.8 * len(rows), 3.0))


def rating_figure(rows: list[RatingMean]) -> str:
    """Return mean ratings on one scale."""
    bound = 2.0 if max(abs(row.mean) for row in rows) > 1.0 else 1.0

    def draw(axes: Axes) -> None:
        _intervals(axes, [row.mean for row in rows], [row.low for row in rows], [row.high for row in rows])
        axes.axhline(0.0, color=_SOFT, linewidth=1.0)
        axes.set_xticks(range(len(rows)), [row.emotion for row in rows])
        axes.set(ylim=(-1.05 * bound, 1.05 * bound), ylabel=rows[0].scale.replace("_", " "))

    return _drawn(draw, (1.6 + 0.9 * len(rows), 2.8))


def _intervals(axes: Axes, middle: list[float], low: list[float], high: list[float]) -> None:
    below, above = np.subtract(middle, low), np.subtract(high, middle)
    reach = np.maximum([below, above], 0.0)
    axes.errorbar(range(len(middle)), middle, yerr=reach, fmt="o", color=_ACCENT, ecolor=_INK, capsize=4)
    axes.set_xlim(-0.5, len(middle) - 0.5)


def _drawn(draw: Callable[[Axes], None], size_in: tuple[float, float]) -> str:
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size_in, layout="constrained")
        draw(figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
