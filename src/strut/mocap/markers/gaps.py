"""Gaps: frames in which a marker was not seen. Short gaps are filled by splines, long ones stay."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from strut.maths.sampling import runs
from strut.recording import Recording, are_seen

MAX_FILLED_GAP_S = 0.1  # a tenth of a gait cycle; no benchmark
NEIGHBOURS = 3  # frames on each side of a gap that its spline passes through


@dataclass(frozen=True, slots=True)
class Gap:
    """Frames first to last (inclusive) in which a marker was not seen, and whether they were filled."""

    marker: str
    first: int
    last: int
    filled: bool


def find_runs(mask: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last index of each run of True. Shape (T,)."""
    return [(rows.start, rows.stop - 1) for rows in runs(mask)]


def fill_gaps(recording: Recording) -> tuple[Recording, tuple[Gap, ...]]:
    """Return a recording with its short gaps filled by splines, and all gaps.

    A gap is filled if it lasts at most `MAX_FILLED_GAP_S` and the marker was seen for some frames before and after it.
    """
    gaps = [gap for name in recording.marker_names for gap in _find_gaps(recording, name)]
    markers = recording.markers_m.copy()
    for gap in gaps:
        if gap.filled:
            index = recording.marker_names.index(gap.marker)
            path = recording.markers_m[:, index]
            neighbours = _neighbours(gap.first, gap.last, len(path))
            spline = CubicSpline(neighbours, path[neighbours])
            markers[gap.first : gap.last + 1, index] = spline(np.arange(gap.first, gap.last + 1))
    return replace(recording, markers_m=markers, notes=(*recording.notes, *_gap_notes(gaps))), tuple(gaps)


def _find_gaps(recording: Recording, name: str) -> list[Gap]:
    """Return the gaps of a marker; none if the marker is never seen."""
    unseen = ~are_seen(recording.marker(name))
    if unseen.all():
        return []
    max_frames = MAX_FILLED_GAP_S * recording.rate_hz
    gaps = []
    for first, last in find_runs(unseen):
        has_neighbours = not unseen[_neighbours(first, last, len(unseen))].any()
        gaps.append(Gap(name, first, last, last - first + 1 <= max_frames and has_neighbours))
    return gaps


def _neighbours(first: int, last: int, frames: int) -> npt.NDArray[np.intp]:
    """Return the frames around a gap that its spline needs; frames outside the recording become the gap's first."""
    near = np.r_[first - NEIGHBOURS : first, last + 1 : last + 1 + NEIGHBOURS]
    return np.where((near >= 0) & (near < frames), near, first)


def _gap_notes(gaps: list[Gap]) -> list[str]:
    filled = [gap for gap in gaps if gap.filled]
    remaining = sorted({gap.marker for gap in gaps if not gap.filled})
    notes = []
    if filled:
        frames = sum(gap.last - gap.first + 1 for gap in filled)
        notes.append(f"Gaps of at most {MAX_FILLED_GAP_S:g} s that were filled: {len(filled)} ({frames} frames).")
    if remaining:
        notes.append(f"Gaps that are too long to fill remain in {', '.join(remaining)}.")
    return notes
