"""Dynamic smoothing: a maximum a posteriori B-spline trajectory, consistent with the ground-reaction wrench it implies.

One weighted least-squares problem over a whole trial, with these terms:

angles      distance from the fitted coordinates, with the precision that the markers give them
smoothness  third derivatives are white noise
wrench      prior of the ground-reaction wrench, from plates or from the centre-of-mass estimate
pressure    prior of its centre of pressure, as a small moment about the usual place under the feet; it determines what
            no marker does: the motion of a trunk or arms without markers, and the horizontal ground reaction

The wrench of inverse dynamics is not linear in the coordinates, so the problem is solved by Gauss-Newton steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.body_wrench import Movement, body_wrench
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.rotation import angles_from_qpos
from strut.mocap.forces.spline_system import SplineBasis, SplineSolution, SplineSystem, spline_basis
from strut.mocap.marker_fit.body_geometry import (
    body_points,
    lengths_array,
    place_points,
    point_jacobian,
    pose_body,
)
from strut.mocap.marker_fit.body_priors import human_geometry
from strut.mocap.marker_fit.fit import MarkerFit
from strut.recording import are_seen
from strut.robot import BASE, Robot

SEED = 0  # of the samples around a movement
FILTERED_JERK_M = 20.0  # m/s^3 per root of Hz, of the pelvis where fast changes are no noise: filtered markers, plates
ANGLE_STEP = 1e-5  # of finite differences
RATE_STEP = 1e-4  # of finite differences
ACCELERATION_STEP = 1e-2  # of finite differences; the wrench is linear in accelerations


@dataclass(frozen=True, slots=True)
class SmoothingOptions:
    """Standard deviations and correlation times of the priors.

    Chosen on the tuning half of the plate trials (benchmarks/bench_ground_forces.py).

    Args:
        knot_s: Between two knots of the splines.
        marker_sd_m: Error of a marker without jitter.
        marker_s: Correlation time of that error: it is more of the skin than of the cameras.
        jerk_m: Density of the noise in third derivatives of the pelvis position [m/s^3 per root of Hz].
        jerk_rad: The same of angles.
        unobserved_rad: Deviation of a joint without markers from its assumed angle.
        unobserved_s: Correlation time of that deviation.
        cop_sd_m: Distance of the centre of pressure from its usual path under one foot.
        shared_cop_sd_m: The same in mid double support.
        cop_s: Correlation time of that distance.
        twist_m: Moment about the vertical over body weight.
        rounds: Gauss-Newton steps.
    """

    knot_s: float = 0.03
    marker_sd_m: float = 0.003
    marker_s: float = 0.01
    jerk_m: float = 2.5
    jerk_rad: float = 75.0
    unobserved_rad: float = 0.08
    unobserved_s: float = 0.1
    cop_sd_m: float = 0.015
    shared_cop_sd_m: float = 0.05
    cop_s: float = 0.05
    twist_m: float = 0.01
    rounds: int = 2


def smoothing_options(*, filtered: bool, noise_m: float = 0.0) -> SmoothingOptions:
    """Return the options for markers that were filtered before, or were not, and jitter by `noise_m`."""
    usual = SmoothingOptions(jerk_m=FILTERED_JERK_M) if filtered else SmoothingOptions()
    return replace(usual, marker_sd_m=float(np.hypot(usual.marker_sd_m, noise_m)))


@dataclass(frozen=True, slots=True, eq=False)
class CopPrior:
    """Prior of the centre of pressure: mean (T, 2), standard deviation (T,); NaN where no foot stands."""

    cop_m: Array
    sd_m: Array

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Where there is a prior. Shape (T,)."""
        return np.asarray(np.isfinite(self.cop_m[:, 0]))


@dataclass(frozen=True, slots=True, eq=False)
class WrenchPrior:
    """Prior of the ground-reaction wrench about the origin; NaN where nothing is known.

    Args:
        wrench: Mean: forces [N], then moments [N m]. Shape (T, 6).
        sd: Standard deviation in each frame over body weight: N per N of force, m of moment. Shape (T,).
    """

    wrench: Array
    sd: Array


