"""Ground forces: a marker fit → the ground's force under each foot and joint torques, with bands, without plates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.ndimage import minimum_filter1d

from strut.arrays import Array
from strut.capture.events.heel_strikes import heel_push_m_s2
from strut.capture.forces.dynamic_smoothing import (
    SEED,
    SmoothingOptions,
    WrenchPrior,
    continuous_angles,
    smooth_movement,
    smoothing_options,
)
from strut.capture.forces.footprints import Footprint, find_footprints
from strut.capture.forces.landing_transient import LandingShape, landing_shape, with_landings
from strut.capture.forces.load_sharing import FILTERED_LEAD, FootLoads, cop_prior, share_load, wrench_cop
from strut.capture.forces.plate_alignment import PlateAlignment, plate_alignment
from strut.capture.forces.plate_comparison import PlateForces, felt_share, plate_forces, weight_notes
from strut.capture.gait_trial import with_plates
from strut.capture.marker_fit.fit import MarkerFit
from strut.capture.marker_fit.pose_solver import OnCaptureProgress, no_progress
from strut.capture.markers.marker_checks import filtered_above_hz
from strut.engines.body_wrench import Movement, centre_of_mass_path, torques_under_wrenches
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadRecordingError
from strut.maths.rotation import qpos_from_angles
from strut.maths.sampling import low_passed
from strut.recording import SIDES, GaitEvent, all_seen
from strut.robot import Robot

UNWEIGHED = "No force plate tells whether the mass is right: forces and torques grow with it."
BASELINE_HZ = 6.0
FOLLOWED_SD = 0.005  # of plates that are followed, over body weight
PLAIN_SD = 0.015
PLAIN_S = 0.1  # of the plain estimate, over body weight; so long it stays alike
PLAIN_SEEN = 0.95  # of the markers, at least, or the plain estimate says nothing
DRAWS = 30
NORMAL_90 = 1.645
# Half widths over body weight of the 90 % bands that the draws do not explain, forwards, left and up: what is left
# between forces and plates in the half of the trials that is for tuning (benchmarks/bench_ground_forces.py).
DRAWN_SHARE = 0.3  # of the spread of draws, whose errors are taken as more independent in time than they are
TOTAL_FLOOR = np.array([0.042, 0.0275, 0.068])
FOOT_FLOOR = np.array([0.048, 0.039, 0.112])
TORQUE_FLOOR = 0.03  # of body weight times a metre


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Half widths of 90 % bands: total force (T, 3), forces of feet (T, 2, 3), torques (T, n_joints)."""

    total_n: Array
    foot_n: Array
    torque_nm: Array


