"""Task-priority differential inverse kinematics with velocity bounds: null-space projection and active sets.

Level k minimises |J_k v - v_k| over v = v_(k-1) + N_(k-1) u within the bounds, where N_(k-1) spans the null space of
all levels above, so that it cannot disturb them. Where its unbounded optimum crosses a bound, a primal active-set
search starts at the solution of the levels above, which is feasible; every point on the way keeps all bounds and all
higher levels and reduces the level's error.

Near a singularity the pseudo-inverse is damped in the directions of small singular values only. These directions still
belong to their level: lower levels may not use them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np
from scipy.linalg import lapack

from strut.arrays import Array

Law = Literal["corrected", "paper"]
Held = Mapping[int, bool]  # joints at a bound, and whether it is the upper one
DAMPED_BELOW = 0.02  # smaller singular values are damped: the gain of the inverse stays below about 50
LOST_BELOW = 1e-6  # a direction with a smaller singular value is lost, and lower levels may use its joints
PAPER_CUT = 1e-3  # Claret et al. (2017) drop smaller singular values
_TOLERANCE = 1e-12  # of velocities at a bound, from rounding
_MAX_CHANGES = 8  # of the active set; more happen only if the tasks do not fit into the bounds
_WORK = 64  # size of LAPACK's scratch memory
_UPPER = tuple(np.asfortranarray(np.triu(np.ones((k, k)))) for k in range(65))  # masks: 10 times faster than np.triu


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """One priority level: a task velocity.

    Args:
        jacobian: Jacobian of the task. Shape (m, n); None if the task is the coordinates themselves.
        velocity: Task velocity, feedback plus feed-forward. Shape (m,), or (n,) without a Jacobian.
        within: Narrower bounds of this level, lower and upper, widened to what the levels above need. Shape (n,) each.
    """

    jacobian: Array | None
    velocity: Array
    within: tuple[Array, Array] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PrioritySolution:
    """Joint velocities (n,), the dimensions that each level leaves free, and the joints at a bound."""

    velocity: Array
    free: tuple[int, ...]
    held: Held


def resolve(
    levels: Sequence[Level], lower: Array, upper: Array, *, law: Law = "corrected", held: Held | None = None
) -> PrioritySolution:
    """Return the joint velocities that serve the levels in order of priority.

    Args:
        levels: Levels, the highest priority first.
        lower: Minimum velocities. Shape (n,).
        upper: Maximum velocities, not below `lower`. Shape (n,).
        law: `corrected` compensates in each level for the motion of the levels above; `paper` is the published law,
            which inverts each level but the first on its own and then projects it, so that it is not tracked.
        held: Initial guess of the active set, such as that of the last tick; the result does not depend on it.
    """
    if law == "corrected":
        solution = _solve_all_levels_at_once(levels, lower, upper, held)
        if solution is not None:
            return solution
    velocity = np.minimum(np.maximum(lower, 0.0), upper)
    basis: Array | None = None  # of the free directions; None while all are free
    free: list[int] = []
    for number, level in enumerate(levels):
        if free and free[-1] == 0:
            free.append(0)
            continue
        request = _request(level, velocity, basis, law, first=number == 0)
        unbounded = velocity + (request.step if basis is None else basis @ request.step)
        low, high = (lower, upper) if level.within is None else _widen(level.within, velocity, lower, upper)
        if np.minimum(unbounded - low, high - unbounded).min() < 0.0:
            free_basis = np.eye(len(lower)) if basis is None else basis
            velocity = _search_active_set(request, free_basis, velocity, low, high)
        else:
            velocity = unbounded
        basis = request.null
        free.append(basis.shape[1])
    return PrioritySolution(velocity, tuple(free), _find_exceeded(velocity, lower + _TOLERANCE, upper - _TOLERANCE))


@dataclass(frozen=True, slots=True, eq=False)
class _Stack:
    """Stacked tasks: their Jacobians (m, n), their velocities (m,) and the number of rows of each."""

    jacobian: Array
    goal: Array
    rows: tuple[int, ...]


def _solve_all_levels_at_once(
    levels: Sequence[Level], lower: Array, upper: Array, held: Held | None
) -> PrioritySolution | None:
    """Return the velocities that serve all tasks exactly; None if a bound or a singularity prevents it.

    In that case the levels must be solved one after the other. A last level without a Jacobian gets all freedom that
    the tasks leave; without such a level, the solution has minimum norm.
    """
    last = levels[-1] if levels[-1].jacobian is None else None
    tasks = levels if last is None else levels[:-1]
    n = len(lower)
    stack = _stack_tasks(tasks, n)
    if stack is None:
        return None
    free = [n - used for used in accumulate(stack.rows)]
    own = [level.within for level in levels if level.within is not None]
    if last is None:
        smallest = _minimum_norm(stack, lower, upper, own)
        return None if smallest is None else PrioritySolution(smallest, tuple(free), {})
    if own or not held:
        first = _serve_with_held_joints(stack, {}, last.velocity, lower, upper)
        if first is None:
            return None
        if _keeps_bounds(first[0], lower, upper, own):
            return PrioritySolution(first[0], (*free, 0), {})
        held = held or _find_exceeded(first[1], lower, upper)
    if own:
        task_bounds = [level.within for level in tasks if level.within is not None]
        smallest = _minimum_norm(stack, lower, upper, task_bounds)
        if smallest is None:
            return None
        if last.within is not None:
            lower, upper = _widen(last.within, smallest, lower, upper)
    nearest = _nearest_to_reference(stack, last.velocity, lower, upper, held)
    return None if nearest is None else PrioritySolution(nearest[0], (*free, 0), nearest[1])


def _minimum_norm(stack: _Stack, lower: Array, upper: Array, own: Sequence[tuple[Array, Array]]) -> Array | None:
    """Return the smallest velocities (n,) that serve the tasks; None near a singularity or beyond a bound."""
    smallest = _serve_with_held_joints(stack, {}, np.zeros(len(lower)), lower, upper)
    return smallest[0] if smallest is not None and _keeps_bounds(smallest[0], lower, upper, own) else None


def _stack_tasks(tasks: Sequence[Level], n: int) -> _Stack | None:
    """Return the stacked tasks; None if one has no Jacobian or they have more rows than n coordinates can serve."""
    jacobians = [level.jacobian for level in tasks if level.jacobian is not None]
    rows = tuple([len(jacobian) for jacobian in jacobians])
    if len(jacobians) < len(tasks) or not 0 < sum(rows) <= min(n, len(_UPPER) - 1):
        return None
    return _Stack(np.concatenate(jacobians), np.concatenate([level.velocity for level in tasks]), rows)


def _nearest_to_reference(
    stack: _Stack, reference_velocity: Array, lower: Array, upper: Array, held: Held
) -> tuple[Array, Held] | None:
    """Return the velocities (n,) nearest to a reference (n,) that serve the tasks and keep the bounds.

    With Lagrange multipliers λ of the tasks, the solution is the reference plus Jᵀ λ, clamped to the bounds. Newton
    steps on λ: hold the clamped joints, serve the tasks with the others, find the joints that would now be clamped.
    When this set no longer changes, the optimality conditions of the convex program hold. None if it keeps changing,
    because the tasks do not fit into the bounds, or if the joints that are not held are near a singularity.
    """
    for _ in range(_MAX_CHANGES):
        served = _serve_with_held_joints(stack, held, reference_velocity, lower, upper)
        if served is None:
            return None
        velocity, unclamped_velocity = served
        clamped = np.minimum(np.maximum(unclamped_velocity, lower), upper)
        if not np.count_nonzero(np.abs(clamped - velocity) > _TOLERANCE):
            return clamped, held
        held = _find_exceeded(unclamped_velocity, lower, upper)
    return None


def _find_exceeded(unclamped_velocity: Array, lower: Array, upper: Array) -> Held:
    """Return the joints that exceed a bound, and whether it is the upper one. Shape (n,) each."""
    return dict.fromkeys(np.flatnonzero(unclamped_velocity > upper).tolist(), True) | dict.fromkeys(
        np.flatnonzero(unclamped_velocity < lower).tolist(), False
    )


def _serve_with_held_joints(
    stack: _Stack, held: Held, reference_velocity: Array, lower: Array, upper: Array
) -> tuple[Array, Array] | None:
    """Return the velocities nearest to a reference that serve the tasks while some joints are held at their bounds.

    With Jᵀ = Q R of the joints that are not held, the tasks are Rᵀ y = goals: forward substitution serves them in
    order, and the remaining columns of Q carry the reference.

    Returns:
        Velocities (n,), and the same with the held joints not clamped to their bounds (n,); None near a singularity.
    """
    jacobian = stack.jacobian
    goal = stack.goal
    total = len(stack.goal)
    own = reference_velocity
    if held:
        jacobian = jacobian.copy()
        own = reference_velocity.copy()
        for joint, high in held.items():
            goal = goal - jacobian[:, joint] * (upper if high else lower)[joint]
            jacobian[:, joint] = own[joint] = 0.0
    factors, tau, _, _ = lapack.dgeqrf(jacobian.T)
    inverse, singular = lapack.dtrtri(factors[:total])
    inverse *= _UPPER[total]
    if singular != 0 or not _far_from_singular(inverse, stack.rows):
        return None
    mixed = lapack.dormqr("L", "T", factors, tau, own[:, None], _WORK)[0]
    serving = goal @ inverse
    change = serving - mixed[:total, 0]
    mixed[:total, 0] = serving
    velocity = lapack.dormqr("L", "N", factors, tau, mixed, _WORK, overwrite_c=1)[0][:, 0]
    if not held:
        return velocity, velocity
    unclamped_velocity = velocity.copy()
    multiplier = inverse @ change
    for joint, high in held.items():
        velocity[joint] = (upper if high else lower)[joint]
        unclamped_velocity[joint] = reference_velocity[joint] + multiplier @ stack.jacobian[:, joint]
    return velocity, unclamped_velocity


def _keeps_bounds(velocity: Array, lower: Array, upper: Array, own: Sequence[tuple[Array, Array]]) -> bool:
    """Return whether velocities keep the bounds and the levels' own bounds."""
    return not any(
        np.count_nonzero(velocity < low) or np.count_nonzero(velocity > high) for low, high in ((lower, upper), *own)
    )