@dataclass(frozen=True, slots=True, eq=False)
class SmoothedMovement:
    """A movement (T, n), the wrench of the ground on it (T, 6), and posterior samples of both."""

    movement: Movement
    wrench: Array
    samples: tuple[tuple[Movement, Array], ...]


@dataclass(frozen=True, slots=True, eq=False)
class WrenchLinearisation:
    """The wrench (T, 6), and its derivatives with respect to coordinates, rates and accelerations (3, T, 6, n)."""

    wrench: Array
    derivatives: Array


def smooth_movement(
    marker_fit: MarkerFit,
    robot: Robot,
    cop: CopPrior,
    options: SmoothingOptions,
    *,
    wrench: WrenchPrior,
    samples: int = 0,
) -> SmoothedMovement:
    """Return the movement of a marker fit whose ground-reaction wrench feet can exert.

    Args:
        marker_fit: Fitted coordinates.
        robot: The person.
        cop: Prior of the centre of pressure of both feet together.
        options: Standard deviations.
        wrench: Prior of the ground-reaction wrench: measured by plates, or the centre-of-mass estimate.
        samples: Number of posterior samples.
    """
    q = unwrapped_angles(marker_fit)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    basis = spline_basis(marker_fit.motion.time_s, options.knot_s)
    precision = _marker_precision(marker_fit, q, options)
    roughness = np.full(q.shape[1], options.jerk_rad**-2.0)
    roughness[:3] = options.jerk_m**-2.0
    coefficients = basis.fit(q)
    for _ in range(options.rounds):
        system = SplineSystem(basis, q.shape[1])
        system.add_precision(precision, q)
        system.add_roughness(roughness)
        movement = movement_at_frames(basis, coefficients)
        linear = linearise_wrench(robot, movement)
        _add_cop_prior(system, movement, linear, cop, options, weight_n, marker_fit.trial.recording.rate_hz)
        _add_wrench_prior(system, movement, linear, wrench, weight_n)
        solution = system.solve()
        coefficients = solution.mean
    movement = movement_at_frames(basis, coefficients)
    sampled = _sample_movements(basis, solution, robot, samples)
    return SmoothedMovement(movement, required_wrench(robot, movement), sampled)


def unwrapped_angles(marker_fit: MarkerFit) -> Array:
    """Return the fitted coordinates without jumps of angles by a full turn. Shape (T, n)."""
    q = angles_from_qpos(marker_fit.motion.qpos)
    q[:, 3:BASE] = np.unwrap(q[:, 3:BASE], axis=0)
    return q


def required_wrench(robot: Robot, movement: Movement) -> Array:
    """Return the external force, and moment about the origin of the world, that a movement requires. Shape (T, 6)."""
    return body_wrench(robot.model, *movement.for_engine())


def linearise_wrench(robot: Robot, movement: Movement) -> WrenchLinearisation:
    """Return the required wrench and its derivatives by finite differences."""
    wrench = required_wrench(robot, movement)
    frames, count = movement.q.shape
    derivatives = []
    for order, step in enumerate((ANGLE_STEP, RATE_STEP, ACCELERATION_STEP)):
        values = [np.repeat(value, count, axis=0) for value in (movement.q, movement.rate, movement.acceleration)]
        values[order] = values[order] + np.tile(step * np.eye(count), (frames, 1))
        moved = required_wrench(robot, Movement(*values)).reshape(frames, count, 6)
        derivatives.append(np.swapaxes((moved - wrench[:, None]) / step, 1, 2))
    return WrenchLinearisation(wrench, np.stack(derivatives))


def movement_at_frames(basis: SplineBasis, coefficients: Array) -> Movement:
    """Return the movement of coefficients at the frames. Shape (n_splines, n)."""
    return Movement(*(basis.at_frames(coefficients, derivative) for derivative in range(3)))


