"""Tree forces: springs, dampers and closed loops of a tree, in symbols.

A closure is rows c(q) = 0, written in the frame of the nearest body that carries both ends, so that only the joints of
the loop appear in them. Rates, accelerations and the generalised forces of their multipliers follow by differentiation.
Rows that say what others say (a planar loop closed by a point has one) are found at a closed posture and left out.
"""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np
import scipy.linalg

from strut.arrays import Array
from strut.errors import BadTableError
from strut.ocp.kinematic_tree import KinematicTree, TreeJoint
from strut.ocp.symbolic_dynamics import Expression, SymbolicDynamics
from strut.ocp.tree_elements import Anchor, Closure, FrameClosure, JointClosure, PointClosure, Tendon

DEPENDENT = 1e-6  # share of the largest row below which a row counts as linearly dependent on the others
CLOSED = 1e-10  # largest residual of a closed loop, in metres or radians
CLOSING_STEPS = 50
AWAY = 0.1  # random displacement that leaves singular configurations, in metres and radians
_TINY = 1e-24  # keeps the axis of a rotation by 0 defined


class TreeForces:
    """Forces on a tree besides gravity, motors and contacts. Columns in and out are symbols or numbers.

    `row_names` are those of the closures' independent rows; with none of them and no springs everything is zero.
    """

    def __init__(self, tree: KinematicTree) -> None:
        self.tree = tree
        q, v, a = (ca.SX.sym(letter, size) for letter, size in (("q", tree.nq), ("v", tree.nv), ("a", tree.nv)))
        moving = SymbolicDynamics(tree, q)
        rate = coordinate_rates(tree, q, v)
        rows, names = _closure_rows(tree, moving)
        speed = ca.jtimes(rows, q, rate)
        self._rate = ca.Function("rate", [q, v], [rate])
        self._all_rows = ca.Function("all_rows", [q], [rows, ca.densify(ca.jacobian(speed, v))])
        kept = self._independent(rows.numel())
        rows = rows[kept]
        speed = speed[kept]
        load = ca.SX.sym("load", len(kept))
        self.row_names: tuple[str, ...] = tuple(names[row] for row in kept)
        change = ca.jtimes(speed, ca.vertcat(q, v), ca.vertcat(rate, a))
        self._closed = ca.Function("closed", [q], [rows])
        self._speed = ca.Function("speed", [q, v], [speed])
        self._change = ca.Function("change", [q, v, a], [change])
        self._push = ca.Function(
            "push", [q, load], [ca.substitute(ca.jtimes(speed, v, load, True), v, ca.SX.zeros(tree.nv))]
        )
        self._passive = ca.Function("passive", [q, v], [_passive(tree, moving, q, v, rate)])

    def passive(self, q: Expression, v: Expression) -> Expression:
        """Return the generalised forces of springs and dampers. Shapes (nq,), (nv,) in, (nv,) out."""
        return self._passive(q, v)

    def positions(self, q: Expression) -> Expression:
        """Return the residuals of the loop closures. Shape (n_rows,)."""
        return self._closed(q)

    def velocities(self, q: Expression, v: Expression) -> Expression:
        """Return their rates. Shape (n_rows,)."""
        return self._speed(q, v)

    def accelerations(self, q: Expression, v: Expression, a: Expression) -> Expression:
        """Return their second derivatives. Shape (n_rows,)."""
        return self._change(q, v, a)

    def loads(self, q: Expression, force: Expression) -> Expression:
        """Return the generalised forces (nv,) of closure forces (n_rows,)."""
        return self._push(q, force)

    def closed(self, q: Array) -> Array:
        """Return the nearest coordinates that close all loops; raises BadTableError if there are none."""
        for _ in range(CLOSING_STEPS):
            rows, jacobian = (part.full() for part in self._all_rows(q))
            if np.abs(rows).max(initial=0.0) < CLOSED:
                return q
            step = -np.linalg.pinv(jacobian, rcond=DEPENDENT) @ rows.ravel()
            q = self._moved(q, step * min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-12)))
        raise BadTableError(f"{self.tree.name}: its loops cannot be closed from the posture of the model file.")

    def _moved(self, q: Array, step: Array) -> Array:
        """Return the coordinates after a step of the velocities, with unit quaternions."""
        moved: Array = q + self._rate(q, step).full().ravel()
        for joint in self.tree.steps:
            if joint.kind in {"free", "ball"}:
                first = joint.q_index + (3 if joint.kind == "free" else 0)
                moved[first : first + 4] /= np.linalg.norm(moved[first : first + 4])
        return moved

    def _independent(self, count: int) -> list[int]:
        """Return the indices of independent rows."""
        if not count:
            return []
        rng = np.random.default_rng(1)
        found = list[int]()
        for _ in range(3):  # a singular configuration has fewer independent rows than a random one
            q = self.closed(self._moved(_reference(self.tree), AWAY * rng.normal(size=self.tree.nv)))
            jacobian = self._all_rows(q)[1].full()
            _, triangular, order = scipy.linalg.qr(jacobian.T, mode="economic", pivoting=True)
            size = np.abs(np.diag(triangular))
            kept = sorted(int(row) for row in order[: len(size)][size > DEPENDENT * size[0]])
            found = kept if len(kept) > len(found) else found
        return found


