"""Ground forces without plates: marker fit → force of the ground under each foot, joint torques, and 90 % bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.ndimage import minimum_filter1d

from strut.arrays import Array
from strut.engines.body_wrench import Movement, centre_of_mass_path, torques_under_wrenches
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadRecordingError
from strut.maths.rotation import qpos_from_angles
from strut.maths.sampling import low_pass
from strut.mocap.events.heel_strikes import heel_deceleration_m_s2
from strut.mocap.forces.dynamic_smoothing import (
    SEED,
    SmoothingOptions,
    WrenchPrior,
    smooth_movement,
    smoothing_options,
    unwrapped_angles,
)
from strut.mocap.forces.footprints import Footprint, find_footprints
from strut.mocap.forces.landing_transient import LandingShape, add_landing_transients, landing_shape
from strut.mocap.forces.load_sharing import (
    FILTERED_COP_LEAD,
    FootLoads,
    clip_to_friction,
    cop_of_wrenches,
    cop_prior,
    share_load,
)
from strut.mocap.forces.plate_alignment import PlateAlignment, plate_alignment
from strut.mocap.forces.plate_assignment import plate_forces
from strut.mocap.forces.plate_comparison import PlateForces, measured_force_share, weight_mismatch_notes
from strut.mocap.forces.plate_plausibility import plausible_plates
from strut.mocap.gait_trial import replace_by_plate_events
from strut.mocap.marker_fit.fit import MarkerFit
from strut.mocap.marker_fit.pose_solver import OnCaptureProgress, no_progress
from strut.mocap.markers.marker_checks import filter_cutoff_hz, marker_noise_m
from strut.recording import SIDES, GaitEvent, are_seen
from strut.robot import Robot

# Numbers without another reason were chosen on the tuning half of the plate trials (benchmarks/bench_ground_forces.py).
BASELINE_HZ = 6.0  # low-pass filter of the angles of the centre-of-mass estimate; usual in gait laboratories
PLATE_SD = 0.005  # of plates that are followed, over body weight; chosen by eye
BASELINE_SD = 0.015  # of the centre-of-mass estimate, over body weight
BASELINE_S = 0.1  # correlation time of the error of the centre-of-mass estimate
BASELINE_MIN_SEEN = 0.95  # share of the markers that must be seen nearby, or there is no centre-of-mass estimate
SAMPLES = 30  # movements from which the bands are computed
KEPT_SAMPLES = 8  # of them, from which the uncertainty of a verdict is computed; its standard deviation needs no more
NORMAL_90 = 1.645  # half width of a 90 % band over the standard deviation
# Half widths of bands: a share of the spread of the samples, and a floor for what the samples do not explain.
SPREAD_SHARE = 0.3  # the samples take errors as more independent in time than they are
TOTAL_FLOOR = np.array([0.042, 0.0275, 0.068])  # over body weight: forwards, left, up
FOOT_FLOOR = np.array([0.048, 0.039, 0.112])  # over body weight: forwards, left, up
TORQUE_FLOOR = 0.03  # over body weight times a metre
SWING_BAND = 0.02  # over body weight: widest band of the force on a foot in swing; chosen by eye
# Forces and torques nearer to an end of the recording are not reported. Recordings of the tuning half were cut by up to
# 0.37 s at both ends: 0.15 s from the new ends torques differ by less than TORQUE_FLOOR from those of the whole
# recording, at the ends by up to four times as much.
END_S = 0.15
MIN_REPORTED = 10  # samples; fewer make no step
UNWEIGHED = "No force plate confirms the mass; forces and torques grow in proportion to it."


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Half widths of 90 % bands: total force (T, 3), forces of feet (T, 2, 3), torques (T, n_joints)."""

    total_n: Array
    foot_n: Array
    torque_nm: Array


