"""Trajectory fit: the smooth movement of a whole robot nearest to targets, all samples at once.

Gauss-Newton on the weighted squares of all errors over the whole movement. Accelerations and jerks couple each sample
with the three next ones, coordinate by coordinate, so that the normal equations are a band, solved by one Cholesky
factorisation. A coarse movement of every fourth sample comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg.lapack import dpbtrf, dpbtrs
from scipy.sparse import csr_matrix, diags
from scipy.spatial.transform import Rotation, RotationSpline

from strut.arrays import Array
from strut.engines.task_jacobians import PointJacobians, point_jacobians
from strut.kinematics.whole_body import integrate_step
from strut.maths.rotation import rotation_vector
from strut.retargeting.body_movement import SIDES
from strut.retargeting.robot_points import RobotPoints
from strut.robot import BASE, FLOATING, Robot

# Weights of errors: of positions by metres of a leg of 0.75 m, of angles by radians
FOOT_WEIGHT = 2000.0
FOOT_TURN_WEIGHT = 600.0
SWING_WEIGHT = 0.03  # of these in the middle of a swing
PELVIS_WEIGHT = np.array([8.0, 8.0, 12.0])
PELVIS_OVER_COM_WEIGHT = np.array([0.3, 0.3, 12.0])  # where the centre of mass is given
PELVIS_TURN_WEIGHT = 2.5
TRUNK_WEIGHT = 4.0
HEAD_WEIGHT = 2.0
ARM_WEIGHT = 3.0
POSTURE_WEIGHT = 0.05
COM_WEIGHT = 300.0
WALL_WEIGHT = 20.0
WALL_RAD = 0.1  # distance from its limit at which a joint meets the penalty
MAX_WALL_SHARE = 0.25  # of the joint's range, for narrow ranges
ACCELERATION_WEIGHT = 5e-3
JERK_WEIGHT = 1e-3
SPEED_WEIGHT = 1.0  # per rad/s beyond
SPEED_SHARE = 0.8  # of the speed limit of a joint
BASE_SHARE = 2.0  # factor on both of the base's position
WEIGHTED_LEG_M = 0.75

DAMPING = 1e-6  # keeps the normal equations regular
MAX_STEP_RAD = 0.4  # per iteration: the linearisation holds about as far
CONVERGED = 1e-4  # share by which an iteration reduces the cost; a smaller one is the last
STRIDE = 4  # samples between those of the coarse movement
LIMIT_MARGIN_RAD = 0.01  # joints keep this distance from their limits
BAND = 3  # samples that jerks couple


@dataclass(frozen=True, slots=True, eq=False)
class BodyGoal:
    """Where the parts of a robot are to be, per sample.

    Args:
        foot_m: Frames of the left and the right foot. Shape (T, 2, 3).
        foot_rotation: Their bodies to world. Shape (T, 2, 3, 3).
        hold: Weight of the feet in [0, 1]: 1 in stance. Shape (T, 2).
        pelvis_m: Middle of the hips. Shape (T, 3).
        rotation: Of the bodies of pelvis, trunk and head to world; None without such a body. Shape (T, 3, 3, 3).
        arm: Directions of left and right upper arm, left and right forearm; no columns without arms. Shape (T, n, 3).
        com_m: Centre of mass over the ground; None if it is free. Shape (T, 2).
    """

    foot_m: Array
    foot_rotation: Array
    hold: Array
    pelvis_m: Array
    rotation: Array
    arm: Array
    com_m: Array | None = None

    def every(self, stride: int) -> BodyGoal:
        """Return every so many samples."""
        every = {name: value[::stride] for name in self.__slots__ if (value := getattr(self, name)) is not None}
        return replace(self, **every)


@dataclass(frozen=True, slots=True, eq=False)
class FittedTrajectory:
    """The fitted coordinates (T, nq), the cost of the targets' errors, and the number of iterations."""

    qpos: Array
    cost: float
    iterations: int


