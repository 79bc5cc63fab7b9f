"""Force agreement: computed ground forces compared with plates, as in the file and with clock and place corrected."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.mocap.forces.ground_forces import GroundForces
from strut.mocap.forces.plate_comparison import (
    Agreement,
    PlateForces,
    compare_loads,
    compare_total,
    cop_distance_m,
)
from strut.plumbing.number_text import format_percent

TITLES = {"total": "total", "baseline": "centre-of-mass estimate", "right": "right foot", "left": "left foot"}


@dataclass(frozen=True, slots=True, eq=False)
class ForceAgreement:
    """Differences between computed and measured forces.

    Args:
        rows: Of the total, of each foot, and of the centre-of-mass estimate (`baseline`), by axis.
        cop_distance_mm: Median distance of the centres of pressure in single support; None without single support.
    """

    rows: tuple[Agreement, ...]
    cop_distance_mm: float | None

    @property
    def summary(self) -> str:
        """The vertical forces and the centre of pressure in one line."""
        parts = [f"{TITLES[row.what]} {format_percent(row.rms_weight, 1)}" for row in self.rows if row.axis == "up"]
        if self.cop_distance_mm is not None:
            parts.append(f"centre of pressure {self.cop_distance_mm:.0f} mm")
        return ", ".join(parts)

    def rows_as_dicts(self) -> list[dict[str, Any]] | None:
        """Return the rows for JSON; None if there are none."""
        return [asdict(row) for row in self.rows] or None


def compare_with_plates(forces: GroundForces, mass_kg: float) -> ForceAgreement | None:
    """Return the differences from plates; None without plates, or if they were followed."""
    return None if forces.plates is None or forces.tracked else _compare(forces, forces.plates, mass_kg)


def compare_with_aligned_plates(forces: GroundForces, mass_kg: float) -> ForceAgreement | None:
    """Return the differences from plates with corrected clock and place; None if they need no correction."""
    alignment = forces.alignment
    if forces.plates is None or alignment is None or not alignment.notes:
        return None
    return _compare(forces, alignment.correct(forces.plates), mass_kg)


def _compare(forces: GroundForces, plates: PlateForces, mass_kg: float) -> ForceAgreement:
    """Return the differences from plates in the reported samples."""
    plates = plates.at_samples(forces.reported)
    weight_n = mass_kg * GRAVITY_M_S2
    bands = (forces.bands.total_n, forces.bands.foot_n)
    rows = (
        *compare_loads(forces.loads, forces.wrench[:, :3], plates, weight_n, bands),
        *compare_total("baseline", forces.baseline_n, plates, weight_n),
    )
    distance_m = cop_distance_m(forces.loads.cop_m, plates, forces.loads.in_contact, weight_n)
    return ForceAgreement(rows, 1e3 * float(np.median(distance_m)) if len(distance_m) else None)
