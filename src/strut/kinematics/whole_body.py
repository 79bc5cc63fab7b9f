"""Whole-body inverse kinematics: feet, centre of mass, base attitude and posture, for all samples at once.

Each sample minimises the weighted squares of its task errors within the joint limits, by damped Gauss-Newton
(Levenberg-Marquardt with constant damping): (J' W J + damping I) step = J' W error. Joints at a limit that would be
crossed are held (projected Gauss-Newton; Bertsekas, 1982).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.engines.task_jacobians import foot_coordinates, task_jacobians, task_positions
from strut.maths.rotation import rotation_vector
from strut.robot import BASE, FLOATING, Robot

# Weights of errors in leg lengths (positions) and radians
FOOT_WEIGHT = 300.0
ATTITUDE_WEIGHT = 3.0  # of the base
UPPER_POSTURE_WEIGHT = 0.5  # of joints that are not in legs
LEG_POSTURE_WEIGHT = 0.01  # of joints in legs, which feet and centre of mass determine
COM_WEIGHT = np.array([30.0, 30.0, 10.0])  # lower in z: with ankles at their limits, a body should rise, not lean
WALL_WEIGHT = 10.0  # of the penalty near the limits of the legs' joints

DAMPING = 1e-7  # keeps the normal equations regular
MAX_STEP_RAD = 0.4  # per iteration: the linearisation holds about as far
MAX_HOLD_ROUNDS = 3  # times that a step is solved again with more joints held
STEP_REDUCTION = 0.3  # factor on the step length after a step that increased the cost
STEP_GROWTH = 4.0  # factor on the step length after a step that decreased the cost, up to the full step
STUCK_RATIO = 2.0  # a sample with more than this times the cost of its neighbour is solved again from there
CONVERGED = 1e-7  # step [m, rad] that is too small to matter, even in accelerations
AT_LIMIT_RAD = 1e-5  # a joint nearer to its limit than this is at the limit; a step cut off there would stall
LIMIT_MARGIN_RAD = 0.01  # distance that joints keep from their limits
WALL_RAD = 0.08  # distance from its limit at which a leg's joint meets the penalty; a sudden stop would jolt
MAX_WALL_SHARE = 0.25  # of the joint's range, for narrow ranges


@dataclass(frozen=True, slots=True, eq=False)
class BodyTargets:
    """Targets of a whole body, per sample.

    Args:
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_rotation: Feet to world; a ball's is ignored, a line's about its line. Shape (T, n, 3, 3).
        foot_hold: Factor in [0, 1] on the weight of each foot's pitch: a foot in the air may pitch. Shape (T, n).
        com_in_world: Centre of mass. Shape (T, 3).
        base_rotation: Base to world. Shape (T, 3, 3).
        joint_rad: Posture for the freedom that the other tasks leave. Shape (T, n_joints).
    """

    foot_in_world: Array
    foot_rotation: Array
    foot_hold: Array
    com_in_world: Array
    base_rotation: Array
    joint_rad: Array

    def select(self, rows: Index) -> BodyTargets:
        """Return the targets of some samples."""
        return BodyTargets(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class WholeBodySolution:
    """Coordinates (T, nq), and the distances of feet (T, n) and centre of mass (T,) from their targets [m]."""

    qpos: Array
    foot_error_m: Array
    com_error_m: Array


def solve_whole_body(
    robot: Robot, targets: BodyTargets, start_qpos: Array, *, length_m: float, iterations: int
) -> WholeBodySolution:
    """Return the coordinates nearest to the targets within the joint limits, with the remaining errors.

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
    """Return the coordinates nearest to the targets within the joint limits. Shape (T, nq).

    A step that increases the cost is shortened. Converged samples are not iterated further. Where the centre of mass is
    centimetres out of reach, joints above the legs may differ by up to 0.4 rad between neighbouring samples; the joints
    of the legs, which are penalised near their limits, follow smoothly there, too.

    Args:
        robot: Floating robot.
        targets: Targets of T samples.
        start_qpos: Initial guess. Shape (T, nq).
        length_m: Leg length, by which position errors are divided.
        iterations: Maximum number of Gauss-Newton iterations.
        converged: A sample stops when its step [m, rad] is smaller. It is not solved again from a neighbour if its cost
            is smaller, either.
        progress: A sample stops when an iteration reduces its cost by a smaller share.
    """
    tasks = _Tasks(robot, length_m)
    qpos, cost = _minimise(tasks, targets, start_qpos, iterations, converged, progress)
    for neighbour in (1, -1):
        beside = np.clip(np.arange(len(qpos)) - neighbour, 0, len(qpos) - 1)
        stuck = np.flatnonzero(cost > STUCK_RATIO * cost[beside] + converged)
        if not len(stuck):
            continue
        again, again_cost = _minimise(
            tasks, targets.select(stuck), qpos[beside[stuck]], iterations, converged, progress
        )
        is_better = again_cost < cost[stuck]
        qpos[stuck[is_better]] = again[is_better]
        cost[stuck[is_better]] = again_cost[is_better]
    return qpos