@dataclass(frozen=True, slots=True, eq=False)
class GroundForces:
    """Forces of the ground on a walking person, and joint torques.

    Args:
        time_s: Shape (T,).
        movement: Smooth coordinates that belong to the forces. Shapes (T, n).
        footprints: Where and when feet stand.
        wrench: Of the ground: force, and moment about the origin. Shape (T, 6).
        loads: Under each foot.
        torque_nm: Shape (T, n_joints).
        bands: 90 % bands.
        baseline_n: Centre-of-mass estimate, see `centre_of_mass_force`. Shape (T, 3).
        plates: Measured by plates; None without plates.
        tracked: Whether plates were followed instead of compared.
        between_events: Frames from the first to the last event; outside, stances are extrapolated. Shape (T,).
        with_toes: Whether markers on the forefoot show toe offs.
        samples: The same for a few movements, events and footprints that explain the markers as well.
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
    with_toes: bool = True
    samples: tuple[GroundForces, ...] = ()

    @property
    def reported(self) -> npt.NDArray[np.bool_]:
        """Samples whose forces and torques are reported: between events and not near an end. Shape (T,)."""
        return self.between_events & _are_inside(self.time_s)

    @property
    def plate_share(self) -> float | None:
        """Vertical force that plates measured over the force that the movement requires; None without plates."""
        if self.plates is None:
            return None
        required_n = (
            self.baseline_n if self.tracked else self.wrench[:, :3]
        )  # forces that follow plates agree with them
        return measured_force_share(self.plates.at_samples(self.reported), required_n)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user."""
        weight = weight_mismatch_notes(self.plate_share)
        if self.tracked and self.plates is not None:
            followed = "Force plates were followed where a whole foot stands on them."
            return (followed, *self.plates.doubts, *weight)
        transient = "The usual sharp rise of the vertical force at landings was added: smooth markers do not show it."
        alignment = self.alignment
        if self.plates is None or alignment is None:
            return (transient, UNWEIGHED)
        return (transient, *self.plates.notes, *weight, *alignment.notes)

    @property
    def alignment(self) -> PlateAlignment | None:
        """Delay and offset of plates relative to markers; None without plates, or if they were followed."""
        if self.plates is None or self.tracked:
            return None
        return plate_alignment(self.plates, self.footprints, self.wrench[:, :3], self.time_s, with_toes=self.with_toes)


class _Solution(NamedTuple):
    """Wrench of the ground (T, 6), loads of the feet, and joint torques (T, n_joints)."""

    wrench: Array
    loads: FootLoads
    torque_nm: Array


class _Walk(NamedTuple):
    """What is the same for the mean movement and for all samples; `followed` are plates to follow."""

    robot: Robot
    time_s: Array
    landing: LandingShape
    cop_lead: float
    followed: PlateForces | None


def ground_forces(
    marker_fit: MarkerFit,
    robot: Robot,
    *,
    use_plates: bool = False,
    samples: int = SAMPLES,
    on_progress: OnCaptureProgress = no_progress,
) -> GroundForces:
    """Return ground forces and joint torques of a walk.

    Args:
        marker_fit: Of the walk.
        robot: The person, see `robot_of_subject`.
        use_plates: Follow force plates and their events instead of comparing with them.
        samples: Movements from which the bands are computed.
        on_progress: Called with what is being done and the share that is done.

    Raises:
        BadRecordingError: If the person does not walk, or `use_plates` is set and no foot stands on a plate.
    """
    trial = marker_fit.trial
    time_s = marker_fit.motion.time_s
    if not trial.events or trial.paths is None:
        raise BadRecordingError(
            f"{trial.recording.name}: the person does not walk, so there are no steps to find forces of."
        )
    if (_between_events(trial.events, time_s) & _are_inside(time_s)).sum() < MIN_REPORTED:
        raise BadRecordingError(
            f"{trial.recording.name}: no step is farther than {END_S:g} s from both ends of the recording, where "
            "forces cannot be found; record a longer walk."
        )
    cutoff_hz = filter_cutoff_hz(trial.recording)
    is_filtered = cutoff_hz is not None
    noise_m = marker_noise_m(trial.recording)
    # plates measure fast changes, too
    options = smoothing_options(filtered=is_filtered or use_plates, noise_m=noise_m)
    footprints, plates = _supports(marker_fit, robot, use_plates)
    baseline_n = centre_of_mass_force(marker_fit, robot)
    followed = None
    if use_plates and plates is not None:
        weight_n = robot.mass_kg * GRAVITY_M_S2
        followed = plausible_plates(plates, footprints, baseline_n, weight_n, _are_inside(time_s))
        plates = replace(plates, doubts=followed.doubts)
    wrench_prior = baseline_prior(marker_fit, baseline_n, is_filtered=is_filtered and followed is None)
    if followed is not None:
        wrench_prior = _prefer_plates(wrench_prior, followed)
    cop = cop_prior(footprints, time_s, options)
    smooth = smooth_movement(marker_fit, robot, cop, options, wrench=wrench_prior, samples=samples)

    deceleration_m_s2 = heel_deceleration_m_s2(trial.events, trial.paths)
    landing = landing_shape(cutoff_hz, trial.recording.rate_hz, trial.paths.speed_m_s, deceleration_m_s2)
    walk = _Walk(robot, time_s, landing, FILTERED_COP_LEAD if is_filtered else 0.0, followed)
    mean = _solve(walk, footprints, smooth.movement, smooth.wrench)
    on_progress("share between the feet", 1.0 / (1 + len(smooth.samples)))
    sampled = []
    perturbed = []
    for index, (movement, wrench) in enumerate(smooth.samples, start=1):
        perturbed.append(_perturb(footprints, options, landing, np.random.default_rng([SEED, index])))
        sampled.append(_solve(walk, perturbed[-1], movement, wrench))
        on_progress("share between the feet", (1 + index) / (1 + len(smooth.samples)))
    found = GroundForces(
        time_s=time_s,
        movement=smooth.movement,
        footprints=footprints,
        wrench=mean.wrench,
        loads=mean.loads,
        torque_nm=mean.torque_nm,
        bands=_bands(mean, sampled, robot.mass_kg * GRAVITY_M_S2),
        baseline_n=baseline_n,
        plates=plates,
        tracked=use_plates,
        between_events=_between_events(trial.events, time_s),
        with_toes=all(foot.on_toe for foot in trial.paths.feet),
    )
    solved = zip(smooth.samples, perturbed, sampled, strict=True)
    kept = tuple(
        replace(found, movement=movement, footprints=steps, wrench=one.wrench, loads=one.loads, torque_nm=one.torque_nm)
        for (movement, _), steps, one in list(solved)[:KEPT_SAMPLES]
    )
    return replace(found, samples=kept)


