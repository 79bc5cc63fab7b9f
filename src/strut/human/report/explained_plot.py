"""Explained plot: the share of each criterion in the cost of a walk, with its 90 % range."""

from __future__ import annotations

import io
from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from strut.human.inverse.inverse_optimal_control import ExplainedWalk
from strut.viewer.plots import INK, LOOK, PALE

COLOURS = ("#3568b8", "#c46a12", "#1a8f82", "#b3261e", "#7a4fb5", "#5c6570")
_DPI = 150


def explained_png(walks: Mapping[str, ExplainedWalk]) -> bytes:
    """Return a picture of shares by criterion, a bar for each condition."""
    first = next(iter(walks.values()))
    places = np.arange(len(first.criteria), dtype=float)
    height = 0.8 / len(walks)
    buffer = io.BytesIO()
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(7.2, 1.2 + 0.22 * len(places) * (1 + len(walks))), layout="constrained")
        axes = figure.add_subplot()
        for number, (condition, walk) in enumerate(walks.items()):
            share = 100.0 * np.array([criterion.share for criterion in walk.criteria])
            low, high = 100.0 * np.array([criterion.share_range for criterion in walk.criteria]).T
            at = places + (number - (len(walks) - 1) / 2.0) * height
            alphas = [0.9 if criterion.identified else 0.3 for criterion in walk.criteria]
            bars = axes.barh(at, share, 0.9 * height, color=COLOURS[number % len(COLOURS)], label=condition)
            for bar, alpha in zip(bars, alphas, strict=True):
                bar.set_alpha(alpha)
            around = np.maximum([share - low, high - share], 0.0)
            axes.errorbar(share, at, xerr=around, fmt="none", ecolor=INK, elinewidth=0.9, capsize=2.0)
        axes.set_yticks(places, [criterion.name for criterion in first.criteria])
        axes.invert_yaxis()
        axes.set_xlabel("share of the cost [%], with its 90 % range; pale if not identified")
        axes.grid(axis="x", color=PALE, alpha=0.25, linewidth=0.6)
        if len(walks) > 1:
            axes.legend(frameon=False)
        figure.savefig(buffer, format="png", dpi=_DPI, metadata={"Software": None})
    return buffer.getvalue()
