"""Gaps: where markers were not seen; short ones are filled, long ones stay and are told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from strut.recording import Recording, all_seen
from strut.robot import Array

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
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(first), int(stop) - 1) for first, stop in edges.reshape(-1, 2)]


def filled_gaps(recording: Recording, *, longest_s: float = LONGEST_FILLED_S) -> tuple[Recording, tuple[Gap, ...]]:
    """Return a recording whose short gaps are filled by splines, and all gaps.

    A gap is filled if it is shorter than `longest_s` and the marker was seen for some frames before and after.
    """
    markers, gaps = recording.markers_m.copy(), list[Gap]()
    for index, name in enumerate(recording.marker_names):
        unseen = ~all_seen(markers[:, index])
        if unseen.all():
            continue
        for first, last in runs_of(unseen):
            near = np.r_[max(first - NEIGHBOURS, 0) : first, last + 1 : min(last + 1 + NEIGHBOURS, len(unseen))]
            safe = len(near) == 2 * NEIGHBOURS and not unseen[near].any()
            fill = safe and (last - first + 1) / recording.rate_hz <= longest_s
            if fill:
                markers[first : last + 1, index] = _spline(near, recording.markers_m[near, index], first, last)
            gaps.append(Gap(name, first, last, fill))
    notes = recording.notes
    if count := sum(gap.filled for gap in gaps):
        frames = sum(gap.last - gap.first + 1 for gap in gaps if gap.filled)
        notes = (*notes, f"{count} gaps of at most {longest_s:g} s were filled ({frames} frames).")
    if left := sorted({gap.marker for gap in gaps if not gap.filled}):
        notes = (*notes, f"Gaps that are too long to fill stay in {', '.join(left)}.")
    return replace(recording, markers_m=markers, notes=notes), tuple(gaps)


def _spline(frames: Array, places: Array, first: int, last: int) -> Array:
    return np.asarray(CubicSpline(frames, places)(np.arange(first, last + 1)))