def centre_of_mass_force(marker_fit: MarkerFit, robot: Robot) -> Array:
    """Return mass times the acceleration of the centre of mass, and gravity, of angles below 6 Hz. Shape (T, 3).

    The plain estimate of gait laboratories, to compare with.
    """
    q = unwrapped_angles(marker_fit)
    time_s = marker_fit.motion.time_s
    rate_hz = marker_fit.trial.recording.rate_hz
    padding = min(len(q) - 1, round(0.5 * rate_hz))
    low = low_pass(q, BASELINE_HZ, rate_hz, padding=padding)
    path = centre_of_mass_path(robot.model, qpos_from_angles(low))
    acceleration = CubicSpline(time_s, path)(time_s, 2)
    return np.asarray(robot.mass_kg * (acceleration + np.array([0.0, 0.0, GRAVITY_M_S2])))


def _between_events(events: Sequence[GaitEvent], time_s: Array) -> npt.NDArray[np.bool_]:
    """Return the frames from the first to the last heel strike or toe off. Shape (T,)."""
    changes_s = [event.time_s for event in events if event.kind in ("heel_strike", "toe_off")]
    return (time_s >= min(changes_s, default=0.0)) & (time_s <= max(changes_s, default=np.inf))


def _are_inside(time_s: Array) -> npt.NDArray[np.bool_]:
    """Return which samples are not near an end of the recording. Shape (T,)."""
    return np.asarray((time_s >= time_s[0] + END_S) & (time_s <= time_s[-1] - END_S))


def _supports(
    marker_fit: MarkerFit, robot: Robot, use_plates: bool
) -> tuple[tuple[Footprint, ...], PlateForces | None]:
    """Return footprints, by the events of plates if plates are followed, and what plates measured, if anything."""
    trial = marker_fit.trial
    motion = marker_fit.motion
    assert trial.paths is not None
    belt_m_s = trial.paths.belt_m_s
    footprints = find_footprints(robot, motion.time_s, motion.qpos, trial.events, belt_m_s)
    plates = plate_forces(trial, footprints) if trial.recording.plates else None
    if plates is not None and not plates.has_stance:
        plates = None
    if not use_plates:
        return footprints, plates
    if plates is None:
        raise BadRecordingError(
            f"{trial.recording.name}: no whole foot stands on a force plate; leave out --use-plates."
        )
    events = replace_by_plate_events(trial.events, trial.plate_events)
    return find_footprints(robot, motion.time_s, motion.qpos, events, belt_m_s), plates


def baseline_prior(marker_fit: MarkerFit, baseline_n: Array, *, is_filtered: bool) -> WrenchPrior:
    """Return the centre-of-mass estimate, without its lateral force, as a prior: it has less noise than raw markers.

    Filtered markers have no such noise and get no prior; neither do frames near unseen markers, where angles jump.
    """
    recording = marker_fit.trial.recording
    frames = max(round(BASELINE_S * recording.rate_hz), 1)
    seen_share = are_seen(recording.markers(marker_fit.marker_names)).mean(axis=1)
    is_clear = (minimum_filter1d(seen_share, 2 * frames + 1) >= BASELINE_MIN_SEEN) & (not is_filtered)
    known = np.ix_(is_clear, [0, 2])
    wrench = np.full((len(baseline_n), 6), np.nan)
    wrench[known] = baseline_n[known]
    return WrenchPrior(wrench, np.full(len(wrench), BASELINE_SD * np.sqrt(frames)))


