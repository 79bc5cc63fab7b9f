"""Report figures: the results of a study as figures with captions."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from strut.study.questions.question import FigureSpec
from strut.study.report.statistics_text import simulated_title
from strut.study.statistics.confusion import BlockRate
from strut.study.statistics.labels import Labels
from strut.study.statistics.preferences import Strength
from strut.study.statistics.rating_curves import RatingCurve
from strut.study.statistics.ratings import RatingMean
from strut.study.statistics.recognition import Recognition
from strut.study.statistics.study_statistics import Choices, StudyStatistics

_INK = "#1d2430"
_SOFT = "#7d8794"
_ACCENT = "#1f5fbf"
_ALERT = "#9b1c1c"
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


def report_figures(found: StudyStatistics) -> list[tuple[str, str]]:
    """Return caption and SVG of every figure that has data; both say if answers are simulated."""
    further = [figure for finding in found.further.values() for figure in finding.figures]
    figures = [*_choice_figures(found.choices), *_rating_figures(found), *_other_figures(found), *further]
    return [
        (simulated_title(caption, simulated=found.simulated), _svg(*drawing, simulated=found.simulated))
        for caption, drawing in figures
    ]


def _rating_figures(found: StudyStatistics) -> Iterator[tuple[str, FigureSpec]]:
    for scale in dict.fromkeys(row.scale for row in found.ratings):
        rows = [row for row in found.ratings if row.scale == scale]
        name = scale.replace("_", " ")
        drawing = _intervals(rows, [row.emotion for row in rows], [], ylabel=name)
        yield f"Mean {name} with 95 % confidence intervals over participants", drawing


def _other_figures(found: StudyStatistics) -> Iterator[tuple[str, FigureSpec]]:
    if found.curves:
        caption = "Rating over time: means over participants with simultaneous 95 % bands"
        yield caption, _curves(found.curves)
    if found.labels and found.labels.counts:
        yield "Frequency of the most frequent labels, by the emotion shown", _labels(found.labels)
    if found.preferences:
        caption = "Strengths of the motions (log odds against their mean), with 95 % confidence intervals"
        yield caption, _strengths(found.preferences.strengths)


def _choice_figures(choices: Choices | None) -> list[tuple[str, FigureSpec]]:
    if choices is None:
        return []
    emotions = [row.emotion for row in choices.hit_rates]
    blocks = choices.learning.blocks
    chance = [choices.chance]
    lines = "The dashed line is the hit rate of guessing"
    if choices.chance_all is not None:
        chance = [*chance, choices.chance_all]
        lines = 'Dashed lines: hit rates of guessing among emotions and, lower, among all options with "do not know"'
    hits = _intervals(choices.hit_rates, emotions, chance, ylabel="hit rate")
    figures = [
        ("Confusion matrix, in percent of the answers to each emotion", _confusion_figure(choices)),
        (f"Hit rates with 95 % intervals, participants as clusters. {lines}", hits),
    ]
    if len(blocks) > 1:
        numbers = [str(row.block) for row in blocks]
        curve = _intervals(blocks, numbers, chance, curve=True, xlabel="block", ylabel="hit rate")
        figures.append(("Hit rates by block, with 95 % intervals, participants as clusters", curve))
    return figures


def _confusion_figure(choices: Choices) -> FigureSpec:
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

    return draw, (1.5 + 0.85 * len(matrix.perceived), 1.4 + 0.48 * len(matrix.intended))


def _intervals(
    rows: Sequence[Recognition | BlockRate | RatingMean],
    names: list[str],
    chance: Sequence[float],
    *,
    curve: bool = False,
    **labels: str,
) -> FigureSpec:
    """Return hit rates with lines of chance, or means with the middle of their scale, with intervals."""
    middle = [row.mean if isinstance(row, RatingMean) else row.rate for row in rows]
    errors = np.maximum([[m - row.low, row.high - m] for m, row in zip(middle, rows, strict=True)], 0.0).T
    bound = 2.0 if max(abs(value) for value in middle) > 1.0 else 1.0

    def draw(axes: Axes) -> None:
        axes.errorbar(range(len(rows)), middle, yerr=errors, fmt="o", color=_ACCENT, ecolor=_INK, capsize=4)
        axes.set_xlim(-0.5, len(rows) - 0.5)
        if curve:
            axes.plot(range(len(rows)), middle, color=_ACCENT, linewidth=1.0)
        for line in chance or [0.0]:
            axes.axhline(line, color=_SOFT, linestyle="--" if chance else "-", linewidth=1.0)
        axes.set_xticks(range(len(rows)), names)
        axes.set(ylim=(-1.05 * bound, 1.05 * bound) if not chance else (0.0, 1.02), **labels)

    size_in = (1.8 + 0.8 * len(rows), 3.0) if curve else (1.6 + 0.9 * len(rows), 2.8 if not chance else 3.0)
    return draw, size_in


def _curves(curves: Sequence[RatingCurve]) -> FigureSpec:
    """Return ratings over time, one line with its band per stimulus."""

    def draw(axes: Axes) -> None:
        for k, curve in enumerate(curves):
            color = matplotlib.colormaps["tab10"](k % 10)
            axes.plot(curve.time_s, curve.mean, color=color, linewidth=1.6, label=curve.stimulus)
            axes.fill_between(curve.time_s, curve.low, curve.high, color=color, alpha=0.15, linewidth=0)
        axes.axhline(0.0, color=_SOFT, linewidth=1.0)
        axes.set(ylim=(-1.05, 1.05), xlabel="time [s]", ylabel="rating")
        axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower left")

    return draw, (6.2, 3.6)


def _labels(labels: Labels) -> FigureSpec:
    """Return the most frequent labels as bars, stacked by the emotion shown."""
    names = [row.label for row in labels.counts]

    def draw(axes: Axes) -> None:
        left = np.zeros(len(names))
        for k, emotion in enumerate(labels.counts[0].by_emotion):
            counts = np.array([row.by_emotion[emotion] for row in labels.counts])
            axes.barh(range(len(names)), counts, left=left, color=matplotlib.colormaps["tab10"](k % 10), label=emotion)
            left += counts
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set(xlabel="answers")
        axes.legend(frameon=False, fontsize=8, title="shown")

    return draw, (6.2, 1.4 + 0.3 * len(names))


def _strengths(rows: Sequence[Strength]) -> FigureSpec:
    """Return strengths in descending order."""
    middle = [row.strength for row in rows]
    errors = np.array([[row.strength - row.low, row.high - row.strength] for row in rows]).T

    def draw(axes: Axes) -> None:
        axes.errorbar(range(len(rows)), middle, yerr=errors, fmt="o", color=_ACCENT, ecolor=_INK, capsize=4)
        axes.axhline(0.0, color=_SOFT, linewidth=1.0)
        axes.set_xlim(-0.5, len(rows) - 0.5)
        axes.set_xticks(range(len(rows)), [row.stimulus for row in rows], rotation=25, ha="right")
        axes.set(ylabel="strength [log odds]")

    return draw, (1.8 + 0.9 * len(rows), 3.0)


def _svg(draw: Callable[[Axes], None], size_in: tuple[float, float], *, simulated: bool) -> str:
    """Return a figure as SVG; one of simulated answers says so, because figures are copied without their captions."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size_in, layout="constrained")
        draw(figure.add_subplot())
        if simulated:
            figure.text(0.99, 0.99, "SIMULATED", ha="right", va="top", color=_ALERT, weight="bold", size=8)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