def evaluate_solution(robot: Robot, targets: BodyTargets, qpos: Array) -> WholeBodySolution:
    """Return coordinates with their distances from the targets. Shape (T, nq) in."""
    foot_in_world, com_in_world = task_positions(robot, qpos)
    return WholeBodySolution(
        qpos,
        np.linalg.norm(targets.foot_in_world - foot_in_world, axis=-1),
        np.linalg.norm(targets.com_in_world - com_in_world, axis=-1),
    )


def _minimise(
    tasks: _Tasks, targets: BodyTargets, start_qpos: Array, iterations: int, converged: float, progress: float
) -> tuple[Array, Array]:
    """Return the coordinates (T, nq) after all iterations and their costs (T,); options as of `whole_body_qpos`."""
    qpos = start_qpos.copy()
    lower = tasks.lower_rad
    upper = tasks.upper_rad
    qpos[:, FLOATING:] = np.clip(qpos[:, FLOATING:], lower, upper)
    candidate = qpos.copy()
    step = np.zeros((len(qpos), len(lower) + BASE))
    step_length = np.ones(len(qpos))
    cost = np.full(len(qpos), np.inf)
    active = np.arange(len(qpos))
    for is_last in (*(False,) * iterations, True):
        linearised = tasks.linearise(candidate[active], targets.select(active))
        is_better = linearised.cost < cost[active]
        goes_on = ~(linearised.cost > (1.0 - progress) * cost[active])
        rows = active[is_better]
        qpos[rows] = candidate[rows]
        cost[rows] = linearised.cost[is_better]
        step_length[rows] = np.minimum(1.0, STEP_GROWTH * step_length[rows])
        if is_last:
            break
        step[rows] = _gauss_newton_step(linearised.select(is_better), qpos[rows, FLOATING:], lower, upper)
        step_length[active[~is_better]] *= STEP_REDUCTION
        largest = np.abs(step_length[active, None] * step[active]).max(axis=1)
        active = active[(goes_on | ~is_better) & (largest > converged)]
        if not len(active):
            break
        candidate[active] = integrate_step(qpos[active], step_length[active, None] * step[active])
        candidate[active, FLOATING:] = np.clip(candidate[active, FLOATING:], lower, upper)
    return qpos, cost