class TrajectoryFit:
    """Fits movements of one robot."""

    def __init__(self, points: RobotPoints) -> None:
        self._robot = points.robot
        self._kinds = [kind for kind in ("pelvis", "trunk", "head") if kind in points.body]
        has_arms = "elbow_left" in points.place
        self._names = [f"toe_{side}" for side in SIDES] + [f"hip_{side}" for side in SIDES]
        if has_arms:
            self._names += [f"{part}_{side}" for part in ("shoulder", "elbow", "wrist") for side in SIDES]
        places = [points.place[name] for name in self._names]
        self._first_body = len(places)
        self._places = [*places, *((points.body[kind], (0.0, 0.0, 0.0)) for kind in self._kinds)]
        number = {name: index for index, name in enumerate(self._names)}
        self._arms = [
            (number[f"{end}_{side}"], number[f"{start}_{side}"])
            for start, end in ((("shoulder", "elbow"), ("elbow", "wrist")) if has_arms else ())
            for side in SIDES
        ]
        self._length = WEIGHTED_LEG_M / points.leg_m
        robot = self._robot
        lower = robot.joint_lower_rad
        upper = robot.joint_upper_rad
        wall = np.minimum(WALL_RAD, MAX_WALL_SHARE * (upper - lower))
        self._lower_wall = lower + wall
        self._upper_wall = upper - wall
        self._standing = robot.standing_qpos[FLOATING:]

    def fit(self, goal: BodyGoal, start: Array, step_s: float, *, coarse: int, fine: int) -> FittedTrajectory:
        """Return the movement nearest to a goal.

        Args:
            goal: Targets.
            start: Initial guess. Shape (T, nq).
            step_s: Time between samples.
            coarse: Iterations at most with every fourth sample.
            fine: Iterations at most with all.
        """
        samples = len(start)
        iterations = 0
        if coarse and samples > 4 * STRIDE:
            first = self._minimise(goal.every(STRIDE), start[::STRIDE], STRIDE * step_s, coarse)
            start = _between(first.qpos, np.arange(samples) / STRIDE)
            iterations = first.iterations
        fitted = self._minimise(goal, start, step_s, fine)
        return replace(fitted, iterations=fitted.iterations + iterations)

    def _minimise(self, goal: BodyGoal, start: Array, step_s: float, iterations: int) -> FittedTrajectory:
        robot = self._robot
        coordinates = robot.model.nv
        smooth = _smoothness(len(start), step_s)
        share = np.ones(coordinates)
        share[:3] = BASE_SHARE**2
        lower = robot.joint_lower_rad + LIMIT_MARGIN_RAD
        upper = robot.joint_upper_rad - LIMIT_MARGIN_RAD
        qpos = start.copy()
        qpos[:, FLOATING:] = np.clip(qpos[:, FLOATING:], lower, upper)
        best = qpos
        best_cost = np.inf
        step = np.zeros((len(start), coordinates))
        length = 1.0
        count = 0
        for count in range(iterations + 1):
            errors, jacobian, own_error, own_slope = self._linearise(goal, qpos)
            unrolled = _unrolled(qpos)
            pull = smooth.times(unrolled) * share
            excess = self._excess_speed(qpos, step_s)
            cost = float((errors**2).sum() + (own_error**2).sum() + (unrolled * pull).sum() + (excess**2).sum())
            if cost < best_cost:
                is_last = cost > (1.0 - CONVERGED) * best_cost
                best, best_cost = qpos, cost
                length = min(1.0, 2.0 * length)
                if is_last or count == iterations:
                    break
                normal = jacobian.swapaxes(-1, -2) @ jacobian
                index = np.arange(coordinates)
                normal[:, index, index] += own_slope**2 + DAMPING
                descent = -(errors[:, None] @ jacobian)[:, 0] - own_error * own_slope - pull
                slope = SPEED_WEIGHT / step_s
                descent[:-1, BASE:] += slope * excess
                descent[1:, BASE:] -= slope * excess
                step = _solve_band(normal, smooth, share, slope**2 * (excess != 0.0), descent)
                largest = float(np.abs(step[:, 3:]).max())
                step *= min(1.0, MAX_STEP_RAD / max(largest, 1e-12))
            else:
                length *= 0.3
                if count == iterations or length < 1e-3:
                    break
            qpos = integrate_step(best, length * step)
            qpos[:, FLOATING:] = np.clip(qpos[:, FLOATING:], lower, upper)
        return FittedTrajectory(best, best_cost, count)

    def _excess_speed(self, qpos: Array, step_s: float) -> Array:
        """Return by how much joints are too fast from each sample to the next, weighted. Shape (T - 1, n_joints)."""
        speed = np.diff(qpos[:, FLOATING:], axis=0) / step_s
        limit = SPEED_SHARE * self._robot.joint_speed_limit_rad_s
        return np.asarray(SPEED_WEIGHT * (speed - np.clip(speed, -limit, limit)))

    def _linearise(self, goal: BodyGoal, qpos: Array) -> tuple[Array, Array, Array, Array]:
        """Return weighted errors (T, m), their Jacobian (T, m, nv), and errors and slopes of single coordinates."""
        current = point_jacobians(self._robot, self._places, qpos)
        samples = len(qpos)
        errors = list[Array]()
        rows = list[Array]()

        def add(error: Array, jacobian: Array, weight: Array | float) -> None:
            weight = np.broadcast_to(weight, error.shape)
            errors.append(error * weight)
            rows.append(jacobian * weight[..., None])

        weight = SWING_WEIGHT + (1.0 - SWING_WEIGHT) * goal.hold
        for foot in range(2):
            moved = current.point[:, foot]
            held = weight[:, foot, None]
            add(current.position_m[:, foot] - goal.foot_m[:, foot], moved[:, :3], FOOT_WEIGHT * self._length * held)
            turn = current.rotation[:, foot] @ goal.foot_rotation[:, foot].swapaxes(-1, -2)
            add(rotation_vector(turn), moved[:, 3:], FOOT_TURN_WEIGHT * held)
        hips = current.position_m[:, 2:4].mean(axis=1) - goal.pelvis_m
        of_pelvis = PELVIS_WEIGHT if goal.com_m is None else PELVIS_OVER_COM_WEIGHT
        add(hips, current.point[:, 2:4, :3].mean(axis=1), of_pelvis * self._length)
        for number, kind in enumerate(self._kinds):
            body = self._first_body + number
            turn = current.rotation[:, body] @ goal.rotation[:, number].swapaxes(-1, -2)
            of_turn = {"pelvis": PELVIS_TURN_WEIGHT, "trunk": TRUNK_WEIGHT, "head": HEAD_WEIGHT}[kind]
            add(rotation_vector(turn), current.point[:, body, 3:], of_turn)
        for number, (end, start) in enumerate(self._arms):
            along = current.position_m[:, end] - current.position_m[:, start]
            long_m = np.linalg.norm(along, axis=1, keepdims=True)
            change = (current.point[:, end, :3] - current.point[:, start, :3]) / long_m[..., None]
            add(along / long_m - goal.arm[:, number], change, ARM_WEIGHT)
        if goal.com_m is not None:
            add(current.com_in_world[:, :2] - goal.com_m, current.com[:, :2], COM_WEIGHT * self._length)
        own_error, own_slope = self._own(qpos, samples, current)
        return np.concatenate(errors, axis=1), np.concatenate(rows, axis=1), own_error, own_slope

    def _own(self, qpos: Array, samples: int, current: PointJacobians) -> tuple[Array, Array]:
        """Return the errors of posture and limits of each coordinate, as one error with its slope. Shapes (T, nv)."""
        joint = qpos[:, FLOATING:]
        beyond = np.maximum(joint - self._upper_wall, 0.0) - np.maximum(self._lower_wall - joint, 0.0)
        posture = joint - self._standing
        slope2 = POSTURE_WEIGHT**2 + np.where(beyond != 0.0, WALL_WEIGHT**2, 0.0)
        pull = POSTURE_WEIGHT**2 * posture + WALL_WEIGHT**2 * beyond
        slope = np.zeros((samples, current.com.shape[-1]))
        error = np.zeros_like(slope)
        slope[:, BASE:] = np.sqrt(slope2)
        error[:, BASE:] = pull / slope[:, BASE:]
        return error, slope


