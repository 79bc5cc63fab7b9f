"""Gait map: feasible gaits over speed and height, and which of them the controller walks; one panel per height."""

from __future__ import annotations

import io
import math
from itertools import product, starmap
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.lines
import matplotlib.patches
import numpy as np
from matplotlib.figure import Figure

from strut.errors import FileError
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore
from strut.plumbing.atomic_files import write_atomically
from strut.robot import Robot
from strut.viewer.plots import LOOK

COLORS = {
    "held": "#2a7f62",
    "fell": "#c0392b",
    "found, not tried": "#8fa3b8",
    "none found": "#e6e2da",
}
WALKERS = ("pendulum", "library")
OFF_M_S = 0.1  # a larger error of the mean speed is marked by a dot
_INCH = 2.3
_COLUMNS = 6


def save_gait_map(robot: Robot, store: GaitStore, out: Path, *, force: bool = False) -> None:
    """Write the map of a store as a picture, in the format of the file's ending: .png or .svg."""
    kind = out.suffix.removeprefix(".")
    if kind not in ("png", "svg"):
        raise FileError(str(out), "has no ending of a picture format; choose .png or .svg")
    text = io.BytesIO()
    gait_map(robot, store).savefig(text, format=kind, dpi=130)
    write_atomically(out, text.getvalue(), force=force)


def gait_map(robot: Robot, store: GaitStore) -> Figure:
    """Return the map: panels of all heights for each evaluated walker; without any, of the gaits alone."""
    records = list(store.records())
    evaluated = [walker for walker in WALKERS if any(f"walked_by_{walker}" in record.figures for record in records)]
    heights = store.grid.height_m.values
    walkers = evaluated or ["gaits"]
    lines = math.ceil(len(heights) / _COLUMNS)
    columns = math.ceil(len(heights) / lines)
    with mpl.rc_context(LOOK):
        size_in = (_INCH * columns + 0.8, _INCH * lines * len(walkers) + 1.2)
        figure = Figure(figsize=size_in, layout="constrained")
        axes: Any = figure.subplots(lines * len(walkers), columns, sharex=True, sharey=True, squeeze=False)
        for walker, places in zip(walkers, np.split(axes, len(walkers)), strict=True):
            _panels(places.ravel(), store, records, walker)
            places[0, 0].set_title(walker, loc="left", fontsize=9.0, fontweight="bold")
        figure.supxlabel("left [m/s]", fontsize=9.0)
        figure.supylabel("forward [m/s]", fontsize=9.0)
        title = _title(robot, records, evaluated, math.prod(store.grid.shape))
        figure.suptitle(title, fontsize=10.0, x=0.01, ha="left")
        _add_legend(figure, records, walkers)
    return figure


def _panels(places: Any, store: GaitStore, records: list[GaitRecord], walker: str) -> None:
    """Draw one panel for each height; remaining axes stay empty."""
    heights = store.grid.height_m.values
    for number, (place, height) in enumerate(zip(places, heights, strict=False)):
        _panel(place, store, [record for record in records if record.index[2] == number], walker)
        place.set_title(f"{height:.3g} m", fontsize=9.0)
    for place in places[len(heights) :]:
        place.set_axis_off()


def _title(robot: Robot, records: list[GaitRecord], evaluated: list[str], points: int) -> str:
    feasible = [record for record in records if record.status == "ok"]
    parts = [f"{robot.name}: {len(feasible)} of {len(records)} gaits found"]
    if len(records) < points:
        parts.append(f"{points - len(records)} points (white) not computed yet")
    for walker in evaluated:
        outcomes = [_outcome(record, walker) for record in feasible]
        held = outcomes.count("held")
        fell = outcomes.count("fell")
        parts.append(f"{held} of {held + fell} that were tried held by the {walker} walker")
    return ", ".join(parts)


def _add_legend(figure: Figure, records: list[GaitRecord], walkers: list[str]) -> None:
    """Add a legend of the colours in the map, and of the dot if there is one."""
    cells = list(product(records, walkers))
    outcomes = set(starmap(_outcome, cells))
    colors = {name: color for name, color in COLORS.items() if name in outcomes}
    handles: list[Any] = [matplotlib.patches.Patch(color=color, label=name) for name, color in colors.items()]
    if any(starmap(_is_off, cells)):
        label = f"speed off by more than {OFF_M_S:g} m/s"
        dot: dict[str, Any] = {"color": "white", "markeredgecolor": COLORS["held"], "linestyle": ""}
        handles.append(matplotlib.lines.Line2D([], [], marker="o", markersize=4.0, label=label, **dot))
    figure.legend(handles=handles, loc="outside lower left", ncols=5, frameon=False, fontsize=9.0)


def _panel(place: Any, store: GaitStore, records: list[GaitRecord], walker: str) -> None:
    forward = store.grid.forward_m_s.values
    left = store.grid.left_m_s.values
    width = _spacing(left)
    depth = _spacing(forward)
    for record in records:
        x = left[record.index[1]]
        y = forward[record.index[0]]
        color = COLORS[_outcome(record, walker)]
        place.add_patch(matplotlib.patches.Rectangle((x - width / 2, y - depth / 2), width, depth, color=color))
        if _is_off(record, walker):
            place.plot(x, y, ".", color="white", markersize=4.0)
    place.set(xlim=(left[0] - width, left[-1] + width), ylim=(forward[0] - depth, forward[-1] + depth))
    place.tick_params(labelsize=7, labelbottom=True)


def _spacing(values: tuple[float, ...]) -> float:
    return 0.92 * float(np.diff(values)[0]) if len(values) > 1 else 0.1


def _outcome(record: GaitRecord, walker: str) -> str:
    """Return the outcome of a point, as in the legend."""
    if record.status != "ok":
        return "none found"
    evaluation = record.figures.get(f"walked_by_{walker}", {"held": None})
    return {None: "found, not tried", True: "held", False: "fell"}[evaluation["held"]]


def _is_off(record: GaitRecord, walker: str) -> bool:
    """Return whether the robot walked at another speed, or too briefly to measure its speed."""
    evaluation = record.figures.get(f"walked_by_{walker}", {"held": False})
    error_m_s = evaluation.get("speed_off_m_s")
    return bool(evaluation["held"]) and (error_m_s is None or error_m_s > OFF_M_S)
