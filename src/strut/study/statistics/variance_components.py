"""Variance components: linear mixed models with independent random effects of people, crossed with those of stimuli.

The restricted likelihood is profiled over the ratios of the components (Bates et al., 2015) and tests use
Satterthwaite's degrees of freedom (Kuznetsova et al., 2017). statsmodels fits crossed effects with one dense matrix
over all answers, which takes minutes; here people's effects are eliminated person by person and only those of stimuli
are solved together. R's lme4 and lmerTest give the same numbers (benchmarks/bench_study_mixed.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import optimize, sparse, stats
from statsmodels.tools.numdiff import approx_fprime, approx_hess

from strut.arrays import Array
from strut.errors import AnswersError
from strut.study.statistics.answers import IntArray

_NONE = 1e-3  # standard deviations below this share of the residual cannot be told from none
_LARGEST = 1e3  # times the residual; a search must not run away beyond it
_PRECISE = {"ftol": 1e-13, "gtol": 1e-7}
_STARTS = (0.7, 0.15)  # of the ratios: a flat likelihood near 0 holds a search that begins there


@dataclass(frozen=True, slots=True, eq=False)
class PersonEffect:
    """A random effect of each person: columns of its design, one standard deviation for all. Shape (N, q)."""

    name: str
    columns: Array


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums over answers that the likelihood needs, of fixed effects, response and stimuli side by side (c columns).

    Args:
        answers: How many, N.
        fixed: How many fixed effects.
        whole: Products of all columns with each other. Shape (c, c).
        person: Products of each person's effects with all columns. Shape (people, q, c).
        within: Products of each person's effects with each other. Shape (people, q, q).
        owner: Which component each of the q columns belongs to. Shape (q,).
        components: Names of the components, that of stimuli last where there is one.
        stimuli: Whether stimuli have an effect.
    """

    answers: int
    fixed: int
    whole: Array
    person: Array
    within: Array
    owner: IntArray
    components: tuple[str, ...]
    stimuli: bool


@dataclass(frozen=True, eq=False)
class ComponentFit:
    """A fitted model: fixed effects, their covariance, standard deviations of all components and of the residual."""

    estimate: Array
    covariance: Array
    sds: dict[str, float]
    residual_sd: float
    products: Products
    ratios: Array

    @cached_property
    def uncertainty(self) -> tuple[Array, Array]:
        """How the covariance changes with each variance parameter, and how uncertain those are.

        Parameters are the ratios that are not 0 and the residual. Shapes (k, fixed, fixed) and (k, k).
        """
        free = np.flatnonzero(self.ratios > _NONE)
        at = np.append(self.ratios[free], self.residual_sd)

        def ratios(parameters: Array) -> Array:
            whole = np.zeros_like(self.ratios)
            whole[free] = parameters[:-1]
            return whole

        def deviance(parameters: Array) -> float:
            return _deviance(self.products, ratios(parameters), float(parameters[-1]))

        def covariance(parameters: Array) -> Array:
            kept, _ = _eliminated(self.products, ratios(parameters))
            return np.asarray(parameters[-1] ** 2 * np.linalg.inv(kept[:-1, :-1]).ravel())

        fixed = len(self.estimate)
        change = np.asarray(approx_fprime(at, covariance, centered=True)).reshape(fixed, fixed, len(at))
        hessian = np.asarray(approx_hess(at, deviance)).reshape(len(at), len(at))
        return np.moveaxis(change, -1, 0), 2.0 * np.linalg.pinv(hessian, hermitian=True)

    def dof(self, contrast: Array) -> float:
        """Return Satterthwaite's degrees of freedom of a contrast of fixed effects. Shape (fixed,)."""
        change, spread = self.uncertainty
        gradient = change @ contrast @ contrast
        variance = float(contrast @ self.covariance @ contrast)
        return 2.0 * variance**2 / max(float(gradient @ spread @ gradient), 1e-300)

    def f_test(self, contrasts: Array) -> tuple[float, int, float, float]:
        """Return F, both degrees of freedom and p that all contrasts are 0. Shape (k, fixed)."""
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
    response: Array, fixed: Array, who: IntArray, effects: Sequence[PersonEffect], stimulus: IntArray | None
) -> Products:
    """Return what the likelihood needs: N answers, fixed effects (N, p), numbers of people and of stimuli (N,)."""
    shown = np.zeros((len(response), 0)) if stimulus is None else np.eye(int(stimulus.max()) + 1)[stimulus]
    side_by_side = np.column_stack([fixed, response, shown])
    columns = np.column_stack([effect.columns for effect in effects])
    people = int(who.max()) + 1
    q = columns.shape[1]
    rows = np.repeat(np.arange(len(response)), q)
    owned = sparse.csr_array(
        (columns.ravel(), (rows, (who[:, None] * q + np.arange(q)).ravel())), (len(who), people * q)
    )
    pairs = [[np.bincount(who, columns[:, j] * columns[:, k], people) for k in range(q)] for j in range(q)]
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


