"""Variance components: linear mixed models with independent random effects of people, crossed with those of stimuli.

The restricted likelihood is profiled over the ratios of the components (Bates et al., 2015) and tests use
Satterthwaite's degrees of freedom (Kuznetsova et al., 2017), which statsmodels does not have. statsmodels fits crossed
effects with one dense matrix over all answers, which takes minutes; this module eliminates the effects of each person
and solves only those of stimuli together. R's lme4 and lmerTest give the same numbers
(benchmarks/bench_study_mixed.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse, stats
from statsmodels.tools.numdiff import approx_fprime, approx_hess

from strut.arrays import Array
from strut.errors import AnswersError

_ZERO_RATIO = 1e-3  # the likelihood is flat in standard deviations below this share of the residual
_MAX_RATIO = 1e3  # of a standard deviation to the residual; bounds the search
_MAX_TESTABLE_RATIO = 1e2  # beyond it the residual is that of the bounded search, not of the answers
_MIN_RESIDUAL = 1e-9  # of answers from -1 to 1; smaller ones are rounding errors
_PRECISE = {"ftol": 1e-13, "gtol": 1e-7}
_INITIAL_RATIOS = (0.7, 0.15)  # two searches: one from near 0 can stay there, where the likelihood is flat


@dataclass(frozen=True, slots=True, eq=False)
class PersonEffect:
    """A random effect of each person: its design matrix, with one standard deviation for all columns. Shape (N, q)."""

    name: str
    columns: Array


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Cross products for the likelihood, of fixed effects, response and stimuli as columns side by side (c columns).

    Args:
        answers: Number of answers, N.
        fixed: Number of fixed effects.
        whole: Products of all columns with each other. Shape (c, c).
        person: Products of each person's effects with all columns. Shape (people, q, c).
        within: Products of each person's effects with each other. Shape (people, q, q).
        owner: Which component each of the q columns belongs to. Shape (q,).
        components: Names of the components; that of stimuli, if there is one, is the last.
        stimuli: Whether stimuli have a random effect.
    """

    answers: int
    fixed: int
    whole: Array
    person: Array
    within: Array
    owner: npt.NDArray[np.int64]
    components: tuple[str, ...]
    stimuli: bool


@dataclass(frozen=True, eq=False)
class ComponentFit:
    """A fitted model: fixed effects, their covariance, and the standard deviations of components and residual."""

    estimate: Array
    covariance: Array
    sds: dict[str, float]
    residual_sd: float
    products: Products
    ratios: Array

    @cached_property
    def uncertainty(self) -> tuple[Array, Array]:
        """Derivatives of the covariance by the variance parameters, and the covariance of those parameters.

        Parameters are the ratios that are not 0, and the residual relative to its estimate: the steps of the numerical
        derivatives are at least a fixed length, too long for a small residual. Shapes (k, fixed, fixed), (k, k).
        """
        free = np.flatnonzero(self.ratios > _ZERO_RATIO)
        at = np.append(self.ratios[free], 1.0)

        def ratios(parameters: Array) -> Array:
            whole = np.zeros_like(self.ratios)
            whole[free] = parameters[:-1]
            return whole

        def deviance(parameters: Array) -> float:
            return _deviance(self.products, ratios(parameters), self.residual_sd * float(parameters[-1]))

        def covariance(parameters: Array) -> Array:
            reduced, _ = _eliminate_random_effects(self.products, ratios(parameters))
            residual_sd = self.residual_sd * parameters[-1]
            return np.asarray(residual_sd**2 * np.linalg.inv(reduced[:-1, :-1]).ravel())

        fixed = len(self.estimate)
        change = np.asarray(approx_fprime(at, covariance, centered=True)).reshape(fixed, fixed, len(at))
        hessian = np.asarray(approx_hess(at, deviance)).reshape(len(at), len(at))
        return np.moveaxis(change, -1, 0), 2.0 * np.linalg.pinv(hessian, hermitian=True)

    def dof(self, contrast: Array) -> float:
        """Return Satterthwaite's degrees of freedom of a contrast of fixed effects. Shape (fixed,).

        They are at most the number of answers less that of fixed effects, those of a model without random effects.
        """
        change, spread = self.uncertainty
        gradient = change @ contrast @ contrast
        variance = float(contrast @ self.covariance @ contrast)
        max_dof = float(self.products.answers - self.products.fixed)
        smallest_spread = 2.0 * variance**2 / max_dof
        return 2.0 * variance**2 / max(float(gradient @ spread @ gradient), smallest_spread)

    def f_test(self, contrasts: Array) -> tuple[float, int, float, float]:
        """Test that all contrasts are 0: return F, both degrees of freedom and p. Shape (k, fixed)."""
        values, vectors = np.linalg.eigh(contrasts @ self.covariance @ contrasts.T)
        turned = vectors.T @ contrasts
        statistic = float(np.mean((turned @ self.estimate) ** 2 / values))
        dofs = np.array([self.dof(one) for one in turned])
        if np.ptp(dofs) < 1e-6 * dofs.mean():
            dof = float(dofs.mean())
        elif (dofs <= 2.0).any():
            dof = 2.0
        else:
            expected = float(np.sum(dofs / (dofs - 2.0)))
            dof = 2.0 * expected / (expected - len(dofs))
        return statistic, len(dofs), dof, float(stats.f.sf(statistic, len(dofs), dof))


