"""Feeling map: how far the feelings of a robot are apart, as a picture."""

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
from strut.perception.distinguish import Distinguished
from strut.viewer.plots import INK, LIMIT, LOOK, PALE, figure_svg

POINT = "#3568b8"
_DPI = 150
_OFFSET_PT = 11
_LINE = 105
_STYLE = (
    "body{font:16px sans-serif;max-width:50rem;margin:2rem auto;color:#1a1c20}"
    "td,th{padding:.2rem .8rem;text-align:left} svg{width:100%;height:auto}"
)


def feeling_map(found: Distinguished) -> Figure:
    """Return a map of feelings: a red line joins two that would be confused.

    Circles are as wide as people need. Where two overlap although their feelings are told apart, because a plane cannot
    keep all distances, a pale line with the measured distance says so.
    """
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(7.2, 6.4), layout="constrained")
        axes = figure.add_subplot()
        places = found.places
        radius = found.threshold / 2.0
        for place, away, name, kept in zip(places, _away(places), found.names, found.kept, strict=True):
            axes.add_patch(Circle(place, radius, facecolor=POINT, alpha=0.10, edgecolor=POINT, linewidth=1.0))
            axes.plot(*place, "o", color=POINT, markersize=6)
            words = name if kept is None or kept > 0.995 else f"{name}\n(intensity {kept:.2f})"
            _write(axes, words, place, away)
        _lines(axes, found, places)
        axes.set_aspect("equal")
        axes.margins(0.08)
        axes.set_xlim(places[:, 0].min() - 1.45 * radius, places[:, 0].max() + 1.45 * radius)
        axes.set_ylim(places[:, 1].min() - 1.3 * radius, places[:, 1].max() + 1.3 * radius)
        axes.set_xlabel("levels of difference")
        axes.set_ylabel("levels of difference")
        axes.grid(color=PALE, alpha=0.25, linewidth=0.6)
        axes.set_title(_title(found), loc="left", color=INK, fontsize=12)
        figure.supxlabel(fill(found.map_sentence(), _LINE), x=0.01, ha="left", color=INK, fontsize=9)
    return figure


def emotion_map_png(found: Distinguished) -> bytes:
    """Return the map as a PNG.

    Example:
        >>> Path("map.png").write_bytes(strut.feeling_map_png(strut.distinguish("pepper")))
    """
    buffer = io.BytesIO()
    with mpl.rc_context(LOOK):
        feeling_map(found).savefig(buffer, format="png", dpi=_DPI, metadata={"Software": None})
    return buffer.getvalue()


def emotion_page(found: Distinguished) -> bytes:
    """Return a page: the map, what it means, and all distances and features as tables.

    Example:
        >>> Path("map.html").write_bytes(strut.feeling_page(strut.distinguish("pepper")))
    """
    svg = figure_svg(feeling_map(found)).decode("utf-8")
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in found.sentences())
    rows = [
        [one, other, f"{far:.1f}", found.told(far), found.most_told_by(one, other)] for one, other, far in found.pairs
    ]
    features = [[name, *(f"{one[name]:.3f}" for one in found.features)] for name in found.features[0]]
    page = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(found.robot)}: feelings</title>"
        f"<style>{_STYLE}</style>"
        f"<h1>Feelings of {escape(found.robot)}</h1>{said}{svg[svg.index('<svg') :]}"
        f"<h2>Distances</h2>{_table(['', '', 'levels apart', 'told apart', 'most by'], rows)}"
        f"<h2>Features</h2>{_table(['', *found.names], features)}</html>"
    )
    return page.encode("utf-8")


def _away(places: Array) -> Array:
    """Return where each place's words go: away from the others, above all from near ones. Shape (n, 2) in and out."""
    apart = places[:, None] - places[None]
    far = np.linalg.norm(apart, axis=2, keepdims=True)
    push = (apart / np.maximum(far, 1e-6) ** 3).sum(axis=1) + np.array([0.0, 1e-9])
    return np.asarray(push / np.linalg.norm(push, axis=1, keepdims=True))


def _write(axes: Axes, words: str, place: Array, away: Array) -> None:
    """Write words beside a place, on the side that is given."""
    sides = [("right", "center", "left"), ("top", "center", "bottom")]
    across, along = (names[1 + round(float(part))] for names, part in zip(sides, away, strict=True))
    offset = (_OFFSET_PT * float(away[0]), _OFFSET_PT * float(away[1]))
    box = {"facecolor": "white", "alpha": 0.7, "lw": 0, "pad": 0.5}
    look: dict[str, Any] = {"textcoords": "offset points", "color": INK, "fontsize": 11, "zorder": 3, "bbox": box}
    axes.annotate(words, (float(place[0]), float(place[1])), offset, ha=across, va=along, **look)


def _lines(axes: Axes, found: Distinguished, places: Array) -> None:
    """Join feelings that would be confused, and those that the map draws too near. Places (n, 2)."""
    for one, other, far in found.pairs:
        ends = places[[found.names.index(name) for name in (one, other)]]
        confused = far < found.threshold
        near = np.linalg.norm(ends[1] - ends[0]) < found.threshold
        if confused or near:
            color, wide = (LIMIT, 2.0) if confused else (PALE, 1.0)
            axes.plot(*ends.T, color=color, linewidth=wide, zorder=0)
            x, y = ends.mean(axis=0)
            box = {"facecolor": "white", "lw": 0, "pad": 1.5}
            axes.text(x, y, f"{far:.1f}", ha="center", va="center", color=color, fontsize=9, bbox=box)


def _title(found: Distinguished) -> str:
    count = len(found.confused)
    said = f"all {found.told_apart}" if not count else f"{count} pair{'s' if count > 1 else ''} confused"
    return f"{found.robot}, {found.expression}: {said} (people need {found.threshold:.1f} levels)"


def _table(head: list[str], rows: list[list[str]]) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>{cells}</table>"
