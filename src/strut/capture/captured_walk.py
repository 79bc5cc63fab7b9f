"""Captured walk: recording → marker fit → ground forces and torques → a motion with a receipt and its verdict."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.emg import EmgEnvelopes, emg_envelopes, mean_cycle
from strut.capture.forces.force_agreement import ForceAgreement, beside_aligned_plates, beside_plates
from strut.capture.forces.ground_forces import GroundForces, ground_forces
from strut.capture.forces.load_sharing import wrench_cop
from strut.capture.forces.moment_comparison import MomentAgreement, compare_ankles
from strut.capture.marker_fit.fit import MarkerFit, fit
from strut.capture.marker_fit.pose_solver import OnCaptureProgress, no_progress
from strut.capture.marker_fit.subject_model import SubjectModel, robot_of_subject
from strut.capture.markers.marker_mapping import MarkerSet
from strut.engines.rigid_body import foot_contact_points
from strut.maths.rotation import qpos_from_angles
from strut.motion import Motion
from strut.recording import SIDES, Recording
from strut.robot import Robot
from strut.verify.recorded_walk import recorded_receipt


@dataclass(frozen=True, slots=True, eq=False)
class CapturedWalk:
    """Everything about a trial.

    Args:
        fit: Person, angles, events.
        robot: The person.
        forces: Ground forces and torques.
        motion: Smooth angles with torques, forces and the receipt.
        plates: How far forces are from those of plates; None without plates.
        aligned: The same with the plates' clock and place set right; None if nothing is wrong with them.
        moments: Of ankle torques with the laboratory's own inverse dynamics.
        emg: Envelopes; None without EMG.
        notes: What was found and done.
    """

    fit: MarkerFit
    robot: Robot
    forces: GroundForces
    motion: Motion
    plates: ForceAgreement | None
    aligned: ForceAgreement | None
    moments: tuple[MomentAgreement, ...]
    emg: EmgEnvelopes | None
    notes: tuple[str, ...]

    @property
    def plate_sentences(self) -> tuple[str, ...]:
        """How far vertical forces and centres of pressure are from plates, as they are and, where off, set right."""
        plates, aligned = (None if one is None else one.words for one in (self.plates, self.aligned))
        said = {"off force plates, RMS of body weight": plates, "the same with plates set right": aligned}
        return tuple(f"{title}: {words}" for title, words in said.items() if words)

    def as_dict(self) -> dict[str, Any]:
        """Return what programs read: the receipt, the figures of the fit, and the comparison with plates."""
        assert self.motion.receipt is not None
        alignment = self.forces.alignment
        return {
            **self.motion.receipt.as_dict(),
            **fit_figures(self.fit),
            **_told_agreement(self.plates, ""),
            **_told_agreement(self.aligned, "aligned_"),
            "plate_alignment": None if alignment is None else asdict(alignment),
            "ankle_moments": [asdict(one) for one in self.moments] or None,
            "notes": list(self.notes),
        }


def _told_agreement(found: ForceAgreement | None, prefix: str) -> dict[str, Any]:
    names = (f"{prefix}plates", f"{prefix}cop_distance_mm")
    return dict.fromkeys(names) if found is None else dict(zip(names, found.told, strict=True))


def capture_walk(
    recording: Recording,
    *,
    height_m: float | None = None,
    mass_kg: float | None = None,
    subject: SubjectModel | None = None,
    standing: Recording | None = None,
    marker_set: MarkerSet | None = None,
    sex: str = "male",
    use_plates: bool = False,
    on_progress: OnCaptureProgress | None = None,
) -> CapturedWalk:
    """Return person, angles, ground forces and torques of a walk.

    Args:
        recording: As read.
        height_m: Body height; that of the file if None.
        mass_kg: Body mass; that of the file if None.
        subject: A person known already.
        standing: A standing trial of the same person.
        marker_set: Which markers are which landmarks; found if None.
        sex: Whose shares of mass, where no subject is given.
        use_plates: Follow force plates instead of comparing with them.
        on_progress: Told what is being done and which share of it.

    Raises:
        StrutError: With one sentence, as `fit` and `ground_forces` do.

    Example:
        >>> walk = strut.capture_walk(strut.read_recording("walk.c3d"), height_m=1.86, mass_kg=75.0)  # doctest: +SKIP
    """
    started = time.perf_counter()
    found = fit(
        recording,
        height_m=height_m,
        mass_kg=mass_kg,
        subject=subject,
        standing=standing,
        marker_set=marker_set,
        sex=sex,
        walking=True,
        on_progress=on_progress,
    )
    robot = robot_of_subject(found.subject)
    forces = ground_forces(found, robot, use_plates=use_plates, on_progress=on_progress or no_progress)
    plates, aligned = (beside(forces, robot.mass_kg) for beside in (beside_plates, beside_aligned_plates))
    emg = emg_envelopes(found.trial.recording.analog)
    motion = _motion(found, robot, forces, emg, time.perf_counter() - started)
    notes = (*found.notes, *forces.notes, *(emg.notes if emg is not None else ()))
    moments = compare_ankles(found, robot, forces)
    return CapturedWalk(found, robot, forces, motion, plates, aligned, moments, emg, notes)


def fit_figures(found: MarkerFit) -> dict[str, Any]:
    """Return what a marker fit tells programs."""
    return {
        "marker_error_mean_mm": round(1e3 * found.mean_error_m, 3),
        "marker_error_worst_mm": round(1e3 * found.worst_error_m, 3),
        "frames_per_s": round(found.frames_per_s, 1),
        "height_m": found.subject.height_m,
        "mass_kg": found.subject.mass_kg,
        "steps": steps_of(found),
    }


def steps_of(found: MarkerFit) -> int:
    """Return how many steps were seen from heel strike to the other foot's heel strike."""
    strikes = [event.side for event in found.trial.events if event.kind == "heel_strike"]
    return sum(one != other for one, other in pairwise(strikes))


