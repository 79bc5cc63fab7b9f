"""Null-space controller: a hand follows its path, and a style is shown in the null space of that task, tick by tick.

Levels in order: the hand's pose, the head's orientation, the posture. Coordinates that are led, such as a platform that
stands or drives, are taken out, and the levels make up for what they do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from strut.audit import LARGEST_HAND_ERROR_M, LARGEST_HAND_TURN_RAD, TaskAudit
from strut.easing import eased_time
from strut.engines.frame_kinematics import Frame, FrameKinematics, acceleration_scale, frame_poses
from strut.errors import UnreachablePathError
from strut.expression.gaze import looking_at
from strut.expression.posture import posture_over_time
from strut.generators.hand_path import HandPath
from strut.generators.hand_task import hand_frame
from strut.kinematics.task_priority import Held, Law, Level, Resolved, resolve, velocity_bounds
from strut.robot import Array, Robot
from strut.rotation import Quaternion, orientation_error, quaternion_from_rotation, rotation_from_quaternion, slerp
from strut.style import Style

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
class TrackingProblem:
    """What to track.

    Args:
        robot: Whose hand.
        path: Of the hand.
        style: What to show; None to leave what is free at rest.
        user_m: Eyes of the person to look at, in world. Shape (3,).
        law: How levels share the joints.
        time_s: Evenly spaced samples. Shape (T,).
        steps: Integration steps per sample.
    """

    robot: Robot
    path: HandPath
    style: Style | None
    user_m: Array
    law: Law
    time_s: Array
    steps: int


class NullSpaceController:
    """Integrates a tracking problem. Goals are laid out beforehand at every stage of every step."""

    def __init__(self, problem: TrackingProblem) -> None:
        robot, path = problem.robot, problem.path
        self.problem = problem
        gain, head = robot.chains.gain, robot.chains.head.frame
        self._hand_gain, self._head_gain, self._posture_gain = gain.hand_per_s, gain.head_per_s, gain.posture_per_s
        self._kinematics = FrameKinematics(robot, (hand_frame(robot, path.hand), head))
        stage_s = float(problem.time_s[1] - problem.time_s[0]) / (2 * problem.steps)
        self._step_s = 2.0 * stage_s
        time_s: Array = np.arange((len(problem.time_s) - 1) * 2 * problem.steps + 1, dtype=np.float64) * stage_s
        poses = path.poses(time_s)
        self._hand_m = poses.position_m
        self._hand_turn = None if poses.rotation is None else _quaternions(poses.rotation)
        self._sideways = (
            poses.rotation[:, :, 1:].transpose(0, 2, 1) if path.spin_free and poses.rotation is not None else None
        )
        self._hand_velocity = path.velocity(time_s)
        self._led = robot.base_size if path.platform is not None else 0
        self._platform = np.zeros((len(time_s), robot.base_size))
        if path.platform is not None:
            self._platform = path.platform(time_s)[:, : robot.base_size]
        self._platform_velocity = path.platform_velocity(time_s)[:, : self._led]
        posture = posture_over_time(robot, problem.style or Style(), eased_time(time_s, path.duration_s))
        self._posture = np.concatenate([self._platform, posture], axis=1)[:, self._led :]
        self._posture_head: list[Quaternion] = []
        if problem.style is not None:
            resting = np.concatenate([self._platform, posture], axis=1)
            self._posture_head = _quaternions(frame_poses(robot, head, resting)[1])
        drive = robot.platform
        drive_limits = [] if drive is None else [drive.speed_limit_m_s] * 2 + [drive.turn_limit_rad_s]
        far = np.full(robot.base_size, np.inf)
        self._lower = np.concatenate([-far, robot.joint_lower_rad])[self._led :]
        self._upper = np.concatenate([far, robot.joint_upper_rad])[self._led :]
        speed = np.concatenate([drive_limits[: robot.base_size], robot.joint_speed_limit_rad_s])
        self._speed = speed[self._led :]
        self._acceleration = ACCELERATION_SHARE * acceleration_scale(robot)[self._led :]
        self._gentle: tuple[Array, Array] | None = None
        self._held: Held = {}
        self._gaze_before: Array | None = None
        self._gaze_velocity = np.zeros(3)

    def start(self) -> Array:
        """Return the coordinates from which to look for the first pose. Shape (nq,)."""
        robot, path = self.problem.robot, self.problem.path
        qpos = np.concatenate([self._platform[0, : self._led], self._posture[0]])
        for joint, angle_rad in path.start_rad.items():
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
        problem = self.problem
        samples, step_s = len(problem.time_s), self._step_s
        now = self.settled()
        qpos, record = np.empty((samples, len(now))), np.zeros((samples, 3))
        velocity, free = np.zeros(len(self._lower)), len(self._lower)
        for stage in range(0, 2 * (samples - 1) * problem.steps + 1, 2):
            self._kinematics.move(now)
            if stage % (2 * problem.steps) == 0:
                k = stage // (2 * problem.steps)
                qpos[k], record[k] = now, self._errors(stage)
                if record[k, 0] > LARGEST_HAND_ERROR_M or record[k, 1] > LARGEST_HAND_TURN_RAD:
                    raise UnreachablePathError(problem.path.name, k, float(problem.time_s[k]), *record[k, :2].tolist())
                if k == samples - 1:
                    break
            bounds = self._bounds(now, step_s)
            change = self._acceleration * step_s
            self._gentle = (velocity - change, velocity + change)
            self._follow_gaze(stage)
            first = self._resolved(now, stage, *bounds, problem.law)
            middle = now.copy()
            middle[self._led :] += step_s / 2.0 * first.velocity
            middle[: self._led] = self._platform[stage + 1, : self._led]
            self._kinematics.move(middle)
            velocity = self._resolved(middle, stage + 1, *bounds, problem.law).velocity
            now[self._led :] = self._inside(now[self._led :] + step_s * velocity)
            now[: self._led] = self._platform[stage + 2, : self._led]
            free = min(free, first.free[-2])
        gaze_error_rad = None if problem.style is None else record[:, 2]
        return TrackedTask(problem.time_s, record[:, 0], record[:, 1], gaze_error_rad, free, qpos=qpos)

    def _errors(self, stage: int) -> tuple[float, float, float]:
        """Return how far and how much turned the hand is from its path, and how much the head from its goal."""
        hand, head = self._kinematics.frames
        off_m, turn = self._hand_off(hand, stage)
        gaze = (
            0.0
            if self.problem.style is None
            else float(np.linalg.norm(orientation_error(head.rotation, self._gaze(head, stage))))
        )
        return float(np.linalg.norm(off_m)), 0.0 if turn is None else float(np.linalg.norm(turn)), gaze

    def _hand_off(self, hand: Frame, stage: int) -> tuple[Array, Array | None]:
        off_m = self._hand_m[stage] - hand.position_m
        if self._hand_turn is None:
            return off_m, None
        turn = orientation_error(hand.rotation, self._hand_turn[stage])
        return off_m, turn if self._sideways is None else self._sideways[stage] @ turn

    def _gaze(self, head: Frame, stage: int) -> Quaternion:
        assert self.problem.style is not None
        direct = looking_at(head.position_m, self.problem.user_m)
        return slerp(self._posture_head[stage], direct, self.problem.style.gaze)

    def _follow_gaze(self, stage: int) -> None:
        """Learn how fast the head's goal turns from where it was a step ago; the published law does not look ahead."""
        if self.problem.style is None or self.problem.law == "paper":
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
    ) -> Resolved:
        """Return the velocities of the coordinates that are not led; the kinematics must have been moved to qpos."""
        hand, head = self._kinematics.frames
        led = self._led
        velocity = self._hand_velocity[stage].copy() if moving else np.zeros(6)
        off_m, turn = self._hand_off(hand, stage)
        jacobian = hand.jacobian
        velocity[:3] += self._hand_gain * off_m
        if turn is None:
            velocity, jacobian = velocity[:3], jacobian[:3]
        elif self._sideways is None:
            velocity[3:] += self._hand_gain * turn
        else:
            across = self._sideways[stage]
            velocity = np.concatenate([velocity[:3], across @ velocity[3:] + self._hand_gain * turn])
            jacobian = np.concatenate([jacobian[:3], across @ jacobian[3:]])
        drift = self._platform_velocity[stage] if moving else np.zeros(led)
        if led:
            velocity = velocity - jacobian[:, :led] @ drift
        levels = [Level(jacobian[:, led:], velocity)]
        if self.problem.style is not None and showing:
            glance = self._head_gain * orientation_error(head.rotation, self._gaze(head, stage)) + self._gaze_velocity
            glance -= head.jacobian[3:, :led] @ drift
            levels.append(Level(head.jacobian[3:, led:], glance, self._gentle))
            levels.append(Level(None, self._posture_gain * (self._posture[stage] - qpos[led:]), self._gentle))
            if not led:
                levels[-1].velocity[: self.problem.robot.base_size] = 0.0
        else:
            levels.append(Level(None, np.zeros(len(lower))))
        resolved = resolve(levels, lower, upper, law=law, held=self._held)
        self._held = resolved.held
        return resolved


def tracked(problem: TrackingProblem) -> TrackedTask:
    """Return the trajectory of a tracking problem; raises UnreachablePathError as soon as the hand cannot follow."""
    return NullSpaceController(problem).track()


def _quaternions(rotations: Array) -> list[Quaternion]:
    """Return quaternions wxyz. Shape (T, 3, 3) in."""
    return [quaternion_from_rotation(one) for one in rotations.reshape(-1, 9)]
