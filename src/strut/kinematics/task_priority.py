"""Task-priority (hierarchical) differential inverse kinematics with velocity bounds: null spaces, active sets.

Each level moves only in what the levels above it leave free, so it cannot disturb them. Within that freedom it comes as
close to its goal as the bounds allow: where its own optimum would cross a bound, an active-set search walks from the
levels above (which keep the bounds) to the best point inside. Every point on the way keeps all bounds and all higher
levels, and brings the level nearer to its goal.

Near a singularity the inverse is damped only in the directions that are about to be lost. Those directions still belong
to their level: lower levels may not use them, so nothing leaks.
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
Held = Mapping[int, bool]  # joints at a bound: whether it is the upper one
DAMPED_BELOW = 0.02  # singular values under this are damped: the inverse never gains more than about its reciprocal
LOST_BELOW = 1e-6  # under this a direction is gone, and lower levels may have the joints that no longer serve it
PAPER_CUT = 1e-3  # Claret et al. (2017) drop smaller singular values
_INSIDE = 1e-12
_MOST_CHANGES = 8  # of who is held; more only happen where the tasks do not fit into the bounds
_WORK = 64  # numbers of scratch memory for LAPACK
_UPPER = tuple(np.asfortranarray(np.triu(np.ones((k, k)))) for k in range(65))  # masks: 10 times faster than np.triu


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """What one level of importance asks for.

    Args:
        jacobian: How the coordinates move the task. Shape (m, n); None if the task is the coordinates themselves.
        velocity: Wanted velocity, feedback and feed-forward together. Shape (m,), or (n,) without a Jacobian.
        within: Narrower bounds for this level, lower and upper, widened to what the levels above need. Shape (n,) each.
    """

    jacobian: Array | None
    velocity: Array
    within: tuple[Array, Array] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PrioritySolution:
    """Joint velocities (n,) that serve the levels, how many dimensions each leaves free, and who is at a bound."""

    velocity: Array
    free: tuple[int, ...]
    held: Held


def resolve(
    levels: Sequence[Level], lower: Array, upper: Array, *, law: Law = "corrected", held: Held | None = None
) -> PrioritySolution:
    """Return the joint velocities that serve the levels, the first one first.

    Args:
        levels: In order of importance.
        lower: Least velocities. Shape (n,).
        upper: Largest velocities, nowhere below `lower`. Shape (n,).
        law: `corrected` lets each level make up for what the levels above do to it; `paper` is the published one, in
            which each level but the first is inverted on its own and then projected, so that it is not tracked.
        held: A guess of who will be held at a bound, for instance a moment ago; the result does not depend on it.
    """
    if law == "corrected":
        resolved = _resolved_at_once(levels, lower, upper, held)
        if resolved is not None:
            return resolved
    velocity = np.minimum(np.maximum(lower, 0.0), upper)
    basis: Array | None = None  # of what is free; None while all is
    free: list[int] = []
    for number, level in enumerate(levels):
        if free and free[-1] == 0:
            free.append(0)
            continue
        request = _request(level, velocity, basis, law, first=number == 0)
        wanted = velocity + (request.step if basis is None else basis @ request.step)
        least, most = (lower, upper) if level.within is None else _widened(level.within, velocity, lower, upper)
        if np.minimum(wanted - least, most - wanted).min() < 0.0:
            wanted = _inside_bounds(request, np.eye(len(lower)) if basis is None else basis, velocity, least, most)
        velocity = wanted
        basis = request.null
        free.append(basis.shape[1])
    return PrioritySolution(velocity, tuple(free), _beyond(velocity, lower + _INSIDE, upper - _INSIDE))


@dataclass(frozen=True, slots=True, eq=False)
class _Stack:
    """Tasks below each other: their Jacobians (m, n), what they want (m,) and the number of rows of each."""

    jacobian: Array
    goal: Array
    rows: tuple[int, ...]


def _resolved_at_once(
    levels: Sequence[Level], lower: Array, upper: Array, held: Held | None
) -> PrioritySolution | None:
    """Return the velocities that serve all tasks in full, or None where a bound or a singularity stands against it.

    Then level after level must find what is left of the lower tasks. A last level without a Jacobian has what the
    tasks leave free to itself; without one, nothing moves that need not.
    """
    last = levels[-1] if levels[-1].jacobian is None else None
    tasks = levels if last is None else levels[:-1]
    n = len(lower)
    stack = _stacked(tasks, n)
    if stack is None:
        return None
    free = [n - used for used in accumulate(stack.rows)]
    own = [level.within for level in levels if level.within is not None]
    if last is None:
        least = _least(stack, lower, upper, own)
        return None if least is None else PrioritySolution(least, tuple(free), {})
    if own or not held:
        first = _served(stack, {}, last.velocity, lower, upper)
        if first is None:
            return None
        if _keeps(first[0], lower, upper, own):
            return PrioritySolution(first[0], (*free, 0), {})
        held = held or _beyond(first[1], lower, upper)
    if own:
        least = _least(stack, lower, upper, [level.within for level in tasks if level.within is not None])
        if least is None:
            return None
        if last.within is not None:
            lower, upper = _widened(last.within, least, lower, upper)
    nearest = _nearest(stack, last.velocity, lower, upper, held)
    return None if nearest is None else PrioritySolution(nearest[0], (*free, 0), nearest[1])


def _least(stack: _Stack, lower: Array, upper: Array, own: Sequence[tuple[Array, Array]]) -> Array | None:
    """Return the least velocities (n,) that serve the tasks; None near a singularity or where they leave a bound."""
    least = _served(stack, {}, np.zeros(len(lower)), lower, upper)
    return least[0] if least is not None and _keeps(least[0], lower, upper, own) else None


def _stacked(tasks: Sequence[Level], n: int) -> _Stack | None:
    """Return tasks below each other; None if one has no Jacobian or they ask for more than n coordinates can give."""
    jacobians = [level.jacobian for level in tasks if level.jacobian is not None]
    rows = tuple([len(jacobian) for jacobian in jacobians])
    if len(jacobians) < len(tasks) or not 0 < sum(rows) <= min(n, len(_UPPER) - 1):
        return None
    return _Stack(np.concatenate(jacobians), np.concatenate([level.velocity for level in tasks]), rows)


def _nearest(
    stack: _Stack, reference_velocity: Array, lower: Array, upper: Array, held: Held
) -> tuple[Array, Held] | None:
    """Return the velocities (n,) nearest to a reference (n,) that serve the tasks and keep the bounds, and who is held.

    With Lagrange multipliers λ of the tasks they are the reference plus Jᵀ λ, clamped to the bounds. Newton steps on λ:
    hold the joints that are clamped, serve the tasks with the others, look who would now be clamped. When that no
    longer changes, the conditions of the optimum hold, and there is only one. None where it keeps changing, because the
    tasks do not fit into the bounds, or where those that are not held are near a singularity.
    """
    for _ in range(_MOST_CHANGES):
        served = _served(stack, held, reference_velocity, lower, upper)
        if served is None:
            return None
        velocity, unclamped_velocity = served
        clamped = np.minimum(np.maximum(unclamped_velocity, lower), upper)
        if not np.count_nonzero(np.abs(clamped - velocity) > _INSIDE):
            return clamped, held
        held = _beyond(unclamped_velocity, lower, upper)
    return None


def _beyond(unclamped_velocity: Array, lower: Array, upper: Array) -> Held:
    """Return who would cross a bound. Shape (n,) each."""
    return dict.fromkeys(np.flatnonzero(unclamped_velocity > upper).tolist(), True) | dict.fromkeys(
        np.flatnonzero(unclamped_velocity < lower).tolist(), False
    )


def _served(
    stack: _Stack, held: Held, reference_velocity: Array, lower: Array, upper: Array
) -> tuple[Array, Array] | None:
    """Return the velocities nearest to a reference that serve the tasks while some joints are held at their bounds.

    With Jᵀ = Q R of the joints that are not held, the goals stand below each other in Rᵀ y = goals: forward
    substitution serves them in order, and what is left of Q's columns is for the reference.

    Returns:
        Velocities (n,), and the same where joints that are held are not clamped to their bounds (n,); None near a
        singularity.
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


