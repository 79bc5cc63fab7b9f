"""Captured walk: recording → marker fit → ground forces and torques → a motion with a receipt and its verdict."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points
from strut.maths.rotation import qpos_from_angles
from strut.mocap.emg import EmgEnvelopes, average_cycles, find_emg_envelopes
from strut.mocap.events.plate_events import THRESHOLD_N
from strut.mocap.forces.force_agreement import (
    ForceAgreement,
    compare_with_aligned_plates,
    compare_with_plates,
)
from strut.mocap.forces.ground_forces import GroundForces, ground_forces
from strut.mocap.forces.load_sharing import cop_of_wrenches
from strut.mocap.forces.moment_comparison import MomentAgreement, compare_ankle_torques
from strut.mocap.gait_trial import contact_columns
from strut.mocap.marker_fit.fit import MarkerFit, fit
from strut.mocap.marker_fit.pose_solver import OnCaptureProgress, no_progress
from strut.mocap.marker_fit.subject_model import SubjectModel, robot_of_subject
from strut.mocap.markers.marker_set import MarkerSet
from strut.mocap.recording_verdict import judge_recording, near_limit_notes, noise_notes
from strut.motion import Motion
from strut.recording import SIDES, GaitEvent, Recording
from strut.robot import Robot
from strut.verify.recorded_walk import ENDS_S, recorded_receipt


@dataclass(frozen=True, slots=True, eq=False)
class CapturedWalk:
    """Everything about a recorded walk.

    Args:
        fit: Person, angles, events.
        robot: The person.
        forces: Ground forces and torques.
        motion: Smooth angles with torques, forces and the receipt, from the first event to the last and not near the
            ends of the recording; times are those of the recording.
        plates: Difference of the forces from those of plates; None without plates.
        aligned: The same with corrected clock and place of the plates; None if they need no correction.
        moments: Difference of ankle torques from the laboratory's own inverse dynamics.
        emg: Envelopes; None without EMG.
        notes: For the user.
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
    def plate_summaries(self) -> tuple[str, ...]:
        """Differences from plates in one line, and in another with corrected plates."""
        summaries = []
        if self.plates is not None and self.plates.summary:
            summaries.append(f"difference from force plates, RMS over body weight: {self.plates.summary}")
        if self.aligned is not None and self.aligned.summary:
            summaries.append(f"the same with corrected clock and place of the plates: {self.aligned.summary}")
        return tuple(summaries)

    def as_dict(self) -> dict[str, Any]:
        """Return the receipt, the figures of the fit, and the comparison with plates for JSON."""
        assert self.motion.receipt is not None
        alignment = self.forces.alignment
        return {
            **self.motion.receipt.as_dict(),
            **fit_figures(self.fit),
            "reported_s": self.motion.meta["reported_s"],
            "plates": self.plates and self.plates.rows_as_dicts(),
            "cop_distance_mm": self.plates and self.plates.cop_distance_mm,
            "aligned_plates": self.aligned and self.aligned.rows_as_dicts(),
            "aligned_cop_distance_mm": self.aligned and self.aligned.cop_distance_mm,
            "plate_alignment": alignment and asdict(alignment),
            "ankle_moments": [asdict(moment) for moment in self.moments] or None,
            "notes": list(self.notes),
        }