@dataclass(frozen=True, slots=True, eq=False)
class _LinearisedTasks:
    """Tasks linearised at a configuration, as the normal equations need them.

    Args:
        cost: Half the sum of the squared weighted errors. Shape (T,).
        descent: Negative gradient of the cost. Shape (T, nv).
        feet: Weighted Jacobian of the feet, by the coordinates that move them. Shape (T, m, k).
        com: Weighted Jacobian of the centre of mass. Shape (T, 3, nv).
        diagonal: Squared derivatives of the tasks of single coordinates: posture, attitude and walls. Shape (T, nv).
        foot_columns: Coordinates that move feet. Shape (k,).
        other_columns: Coordinates that move no foot; each has a posture task. Shape (nv - k,).
    """

    cost: Array
    descent: Array
    feet: Array
    com: Array
    diagonal: Array
    foot_columns: Index
    other_columns: Index

    def select(self, rows: Index | npt.NDArray[np.bool_]) -> _LinearisedTasks:
        """Return the tasks of some samples."""
        return replace(
            self,
            cost=self.cost[rows],
            descent=self.descent[rows],
            feet=self.feet[rows],
            com=self.com[rows],
            diagonal=self.diagonal[rows],
        )

    def solve_normal_equations(self, held: npt.NDArray[np.bool_]) -> Array:
        """Return the damped least-squares step with some coordinates held. Shape (T, nv) in and out.

        Coordinates that move no foot are coupled with the others by the centre of mass alone. They are eliminated first
        (Schur complement with the 3x3 matrix `com_share`), which leaves a small system for legs and base.
        """
        free = ~held
        diagonal = self.diagonal + DAMPING
        feet_columns = self.foot_columns
        others = self.other_columns
        descent = self.descent * free
        com = self.com * free[:, None]
        feet = self.feet * free[:, None, feet_columns]
        com_feet = com[:, :, feet_columns]
        com_others = com[:, :, others]
        alone = descent[:, others] / diagonal[:, others]
        scaled_others = com_others / diagonal[:, None, others]
        com_share = np.linalg.inv(np.eye(3) + scaled_others @ com_others.transpose(0, 2, 1))
        reduced_com = com_share @ com_feet
        normal = feet.transpose(0, 2, 1) @ feet + com_feet.transpose(0, 2, 1) @ reduced_com
        index = np.arange(len(feet_columns))
        step = np.empty(descent.shape)
        com_change = com_others @ alone[..., None]
        normal[:, index, index] += diagonal[:, feet_columns]
        right = descent[:, feet_columns, None] - reduced_com.transpose(0, 2, 1) @ com_change
        feet_step = np.linalg.solve(normal, right)
        com_change += com_feet @ feet_step
        step[:, feet_columns] = feet_step[..., 0]
        step[:, others] = alone - (scaled_others.transpose(0, 2, 1) @ (com_share @ com_change))[..., 0]
        return step


def _gauss_newton_step(tasks: _LinearisedTasks, joint_rad: Array, lower: Array, upper: Array) -> Array:
    """Return the next step, in which joints at a limit that they would cross are held. Shape (T, nv)."""
    held = _crosses_limit(tasks.descent, joint_rad, lower, upper)
    step = tasks.solve_normal_equations(held)
    for _ in range(MAX_HOLD_ROUNDS):  # coupling with the others may push further joints outwards
        more = _crosses_limit(step, joint_rad, lower, upper) & ~held
        rows = np.flatnonzero(more.any(axis=1))
        if not len(rows):
            break
        held |= more
        step[rows] = tasks.select(rows).solve_normal_equations(held[rows])
    largest = np.maximum(np.abs(step[:, 3:]).max(axis=1), 1e-12)
    return np.asarray(step * np.minimum(1.0, MAX_STEP_RAD / largest)[:, None])


def _crosses_limit(step: Array, joint_rad: Array, lower: Array, upper: Array) -> npt.NDArray[np.bool_]:
    """Return which coordinates are joints at a limit that a step crosses. (T, nv), (T, n_joints) in, (T, nv) out."""
    at_lower = joint_rad <= lower + AT_LIMIT_RAD
    at_upper = joint_rad >= upper - AT_LIMIT_RAD
    crosses = np.zeros(step.shape, dtype=np.bool_)
    crosses[:, BASE:] = (at_lower & (step[:, BASE:] < 0.0)) | (at_upper & (step[:, BASE:] > 0.0))
    return crosses


def integrate_step(qpos: Array, step: Array) -> Array:
    """Return the coordinates of a floating body after a step in velocity coordinates. Shapes (T, nq), (T, nv) in."""
    w, x, y, z = qpos[:, 3:7].T
    half = 0.5 * step[:, 3:BASE].T
    angle = np.sqrt((half * half).sum(axis=0))
    c = np.cos(angle)
    a, b, d = np.sinc(angle / np.pi) * half
    quaternion = np.stack(
        [
            w * c - x * a - y * b - z * d,
            w * a + x * c + y * d - z * b,
            w * b - x * d + y * c + z * a,
            w * d + x * b - y * a + z * c,
        ],
        axis=1,
    )
    return np.concatenate([qpos[:, :3] + step[:, :3], quaternion, qpos[:, 7:] + step[:, BASE:]], axis=1)


