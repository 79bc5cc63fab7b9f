"""Balanced path: the centre of mass and the time of a drawn movement, so that the ground can carry it.

One nonlinear program over all frames. Unknown are the centre of mass over the ground in every frame and one time
scale per interval between keyframes, in [1, 4]. The zero-moment point, with what the whole body adds to a pendulum's,
stays inside the feet that are down, and the friction that is needed below what there is. The cost is the published one
(Li, Cummings, Sreenath, 2020): squared distance from the drawing, frame by frame and not instant by instant, heavier at
keyframes and at the end; a quadratic cost of time keeps the time scale from drifting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.robot import Array, Index

FRAME, KEYFRAME, LAST = 1500.0, 1e4, 1e5  # published weights of a squared distance [1/m2]
TIME = 100.0  # of a squared stretch, per interval
LONGEST_STRETCH = 4.0
SMOOTH = 0.1  # of squared changes, frame to frame, of the acceleration that is added to the drawing [s4/m2]
LEAST_LOAD = 0.3  # of the weight, that the feet keep carrying
BLEND_FRAMES = 4  # over which one time scale goes over into the next


@dataclass(frozen=True, slots=True, eq=False)
class PathProblem:
    """What is drawn, and what carries it.

    Args:
        com_m: Centre of mass as drawn, x, y, z in world. Shape (N, 3).
        key: Keyframes, first 0, last N - 1. Shape (n_keys,).
        frame_s: Time between frames as drawn.
        edges: Per frame, inward normals (n, 2) and offsets (n,) of the polygon in which the zero-moment point stays.
        slope: Largest sideways force over load, per axis.
        beyond_m: Zero-moment point of the whole body minus that of a pendulum, at `beyond_step_s`. Shape (N, 2).
        beyond_step_s: Times after each frame at which `beyond_m` was found. Shape (N - 1,).
        least_stretch: Of each interval. Shape (n_keys - 1,).
    """

    com_m: Array
    key: Index
    frame_s: float
    edges: Sequence[tuple[Array, Array]]
    slope: float
    beyond_m: Array
    beyond_step_s: Array
    least_stretch: Array


@dataclass(frozen=True, slots=True, eq=False)
class BalancedPath:
    """The solution: centre of mass (N, 2), times of the frames (N,), stretch of the intervals (n_keys - 1,).

    `solved` is whether every row holds; if not, the rest is the best that was found.
    """

    com_m: Array
    time_s: Array
    stretch: Array
    solved: bool
    cost: float
    iterations: int


def blending(key: Index) -> Array:
    """Return how steps between frames mix the stretches of intervals: rows add up to 1. Shape (N - 1, n_keys - 1)."""
    steps = int(key[-1])
    owner = np.searchsorted(key, np.arange(steps), side="right") - 1
    share = np.zeros((steps, len(key) - 1))
    share[np.arange(steps), owner] = 1.0
    offsets = np.arange(-BLEND_FRAMES, BLEND_FRAMES + 1)
    weights = 1.0 + np.cos(np.pi * offsets / (BLEND_FRAMES + 1))
    near = np.clip(np.arange(steps)[:, None] + offsets, 0, steps - 1)
    return np.asarray(np.einsum("k,nkj->nj", weights / weights.sum(), share[near]))


def second_difference(values: Array, step_s: Array) -> Array:
    """Return accelerations at frames of uneven spacing, at rest before the first and after the last. (N, k), (N-1,)."""
    speed = np.zeros((len(values) + 1, values.shape[1]))
    speed[1:-1] = np.diff(values, axis=0) / step_s[:, None]
    span = np.concatenate([step_s[:1], (step_s[1:] + step_s[:-1]) / 2.0, step_s[-1:]])
    return np.asarray(np.diff(speed, axis=0) / span[:, None])


def pendulum_zmp(com_m: Array, step_s: Array) -> Array:
    """Return the zero-moment point of a point mass. Shapes (N, 3), (N - 1,) in, (N, 2) out."""
    acceleration = second_difference(com_m, step_s)
    lever = com_m[:, 2] / (GRAVITY_M_S2 + acceleration[:, 2])
    return np.asarray(com_m[:, :2] - lever[:, None] * acceleration[:, :2])


def balanced_path(problem: PathProblem, guess: BalancedPath | None = None) -> BalancedPath:
    """Return the path nearest to the drawing that the ground can carry.

    Args:
        problem: What is drawn.
        guess: Where to begin; the drawing itself if None.
    """
    frames, pieces = len(problem.com_m), len(problem.key) - 1
    place, stretch = ca.SX.sym("place", frames, 2), ca.SX.sym("stretch", pieces)
    step = problem.frame_s * ca.mtimes(ca.sparsify(ca.SX(ca.DM(blending(problem.key)))), stretch)
    acceleration, upward = _acceleration(place, step), _acceleration(ca.SX(ca.DM(problem.com_m[:, 2])), step)
    load = upward + GRAVITY_M_S2
    slower = ca.vertcat(step[0], step) / np.concatenate([problem.beyond_step_s[:1], problem.beyond_step_s])
    pressure = place - acceleration * ca.repmat(ca.DM(problem.com_m[:, 2]) / load, 1, 2)
    pressure += ca.DM(problem.beyond_m) / ca.repmat(slower**2, 1, 2)
    rows = [load - LEAST_LOAD * GRAVITY_M_S2]
    for axis in range(2):
        rows += [problem.slope * load - acceleration[:, axis], problem.slope * load + acceleration[:, axis]]
    for frame, (normal, offset) in enumerate(problem.edges):
        rows += [10.0 * (ca.mtimes(ca.DM(normal), pressure[frame, :].T) - ca.DM(offset))]
        rows += [10.0 * (ca.mtimes(ca.DM(normal), place[frame, :].T) - ca.DM(offset))]
    cost = _cost(problem, place, step, stretch)
    x, g = ca.vertcat(ca.vec(place), stretch), ca.vertcat(*rows)
    solver = ca.nlpsol("balanced_path", "ipopt", {"x": x, "f": cost / frames, "g": g}, _OPTIONS)
    start = np.concatenate([problem.com_m[:, 0], problem.com_m[:, 1], problem.least_stretch])
    if guess is not None:
        start = np.concatenate([guess.com_m.T.ravel(), np.maximum(guess.stretch, problem.least_stretch)])
    free = np.full(2 * frames, np.inf)
    lower, upper = np.concatenate([-free, problem.least_stretch]), np.concatenate([free, np.full(pieces, LONGEST_STRETCH)])
    found = solver(x0=start, lbx=lower, ubx=upper, lbg=0.0, ubg=np.inf)
    return _solution(problem, np.asarray(found["x"]).ravel(), float(found["f"]), solver.stats())


_OPTIONS = {
    "print_time": False,
    "ipopt": {"print_level": 0, "sb": "yes", "max_iter": 300, "tol": 1e-6, "acceptable_tol": 1e-4},
}


def _solution(problem: PathProblem, x: Array, cost: float, stats: dict[str, object]) -> BalancedPath:
    frames = len(problem.com_m)
    stretch = x[2 * frames :]
    steps = problem.frame_s * blending(problem.key) @ stretch
    iterations = stats["iter_count"]
    assert isinstance(iterations, int)
    return BalancedPath(
        com_m=x[: 2 * frames].reshape(2, frames).T.copy(),
        time_s=np.concatenate([[0.0], np.cumsum(steps)]),
        stretch=stretch,
        solved=bool(stats["success"]),
        cost=cost,
        iterations=iterations,
    )


def _acceleration(values: ca.SX, step: ca.SX) -> ca.SX:
    """Return `second_difference` in symbols. Shapes (N, k), (N - 1, 1)."""
    columns = values.shape[1]
    speed = (values[1:, :] - values[:-1, :]) / ca.repmat(step, 1, columns)
    speed = ca.vertcat(ca.SX.zeros(1, columns), speed, ca.SX.zeros(1, columns))
    span = ca.vertcat(step[0], (step[1:] + step[:-1]) / 2.0, step[-1])
    return (speed[1:, :] - speed[:-1, :]) / ca.repmat(span, 1, columns)


def _cost(problem: PathProblem, place: ca.SX, step: ca.SX, stretch: ca.SX) -> ca.SX:
    weight = np.full(len(problem.com_m), FRAME)
    weight[problem.key] = KEYFRAME
    weight[-1] = LAST
    away = place - ca.DM(problem.com_m[:, :2])
    added = _acceleration(away, step)
    change = added[1:, :] - added[:-1, :]
    return (
        ca.dot(ca.repmat(ca.DM(weight), 1, 2) * away, away)
        + TIME * ca.sumsqr(stretch - 1.0)
        + SMOOTH * ca.sumsqr(change)
    )
