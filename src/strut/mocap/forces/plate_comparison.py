"""Plate comparison: forces that plates measured under each foot, and their differences from computed forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt
from scipy.signal import welch

from strut.arrays import Array
from strut.maths.sampling import interpolate_columns, low_pass
from strut.mocap.events.plate_events import MIN_PEAK_N, PlateStance
from strut.mocap.forces.footprints import HALF_WIDTH_M, Footprint
from strut.mocap.forces.load_sharing import FootLoads, cop_of_wrenches, footprint_index
from strut.mocap.gait_trial import GaitTrial
from strut.plumbing.number_text import format_percent
from strut.recording import SIDES, ForcePlate

SMOOTH_HZ = 50.0  # plates are low-pass filtered here before they are compared; chosen by eye
# A laboratory has filtered its plates if this share of the power of the force's rate is below this frequency.
FILTERED_HZ = 20.0  # chosen by eye
FILTERED_SHARE = 0.99  # chosen by eye
EDGE_M = 0.005  # a point nearer to the edge of a plate is not on it; chosen by eye
EVENT_TOLERANCE_S = 0.005  # around a stance; its plate is read so much longer
MIN_LOAD = 0.05  # of body weight, below which a centre of pressure is uncertain
MIN_FRAMES = 20  # of a comparison
WEIGHT_TOLERANCE = 0.05  # plates differ by 2 % from masses that were weighed
AXES = ("forwards", "left", "up")
FOOT_SHARES = (0.0, 0.5, 0.95)  # of a foot's length: these places must be on a plate
FOOT_WIDTH_SHARE = 0.66  # of a sole's half width, at these places; chosen by eye


@dataclass(frozen=True, slots=True, eq=False)
class PlateForces:
    """Measured forces on each foot.

    Args:
        wrench: Force, and moment about the origin; 0 in swing, NaN where unknown. Shape (T, 2, 6).
        rate_hz: Of the frames.
        bandwidth_hz: Frequency at which the laboratory had filtered the plates; None if it had not.
    """

    wrench: Array
    rate_hz: float
    bandwidth_hz: float | None = None

    @property
    def total(self) -> Array:
        """Wrench on both feet; NaN where one is unknown. Shape (T, 6)."""
        return np.asarray(self.wrench.sum(axis=1))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user."""
        if self.bandwidth_hz is None:
            return ()
        return (
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
        """Whether a foot stood on a plate for long enough to compare."""
        return bool((np.abs(np.nan_to_num(self.wrench[..., 2])) > 0.0).sum() >= MIN_FRAMES)


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


def plate_forces(trial: GaitTrial, footprints: Sequence[Footprint]) -> PlateForces:
    """Return the measured forces of feet that stood on plates whole.

    Args:
        trial: With plates and stances on them.
        footprints: Of the trial, from its markers.
    """
    time_s = trial.recording.time_s
    in_contact = footprint_index(footprints, time_s) >= 0
    swings = ~in_contact & in_contact[:, ::-1]  # only with the other foot on the ground; without, events are missing
    wrench = np.where(swings[..., None], np.zeros((len(time_s), 2, 6)), np.nan)
    plates = {plate.name: plate for plate in trial.recording.plates}
    for stance in trial.stances:
        middle_s = 0.5 * (stance.start_s + stance.stop_s)
        footprint = next((one for one in footprints if _has_side_and_time(one, stance, middle_s)), None)
        own_plates = [plates[name] for name in stance.plate.split(", ")]
        if footprint is None or not _is_whole_foot_on(footprint, own_plates):
            continue
        start_s = min(footprint.start_s, stance.start_s)
        stop_s = max(footprint.stop_s, stance.stop_s)
        rows = (time_s >= start_s - EVENT_TOLERANCE_S) & (time_s <= stop_s + EVENT_TOLERANCE_S)
        measured = np.sum([_wrench_at_frames(plate, time_s) for plate in own_plates], axis=0)
        wrench[rows, SIDES.index(stance.side)] = measured[rows]
    return PlateForces(wrench, trial.recording.rate_hz, _filter_bandwidth_hz(list(plates.values())))


def _has_side_and_time(footprint: Footprint, stance: PlateStance, middle_s: float) -> bool:
    return footprint.side == stance.side and footprint.start_s < middle_s < footprint.stop_s


def _filter_bandwidth_hz(plates: Sequence[ForcePlate]) -> float | None:
    """Return the frequency below which nearly all power of the rates of vertical forces is, if that is low."""
    bandwidths = []
    for plate in plates:
        vertical = plate.force_n[:, 2]
        rate = np.diff(vertical)
        if vertical.max(initial=0.0) < MIN_PEAK_N or plate.rate_hz < 4.0 * FILTERED_HZ:
            continue
        frequency, power = welch(rate, fs=plate.rate_hz, nperseg=min(round(0.6 * plate.rate_hz), len(rate)))
        bandwidths.append(float(frequency[np.searchsorted(np.cumsum(power), FILTERED_SHARE * power.sum())]))
    bandwidth_hz = max(bandwidths, default=np.inf)
    return bandwidth_hz if bandwidth_hz < FILTERED_HZ else None


def _is_whole_foot_on(footprint: Footprint, plates: Sequence[ForcePlate]) -> bool:
    """Return whether a footprint lies on plates from heel to toes."""
    if np.linalg.norm(footprint.belt_m_s) > 0.0:
        return True  # on a treadmill the plate is under the whole belt
    for share in FOOT_SHARES:
        middle = footprint.heel_m + share * footprint.length_m * footprint.forward
        for side in (-1.0, 1.0):
            point = middle + side * FOOT_WIDTH_SHARE * HALF_WIDTH_M * footprint.outward
            if not any(_is_over(plate, point) for plate in plates):
                return False
    return True


def _is_over(plate: ForcePlate, point: Array) -> bool:
    corners = plate.corners_m[:, :2]
    sides = (corners[0] - corners[1], corners[1] - corners[2])
    offset = point - corners.mean(axis=0)
    return all(abs(offset @ side) / np.linalg.norm(side) < np.linalg.norm(side) / 2.0 - EDGE_M for side in sides)


def _wrench_at_frames(plate: ForcePlate, time_s: Array) -> Array:
    """Return force, and moment about the origin, of a plate at the frames. Shape (T, 6)."""
    wrench = np.concatenate([plate.force_n, plate.moment_nm + np.cross(plate.centre_m, plate.force_n)], axis=1)
    if 0.45 * plate.rate_hz > SMOOTH_HZ and len(wrench) > 30:
        wrench = low_pass(wrench, SMOOTH_HZ, plate.rate_hz)
    at_frames = interpolate_columns(time_s, plate.time_s, wrench)
    at_frames[time_s > plate.time_s[-1]] = np.nan
    return np.asarray(at_frames)


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
