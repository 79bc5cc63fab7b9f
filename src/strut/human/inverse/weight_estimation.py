"""Weight estimation: the weights of a gait's criteria whose optimal walk comes nearest to recorded steps.

Bilevel inverse optimal control (Mombaur, Truong & Laumond 2010): inside, the gait problem is solved for weights;
outside, Gauss-Newton steps change them by what the optimality conditions say about the solution, so that a handful of
solutions is enough. A weak prior keeps weights that the recording does not tell where they usually are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.human.anatomy import unsided
from strut.human.inverse.recorded_steps import SAMPLES, RecordedSteps
from strut.human.inverse.weighted_gait import SolvedWeights, WeightedGait
from strut.ocp.collocation import NotSolvedError
from strut.robot import Index

PLACES = 3  # coordinates of the pelvis' place, which are not compared
LENGTH_M_PER_RAD = 0.5  # a step that is 5 cm off counts as much as a joint that is 0.1 rad off
CURVE_DOF = 5.0  # independent numbers in the curve of a joint over a step: a mean and two harmonics
NOISE_FLOOR_RAD = np.radians(0.05)  # no recording is nearer to a mesh than this
PRIOR_SD = np.log(10.0)  # of the logarithm of a weight
REFERENCE = "effort"  # whose weight stays: only ratios of weights change a gait
TRUST_RADIUS = 1.5
SMALLEST_STEP = 0.02  # of a parameter in one step of the search
MOST_SOLUTIONS = 20
RESAMPLES = 500


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """Residuals of a walk against recorded steps, coordinate by coordinate, and their Jacobian by the weights.

    Args:
        residual: Angles, and the step's length as one, over the square root of SAMPLES. Shape (c, SAMPLES).
        jacobian: By parameter. Shape (c, SAMPLES, k).
        groups: Which coordinates are of one joint and so are resampled together: numbers of groups. Shape (c,).
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
    """Where a search ended.

    Args:
        gait: The problem.
        usual: With usual weights.
        best: With the weights found.
        covariance: Of the free parameters around them, by the normal matrix of the residuals. Shape (k, k).
        bootstrap: Parameters found again from joints and steps drawn with replacement. Shape (RESAMPLES, k).
        solutions: How many gait problems were solved.
        converged: Whether the last of them no longer helped; else the search was cut short.
    """

    gait: WeightedGait
    usual: SolvedWeights
    best: SolvedWeights
    covariance: Array
    bootstrap: Array
    solutions: int
    converged: bool


def compared(steps: RecordedSteps) -> Index:
    """Return which coordinates are compared: seen angles."""
    return np.asarray(np.flatnonzero(steps.observed & (np.arange(len(steps.names)) >= PLACES)))


def residuals(
    gait: WeightedGait, solved: SolvedWeights, steps: RecordedSteps, mean_q: Array, mean_m: float
) -> Residuals:
    """Return the residuals of a solved gait against the mean of steps: coordinates (SAMPLES, nq) and length."""
    q, length_m = gait.step(solved.outcome.x)
    q_jacobian, length_jacobian = gait.sensitivities(solved)
    chosen = compared(steps)
    one = np.sqrt(SAMPLES)
    joints = [unsided(steps.names[index]) for index in chosen]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(joints))}
    spread = np.full((1, SAMPLES), 1.0 / (LENGTH_M_PER_RAD * one))
    return Residuals(
        residual=np.concatenate([(q - mean_q)[:, chosen].T / one, (length_m - mean_m) * spread]),
        jacobian=np.concatenate(
            [np.moveaxis(q_jacobian[:, chosen], 0, 1) / one, spread[:, :, None] * length_jacobian[None, None, :]]
        ),
        groups=np.array([*(numbers[name] for name in joints), len(numbers)]),
    )


def estimated_weights(
    gait: WeightedGait, steps: RecordedSteps, rng: np.random.Generator, tell: Callable[[str], None]
) -> EstimatedWeights:
    """Return the weights whose gait is nearest to recorded steps, with their uncertainty."""
    search = _GaussNewton(gait, steps, tell)
    usual = search.solved(gait.usual, None)
    best = search.minimised(usual)
    at_best = search.residuals(best)
    normal = search.normal_matrix(at_best)
    covariance = np.zeros_like(normal)
    covariance[np.ix_(search.free, search.free)] = np.linalg.inv(normal[np.ix_(search.free, search.free)])
    bootstrap = np.stack([search.resampled(best, at_best, rng) for _ in range(RESAMPLES)])
    return EstimatedWeights(gait, usual, best, covariance, bootstrap, search.solutions, search.converged)


def _precision(rms_rad: float) -> float:
    """Return the weight of a squared residual beside the prior."""
    return CURVE_DOF / max(rms_rad, float(NOISE_FLOOR_RAD)) ** 2