def capture(
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
        subject: The person, if known already.
        standing: A standing trial of the same person.
        marker_set: Which markers are which landmarks; detected if None.
        sex: Selects the table of segment masses, where no subject is given: male or female.
        use_plates: Follow force plates instead of comparing with them.
        on_progress: Called with what is being done and the share that is done.

    Raises:
        StrutError: In one sentence, as `fit` and `ground_forces` do.

    Example:
        >>> walk = strut.capture(strut.read_recording("walk.c3d"), height_m=1.86, mass_kg=75.0)  # doctest: +SKIP
    """
    started = time.perf_counter()
    marker_fit = fit(
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
    robot = robot_of_subject(marker_fit.subject)
    forces = ground_forces(marker_fit, robot, use_plates=use_plates, on_progress=on_progress or no_progress)
    emg = find_emg_envelopes(marker_fit.trial.recording.analog)
    motion = replace(_motion(marker_fit, robot, forces), meta=_meta(marker_fit, forces, emg))
    receipt = judge_recording(marker_fit.trial, recorded_receipt(robot, motion))
    sampled = [recorded_receipt(robot, _motion(marker_fit, robot, sample)) for sample in forces.samples]
    return CapturedWalk(
        fit=marker_fit,
        robot=robot,
        forces=forces,
        motion=replace(motion, receipt=replace(receipt, solve_s=time.perf_counter() - started)),
        plates=compare_with_plates(forces, robot.mass_kg),
        aligned=compare_with_aligned_plates(forces, robot.mass_kg),
        moments=compare_ankle_torques(marker_fit, robot, forces),
        emg=emg,
        notes=(
            *near_limit_notes(receipt, sampled),
            *noise_notes(marker_fit.trial.recording),
            *marker_fit.notes,
            *forces.notes,
            *(emg.notes if emg is not None else ()),
        ),
    )


def fit_figures(marker_fit: MarkerFit) -> dict[str, Any]:
    """Return the figures of a marker fit for JSON."""
    return {
        "marker_error_mean_mm": round(1e3 * marker_fit.mean_error_m, 3),
        "marker_error_worst_mm": round(1e3 * marker_fit.worst_error_m, 3),
        "frames_per_s": round(marker_fit.frames_per_s, 1),
        "height_m": marker_fit.subject.height_m,
        "mass_kg": marker_fit.subject.mass_kg,
        "steps": count_steps(marker_fit),
    }


def count_steps(marker_fit: MarkerFit) -> int:
    """Return the number of steps from a heel strike to the next heel strike of the other foot."""
    strikes = [event.side for event in marker_fit.trial.events if event.kind == "heel_strike"]
    return sum(first != second for first, second in pairwise(strikes))


def _meta(marker_fit: MarkerFit, forces: GroundForces, emg: EmgEnvelopes | None) -> dict[str, Any]:
    """Return what a motion file says about a captured walk."""
    events = _events(marker_fit, forces)
    meta: dict[str, Any] = {
        **marker_fit.motion.meta,
        "events": [[event.kind, event.side, event.time_s] for event in events],
        "asked": {"use_plates": forces.tracked},
        "notes": list(forces.notes),
        "plate_share": forces.plate_share,
        "reported_s": _reported_s(forces),
    }
    cycle = average_cycles(emg, events) if emg is not None else None
    if emg is not None and cycle is not None:
        meta["emg"] = {
            "names": list(cycle.names),
            "silent": list(emg.silent),
            "leg": cycle.leg,
            "cycle_v": np.round(cycle.cycle_v, 9).tolist(),
        }
        without_cycle = [name for name in emg.names if name not in cycle.names]
        if without_cycle:
            meta["notes"].append(f"EMG of {', '.join(without_cycle)} is not averaged: that leg takes no whole cycle.")
    return meta


def _motion(marker_fit: MarkerFit, robot: Robot, forces: GroundForces) -> Motion:
    """Return the reported part of a walk as a motion, without notes and receipt."""
    qpos = qpos_from_angles(forces.movement.q)
    events = _events(marker_fit, forces)
    contact = contact_columns(events, marker_fit.trial, robot.foot_names)
    contact = _contact_under_forces(contact, robot, forces)
    rows = _kept_samples(forces)
    return replace(
        marker_fit.motion,
        time_s=forces.time_s[rows],
        qpos=qpos[rows],
        contact=contact[rows],
        torque_nm=forces.torque_nm[rows],
        ground_force_n=_forces_at_contact_points(robot, forces, qpos, contact)[rows],
        cop_in_world=cop_of_wrenches(forces.wrench)[rows],
    )


def _events(marker_fit: MarkerFit, forces: GroundForces) -> tuple[GaitEvent, ...]:
    """Return the events that the forces belong to: those of plates only if plates were followed."""
    return marker_fit.trial.best_events if forces.tracked else marker_fit.trial.events


def _contact_under_forces(contact: npt.NDArray[np.bool_], robot: Robot, forces: GroundForces) -> npt.NDArray[np.bool_]:
    """Return contacts of contact points that say of each foot that it stands while it is loaded. Shape (T, 6).

    The threshold is that of plates. Stances with only one event seen, and gaps of flight that are errors of events, are
    placed by the forces alone: there the heel stands in the first half of a stance, the forefoot in the second.
    """
    contact = contact.copy()
    is_loaded = forces.loads.in_contact & (forces.loads.force_n[..., 2] >= THRESHOLD_N)
    for foot, side in enumerate(SIDES):
        is_own = np.array([name.endswith(side) for name in robot.foot_names])
        is_heel = np.array([name == f"Heel{side}" for name in robot.foot_names])
        for footprint in forces.footprints:
            if footprint.side != side:
                continue
            missing = footprint.is_standing(forces.time_s) & ~contact[:, is_own].any(axis=1)
            is_late = footprint.stance_share(forces.time_s) > 0.5
            contact[np.outer(missing & ~is_late, is_heel)] = True
            contact[np.outer(missing & is_late, is_own & ~is_heel)] = True
        contact[np.outer(~is_loaded[:, foot], is_own)] = False
    return contact


def _reported_s(forces: GroundForces) -> list[float]:
    """Return the times between which forces and torques are reported."""
    reported_s = forces.time_s[forces.reported]
    return [float(reported_s[0]), float(reported_s[-1])]


def _kept_samples(forces: GroundForces) -> npt.NDArray[np.bool_]:
    """Return the reported samples, with the margin at both ends that a check does not judge. Shape (T,)."""
    first_s, last_s = _reported_s(forces)
    margin_s = ENDS_S + 1e-9
    return np.asarray((forces.time_s >= first_s - margin_s) & (forces.time_s <= last_s + margin_s))


def _forces_at_contact_points(robot: Robot, forces: GroundForces, qpos: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return forces of feet shared among their contact points, keeping the centre of pressure. Shape (T, 6, 3)."""
    points = foot_contact_points(robot, qpos)
    names = list(robot.foot_names)
    result = np.zeros((len(qpos), len(names), 3))
    for foot, side in enumerate(SIDES):
        heel, hallux, meta = (names.index(f"{part}{side}") for part in ("Heel", "Hallux", "Meta5"))
        in_contact = forces.loads.in_contact[:, foot, None]
        cop = np.where(in_contact, np.nan_to_num(forces.loads.cop_m[:, foot]), 0.0)
        front, outer = _triangle_shares(points[:, [heel, hallux, meta], :2], cop)
        front = np.where(contact[:, hallux] & ~contact[:, heel], 1.0, front)
        for index, share in ((heel, 1.0 - front), (hallux, front * (1.0 - outer)), (meta, front * outer)):
            result[:, index] = share[:, None] * forces.loads.force_n[:, foot]
    return result


def _triangle_shares(corners: Array, point: Array) -> tuple[Array, Array]:
    """Return the share of a load on the front corners, and of that the share on the outer one.

    The load acts at the point if the point is in the triangle of heel, inner and outer front corner, else near it.
    Shapes (T, 3, 2) and (T, 2).
    """
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    inner, outer = np.linalg.solve(edges, (point - corners[:, 0])[..., None])[..., 0].T
    front = np.maximum(inner + outer, 1e-9)
    return np.clip(front, 0.0, 1.0), np.clip(outer / front, 0.0, 1.0)
