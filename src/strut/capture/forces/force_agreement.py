"""Force agreement: computed ground forces beside plates as the file has them, and with the markers' clock and place."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from strut.capture.forces.ground_forces import GroundForces
from strut.capture.forces.plate_comparison import Agreement, PlateForces, compare_loads, compare_total, cop_distance_m
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.plumbing.number_text import format_percent

TITLES = {"total": "total", "baseline": "plain estimate", "right": "right foot", "left": "left foot"}


@dataclass(frozen=True, slots=True, eq=False)
class ForceAgreement:
    """How far forces are from plates.

    Args:
        rows: Of the total, of each foot, and of the plain centre-of-mass estimate (`baseline`), by axis.
        cop_distance_mm: Median distance of the centre of pressure in single support; None if nobody stood alone.
    """

    rows: tuple[Agreement, ...]
    cop_distance_mm: float | None

    @property
    def words(self) -> str:
        """The vertical forces and the centre of pressure in one line."""
        up = [f"{TITLES[one.what]} {format_percent(one.rms_weight, 1)}" for one in self.rows if one.axis == "up"]
        return ", ".join([*up, *self._cop_words])

    @property
    def _cop_words(self) -> tuple[str, ...]:
        return () if self.cop_distance_mm is None else (f"centre of pressure {self.cop_distance_mm:.0f} mm",)

    @property
    def told(self) -> tuple[list[dict[str, Any]] | None, float | None]:
        """What programs read: the rows, and the distance of the centre of pressure."""
        return [asdict(one) for one in self.rows] or None, self.cop_distance_mm


def beside_plates(forces: GroundForces, mass_kg: float) -> ForceAgreement | None:
    """Return how far forces are from plates; None without plates, or if they were followed."""
    return None if forces.plates is None or forces.tracked else _agreement(forces, forces.plates, mass_kg)


def beside_aligned_plates(forces: GroundForces, mass_kg: float) -> ForceAgreement | None:
    """Return the same with clock and place of plates set right; None if nothing is wrong with them."""
    alignment = forces.alignment
    if forces.plates is None or alignment is None or not alignment.notes:
        return None
    return _agreement(forces, alignment.undone(forces.plates), mass_kg)


def _agreement(forces: GroundForces, plates: PlateForces, mass_kg: float) -> ForceAgreement:
    weight_n = mass_kg * GRAVITY_M_S2
    bands = (forces.bands.total_n, forces.bands.foot_n)
    ours = compare_loads(forces.loads, forces.wrench[:, :3], plates, weight_n, bands)
    away_m = cop_distance_m(forces.loads.cop_m, plates, forces.loads.stands, weight_n)
    rows = (*ours, *compare_total("baseline", forces.baseline_n, plates, weight_n))
    return ForceAgreement(rows, 1e3 * float(np.median(away_m)) if len(away_m) else None)