class _GaussNewton:
    """Gauss-Newton on the parameters of weights."""

    def __init__(self, gait: WeightedGait, steps: RecordedSteps, tell: Callable[[str], None]) -> None:
        self.gait = gait
        self.steps = steps
        self.tell = tell
        self.solutions = 0
        self.converged = False
        self.mean_q = steps.q.mean(axis=0)
        self.mean_m = float(steps.length_m.mean())
        self.free = np.flatnonzero([name != REFERENCE for name in gait.names])

    def solved(self, parameters: Array, start: SolvedWeights | None) -> SolvedWeights:
        """Return the gait for parameters, counted."""
        self.solutions += 1
        return self.gait.solved(parameters, start)

    def residuals(self, solved: SolvedWeights) -> Residuals:
        """Return the residuals of a gait against the mean of the steps."""
        return residuals(self.gait, solved, self.steps, self.mean_q, self.mean_m)

    def normal_matrix(self, found: Residuals, counts: Array | None = None) -> Array:
        """Return the normal matrix of the residuals, each coordinate counted so often, and the prior. Shape (k, k)."""
        often = np.ones(len(found.residual)) if counts is None else counts
        data = np.einsum("c,csi,csj->ij", often, found.jacobian, found.jacobian)
        return np.asarray(_precision(found.rms_rad) * data + np.eye(len(data)) / PRIOR_SD**2)

    def negative_gradient(self, found: Residuals, counts: Array | None = None) -> Array:
        """Return minus half the gradient of the squared residuals, without the prior. Shape (k,)."""
        often = np.ones(len(found.residual)) if counts is None else counts
        gradient = np.einsum("c,csi,cs->i", often, found.jacobian, found.residual)
        return np.asarray(-_precision(found.rms_rad) * gradient)

    def gauss_newton(self, parameters: Array, found: Residuals, prior: Array, counts: Array | None = None) -> Array:
        """Return where a Gauss-Newton step with a prior (k,) leads; weights that it would make negative are 0."""
        normal = self.normal_matrix(found, counts)
        free = self.free
        right = self.negative_gradient(found, counts) - (parameters - prior) / PRIOR_SD**2
        moved = parameters.copy()
        moved[free] += np.linalg.solve(normal[np.ix_(free, free)], right[free])
        below = self.gait.idle & (moved < 0.0)
        if below.any():
            kept = np.setdiff1d(free, np.flatnonzero(below))
            moved = np.where(below, 0.0, parameters)
            fixed = normal[np.ix_(kept, np.flatnonzero(below))] @ (moved - parameters)[below]
            moved[kept] = parameters[kept] + np.linalg.solve(normal[np.ix_(kept, kept)], right[kept] - fixed)
        return moved

    def objective(self, found: Residuals, parameters: Array, rms_rad: float) -> float:
        """Return squared residuals and prior, for comparison at one precision."""
        squares = float(np.sum(found.residual**2))
        return float(_precision(rms_rad) * squares + np.sum((parameters - self.gait.usual) ** 2) / PRIOR_SD**2)

    def minimised(self, start: SolvedWeights) -> SolvedWeights:
        """Return the best gait, by steps that shrink where one does not help."""
        best = start
        now = self.residuals(start)
        radius = TRUST_RADIUS
        while self.solutions < MOST_SOLUTIONS:
            self.tell(f"solution {self.solutions}: {np.degrees(now.rms_rad):.2f} degrees off")
            aim = self.gauss_newton(best.parameters, now, self.gait.usual)
            way = aim - best.parameters
            size = float(np.abs(way).max())
            if size < SMALLEST_STEP:
                self.converged = True
                break
            way *= min(1.0, radius / size)
            try:
                tried = self.solved(best.parameters + way, best)
            except NotSolvedError as failure:
                if failure.stopped:
                    raise
                radius = min(radius, size) / 3.0
                continue
            there = self.residuals(tried)
            before, after = (
                self.objective(found, solved.parameters, now.rms_rad) for found, solved in ((now, best), (there, tried))
            )
            if after < before:
                best = tried
                now = there
                if before - after < 1e-3 * before:
                    self.converged = True
                    break
            else:
                radius = min(radius, size) / 3.0
        return best

    def resampled(self, best: SolvedWeights, found: Residuals, rng: np.random.Generator) -> Array:
        """Return the parameters that joints and steps drawn with replacement would give, to first order. Shape (k,).

        The prior is drawn, too: a weight that the walk does not tell is as uncertain as it was before.
        """
        groups = int(found.groups.max())  # the last is the step's length, which is always there
        counts = np.append(rng.multinomial(groups, np.full(groups, 1.0 / groups)), 1)[found.groups]
        chosen = rng.integers(len(self.steps.q), size=len(self.steps.q))
        columns = compared(self.steps)
        shift = np.concatenate(
            [
                (self.mean_q - self.steps.q[chosen].mean(axis=0))[:, columns].T,
                np.full((1, SAMPLES), (self.mean_m - self.steps.length_m[chosen].mean()) / LENGTH_M_PER_RAD),
            ]
        )
        other = Residuals(found.residual + shift / np.sqrt(SAMPLES), found.jacobian, found.groups)
        drawn = self.gait.usual + rng.normal(0.0, PRIOR_SD, len(best.parameters))
        prior = np.where(self.gait.idle, np.maximum(drawn, 0.0), drawn)
        return self.gauss_newton(best.parameters, other, prior, counts)