def _prefer_plates(prior: WrenchPrior, plates: PlateForces) -> WrenchPrior:
    """Return a prior of the wrench with the measurements of plates where they know it.

    Movements that follow plates may change fast; without a prior they would do so where no plate measures them.
    """
    total = plates.total
    is_known = np.asarray(np.isfinite(total).all(axis=1))
    return WrenchPrior(np.where(is_known[:, None], total, prior.wrench), np.where(is_known, PLATE_SD, prior.sd))


def _solve(walk: _Walk, footprints: Sequence[Footprint], movement: Movement, wrench: Array) -> _Solution:
    """Return the forces under each foot and the torques of a movement with its required wrench."""
    robot = walk.robot
    com_m = centre_of_mass_path(robot.model, qpos_from_angles(movement.q))
    loads = share_load(footprints, walk.time_s, wrench, com_m, robot.friction, cop_lead=walk.cop_lead)
    if walk.followed is None:
        weight_n = robot.mass_kg * GRAVITY_M_S2
        sharp = add_landing_transients(loads, footprints, walk.time_s, weight_n, walk.landing)
        wrench = wrench + (sharp.wrenches() - loads.wrenches()).sum(axis=1)
        loads = sharp
    else:
        loads = _replace_by_plates(loads, walk.followed, wrench[:, :3], robot.friction)
    feet = [f"Foot{side}" for side in SIDES]
    torque_nm = torques_under_wrenches(robot.model, movement.for_engine(), feet, loads.wrenches())
    return _Solution(wrench, loads, torque_nm)


def _replace_by_plates(loads: FootLoads, plates: PlateForces, total_n: Array, friction: float) -> FootLoads:
    """Return loads with the measurements of plates where there are any.

    Where both feet stand and plates measured one of them, the other one carries the rest of the total.

    Args:
        loads: Shared by the movement.
        plates: Measured.
        total_n: Required force of the ground. Shape (T, 3).
        friction: Largest tangential over normal force.
    """
    is_measured = np.isfinite(plates.wrench).all(axis=2) & (plates.wrench[..., 2] > 0.0)
    force = np.where(is_measured[..., None], np.nan_to_num(plates.wrench[..., :3]), loads.force_n)
    has_rest = loads.in_contact & ~is_measured & is_measured[:, ::-1]
    rest = clip_to_friction(total_n[:, None] - force[:, ::-1], friction)
    force = np.where(has_rest[..., None], rest, force)
    cop = np.where(is_measured[..., None], cop_of_wrenches(plates.wrench), loads.cop_m)
    in_contact = loads.in_contact | is_measured
    without_twist = FootLoads(force, cop, np.where(is_measured, 0.0, loads.twist_nm), in_contact)
    twist = np.nan_to_num(plates.wrench[..., 5]) - without_twist.wrenches()[..., 5]
    return FootLoads(force, cop, np.where(is_measured, twist, loads.twist_nm), in_contact)


def _perturb(
    footprints: Sequence[Footprint], options: SmoothingOptions, landing: LandingShape, rng: np.random.Generator
) -> tuple[Footprint, ...]:
    """Return footprints with random errors of usual size in their events and places."""
    error_s = rng.normal(scale=landing.event_sd_s, size=(len(footprints), 2))
    error_sd_m = options.cop_sd_m / np.sqrt(2.0)
    return tuple(
        replace(
            footprint,
            start_s=footprint.start_s + start_error_s,
            stop_s=footprint.stop_s + stop_error_s,
            heel_m=footprint.heel_m + rng.normal(scale=error_sd_m, size=2),
        )
        for footprint, (start_error_s, stop_error_s) in zip(footprints, error_s, strict=True)
    )


def _bands(mean: _Solution, sampled: Sequence[_Solution], weight_n: float) -> Bands:
    """Return bands from the spread of samples and from floors."""

    def band(pick: Callable[[_Solution], Array], floor: Array | float) -> Array:
        deviations = [pick(solution) - pick(mean) for solution in sampled]
        spread = np.sqrt(np.mean(np.square(deviations), axis=0)) if deviations else 0.0
        floors = np.broadcast_to(floor * weight_n, pick(mean).shape)
        return np.asarray(np.hypot(NORMAL_90 * SPREAD_SHARE * spread, floors))

    foot_n = band(lambda solution: solution.loads.force_n, FOOT_FLOOR)
    return Bands(
        total_n=band(lambda solution: solution.wrench[:, :3], TOTAL_FLOOR),
        foot_n=np.where(mean.loads.in_contact[..., None], foot_n, np.minimum(foot_n, SWING_BAND * weight_n)),
        torque_nm=band(lambda solution: solution.torque_nm, TORQUE_FLOOR),
    )
