"""Mr. Pete: every published number that strut can compute again, in the order of the thesis."""

from __future__ import annotations

from strut.reproduction.comparison import Comparison
from strut.reproduction.mrpete_errata import errata_rows
from strut.reproduction.mrpete_gait import gait_rows
from strut.reproduction.mrpete_poses import gap_rows, geometry_rows, golden_rows, pose_rows
from strut.reproduction.mrpete_strength import intensity_rows, knee_rows, pressure_rows
from strut.reproduction.parts import Parts, Progress, rows_of

_PARTS: Parts = {
    "geometry": geometry_rows,
    "golden legs": golden_rows,
    "poses": pose_rows,
    "leg gaps": gap_rows,
    "gait": gait_rows,
    "errata": errata_rows,
    "swing leg alone": pressure_rows,
    "knee torque": knee_rows,
    "intensities": intensity_rows,
}


def reproduce_mrpete(on_progress: Progress | None = None) -> tuple[Comparison, ...]:
    """Return Mr. Pete's published numbers beside ours; the answers of the thesis's subjects are not among them.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    return rows_of("mrpete", _PARTS, on_progress)