def _keeps(velocity: Array, lower: Array, upper: Array, own: Sequence[tuple[Array, Array]]) -> bool:
    """Return whether velocities keep the bounds and those that levels have of their own."""
    return not any(
        np.count_nonzero(velocity < least) or np.count_nonzero(velocity > most)
        for least, most in ((lower, upper), *own)
    )


def _far_from_singular(inverse: Array, rows: Sequence[int]) -> bool:
    """Return whether no level's singular values are near zero, from the inverse triangle of all. Shape (m, m).

    A diagonal block is the inverse of what its level has left to itself; its Frobenius norm is at least the reciprocal
    of the smallest singular value, and at most that of the whole.
    """
    every = inverse.ravel("K")
    if every.dot(every) * DAMPED_BELOW**2 < 1.0:
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
    """A level within what is free, u of shape (p,): bring matrix (m, p) times u, or u itself, to the goal.

    `step` does it where no bound is in the way; `null` is a basis of what the level leaves free. Shape (n, p - rank).
    """

    matrix: Array | None
    goal: Array
    step: Array
    null: Array


def _request(level: Level, velocity: Array, basis: Array | None, law: Law, *, first: bool) -> _Request:
    """Return what a level asks for on top of the velocity of the levels above."""
    if level.jacobian is None:
        missing = level.velocity - velocity
        step = missing if basis is None else basis.T @ missing
        return _Request(None, step, step, np.empty((len(velocity), 0)))
    matrix = level.jacobian if basis is None else level.jacobian @ basis
    inverse, within = _inverted(matrix, law)
    null = within if basis is None else basis @ within
    if law == "paper" and not first:
        own = _inverted(level.jacobian, law)[0] @ level.velocity
        step = own if basis is None else basis.T @ own
        return _Request(None, step, step, null)
    goal = level.velocity - level.jacobian @ velocity
    return _Request(matrix, goal, inverse @ goal, null)


