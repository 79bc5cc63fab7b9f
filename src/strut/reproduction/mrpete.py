"""Mr. Pete: every published number that strut can compute again, in the order of the thesis."""

from __future__ import annotations

from collections.abc import Callable

from strut.reproduction.comparison import Comparison
from strut.reproduction.mrpete_errata import errata_rows
from strut.reproduction.mrpete_gait import gait_rows
from strut.reproduction.mrpete_poses import gap_rows, geometry_rows, golden_rows, pose_rows
from strut.reproduction.mrpete_strength import intensity_rows, knee_rows, pressure_rows
from strut.robot import Robot
from strut.robots.catalogue import load_robot

_PARTS: dict[str, Callable[[Robot], list[Comparison]]] = {
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


def reproduce_mrpete(on_progress: Callable[[str, int, int], None] | None = None) -> tuple[Comparison, ...]:
    """Return Mr. Pete's published numbers beside ours; the answers of the thesis's subjects are not among them.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    robot = load_robot("mrpete")
    rows: list[Comparison] = []
    for done, (part, compute) in enumerate(_PARTS.items()):
        if on_progress:
            on_progress(part, done, len(_PARTS))
        rows += compute(robot)
    return tuple(rows)