@dataclass(frozen=True, slots=True, eq=False)
class _Smoothness:
    """Squares of accelerations and jerks as a symmetric band over samples: `band[m, k]` couples k with k + m."""

    band: Array

    def times(self, values: Array) -> Array:
        """Return the product with values. Shape (T, n)."""
        result = self.band[0][:, None] * values
        for apart in range(1, BAND + 1):
            coupling = self.band[apart, : len(values) - apart, None]
            result[:-apart] += coupling * values[apart:]
            result[apart:] += coupling * values[:-apart]
        return np.asarray(result)


@lru_cache(maxsize=8)
def _smoothness(samples: int, step_s: float) -> _Smoothness:
    """Return the weights of accelerations and jerks of a movement at rest before and after."""
    rows = np.arange(samples + 2 * BAND)
    columns = np.clip(rows - BAND, 0, samples - 1)
    pad = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(rows), samples))
    total = csr_matrix((samples, samples))
    for order, weight in ((2, ACCELERATION_WEIGHT), (3, JERK_WEIGHT)):
        difference = pad
        for _ in range(order):
            size = difference.shape[0] - 1
            difference = diags([-np.ones(size), np.ones(size)], [0, 1], shape=(size, size + 1)) @ difference
        difference = difference * (weight / step_s**order)
        total = total + difference.T @ difference
    band = np.zeros((BAND + 1, samples))
    for apart in range(BAND + 1):
        band[apart, : samples - apart] = total.diagonal(apart)
    return _Smoothness(band)