def velocity_bounds(
    angles: Array, lower: Array, upper: Array, speed_limit: Array, *, step_s: float, approach_per_s: float
) -> tuple[Array, Array]:
    """Return the velocities that keep coordinates within their ranges for one step and slow them down before the ends.

    Args:
        angles: Now. Shape (n,).
        lower: Least angles. Shape (n,).
        upper: Largest angles. Shape (n,).
        speed_limit: Shape (n,).
        step_s: How long the velocity will be kept.
        approach_per_s: Share of the remaining way to an end that may be covered per second.
    """
    rate = min(1.0 / step_s, approach_per_s)
    least = np.minimum(np.maximum(-speed_limit, (lower - angles) * rate), 0.0)
    most = np.maximum(np.minimum(speed_limit, (upper - angles) * rate), 0.0)
    return least, most


def _widened(within: tuple[Array, Array], velocity: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return bounds within `lower` and `upper` that hold the velocity of the levels above. Shape (n,) each."""
    return np.maximum(np.minimum(within[0], velocity), lower), np.minimum(np.maximum(within[1], velocity), upper)


def _inverted(matrix: Array, law: Law) -> tuple[Array, Array]:
    """Return a matrix's inverse (p, m), damped near singularities, and a basis of what it does not see (p, p - rank).

    Shape (m, p) in. Well away from singularities a QR factorisation does; it takes a fifth of the time of an SVD.
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
    return _inverted_by_svd(matrix, law)


def _inverted_by_svd(matrix: Array, law: Law) -> tuple[Array, Array]:
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


def _inside_bounds(request: _Request, basis: Array, start: Array, lower: Array, upper: Array) -> Array:
    """Return the velocities start + basis u, inside the bounds, for which u comes closest to what is requested.

    A primal active-set search from u = 0. Joints that reach a bound are held there; one that would rather leave it is
    released, once, so the search ends. Shapes (n, p), (n,), (n,), (n,) in, (n,) out.
    """
    matrix = request.matrix
    goal = request.goal
    velocity = start
    u = np.zeros(basis.shape[1])
    step = request.step
    held: dict[int, bool] = {}  # joint: whether at its upper bound
    press = basis.T[:, :0]
    released: set[int] = set()
    while True:
        change = basis @ step
        change[list(held)] = 0.0
        share, joint = _first_bound(velocity, change, lower, upper)
        u = u + share * step
        velocity = velocity + share * change
        missing = goal - (u if matrix is None else matrix @ u)
        if share < 1.0:
            held[joint] = bool(change[joint] > 0.0)
            velocity[joint] = upper[joint] if held[joint] else lower[joint]
        else:
            pull = missing if matrix is None else matrix.T @ missing
            leaving = _most_negative_multiplier(pull, press, held) if held else None
            if leaving is None or leaving in released:
                return np.minimum(np.maximum(velocity, lower), upper)
            released.add(leaving)
            del held[leaving]
        press, room = _inverted(basis[list(held)], "corrected") if held else (press[:, :0], np.eye(len(u)))
        step = _step(matrix, room, missing)


def _step(matrix: Array | None, room: Array, missing: Array) -> Array:
    """Return the step within `room` (p, r) that brings matrix u nearest to what is missing (m,). Shape (p,)."""
    if room.shape[1] == 0:
        return np.zeros(len(room))
    if matrix is None:
        return np.asarray(room @ (room.T @ missing))
    return np.asarray(room @ (_inverted(matrix @ room, "corrected")[0] @ missing))


def _first_bound(velocity: Array, change: Array, lower: Array, upper: Array) -> tuple[float, int]:
    """Return the share of a change that can be made before the first bound, at most 1, and whose bound it is."""
    least = 1.0
    joint = -1
    for index, (here, by, low, high) in enumerate(
        zip(velocity.tolist(), change.tolist(), lower.tolist(), upper.tolist(), strict=True)
    ):  # plain numbers: for a dozen joints they are faster than arrays
        if abs(by) > _INSIDE:
            share = ((high if by > 0.0 else low) - here) / by
            if share < least:
                least = share
                joint = index
    return max(least, 0.0), joint


def _most_negative_multiplier(pull: Array, press: Array, held: dict[int, bool]) -> int | None:
    """Return the joint whose active bound has the most negative multiplier; None if the active set is optimal.

    Args:
        pull: Negative gradient of half the squared error, by u. Shape (p,).
        press: Pseudo-inverse of the active rows. Shape (p, n_active).
        held: Joints at a bound, and whether each is at its upper one.
    """
    outward = press.T @ pull * np.where(list(held.values()), 1.0, -1.0)
    worst = int(np.argmin(outward))
    return list(held)[worst] if outward[worst] < -1e-9 * (1.0 + float(np.abs(pull).max())) else None
