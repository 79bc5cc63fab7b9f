"""Plate comparison: what force plates measured under each foot, and how far computed forces are from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt
from scipy.signal import welch

from strut.arrays import Array
from strut.capture.events.plate_events import LIGHTEST_PEAK_N, PlateStance
from strut.capture.forces.footprints import HALF_WIDTH_M, Footprint
from strut.capture.forces.load_sharing import FootLoads, standing_on, wrench_cop
from strut.capture.gait_trial import GaitTrial
from strut.maths.sampling import columns_at, low_passed
from strut.plumbing.number_text import format_percent
from strut.recording import SIDES, ForcePlate

SMOOTH_HZ = 50.0  # plates are compared below this
FILTERED_HZ = 20.0
FILTERED_SHARE = 0.99  # of the power of a force's rate, below this frequency: it was filtered
EDGE_M = 0.005
LEAST_LOAD = 0.05  # of body weight, below which a centre of pressure means little
FEWEST_FRAMES = 20
OTHER_WEIGHT = 0.05  # people on plates differ by 2 % where the mass is known
AXES = ("forwards", "left", "up")
SHARES = (0.0, 0.5, 0.95)  # of a foot's length: these places must be on a plate


@dataclass(frozen=True, slots=True, eq=False)
class PlateForces:
    """What plates measured of each foot.

    Args:
        wrench: Force, moment about the origin; 0 in swing, NaN where unknown. Shape (T, 2, 6).
        rate_hz: Of the frames.
        bandwidth_hz: Above which the laboratory had filtered everything away; None if it had not.
    """

    wrench: Array
    rate_hz: float
    bandwidth_hz: float | None = None

    @property
    def total(self) -> Array:
        """Of both feet; NaN where one is unknown. Shape (T, 6)."""
        return np.asarray(self.wrench.sum(axis=1))

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be known about them."""
        if self.bandwidth_hz is None:
            return ()
        return (
            f"Forces of plates were filtered at about {self.bandwidth_hz:.0f} Hz; ours are for the comparison, too.",
        )

    def as_filtered(self, values: Array) -> Array:
        """Return computed forces with the bandwidth of the measured ones. Shape (T, ...)."""
        if self.bandwidth_hz is None or self.bandwidth_hz > 0.45 * self.rate_hz:
            return values
        padding = min(len(values) - 1, round(0.5 * self.rate_hz))
        return low_passed(values, self.bandwidth_hz, self.rate_hz, padding=padding)

    @property
    def any(self) -> bool:
        """Whether a foot stood on a plate, and for long enough to compare."""
        return bool((np.abs(np.nan_to_num(self.wrench[..., 2])) > 0.0).sum() >= FEWEST_FRAMES)


def felt_share(plates: PlateForces, total_n: Array) -> float | None:
    """Return the vertical force that plates felt over that which the movement of the given mass needs.

    Args:
        plates: Measured.
        total_n: Computed force of the ground. Shape (T, 3).

    Returns:
        Mean over mean of the frames in which plates tell the force of both feet; None if those are too few.
    """
    known = np.isfinite(plates.total[:, 2])
    if known.sum() < FEWEST_FRAMES:
        return None
    return float(plates.total[known, 2].sum() / max(total_n[known, 2].sum(), 1.0))


def weight_notes(share: float | None) -> tuple[str, ...]:
    """Return a sentence if plates feel another weight than the given mass has when it moves so: see `felt_share`."""
    if share is None or abs(share - 1.0) < OTHER_WEIGHT:
        return ()
    words = f"Plates feel {format_percent(share)} of the force that the movement needs"
    return (f"{words}: is the mass {share:.2f} times as large, or did something else than feet carry?",)


def plate_forces(trial: GaitTrial, footprints: Sequence[Footprint]) -> PlateForces:
    """Return what plates measured of feet that stood on them whole.

    Args:
        trial: With plates and stances on them.
        footprints: Of the trial, by its markers.
    """
    time_s = trial.recording.time_s
    stands = standing_on(footprints, time_s) >= 0
    swings = ~stands & stands[:, ::-1]  # with the other foot on the ground; while neither is, nobody knows
    wrench = np.where(swings[..., None], np.zeros((len(time_s), 2, 6)), np.nan)
    plates = {plate.name: plate for plate in trial.recording.plates}
    for stance in trial.stances:
        same = [one for one in footprints if one.side == stance.side and _overlap(one, stance)]
        own = [plates[name] for name in stance.plate.split(", ")]
        if not same or not _whole(same[0], own):
            continue
        start_s = min(same[0].start_s, stance.start_s)
        stop_s = max(same[0].stop_s, stance.stop_s)
        rows = (time_s >= start_s - 0.005) & (time_s <= stop_s + 0.005)
        wrench[rows, SIDES.index(stance.side)] = np.sum([_at_frames(plate, time_s) for plate in own], axis=0)[rows]
    return PlateForces(wrench, trial.recording.rate_hz, _bandwidth_hz(list(plates.values())))


