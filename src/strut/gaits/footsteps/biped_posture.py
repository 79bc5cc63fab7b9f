"""Biped posture: the joint points of two legs on given feet under a given centre of mass, by Newton's method.

The unknowns are Cartesian coordinates of the joint points and not twelve angles, so the whole chain from foot to foot
with its centre of mass becomes sixteen short polynomials (Meghdari, Behzadipour, Abedi, 2019; misprints corrected).
A target that no posture meets is reported as such: its row is NaN, never half a posture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.gaits.footsteps.biped_model import BipedModel
from strut.place import LEFT, RIGHT

TOLERANCE_M = 1e-12  # of the residuals: rounding of lengths below a metre
MAX_ITERATIONS = 25  # of Newton's method; a reachable posture takes about five
MAX_HALVINGS = 8  # of a Newton step that makes the residuals larger
EQUATIONS = 16  # of the chain from foot to foot and its centre of mass
_CHUNK = 512  # postures at a time: their Jacobians then stay in the cache
_COLUMNS = {1: slice(0, 3), 2: slice(3, 6), 3: slice(6, 8), 4: slice(8, 10), 5: slice(10, 13), 6: slice(13, 16)}


@dataclass(frozen=True, slots=True, eq=False)
class PostureTargets:
    """Conditions that N postures meet.

    Args:
        ankle_in_world: Right and left ankle. Shape (N, 2, 3).
        com_in_world: Centre of mass, ground plane. Shape (N, 2).
        foot_heading_rad: Right and left foot about the vertical. Shape (N, 2).
        body_heading_rad: Shape (N,).
        height_m: Of the hips in world. Shape (N,).
    """

    ankle_in_world: Array
    com_in_world: Array
    foot_heading_rad: Array
    body_heading_rad: Array
    height_m: Array

    def __len__(self) -> int:
        return len(self.height_m)

    def rows(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.intp] | slice) -> PostureTargets:
        """Return the targets of some samples."""
        return PostureTargets(
            self.ankle_in_world[which],
            self.com_in_world[which],
            self.foot_heading_rad[which],
            self.body_heading_rad[which],
            self.height_m[which],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Postures:
    """Joint points in world (N, 8, 3), NaN without a posture; which postures exist (N,); iterations (N,)."""

    joint_in_world: Array
    found: npt.NDArray[np.bool_]
    iterations: npt.NDArray[np.int_]


def solve_postures(legs: BipedModel, targets: PostureTargets, start: Array | None = None) -> Postures:
    """Return the postures that meet the targets.

    Args:
        legs: The lower body.
        targets: N targets.
        start: Initial guess of the joint points, for instance the previous posture. Shape (N, 8, 3) or (8, 3);
            computed from the targets if None, or where not finite.
    """
    count = len(targets)
    guess = guess_postures(legs, targets)
    if start is not None:
        given = np.broadcast_to(start, guess.shape)
        usable = np.isfinite(given).all(axis=(1, 2), keepdims=True)
        guess = np.where(usable, given, guess)
    joint = np.empty((count, 8, 3))
    found = np.zeros(count, dtype=bool)
    iterations = np.zeros(count, dtype=int)
    for first in range(0, count, _CHUNK):
        rows = slice(first, first + _CHUNK)
        joint[rows], found[rows], iterations[rows] = _newton(legs, targets.rows(rows), guess[rows])
    found &= _knees_forward(joint, targets)
    return Postures(np.where(found[:, None, None], joint, np.nan), found, iterations)


def guess_postures(legs: BipedModel, targets: PostureTargets) -> Array:
    """Return the initial guess for each target: hips by the centre of mass, knees by leg length. Shape (N, 8, 3)."""
    weights = legs.com_weights
    on_ankle = weights[0] + weights[1] / 2.0  # a knee is about half way up
    lateral = np.stack([-np.sin(targets.body_heading_rad), np.cos(targets.body_heading_rad)], axis=1)
    ankles = targets.ankle_in_world
    middle = (targets.com_in_world - on_ankle * ankles[:, :, :2].sum(axis=1)) / (1.0 - 2.0 * on_ankle)
    joint = np.empty((len(targets), 8, 3))
    joint[:, [0, 7]] = ankles
    for foot, side, hip, upper, knee in ((RIGHT, -0.5, 3, 2, 1), (LEFT, 0.5, 4, 5, 6)):
        joint[:, hip, :2] = middle + side * legs.separation_m * lateral
        joint[:, hip, 2] = targets.height_m
        down = ankles[:, foot] - joint[:, hip]
        down[:, :2] = lateral * np.sum(down[:, :2] * lateral, axis=1, keepdims=True)  # the hip's link stays frontal
        down /= np.linalg.norm(down, axis=1, keepdims=True)
        joint[:, upper] = joint[:, hip] + legs.link_m[2] * down
        heading = targets.foot_heading_rad[:, foot]
        forward = np.stack([np.cos(heading), np.sin(heading), np.zeros_like(heading)], axis=1)
        span = np.linalg.norm(joint[:, upper] - ankles[:, foot], axis=1)
        bend = np.sqrt(np.maximum((legs.link_m[0] + legs.link_m[1]) ** 2 - span**2, 1e-4 * span**2)) / 2.0
        joint[:, knee] = (joint[:, upper] + ankles[:, foot]) / 2.0 + bend[:, None] * forward
    return joint


class _Problem:
    """Coefficients of the equations, with the samples in the last axis, where numpy is fastest."""

    def __init__(self, legs: BipedModel, targets: PostureTargets) -> None:
        self.link = legs.link_m
        self.weights = legs.com_weights
        self.scale = float(legs.link_m.mean())
        feet = targets.foot_heading_rad
        body = targets.body_heading_rad
        self.com = (targets.com_in_world - legs.offset_of_com(feet, body)).T
        self.cos_body = np.cos(body)
        self.sin_body = np.sin(body)
        zero = np.zeros_like(body)
        self.foot_axis = [np.stack([np.cos(feet[:, k]), np.sin(feet[:, k]), zero]) for k in (RIGHT, LEFT)]

    def rows(self, which: npt.NDArray[np.bool_]) -> _Problem:
        """Return the problem of some samples."""
        part = object.__new__(_Problem)
        part.link = self.link
        part.weights = self.weights
        part.scale = self.scale
        part.com = self.com[:, which]
        part.cos_body = self.cos_body[which]
        part.sin_body = self.sin_body[which]
        part.foot_axis = [axis[:, which] for axis in self.foot_axis]
        return part


def _newton(
    legs: BipedModel, targets: PostureTargets, guess: Array
) -> tuple[Array, npt.NDArray[np.bool_], npt.NDArray[np.int_]]:
    """Return joint points (N, 8, 3), which converged (N,), and in how many iterations (N,)."""
    count = len(guess)
    whole = _Problem(legs, targets)
    points = np.ascontiguousarray(np.asarray(guess, dtype=float).transpose(1, 2, 0))  # (8, 3, N)
    points[3:5, 2] = targets.height_m
    points[[0, 7]] = targets.ankle_in_world.transpose(1, 2, 0)
    found = np.zeros(count, dtype=bool)
    iterations = np.zeros(count, dtype=int)
    active = np.arange(count)
    problem = whole
    here = points
    residual = _residuals(problem, here)
    for iteration in range(MAX_ITERATIONS + 1):
        done = np.abs(residual).max(axis=0) < TOLERANCE_M
        if done.any():
            finished = active[done]
            points[:, :, finished] = here[:, :, done]
            found[finished] = True
            iterations[finished] = iteration
            left = ~done
            active = active[left]
            here = here[:, :, left]
            residual = residual[:, left]
            problem = problem.rows(left)
        if len(active) == 0 or iteration == MAX_ITERATIONS:
            break
        step = _steps(_jacobians(problem, here), residual)
        here, residual = _descend(problem, here, residual, step)
    iterations[active] = MAX_ITERATIONS
    return points.transpose(2, 0, 1), found, iterations


def _steps(jacobian: Array, residual: Array) -> Array:
    """Return the Newton steps. Shapes (16, 16, N), (16, N) in, (16, N) out."""
    matrix = jacobian.transpose(2, 0, 1)
    try:
        return np.asarray(-np.linalg.solve(matrix, residual.T[..., None])[..., 0].T, dtype=np.float64)
    except np.linalg.LinAlgError:  # a straight leg is exactly singular: shift all samples slightly
        nudged = matrix + 1e-9 * np.abs(matrix).max(axis=(1, 2), keepdims=True) * np.eye(EQUATIONS)
        return np.asarray(-np.linalg.solve(nudged, residual.T[..., None])[..., 0].T, dtype=np.float64)


def _descend(problem: _Problem, here: Array, residual: Array, step: Array) -> tuple[Array, Array]:
    """Return points and residuals after steps, each halved until its residual decreases."""
    before = np.sum(residual**2, axis=0)
    share = np.ones(step.shape[1])
    after = _move_points(here, step)
    reached = _residuals(problem, after)
    for _ in range(MAX_HALVINGS):
        worse = ~(np.sum(reached**2, axis=0) <= before * (1.0 - 1e-4 * share))  # also where it is not finite
        worse &= np.abs(residual).max(axis=0) > 1e3 * TOLERANCE_M  # rounding is not a step in the wrong direction
        if not worse.any():
            break
        share[worse] /= 2.0
        after[:, :, worse] = _move_points(here[:, :, worse], step[:, worse] * share[worse])
        reached[:, worse] = _residuals(problem.rows(worse), after[:, :, worse])
    return after, reached


def _move_points(points: Array, step: Array) -> Array:
    """Return points moved by a step of the unknowns. Shapes (8, 3, N), (16, N)."""
    moved = points.copy()
    for point, columns in _COLUMNS.items():
        moved[point, : columns.stop - columns.start] += step[columns]
    return moved


def _residuals(problem: _Problem, points: Array) -> Array:
    """Return the equations, each scaled to metres. Shape (8, 3, N) in, (16, N) out."""
    link = points[1:] - points[:-1]  # from each point to the next
    p12, p23, p34, p45, p56, p67, p78 = link
    value = np.empty((EQUATIONS, points.shape[2]))
    scale = problem.scale
    value[:7] = (np.sum(link**2, axis=1) - problem.link[:, None] ** 2) / scale
    right = _cross(p12, p23)
    left = _cross(p67, p78)
    value[7] = _dot(right, p34) / scale**2
    value[8] = _dot(_cross(p34, p45), p56) / scale**2
    value[9] = _dot(p56, left) / scale**2
    value[10:12] = np.tensordot(problem.weights, points[:, :2], axes=1) - problem.com
    value[12] = (p34[1] * p45[0] - p34[0] * p45[1]) / scale
    value[13] = -problem.sin_body * p45[1] - problem.cos_body * p45[0]
    value[14] = _dot(right, problem.foot_axis[RIGHT]) / scale
    value[15] = _dot(left, problem.foot_axis[LEFT]) / scale
    return value


def _jacobians(problem: _Problem, points: Array) -> Array:
    """Return the derivatives of the equations by the unknowns. Shape (8, 3, N) in, (16, 16, N) out.

    The unknowns are the knees, the hip-pitch points and the x and y of the hip-roll points, from right to left.
    """
    link = points[1:] - points[:-1]
    p12, p23, p34, p45, p56, p67, p78 = link
    jacobian = np.zeros((EQUATIONS, EQUATIONS, points.shape[2]))
    scale = problem.scale

    def add(row: int, first: int, gradient: Array) -> None:
        """Add the gradient by the link from point `first` to the next."""
        for point, sign in ((first, -1.0), (first + 1, 1.0)):
            columns = _COLUMNS.get(point)
            if columns is not None:
                jacobian[row, columns] += sign * gradient[: columns.stop - columns.start]

    for row in range(7):
        add(row, row, link[row] * (2.0 / scale))
    for row, first, (a, b, c) in ((7, 0, (p12, p23, p34)), (8, 2, (p34, p45, p56)), (9, 4, (p56, p67, p78))):
        for at, gradient in enumerate((_cross(b, c), _cross(c, a), _cross(a, b))):
            add(row, first + at, gradient / scale**2)
    for axis in (0, 1):
        for point, columns in _COLUMNS.items():
            jacobian[10 + axis, columns.start + axis] = problem.weights[point]
    zero = np.zeros_like(p45[0])
    add(12, 2, np.stack([-p45[1], p45[0], zero]) / scale)
    add(12, 3, np.stack([p34[1], -p34[0], zero]) / scale)
    add(13, 3, np.stack([-problem.cos_body, -problem.sin_body, zero]))
    for row, first, (a, b), axis_of_foot in (
        (14, 0, (p12, p23), problem.foot_axis[RIGHT]),
        (15, 5, (p67, p78), problem.foot_axis[LEFT]),
    ):
        add(row, first, _cross(b, axis_of_foot) / scale)
        add(row, first + 1, _cross(axis_of_foot, a) / scale)
    return jacobian


def _knees_forward(joint: Array, targets: PostureTargets) -> npt.NDArray[np.bool_]:
    """Return which postures bend their knees forwards and hang from their hips. Shape (N, 8, 3) in, (N,) out."""
    link = joint[:, 1:] - joint[:, :-1]
    fine = np.ones(len(joint), dtype=bool)
    for foot, upper, lower, hip in ((RIGHT, 1, 0, 2), (LEFT, 5, 6, 4)):
        heading = targets.foot_heading_rad[:, foot]
        left = np.stack([-np.sin(heading), np.cos(heading), np.zeros_like(heading)], axis=1)
        fine &= np.sum(np.cross(link[:, upper], link[:, lower]) * left, axis=1) > 0.0
        fine &= link[:, hip, 2] * (1.0 if foot == RIGHT else -1.0) > 0.0
    body = targets.body_heading_rad
    return np.asarray(fine & (-np.sin(body) * link[:, 3, 0] + np.cos(body) * link[:, 3, 1] > 0.0))


def _cross(a: Array, b: Array) -> Array:
    """Return the cross product of vectors in the first axis. Shape (3, N)."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _dot(a: Array, b: Array) -> Array:
    """Return the dot product of vectors in the first axis. Shape (3, N) in, (N,) out."""
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
