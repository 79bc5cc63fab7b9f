"""Pose solver: joint angles that bring a body's markers to recorded ones, all frames of a trial at once.

Damped Gauss-Newton (Levenberg-Marquardt), bounds by projection; every frame has its own damping and stops by itself. A
normal prior on each coordinate, weak where markers tell it, keeps what no marker tells near a posture.
Every few frames are solved first; the rest start from between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.capture.marker_fit.body_geometry import BodyGeometry, BodyPoints, place_points, point_jacobian, pose_body
from strut.errors import BadRecordingError
from strut.recording import all_seen
from strut.robot import BASE

MARKER_SD_M = 0.005  # skin over bone, by coordinate
MOST_ITERATIONS = 60
STEP_TOLERANCE = 1e-4  # rad or m; after such a step markers move by less than a hundredth of a millimetre
FAR_DAMPING = 1e-2
NEAR_DAMPING = 1e-5  # at the start
KEY_SPACING_S = 0.08
CHUNK = 400  # frames in memory at once
OnCaptureProgress = Callable[[str, float], None]  # what is being done, and which share of it


def no_progress(_what: str, _share: float) -> None:
    """Hear nothing of the progress."""


@dataclass(frozen=True, slots=True, eq=False)
class PosePrior:
    """What is known of a pose before any marker is seen.

    Args:
        mean: Shape (n_dof,) or (T, n_dof).
        precision: One over the variance; 0 where nothing is known. Shape (n_dof,).
        lower: Shape (n_dof,).
        upper: Shape (n_dof,).
    """

    mean: Array
    precision: Array
    lower: Array
    upper: Array


@dataclass(frozen=True, slots=True, eq=False)
class PoseFit:
    """Coordinates (T, n_dof), marker errors [m] (T, n), NaN where unseen, and iterations of each frame (T,)."""

    q: Array
    error_m: Array
    iterations: npt.NDArray[np.int_]


@dataclass(frozen=True, slots=True, eq=False)
class PoseProblem:
    """A body of given lengths, its markers, and where they were seen.

    Args:
        body: The tree.
        lengths_m: Shape (L,).
        points: Markers on segments.
        markers_m: Recorded; NaN where unseen. Shape (T, n, 3).
        weights: Of the markers. Shape (n,).
        prior: On the coordinates.
    """

    body: BodyGeometry
    lengths_m: Array
    points: BodyPoints
    markers_m: Array
    weights: Array
    prior: PosePrior

    def some(self, frames: npt.NDArray[np.intp] | slice) -> PoseProblem:
        """Return the same for some of the frames."""
        mean = self.prior.mean if self.prior.mean.ndim == 1 else self.prior.mean[frames]
        return replace(self, markers_m=self.markers_m[frames], prior=replace(self.prior, mean=mean))


def solve_poses(problem: PoseProblem, rate_hz: float, on_progress: OnCaptureProgress = no_progress) -> PoseFit:
    """Return the poses of a whole trial: every few frames from the pelvis alone, then all from between these."""
    frames = len(problem.markers_m)
    spacing = max(round(KEY_SPACING_S * rate_hz), 1)
    keys = np.unique(np.r_[np.arange(0, frames, spacing), frames - 1])
    rough = solve_from(problem.some(keys), start_poses(problem.some(keys)))
    q_keys = continuous(rough.q)
    start = CubicSpline(keys, q_keys)(np.arange(frames)) if len(keys) > 1 else q_keys
    parts = []
    for first in range(0, frames, CHUNK):
        part = slice(first, min(first + CHUNK, frames))
        parts.append(solve_from(problem.some(part), start[part], start_damping=NEAR_DAMPING))
        on_progress("fit markers", part.stop / frames)
    q = np.concatenate([one.q for one in parts])
    error = np.concatenate([one.error_m for one in parts])
    iterations = np.concatenate([one.iterations for one in parts])
    iterations[keys] += rough.iterations
    return PoseFit(continuous(q), error, iterations)


def solve_from(problem: PoseProblem, start: Array, *, start_damping: float = FAR_DAMPING) -> PoseFit:
    """Return the poses of some frames from given ones. Shape (T, n_dof)."""
    prior = problem.prior
    q = np.clip(start, prior.lower, prior.upper)
    damping = np.full(len(q), start_damping)
    count = np.zeros(len(q), dtype=int)
    todo = np.arange(len(q))
    value, hessian, gradient = _linearised(problem, q)
    for _ in range(MOST_ITERATIONS):
        step = _step(hessian, gradient, damping[todo], q[todo], prior)
        trial = np.clip(q[todo] + step, prior.lower, prior.upper)
        count[todo] += 1
        last = np.abs(trial - q[todo]).max(axis=1) < STEP_TOLERANCE  # so short a step needs no proof
        q[todo[last]] = trial[last]
        going = ~(last | (damping[todo] > 1e8))
        todo = todo[going]
        trial = trial[going]
        value = value[going]
        hessian = hessian[going]
        gradient = gradient[going]
        if not len(todo):
            break
        new_value, new_hessian, new_gradient = _linearised(problem.some(todo), trial)
        better = new_value <= value * (1.0 + 1e-12) + 1e-15
        q[todo[better]] = trial[better]
        damping[todo] = np.where(better, np.maximum(damping[todo] * 0.1, 1e-7), damping[todo] * 10.0)
        value = np.where(better, new_value, value)
        hessian = np.where(better[:, None, None], new_hessian, hessian)
        gradient = np.where(better[:, None], new_gradient, gradient)
    return PoseFit(q, marker_errors(problem, q), count)


def marker_errors(problem: PoseProblem, q: Array) -> Array:
    """Return distances of markers from recorded ones; NaN where unseen. Shape (T, n)."""
    places = place_points(pose_body(problem.body, q, problem.lengths_m), problem.points)
    return np.asarray(np.linalg.norm(places - problem.markers_m, axis=2))


def _linearised(problem: PoseProblem, q: Array) -> tuple[Array, Array, Array]:
    """Return cost (T,), Gauss-Newton Hessian (T, n, n) and gradient (T, n)."""
    pose = pose_body(problem.body, q, problem.lengths_m)
    places = place_points(pose, problem.points)
    jacobian = point_jacobian(problem.body, pose, problem.points, places)
    off = places - problem.markers_m
    seen = all_seen(off)
    root = np.sqrt(problem.weights) / MARKER_SD_M * seen
    residual = (np.where(seen[..., None], off, 0.0) * root[..., None]).reshape(len(q), -1)
    rows = (jacobian * root[..., None, None]).reshape(len(q), -1, problem.body.n_dof)
    away = q - problem.prior.mean
    precision = problem.prior.precision
    hessian = np.swapaxes(rows, 1, 2) @ rows
    hessian[:, np.arange(q.shape[1]), np.arange(q.shape[1])] += precision
    gradient = (residual[:, None] @ rows)[:, 0] + precision * away
    value = 0.5 * (np.einsum("ti,ti->t", residual, residual) + (precision * away**2).sum(axis=1))
    return value, hessian, gradient


def _step(hessian: Array, gradient: Array, damping: Array, q: Array, prior: PosePrior) -> Array:
    """Return damped Gauss-Newton steps; a coordinate at a bound that the gradient pushes against stays there."""
    held = ((q <= prior.lower) & (gradient > 0.0)) | ((q >= prior.upper) & (gradient < 0.0))
    free = ~held
    matrix = hessian * (free[:, :, None] & free[:, None])
    diagonal = np.arange(q.shape[1])
    matrix[:, diagonal, diagonal] += damping[:, None] * (matrix[:, diagonal, diagonal] + 1e-3) + held
    return np.asarray(-np.linalg.solve(matrix, (gradient * free)[..., None])[..., 0])


def start_poses(problem: PoseProblem) -> Array:
    """Return the mean pose with its pelvis where the markers of pelvis and trunk are. Shape (T, n_dof)."""
    body = problem.body
    prior = problem.prior
    mean = np.broadcast_to(prior.mean, (len(problem.markers_m), body.n_dof)).copy()
    near = [index for index, name in enumerate(body.segments) if name in ("Pelvis", "MiddleTrunk", "UpperTrunk")]
    chosen = np.flatnonzero(np.isin(problem.points.segment, near[:1]))
    if len(chosen) < 3:
        hips = [index for index, name in enumerate(body.segments) if name.startswith("Thigh")]
        chosen = np.flatnonzero(np.isin(problem.points.segment, near + hips))
    neutral = mean[:1].copy()
    neutral[:, :BASE] = 0.0
    model = place_points(pose_body(body, neutral, problem.lengths_m), problem.points)[0, chosen]
    known = np.zeros(len(mean), dtype=bool)
    for frame, places in enumerate(problem.markers_m[:, chosen]):
        seen = all_seen(places)
        if seen.sum() >= 3:
            turn, move = _rigid(model[seen], places[seen])
            mean[frame, :3] = move
            mean[frame, 3:BASE] = Rotation.from_matrix(turn).as_euler("YXZ")
            known[frame] = True
    if not known.any():
        raise BadRecordingError("In no frame are three markers of the pelvis seen, so the fit has no start.")
    nearest = np.flatnonzero(known)[np.abs(np.arange(len(mean))[:, None] - np.flatnonzero(known)).argmin(axis=1)]
    mean[:, :BASE] = mean[nearest, :BASE]
    return mean


def _rigid(model: Array, places: Array) -> tuple[Array, Array]:
    """Return rotation and translation that bring points to others best (Kabsch, 1976). Shapes (n, 3)."""
    left, _, right = np.linalg.svd((places - places.mean(axis=0)).T @ (model - model.mean(axis=0)))
    turn = left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right
    return turn, places.mean(axis=0) - turn @ model.mean(axis=0)


def continuous(q: Array) -> Array:
    """Return coordinates whose pelvis does not jump by a turn. Shape (T, n_dof)."""
    result = q.copy()
    result[:, 3:BASE] = np.unwrap(q[:, 3:BASE], axis=0)
    return result