def _solve_band(normal: Array, smooth: _Smoothness, share: Array, braking: Array, descent: Array) -> Array:
    """Return the step of the normal equations with the coupling of samples. Shape (T, nv).

    Args:
        normal: Normal equations of each sample alone. Shape (T, nv, nv).
        smooth: Accelerations and jerks.
        share: Their weight by coordinate. Shape (nv,).
        braking: Weight of the change of each joint to the next sample. Shape (T - 1, n_joints).
        descent: Shape (T, nv).
    """
    samples, coordinates = descent.shape
    wide = BAND * coordinates + 1
    band = np.zeros((samples, coordinates, wide))  # its transpose is LAPACK's lower form
    lower, column = np.tril_indices(coordinates)
    band[:, column, lower - column] = normal[:, lower, column]
    each = np.arange(coordinates)
    for apart in range(BAND + 1):
        band[:, each, apart * coordinates] += smooth.band[apart][:, None] * share
    band[:-1, BASE:, 0] += braking
    band[1:, BASE:, 0] += braking
    band[:-1, BASE:, coordinates] -= braking
    factor, info = dpbtrf(band.reshape(-1, wide).T, lower=1, overwrite_ab=1)
    assert info == 0, "damped normal equations are positive definite"
    step, _ = dpbtrs(factor, descent.reshape(-1, 1), lower=1)
    return np.asarray(step.reshape(samples, coordinates))


def _unrolled(qpos: Array) -> Array:
    """Return coordinates whose differences are those of the movement: the base's turns add up. (T, nq) -> (T, nv)."""
    base = Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True)
    turns = np.zeros((len(qpos), 3))
    turns[1:] = np.cumsum((base[:-1].inv() * base[1:]).as_rotvec(), axis=0)
    return np.concatenate([qpos[:, :3], turns, qpos[:, FLOATING:]], axis=1)


def _between(qpos: Array, sample: Array) -> Array:
    """Return a movement between its samples, by splines. Shapes (N, nq), (T,) in, (T, nq) out."""
    known = np.arange(len(qpos), dtype=float)
    sample = np.minimum(sample, known[-1])
    values = CubicSpline(known, qpos, bc_type="clamped")(sample)
    base = RotationSpline(known, Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True))
    values[:, 3:FLOATING] = base(sample).as_quat(scalar_first=True)
    return np.asarray(values)


def standing_over(robot: Robot, pelvis_m: Array, turn_rad: Array, middle_m: Array) -> Array:
    """Return a standing robot moved along a path of the middle of its hips, as an initial guess. Shape (T, nq)."""
    qpos = np.tile(robot.standing_qpos, (len(pelvis_m), 1))
    turn = Rotation.from_rotvec(turn_rad[:, None] * [0.0, 0.0, 1.0])
    base = Rotation.from_quat(robot.standing_qpos[3:FLOATING], scalar_first=True)
    qpos[:, 3:FLOATING] = (turn * base).as_quat(scalar_first=True)
    qpos[:, :3] = pelvis_m - turn.apply(middle_m - robot.standing_qpos[:3])
    return qpos