@lru_cache(maxsize=16)
def tree_forces(tree: KinematicTree) -> TreeForces:
    """Return springs, dampers and closures of a tree; cached."""
    return TreeForces(tree)


def coordinate_rates(tree: KinematicTree, q: Expression, v: Expression) -> Expression:
    """Return the rates of coordinates: velocities, and of quaternions q ω / 2. Shapes (nq,), (nv,) in, (nq,) out."""
    parts = []
    for step in tree.steps:
        if step.follows:
            continue
        at = step.v_index
        first = step.q_index
        if step.kind == "free":
            parts.append(v[at : at + 3])
            at = at + 3
            first = first + 3
        if step.kind in {"free", "ball"}:
            parts.append(_quaternion_rate(q[first : first + 4], v[at : at + 3]))
        else:
            parts.append(v[at])
    return ca.vertcat(*parts)


def _quaternion_rate(quaternion: Expression, omega: Expression) -> Expression:
    w = quaternion[0]
    axis = quaternion[1:4]
    return 0.5 * ca.vertcat(-ca.dot(axis, omega), w * omega + ca.cross(axis, omega))


def _reference(tree: KinematicTree) -> Array:
    """Return the coordinates of the model file. Shape (nq,)."""
    q = np.zeros(tree.nq)
    for step in tree.steps:
        if step.kind in {"free", "ball"}:
            q[step.q_index : step.q_index + len(step.spring_rest)] = step.spring_rest
        elif not step.follows:
            q[step.q_index] = step.reference
    return q


def _coordinate(step: TreeJoint, q: Expression) -> Expression:
    return step.shift + step.ratio * q[step.q_index]


def _closure_rows(tree: KinematicTree, moving: SymbolicDynamics) -> tuple[Expression, list[str]]:
    rows = [ca.SX.zeros(0)]
    names = list[str]()
    for closure in tree.closures:
        own = _rows_of(tree, moving, closure)
        rows.append(own)
        names += [f"{closure.name} {row + 1}" if own.numel() > 1 else closure.name for row in range(own.numel())]
    return ca.vertcat(*rows), names


def _rows_of(tree: KinematicTree, moving: SymbolicDynamics, closure: Closure) -> Expression:
    if isinstance(closure, JointClosure):
        follower = tree.steps[closure.follower]
        leader = closure.leader
        lead = _coordinate(tree.steps[leader], moving.q) - closure.zero[1] if leader >= 0 else ca.SX(0)
        return _coordinate(follower, moving.q) - closure.zero[0] - _polynomial(closure.polynomial, lead)
    if isinstance(closure, PointClosure | FrameClosure):
        (turn, place), (other_turn, other) = _two_frames(tree, moving, closure.first, closure.second)
        if isinstance(closure, PointClosure):
            return place - other
        away = other_turn.T @ turn
        axis = ca.vertcat(away[2, 1] - away[1, 2], away[0, 2] - away[2, 0], away[1, 0] - away[0, 1])
        return ca.vertcat(place - other, axis / 2.0)
    lead = ca.SX(0) if closure.leader is None else _length(tree, moving, closure.leader) - closure.leader.length_0
    own = _length(tree, moving, closure.follower) - closure.follower.length_0
    return own - _polynomial(closure.polynomial, lead)


