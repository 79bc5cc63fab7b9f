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
from strut.human.inverse.weight_estimation import PRIOR_SD, EstimatedWeights, compared, estimated_weights
from strut.human.inverse.weighted_gait import SolvedWeights, WeightedGait
from strut.models.catalogue import robot_of
from strut.models.subject import EVENED
from strut.motion import Motion
from strut.ocp.interior_point import OnIteration
from strut.robot import Robot
from strut.schemas.fields import Range

FLEXIONS = {"hip": HIP, "knee": KNEE, "ankle": ANKLE}
INTERVAL = (5.0, 95.0)  # percentiles
TOLD = 0.5  # of the prior's standard deviation: weights that are less sure are not told by the walk
ALIKE = 0.9  # correlation beyond which two weights are not told apart


@dataclass(frozen=True, slots=True)
class ExplainedCriterion:
    """One criterion: its weight and its share of the whole cost, both with their 90 % range, and its usual weight.

    `told` is whether the walk says anything about it; else weight and range are those of the prior.
    """

    name: str
    weight: float
    weight_range: Range
    usual_weight: float
    share: float
    share_range: Range
    told: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """How far a walk is from the recorded one on average: flexions by joint, all angles seen; and its step length."""

    flexion_deg: Mapping[str, float]
    mean_flexion_deg: float
    all_angles_deg: float
    step_m: float


@dataclass(frozen=True, slots=True)
class ExplainedWalk:
    """What explains a walk.

    Args:
        criteria: In the order of the gait problem.
        alike: Pairs of criteria whose weights are not told apart.
        usual: How near the usual weights come.
        explained: How near the weights found come.
        steps: How many recorded steps there were.
        speed_m_s: Their average speed.
        step_m: Their average length.
        solutions: How many gait problems were solved.
        converged: Whether the search ended by itself; else better weights may exist.
        parameters: Logarithms of the weights over the usual ones; see `WeightedGait`.
    """

    criteria: tuple[ExplainedCriterion, ...]
    alike: tuple[tuple[str, str], ...]
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
    """A walk that was not looked at, predicted from body and speed alone: with usual weights and with explained."""

    usual: Fit
    explained: Fit
    speed_m_s: float
    step_m: float


def _no_progress(_words: str) -> None:
    """Hear nothing."""


def explain(
    walks: Motion | Sequence[Motion],
    robot: Robot | None = None,
    *,
    seed: int = 0,
    on_progress: Callable[[str], None] | None = None,
    on_iteration: OnIteration | None = None,
) -> ExplainedWalk:
    """Return the cost weights whose optimal walk is nearest to recorded ones: inverse optimal control.

    The weights are those of the natural criteria; the bilevel search is that of `weight_estimation`.

    Args:
        walks: Motions of a human model, trials of one person in one manner; `fit` and `capture_walk` make such.
        robot: Who walks; read from the first motion if None.
        seed: Of the bootstrap that tells how sure weights are.
        on_progress: Told what was found, in words.
        on_iteration: Called with every iteration of every solution; may return True to stop.

    Example:
        >>> found = strut.explain(strut.load_motion("walk.npz"))  # doctest: +SKIP
        >>> {one.name: one.share for one in found.criteria}  # doctest: +SKIP
    """
    human, steps = _recorded(walks, robot)
    gait = WeightedGait(human, steps.speed_m_s, on_iteration=on_iteration)
    tell = on_progress or _no_progress
    if gait.robot is not human:
        tell(EVENED)
    return explained_by(gait, steps, seed=seed, on_progress=tell)