def products(
    response: Array,
    fixed: Array,
    participant: npt.NDArray[np.int64],
    effects: Sequence[PersonEffect],
    stimulus: npt.NDArray[np.int64] | None,
) -> Products:
    """Return the cross products of N answers: fixed effects (N, p), numbers of people and of stimuli (N,)."""
    shown = np.zeros((len(response), 0)) if stimulus is None else np.eye(int(stimulus.max()) + 1)[stimulus]
    side_by_side = np.column_stack([fixed, response, shown])
    columns = np.column_stack([effect.columns for effect in effects])
    people = int(participant.max()) + 1
    q = columns.shape[1]
    rows = np.repeat(np.arange(len(response)), q)
    owned = sparse.csr_array(
        (columns.ravel(), (rows, (participant[:, None] * q + np.arange(q)).ravel())), (len(participant), people * q)
    )
    pairs = [[np.bincount(participant, columns[:, j] * columns[:, k], people) for k in range(q)] for j in range(q)]
    return Products(
        answers=len(response),
        fixed=fixed.shape[1],
        whole=side_by_side.T @ side_by_side,
        person=np.asarray(owned.T @ side_by_side).reshape(people, q, -1),
        within=np.moveaxis(np.array(pairs), -1, 0),
        owner=np.repeat(np.arange(len(effects)), [effect.columns.shape[1] for effect in effects]),
        components=(*(effect.name for effect in effects), *(() if stimulus is None else ("stimulus",))),
        stimuli=stimulus is not None,
    )


def fit_components(given: Products, column: str) -> ComponentFit:
    """Fit a model by restricted maximum likelihood; `column` names the answers in errors.

    Raises AnswersError if there are too few answers, or if nothing is left that the random effects do not explain: the
    residual, and with it every test, is then undetermined.
    """
    too_few = AnswersError("answers", f"there are too few answers for a mixed model of {column}.")
    if given.answers <= given.fixed + 1:
        raise too_few
    bounds = [(0.0, _MAX_RATIO)] * len(given.components)
    try:
        fits = [
            optimize.minimize(
                partial(_deviance, given),
                np.full(len(bounds), start),
                method="L-BFGS-B",
                bounds=bounds,
                options=_PRECISE,
            )
            for start in _INITIAL_RATIOS
        ]
        best: Any = min(fits, key=lambda fit: fit.fun)
        ratios = np.where(best.x > _ZERO_RATIO, best.x, 0.0)
        reduced, _ = _eliminate_random_effects(given, ratios)
        covariance = np.linalg.inv(reduced[:-1, :-1])
    except np.linalg.LinAlgError as error:
        raise too_few from error
    estimate = np.asarray(covariance @ reduced[:-1, -1], dtype=np.float64)
    residual = float(np.sqrt(max(_residual(reduced), 0.0) / (given.answers - given.fixed)))
    if not np.isfinite(best.fun):
        raise too_few
    if residual < _MIN_RESIDUAL or ratios.max() > _MAX_TESTABLE_RATIO:
        reason = (
            f"a mixed model of {column} is not testable: the answers do not vary beyond the differences between "
            "people, emotions and motions."
        )
        raise AnswersError("answers", reason)
    sds = {name: float(ratio * residual) for name, ratio in zip(given.components, ratios, strict=True)}
    return ComponentFit(estimate, np.asarray(residual**2 * covariance), sds, residual, given, ratios)


def _eliminate_random_effects(given: Products, ratios: Array) -> tuple[Array, float]:
    """Return the products of fixed effects and response weighted by the inverse covariance, and its log determinant.

    Ratios are standard deviations over that of the residual. Shapes (components,) in, (fixed + 1, fixed + 1) out.
    """
    scale = ratios[given.owner]
    own = np.eye(len(scale)) + scale[:, None] * given.within * scale
    root = np.linalg.cholesky(own)
    solved = np.linalg.solve(root, scale[:, None] * given.person).reshape(-1, given.whole.shape[0])
    left = given.whole - solved.T @ solved
    log_determinant = 2.0 * float(np.log(np.diagonal(root, axis1=1, axis2=2)).sum())
    first = given.fixed + 1
    reduced = left[:first, :first]
    if given.stimuli and ratios[-1] > 0.0:
        crossed = np.linalg.cholesky(np.eye(len(left) - first) + ratios[-1] ** 2 * left[first:, first:])
        part = np.linalg.solve(crossed, ratios[-1] * left[first:, :first])
        reduced = reduced - part.T @ part
        log_determinant += 2.0 * float(np.log(np.diagonal(crossed)).sum())
    return reduced, log_determinant


def _residual(reduced: Array) -> float:
    """Return the weighted residual sum of squares."""
    return float(reduced[-1, -1] - reduced[:-1, -1] @ np.linalg.solve(reduced[:-1, :-1], reduced[:-1, -1]))


def _deviance(given: Products, ratios: Array, residual_sd: float | None = None) -> float:
    """Return minus twice the restricted log likelihood up to a constant; at the optimal residual if none is given."""
    reduced, log_determinant = _eliminate_random_effects(given, ratios)
    left = max(_residual(reduced), 1e-300)
    dof = given.answers - given.fixed
    log_determinant += float(np.linalg.slogdet(reduced[:-1, :-1])[1])
    if residual_sd is None:
        return log_determinant + dof * (1.0 + float(np.log(left / dof)))
    return log_determinant + 2.0 * dof * float(np.log(residual_sd)) + left / residual_sd**2
