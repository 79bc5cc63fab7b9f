"""Draw docs/images/architecture.svg from the plan of the house: python docs/make_architecture.py.

The core stands as one column, in its order; features stand beside it. A line is an exception: an import that the rules
of the plan forbid and the code still has.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

ROOT = Path(__file__).resolve().parent.parent
PLAN = tomllib.loads((ROOT / "docs" / "house.toml").read_text("utf-8"))
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
BOX_WIDTH, BOX_HEIGHT = 2.4, 0.5
CORE_X, FEATURE_X = 0.3, 6.2
CORE_COLOR, FEATURE_COLOR, NOUN_COLOR = "#eef3e6", "#e8eef7", "#f6f1e3"


def places() -> dict[str, tuple[float, float]]:
    """Return the lower left corner of every room's box."""
    core = {room: (CORE_X, -0.7 * row) for row, room in enumerate(PLAN["core"])}
    features = {room: (FEATURE_X, -0.7 * row) for row, room in enumerate(PLAN["features"])}
    return core | features


def draw_box(axes: Axes, corner: tuple[float, float], width: float, text: str, color: str) -> None:
    """Draw a box with a text in its middle."""
    axes.add_patch(
        FancyBboxPatch(corner, width, BOX_HEIGHT, boxstyle="round,pad=0.04", facecolor=color, edgecolor="#8a97a8")
    )
    axes.text(corner[0] + width / 2, corner[1] + BOX_HEIGHT / 2, text, ha="center", va="center", fontsize=9)


def draw() -> Figure:
    """Return the picture."""
    corners = places()
    lowest = min(y for _, y in corners.values()) - 0.3
    figure = Figure(figsize=(10.4, 0.85 * (2.2 - lowest)))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, 10.4), ylim=(lowest, 2.0))
    axes.axis("off")
    nouns = "nouns: emotion, style, robot, motion, receipt, request, draft, audit, place, recording"
    draw_box(axes, (CORE_X, 1.3), FEATURE_X + BOX_WIDTH - CORE_X, nouns, NOUN_COLOR)
    axes.text(CORE_X, 0.75, "core: each room imports those above it", fontsize=9)
    axes.text(FEATURE_X, 0.75, "features import the core", fontsize=9)
    for room, corner in corners.items():
        color = CORE_COLOR if room in PLAN["core"] else FEATURE_COLOR
        draw_box(axes, corner, BOX_WIDTH, room.replace(".", "/"), color)
    for importer, imported, _ in PLAN["exceptions"]:
        start_x, start_y = corners[importer]
        end_x, end_y = corners[imported]
        same_column = start_x == end_x
        start = (start_x + (BOX_WIDTH if start_x == CORE_X or same_column else 0.0), start_y + BOX_HEIGHT / 2)
        end = (end_x + (BOX_WIDTH if same_column else 0.0), end_y + BOX_HEIGHT / 2)
        style = "arc3,rad=0.5" if same_column and end_y > start_y else "arc3,rad=-0.5" if same_column else "arc3"
        axes.add_patch(
            FancyArrowPatch(
                start, end, connectionstyle=style, arrowstyle="-|>", mutation_scale=8, color="#c08a5a", lw=0.7
            )
        )
    return figure


def main() -> int:
    """Write the picture, the same bytes every time."""
    with rc_context({"svg.hashsalt": "strut", "svg.fonttype": "none"}):
        draw().savefig(PICTURE, metadata={"Date": None})
    return 0


if __name__ == "__main__":
    sys.exit(main())