def fit_components(given: Products) -> ComponentFit:
    """Fit a model by restricted maximum likelihood; raises AnswersError where the answers do not determine it."""
    if given.answers <= given.fixed + 1:
        raise _undetermined()
    bounds = [(0.0, _LARGEST)] * len(given.components)
    try:
        fits = [
            optimize.minimize(
                partial(_deviance, given),
                np.full(len(bounds), start),
                method="L-BFGS-B",
                bounds=bounds,
                options=_PRECISE,
            )
            for start in _STARTS
        ]
        best: Any = min(fits, key=lambda fit: fit.fun)
        ratios = np.where(best.x > _NONE, best.x, 0.0)
        kept, _ = _eliminated(given, ratios)
        covariance = np.linalg.inv(kept[:-1, :-1])
    except np.linalg.LinAlgError as error:
        raise _undetermined() from error
    estimate = np.asarray(covariance @ kept[:-1, -1], dtype=np.float64)
    residual = float(np.sqrt(_residual(kept) / (given.answers - given.fixed)))
    if not np.isfinite(best.fun) or residual < 1e-9:
        raise _undetermined()
    sds = {name: float(ratio * residual) for name, ratio in zip(given.components, ratios, strict=True)}
    return ComponentFit(estimate, np.asarray(residual**2 * covariance), sds, residual, given, ratios)


def _undetermined() -> AnswersError:
    return AnswersError("answers", "a mixed model is not determined by so few.")


def _eliminated(given: Products, ratios: Array) -> tuple[Array, float]:
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
    kept = left[:first, :first]
    if given.stimuli and ratios[-1] > 0.0:
        crossed = np.linalg.cholesky(np.eye(len(left) - first) + ratios[-1] ** 2 * left[first:, first:])
        part = np.linalg.solve(crossed, ratios[-1] * left[first:, :first])
        kept = kept - part.T @ part
        log_determinant += 2.0 * float(np.log(np.diagonal(crossed)).sum())
    return kept, log_determinant


def _residual(kept: Array) -> float:
    """Return the weighted sum of squares that the fixed effects leave."""
    return float(kept[-1, -1] - kept[:-1, -1] @ np.linalg.solve(kept[:-1, :-1], kept[:-1, -1]))


def _deviance(given: Products, ratios: Array, residual_sd: float | None = None) -> float:
    """Return minus twice the restricted log likelihood up to a constant; at its best residual where none is given."""
    kept, log_determinant = _eliminated(given, ratios)
    left = max(_residual(kept), 1e-300)
    dof = given.answers - given.fixed
    log_determinant += float(np.linalg.slogdet(kept[:-1, :-1])[1])
    if residual_sd is None:
        return log_determinant + dof * (1.0 + float(np.log(left / dof)))
    return log_determinant + 2.0 * dof * float(np.log(residual_sd)) + left / residual_sd**2
