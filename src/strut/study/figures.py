"""Figures: a study's findings as vector pictures that a page can hold."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from strut.study.confusion import BlockRate, HitRate
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
        choices, blocks = found.choices, found.choices.learning.blocks
        emotions = [row.emotion for row in choices.hit_rates]
        hits = _intervals(choices.hit_rates, emotions, choices.chance, ylabel="hit rate")
        figures += [
            ("Which emotion was taken for which, in percent of what was shown.", confusion_figure(choices)),
            ("Hit rates with Wilson intervals; the dashed line is chance.", hits),
        ]
        if len(blocks) > 1:
            numbers = [str(row.block) for row in blocks]
            curve = _intervals(blocks, numbers, choices.chance, curve=True, xlabel="block", ylabel="hit rate")
            figures.append(("Hit rates by block, with Wilson intervals.", curve))
    for scale in dict.fromkeys(row.scale for row in found.ratings):
        rows, name = [row for row in found.ratings if row.scale == scale], scale.replace("_", " ")
        drawn = _intervals(rows, [row.emotion for row in rows], None, ylabel=name)
        figures.append((f"Mean {name} with 95 % intervals over participants.", drawn))
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


def _intervals(
    rows: Sequence[HitRate | BlockRate | RatingMean],
    names: list[str],
    chance: float | None,
    *,
    curve: bool = False,
    **labels: str,
) -> str:
    """Return rates against chance, or means on a scale against its middle (`chance` is None), with their intervals."""
    middle = [row.mean if isinstance(row, RatingMean) else row.rate for row in rows]
    reach = np.maximum([[m - row.low, row.high - m] for m, row in zip(middle, rows, strict=True)], 0.0).T
    bound = 2.0 if max(abs(value) for value in middle) > 1.0 else 1.0

    def draw(axes: Axes) -> None:
        axes.errorbar(range(len(rows)), middle, yerr=reach, fmt="o", color=_ACCENT, ecolor=_INK, capsize=4)
        axes.set_xlim(-0.5, len(rows) - 0.5)
        if curve:
            axes.plot(range(len(rows)), middle, color=_ACCENT, linewidth=1.0)
        axes.axhline(chance or 0.0, color=_SOFT, linestyle="-" if chance is None else "--", linewidth=1.0)
        axes.set_xticks(range(len(rows)), names)
        axes.set(ylim=(-1.05 * bound, 1.05 * bound) if chance is None else (0.0, 1.02), **labels)

    size_in = (1.8 + 0.8 * len(rows), 3.0) if curve else (1.6 + 0.9 * len(rows), 2.8 if chance is None else 3.0)
    return _drawn(draw, size_in)


def _drawn(draw: Callable[[Axes], None], size_in: tuple[float, float]) -> str:
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size_in, layout="constrained")
        draw(figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
