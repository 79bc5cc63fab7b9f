"""Plate comparison: differences of computed forces from those that plates measured under each foot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import repeat

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.maths.sampling import low_pass
from strut.mocap.forces.load_sharing import FootLoads, cop_of_wrenches
from strut.plumbing.number_text import format_percent
from strut.recording import SIDES

MIN_LOAD = 0.05  # of body weight, below which a centre of pressure is uncertain
MIN_FRAMES = 20  # of a comparison
WEIGHT_TOLERANCE = 0.05  # plates differ by 2 % from masses that were weighed
AXES = ("forwards", "left", "up")


@dataclass(frozen=True, slots=True, eq=False)
class PlateForces:
    """Measured forces on each foot.

    Args:
        wrench: Force, and moment about the origin; 0 in swing, NaN where unknown. Shape (T, 2, 6).
        rate_hz: Of the frames.
        bandwidth_hz: Frequency at which the laboratory had filtered the plates; None if it had not.
        together: Wrench on both feet where both stand on plates, even on the same one; NaN elsewhere. Shape (T, 6).
            None if it is known only where that of each foot is.
        doubts: Sentences about loads that are not used.
    """

    wrench: Array
    rate_hz: float
    bandwidth_hz: float | None = None
    together: Array | None = None
    doubts: tuple[str, ...] = ()

    @property
    def total(self) -> Array:
        """Wrench on both feet; NaN where it is unknown. Shape (T, 6)."""
        total = np.asarray(self.wrench.sum(axis=1))
        return total if self.together is None else np.where(np.isfinite(total), total, self.together)

    def at_samples(self, known: npt.NDArray[np.bool_]) -> PlateForces:
        """Return the plates with nothing known at all other samples. Shape (T,)."""
        together = self.together
        return replace(
            self,
            wrench=np.where(known[:, None, None], self.wrench, np.nan),
            together=None if together is None else np.where(known[:, None], together, np.nan),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user."""
        if self.bandwidth_hz is None:
            return self.doubts
        return (
            *self.doubts,
            f"The file's plate forces are filtered at about {self.bandwidth_hz:.0f} Hz; computed forces are filtered "
            "alike for the comparison.",
        )

    def as_filtered(self, values: Array) -> Array:
        """Return computed forces with the bandwidth of the measured ones. Shape (T, ...)."""
        if self.bandwidth_hz is None or self.bandwidth_hz > 0.45 * self.rate_hz:
            return values
        padding = min(len(values) - 1, round(0.5 * self.rate_hz))
        return low_pass(values, self.bandwidth_hz, self.rate_hz, padding=padding)

    @property
    def has_stance(self) -> bool:
        """Whether a foot, or both together, stood on plates for long enough to compare."""
        is_loaded = (np.abs(np.nan_to_num(self.wrench[..., 2])) > 0.0).any(axis=1)
        is_shared = np.zeros_like(is_loaded) if self.together is None else np.isfinite(self.together[:, 2])
        return bool((is_loaded | is_shared).sum() >= MIN_FRAMES)


def measured_force_share(plates: PlateForces, total_n: Array) -> float | None:
    """Return the vertical force that plates measured over the force that the movement of the given mass requires.

    Args:
        plates: Measured.
        total_n: Computed force of the ground. Shape (T, 3).

    Returns:
        Mean over mean of the frames in which plates know the force on both feet; None if those are too few.
    """
    known = np.isfinite(plates.total[:, 2])
    if known.sum() < MIN_FRAMES:
        return None
    return float(plates.total[known, 2].sum() / max(total_n[known, 2].sum(), 1.0))


