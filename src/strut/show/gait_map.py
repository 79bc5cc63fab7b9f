"""Gait map: where a robot has gaits over speed and height, how far its controller holds them, one panel per height."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.patches
import numpy as np
from matplotlib.figure import Figure

from strut.io.atomic import write_atomically
from strut.io.gait_store import GaitRecord, GaitStore
from strut.robot import Robot
from strut.show.plots import LOOK

HELD, FELL, UNTRIED, MISSING = "#2a7f62", "#c0392b", "#8fa3b8", "#e6e2da"
WALKERS = ("pendulum", "library")
_INCH = 2.5


def save_gait_map(robot: Robot, store: GaitStore, out: Path, *, force: bool = False) -> None:
    """Write the map of a store as a picture; the ending says of which kind."""
    text = io.BytesIO()
    gait_map(robot, store).savefig(text, format=out.suffix.removeprefix(".") or "png", dpi=130)
    write_atomically(out, text.getvalue(), force=force)


def gait_map(robot: Robot, store: GaitStore) -> Figure:
    """Return the map: a row for each walker that was tried, else one row of the gaits alone."""
    records = list(store.records())
    tried = [walker for walker in WALKERS if any(f"walked_by_{walker}" in record.figures for record in records)]
    heights = store.grid.height_m.values
    rows: list[str | None] = [*tried] if tried else [None]
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(_INCH * len(heights) + 0.8, _INCH * len(rows) + 1.2), layout="constrained")
        axes: Any = figure.subplots(len(rows), len(heights), sharex=True, sharey=True, squeeze=False)
        for places, walker in zip(axes, rows, strict=True):
            _row(places, store, records, walker)
        for place, height in zip(axes[0], heights, strict=True):
            place.set_title(f"{height:.3g} m", fontsize=9.0)
        for place in axes[-1]:
            place.set_xlabel("left [m/s]", fontsize=8.0)
        figure.suptitle(_title(robot, records, tried, math.prod(store.grid.shape)), fontsize=10.0, x=0.01, ha="left")
    return figure


def _row(places: Any, store: GaitStore, records: list[GaitRecord], walker: str | None) -> None:
    for number, place in enumerate(places):
        _panel(place, store, [record for record in records if record.index[2] == number], walker)
    places[0].set_ylabel(f"{walker or 'gaits'}\nforward [m/s]", fontsize=8.0)


def _title(robot: Robot, records: list[GaitRecord], tried: list[str], points: int) -> str:
    found = [record for record in records if record.status == "ok"]
    words = [f"{robot.name}: {len(found)} of {len(records)} gaits found"]
    if len(records) < points:
        words.append(f"{points - len(records)} points (white) not looked for yet")
    for walker in tried:
        held = sum(bool(record.figures.get(f"walked_by_{walker}", {}).get("held")) for record in found)
        words.append(f"{held} held by the {walker} walker")
    key = "Green held, red fell, blue not tried, pale none found; a dot is a speed off by more than 0.1 m/s"
    return f"{', '.join(words)}.  {key}"


def _panel(place: Any, store: GaitStore, records: list[GaitRecord], walker: str | None) -> None:
    forward, left = store.grid.forward_m_s.values, store.grid.left_m_s.values
    width, depth = _spacing(left), _spacing(forward)
    for record in records:
        x, y = left[record.index[1]], forward[record.index[0]]
        came = record.figures.get(f"walked_by_{walker}")
        place.add_patch(
            matplotlib.patches.Rectangle((x - width / 2, y - depth / 2), width, depth, color=_color(record, came))
        )
        if came and came["held"] and (came["speed_off_m_s"] is None or came["speed_off_m_s"] > 0.1):
            place.plot(x, y, ".", color="white", markersize=4.0)
    place.set(xlim=(left[0] - width, left[-1] + width), ylim=(forward[0] - depth, forward[-1] + depth))
    place.tick_params(labelsize=7)


def _spacing(values: tuple[float, ...]) -> float:
    return 0.92 * float(np.diff(values)[0]) if len(values) > 1 else 0.1


def _color(record: GaitRecord, came: dict[str, Any] | None) -> str:
    if record.status != "ok":
        return MISSING
    if came is None:
        return UNTRIED
    return HELD if came["held"] else FELL
