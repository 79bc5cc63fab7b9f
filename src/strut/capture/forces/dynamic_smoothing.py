"""Dynamic smoothing: maximum a posteriori B-spline trajectory, consistent with the ground-reaction wrench it implies.

One weighted least-squares problem over a whole trial: distances from the fitted coordinates, with the precision that
the markers give them; third derivatives, white noise whose size was chosen on plates; a prior on the ground-reaction
wrench, from plates or from the plain centre-of-mass estimate; and a prior on its centre of pressure, as a small moment
about the usual place under the feet. The last tells what no marker does: how a trunk or arms without markers move, and
the horizontal ground reaction. The wrench of inverse dynamics is not linear in the coordinates: Gauss-Newton steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.forces.spline_system import SplineBasis, SplineSolution, SplineSystem, spline_basis
from strut.capture.marker_fit.body_geometry import body_points, lengths_array, place_points, point_jacobian, pose_body
from strut.capture.marker_fit.body_priors import human_geometry
from strut.capture.marker_fit.fit import MarkerFit
from strut.engines.body_wrench import Movement, body_wrench
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.rotation import angles_from_qpos
from strut.recording import all_seen
from strut.robot import BASE, Robot

SEED = 0  # of the draws around a movement
FILTERED_JERK_M = 20.0  # of the pelvis where what is fast in its movement is no noise
STEP = 1e-5
RATE_STEP = 1e-4
ACCELERATION_STEP = 1e-2  # of finite differences; the wrench is linear in the last


@dataclass(frozen=True, slots=True)
class SmoothingOptions:
    """Standard deviations and correlation times of the priors, chosen on the half of the plate trials for tuning.

    Args:
        knot_s: Between two knots of the splines.
        marker_sd_m: Error of a marker.
        marker_s: For so long it stays alike: it is the skin's more than the cameras'.
        jerk_m: Size of the white noise in third derivatives of the pelvis' place [m/s^3 per root of Hz].
        jerk_rad: The same of angles.
        unobserved_rad: How far a joint without markers is from where it is supposed to be.
        unobserved_s: For so long its error stays alike.
        cop_sd_m: How far the centre of pressure is from its usual way under one foot.
        shared_cop_sd_m: The same half way between two feet.
        cop_s: For so long that distance stays alike.
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


def smoothing_options(*, filtered: bool) -> SmoothingOptions:
    """Return the sizes of errors for markers that were filtered before, or were not."""
    return SmoothingOptions(jerk_m=FILTERED_JERK_M) if filtered else SmoothingOptions()


@dataclass(frozen=True, slots=True, eq=False)
class CopPrior:
    """Prior of the centre of pressure: mean (T, 2), standard deviation (T,), and NaN where nobody stands."""

    place_m: Array
    sd_m: Array

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Where there is a prior. Shape (T,)."""
        return np.asarray(np.isfinite(self.place_m[:, 0]))


@dataclass(frozen=True, slots=True, eq=False)
class WrenchPrior:
    """Prior of the ground-reaction wrench, its moment about the origin; NaN where nothing is known.

    Args:
        wrench: Its mean: forces [N], then moments [N m]. Shape (T, 6).
        sd: Standard deviation in every frame as a share of body weight: N per N of it, and N m per N, which is m.
    """

    wrench: Array
    sd: float


@dataclass(frozen=True, slots=True, eq=False)
class SmoothedMovement:
    """A movement (T, n), the ground's wrench on it (T, 6), and draws of both that are as unsure as they are."""

    movement: Movement
    wrench: Array
    draws: tuple[tuple[Movement, Array], ...]


def smooth_movement(
    found: MarkerFit,
    robot: Robot,
    cop: CopPrior,
    options: SmoothingOptions,
    *,
    wrench: WrenchPrior,
    draws: int = 0,
) -> SmoothedMovement:
    """Return the movement of a marker fit whose ground wrench feet can give.

    Args:
        found: Fitted coordinates.
        robot: The person.
        cop: Prior of the centre of pressure of both feet together.
        options: Sizes of errors.
        wrench: Prior of the ground-reaction wrench: what plates measured, or the plain estimate.
        draws: How many movements are drawn around the best.
    """
    q = continuous_angles(found)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    basis = spline_basis(found.motion.time_s, options.knot_s)
    precision = _marker_precision(found, q, options)
    coefficients = basis.fitted(q)
    roughness = np.full(q.shape[1], options.jerk_rad**-2.0)
    roughness[:3] = options.jerk_m**-2.0
    for _ in range(options.rounds):
        system = SplineSystem(basis, q.shape[1])
        system.add_precision(precision, q)
        system.add_roughness(roughness)
        here = movement_of(basis, coefficients)
        linear = wrench_derivatives(robot, here)
        _add_cop_prior(system, here, linear, cop, options, weight_n, found.trial.recording.rate_hz)
        _add_wrench_prior(system, here, linear, wrench, weight_n)
        solution = system.solved()
        coefficients = solution.mean
    best = movement_of(basis, coefficients)
    drawn = _drawn(basis, solution, robot, draws)
    return SmoothedMovement(best, wrench_of(robot, best), drawn)


def continuous_angles(found: MarkerFit) -> Array:
    """Return the fitted coordinates with angles that do not jump. Shape (T, n)."""
    q = angles_from_qpos(found.motion.qpos)
    q[:, 3:BASE] = np.unwrap(q[:, 3:BASE], axis=0)
    return q


