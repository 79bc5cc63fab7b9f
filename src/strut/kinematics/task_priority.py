"""Task priority: joint velocities that serve tasks in order of importance, and never cross a bound.

Each level moves only in what the levels above it leave free, so it cannot disturb them. Within that freedom it comes as
close to its goal as the bounds allow: where its own optimum would cross a bound, an active-set search walks from the
levels above (which keep the bounds) to the best point inside. Every point on the way keeps all bounds and all higher
levels, and brings the level nearer to its goal.

Near a singularity the inverse is damped only in the directions that are about to be lost. Those directions still belong
to their level: lower levels may not use them, so nothing leaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import lapack

from strut.robot import Array

Law = Literal["corrected", "paper"]
DAMPED_BELOW = 0.02  # singular values under this are damped: the inverse never gains more than about its reciprocal
LOST_BELOW = 1e-6  # under this a direction is gone, and lower levels may have the joints that no longer serve it
PAPER_CUT = 1e-3  # Claret et al. (2017) drop smaller singular values
_INSIDE = 1e-12
_WORK = 64  # numbers of scratch memory for LAPACK
_UPPER = np.triu(np.ones((64, 64)))  # a mask: cutting it to size is ten times faster than np.triu


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
class Resolved:
    """Joint velocities (n,) that serve the levels, and how many dimensions each of them leaves free."""

    velocity: Array
    free: tuple[int, ...]


def resolve(levels: Sequence[Level], lower: Array, upper: Array, *, law: Law = "corrected") -> Resolved:
    """Return the joint velocities that serve the levels, the first one first.

    Args:
        levels: In order of importance.
        lower: Least velocities. Shape (n,).
        upper: Largest velocities, nowhere below `lower`. Shape (n,).
        law: `corrected` lets each level make up for what the levels above do to it; `paper` is the published one, in
            which each level but the first is inverted on its own and then projected, so that it is not tracked.
    """
    if law == "corrected":
        resolved = _resolved_at_once(levels, lower, upper)
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
        velocity, basis = wanted, request.null
        free.append(basis.shape[1])
    return Resolved(velocity, tuple(free))


def _resolved_at_once(levels: Sequence[Level], lower: Array, upper: Array) -> Resolved | None:
    """Return the velocities by one factorisation, or None where a bound or a singularity asks for level after level.

    With the Jacobians stacked as J and Jᵀ = Q R, the levels' goals stand below each other in Rᵀ y = goals: forward
    substitution serves them in order. What is left of Q's columns is free, and a last level without a Jacobian has it
    to itself. An optimum without bounds that keeps them is the optimum with them, so only that level may need a search.
    """
    last = levels[-1] if levels[-1].jacobian is None else None
    tasks = levels if last is None else levels[:-1]
    jacobians = [level.jacobian for level in tasks if level.jacobian is not None]
    n, rows = len(lower), [len(jacobian) for jacobian in jacobians]
    total = sum(rows)
    if len(jacobians) < len(tasks) or not 0 < total <= min(n, len(_UPPER)):
        return None
    factors, tau, _, _ = lapack.dgeqrf(np.concatenate(jacobians).T)
    inverse, singular = lapack.dtrtri(factors[:total])
    inverse *= _UPPER[:total, :total]
    if singular != 0 or not _far_from_singular(inverse, rows):
        return None
    serving = np.concatenate([level.velocity for level in tasks]) @ inverse
    free = (n - np.cumsum(rows)).tolist()
    if last is not None:
        mixed = lapack.dormqr("L", "T", factors, tau, last.velocity[:, None], _WORK)[0]
        mixed[:total, 0] = serving
        velocity = lapack.dormqr("L", "N", factors, tau, mixed, _WORK, overwrite_c=1)[0][:, 0]
        if _keeps(levels, velocity, lower, upper):
            return Resolved(velocity, (*free, 0))
    orthogonal = np.zeros((n, n), order="F")
    orthogonal[:, :total] = factors
    orthogonal = lapack.dorgqr(orthogonal, tau, overwrite_a=1)[0]
    velocity = orthogonal[:, :total] @ serving
    if not _keeps(tasks, velocity, lower, upper):
        return None
    if last is None:
        return Resolved(velocity, tuple(free))
    basis = orthogonal[:, total:]
    least, most = (lower, upper) if last.within is None else _widened(last.within, velocity, lower, upper)
    wish = basis.T @ last.velocity
    return Resolved(_inside_bounds(_Request(None, wish, wish, basis), basis, velocity, least, most), (*free, 0))


def _keeps(levels: Sequence[Level], velocity: Array, lower: Array, upper: Array) -> bool:
    """Return whether velocities keep the bounds and those that levels have of their own."""
    if np.minimum(velocity - lower, upper - velocity).min() < 0.0:
        return False
    own = [level.within for level in levels if level.within is not None]
    return all(np.minimum(velocity - least, most - velocity).min() >= 0.0 for least, most in own)


def _far_from_singular(inverse: Array, rows: Sequence[int]) -> bool:
    """Return whether no level's singular values are near zero, from the inverse triangle of all. Shape (m, m).

    A diagonal block is the inverse of what its level has left to itself; its Frobenius norm is at least the reciprocal
    of the smallest singular value.
    """
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
    if 0 < rows <= min(columns, len(_UPPER)):
        full = np.zeros((columns, columns), order="F")
        full[:, :rows], tau, _, _ = lapack.dgeqrf(matrix.T)
        triangle, singular = lapack.dtrtri(full[:rows, :rows])
        triangle *= _UPPER[:rows, :rows]
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
    matrix, goal = request.matrix, request.goal
    velocity, u, step = start, np.zeros(basis.shape[1]), request.step
    held: dict[int, bool] = {}  # joint: whether at its upper bound
    press = basis.T[:, :0]
    released: set[int] = set()
    while True:
        change = basis @ step
        change[list(held)] = 0.0
        share, joint = _first_bound(velocity, change, lower, upper)
        u, velocity = u + share * step, velocity + share * change
        missing = goal - (u if matrix is None else matrix @ u)
        if share < 1.0:
            held[joint] = bool(change[joint] > 0.0)
            velocity[joint] = upper[joint] if held[joint] else lower[joint]
        else:
            pull = missing if matrix is None else matrix.T @ missing
            leaving = _wants_to_leave(pull, press, held) if held else None
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
    least, joint = 1.0, -1
    for index, (here, by, low, high) in enumerate(
        zip(velocity.tolist(), change.tolist(), lower.tolist(), upper.tolist(), strict=True)
    ):  # plain numbers: for a dozen joints they are faster than arrays
        if abs(by) > _INSIDE:
            share = ((high if by > 0.0 else low) - here) / by
            if share < least:
                least, joint = share, index
    return max(least, 0.0), joint


def _wants_to_leave(pull: Array, press: Array, held: dict[int, bool]) -> int | None:
    """Return the held joint that would leave its bound inwards most willingly, or None if all press against theirs.

    Args:
        pull: Where u would like to go, against the slope of the error. Shape (p,).
        press: Inverse of the held joints' rows. Shape (p, n_held).
        held: Held joints, and whether each is at its upper bound.
    """
    outward = press.T @ pull * np.where(list(held.values()), 1.0, -1.0)
    worst = int(np.argmin(outward))
    return list(held)[worst] if outward[worst] < -1e-9 * (1.0 + float(np.abs(pull).max())) else None