def _sample_movements(
    basis: SplineBasis, solution: SplineSolution, robot: Robot, count: int
) -> tuple[tuple[Movement, Array], ...]:
    if not count:
        return ()
    deviations = solution.sample(count, np.random.default_rng(SEED))
    movements = [movement_at_frames(basis, solution.mean + deviation) for deviation in deviations]
    return tuple((movement, required_wrench(robot, movement)) for movement in movements)


def _marker_precision(marker_fit: MarkerFit, q: Array, options: SmoothingOptions) -> Array:
    """Return the precision that markers give the coordinates; a weak prior on unobserved ones. Shape (T, n, n)."""
    body = human_geometry()
    person = marker_fit.subject
    recording = marker_fit.trial.recording
    names = marker_fit.marker_names
    points = body_points(body, [(person.marker[name].segment, person.marker[name].at_m) for name in names])
    pose = pose_body(body, q, lengths_array(body, person.lengths_m))
    jacobian = point_jacobian(body, pose, points, place_points(pose, points))
    seen = are_seen(recording.markers(names))
    weights = np.array([marker_fit.trial.landmarks[name].weight for name in names])
    correlated_frames = max(recording.rate_hz * options.marker_s, 1.0)
    root_weight = np.sqrt(weights / correlated_frames) * seen / options.marker_sd_m
    rows = (jacobian * root_weight[..., None, None]).reshape(len(q), -1, q.shape[1])
    precision = np.swapaxes(rows, 1, 2) @ rows
    is_unobserved = np.array([not marker_fit.observed[name] for name in body.dof_names])
    precision[:, is_unobserved] = 0.0
    precision[:, :, is_unobserved] = 0.0
    independent_share = min(1.0 / (recording.rate_hz * options.unobserved_s), 1.0)
    # 1 on observed coordinates is negligible: a standard deviation of 1 rad or 1 m in each frame.
    diagonal = np.where(is_unobserved, independent_share / options.unobserved_rad**2, 1.0)
    precision[:, np.arange(len(q[0])), np.arange(len(q[0]))] += diagonal
    return np.asarray(precision)


def _add_cop_prior(
    system: SplineSystem,
    movement: Movement,
    linear: WrenchLinearisation,
    prior: CopPrior,
    options: SmoothingOptions,
    weight_n: float,
    rate_hz: float,
) -> None:
    """Add the moment about the prior's centre of pressure, which is small."""
    known = prior.known
    point = np.column_stack([np.where(known[:, None], prior.cop_m, 0.0), np.zeros(len(known))])
    sd_m = np.where(known, np.nan_to_num(prior.sd_m, nan=1.0), np.inf)
    inverse_sd = np.stack([1.0 / sd_m, 1.0 / sd_m, np.where(known, 1.0 / options.twist_m, 0.0)], axis=1)
    inverse_sd = inverse_sd / weight_n / np.sqrt(max(options.cop_s * rate_hz, 1.0))
    moment = linear.wrench[:, 3:] - np.cross(point, linear.wrench[:, :3])
    moment_derivatives = linear.derivatives[:, :, 3:] - np.cross(
        point[None, :, :, None], linear.derivatives[:, :, :3], axis=2
    )
    rows = moment_derivatives * inverse_sd[None, ..., None]
    system.add_rows(rows, _linear_part(rows, movement) - inverse_sd * moment)


def _add_wrench_prior(
    system: SplineSystem, movement: Movement, linear: WrenchLinearisation, prior: WrenchPrior, weight_n: float
) -> None:
    inverse_sd = np.isfinite(prior.wrench) / (prior.sd[:, None] * weight_n)
    rows = linear.derivatives * inverse_sd[None, ..., None]
    difference = np.nan_to_num(prior.wrench - linear.wrench)
    system.add_rows(rows, _linear_part(rows, movement) + inverse_sd * difference)


def _linear_part(rows: Array, movement: Movement) -> Array:
    """Return rows times coordinates, rates and accelerations. Shape (3, T, r, n) in, (T, r) out."""
    values = (movement.q, movement.rate, movement.acceleration)
    return np.asarray(sum(np.einsum("trm,tm->tr", own, value) for own, value in zip(rows, values, strict=True)))
