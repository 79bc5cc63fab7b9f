"""Weight estimation: the cost weights of a gait whose optimal walk is nearest to recorded steps.

Bi-level inverse optimal control (Mombaur, Truong & Laumond 2010). The inner level solves the gait problem for given
weights; the outer level changes the weights by Gauss-Newton steps. Their Jacobian comes from the optimality conditions
of the inner solution, so that a handful of solves is enough. A weak prior keeps weights that the recording does not
identify at their usual values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, Index
from strut.human.anatomy import unsided
from strut.human.inverse.recorded_steps import SAMPLES, RecordedSteps
from strut.human.inverse.weighted_gait import WeightedGait, WeightedSolution
from strut.ocp.collocation import NotSolvedError

PLACES = 3  # coordinates of the pelvis position, which are not compared
LENGTH_M_PER_RAD = 0.5  # 5 cm of step length count as much as 0.1 rad of a joint
CURVE_DOF = 5.0  # independent numbers in the curve of a joint over a step: a mean and two harmonics
NOISE_FLOOR_RAD = np.radians(0.05)  # interpolation error of the mesh
PRIOR_SD = np.log(10.0)  # of the logarithm of a weight
REFERENCE = "effort"  # its weight is fixed: only ratios of weights change a gait
TRUST_RADIUS = 1.5  # largest change of a parameter in one step
MIN_STEP = 0.02  # a smaller change of the parameters ends the search
MIN_IMPROVEMENT = 1e-3  # so does a smaller relative improvement
MAX_SOLUTIONS = 20
RESAMPLES = 500  # of the bootstrap


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """Residuals of a walk against recorded steps by coordinate, and their Jacobian by the parameters.

    Args:
        residual: Of the angles and, as the last row, the step length, over the square root of SAMPLES. (c, SAMPLES).
        jacobian: By parameter. Shape (c, SAMPLES, k).
        groups: Number of the joint of each coordinate; a joint is resampled as a whole. Shape (c,).
    """

    residual: Array
    jacobian: Array
    groups: Index

    @property
    def rms_rad(self) -> float:
        """Root mean square over all coordinates."""
        return float(np.sqrt(np.mean(np.sum(self.residual**2, axis=1))))


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedWeights:
    """Result of the search.

    Args:
        gait: The gait problem.
        usual: Solution with the usual weights.
        best: Solution with the estimated weights.
        covariance: Of the free parameters, by the normal matrix of the residuals. Shape (k, k).
        bootstrap: Parameters estimated from joints and steps drawn with replacement. Shape (RESAMPLES, k).
        solutions: Number of gait problems solved.
        converged: Whether the search ended by itself; False if it reached MAX_SOLUTIONS.
    """

    gait: WeightedGait
    usual: WeightedSolution
    best: WeightedSolution
    covariance: Array
    bootstrap: Array
    solutions: int
    converged: bool


def compared_columns(steps: RecordedSteps) -> Index:
    """Return the indices of the coordinates that are compared: observed angles."""
    return np.asarray(np.flatnonzero(steps.observed & (np.arange(len(steps.names)) >= PLACES)))


def residuals(
    gait: WeightedGait, solved: WeightedSolution, steps: RecordedSteps, mean_q: Array, mean_m: float
) -> Residuals:
    """Return the residuals of a solved gait against the mean of the steps.

    Args:
        gait: The gait problem.
        solved: Its solution.
        steps: The recorded steps.
        mean_q: Mean coordinates. Shape (SAMPLES, nq).
        mean_m: Mean step length.
    """
    q, length_m = gait.step(solved.outcome.x)
    q_jacobian, length_jacobian = gait.sensitivities(solved)
    columns = compared_columns(steps)
    root = np.sqrt(SAMPLES)
    joints = [unsided(steps.names[index]) for index in columns]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(joints))}
    length_scale = np.full((1, SAMPLES), 1.0 / (LENGTH_M_PER_RAD * root))
    return Residuals(
        residual=np.concatenate([(q - mean_q)[:, columns].T / root, (length_m - mean_m) * length_scale]),
        jacobian=np.concatenate(
            [np.moveaxis(q_jacobian[:, columns], 0, 1) / root, length_scale[:, :, None] * length_jacobian[None, None]]
        ),
        groups=np.array([*(numbers[name] for name in joints), len(numbers)]),
    )


def estimate_weights(
    gait: WeightedGait, steps: RecordedSteps, rng: np.random.Generator, on_progress: Callable[[str], None]
) -> EstimatedWeights:
    """Return the weights whose gait is nearest to recorded steps, with their uncertainty."""
    search = GaussNewtonSearch(gait, steps, on_progress)
    usual = search.solve(gait.usual, None)
    best = search.minimise(usual)
    at_best = search.residuals(best)
    normal = search.normal_matrix(at_best)
    covariance = np.zeros_like(normal)
    covariance[np.ix_(search.free, search.free)] = np.linalg.inv(normal[np.ix_(search.free, search.free)])
    bootstrap = np.stack([search.bootstrap_sample(best, at_best, rng) for _ in range(RESAMPLES)])
    return EstimatedWeights(gait, usual, best, covariance, bootstrap, search.solutions, search.converged)


def _precision(rms_rad: float) -> float:
    """Return the weight of a squared residual relative to the prior."""
    return CURVE_DOF / max(rms_rad, float(NOISE_FLOOR_RAD)) ** 2


class GaussNewtonSearch:
    """Gauss-Newton search for the parameters of the weights, with a trust radius."""

    def __init__(self, gait: WeightedGait, steps: RecordedSteps, on_progress: Callable[[str], None]) -> None:
        self.gait = gait
        self.steps = steps
        self.on_progress = on_progress
        self.solutions = 0
        self.converged = False
        self.mean_q = steps.q.mean(axis=0)
        self.mean_m = float(steps.length_m.mean())
        self.free = np.flatnonzero([name != REFERENCE for name in gait.names])

    def solve(self, parameters: Array, start: WeightedSolution | None) -> WeightedSolution:
        """Return the optimal gait of parameters and count the solution."""
        self.solutions += 1
        return self.gait.solve(parameters, start)

    def residuals(self, solved: WeightedSolution) -> Residuals:
        """Return the residuals of a gait against the mean of the steps."""
        return residuals(self.gait, solved, self.steps, self.mean_q, self.mean_m)

    def normal_matrix(self, current: Residuals, counts: Array | None = None) -> Array:
        """Return the normal matrix of residuals and prior; `counts` (c,) weighs the coordinates. Shape (k, k)."""
        weight = np.ones(len(current.residual)) if counts is None else counts
        data = np.einsum("c,csi,csj->ij", weight, current.jacobian, current.jacobian)
        return np.asarray(_precision(current.rms_rad) * data + np.eye(len(data)) / PRIOR_SD**2)

    def negative_gradient(self, current: Residuals, counts: Array | None = None) -> Array:
        """Return minus half the gradient of the squared residuals, without the prior. Shape (k,)."""
        weight = np.ones(len(current.residual)) if counts is None else counts
        gradient = np.einsum("c,csi,cs->i", weight, current.jacobian, current.residual)
        return np.asarray(-_precision(current.rms_rad) * gradient)

    def gauss_newton_step(
        self, parameters: Array, current: Residuals, prior: Array, counts: Array | None = None
    ) -> Array:
        """Return the parameters after a Gauss-Newton step with a prior (k,); weights that become negative are 0."""
        normal = self.normal_matrix(current, counts)
        free = self.free
        right = self.negative_gradient(current, counts) - (parameters - prior) / PRIOR_SD**2
        moved = parameters.copy()
        moved[free] += np.linalg.solve(normal[np.ix_(free, free)], right[free])
        below = self.gait.is_linear & (moved < 0.0)
        if below.any():
            kept = np.setdiff1d(free, np.flatnonzero(below))
            moved = np.where(below, 0.0, parameters)
            fixed = normal[np.ix_(kept, np.flatnonzero(below))] @ (moved - parameters)[below]
            moved[kept] = parameters[kept] + np.linalg.solve(normal[np.ix_(kept, kept)], right[kept] - fixed)
        return moved

    def objective(self, current: Residuals, parameters: Array, rms_rad: float) -> float:
        """Return squared residuals and prior at the precision of `rms_rad`."""
        squares = float(np.sum(current.residual**2))
        return float(_precision(rms_rad) * squares + np.sum((parameters - self.gait.usual) ** 2) / PRIOR_SD**2)

    def minimise(self, start: WeightedSolution) -> WeightedSolution:
        """Return the best gait; the trust radius shrinks after a step that fails or does not improve."""
        best = start
        current = self.residuals(start)
        radius = TRUST_RADIUS
        while self.solutions < MAX_SOLUTIONS:
            self.on_progress(f"solution {self.solutions}: {np.degrees(current.rms_rad):.2f} degrees off")
            step = self.gauss_newton_step(best.parameters, current, self.gait.usual) - best.parameters
            size = float(np.abs(step).max())
            if size < MIN_STEP:
                self.converged = True
                break
            step *= min(1.0, radius / size)
            try:
                candidate = self.solve(best.parameters + step, best)
            except NotSolvedError as failure:
                if failure.stopped:
                    raise
                radius = min(radius, size) / 3.0
                continue
            candidate_residuals = self.residuals(candidate)
            before = self.objective(current, best.parameters, current.rms_rad)
            after = self.objective(candidate_residuals, candidate.parameters, current.rms_rad)
            if after < before:
                best = candidate
                current = candidate_residuals
                if before - after < MIN_IMPROVEMENT * before:
                    self.converged = True
                    break
            else:
                radius = min(radius, size) / 3.0
        return best

    def bootstrap_sample(self, best: WeightedSolution, current: Residuals, rng: np.random.Generator) -> Array:
        """Return the parameters for joints and steps drawn with replacement, to first order. Shape (k,).

        The prior is drawn too, so that a weight that the walk does not identify keeps its uncertainty.
        """
        groups = int(current.groups.max())  # the last group is the step length, which is never left out
        counts = np.append(rng.multinomial(groups, np.full(groups, 1.0 / groups)), 1)[current.groups]
        chosen = rng.integers(len(self.steps.q), size=len(self.steps.q))
        columns = compared_columns(self.steps)
        shift = np.concatenate(
            [
                (self.mean_q - self.steps.q[chosen].mean(axis=0))[:, columns].T,
                np.full((1, SAMPLES), (self.mean_m - self.steps.length_m[chosen].mean()) / LENGTH_M_PER_RAD),
            ]
        )
        shifted = Residuals(current.residual + shift / np.sqrt(SAMPLES), current.jacobian, current.groups)
        prior = self.gait.usual + rng.normal(0.0, PRIOR_SD, len(best.parameters))
        prior = np.where(self.gait.is_linear, np.maximum(prior, 0.0), prior)
        return self.gauss_newton_step(best.parameters, shifted, prior, counts)
