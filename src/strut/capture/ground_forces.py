"""Ground forces: a marker fit → the ground's force under each foot and joint torques, with bands, without plates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import butter, filtfilt

from strut.capture.dynamic_smoothing import (
    GRAVITY_M_S2,
    MeasuredWrench,
    SmoothingOptions,
    continuous_angles,
    smooth_movement,
)
from strut.capture.fit import MarkerFit
from strut.capture.footprints import SIDES, Footprint, find_footprints
from strut.capture.landing_transient import landing_wrench, markers_were_filtered
from strut.capture.load_sharing import FootLoads, pressure_belief, share_load
from strut.capture.plate_comparison import PlateForces, plate_forces
from strut.capture.wrench_derivatives import Movement
from strut.engines.body_wrench import centre_of_mass_path, torques_under_wrenches
from strut.errors import BadRecordingError
from strut.robot import Array, Robot
from strut.rotation import qpos_from_angles

BASELINE_HZ = 6.0
DRAWS = 30
NORMAL_90 = 1.645
# Half widths over body weight of the 90 % bands that the draws do not explain, forwards, left and up: what is left
# between forces and plates in the half of the trials that is for tuning (benchmarks/bench_ground_forces.py).
TOTAL_FLOOR = np.array([0.045, 0.030, 0.080])
FOOT_FLOOR = np.array([0.045, 0.030, 0.090])
TORQUE_FLOOR = 0.03  # of body weight times a metre
Told = Callable[[str, float], None]


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
        movement: Smooth coordinates that the forces belong to. Shapes (T, n).
        footprints: Where and when feet stand.
        wrench: Of the ground: force, and moment about the origin. Shape (T, 6).
        loads: Under each foot.
        torque_nm: Shape (T, n_joints).
        unexplained: Force and moment that no foot gives. Shape (T, 6).
        bands: 90 % bands.
        baseline_n: Mass times acceleration of the centre of mass and gravity, from angles below 6 Hz. Shape (T, 3).
        plates: What plates measured; None without plates.
        tracked: Whether plates were followed instead of compared.
    """

    movement: Movement
    footprints: tuple[Footprint, ...]
    wrench: Array
    loads: FootLoads
    torque_nm: Array
    unexplained: Array
    bands: Bands
    baseline_n: Array
    plates: PlateForces | None
    tracked: bool


def ground_forces(
    found: MarkerFit,
    robot: Robot,
    *,
    use_plates: bool = False,
    options: SmoothingOptions | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    on_progress: Told | None = None,
) -> GroundForces:
    """Return ground forces and joint torques of a walk.

    Args:
        found: The marker fit.
        robot: The person, see `robot_of_subject`.
        use_plates: Follow force plates, and their events, instead of comparing with them.
        options: Sizes of errors; those that were tuned if None.
        draws: Movements from which the bands are taken.
        seed: Of the draws.
        on_progress: Told what is being done and which share of it.

    Raises:
        BadRecordingError: If nobody walks, or plates are to be followed and there are none.
    """
    tell = on_progress or (lambda what, share: None)
    trial, time_s, chosen = found.trial, found.motion.time_s, options or SmoothingOptions()
    if not trial.events or trial.paths is None:
        raise BadRecordingError(f"{trial.recording.name}: nobody walks in it, so there are no steps to find forces of.")
    belt = trial.paths.belt_m_s
    prints = find_footprints(robot, time_s, found.motion.qpos, trial.events, belt)
    plates = plate_forces(trial, prints) if trial.stances else None
    plates = plates if plates is not None and plates.any else None
    if use_plates:
        if plates is None:
            raise BadRecordingError(f"{trial.recording.name}: no foot stands whole on a force plate; leave --use-plates.")
        prints = find_footprints(robot, time_s, found.motion.qpos, trial.best_events, belt)
    tell("smooth", 0.0)
    belief = pressure_belief(prints, time_s, chosen)
    tracked = MeasuredWrench(plates.total) if use_plates and plates is not None else None
    smooth = smooth_movement(found, robot, belief, chosen, measured=tracked, draws=draws, seed=seed)
    tell("share between the feet", 0.5)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    restored = landing_wrench(prints, time_s, weight_n) if markers_were_filtered(trial.recording) else 0.0
    results = []
    for index, (movement, wrench) in enumerate(((smooth.movement, smooth.wrench), *smooth.draws)):
        changed = prints if index == 0 else _shaken(prints, chosen, np.random.default_rng([seed, index]))
        ground = wrench + restored
        loads = _loads(robot, changed, time_s, movement, ground, plates if use_plates else None)
        feet = [f"Foot{side}" for side in SIDES]
        torque, left = torques_under_wrenches(robot.model, movement.for_engine(), feet, loads.wrenches())
        results.append((ground, loads, torque, left))
        tell("share between the feet", 0.5 + 0.5 * (index + 1) / (len(smooth.draws) + 1))
    wrench, loads, torque, left = results[0]
    bands = _bands(results, weight_n)
    baseline = centre_of_mass_force(found, robot)
    return GroundForces(smooth.movement, prints, wrench, loads, torque, left, bands, baseline, plates, use_plates)


