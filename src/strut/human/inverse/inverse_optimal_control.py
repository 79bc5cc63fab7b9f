"""Inverse optimal control: the cost weights under which a recorded walk is optimal, their uncertainty, predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np

from strut.arrays import Array
from strut.errors import BadMotionError
from strut.human.anatomy import ANKLE, HIP, KNEE, SIDES, sided
from strut.human.inverse.recorded_steps import RecordedSteps, recorded_steps
from strut.human.inverse.weight_estimation import PRIOR_SD, EstimatedWeights, compared_columns, estimate_weights
from strut.human.inverse.weighted_gait import WeightedGait, WeightedSolution
from strut.models.catalogue import robot_of
from strut.models.subject import EVEN_SIDES_NOTE
from strut.motion import Motion
from strut.ocp.interior_point import OnIteration
from strut.robot import Robot
from strut.schemas.fields import Range

FLEXIONS = {"hip": HIP, "knee": KNEE, "ankle": ANKLE}
INTERVAL = (5.0, 95.0)  # percentiles of the bootstrap
IDENTIFIED_SD = 0.5  # of the standard deviation of the prior: a weight with less uncertainty is identified
CONFOUNDED_CORRELATION = 0.9  # correlation beyond which two weights are confounded


@dataclass(frozen=True, slots=True)
class ExplainedCriterion:
    """One criterion: its weight and its share of the whole cost, both with their 90 % range, and its usual weight.

    If the walk does not identify the weight, `identified` is False and weight and range are those of the prior.
    """

    name: str
    weight: float
    weight_range: Range
    usual_weight: float
    share: float
    share_range: Range
    identified: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """Mean absolute difference from the recorded walk: flexion by joint, all observed angles; and the step length."""

    flexion_deg: Mapping[str, float]
    mean_flexion_deg: float
    all_angles_deg: float
    step_m: float


@dataclass(frozen=True, slots=True)
class ExplainedWalk:
    """The criteria that a recorded walk minimises.

    Args:
        criteria: In the order of the gait problem.
        confounded: Pairs of criteria whose weights cannot be separated.
        usual: Fit of the usual weights.
        explained: Fit of the estimated weights.
        steps: Number of recorded steps.
        speed_m_s: Their average speed.
        step_m: Their average length.
        solutions: Number of gait problems solved.
        converged: Whether the search ended by itself; if not, better weights may exist.
        parameters: Logarithms of the weights over the usual ones; see `WeightedGait`.
    """

    criteria: tuple[ExplainedCriterion, ...]
    confounded: tuple[tuple[str, str], ...]
    usual: Fit
    explained: Fit
    steps: int
    speed_m_s: float
    step_m: float
    solutions: int
    converged: bool
    parameters: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PredictedWalk:
    """A walk predicted from body and speed alone, with the usual and with the explained weights."""

    usual: Fit
    explained: Fit
    speed_m_s: float
    step_m: float


def _ignore(_sentence: str) -> None:
    """Do not report progress."""


def explain(
    walks: Motion | Sequence[Motion],
    robot: Robot | None = None,
    *,
    seed: int = 0,
    on_progress: Callable[[str], None] | None = None,
    on_iteration: OnIteration | None = None,
) -> ExplainedWalk:
    """Return the cost weights whose optimal walk is nearest to recorded ones: inverse optimal control.

    The weights are those of the natural criteria; `weight_estimation` has the bi-level search.

    Args:
        walks: Motions of a human model: trials of one subject in one condition, made by `fit` or `capture`.
        robot: The subject; read from the first motion if None.
        seed: Of the bootstrap for the uncertainty of the weights.
        on_progress: Called with sentences about the progress.
        on_iteration: Called with every iteration of every solve; may return True to stop.

    Example:
        >>> found = strut.explain(strut.load_motion("walk.npz"))  # doctest: +SKIP
        >>> {one.name: one.share for one in found.criteria}  # doctest: +SKIP
    """
    human, steps = steps_of_walks(walks, robot)
    gait = WeightedGait(human, steps.speed_m_s, on_iteration=on_iteration)
    report = on_progress or _ignore
    if gait.robot is not human:
        report(EVEN_SIDES_NOTE)
    return explain_steps(gait, steps, seed=seed, on_progress=report)


def explain_steps(
    gait: WeightedGait, steps: RecordedSteps, *, seed: int = 0, on_progress: Callable[[str], None] = _ignore
) -> ExplainedWalk:
    """Return the weights of a gait problem whose optimal walk is nearest to the steps."""
    estimate = estimate_weights(gait, steps, np.random.default_rng(seed), on_progress)
    return ExplainedWalk(
        criteria=_criteria(estimate),
        confounded=_confounded(estimate),
        usual=_fit(gait, estimate.usual, steps),
        explained=_fit(gait, estimate.best, steps),
        steps=len(steps.q),
        speed_m_s=steps.speed_m_s,
        step_m=float(steps.length_m.mean()),
        solutions=estimate.solutions,
        converged=estimate.converged,
        parameters=tuple(estimate.best.parameters.tolist()),
    )


def predict(
    explained: ExplainedWalk,
    walks: Motion | Sequence[Motion],
    robot: Robot | None = None,
    *,
    on_iteration: OnIteration | None = None,
) -> PredictedWalk:
    """Return how well the weights of some walks predict other ones, of which only body and speed are used.

    Example:
        >>> strut.human.predict(found, strut.load_motion("other.npz")).explained.mean_flexion_deg  # doctest: +SKIP
    """
    human, steps = steps_of_walks(walks, robot)
    gait = WeightedGait(human, steps.speed_m_s, on_iteration=on_iteration)
    usual = gait.solve(gait.usual)
    other = gait.solve(np.array(explained.parameters), usual)
    return PredictedWalk(
        usual=_fit(gait, usual, steps),
        explained=_fit(gait, other, steps),
        speed_m_s=steps.speed_m_s,
        step_m=float(steps.length_m.mean()),
    )


def steps_of_walks(walks: Motion | Sequence[Motion], robot: Robot | None) -> tuple[Robot, RecordedSteps]:
    """Return the human model and all steps of its walks; raises BadMotionError."""
    trials = [walks] if isinstance(walks, Motion) else list(walks)
    if not trials:
        raise BadMotionError("There is no walk to explain.")
    if any(np.any(trial.meta.get("belt_m_s", 0.0)) for trial in trials):
        raise BadMotionError("A walk on a treadmill cannot be explained: its steps stay in one place.")
    human = [robot_of(trial, robot, needs_feet=False) for trial in trials][0]  # noqa: RUF015  (checks each)
    if human.tables.contact is None or human.tables.gait is None:
        raise BadMotionError(f"{human.name} has no contact and gait tables; only walks of human models are explained.")
    return human, reduce(RecordedSteps.with_steps, (recorded_steps(human, trial) for trial in trials))


def _fit(gait: WeightedGait, solved: WeightedSolution, steps: RecordedSteps) -> Fit:
    q, length_m = gait.step(solved.outcome.x)
    difference_deg = np.degrees(np.abs(q - steps.q.mean(axis=0)).mean(axis=0))
    flexion_deg = {
        joint: float(np.mean([difference_deg[steps.names.index(sided(name, side))] for side in SIDES]))
        for joint, name in FLEXIONS.items()
    }
    return Fit(
        flexion_deg=flexion_deg,
        mean_flexion_deg=float(np.mean([*flexion_deg.values()])),
        all_angles_deg=float(difference_deg[compared_columns(steps)].mean()),
        step_m=length_m,
    )


def _criteria(estimate: EstimatedWeights) -> tuple[ExplainedCriterion, ...]:
    gait = estimate.gait
    best = estimate.best.parameters
    costs = gait.costs(estimate.best)
    sd = np.sqrt(np.diag(estimate.covariance))
    basis = gait.costs_per_factor(estimate.best)
    factors = np.array([gait.factors(parameters) for parameters in estimate.bootstrap])
    shares = basis * factors / (factors @ basis)[:, None]
    weights = gait.weight * gait.factors(best)
    low_high = np.percentile(gait.weight * factors, INTERVAL, axis=0)
    share_low_high = np.percentile(shares, INTERVAL, axis=0)
    usual = gait.weight * gait.factors(gait.usual)
    return tuple(
        ExplainedCriterion(
            name=name,
            weight=float(weights[k]),
            weight_range=_range(low_high[:, k]),
            usual_weight=float(usual[k]),
            share=float(costs[k] / costs.sum()),
            share_range=_range(share_low_high[:, k]),
            identified=bool(sd[k] < IDENTIFIED_SD * PRIOR_SD),
        )
        for k, name in enumerate(gait.names)
    )


def _range(low_high: Array) -> Range:
    return float(low_high[0]), float(low_high[1])


def _confounded(estimate: EstimatedWeights) -> tuple[tuple[str, str], ...]:
    """Return pairs of criteria whose weights are correlated around the best ones."""
    sd = np.sqrt(np.maximum(np.diag(estimate.covariance), 1e-30))
    correlation = np.abs(estimate.covariance / np.outer(sd, sd))
    names = estimate.gait.names
    pairs = combinations(range(len(names)), 2)
    return tuple((names[i], names[j]) for i, j in pairs if correlation[i, j] > CONFOUNDED_CORRELATION)