def weight_mismatch_notes(share: float | None) -> tuple[str, ...]:
    """Return a note if plates measured another weight than that of the given mass, see `measured_force_share`."""
    if share is None or abs(share - 1.0) < WEIGHT_TOLERANCE:
        return ()
    return (
        f"Plates measured {format_percent(share)} of the force that the movement requires: is the mass {share:.2f} "
        "times as large, or did something other than the feet carry weight?",
    )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Difference of a computed force from a measured one.

    Args:
        what: Total, right or left foot.
        axis: Forwards, left or up.
        rms_weight: Root mean square of the difference over body weight.
        rms_range: The same over the measured range.
        correlation: Of the two; None if one does not change.
        covered: Share of the samples inside the 90 % band; None without a band.
        frames: Number of compared frames.
    """

    what: str
    axis: str
    rms_weight: float
    rms_range: float
    correlation: float | None
    covered: float | None
    frames: int


def agreement(
    what: str, axis: str, computed: Array, measured: Array, weight_n: float, band: Array | None = None
) -> Agreement | None:
    """Return the difference of two forces; None if too few samples were measured. Shapes (T,)."""
    known = np.isfinite(measured) & np.isfinite(computed)
    if known.sum() < MIN_FRAMES:
        return None
    computed = computed[known]
    measured = measured[known]
    rms = float(np.sqrt(np.mean((computed - measured) ** 2)))
    both_change = min(np.ptp(computed), np.ptp(measured)) > 0.0
    return Agreement(
        what=what,
        axis=axis,
        rms_weight=rms / weight_n,
        rms_range=rms / max(float(np.ptp(measured)), 1e-9),
        correlation=float(np.corrcoef(computed, measured)[0, 1]) if both_change else None,
        covered=None if band is None else float(np.mean(np.abs(computed - measured) <= band[known])),
        frames=int(known.sum()),
    )


def compare_loads(
    loads: FootLoads, total_n: Array, plates: PlateForces, weight_n: float, bands: tuple[Array, Array]
) -> list[Agreement]:
    """Return agreements of the total and of each foot in stance, by axis.

    Args:
        loads: Computed.
        total_n: Computed force of the ground. Shape (T, 3).
        plates: Measured.
        weight_n: Body weight.
        bands: Half widths of the bands of total (T, 3) and feet (T, 2, 3).
    """
    rows = compare_total("total", total_n, plates, weight_n, bands[0])
    foot_n = plates.as_filtered(loads.force_n)
    for foot, side in enumerate(SIDES):
        is_loaded = np.abs(plates.wrench[:, foot, 2:3]) > 0.0
        measured = np.where(is_loaded, plates.wrench[:, foot, :3], np.nan)
        rows += _compare_axes(side.lower(), foot_n[:, foot], measured, weight_n, bands[1][:, foot])
    return rows


def compare_total(
    what: str, total_n: Array, plates: PlateForces, weight_n: float, band_n: Array | None = None
) -> list[Agreement]:
    """Return agreements of a total force with that of plates, by axis. Shapes (T, 3)."""
    return _compare_axes(what, plates.as_filtered(total_n), plates.total[:, :3], weight_n, band_n)


def _compare_axes(
    what: str, force_n: Array, measured_n: Array, weight_n: float, band_n: Array | None
) -> list[Agreement]:
    columns = zip(AXES, force_n.T, measured_n.T, repeat(None) if band_n is None else band_n.T, strict=False)
    rows = [agreement(what, axis, ours, theirs, weight_n, band) for axis, ours, theirs, band in columns]
    return [row for row in rows if row is not None]


def cop_distance_m(cop_m: Array, plates: PlateForces, in_contact: npt.NDArray[np.bool_], weight_n: float) -> Array:
    """Return distances of computed and measured centres of pressure in single support.

    Args:
        cop_m: Computed, of each foot. Shape (T, 2, 2).
        plates: Measured.
        in_contact: Which foot is on the ground. Shape (T, 2).
        weight_n: Body weight.
    """
    distances = []
    for foot in range(2):
        is_alone = in_contact[:, foot] & ~in_contact[:, 1 - foot]
        rows = is_alone & (np.nan_to_num(plates.wrench[:, foot, 2]) > MIN_LOAD * weight_n)
        distances.append(np.linalg.norm(cop_m[rows, foot] - cop_of_wrenches(plates.wrench[rows, foot]), axis=1))
    return np.concatenate(distances)
