"""Moment comparison: our ankle torques beside those of the laboratory's own inverse dynamics, with plates.

A laboratory finds moments of a stance only where the foot was alone on a plate; elsewhere its files have those of a
swing, and where a foot stands partly beside its plate those of a part of the force. So stances count in which it found
a push-off, and whose force plates that we know measured whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.capture.forces.footprints import Footprint
from strut.capture.forces.ground_forces import GroundForces
from strut.capture.forces.plate_comparison import agreement
from strut.capture.marker_fit.fit import MarkerFit
from strut.recording import SIDES, Side
from strut.robot import Robot

LEAST_PUSH_OFF_NM_KG = 0.5


@dataclass(frozen=True, slots=True)
class MomentAgreement:
    """How far our torque of a joint is from a laboratory's over its stances.

    Args:
        joint: Such as right ankle.
        rms_nm_kg: Root mean square of the difference over the body mass.
        rms_range: The same over the range of the laboratory's.
        correlation: Of the two.
        frames: That were compared.
    """

    joint: str
    rms_nm_kg: float
    rms_range: float
    correlation: float
    frames: int


def laboratory_moment(found: MarkerFit, forces: GroundForces, side: Side, joint: str) -> Array:
    """Return the laboratory's moment of a joint in stances whose push-off it knows, NaN elsewhere. Shape (T,)."""
    told = found.trial.recording.moments_nm_kg
    ankle = told.get(f"{side[0]}Ankle")
    own = told.get(f"{side[0]}{joint}")
    time_s = found.motion.time_s
    if ankle is None or own is None:
        return np.full(len(time_s), np.nan)
    prints = [one for one in forces.footprints if one.side == side and one.seen and _measured(one, forces, time_s)]
    return np.where(_in_stances(prints, time_s, ankle), own, np.nan)


def compare_ankles(found: MarkerFit, robot: Robot, forces: GroundForces) -> tuple[MomentAgreement, ...]:
    """Return how far the torques of both ankles are from those that came with the recording; none without."""
    rows = []
    for side in SIDES:
        ours = forces.torque_nm[:, robot.joint_names.index(f"Ankle{side}_RY")] / robot.mass_kg
        kept = laboratory_moment(found, forces, side, "Ankle")
        compared = agreement(f"{side.lower()} ankle", "flexion", ours, kept, 1.0)
        if compared is not None and compared.correlation is not None:
            rows.append(
                MomentAgreement(
                    compared.what, compared.rms_weight, compared.rms_range, compared.correlation, compared.frames
                )
            )
    return tuple(rows)


def _measured(one: Footprint, forces: GroundForces, time_s: Array) -> bool:
    """Return whether plates measured all of a stance; True if the file has moments, but no plates."""
    if forces.plates is None:
        return True
    up = forces.plates.wrench[one.stands(time_s), SIDES.index(one.side), 2]
    return bool(len(up)) and bool(np.isfinite(up).all())


def _in_stances(prints: list[Footprint], time_s: Array, moment: Array) -> Array:
    """Return which frames are in stances of which a laboratory knows the push-off. Shape (T,)."""
    known = np.zeros(len(time_s), dtype=bool)
    for one in prints:
        rows = one.stands(time_s)
        if rows.any() and np.nan_to_num(moment[rows]).max() > LEAST_PUSH_OFF_NM_KG:
            known |= rows
    return known
