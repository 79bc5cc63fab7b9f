"""Outward pass: symbolic poses, velocities and accelerations of all steps of a tree, from the world outwards.

The pass is built once per tree, as a CasADi function. Calling it with other symbols gives the same expressions fifty
times as fast as building them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from strut.arrays import Array
from strut.ocp.kinematic_tree import KinematicTree, TreeJoint

_Column = Any  # a CasADi SX, DM or MX column; CasADi has no types of its own
_KINDS = 8  # results of the pass for a step


def outward_pass(tree: KinematicTree, q: _Column, v: _Column = None, a: _Column = None) -> list[list[_Column]]:
    """Return the results of the pass, each as a list over the steps, in step axes; empty if v or a is missing.

    Args:
        tree: The tree.
        q: Coordinates. (nq,)
        v: Velocities, or None. (nv,)
        a: Accelerations, or None. (nv,)

    Returns:
        Rotation to the parent's axes (3, 3), anchor in the parent's frame (3,), rotation to the world's axes (3, 3),
        origin in world (3,), angular velocity (3,), velocity of the origin (3,), angular acceleration (3,), and
        acceleration of the origin minus gravity (3,).
    """
    given = [part for part in (q, v, a) if part is not None]
    results = _pass_function(tree, len(given)).call(given)
    count = len(tree.steps)
    return [results[kind * count : (kind + 1) * count] for kind in range(_KINDS)]


@lru_cache(maxsize=32)
def _pass_function(tree: KinematicTree, orders: int) -> ca.Function:
    """Return the pass as a function of q, of q and v, or of q, v and a."""
    symbols = [ca.SX.sym(letter, size) for letter, size in zip("qva", (tree.nq, tree.nv, tree.nv), strict=True)]
    known = _Recursion(tree, *symbols[:orders])
    return ca.Function("outward", symbols[:orders], [ca.SX(part) for parts in known.results() for part in parts])


def of_step(values: Sequence[_Column], index: int) -> _Column:
    """Return the vector of a step; 0 for the world, whose index is -1. Shape (3,)."""
    return values[index] if index >= 0 else ca.DM.zeros(3)


class _Recursion:
    """Computes the pass step by step."""

    def __init__(self, tree: KinematicTree, q: _Column, v: _Column = None, a: _Column = None) -> None:
        self.tree = tree
        self.q = q
        self.v = v
        self.a = a
        self._turn: list[_Column] = []  # step axes → parent axes
        self._arm: list[_Column] = []  # anchor in the parent's frame
        self._rotation: list[_Column] = []
        self._place: list[_Column] = []
        self._omega: list[_Column] = []
        self._speed: list[_Column] = []
        self._alpha: list[_Column] = []
        self._push: list[_Column] = []  # acceleration of the origin minus gravity
        for step in tree.steps:
            self._add_place(step)
            if v is not None:
                self._add_speed(step)
            if a is not None:
                self._add_push(step)

    def results(self) -> list[list[_Column]]:
        """Return all results, in the order of `outward_pass`."""
        places = [self._turn, self._arm, self._rotation, self._place]
        return [*places, self._omega, self._speed, self._alpha, self._push]

    def _add_place(self, step: TreeJoint) -> None:
        q = step.shift + step.ratio * self.q[step.q_index]
        arm = ca.DM(step.offset_m)
        turn = ca.DM(step.rotation)
        if step.kind == "hinge":
            turn = turn @ _hinge_rotation(step.axis, q - step.reference)
        elif step.kind == "slide":
            arm = arm + (step.rotation @ step.axis) * (q - step.reference)
        elif step.kind == "ball":
            turn = turn @ _quaternion_rotation(self.q[step.q_index : step.q_index + 4])
        else:
            arm = self.q[step.q_index : step.q_index + 3]
            turn = _quaternion_rotation(self.q[step.q_index + 3 : step.q_index + 7])
        world = step.parent < 0
        rotation = ca.DM.eye(3) if world else self._rotation[step.parent]
        self._turn.append(turn)
        self._arm.append(arm)
        self._rotation.append(rotation @ turn)
        self._place.append(of_step(self._place, step.parent) + rotation @ arm)

    def _add_speed(self, step: TreeJoint) -> None:
        omega = of_step(self._omega, step.parent)
        speed = of_step(self._speed, step.parent)
        back = self._turn[-1].T
        carried = back @ omega
        moved = back @ (speed + ca.cross(omega, self._arm[-1]))
        rate = _rate(step, self.v)
        if step.kind == "slide":
            self._omega.append(carried)
            self._speed.append(moved + rate)
        elif step.kind == "free":
            self._omega.append(self.v[step.v_index + 3 : step.v_index + 6])
            self._speed.append(back @ rate)
        else:
            self._omega.append(carried + rate)
            self._speed.append(moved)

    def _add_push(self, step: TreeJoint) -> None:
        omega = of_step(self._omega, step.parent)
        alpha = of_step(self._alpha, step.parent)
        push = self._push[step.parent] if step.parent >= 0 else -ca.DM(self.tree.gravity_m_s2)
        back = self._turn[-1].T
        arm = self._arm[-1]
        carried = back @ omega
        turned = back @ alpha
        moved = back @ (push + ca.cross(alpha, arm) + ca.cross(omega, ca.cross(omega, arm)))
        rate = _rate(step, self.v)
        change = _rate(step, self.a)
        if step.kind == "slide":
            self._alpha.append(turned)
            self._push.append(moved + change + 2.0 * ca.cross(carried, rate))
        elif step.kind == "free":
            self._alpha.append(self.a[step.v_index + 3 : step.v_index + 6])
            self._push.append(back @ (change - ca.DM(self.tree.gravity_m_s2)))
        else:
            self._alpha.append(turned + change + ca.cross(carried, rate))
            self._push.append(moved)


def _rate(step: TreeJoint, values: _Column) -> _Column:
    """Return the part of a velocity or acceleration that the joint adds; of a free joint, the linear one."""
    if step.kind in {"hinge", "slide"}:
        return ca.DM(step.axis) * (step.ratio * values[step.v_index])
    return values[step.v_index : step.v_index + 3]


def _hinge_rotation(axis: Array, angle: _Column) -> _Column:
    """Return the rotation about an axis; constant entries are numbers, not symbols. Shape (3, 3)."""
    along = np.outer(axis, axis)
    across, cross = (ca.sparsify(ca.DM(part), 1e-15) for part in (np.eye(3) - along, np.cross(np.eye(3), axis)))
    return ca.DM(along) + across * ca.cos(angle) + cross * ca.sin(angle)


def _quaternion_rotation(quaternion: _Column) -> _Column:
    """Return the rotation of a unit quaternion wxyz. Shape (3, 3)."""
    w, x, y, z = (quaternion[index] for index in range(4))
    return ca.vertcat(
        ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