def _two_frames(
    tree: KinematicTree, moving: SymbolicDynamics, first: Anchor, second: Anchor
) -> tuple[tuple[Expression, Expression], tuple[Expression, Expression]]:
    """Return two anchors in the frame of the nearest common ancestor."""
    above = _ancestors(tree, first.step)
    common = next(step for step in _ancestors(tree, second.step) if step in above)
    return moving.frame_from(common, first), moving.frame_from(common, second)


def _ancestors(tree: KinematicTree, step: int) -> list[int]:
    """Return a step and its ancestors, the world last."""
    found = [step]
    while found[-1] >= 0:
        found.append(tree.steps[found[-1]].parent)
    return found


def _polynomial(coefficients: Array, value: Expression) -> Expression:
    return sum((float(c) * value**power for power, c in enumerate(coefficients) if c), ca.SX(0))


def _length(tree: KinematicTree, moving: SymbolicDynamics, tendon: Tendon) -> Expression:
    length = sum((share * _coordinate(tree.steps[step], moving.q) for step, share in tendon.joints), ca.SX(0))
    for piece in tendon.stretches:
        (_, one), (_, other) = _two_frames(tree, moving, piece.first, piece.second)
        length = length + ca.norm_2(one - other) / piece.divisor
    return length


def _passive(
    tree: KinematicTree, moving: SymbolicDynamics, q: Expression, v: Expression, rate: Expression
) -> Expression:
    force = ca.SX.zeros(tree.nv)
    for step in tree.steps:
        for offset, own in enumerate(_joint_passive(step, q, v)):
            force[step.v_index + offset] += step.ratio * own
    for tendon in tree.tendons:
        length = _length(tree, moving, tendon)
        speed = ca.jtimes(length, q, rate)
        low, high = tendon.slack
        beyond = length - low if low == high else ca.fmax(length - high, 0.0) + ca.fmin(length - low, 0.0)
        pull = -tendon.stiffness * beyond - tendon.damping * speed
        force = force + ca.jtimes(speed, v, pull, True)
    return force


def _joint_passive(step: TreeJoint, q: Expression, v: Expression) -> list[Expression]:
    """Return the generalised forces of the spring and damper of a joint."""
    rates = [step.ratio * v[step.v_index + k] for k in range(len(step.damping))]
    own = [-float(d) * rate if d else ca.SX(0) for d, rate in zip(step.damping, rates, strict=True)]
    if not step.stiffness:
        return own
    rest = ca.DM(step.spring_rest)
    first = step.q_index
    if step.kind == "free":
        away = ca.vertcat(q[first : first + 3] - rest[:3], _turn_between(q[first + 3 : first + 7], rest[3:]))
    elif step.kind == "ball":
        away = _turn_between(q[first : first + 4], rest)
    else:
        away = _coordinate(step, q) - rest
    return [force - step.stiffness * away[k] for k, force in enumerate(own)]


def _turn_between(quaternion: Expression, rest: Expression) -> Expression:
    """Return the rotation vector between two orientations, of less than half a turn. Shape (3,)."""
    w = rest[0]
    axis = -rest[1:4]
    real = w * quaternion[0] - ca.dot(axis, quaternion[1:4])
    imaginary = w * quaternion[1:4] + quaternion[0] * axis + ca.cross(axis, quaternion[1:4])
    sign = ca.if_else(real < 0.0, -1.0, 1.0)
    size = ca.sqrt(ca.dot(imaginary, imaginary) + _TINY)
    return 2.0 * ca.atan2(size, sign * real) / size * (sign * imaginary)
