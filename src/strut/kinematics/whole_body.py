"""Whole-body inverse kinematics: feet, centre of mass, attitude of the base and posture, for all samples at once.

Damped Gauss-Newton on weighted tasks (Levenberg-Marquardt with a fixed damping) inside the joints' ranges, batched over
the samples.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.engines.task_jacobians import foot_coordinates, task_jacobians, task_positions
from strut.maths.rotation import rotation_vector
from strut.robot import BASE, FLOATING, Robot

FOOT = 300.0
ATTITUDE = 3.0
HELD = 0.5
FREE = 0.01  # weights of errors in leg lengths and radians
COM = np.array([30.0, 30.0, 10.0])  # a body may rise where ankles are at their stops, not lean
DAMPING = 1e-7
LONGEST_STEP_RAD = 0.4  # of one iteration: linearisation holds for about as long
MORE_HELD = 3  # times that joints are added to those that stand still in a step
CUT = 0.3
GROWN = 4.0  # factors on the share of a step that is taken, where it makes matters worse and better
STUCK = 2.0  # times the error of a neighbour is too much
CONVERGED = 1e-7  # metres and radians: smaller steps would not be seen in accelerations, either
AT_END_RAD = 1e-5  # from the end of its range a joint is at it: a step that is cut off there would lead nowhere
LIMIT_MARGIN_RAD = 0.01  # how far from their limits joints stay
CLOSE_RAD = 0.08
WALL = 10.0  # legs feel their limits from so near on, ever stronger: a sudden stop would jolt


@dataclass(frozen=True, slots=True, eq=False)
class BodyTargets:
    """What a whole body shall do, per sample.

    Args:
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_rotation: Feet to world; a ball's is ignored, a line's about its line. Shape (T, n, 3, 3).
        foot_hold: How firmly the pitch of that is kept, from 0 to 1: a foot in the air may pitch. Shape (T, n).
        com_in_world: Centre of mass. Shape (T, 3).
        base_rotation: Base to world. Shape (T, 3, 3).
        joint_rad: Posture that the joints keep where the feet leave them free. Shape (T, n_joints).
    """

    foot_in_world: Array
    foot_rotation: Array
    foot_hold: Array
    com_in_world: Array
    base_rotation: Array
    joint_rad: Array

    def part(self, rows: Index) -> BodyTargets:
        """Return those of some samples."""
        return BodyTargets(*(getattr(self, one.name)[rows] for one in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class WholeBodySolution:
    """Coordinates (T, nq), and how far feet (T, n) and centre of mass (T,) are from where they should be [m]."""

    qpos: Array
    foot_error_m: Array
    com_error_m: Array


def solve_whole_body(
    robot: Robot, targets: BodyTargets, start_qpos: Array, *, length_m: float, iterations: int
) -> WholeBodySolution:
    """Return coordinates that reach the targets as nearly as the joints' ranges allow, and what they miss.

    Args: as of `whole_body_qpos`.
    """
    qpos = whole_body_qpos(robot, targets, start_qpos, length_m=length_m, iterations=iterations)
    return evaluate_solution(robot, targets, qpos)


def whole_body_qpos(
    robot: Robot,
    targets: BodyTargets,
    start_qpos: Array,
    *,
    length_m: float,
    iterations: int,
    converged: float = CONVERGED,
    progress: float = 0.0,
) -> Array:
    """Return coordinates that reach the targets as nearly as the joints' ranges allow. Shape (T, nq).

    Joints at the end of their range that the others would push beyond it stand still (projected Gauss-Newton,
    Bertsekas, 1982), and a step that makes matters worse is cut short. Samples that have converged are left alone.
    Where the centre of mass is centimetres out of reach, joints above the legs may differ by up to 0.4 rad from one
    sample to the next; those of the legs, which feel their stops from afar, follow smoothly there, too.

    Args:
        robot: A floating one.
        targets: T samples.
        start_qpos: Where to begin. Shape (T, nq).
        length_m: Length that an error is compared with: that of a leg.
        iterations: Of Gauss-Newton.
        converged: Steps below it are not worth taking [m, rad], nor is a lower cost worth a start from a neighbour.
        progress: Share of its cost that a sample must lose in a step to go on.
    """
    tasks = _Tasks(robot, length_m)
    how = _Descent(iterations, converged, progress)
    qpos, cost = _descended(tasks, targets, start_qpos, how)
    for neighbour in (1, -1):  # who is stuck where a neighbour is not starts again from there
        beside = np.clip(np.arange(len(qpos)) - neighbour, 0, len(qpos) - 1)
        rows = np.flatnonzero(cost > STUCK * cost[beside] + converged)
        if not len(rows):
            continue
        again, lower_cost = _descended(tasks, targets.part(rows), qpos[beside[rows]], how)
        better = lower_cost < cost[rows]
        qpos[rows[better]] = again[better]
        cost[rows[better]] = lower_cost[better]
    return qpos


def evaluate_solution(robot: Robot, targets: BodyTargets, qpos: Array) -> WholeBodySolution:
    """Return coordinates with how far they are from the targets. Shape (T, nq)."""
    foot_in_world, com_in_world = task_positions(robot, qpos)
    return WholeBodySolution(
        qpos,
        np.linalg.norm(targets.foot_in_world - foot_in_world, axis=-1),
        np.linalg.norm(targets.com_in_world - com_in_world, axis=-1),
    )


class _Descent(NamedTuple):
    """How far a descent goes: at most so many iterations, until steps or the lost share of the cost are so small."""

    iterations: int
    converged: float
    progress: float


def _descended(tasks: _Tasks, targets: BodyTargets, start_qpos: Array, how: _Descent) -> tuple[Array, Array]:
    """Return coordinates (T, nq) with less weighted error, and half its square (T,)."""
    qpos = start_qpos.copy()
    lower = tasks.lower_rad
    upper = tasks.upper_rad
    qpos[:, FLOATING:] = np.clip(qpos[:, FLOATING:], lower, upper)
    tried = qpos.copy()
    step = np.zeros((len(qpos), len(lower) + BASE))
    share = np.ones(len(qpos))
    cost = np.full(len(qpos), np.inf)
    moving = np.arange(len(qpos))
    for last in (*(False,) * how.iterations, True):
        now = tasks.at(tried[moving], targets.part(moving))
        better = now.cost < cost[moving]
        going_on = ~(now.cost > (1.0 - how.progress) * cost[moving])
        rows = moving[better]
        qpos[rows] = tried[rows]
        cost[rows] = now.cost[better]
        share[rows] = np.minimum(1.0, GROWN * share[rows])
        if last:
            break
        step[rows] = _step(now.part(better), qpos[rows, FLOATING:], lower, upper)
        share[moving[~better]] *= CUT
        going_on = (going_on | ~better) & (np.abs(share[moving, None] * step[moving]).max(axis=1) > how.converged)
        moving = moving[going_on]
        if not len(moving):
            break
        tried[moving] = integrate_step(qpos[moving], share[moving, None] * step[moving])
        tried[moving, FLOATING:] = np.clip(tried[moving, FLOATING:], lower, upper)
    return qpos, cost


@dataclass(frozen=True, slots=True, eq=False)
class _Linearised:
    """Tasks about a configuration, as the normal equations need them.

    Args:
        cost: Half the square of their errors. Shape (T,).
        wanted: Minus its gradient. Shape (T, nv).
        feet: Jacobian of the feet, by the coordinates that move them. Shape (T, m, k).
        com: Jacobian of the centre of mass. Shape (T, 3, nv).
        own: Squared slopes of tasks that have a coordinate of their own. Shape (T, nv).
        movers: The coordinates that move feet. Shape (k,).
        others: Those that do not, of which each has a task of its own. Shape (nv - k,).
    """

    cost: Array
    wanted: Array
    feet: Array
    com: Array
    own: Array
    movers: Index
    others: Index

    def part(self, rows: Index | npt.NDArray[np.bool_]) -> _Linearised:
        """Return those of some samples."""
        return replace(
            self,
            cost=self.cost[rows],
            wanted=self.wanted[rows],
            feet=self.feet[rows],
            com=self.com[rows],
            own=self.own[rows],
        )

    def solved(self, held: npt.NDArray[np.bool_]) -> Array:
        """Return the solutions of the damped normal equations in which some coordinates stand still. (T, nv) both.

        What moves no foot meets the others in the centre of mass alone, so that it is eliminated first (Schur): it
        takes over a part of each error of the mass, and legs and base are left with the rest, `left` of them.
        """
        free = ~held
        own = self.own + DAMPING
        movers = self.movers
        others = self.others
        wanted = self.wanted * free
        com = self.com * free[:, None]
        feet = self.feet * free[:, None, movers]
        com_movers = com[:, :, movers]
        com_others = com[:, :, others]
        alone = wanted[:, others] / own[:, others]
        shared = com_others / own[:, None, others]
        left = np.linalg.inv(np.eye(3) + shared @ com_others.transpose(0, 2, 1))
        felt = left @ com_movers
        normal = feet.transpose(0, 2, 1) @ feet + com_movers.transpose(0, 2, 1) @ felt
        diagonal = np.arange(len(movers))
        step = np.empty(wanted.shape)
        missed = com_others @ alone[..., None]
        normal[:, diagonal, diagonal] += own[:, movers]
        right = wanted[:, movers, None] - felt.transpose(0, 2, 1) @ missed
        moving = np.linalg.solve(normal, right)
        missed += com_movers @ moving
        step[:, movers] = moving[..., 0]
        step[:, others] = alone - (shared.transpose(0, 2, 1) @ (left @ missed))[..., 0]
        return step


def _step(tasks: _Linearised, joint_rad: Array, lower: Array, upper: Array) -> Array:
    """Return the next step: joints at the end of their range that it would push beyond stand still. Shape (T, nv)."""
    held = _outwards(tasks.wanted, joint_rad, lower, upper)
    step = tasks.solved(held)
    for _ in range(MORE_HELD):  # what the others take along may be pushed outwards, too
        more = _outwards(step, joint_rad, lower, upper) & ~held
        rows = np.flatnonzero(more.any(axis=1))
        if not len(rows):
            break
        held |= more
        step[rows] = tasks.part(rows).solved(held[rows])
    longest = np.maximum(np.abs(step[:, 3:]).max(axis=1), 1e-12)
    return np.asarray(step * np.minimum(1.0, LONGEST_STEP_RAD / longest)[:, None])


def _outwards(move: Array, joint_rad: Array, lower: Array, upper: Array) -> npt.NDArray[np.bool_]:
    """Return which coordinates are joints at an end of their range that move beyond. (T, nv), (T, n) in, (T, nv)."""
    low = joint_rad <= lower + AT_END_RAD
    high = joint_rad >= upper - AT_END_RAD
    beyond = np.zeros(move.shape, dtype=np.bool_)
    beyond[:, BASE:] = (low & (move[:, BASE:] < 0.0)) | (high & (move[:, BASE:] > 0.0))
    return beyond


def integrate_step(qpos: Array, step: Array) -> Array:
    """Return coordinates of a floating body after a step in velocity coordinates. Shapes (T, nq), (T, nv)."""
    w, x, y, z = qpos[:, 3:7].T
    half = 0.5 * step[:, 3:BASE].T
    angle = np.sqrt((half * half).sum(axis=0))
    c = np.cos(angle)
    a, b, d = np.sinc(angle / np.pi) * half
    first = (w * c - x * a - y * b - z * d, w * a + x * c + y * d - z * b)
    turned = np.stack([*first, w * b - x * d + y * c + z * a, w * d + x * b - y * a + z * c], axis=1)
    return np.concatenate([qpos[:, :3] + step[:, :3], turned, qpos[:, 7:] + step[:, BASE:]], axis=1)


class _Tasks:
    """Weighted errors of a robot's tasks and their Jacobians."""

    def __init__(self, robot: Robot, length_m: float) -> None:
        self._robot = robot
        self._length_m = length_m
        self._movers = foot_coordinates(robot)
        self._others = np.setdiff1d(np.arange(robot.model.nv), self._movers)
        self._turning = np.flatnonzero(robot.foot_turns.any(axis=1))  # balls may turn as they like
        self._turns = FOOT * robot.foot_turns[self._turning]
        in_leg = _in_legs(robot)
        lower = robot.joint_lower_rad
        upper = robot.joint_upper_rad
        self._hold = np.concatenate([np.zeros(3), np.full(3, ATTITUDE), np.where(in_leg, FREE, HELD)])  # own weights
        self._legs = np.flatnonzero(in_leg)
        self._com_weight = COM[:, None] / length_m
        self.lower_rad = lower + LIMIT_MARGIN_RAD
        self.upper_rad = upper - LIMIT_MARGIN_RAD
        lower = lower[in_leg]
        upper = upper[in_leg]
        self._close_rad = np.minimum(CLOSE_RAD, (upper - lower) / 4.0)
        self._near_lower = lower + self._close_rad
        self._near_upper = upper - self._close_rad

    def at(self, qpos: Array, targets: BodyTargets) -> _Linearised:
        """Return the tasks about configurations: those that many joints share, feet and mass, and each joint's own."""
        now = task_jacobians(self._robot, qpos, columns=self._movers)
        samples = len(qpos)
        size = len(self._movers)
        away = (targets.foot_in_world - now.foot_in_world) * (FOOT / self._length_m)
        moving = now.foot[:, :, :3] * (FOOT / self._length_m)
        turned = self._turning
        in_foot = np.swapaxes(now.foot_rotation[:, turned], -1, -2)
        turning = np.tile(self._turns, (samples, 1, 1))
        turning[..., 1] *= targets.foot_hold[:, turned]
        twist = rotation_vector(in_foot @ targets.foot_rotation[:, turned]) * turning  # in the foot's axes
        twisting = (in_foot @ now.foot[:, turned, 3:]) * turning[..., None]
        error = np.concatenate([away.reshape(samples, -1), twist.reshape(samples, -1)], axis=1)
        feet = np.concatenate([moving.reshape(samples, -1, size), twisting.reshape(samples, -1, size)], axis=1)
        off = (targets.com_in_world - now.com_in_world) * COM / self._length_m
        com = now.com * self._com_weight
        lean = rotation_vector(np.swapaxes(now.base_rotation, -1, -2) @ targets.base_rotation)
        still = np.zeros((samples, 3))
        kept = np.concatenate([still, lean, targets.joint_rad - qpos[:, FLOATING:]], axis=1) * self._hold
        pushed, pushing = self._wall(qpos[:, FLOATING + self._legs], com.shape[-1])
        cost = 0.5 * sum(np.einsum("tm,tm->t", part, part) for part in (error, off, kept, pushed))
        wanted = (off[:, None] @ com)[:, 0] + kept * self._hold + pushed * pushing
        wanted[:, self._movers] += (error[:, None] @ feet)[:, 0]
        own = self._hold**2 + pushing**2
        return _Linearised(np.asarray(cost), wanted, feet, com, own, self._movers, self._others)

    def _wall(self, leg_rad: Array, columns: int) -> tuple[Array, Array]:
        """Return the errors of joints near their limits, which grow as squares, and their slopes. Shapes (T, nv)."""
        above = np.maximum(leg_rad - self._near_upper, 0.0) / self._close_rad
        below = np.maximum(self._near_lower - leg_rad, 0.0) / self._close_rad
        error, slope = np.zeros((2, len(leg_rad), columns))
        error[:, BASE + self._legs] = WALL * (below**2 - above**2)
        slope[:, BASE + self._legs] = 2.0 * WALL * (above + below) / self._close_rad
        return error, slope


def _in_legs(robot: Robot) -> Array:
    """Return which joints belong to legs. Shape (n_joints,)."""
    names = {joint for leg in robot.legs for joint in leg.joints}
    return np.array([joint in names for joint in robot.joint_names])
