"""Balanced path: centre of mass and timing of a keyframe animation that keep it balanced.

One nonlinear program over all frames. Unknown are the horizontal centre of mass in every frame and one time scale per
interval between keyframes, in [1, 4]. The zero-moment point of a pendulum plus the offset of the whole body stays
inside the support polygon, and the required friction below the available one. The cost is the published one
(Li, Cummings, Sreenath, 2020): squared distance from the animation, by frame and not by time, with higher weights at
keyframes and at the end; a quadratic cost keeps the time scale near 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from strut.arrays import Array, Index
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.sampling import smooth_by_cosine

FRAME = 1500.0  # published weight of a squared distance [1/m2]
KEYFRAME = 1e4  # the same at keyframes
LAST = 1e5  # the same at the last frame
TIME = 30.0  # of a squared stretch, per interval; without it stretching costs nothing; no benchmark
LONGEST_STRETCH = 4.0
SMOOTH = 0.1  # of squared changes, frame to frame, of the acceleration that is added to the drawing [s4/m2]
LEAST_LOAD = 0.3  # of the weight, on the feet at all times; no benchmark
ROW_SCALE = 10.0  # of rows in metres
BLEND_FRAMES = 4  # over which the time scale changes from one interval to the next


@dataclass(frozen=True, slots=True, eq=False)
class PathProblem:
    """An animation and its supports.

    Args:
        com_m: Centre of mass of the animation, x, y, z in world. Shape (N, 3).
        key: Keyframes, first 0, last N - 1. Shape (n_keys,).
        frame_s: Time between frames of the animation.
        edges: Per frame, inward normals (n, 2) and offsets (n,) of the polygon in which the zero-moment point stays.
        slope: Largest tangential force over load, per axis.
    """

    com_m: Array
    key: Index
    frame_s: float
    edges: Sequence[tuple[Array, Array]]
    slope: float

    @property
    def as_drawn(self) -> BalancedPath:
        """The unchanged animation as a path."""
        times = self.frame_s * np.arange(len(self.com_m), dtype=np.float64)
        return BalancedPath(self.com_m[:, :2], times, np.ones(len(self.key) - 1), solved=True, cost=0.0, iterations=0)


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
    return smooth_by_cosine(share, BLEND_FRAMES)


def second_difference(values: Array, step_s: Array) -> Array:
    """Return accelerations at frames of uneven spacing, at rest before the first and after the last. (N, k), (N-1,)."""
    speed = np.zeros((len(values) + 1, values.shape[1]))
    speed[1:-1] = np.diff(values, axis=0) / step_s[:, None]
    span = np.concatenate([step_s[:1], step_s[1:] + step_s[:-1], step_s[-1:]]) / 2.0  # at rest until just now
    return np.asarray(np.diff(speed, axis=0) / span[:, None])


def pendulum_zmp(com_m: Array, step_s: Array) -> Array:
    """Return the zero-moment point of a point mass. Shapes (N, 3), (N - 1,) in, (N, 2) out."""
    acceleration = second_difference(com_m, step_s)
    lever = com_m[:, 2] / (GRAVITY_M_S2 + acceleration[:, 2])
    return np.asarray(com_m[:, :2] - lever[:, None] * acceleration[:, :2])


class BalancedPathProgram:
    """The program of one animation, built once and solved for several measurements of the body."""

    def __init__(self, drawn: PathProblem) -> None:
        self.drawn = drawn
        frames = len(drawn.com_m)
        pieces = len(drawn.key) - 1
        place = ca.SX.sym("place", frames, 2)
        stretch = ca.SX.sym("stretch", pieces)
        beyond = ca.SX.sym("beyond", frames, 2)
        beyond_step = ca.SX.sym("beyond_step", frames - 1)
        self._mix = drawn.frame_s * blending(drawn.key)
        step = ca.mtimes(ca.sparsify(ca.SX(ca.DM(self._mix))), stretch)
        height = ca.DM(drawn.com_m[:, 2])
        acceleration = _acceleration(place, step)
        load = _acceleration(ca.SX(height), step) + GRAVITY_M_S2
        slower = ca.vertcat(step[0], step) / ca.vertcat(beyond_step[0], beyond_step)
        pressure = place - acceleration * ca.repmat(height / load, 1, 2) + beyond / ca.repmat(slower**2, 1, 2)
        rows = [load - LEAST_LOAD * GRAVITY_M_S2]
        for axis in range(2):
            rows += [drawn.slope * load - acceleration[:, axis], drawn.slope * load + acceleration[:, axis]]
        for frame, (normal, offset) in enumerate(drawn.edges):
            for point in (pressure, place):
                rows += [ROW_SCALE * (ca.mtimes(ca.DM(normal), point[frame, :].T) - ca.DM(offset))]
        program = {
            "x": ca.vertcat(ca.vec(place), stretch),
            "p": ca.vertcat(ca.vec(beyond), beyond_step),
            "f": _cost(drawn, place, step, stretch) / frames,
            "g": ca.vertcat(*rows),
        }
        self._solver = ca.nlpsol("balanced_path", "ipopt", program, _OPTIONS)

    def solve(self, guess: BalancedPath, beyond_m: Array, least_stretch: Array) -> BalancedPath:
        """Return the balanced path nearest to the animation.

        Args:
            guess: Initial guess; also the timing at which `beyond_m` was measured.
            beyond_m: Zero-moment point of the whole body minus that of a pendulum. Shape (N, 2).
            least_stretch: Of each interval. Shape (n_keys - 1,).
        """
        frames = len(self.drawn.com_m)
        pieces = len(self.drawn.key) - 1
        free = np.full(2 * frames, np.inf)
        found = self._solver(
            x0=np.concatenate([guess.com_m.T.ravel(), np.maximum(guess.stretch, least_stretch)]),
            p=np.concatenate([beyond_m.T.ravel(), np.diff(guess.time_s)]),
            lbx=np.concatenate([-free, least_stretch]),
            ubx=np.concatenate([free, np.full(pieces, LONGEST_STRETCH)]),
            lbg=0.0,
            ubg=np.inf,
        )
        x = np.asarray(found["x"]).ravel()
        stats = self._solver.stats()
        stretch = x[2 * frames :]
        return BalancedPath(
            com_m=x[: 2 * frames].reshape(2, frames).T.copy(),
            time_s=np.concatenate([[0.0], np.cumsum(self._mix @ stretch)]),
            stretch=stretch,
            solved=bool(stats["success"]),
            cost=float(found["f"]),
            iterations=int(stats["iter_count"]),
        )


_OPTIONS: dict[str, Any] = {
    "print_time": False,
    "ipopt": {"print_level": 0, "sb": "yes", "max_iter": 300, "tol": 1e-6, "acceptable_tol": 1e-4},
}


def _acceleration(values: ca.SX, step: ca.SX) -> ca.SX:
    """Return `second_difference` in symbols. Shapes (N, k), (N - 1, 1)."""
    columns = values.shape[1]
    speed = (values[1:, :] - values[:-1, :]) / ca.repmat(step, 1, columns)
    speed = ca.vertcat(ca.SX.zeros(1, columns), speed, ca.SX.zeros(1, columns))
    span = ca.vertcat(step[0], step[1:] + step[:-1], step[-1]) / 2.0
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