def _far_from_singular(inverse: Array, rows: Sequence[int]) -> bool:
    """Return whether no level has a singular value near zero, from the inverse of R of all levels. Shape (m, m).

    The diagonal block of a level is the inverse of its Jacobian in the null space of the levels above. The block's
    Frobenius norm is at least the reciprocal of the smallest singular value, and at most the norm of the whole matrix.
    """
    entries = inverse.ravel("K")
    if entries.dot(entries) * DAMPED_BELOW**2 < 1.0:
        return True
    first = 0
    for size in rows:
        block = inverse[first : first + size, first : first + size]
        if float(np.vdot(block, block)) * DAMPED_BELOW**2 >= 1.0:
            return False
        first += size
    return True


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """A level in free coordinates u (p,): minimise |matrix u - goal|, or |u - goal| without a matrix (m, p).

    `step` is the solution without bounds; `null` is a basis of the freedom below the level. Shape (n, p - rank).
    """

    matrix: Array | None
    goal: Array
    step: Array
    null: Array


def _request(level: Level, velocity: Array, basis: Array | None, law: Law, *, first: bool) -> _Request:
    """Return a level's problem in addition to the velocity of the levels above."""
    if level.jacobian is None:
        error = level.velocity - velocity
        step = error if basis is None else basis.T @ error
        return _Request(None, step, step, np.empty((len(velocity), 0)))
    matrix = level.jacobian if basis is None else level.jacobian @ basis
    inverse, null_of_matrix = _invert(matrix, law)
    null = null_of_matrix if basis is None else basis @ null_of_matrix
    if law == "paper" and not first:
        own = _invert(level.jacobian, law)[0] @ level.velocity
        step = own if basis is None else basis.T @ own
        return _Request(None, step, step, null)
    goal = level.velocity - level.jacobian @ velocity
    return _Request(matrix, goal, inverse @ goal, null)


