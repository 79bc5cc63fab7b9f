"""Cost weights: a program with other weights, and the sensitivity of its solution to them.

Weights are data of a program, so changing them needs no new derivatives. The sensitivities follow from the optimality
conditions (implicit function theorem; Fiacco & McCormick 1968) with one sparse factorisation for all weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

import numpy as np
from scipy.sparse import bmat, csc_matrix, diags
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from strut.arrays import Array
from strut.ocp.collocation import DirectCollocation
from strut.ocp.interior_point import SolverOutcome
from strut.ocp.problem import SampleCost
from strut.ocp.sparse_nlp import Element, SparseNLP

LEAST_SLACK = 1e-9  # the solver keeps bounds to about 1e-8
LEAST_MULTIPLIER = 1e-7  # rows with a smaller multiplier are inactive
INACTIVE_SLACK = 1e3  # rows with more slack are inactive
DENSE_COLUMN = 250  # nonzeros; columns with more are ordered last, or factorising takes three times as long
REGULARISATION = 1e-10  # of equations and variables, so that redundant ones can be factorised


def reweight(program: DirectCollocation, factors: Mapping[str, float]) -> DirectCollocation:
    """Return the program with the weights of named costs multiplied by factors; other costs keep their weights."""
    assert not any(isinstance(cost, SampleCost) for cost in program.problem.costs)  # its data hold no weight
    other = copy(program)
    assembly = copy(program.assembly)
    other.elements = [_scaled(piece, factors) for piece in program.elements]
    assembly.elements = tuple(other.elements)
    assembly.data = np.concatenate([piece.data.ravel() for piece in other.elements])
    other.assembly = assembly
    return other


def _scaled(piece: Element, factors: Mapping[str, float]) -> Element:
    """Return an element with its cost multiplied: costs are proportional to their first datum."""
    if piece.cost.is_zero() or piece.name not in factors:
        return piece
    data = piece.data.copy()
    data[:, 0] *= factors[piece.name]
    return replace(piece, data=data)


def cost_gradients(program: DirectCollocation, names: Sequence[str], x: Array) -> Array:
    """Return the weighted gradient of every named cost at variables (n,). Shape (n, k)."""

    def gradient(assembly: SparseNLP) -> Array:
        return np.asarray(assembly.functions["grad_f"](x, assembly.data)[1].full().ravel())

    whole = gradient(program.assembly)
    # by differences: costs are linear in their weights, but 0 is no weight of a rate
    return np.stack([gradient(reweight(program, {name: 2.0}).assembly) - whole for name in names], axis=1)


def solution_sensitivities(program: DirectCollocation, outcome: SolverOutcome, added: Array) -> Array:
    """Return the derivative of a solution with respect to gradients added to that of the cost. Shapes (n, k).

    Active bounds and rows are those of the interior-point solution: each has the stiffness multiplier over slack.
    """
    assembly = program.assembly
    layout = program.layout
    x = outcome.x
    triangle = csc_matrix(assembly.functions["hess_lag"](x, assembly.data, 1.0, outcome.row_multiplier).sparse())
    rows, jacobian = assembly.linear(x)
    free = layout.lower < layout.upper
    stiffness = np.abs(outcome.bound_multiplier) / _slack(x, layout.lower, layout.upper, outcome.bound_multiplier)
    hessian = triangle + triangle.T + diags(stiffness + REGULARISATION - triangle.diagonal())
    multiplier = np.abs(outcome.row_multiplier)
    equation = assembly.lower == assembly.upper
    slack = _slack(rows, assembly.lower, assembly.upper, outcome.row_multiplier)
    kept = equation | ((multiplier > LEAST_MULTIPLIER) & (slack < INACTIVE_SLACK))
    compliance = np.where(equation, REGULARISATION, slack / np.maximum(multiplier, LEAST_MULTIPLIER))[kept]
    active_jacobian = jacobian[kept][:, free]
    system = bmat([[hessian[free][:, free], active_jacobian.T], [active_jacobian, -diags(compliance)]], format="csc")
    right = np.concatenate([-added[free], np.zeros((len(compliance), added.shape[1]))])
    moved = np.zeros_like(added)
    moved[free] = _solved(system, right)[: free.sum()]
    return moved


def _solved(system: csc_matrix, right: Array) -> Array:
    """Return the solution of a symmetric system; the few dense columns (durations) are factorised last."""
    dense = np.diff(system.indptr) > DENSE_COLUMN
    inner = np.flatnonzero(~dense)
    order = reverse_cuthill_mckee(system[inner][:, inner].tocsr(), symmetric_mode=True)
    order = np.concatenate([inner[order], np.flatnonzero(dense)])
    found = np.empty_like(right)
    found[order] = splu(system[order][:, order].tocsc(), permc_spec="NATURAL").solve(right[order])
    return found


def _slack(values: Array, lower: Array, upper: Array, multiplier: Array) -> Array:
    """Return the distance of values from their active limit: the upper one where the multiplier is positive."""
    return np.maximum(np.where(multiplier > 0.0, upper - values, values - lower), LEAST_SLACK)
