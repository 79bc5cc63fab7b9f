"""Clips page: a sortable table of all clips, and pictures of the worst moments of those that break most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strut.diagnosis.clip_result import UNREADABLE, ClipResult
from strut.errors import StrutError
from strut.formats.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.plumbing.number_text import format_count, format_percent, format_share_of_time
from strut.verify.limit_table import LimitRow
from strut.viewer.footage import SideBySide
from strut.viewer.page import Picture, page
from strut.viewer.picture import as_png, panels_of

MAX_PICTURED = 6  # clips with pictures; each picture takes up to a second
MOMENTS_OF_ONE = 6  # pictures of a page about one clip
MOMENTS = 2  # of a clip among others
MANY = 100  # from here on, numbers are printed without decimals
PICTURE_PX = 360


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the table: what is printed, by what it is sorted, and whether a limit is broken."""

    text: str
    order: float
    is_broken: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A clip with its sentences and the pictures of its worst moments."""

    result: ClipResult
    pictures: Sequence[Picture]


def clips_page(results: Sequence[ClipResult], options: Mapping[str, Any]) -> bytes:
    """Return the page about checked clips; `options` are those of their readers."""
    quantities = list(dict.fromkeys(row.quantity for result in results for row in result.rows))
    worst = sorted((one for one in results if one.breaks), key=badness, reverse=True)[:MAX_PICTURED]
    moments = MOMENTS_OF_ONE if len(results) == 1 else MOMENTS
    others = [one for one in results if one not in worst] if len(results) <= MAX_PICTURED else []
    cards = [Card(one, list(_pictures(one, options, moments))) for one in worst]
    return page(
        "clips.html",
        title=Path(results[0].file).name if len(results) == 1 else format_count(len(results), "[clip|clips]"),
        introduction=verdict_counts(results),
        quantities=[f"{name} [{unit}]" if unit else name for name, unit in _units(results, quantities)],
        rows=[(one, [_length(one), *_cells(one, quantities)]) for one in results],
        cards=[*cards, *(Card(one, ()) for one in others)],
    )


def badness(result: ClipResult) -> tuple[int, float]:
    """Return by what clips are ordered: how many limits they break, and for how much of the time."""
    return len(result.breaks), sum(row.broken_share for row in result.breaks)


def verdict_counts(results: Sequence[ClipResult]) -> str:
    """Return how many clips have each verdict, as a sentence."""
    verdicts = sorted({one.verdict for one in results})
    counts = {verdict: sum(one.verdict == verdict for one in results) for verdict in verdicts}
    return f"{', '.join(f'{count} {verdict}' for verdict, count in counts.items())}."


def describe_row(row: LimitRow) -> str:
    """Return a worst value as a sentence: `slip: left_foot, 44 mm at 1.32 s; beyond the limit 31 % of the time`."""
    share = f"; beyond the limit {format_share_of_time(row.broken_share)}" if row.max is not None else ""
    return f"{row.quantity}: {row.subject}, {value_text(row)} at {row.at_s:.2f} s{share}"


def value_text(row: LimitRow) -> str:
    """Return a worst value with its unit; shares of a limit in per cent."""
    if row.quantity == "flight":
        return "in the air" if row.worst else "none"
    if row.quantity in ("speed", "torque"):
        return format_percent(row.worst)
    number = f"{row.worst:.0f}" if abs(row.worst) >= MANY else f"{row.worst:.3g}"
    return f"{number} {row.unit}".strip()


def _units(results: Sequence[ClipResult], quantities: Sequence[str]) -> Iterator[tuple[str, str]]:
    unit = {row.quantity: row.unit for result in results for row in result.rows}
    return ((name, unit[name]) for name in quantities)


def _length(result: ClipResult) -> Cell:
    return Cell(f"{result.duration_s:.1f} s", result.duration_s, is_broken=False)


def _cells(result: ClipResult, quantities: Sequence[str]) -> list[Cell]:
    row_of = {row.quantity: row for row in result.rows}
    cells = []
    for name in quantities:
        row = row_of.get(name)
        if row is None:
            cells.append(Cell("", -1e300, is_broken=False))
            continue
        share = f" ({format_percent(row.broken_share)})" if row.broken_share else ""
        value = value_text(row).removesuffix(row.unit).strip()
        cells.append(Cell(f"{value}{share}", row.worst, is_broken=row.broken_share > 0.0))
    return cells


def _pictures(result: ClipResult, options: Mapping[str, Any], moments: int) -> Iterator[Picture]:
    """Yield pictures of the worst moments; none if the file is gone since it was checked."""
    if result.verdict == UNREADABLE:
        return
    with suppress(StrutError):
        motion = load_motion(result.file, **options)
        shown = SideBySide([motion], [robot_of(motion, None)])
        for row in result.breaks[:moments]:
            (panel,) = panels_of(shown, at_s=min(row.at_s, motion.duration_s), panel_px=PICTURE_PX, titles=False)
            yield Picture(as_png(panel), f"{Path(result.file).name} at {row.at_s:.2f} s", f"{describe_row(row)}.")
