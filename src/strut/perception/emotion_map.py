"""Emotion map: the distances between the emotions of a robot, as a picture and as a page."""

from __future__ import annotations

import io
from html import escape
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from strut.arrays import Array
from strut.perception.distinguish import UNWEAKENED, Discriminability
from strut.viewer.plots import INK, LIMIT, LOOK, PALE, figure_svg

POINT = "#3568b8"
_DPI = 150
_LABEL_OFFSET_PT = 11
_CAPTION_CHARACTERS = 105  # per line: fills the width of the figure
_STYLE = (
    "body{font:16px sans-serif;max-width:50rem;margin:2rem auto;color:#1a1c20}"
    "td,th{padding:.2rem .8rem;text-align:left} svg{width:100%;height:auto}"
)


def emotion_map(result: Discriminability) -> Figure:
    """Return a map of emotions, in which a red line joins every pair that people would confuse.

    The diameter of a circle is the threshold. A plane cannot keep all distances: where two circles overlap although
    people distinguish the emotions, a pale line shows the measured distance.
    """
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(7.2, 6.4), layout="constrained")
        axes = figure.add_subplot()
        points = result.map_positions
        radius = result.threshold / 2.0
        labels = zip(points, _label_directions(points), result.emotions, result.intensity_kept, strict=True)
        for point, direction, emotion, kept in labels:
            axes.add_patch(Circle(point, radius, facecolor=POINT, alpha=0.10, edgecolor=POINT, linewidth=1.0))
            axes.plot(*point, "o", color=POINT, markersize=6)
            is_weakened = kept is not None and kept <= UNWEAKENED
            _draw_label(axes, f"{emotion}\n(intensity {kept:.2f})" if is_weakened else emotion, point, direction)
        _draw_lines(axes, result, points)
        axes.set_aspect("equal")
        axes.margins(0.08)
        axes.set_xlim(points[:, 0].min() - 1.45 * radius, points[:, 0].max() + 1.45 * radius)
        axes.set_ylim(points[:, 1].min() - 1.3 * radius, points[:, 1].max() + 1.3 * radius)
        axes.set_xlabel("distance in levels")
        axes.set_ylabel("distance in levels")
        axes.grid(color=PALE, alpha=0.25, linewidth=0.6)
        axes.set_title(_title(result), loc="left", color=INK, fontsize=12)
        figure.supxlabel(fill(result.map_sentence(), _CAPTION_CHARACTERS), x=0.01, ha="left", color=INK, fontsize=9)
    return figure


def emotion_map_png(result: Discriminability) -> bytes:
    """Return the map as a PNG.

    Example:
        >>> Path("map.png").write_bytes(strut.perception.emotion_map_png(strut.distinguish("pepper")))
    """
    buffer = io.BytesIO()
    with mpl.rc_context(LOOK):
        emotion_map(result).savefig(buffer, format="png", dpi=_DPI, metadata={"Software": None})
    return buffer.getvalue()


def emotion_page(result: Discriminability) -> bytes:
    """Return an HTML page with the map, the result in sentences, and tables of distances and features.

    Example:
        >>> Path("map.html").write_bytes(strut.perception.emotion_page(strut.distinguish("pepper")))
    """
    svg = figure_svg(emotion_map(result)).decode("utf-8")
    paragraphs = "".join(f"<p>{escape(sentence)}</p>" for sentence in result.sentences())
    features = [[name, *(f"{values[name]:.3f}" for values in result.features)] for name in result.features[0]]
    page = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(result.robot)}: emotions</title>"
        f"<style>{_STYLE}</style>"
        f"<h1>Emotions of {escape(result.robot)}</h1>{paragraphs}{svg[svg.index('<svg') :]}"
        f"<h2>Distances</h2>{_html_table(['', '', 'levels', 'distinguished', 'largest difference'], result.rows())}"
        f"<h2>Features</h2>{_html_table(['', *result.emotions], features)}</html>"
    )
    return page.encode("utf-8")


def _label_directions(points: Array) -> Array:
    """Return the direction in which each label stands: away from the other points. Shape (n, 2) in and out."""
    difference = points[:, None] - points[None]
    distance = np.linalg.norm(difference, axis=2, keepdims=True)
    repulsion = (difference / np.maximum(distance, 1e-6) ** 3).sum(axis=1) + np.array([0.0, 1e-9])
    return np.asarray(repulsion / np.linalg.norm(repulsion, axis=1, keepdims=True))


def _draw_label(axes: Axes, text: str, point: Array, direction: Array) -> None:
    """Write a label beside a point, in a given direction."""
    horizontal = ("right", "center", "left")[1 + round(float(direction[0]))]
    vertical = ("top", "center", "bottom")[1 + round(float(direction[1]))]
    offset = (_LABEL_OFFSET_PT * float(direction[0]), _LABEL_OFFSET_PT * float(direction[1]))
    box = {"facecolor": "white", "alpha": 0.7, "lw": 0, "pad": 0.5}
    look: dict[str, Any] = {"textcoords": "offset points", "color": INK, "fontsize": 11, "zorder": 3, "bbox": box}
    axes.annotate(text, (float(point[0]), float(point[1])), offset, ha=horizontal, va=vertical, **look)


def _draw_lines(axes: Axes, result: Discriminability, points: Array) -> None:
    """Join pairs that people would confuse, and pairs that are too close on the map. Points have shape (n, 2)."""
    for first, second, distance in result.pairs:
        ends = points[[result.emotions.index(emotion) for emotion in (first, second)]]
        is_confused = distance < result.threshold
        is_close_on_map = np.linalg.norm(ends[1] - ends[0]) < result.threshold
        if is_confused or is_close_on_map:
            color = LIMIT if is_confused else PALE
            axes.plot(*ends.T, color=color, linewidth=2.0 if is_confused else 1.0, zorder=0)
            x, y = ends.mean(axis=0)
            box = {"facecolor": "white", "lw": 0, "pad": 1.5}
            axes.text(x, y, f"{distance:.1f}", ha="center", va="center", color=color, fontsize=9, bbox=box)


def _title(result: Discriminability) -> str:
    count = len(result.confused)
    barely = result.are_distinguished(result.pairs[0][2]) == "barely"
    if count:
        verdict = f"{count} pair{'s' if count > 1 else ''} confused"
    else:
        verdict = "all barely distinguished" if barely else "all distinguished"
    return f"{result.robot}, {result.expression}: {verdict} (people need {result.threshold:.1f} levels)"


def _html_table(head: list[str], rows: list[list[str]]) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>{cells}</table>"
