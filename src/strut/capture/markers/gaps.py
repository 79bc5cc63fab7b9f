"""Gaps: where markers were not seen; short ones are filled, long ones stay and are told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from strut.arrays import Array
from strut.maths.sampling import runs
from strut.recording import Recording, all_seen

LONGEST_FILLED_S = 0.1  # a tenth of a gait cycle
NEIGHBOURS = 3  # samples on either side that a filling needs


@dataclass(frozen=True, slots=True)
class Gap:
    """Frames first to last (inclusive) in which a marker was not seen, and whether they were filled."""

    marker: str
    first: int
    last: int
    filled: bool


def runs_of(mask: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last index of each run of True. Shape (T,)."""
    return [(rows.start, rows.stop - 1) for rows in runs(mask)]


def filled_gaps(recording: Recording) -> tuple[Recording, tuple[Gap, ...]]:
    """Return a recording whose short gaps are filled by splines, and all gaps.

    A gap is filled if it is shorter than `LONGEST_FILLED_S` and the marker was seen for some frames before and after.
    """
    gaps = [gap for name in recording.marker_names for gap in _gaps_of(recording, name)]
    markers = recording.markers_m.copy()
    filled = [gap for gap in gaps if gap.filled]
    for gap in filled:
        index = recording.marker_names.index(gap.marker)
        markers[gap.first : gap.last + 1, index] = _spline(recording.markers_m[:, index], gap)
    return replace(recording, markers_m=markers, notes=(*recording.notes, *_told(gaps))), tuple(gaps)


def _gaps_of(recording: Recording, name: str) -> list[Gap]:
    """Return the gaps of a marker; none if it is never seen."""
    unseen = ~all_seen(recording.marker(name))
    spans = [] if unseen.all() else runs_of(unseen)
    short = LONGEST_FILLED_S * recording.rate_hz
    return [Gap(name, a, b, b - a + 1 <= short and not unseen[_around(a, b, len(unseen))].any()) for a, b in spans]


def _around(first: int, last: int, frames: int) -> npt.NDArray[np.intp]:
    """Return the frames before and after a gap that a filling needs; beside the recording, the gap's own."""
    near = np.r_[first - NEIGHBOURS : first, last + 1 : last + 1 + NEIGHBOURS]
    return np.where((near >= 0) & (near < frames), near, first)


def _told(gaps: list[Gap]) -> list[str]:
    """Return sentences about gaps."""
    filled = [gap for gap in gaps if gap.filled]
    left = sorted({gap.marker for gap in gaps if not gap.filled})
    frames = sum(gap.last - gap.first + 1 for gap in filled)
    said = [f"Gaps of at most {LONGEST_FILLED_S:g} s that were filled: {len(filled)} ({frames} frames)."] * bool(filled)
    return said + [f"Gaps that are too long to fill stay in {', '.join(left)}."] * bool(left)


def _spline(path: Array, gap: Gap) -> Array:
    near = _around(gap.first, gap.last, len(path))
    return np.asarray(CubicSpline(near, path[near])(np.arange(gap.first, gap.last + 1)))