def _bandwidth_hz(plates: Sequence[ForcePlate]) -> float | None:
    """Return below which frequency nearly all of the rates of vertical forces is, if that is low."""
    found = []
    for plate in plates:
        rate = np.diff(plate.force_n[:, 2])
        if plate.force_n[:, 2].max(initial=0.0) < LIGHTEST_PEAK_N or plate.rate_hz < 4.0 * FILTERED_HZ:
            continue
        frequency, power = welch(rate, fs=plate.rate_hz, nperseg=min(round(0.6 * plate.rate_hz), len(rate)))
        found.append(float(frequency[np.searchsorted(np.cumsum(power), FILTERED_SHARE * power.sum())]))
    lowest = max(found, default=np.inf)
    return lowest if lowest < FILTERED_HZ else None


def _overlap(one: Footprint, stance: PlateStance) -> bool:
    return one.start_s < 0.5 * (stance.start_s + stance.stop_s) < one.stop_s


def _whole(one: Footprint, plates: Sequence[ForcePlate]) -> bool:
    """Return whether a footprint lies on plates from heel to toes."""
    if np.linalg.norm(one.belt_m_s) > 0.0:
        return True  # on a belt the plate is under it, and goes on
    half = 0.66 * HALF_WIDTH_M
    places = [
        one.heel_m + share * one.length_m * one.forwards + side * half * one.outwards
        for share in SHARES
        for side in (-1.0, 1.0)
    ]
    return all(any(_over(plate, place) for plate in plates) for place in places)


def _over(plate: ForcePlate, place: Array) -> bool:
    corners = plate.corners_m[:, :2]
    sides = (corners[0] - corners[1], corners[1] - corners[2])
    away = place - corners.mean(axis=0)
    return all(abs(away @ side) / np.linalg.norm(side) < np.linalg.norm(side) / 2.0 - EDGE_M for side in sides)


def _at_frames(plate: ForcePlate, time_s: Array) -> Array:
    """Return force, and moment about the origin, of a plate at the frames. Shape (T, 6)."""
    wrench = np.concatenate([plate.force_n, plate.moment_nm + np.cross(plate.centre_m, plate.force_n)], axis=1)
    if 0.45 * plate.rate_hz > SMOOTH_HZ and len(wrench) > 30:
        wrench = low_passed(wrench, SMOOTH_HZ, plate.rate_hz)
    found = columns_at(time_s, plate.time_s, wrench)
    found[time_s > plate.time_s[-1]] = np.nan
    return np.asarray(found)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a computed force is from a measured one.

    Args:
        what: Total, right or left foot.
        axis: Forwards, left or up.
        rms_weight: Root mean square of the difference over body weight.
        rms_range: The same over the measured range.
        correlation: Of the two; None if one does not change.
        covered: Share of the samples inside the 90 % band; None without a band.
        frames: That were compared.
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
    """Return how far two forces are from each other; None if too few samples were measured. Shapes (T,)."""
    known = np.isfinite(measured) & np.isfinite(computed)
    if known.sum() < FEWEST_FRAMES:
        return None
    one = computed[known]
    other = measured[known]
    rms = float(np.sqrt(np.mean((one - other) ** 2)))
    moves = min(np.ptp(one), np.ptp(other)) > 0.0
    return Agreement(
        what,
        axis,
        rms / weight_n,
        rms / max(float(np.ptp(other)), 1e-9),
        float(np.corrcoef(one, other)[0, 1]) if moves else None,
        None if band is None else float(np.mean(np.abs(one - other) <= band[known])),
        int(known.sum()),
    )


def compare_loads(
    loads: FootLoads, total_n: Array, plates: PlateForces, weight_n: float, bands: tuple[Array, Array]
) -> list[Agreement]:
    """Return agreements of the total and of each foot while it stands, by axis.

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
        loaded = np.abs(plates.wrench[:, foot, 2:3]) > 0.0
        measured = np.where(loaded, plates.wrench[:, foot, :3], np.nan)
        rows += _by_axis(side.lower(), foot_n[:, foot], measured, weight_n, bands[1][:, foot])
    return rows


def compare_total(
    what: str, total_n: Array, plates: PlateForces, weight_n: float, band_n: Array | None = None
) -> list[Agreement]:
    """Return agreements of a total force with that of plates, by axis. Shapes (T, 3)."""
    return _by_axis(what, plates.as_filtered(total_n), plates.total[:, :3], weight_n, band_n)


def _by_axis(what: str, force_n: Array, measured_n: Array, weight_n: float, band_n: Array | None) -> list[Agreement]:
    columns = zip(AXES, force_n.T, measured_n.T, repeat(None) if band_n is None else band_n.T, strict=False)
    rows = [agreement(what, axis, ours, theirs, weight_n, band) for axis, ours, theirs, band in columns]
    return [row for row in rows if row is not None]


def cop_distance_m(cop_m: Array, plates: PlateForces, stands: npt.NDArray[np.bool_], weight_n: float) -> Array:
    """Return distances of computed and measured centres of pressure in single support.

    Args:
        cop_m: Computed, of each foot. Shape (T, 2, 2).
        plates: Measured.
        stands: Which foot is on the ground. Shape (T, 2).
        weight_n: Body weight.
    """
    found = []
    for foot in range(2):
        load = plates.wrench[:, foot, 2]
        alone = stands[:, foot] & ~stands[:, 1 - foot] & (np.nan_to_num(load) > LEAST_LOAD * weight_n)
        found.append(np.linalg.norm(cop_m[alone, foot] - wrench_cop(plates.wrench[alone, foot]), axis=1))
    return np.concatenate(found)