def _motion(found: MarkerFit, robot: Robot, forces: GroundForces, emg: EmgEnvelopes | None, solve_s: float) -> Motion:
    qpos = qpos_from_angles(forces.movement.q)
    meta = {**found.motion.meta, "asked": {"use_plates": forces.tracked}, "notes": list(forces.notes)}
    meta["plate_share"] = forces.plate_share
    if emg is not None and (cycle := mean_cycle(emg, found.trial.best_events)) is not None:
        told = {"leg": cycle.leg, "cycle_v": np.round(cycle.cycle_v, 9).tolist()}
        meta["emg"] = {"names": list(cycle.names), "silent": list(emg.silent), **told}
        if lost := [name for name in emg.names if name not in cycle.names]:
            meta["notes"].append(f"EMG of {', '.join(lost)} is not averaged: that leg takes no whole cycle.")
    motion = replace(
        found.motion,
        qpos=qpos,
        torque_nm=forces.torque_nm,
        ground_force_n=_at_contact_points(robot, forces, qpos, found.motion.contact),
        cop_in_world=wrench_cop(forces.wrench),
        meta=meta,
    )
    receipt = recorded_receipt(robot, motion)
    return replace(motion, receipt=replace(receipt, solve_s=solve_s))


def _at_contact_points(robot: Robot, forces: GroundForces, qpos: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return forces of feet shared among their contact points, keeping the centre of pressure. Shape (T, 6, 3)."""
    points = foot_contact_points(robot, qpos)
    names = list(robot.foot_names)
    result = np.zeros((len(qpos), len(names), 3))
    for foot, side in enumerate(SIDES):
        heel, hallux, meta = (names.index(f"{part}{side}") for part in ("Heel", "Hallux", "Meta5"))
        cop = np.where(forces.loads.stands[:, foot, None], np.nan_to_num(forces.loads.cop_m[:, foot]), 0.0)
        front, outer = _in_triangle(points[:, [heel, hallux, meta], :2], cop)
        front = np.where(contact[:, hallux] & ~contact[:, heel], 1.0, front)
        for index, share in ((heel, 1.0 - front), (hallux, front * (1.0 - outer)), (meta, front * outer)):
            result[:, index] = share[:, None] * forces.loads.force_n[:, foot]
    return result


def _in_triangle(corners: Array, place: Array) -> tuple[Array, Array]:
    """Return which share of a load is on the front corners, and of that on the outer one. Shapes (T, 3, 2), (T, 2).

    The load acts at the place if that is in the triangle of heel, inner and outer front corner, else near it.
    """
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    inner, outer = np.linalg.solve(edges, (place - corners[:, 0])[..., None])[..., 0].T
    front = np.maximum(inner + outer, 1e-9)
    return np.clip(front, 0.0, 1.0), np.clip(outer / front, 0.0, 1.0)