def _loads(
    robot: Robot,
    prints: Sequence[Footprint],
    time_s: Array,
    movement: Movement,
    wrench: Array,
    plates: PlateForces | None,
) -> FootLoads:
    com = centre_of_mass_path(robot.model, qpos_from_angles(movement.q))
    loads = share_load(prints, time_s, wrench, com, robot.friction)
    return loads if plates is None else _with_plates(loads, plates)


def _with_plates(loads: FootLoads, plates: PlateForces) -> FootLoads:
    """Return loads in which what plates measured replaces what was computed."""
    known = np.isfinite(plates.wrench).all(axis=2) & (plates.wrench[..., 2] > 0.0)
    place = np.stack([-plates.wrench[..., 4], plates.wrench[..., 3]], axis=-1)
    load = np.where(known, np.maximum(plates.wrench[..., 2], 1.0), 1.0)
    cop = np.where(known[..., None], np.nan_to_num(place) / load[..., None], loads.cop_m)
    force = np.where(known[..., None], np.nan_to_num(plates.wrench[..., :3]), loads.force_n)
    measured = FootLoads(force, cop, np.where(known, 0.0, loads.twist_nm), loads.stands | known)
    twist = np.nan_to_num(plates.wrench[..., 5]) - measured.wrenches()[..., 5]
    return FootLoads(force, cop, np.where(known, twist, loads.twist_nm), measured.stands)


def centre_of_mass_force(found: MarkerFit, robot: Robot) -> Array:
    """Return mass times acceleration of the centre of mass and gravity, of angles below 6 Hz. Shape (T, 3).

    The plain estimate that everybody can make, to compare with.
    """
    q, rate_hz = continuous_angles(found), found.trial.recording.rate_hz
    padding = min(len(q) - 1, round(0.5 * rate_hz))
    low = filtfilt(*butter(2, min(BASELINE_HZ / (rate_hz / 2.0), 0.95)), q, axis=0, padlen=padding)
    path = centre_of_mass_path(robot.model, qpos_from_angles(low))
    acceleration = CubicSpline(found.motion.time_s, path)(found.motion.time_s, 2)
    return np.asarray(robot.mass_kg * (acceleration + [0.0, 0.0, GRAVITY_M_S2]))


def _shaken(
    prints: Sequence[Footprint], options: SmoothingOptions, rng: np.random.Generator
) -> tuple[Footprint, ...]:
    """Return footprints whose events and places are off as much as they usually are."""
    return tuple(
        Footprint(
            one.side,
            one.start_s + rng.normal(scale=0.012),
            one.stop_s + rng.normal(scale=0.012),
            one.heel_m + rng.normal(scale=options.pressure_m / np.sqrt(2.0), size=2),
            one.forwards,
            one.length_m,
            one.belt_m_s,
            one.seen,
        )
        for one in prints
    )


def _bands(results: Sequence[tuple[Array, FootLoads, Array, Array]], weight_n: float) -> Bands:
    """Return bands from draws, and from what draws do not explain."""
    best, drawn = results[0], results[1:]

    def band(pick: Callable[[tuple[Array, FootLoads, Array, Array]], Array], floor: Array | float) -> Array:
        away = [pick(one) - pick(best) for one in drawn]
        spread = np.sqrt(np.mean(np.square(away), axis=0)) if away else 0.0
        return np.asarray(np.hypot(NORMAL_90 * spread, np.broadcast_to(floor * weight_n, pick(best).shape)))

    feet = band(lambda one: one[1].force_n, FOOT_FLOOR)
    stands = best[1].stands[..., None]
    return Bands(
        band(lambda one: one[0][:, :3], TOTAL_FLOOR),
        np.where(stands, feet, np.minimum(feet, 0.02 * weight_n)),
        band(lambda one: one[2], TORQUE_FLOOR),
    )