def wrench_of(robot: Robot, movement: Movement) -> Array:
    """Return force, and moment about the world's origin, that a movement needs from outside. Shape (T, 6)."""
    return body_wrench(robot.model, *movement.for_engine())


def wrench_derivatives(robot: Robot, movement: Movement) -> tuple[Array, Array, Array, Array]:
    """Return the wrench (T, 6) and its derivatives by coordinates, rates and accelerations (T, 6, n)."""
    here = wrench_of(robot, movement)
    frames, count = movement.q.shape
    parts = []
    for which, step in enumerate((STEP, RATE_STEP, ACCELERATION_STEP)):
        values = [np.repeat(one, count, axis=0) for one in (movement.q, movement.rate, movement.acceleration)]
        values[which] = values[which] + np.tile(step * np.eye(count), (frames, 1))
        moved = wrench_of(robot, Movement(*values)).reshape(frames, count, 6)
        parts.append(np.swapaxes((moved - here[:, None]) / step, 1, 2))
    return here, parts[0], parts[1], parts[2]


def movement_of(basis: SplineBasis, coefficients: Array) -> Movement:
    """Return the movement of coefficients at the frames. Shape (n_splines, n)."""
    return Movement(*(basis.at_frames(coefficients, derivative) for derivative in range(3)))


def _drawn(
    basis: SplineBasis, solution: SplineSolution, robot: Robot, count: int
) -> tuple[tuple[Movement, Array], ...]:
    if not count:
        return ()
    away = solution.draws(count, np.random.default_rng(SEED))
    moved = [movement_of(basis, solution.mean + one) for one in away]
    return tuple((one, wrench_of(robot, one)) for one in moved)


def _marker_precision(found: MarkerFit, q: Array, options: SmoothingOptions) -> Array:
    """Return what markers tell of coordinates, and a weak prior on what they do not tell. Shape (T, n, n)."""
    body = human_geometry()
    person = found.subject
    names = found.marker_names
    points = body_points(body, [(person.marker[name].segment, person.marker[name].at_m) for name in names])
    pose = pose_body(body, q, lengths_array(body, person.lengths_m))
    rows = point_jacobian(body, pose, points, place_points(pose, points))
    seen = all_seen(found.trial.recording.markers(names))
    weights = np.array([found.trial.landmarks[name].weight for name in names])
    alike = max(found.trial.recording.rate_hz * options.marker_s, 1.0)  # frames
    root = np.sqrt(weights / alike) * seen / options.marker_sd_m
    rows = (rows * root[..., None, None]).reshape(len(q), -1, q.shape[1])
    precision = np.swapaxes(rows, 1, 2) @ rows
    untold = np.array([not found.observed[name] for name in body.dof_names])
    precision[:, untold] = 0.0
    precision[:, :, untold] = 0.0
    share = 1.0 / (found.trial.recording.rate_hz * options.unobserved_s)
    diagonal = np.where(untold, min(share, 1.0) / options.unobserved_rad**2, 1.0)  # 1: half a frame of a loose marker
    precision[:, np.arange(len(untold)), np.arange(len(untold))] += diagonal
    return np.asarray(precision)


def _add_cop_prior(
    system: SplineSystem,
    here: Movement,
    linear: tuple[Array, Array, Array, Array],
    prior: CopPrior,
    options: SmoothingOptions,
    weight_n: float,
    rate_hz: float,
) -> None:
    """Add the moment about the prior's centre of pressure, which is small."""
    known = prior.known
    place = np.column_stack([np.where(known[:, None], prior.place_m, 0.0), np.zeros(len(known))])
    moments = [_moment_about(one, place) for one in linear]
    loose = np.where(known, np.nan_to_num(prior.sd_m, nan=1.0), np.inf)
    inverse = np.stack([1.0 / loose, 1.0 / loose, np.where(known, 1.0 / options.twist_m, 0.0)], axis=1)
    inverse = inverse / weight_n / np.sqrt(max(options.cop_s * rate_hz, 1.0))
    rows = np.stack(moments[1:]) * inverse[None, ..., None]
    system.add_rows(rows, _linear_part(rows, here) - inverse * moments[0])


def _add_wrench_prior(
    system: SplineSystem,
    here: Movement,
    linear: tuple[Array, Array, Array, Array],
    prior: WrenchPrior,
    weight_n: float,
) -> None:
    inverse = np.isfinite(prior.wrench) / (prior.sd * weight_n)
    rows = np.stack(linear[1:]) * inverse[None, ..., None]
    off = np.nan_to_num(prior.wrench - linear[0])
    system.add_rows(rows, _linear_part(rows, here) + inverse * off)


def _linear_part(rows: Array, here: Movement) -> Array:
    values = (here.q, here.rate, here.acceleration)
    return np.asarray(sum(np.einsum("trm,tm->tr", own, value) for own, value in zip(rows, values, strict=True)))


def _moment_about(wrench: Array, place: Array) -> Array:
    """Return moments of wrenches about places. Shapes (T, 6) or (T, 6, n), and (T, 3)."""
    if wrench.ndim == 2:
        return np.asarray(wrench[:, 3:] - np.cross(place, wrench[:, :3]))
    return np.asarray(wrench[:, 3:] - np.cross(place[:, :, None], wrench[:, :3], axis=1))
