"""Moment comparison: our ankle torques against those of the laboratory's own inverse dynamics, from force plates.

A laboratory knows the moments of a stance only where the foot was alone on a plate; elsewhere its files contain those
of a swing, and those of a part of the force where a foot stands partly beside its plate. So only stances count in which
the laboratory has a push-off and in which the plates measured the whole force.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.ground_forces import GroundForces
from strut.mocap.forces.plate_comparison import agreement
from strut.mocap.marker_fit.fit import MarkerFit
from strut.recording import SIDES, Side
from strut.robot import Robot

MIN_PUSH_OFF_NM_KG = 0.5  # of an ankle; chosen by eye, a usual push-off is above 1


@dataclass(frozen=True, slots=True)
class MomentAgreement:
    """Difference of our torque of a joint from the laboratory's over the stances of a trial.

    Args:
        joint: Such as right ankle.
        rms_nm_kg: Root mean square of the difference over body mass.
        rms_range: The same over the range of the laboratory's torque.
        correlation: Of the two.
        frames: Number of compared frames.
    """

    joint: str
    rms_nm_kg: float
    rms_range: float
    correlation: float
    frames: int


def laboratory_moment(marker_fit: MarkerFit, forces: GroundForces, side: Side, joint: str) -> Array:
    """Return the laboratory's moment of a joint in stances with a known push-off, NaN elsewhere. Shape (T,)."""
    moments = marker_fit.trial.recording.moments_nm_kg
    ankle = moments.get(f"{side[0]}Ankle")
    moment = moments.get(f"{side[0]}{joint}")
    time_s = marker_fit.motion.time_s
    if ankle is None or moment is None:
        return np.full(len(time_s), np.nan)
    is_known = np.zeros(len(time_s), dtype=bool)
    for footprint in forces.footprints:
        if footprint.side != side or not footprint.is_complete or not _is_measured(footprint, forces, time_s):
            continue
        rows = footprint.is_standing(time_s)
        if _has_push_off(ankle[rows]):
            is_known |= rows
    return np.where(is_known, moment, np.nan)


def compare_ankle_torques(marker_fit: MarkerFit, robot: Robot, forces: GroundForces) -> tuple[MomentAgreement, ...]:
    """Return the differences of both ankle torques from those in the recording; empty if it has none."""
    rows = []
    for side in SIDES:
        ours = forces.torque_nm[:, robot.joint_names.index(f"Ankle{side}_RY")] / robot.mass_kg
        theirs = laboratory_moment(marker_fit, forces, side, "Ankle")
        row = agreement(f"{side.lower()} ankle", "flexion", ours, theirs, 1.0)
        if row is not None and row.correlation is not None:
            rows.append(MomentAgreement(row.what, row.rms_weight, row.rms_range, row.correlation, row.frames))
    return tuple(rows)


def _is_measured(footprint: Footprint, forces: GroundForces, time_s: Array) -> bool:
    """Return whether plates measured all of a stance; True if the file has moments but no plates."""
    if forces.plates is None:
        return True
    vertical = forces.plates.wrench[footprint.is_standing(time_s), SIDES.index(footprint.side), 2]
    return bool(len(vertical)) and bool(np.isfinite(vertical).all())


def _has_push_off(ankle_nm_kg: Array) -> bool:
    return bool(np.nan_to_num(ankle_nm_kg).max(initial=-np.inf) > MIN_PUSH_OFF_NM_KG)