class _Tasks:
    """Weighted task errors of a robot and their Jacobians."""

    def __init__(self, robot: Robot, length_m: float) -> None:
        self._robot = robot
        self._length_m = length_m
        self._foot_columns = foot_coordinates(robot)
        self._other_columns = np.setdiff1d(np.arange(robot.model.nv), self._foot_columns)
        self._oriented_feet = np.flatnonzero(robot.foot_turns.any(axis=1))  # the orientation of balls is free
        self._turn_weight = FOOT_WEIGHT * robot.foot_turns[self._oriented_feet]
        leg_joints = {joint for leg in robot.legs for joint in leg.joints}
        in_leg = np.array([joint in leg_joints for joint in robot.joint_names])
        posture_weight = np.where(in_leg, LEG_POSTURE_WEIGHT, UPPER_POSTURE_WEIGHT)
        self._own_weight = np.concatenate([np.zeros(3), np.full(3, ATTITUDE_WEIGHT), posture_weight])
        self._leg_joints = np.flatnonzero(in_leg)
        self._com_weight = COM_WEIGHT[:, None] / length_m
        self.lower_rad = robot.joint_lower_rad + LIMIT_MARGIN_RAD
        self.upper_rad = robot.joint_upper_rad - LIMIT_MARGIN_RAD
        lower = robot.joint_lower_rad[in_leg]
        upper = robot.joint_upper_rad[in_leg]
        self._wall_rad = np.minimum(WALL_RAD, (upper - lower) * MAX_WALL_SHARE)
        self._lower_wall = lower + self._wall_rad
        self._upper_wall = upper - self._wall_rad

    def linearise(self, qpos: Array, targets: BodyTargets) -> _LinearisedTasks:
        """Return the tasks linearised at configurations. Shape (T, nq) in."""
        current = task_jacobians(self._robot, qpos, columns=self._foot_columns)
        samples = len(qpos)
        size = len(self._foot_columns)
        place_error = (targets.foot_in_world - current.foot_in_world) * (FOOT_WEIGHT / self._length_m)
        place_jacobian = current.foot[:, :, :3] * (FOOT_WEIGHT / self._length_m)
        oriented = self._oriented_feet
        world_to_foot = np.swapaxes(current.foot_rotation[:, oriented], -1, -2)
        turn_weight = np.tile(self._turn_weight, (samples, 1, 1))
        turn_weight[..., 1] *= targets.foot_hold[:, oriented]
        turn_error = rotation_vector(world_to_foot @ targets.foot_rotation[:, oriented]) * turn_weight  # in foot axes
        turn_jacobian = (world_to_foot @ current.foot[:, oriented, 3:]) * turn_weight[..., None]
        feet_error = np.concatenate([place_error.reshape(samples, -1), turn_error.reshape(samples, -1)], axis=1)
        feet = np.concatenate(
            [place_jacobian.reshape(samples, -1, size), turn_jacobian.reshape(samples, -1, size)], axis=1
        )
        com_error = (targets.com_in_world - current.com_in_world) * COM_WEIGHT / self._length_m
        com = current.com * self._com_weight
        attitude_error = rotation_vector(np.swapaxes(current.base_rotation, -1, -2) @ targets.base_rotation)
        posture_error = targets.joint_rad - qpos[:, FLOATING:]
        own_error = np.concatenate([np.zeros((samples, 3)), attitude_error, posture_error], axis=1) * self._own_weight
        wall_error, wall_slope = self._wall(qpos[:, FLOATING + self._leg_joints], com.shape[-1])
        errors = (feet_error, com_error, own_error, wall_error)
        cost = 0.5 * sum(np.einsum("tm,tm->t", error, error) for error in errors)
        descent = (com_error[:, None] @ com)[:, 0] + own_error * self._own_weight + wall_error * wall_slope
        descent[:, self._foot_columns] += (feet_error[:, None] @ feet)[:, 0]
        return _LinearisedTasks(
            cost=np.asarray(cost),
            descent=descent,
            feet=feet,
            com=com,
            diagonal=self._own_weight**2 + wall_slope**2,
            foot_columns=self._foot_columns,
            other_columns=self._other_columns,
        )

    def _wall(self, leg_rad: Array, columns: int) -> tuple[Array, Array]:
        """Return the penalty of leg joints near their limits, quadratic in depth, and its slope. Shapes (T, nv)."""
        above = np.maximum(leg_rad - self._upper_wall, 0.0) / self._wall_rad
        below = np.maximum(self._lower_wall - leg_rad, 0.0) / self._wall_rad
        error, slope = np.zeros((2, len(leg_rad), columns))
        error[:, BASE + self._leg_joints] = WALL_WEIGHT * (below**2 - above**2)
        slope[:, BASE + self._leg_joints] = 2.0 * WALL_WEIGHT * (above + below) / self._wall_rad
        return error, slope
