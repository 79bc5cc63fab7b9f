"""Hand tracking: a hand follows its goals, and a style is shown in the null space of that task, tick by tick.

Levels in order: the hand's pose, the head's orientation, the posture. Coordinates that are led, such as a platform that
stands or drives, are taken out, and the levels make up for what they do.
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
from strut.kinematics.task_priority import Held, Law, Level, PrioritySolution, resolve, velocity_bounds
from strut.maths.rotation import Quaternion, orientation_error, rotation_from_quaternion, slerp
from strut.robot import Robot

APPROACH_PER_S = 20.0  # a joint may cover this share of the way to its end per second: it arrives without a jolt
ACCELERATION_SHARE = 0.5  # of what a joint's motor alone could give it; the rest is for gravity and the other joints
_SETTLE_STEPS_S = (0.05,) * 120 + (0.01,) * 200  # coarse steps find the place, fine ones come to rest there
_HAND_STEPS = 60
_AT_REST_RAD_S = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class TrackedTask(TaskAudit):
    """The trajectory of a hand task, qpos of shape (T, nq), and how well it went."""

    qpos: Array = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class TrackingGoals:
    """What to track, laid out at both stages of every step of the integration: S of them.

    Args:
        robot: Whose hand.
        kinematics: Of the hand's frame and the head's.
        acceleration_limit: What a motor alone could give each coordinate. Shape (nv,).
        task: Name of what the hand does.
        time_s: Evenly spaced samples. Shape (T,).
        steps: Integration steps per sample.
        law: How levels share the joints.
        hand_m: Of the hand in world. Shape (S, 3).
        hand_turn: Its orientations; None where any will do.
        sideways: The two axes across the hand's own x axis, where it may spin about that. Shape (S, 2, 3).
        hand_velocity: Linear and angular, in world. Shape (S, 6).
        led: Coordinates of the platform that are led: all of them, or none.
        platform: Where it stands. Shape (S, base_size).
        platform_velocity: Shape (S, led).
        posture: Of the joints. Shape (S, n_joints).
        head_turn: Orientation of the head in that posture; none if nothing is to be shown.
        gaze: Share of the way from there to the eyes of the user.
        user_m: Eyes of the person to look at, in world. Shape (3,).
        start_rad: Joint angles to look for the first pose from, by joint.
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
        drive = goals.robot.platform
        self.goals = goals
        self._led = led
        self._kinematics = goals.kinematics
        self._gain = robot.chains.gain
        self._step_s = float(goals.time_s[1] - goals.time_s[0]) / goals.steps
        self._posture = np.concatenate([goals.platform, goals.posture], axis=1)[:, led:]
        drive_limits = [] if drive is None else [drive.speed_limit_m_s] * 2 + [drive.turn_limit_rad_s]
        far = np.full(robot.base_size, np.inf)
        self._lower = np.concatenate([-far, robot.joint_lower_rad])[led:]
        self._upper = np.concatenate([far, robot.joint_upper_rad])[led:]
        self._speed = np.concatenate([drive_limits[: robot.base_size], robot.joint_speed_limit_rad_s])[led:]
        self._acceleration = ACCELERATION_SHARE * goals.acceleration_limit[led:]
        self._gentle: tuple[Array, Array] | None = None
        self._held: Held = {}
        self._gaze_before: Array | None = None
        self._gaze_velocity = np.zeros(3)

    def start(self) -> Array:
        """Return the coordinates from which to look for the first pose. Shape (nq,)."""
        goals = self.goals
        robot = self.goals.robot
        qpos = np.concatenate([goals.platform[0, : self._led], self._posture[0]])
        for joint, angle_rad in goals.start_rad.items():
            qpos[robot.base_size + robot.joint_names.index(joint)] = angle_rad
        joints = qpos[robot.base_size :]
        joints[:] = np.clip(joints, robot.joint_lower_rad, robot.joint_upper_rad)
        return qpos

    def settled(self) -> Array:
        """Return coordinates that stand in the first pose, as near as they get. Shape (nq,)."""
        qpos = self.start()
        for step_s in _SETTLE_STEPS_S:
            if self._settle(qpos, step_s, showing=True) < _AT_REST_RAD_S:
                return qpos
        for _ in range(_HAND_STEPS):  # a head that cannot rest must not keep the hand from its place
            if self._settle(qpos, _SETTLE_STEPS_S[0], showing=False) < _AT_REST_RAD_S:
                break
        return qpos

    def _settle(self, qpos: Array, step_s: float, *, showing: bool) -> float:
        """Move coordinates (nq,) a step nearer to the first pose, and return how fast that was."""
        self._kinematics.move(qpos)
        bounds = self._bounds(qpos, step_s)
        velocity = self._resolved(qpos, 0, *bounds, "corrected", moving=False, showing=showing).velocity
        qpos[self._led :] = self._inside(qpos[self._led :] + step_s * velocity)
        return float(np.abs(velocity).max())

    def track(self) -> TrackedTask:
        """Integrate from start to end: midpoint steps, because straight ones would let the style move the hand.

        Raises:
            UnreachablePathError: As soon as the hand cannot follow.
        """
        goals = self.goals
        samples = len(goals.time_s)
        step_s = self._step_s
        now = self.settled()
        qpos = np.empty((samples, len(now)))
        record = np.zeros((samples, 3))
        velocity = np.zeros(len(self._lower))
        free = len(self._lower)
        for stage in range(0, 2 * (samples - 1) * goals.steps + 1, 2):
            self._kinematics.move(now)
            if stage % (2 * goals.steps) == 0:
                k = stage // (2 * goals.steps)
                qpos[k] = now
                record[k] = self._errors(stage)
                if record[k, 0] > MAX_HAND_ERROR_M or record[k, 1] > MAX_HAND_TURN_RAD:
                    raise UnreachablePathError(goals.task, k, float(goals.time_s[k]), *record[k, :2].tolist())
                if k == samples - 1:
                    break
            bounds = self._bounds(now, step_s)
            change = self._acceleration * step_s
            self._gentle = (velocity - change, velocity + change)
            self._follow_gaze(stage)
            first = self._resolved(now, stage, *bounds, goals.law)
            middle = now.copy()
            middle[self._led :] += step_s / 2.0 * first.velocity
            middle[: self._led] = goals.platform[stage + 1, : self._led]
            self._kinematics.move(middle)
            velocity = self._resolved(middle, stage + 1, *bounds, goals.law).velocity
            now[self._led :] = self._inside(now[self._led :] + step_s * velocity)
            now[: self._led] = goals.platform[stage + 2, : self._led]
            free = min(free, first.free[-2])
        gaze_error_rad = record[:, 2] if goals.head_turn else None
        return TrackedTask(goals.time_s, record[:, 0], record[:, 1], gaze_error_rad, free, qpos=qpos)

    def _errors(self, stage: int) -> tuple[float, float, float]:
        """Return how far and how much turned the hand is from its path, and how much the head from its goal."""
        hand, head = self._kinematics.frames
        off_m, turn = self._hand_off(hand, stage)
        glance = orientation_error(head.rotation, self._gaze(head, stage)) if self.goals.head_turn else np.zeros(3)
        turned_rad = 0.0 if turn is None else float(np.linalg.norm(turn))
        return float(np.linalg.norm(off_m)), turned_rad, float(np.linalg.norm(glance))

    def _hand_off(self, hand: Frame, stage: int) -> tuple[Array, Array | None]:
        goals = self.goals
        off_m = goals.hand_m[stage] - hand.position_m
        if goals.hand_turn is None:
            return off_m, None
        turn = orientation_error(hand.rotation, goals.hand_turn[stage])
        return off_m, turn if goals.sideways is None else goals.sideways[stage] @ turn

    def _gaze(self, head: Frame, stage: int) -> Quaternion:
        direct = looking_at(head.position_m, self.goals.user_m)
        return slerp(self.goals.head_turn[stage], direct, self.goals.gaze)

    def _follow_gaze(self, stage: int) -> None:
        """Learn how fast the head's goal turns from where it was a step ago; the published law does not look ahead."""
        if not self.goals.head_turn or self.goals.law == "paper":
            return
        goal = self._gaze(self._kinematics.frames[1], stage)
        if self._gaze_before is not None:
            self._gaze_velocity = orientation_error(self._gaze_before, goal) / self._step_s
        self._gaze_before = rotation_from_quaternion(goal)

    def _inside(self, coordinates: Array) -> Array:
        """Return coordinates that bounds have kept in their ranges, without what rounding put beyond. Shape (n,)."""
        return np.asarray(np.minimum(np.maximum(coordinates, self._lower), self._upper))

    def _bounds(self, qpos: Array, step_s: float) -> tuple[Array, Array]:
        return velocity_bounds(
            qpos[self._led :], self._lower, self._upper, self._speed, step_s=step_s, approach_per_s=APPROACH_PER_S
        )

    def _resolved(
        self,
        qpos: Array,
        stage: int,
        lower: Array,
        upper: Array,
        law: Law,
        *,
        moving: bool = True,
        showing: bool = True,
    ) -> PrioritySolution:
        """Return the velocities of the coordinates that are not led; the kinematics must have been moved to qpos."""
        hand, head = self._kinematics.frames
        goals = self.goals
        led = self._led
        velocity = goals.hand_velocity[stage].copy() if moving else np.zeros(6)
        off_m, turn = self._hand_off(hand, stage)
        jacobian = hand.jacobian
        velocity[:3] += self._gain.hand_per_s * off_m
        if turn is None:
            velocity = velocity[:3]
            jacobian = jacobian[:3]
        elif goals.sideways is None:
            velocity[3:] += self._gain.hand_per_s * turn
        else:
            across = goals.sideways[stage]
            velocity = np.concatenate([velocity[:3], across @ velocity[3:] + self._gain.hand_per_s * turn])
            jacobian = np.concatenate([jacobian[:3], across @ jacobian[3:]])
        drift = goals.platform_velocity[stage] if moving else np.zeros(led)
        if led:
            velocity = velocity - jacobian[:, :led] @ drift
        levels = [Level(jacobian[:, led:], velocity)]
        if goals.head_turn and showing:
            off = orientation_error(head.rotation, self._gaze(head, stage))
            glance = self._gain.head_per_s * off + self._gaze_velocity
            glance -= head.jacobian[3:, :led] @ drift
            levels.append(Level(head.jacobian[3:, led:], glance, self._gentle))
            levels.append(Level(None, self._gain.posture_per_s * (self._posture[stage] - qpos[led:]), self._gentle))
            if not led:
                levels[-1].velocity[: self.goals.robot.base_size] = 0.0
        else:
            levels.append(Level(None, np.zeros(len(lower))))
        resolved = resolve(levels, lower, upper, law=law, held=self._held)
        self._held = resolved.held
        return resolved