@dataclass(frozen=True, slots=True, eq=False)
class GroundForces:
    """What the ground does to a walker, and what the joints do.

    Args:
        time_s: Shape (T,).
        movement: Smooth coordinates that the forces belong to. Shapes (T, n).
        footprints: Where and when feet stand.
        wrench: Of the ground: force, and moment about the origin. Shape (T, 6).
        loads: Under each foot.
        torque_nm: Shape (T, n_joints).
        bands: 90 % bands.
        baseline_n: Mass times acceleration of the centre of mass and gravity, from angles below 6 Hz. Shape (T, 3).
        plates: What plates measured; None without plates.
        tracked: Whether plates were followed instead of compared.
        between_events: Frames from the first to the last event; before and after, stances are only guessed. Shape (T,).
    """

    time_s: Array
    movement: Movement
    footprints: tuple[Footprint, ...]
    wrench: Array
    loads: FootLoads
    torque_nm: Array
    bands: Bands
    baseline_n: Array
    plates: PlateForces | None
    tracked: bool
    between_events: npt.NDArray[np.bool_]

    @property
    def plate_share(self) -> float | None:
        """Vertical force that plates felt over that which the movement needs; None if no plate tells."""
        needed_n = self.baseline_n if self.tracked else self.wrench[:, :3]  # what follows plates cannot judge by them
        return None if self.plates is None else felt_share(self.plates, needed_n)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done besides the usual."""
        weight = weight_notes(self.plate_share)
        if self.tracked:
            return ("Force plates were followed where a foot stands on them whole.", *weight)
        added = "The usual sharp rise of the vertical force at landings was added: smooth markers do not show it."
        alignment = self.alignment
        if self.plates is None or alignment is None:
            return (added, UNWEIGHED)
        return (added, *self.plates.notes, *weight, *alignment.notes)

    @property
    def alignment(self) -> PlateAlignment | None:
        """How far plates are from markers in time and place; None without plates, or if they were followed."""
        if self.plates is None or self.tracked:
            return None
        return plate_alignment(self.plates, self.footprints, self.wrench[:, :3], self.time_s)


def ground_forces(
    found: MarkerFit,
    robot: Robot,
    *,
    use_plates: bool = False,
    draws: int = DRAWS,
    on_progress: OnCaptureProgress = no_progress,
) -> GroundForces:
    """Return ground forces and joint torques of a walk.

    Args:
        found: The marker fit.
        robot: The person, see `robot_of_subject`.
        use_plates: Follow force plates, and their events, instead of comparing with them.
        draws: Movements from which the bands are taken.
        on_progress: Told what is being done and which share of it.

    Raises:
        BadRecordingError: If nobody walks, or plates are to be followed and there are none.
    """
    trial = found.trial
    time_s = found.motion.time_s
    if not trial.events or trial.paths is None:
        raise BadRecordingError(f"{trial.recording.name}: nobody walks in it, so there are no steps to find forces of.")
    filtered_hz = filtered_above_hz(trial.recording)
    filtered = filtered_hz is not None
    options = smoothing_options(filtered=filtered or use_plates)  # plates tell what is fast, so it may be
    prints, plates = _supports(found, robot, use_plates)
    followed = plates if use_plates else None
    plain_n = centre_of_mass_force(found, robot)
    cop = cop_prior(prints, time_s, options)
    wrench_prior = _wrench_prior(found, plain_n, followed, filtered=filtered)
    smooth = smooth_movement(found, robot, cop, options, wrench=wrench_prior, draws=draws)
    push = heel_push_m_s2(trial.events, trial.paths)
    shape = landing_shape(filtered_hz, trial.recording.rate_hz, trial.paths.speed_m_s, push)
    who = _Walker(robot, time_s, shape, FILTERED_LEAD if filtered else 0.0, followed)
    results = []
    for index, (movement, wrench) in enumerate(((smooth.movement, smooth.wrench), *smooth.draws)):
        changed = prints if index == 0 else _perturbed(prints, options, shape, np.random.default_rng([SEED, index]))
        results.append(_solved(who, changed, movement, wrench))
        on_progress("share between the feet", (index + 1) / (len(smooth.draws) + 1))
    return GroundForces(
        time_s=time_s,
        movement=smooth.movement,
        footprints=prints,
        wrench=results[0].wrench,
        loads=results[0].loads,
        torque_nm=results[0].torque_nm,
        bands=_bands(results, robot.mass_kg * GRAVITY_M_S2),
        baseline_n=plain_n,
        plates=plates,
        tracked=use_plates,
        between_events=_between(trial.events, time_s),
    )


def _between(events: Sequence[GaitEvent], time_s: Array) -> npt.NDArray[np.bool_]:
    """Return the frames from the first to the last heel strike or toe off. Shape (T,)."""
    span_s = [event.time_s for event in events if event.kind in ("heel_strike", "toe_off")]
    return (time_s >= min(span_s, default=0.0)) & (time_s <= max(span_s, default=np.inf))


def _supports(found: MarkerFit, robot: Robot, use_plates: bool) -> tuple[tuple[Footprint, ...], PlateForces | None]:
    """Return footprints, by the events of plates if they are followed, and what plates measured; None if nothing."""
    trial = found.trial
    motion = found.motion
    assert trial.paths is not None
    belt = trial.paths.belt_m_s
    prints = find_footprints(robot, motion.time_s, motion.qpos, trial.events, belt)
    plates = plate_forces(trial, prints) if trial.stances else None
    plates = plates if plates is not None and plates.any else None
    if use_plates and plates is None:
        raise BadRecordingError(
            f"{trial.recording.name}: no foot stands whole on a force plate; leave out --use-plates."
        )
    if use_plates:
        felt = with_plates(trial.events, trial.plate_events)
        prints = find_footprints(robot, motion.time_s, motion.qpos, felt, belt)
    return prints, plates


class _Solved(NamedTuple):
    """Wrench of the ground (T, 6), what each foot has of it, and joint torques (T, n_joints)."""

    wrench: Array
    loads: FootLoads
    torque_nm: Array


class _Walker(NamedTuple):
    """Who walks, when (T,), how landings look, how far the centre of pressure of both feet leads, plates to follow."""

    robot: Robot
    time_s: Array
    landing: LandingShape
    cop_lead: float
    followed: PlateForces | None


def _solved(who: _Walker, prints: Sequence[Footprint], movement: Movement, wrench: Array) -> _Solved:
    robot = who.robot
    time_s = who.time_s
    com = centre_of_mass_path(robot.model, qpos_from_angles(movement.q))
    loads = share_load(prints, time_s, wrench, com, robot.friction, cop_lead=who.cop_lead)
    if who.followed is None:
        sharp = with_landings(loads, prints, time_s, robot.mass_kg * GRAVITY_M_S2, who.landing)
        wrench = wrench + (sharp.wrenches() - loads.wrenches()).sum(axis=1)
        loads = sharp
    else:
        loads = _with_plates(loads, who.followed)
    feet = [f"Foot{side}" for side in SIDES]
    return _Solved(wrench, loads, torques_under_wrenches(robot.model, movement.for_engine(), feet, loads.wrenches()))


def _with_plates(loads: FootLoads, plates: PlateForces) -> FootLoads:
    """Return loads in which what plates measured replaces what was computed."""
    known = np.isfinite(plates.wrench).all(axis=2) & (plates.wrench[..., 2] > 0.0)
    cop = np.where(known[..., None], wrench_cop(plates.wrench), loads.cop_m)
    force = np.where(known[..., None], np.nan_to_num(plates.wrench[..., :3]), loads.force_n)
    measured = FootLoads(force, cop, np.where(known, 0.0, loads.twist_nm), loads.stands | known)
    twist = np.nan_to_num(plates.wrench[..., 5]) - measured.wrenches()[..., 5]
    return FootLoads(force, cop, np.where(known, twist, loads.twist_nm), measured.stands)


def centre_of_mass_force(found: MarkerFit, robot: Robot) -> Array:
    """Return mass times acceleration of the centre of mass and gravity, of angles below 6 Hz. Shape (T, 3).

    The plain estimate that everybody can make, to compare with.
    """
    q = continuous_angles(found)
    rate_hz = found.trial.recording.rate_hz
    padding = min(len(q) - 1, round(0.5 * rate_hz))
    low = low_passed(q, BASELINE_HZ, rate_hz, padding=padding)
    path = centre_of_mass_path(robot.model, qpos_from_angles(low))
    acceleration = CubicSpline(found.motion.time_s, path)(found.motion.time_s, 2)
    return np.asarray(robot.mass_kg * (acceleration + np.array([0.0, 0.0, GRAVITY_M_S2])))


def _wrench_prior(found: MarkerFit, plain_n: Array, followed: PlateForces | None, *, filtered: bool) -> WrenchPrior:
    """Return the prior of the ground-reaction wrench: what plates that are followed measured, or the plain estimate."""
    return (
        _plain_prior(found, plain_n, filtered=filtered)
        if followed is None
        else WrenchPrior(followed.total, FOLLOWED_SD)
    )


def _plain_prior(found: MarkerFit, plain_n: Array, *, filtered: bool) -> WrenchPrior:
    """Return the plain estimate, but sideways, as a prior: noise of raw markers is less in it. Shape (T, 3).

    It is none of filtered markers, which have no such noise, and near frames in which markers are not seen: angles jump
    there, and the plain estimate with them.
    """
    recording = found.trial.recording
    frames = max(round(PLAIN_S * recording.rate_hz), 1)
    seen = all_seen(recording.markers(found.marker_names)).mean(axis=1)
    known = np.full((len(plain_n), 6), np.nan)
    clear = (minimum_filter1d(seen, 2 * frames + 1) >= PLAIN_SEEN) & (not filtered)
    known[np.ix_(clear, [0, 2])] = plain_n[np.ix_(clear, [0, 2])]
    return WrenchPrior(known, PLAIN_SD * np.sqrt(frames))


def _perturbed(
    prints: Sequence[Footprint], options: SmoothingOptions, landing: LandingShape, rng: np.random.Generator
) -> tuple[Footprint, ...]:
    """Return footprints whose events and places are off as much as they usually are."""
    off_s = rng.normal(scale=landing.event_sd_s, size=(len(prints), 2))
    off_m = options.cop_sd_m / np.sqrt(2.0)
    return tuple(
        replace(
            one,
            start_s=one.start_s + early,
            stop_s=one.stop_s + late,
            heel_m=one.heel_m + rng.normal(scale=off_m, size=2),
        )
        for one, (early, late) in zip(prints, off_s, strict=True)
    )


def _bands(results: Sequence[_Solved], weight_n: float) -> Bands:
    """Return bands from draws, and from what draws do not explain."""
    best = results[0]
    drawn = results[1:]

    def band(pick: Callable[[_Solved], Array], floor: Array | float) -> Array:
        away = [pick(one) - pick(best) for one in drawn]
        spread = np.sqrt(np.mean(np.square(away), axis=0)) if away else 0.0
        return np.asarray(
            np.hypot(NORMAL_90 * DRAWN_SHARE * spread, np.broadcast_to(floor * weight_n, pick(best).shape))
        )

    feet = band(lambda one: one.loads.force_n, FOOT_FLOOR)
    stands = best.loads.stands[..., None]
    return Bands(
        band(lambda one: one.wrench[:, :3], TOTAL_FLOOR),
        np.where(stands, feet, np.minimum(feet, 0.02 * weight_n)),
        band(lambda one: one.torque_nm, TORQUE_FLOOR),
    )
