"""Weight search: the weights of a gait's criteria whose optimal walk comes nearest to recorded steps.

Bilevel inverse optimal control (Mombaur, Truong & Laumond 2010): inside, the gait problem is solved for weights;
outside, Gauss-Newton steps change them by what the optimality conditions say about the solution, so that a handful of
solutions is enough. A weak prior keeps weights that the recording does not tell where they usually are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from strut.human.anatomy import unsided
from strut.human.recorded_steps import SAMPLES, RecordedSteps
from strut.human.weighted_gait import SolvedWeights, WeightedGait
from strut.optimal.collocation import NotSolvedError
from strut.robot import Array, Index

PLACES = 3  # coordinates of the pelvis' place, which are not compared
LENGTH_M_PER_RAD = 0.5  # a step that is 5 cm off counts as much as a joint that is 0.1 rad off
FREEDOM = 5.0  # independent numbers in the curve of a joint over a step: a mean and two harmonics
LEAST_RAD = np.radians(0.05)  # no recording is nearer to a mesh than this
PRIOR_SD = np.log(10.0)  # of the logarithm of a weight
REFERENCE = "effort"  # whose weight stays: only ratios of weights change a gait
LONGEST_MOVE, SHORTEST_MOVE = 1.5, 0.02  # of a parameter in one step of the search
MOST_SOLUTIONS = 12
DRAWS = 500


@dataclass(frozen=True, slots=True, eq=False)
class Misses:
    """How far a walk is from recorded steps, coordinate by coordinate, and how that changes with the weights.

    Args:
        miss: Angles, and the step's length as one, over the square root of SAMPLES. Shape (c, SAMPLES).
        slope: By parameter. Shape (c, SAMPLES, k).
        groups: Which coordinates are of one joint and so draw together: numbers of groups. Shape (c,).
    """

    miss: Array
    slope: Array
    groups: Index

    @property
    def rms_rad(self) -> float:
        """Root mean square over all coordinates."""
        return float(np.sqrt(np.mean(np.sum(self.miss**2, axis=1))))


@dataclass(frozen=True, slots=True, eq=False)
class FoundWeights:
    """Where a search ended.

    Args:
        gait: The problem.
        usual: With usual weights.
        best: With the weights found.
        covariance: Of the free parameters around them, by the curvature of the misses. Shape (k, k).
        draws: Parameters found again from joints and steps drawn with replacement. Shape (DRAWS, k).
        solutions: How many gait problems were solved.
        converged: Whether the last of them no longer helped; else the search was cut short.
    """

    gait: WeightedGait
    usual: SolvedWeights
    best: SolvedWeights
    covariance: Array
    draws: Array
    solutions: int
    converged: bool


def compared(steps: RecordedSteps) -> Index:
    """Return which coordinates are compared: seen angles."""
    return np.asarray(np.flatnonzero(steps.observed & (np.arange(len(steps.names)) >= PLACES)))


def misses(gait: WeightedGait, solved: SolvedWeights, steps: RecordedSteps, mean_q: Array, mean_m: float) -> Misses:
    """Return how far a solved gait is from the mean of steps: coordinates (SAMPLES, nq) and length."""
    (q, length_m), (q_slope, length_slope) = gait.step(solved.outcome.x), gait.slopes(solved)
    chosen, one = compared(steps), np.sqrt(SAMPLES)
    joints = [unsided(steps.names[index]) for index in chosen]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(joints))}
    spread = np.full((1, SAMPLES), 1.0 / (LENGTH_M_PER_RAD * one))
    return Misses(
        miss=np.concatenate([(q - mean_q)[:, chosen].T / one, (length_m - mean_m) * spread]),
        slope=np.concatenate(
            [np.moveaxis(q_slope[:, chosen], 0, 1) / one, spread[:, :, None] * length_slope[None, None, :]]
        ),
        groups=np.array([*(numbers[name] for name in joints), len(numbers)]),
    )


def found_weights(
    gait: WeightedGait, steps: RecordedSteps, rng: np.random.Generator, tell: Callable[[str], None]
) -> FoundWeights:
    """Return the weights whose gait is nearest to recorded steps, with their uncertainty."""
    search = _Search(gait, steps, tell)
    usual = search.solved(gait.usual, None)
    best = search.improved(usual)
    at_best = search.misses(best)
    normal = search.curvature(at_best)
    covariance = np.zeros_like(normal)
    covariance[np.ix_(search.free, search.free)] = np.linalg.inv(normal[np.ix_(search.free, search.free)])
    draws = np.stack([search.drawn(best, at_best, rng) for _ in range(DRAWS)])
    return FoundWeights(gait, usual, best, covariance, draws, search.solutions, search.converged)


class _Search:
    """Gauss-Newton on the parameters of weights."""

    def __init__(self, gait: WeightedGait, steps: RecordedSteps, tell: Callable[[str], None]) -> None:
        self.gait, self.steps, self.tell, self.solutions, self.converged = gait, steps, tell, 0, False
        self.mean_q, self.mean_m = steps.q.mean(axis=0), float(steps.length_m.mean())
        self.free = np.flatnonzero([name != REFERENCE for name in gait.names])

    def solved(self, parameters: Array, start: SolvedWeights | None) -> SolvedWeights:
        """Return the gait for parameters, counted."""
        self.solutions += 1
        return self.gait.solved(parameters, start)

    def misses(self, solved: SolvedWeights) -> Misses:
        """Return how far a gait is from the mean of the steps."""
        return misses(self.gait, solved, self.steps, self.mean_q, self.mean_m)

    def curvature(self, found: Misses, counts: Array | None = None) -> Array:
        """Return the normal matrix of the misses, each coordinate counted so often, and of the prior. Shape (k, k)."""
        often = np.ones(len(found.miss)) if counts is None else counts
        sharp = FREEDOM / max(found.rms_rad, LEAST_RAD) ** 2
        data = np.einsum("c,csi,csj->ij", often, found.slope, found.slope)
        return np.asarray(sharp * data + np.eye(len(data)) / PRIOR_SD**2)

    def descent(self, found: Misses, counts: Array | None = None) -> Array:
        """Return minus the half gradient of the misses, without the prior. Shape (k,)."""
        often = np.ones(len(found.miss)) if counts is None else counts
        sharp = FREEDOM / max(found.rms_rad, LEAST_RAD) ** 2
        return np.asarray(-sharp * np.einsum("c,csi,cs->i", often, found.slope, found.miss))

    def move(self, parameters: Array, normal: Array, descent: Array, prior: Array) -> Array:
        """Return where a Gauss-Newton step leads, of which a prior (k,) knows; negative weights stay at 0."""
        right, free = descent - (parameters - prior) / PRIOR_SD**2, self.free
        moved = parameters.copy()
        moved[free] += np.linalg.solve(normal[np.ix_(free, free)], right[free])
        below = self.gait.idle & (moved < 0.0)
        if below.any():
            kept = np.setdiff1d(free, np.flatnonzero(below))
            moved = np.where(below, 0.0, parameters)
            fixed = normal[np.ix_(kept, np.flatnonzero(below))] @ (moved - parameters)[below]
            moved[kept] = parameters[kept] + np.linalg.solve(normal[np.ix_(kept, kept)], right[kept] - fixed)
        return moved

    def objective(self, found: Misses, parameters: Array, rms_rad: float) -> float:
        """Return misses and prior, for comparison at one sharpness."""
        sharp = FREEDOM / max(rms_rad, LEAST_RAD) ** 2
        return float(sharp * np.sum(found.miss**2) + np.sum((parameters - self.gait.usual) ** 2) / PRIOR_SD**2)

    def improved(self, start: SolvedWeights) -> SolvedWeights:
        """Return the best gait, by steps that shrink where one does not help."""
        best, now, longest = start, self.misses(start), LONGEST_MOVE
        while self.solutions < MOST_SOLUTIONS:
            self.tell(f"solution {self.solutions}: {np.degrees(now.rms_rad):.2f} degrees off")
            aim = self.move(best.parameters, self.curvature(now), self.descent(now), self.gait.usual)
            way = aim - best.parameters
            size = float(np.abs(way).max())
            if size < SHORTEST_MOVE:
                self.converged = True
                break
            way *= min(1.0, longest / size)
            try:
                tried = self.solved(best.parameters + way, best)
            except NotSolvedError as failure:
                if failure.stopped:
                    raise
                longest = min(longest, size) / 3.0
                continue
            there = self.misses(tried)
            before, after = (
                self.objective(found, solved.parameters, now.rms_rad) for found, solved in ((now, best), (there, tried))
            )
            if after < before:
                best, now = tried, there
                if before - after < 1e-3 * before:
                    self.converged = True
                    break
            else:
                longest = min(longest, size) / 3.0
        return best

    def drawn(self, best: SolvedWeights, found: Misses, rng: np.random.Generator) -> Array:
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
        other = Misses(found.miss + shift / np.sqrt(SAMPLES), found.slope, found.groups)
        drawn = self.gait.usual + rng.normal(0.0, PRIOR_SD, len(best.parameters))
        prior = np.where(self.gait.idle, np.maximum(drawn, 0.0), drawn)
        return self.move(best.parameters, self.curvature(other, counts), self.descent(other, counts), prior)