def velocity_bounds(
    angles: Array, lower: Array, upper: Array, speed_limit: Array, *, step_s: float, approach_per_s: float
) -> tuple[Array, Array]:
    """Return velocity bounds that keep coordinates within their ranges for one step and brake them before the ends.

    Args:
        angles: Current angles. Shape (n,).
        lower: Minimum angles. Shape (n,).
        upper: Maximum angles. Shape (n,).
        speed_limit: Shape (n,).
        step_s: Time for which the velocity is kept.
        approach_per_s: Share of the remaining way to a limit that may be covered per second.
    """
    rate = min(1.0 / step_s, approach_per_s)
    min_velocity = np.minimum(np.maximum(-speed_limit, (lower - angles) * rate), 0.0)
    max_velocity = np.maximum(np.minimum(speed_limit, (upper - angles) * rate), 0.0)
    return min_velocity, max_velocity


def _widen(within: tuple[Array, Array], velocity: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return a level's bounds, widened to contain the velocity of the levels above. Shape (n,) each."""
    return np.maximum(np.minimum(within[0], velocity), lower), np.minimum(np.maximum(within[1], velocity), upper)


def _invert(matrix: Array, law: Law) -> tuple[Array, Array]:
    """Return the pseudo-inverse (p, m), damped near singularities, and a basis of the null space (p, p - rank).

    Shape (m, p) in. Away from singularities a QR factorisation suffices; it takes a fifth of the time of an SVD.
    """
    rows, columns = matrix.shape
    if 0 < rows <= min(columns, len(_UPPER) - 1):
        full = np.zeros((columns, columns), order="F")
        full[:, :rows], tau, _, _ = lapack.dgeqrf(matrix.T)
        triangle, singular = lapack.dtrtri(full[:rows, :rows])
        triangle *= _UPPER[rows]
        # the Frobenius norm of the inverse is at least 1 / smallest singular value
        if singular == 0 and float(np.vdot(triangle, triangle)) * DAMPED_BELOW**2 < 1.0:
            orthogonal = lapack.dorgqr(full, tau)[0]
            return orthogonal[:, :rows] @ triangle.T, orthogonal[:, rows:]
    return _invert_by_svd(matrix, law)


def _invert_by_svd(matrix: Array, law: Law) -> tuple[Array, Array]:
    """Return the same with gains s / (s² + damping) of the singular values s, or cut off as in the paper."""
    left, values, right = np.linalg.svd(matrix)
    if law == "paper":
        rank = int(np.count_nonzero(values >= PAPER_CUT))
        gain = 1.0 / values[:rank]
    else:
        rank = int(np.count_nonzero(values > LOST_BELOW))
        kept = values[:rank]
        damping = (DAMPED_BELOW / 2.0) ** 2 * np.maximum(1.0 - (kept / DAMPED_BELOW) ** 2, 0.0)
        gain = kept / (kept**2 + damping)
    return (right[:rank].T * gain) @ left[:, :rank].T, right[rank:].T


def _search_active_set(request: _Request, basis: Array, start: Array, lower: Array, upper: Array) -> Array:
    """Return the velocities start + basis u within the bounds that minimise the error of a request.

    A primal active-set search from u = 0. Joints that reach a bound are held there. A joint whose multiplier is
    negative is released, at most once, so the search ends. Shapes (n, p), (n,), (n,), (n,) in, (n,) out.
    """
    matrix = request.matrix
    goal = request.goal
    velocity = start
    u = np.zeros(basis.shape[1])
    step = request.step
    held: dict[int, bool] = {}  # active set: joint, and whether it is at its upper bound
    inverse_active = basis.T[:, :0]
    released: set[int] = set()
    while True:
        change = basis @ step
        change[list(held)] = 0.0
        share, joint = _first_bound(velocity, change, lower, upper)
        u = u + share * step
        velocity = velocity + share * change
        error = goal - (u if matrix is None else matrix @ u)
        if share < 1.0:
            held[joint] = bool(change[joint] > 0.0)
            velocity[joint] = upper[joint] if held[joint] else lower[joint]
        else:
            descent = error if matrix is None else matrix.T @ error
            leaving = _most_negative_multiplier(descent, inverse_active, held) if held else None
            if leaving is None or leaving in released:
                return np.minimum(np.maximum(velocity, lower), upper)
            released.add(leaving)
            del held[leaving]
        if held:
            inverse_active, free = _invert(basis[list(held)], "corrected")
        else:
            inverse_active = inverse_active[:, :0]
            free = np.eye(len(u))
        if free.shape[1] == 0:
            step = np.zeros(len(free))
        elif matrix is None:
            step = free @ (free.T @ error)
        else:
            step = free @ (_invert(matrix @ free, "corrected")[0] @ error)


def _first_bound(velocity: Array, change: Array, lower: Array, upper: Array) -> tuple[float, int]:
    """Return the share of a change, at most 1, up to the first bound, and the joint that reaches it."""
    smallest = 1.0
    joint = -1
    for index, (here, by, low, high) in enumerate(
        zip(velocity.tolist(), change.tolist(), lower.tolist(), upper.tolist(), strict=True)
    ):  # plain numbers are faster than arrays for a dozen joints
        if abs(by) > _TOLERANCE:
            share = ((high if by > 0.0 else low) - here) / by
            if share < smallest:
                smallest = share
                joint = index
    return max(smallest, 0.0), joint


def _most_negative_multiplier(descent: Array, inverse_active: Array, held: dict[int, bool]) -> int | None:
    """Return the joint whose active bound has the most negative multiplier; None if the active set is optimal.

    Args:
        descent: Negative gradient of half the squared error by u. Shape (p,).
        inverse_active: Pseudo-inverse of the active rows of the basis. Shape (p, n_active).
        held: Active set.
    """
    outward = inverse_active.T @ descent * np.where(list(held.values()), 1.0, -1.0)
    worst = int(np.argmin(outward))
    return list(held)[worst] if outward[worst] < -1e-9 * (1.0 + float(np.abs(descent).max())) else None
