"""Hand tracking: a hand follows its path by prioritised inverse kinematics; the null space expresses a style.

Levels in order of priority: the pose of the hand, the orientation of the head, the posture. A platform that is led
along a path or stands still is not solved for; the levels compensate its motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from strut.arrays import Array
from strut.engines.frame_kinematics import Frame, FrameKinematics
from strut.errors import UnreachablePathError
from strut.gaits.hand_task.gaze import looking_at
from strut.gaits.hand_task.task_limits import MAX_HAND_ERROR_M, MAX_HAND_TURN_RAD, TaskAudit
from strut.kinematics.task_priority import Held, Law, Level, resolve, velocity_bounds
from strut.maths.rotation import Quaternion, orientation_error, rotation_from_quaternion, slerp
from strut.robot import Robot

APPROACH_PER_S = 20.0  # share of its distance to the limit that a joint may cover per second: it arrives without a jolt
ACCELERATION_SHARE = 0.5  # of what a joint's motor alone could give it; the rest is for gravity and the other joints
COARSE_SETTLE_STEP_S = 0.05  # steps that find the first pose
COARSE_SETTLE_STEPS = 120
FINE_SETTLE_STEP_S = 0.01  # steps that come to rest there
FINE_SETTLE_STEPS = 200
HAND_SETTLE_STEPS = 60  # coarse steps of the hand alone, if the head does not come to rest
AT_REST_RAD_S = 1e-7  # speed below which the first pose has settled


@dataclass(frozen=True, slots=True, eq=False)
class TrackedTask(TaskAudit):
    """The configurations of a hand task, of shape (T, nq), and how well the task was done."""

    qpos: Array = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class TrackingGoals:
    """Goals at both stages of every integration step; there are S stages.

    Args:
        robot: The robot.
        kinematics: Kinematics of the hand's frame and of the head's.
        acceleration_limit: What its motor alone could give each coordinate. Shape (nv,).
        task: Name of the hand's task.
        time_s: Evenly spaced samples. Shape (T,).
        steps: Integration steps per sample.
        law: How the levels share the joints.
        hand_m: Position of the hand in world. Shape (S, 3).
        hand_turn: Orientations of the hand; None if any will do.
        sideways: The two axes normal to the hand's x axis, if it may spin about that; else None. Shape (S, 2, 3).
        hand_velocity: Linear and angular velocity of the hand in world. Shape (S, 6).
        led: Number of coordinates of the platform that are not solved for: all of them, or none.
        platform: Pose of the platform. Shape (S, base_size).
        platform_velocity: Velocity of the led platform. Shape (S, led).
        posture: Preferred joint angles. Shape (S, n_joints).
        head_turn: Orientations of the head in that posture; empty if no style is expressed.
        gaze: Share of the way from there to the eyes of the user.
        user_m: Eyes of the person to look at, in world. Shape (3,).
        start_rad: Joint angles of the initial guess of the first pose, by joint.
    """

    robot: Robot
    kinematics: FrameKinematics
    acceleration_limit: Array
    task: str
    time_s: Array
    steps: int
    law: Law
    hand_m: Array
    hand_turn: list[Quaternion] | None
    sideways: Array | None
    hand_velocity: Array
    led: int
    platform: Array
    platform_velocity: Array
    posture: Array
    head_turn: list[Quaternion]
    gaze: float
    user_m: Array
    start_rad: Mapping[str, float]


class HandTracker:
    """Integrates the coordinates that are not led towards their goals."""

    def __init__(self, goals: TrackingGoals) -> None:
        robot = goals.robot
        led = goals.led
        drive = robot.platform
        self.goals = goals
        self._led = led
        self._kinematics = goals.kinematics
        self._gain = robot.chains.gain
        self._step_s = float(goals.time_s[1] - goals.time_s[0]) / goals.steps
        self._posture = np.concatenate([goals.platform, goals.posture], axis=1)[:, led:]
        drive_limits = [] if drive is None else [drive.speed_limit_m_s] * 2 + [drive.turn_limit_rad_s]
        unlimited = np.full(robot.base_size, np.inf)
        self._lower = np.concatenate([-unlimited, robot.joint_lower_rad])[led:]
        self._upper = np.concatenate([unlimited, robot.joint_upper_rad])[led:]
        self._speed = np.concatenate([drive_limits[: robot.base_size], robot.joint_speed_limit_rad_s])[led:]
        self._acceleration = ACCELERATION_SHARE * goals.acceleration_limit[led:]
        self._smooth_velocity: tuple[Array, Array] | None = None  # bounds from the acceleration limit; None at rest
        self._held: Held = {}
        self._previous_head_goal: Array | None = None
        self._head_goal_velocity = np.zeros(3)

    def start(self) -> Array:
        """Return the initial guess of the first pose. Shape (nq,)."""
        goals = self.goals
        robot = goals.robot
        qpos = np.concatenate([goals.platform[0, : self._led], self._posture[0]])
        for joint, angle_rad in goals.start_rad.items():
            qpos[robot.base_size + robot.joint_names.index(joint)] = angle_rad
        joints = qpos[robot.base_size :]
        joints[:] = np.clip(joints, robot.joint_lower_rad, robot.joint_upper_rad)
        return qpos

    def settled(self) -> Array:
        """Return the configuration at rest in the first pose, or as near to it as possible. Shape (nq,)."""
        qpos = self.start()
        settle_steps_s = [COARSE_SETTLE_STEP_S] * COARSE_SETTLE_STEPS + [FINE_SETTLE_STEP_S] * FINE_SETTLE_STEPS
        for step_s in settle_steps_s:
            if self._settle(qpos, step_s, with_style=True) < AT_REST_RAD_S:
                return qpos
        for _ in range(HAND_SETTLE_STEPS):  # a head that does not come to rest must not keep the hand from its place
            if self._settle(qpos, COARSE_SETTLE_STEP_S, with_style=False) < AT_REST_RAD_S:
                break
        return qpos

    def _settle(self, qpos: Array, step_s: float, *, with_style: bool) -> float:
        """Move a configuration (nq,) one step towards the first pose in place, and return its largest speed."""
        self._kinematics.move(qpos)
        free = qpos[self._led :]
        levels = self.levels(qpos, 0, is_moving=False, with_style=with_style)
        lower, upper = velocity_bounds(
            free, self._lower, self._upper, self._speed, step_s=step_s, approach_per_s=APPROACH_PER_S
        )
        solution = resolve(levels, lower, upper, law="corrected", held=self._held)
        self._held = solution.held
        qpos[self._led :] = np.clip(free + step_s * solution.velocity, self._lower, self._upper)  # rounding errors
        return float(np.abs(solution.velocity).max())

    def track(self) -> TrackedTask:
        """Integrate from start to end by the midpoint rule; with Euler's rule, the style would move the hand.

        Raises:
            UnreachablePathError: As soon as the hand cannot follow.
        """
        goals = self.goals
        led = self._led
        samples = len(goals.time_s)
        step_s = self._step_s
        now = self.settled()
        qpos = np.empty((samples, len(now)))
        errors = np.zeros((samples, 3))  # hand [m], hand [rad], head [rad]
        velocity = np.zeros(len(self._lower))
        redundancy = len(self._lower)
        for stage in range(0, 2 * (samples - 1) * goals.steps + 1, 2):
            self._kinematics.move(now)
            if stage % (2 * goals.steps) == 0:
                sample = stage // (2 * goals.steps)
                qpos[sample] = now
                errors[sample] = self._errors(stage)
                hand_error_m, hand_turn_rad, _ = errors[sample].tolist()
                if hand_error_m > MAX_HAND_ERROR_M or hand_turn_rad > MAX_HAND_TURN_RAD:
                    time_s = float(goals.time_s[sample])
                    raise UnreachablePathError(goals.task, sample, time_s, hand_error_m, hand_turn_rad)
                if sample == samples - 1:
                    break
            lower, upper = velocity_bounds(
                now[led:], self._lower, self._upper, self._speed, step_s=step_s, approach_per_s=APPROACH_PER_S
            )
            change = self._acceleration * step_s
            self._smooth_velocity = (velocity - change, velocity + change)
            self._measure_head_goal_velocity(stage)
            first = resolve(self.levels(now, stage), lower, upper, law=goals.law, held=self._held)
            middle = now.copy()
            middle[led:] += step_s / 2.0 * first.velocity
            middle[:led] = goals.platform[stage + 1, :led]
            self._kinematics.move(middle)
            second = resolve(self.levels(middle, stage + 1), lower, upper, law=goals.law, held=first.held)
            self._held = second.held
            velocity = second.velocity
            now[led:] = np.clip(now[led:] + step_s * velocity, self._lower, self._upper)  # rounding errors
            now[:led] = goals.platform[stage + 2, :led]
            redundancy = min(redundancy, first.free[-2])
        gaze_error_rad = errors[:, 2] if goals.head_turn else None
        return TrackedTask(goals.time_s, errors[:, 0], errors[:, 1], gaze_error_rad, redundancy, qpos=qpos)

    def _errors(self, stage: int) -> tuple[float, float, float]:
        """Return the position error of the hand [m], and the orientation errors of hand and head [rad]."""
        hand, head = self._kinematics.frames
        position_error_m, turn_error = self._hand_error(hand, stage)
        turn_error_rad = 0.0 if turn_error is None else float(np.linalg.norm(turn_error))
        gaze_error_rad = 0.0
        if self.goals.head_turn:
            gaze_error_rad = float(np.linalg.norm(orientation_error(head.rotation, self._head_goal(head, stage))))
        return float(np.linalg.norm(position_error_m)), turn_error_rad, gaze_error_rad

    def _hand_error(self, hand: Frame, stage: int) -> tuple[Array, Array | None]:
        """Return the errors of the hand's position (3,) and orientation: (3,), (2,) if it may spin, None if any."""
        goals = self.goals
        position_error_m = goals.hand_m[stage] - hand.position_m
        if goals.hand_turn is None:
            return position_error_m, None
        turn_error = orientation_error(hand.rotation, goals.hand_turn[stage])
        return position_error_m, turn_error if goals.sideways is None else goals.sideways[stage] @ turn_error

    def _head_goal(self, head: Frame, stage: int) -> Quaternion:
        towards_user = looking_at(head.position_m, self.goals.user_m)
        return slerp(self.goals.head_turn[stage], towards_user, self.goals.gaze)

    def _measure_head_goal_velocity(self, stage: int) -> None:
        """Set the velocity of the head's goal from the previous step; the published law does not use it."""
        if not self.goals.head_turn or self.goals.law == "paper":
            return
        goal = self._head_goal(self._kinematics.frames[1], stage)
        if self._previous_head_goal is not None:
            self._head_goal_velocity = orientation_error(self._previous_head_goal, goal) / self._step_s
        self._previous_head_goal = rotation_from_quaternion(goal)

    def levels(self, qpos: Array, stage: int, *, is_moving: bool = True, with_style: bool = True) -> list[Level]:
        """Return the levels at a configuration (nq,), to which the kinematics must have been moved.

        Args:
            qpos: The configuration.
            stage: Index of the stage.
            is_moving: Whether hand and platform move along their paths; if not, they are approached in place.
            with_style: Whether head and posture have levels; if not, the coordinates left over stand still.
        """
        hand, head = self._kinematics.frames
        goals = self.goals
        led = self._led
        velocity = goals.hand_velocity[stage].copy() if is_moving else np.zeros(6)
        position_error_m, turn_error = self._hand_error(hand, stage)
        jacobian = hand.jacobian
        velocity[:3] += self._gain.hand_per_s * position_error_m
        if turn_error is None:
            velocity = velocity[:3]
            jacobian = jacobian[:3]
        elif goals.sideways is None:
            velocity[3:] += self._gain.hand_per_s * turn_error
        else:
            sideways = goals.sideways[stage]
            velocity = np.concatenate([velocity[:3], sideways @ velocity[3:] + self._gain.hand_per_s * turn_error])
            jacobian = np.concatenate([jacobian[:3], sideways @ jacobian[3:]])
        platform_velocity = goals.platform_velocity[stage] if is_moving else np.zeros(led)
        if led:
            velocity = velocity - jacobian[:, :led] @ platform_velocity
        levels = [Level(jacobian[:, led:], velocity)]
        if goals.head_turn and with_style:
            head_error = orientation_error(head.rotation, self._head_goal(head, stage))
            head_velocity = self._gain.head_per_s * head_error + self._head_goal_velocity
            head_velocity -= head.jacobian[3:, :led] @ platform_velocity
            posture_velocity = self._gain.posture_per_s * (self._posture[stage] - qpos[led:])
            if not led:
                posture_velocity[: goals.robot.base_size] = 0.0  # a free platform has no preferred place
            levels.append(Level(head.jacobian[3:, led:], head_velocity, self._smooth_velocity))
            levels.append(Level(None, posture_velocity, self._smooth_velocity))
        else:
            levels.append(Level(None, np.zeros(len(self._lower))))
        return levels