def explained_by(
    gait: WeightedGait, steps: RecordedSteps, *, seed: int = 0, on_progress: Callable[[str], None] = _no_progress
) -> ExplainedWalk:
    """Return the weights of a gait problem whose optimal walk is nearest to steps."""
    found = estimated_weights(gait, steps, np.random.default_rng(seed), on_progress)
    return ExplainedWalk(
        criteria=_criteria(found),
        alike=_alike(found),
        usual=_fit(gait, found.usual, steps),
        explained=_fit(gait, found.best, steps),
        steps=len(steps.q),
        speed_m_s=steps.speed_m_s,
        step_m=float(steps.length_m.mean()),
        solutions=found.solutions,
        converged=found.converged,
        parameters=tuple(found.best.parameters.tolist()),
    )


def predict(
    explained: ExplainedWalk,
    walks: Motion | Sequence[Motion],
    robot: Robot | None = None,
    *,
    on_iteration: OnIteration | None = None,
) -> PredictedWalk:
    """Return how well weights found in some walks predict others, of which only body and speed are used.

    Example:
        >>> strut.predict(found, strut.load_motion("other.npz")).explained.mean_flexion_deg  # doctest: +SKIP
    """
    human, steps = _recorded(walks, robot)
    gait = WeightedGait(human, steps.speed_m_s, on_iteration=on_iteration)
    usual = gait.solved(gait.usual)
    other = gait.solved(np.array(explained.parameters), usual)
    fits = _fit(gait, usual, steps), _fit(gait, other, steps)
    return PredictedWalk(*fits, speed_m_s=steps.speed_m_s, step_m=float(steps.length_m.mean()))


def _recorded(walks: Motion | Sequence[Motion], robot: Robot | None) -> tuple[Robot, RecordedSteps]:
    """Return who walks and all steps."""
    trials = [walks] if isinstance(walks, Motion) else list(walks)
    if not trials:
        raise BadMotionError("There is no walk to explain.")
    if any(np.any(trial.meta.get("belt_m_s", 0.0)) for trial in trials):
        raise BadMotionError("A walk on a treadmill cannot be explained: its steps stay in one place.")
    human = [robot_of(trial, robot, needs_feet=False) for trial in trials][0]  # noqa: RUF015  (each is checked)
    if human.tables.contact is None or human.tables.gait is None:
        raise BadMotionError(f"{human.name} has no contact and gait tables; only walks of human models are explained.")
    return human, reduce(RecordedSteps.with_steps, (recorded_steps(human, trial) for trial in trials))


def _fit(gait: WeightedGait, solved: SolvedWeights, steps: RecordedSteps) -> Fit:
    q, length_m = gait.step(solved.outcome.x)
    off = np.degrees(np.abs(q - steps.q.mean(axis=0)).mean(axis=0))
    flexion = {
        word: float(np.mean([off[steps.names.index(sided(name, side))] for side in SIDES]))
        for word, name in FLEXIONS.items()
    }
    return Fit(flexion, float(np.mean([*flexion.values()])), float(off[compared(steps)].mean()), length_m)


def _criteria(found: EstimatedWeights) -> tuple[ExplainedCriterion, ...]:
    gait = found.gait
    best = found.best.parameters
    costs = gait.costs(found.best)
    sd = np.sqrt(np.diag(found.covariance))
    basis = gait.costs_per_factor(found.best)
    drawn = np.array([gait.factors(one) for one in found.bootstrap])
    shares = basis * drawn / (drawn @ basis)[:, None]
    weights = gait.weight * gait.factors(best)
    low_high = np.percentile(gait.weight * drawn, INTERVAL, axis=0)
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
            told=bool(sd[k] < TOLD * PRIOR_SD),
        )
        for k, name in enumerate(gait.names)
    )


def _range(low_high: Array) -> Range:
    return float(low_high[0]), float(low_high[1])


def _alike(found: EstimatedWeights) -> tuple[tuple[str, str], ...]:
    """Return pairs of criteria whose weights vary together around the best ones."""
    sd = np.sqrt(np.maximum(np.diag(found.covariance), 1e-30))
    related = found.covariance / np.outer(sd, sd)
    names = found.gait.names
    return tuple((names[i], names[j]) for i, j in combinations(range(len(names)), 2) if abs(related[i, j]) > ALIKE)
