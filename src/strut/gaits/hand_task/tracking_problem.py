"""Tracking problem: the path of a hand and the style of the rest, laid out as goals that kinematics can follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.frame_kinematics import FrameKinematics, acceleration_scale, frame_poses
from strut.expression.body_swing import posture_over_time
from strut.gaits.hand_task.hand_path import HandPath, stands_still
from strut.gaits.hand_task.hand_tracking import HandTracker, TrackedTask, TrackingGoals
from strut.gaits.hand_task.named_tasks import hand_frame
from strut.kinematics.task_priority import Law
from strut.maths.easing import eased_time
from strut.maths.rotation import quaternion_from_rotation
from strut.robot import Robot
from strut.style import Style


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

    def tracker(self) -> HandTracker:
        """Return what follows the path, with its goals laid out at every stage of every step."""
        robot = self.robot
        path = self.path
        head = self.robot.chains.head.frame
        stages = 2 * self.steps  # of every sample: start and middle of each step
        stage_s = float(self.time_s[1] - self.time_s[0]) / stages
        time_s = np.arange((len(self.time_s) - 1) * stages + 1, dtype=np.float64) * stage_s
        led = 0 if path.platform is None else robot.base_size
        platform = (path.platform or stands_still)(time_s)[:, : robot.base_size]
        platform_velocity = path.platform_velocity(time_s)
        hand_velocity = path.velocity(time_s)
        poses = path.poses(time_s)
        turns = poses.rotation
        kinematics = FrameKinematics(robot, (hand_frame(robot, path.hand), head))
        acceleration_limit = acceleration_scale(robot)
        posture = posture_over_time(robot, self.style or Style(), eased_time(time_s, path.duration_s))
        at_rest = np.empty((0, 3, 3))
        if self.style is not None:
            at_rest = frame_poses(robot, head, np.concatenate([platform, posture], axis=1))[1]
        goals = TrackingGoals(
            robot=robot,
            kinematics=kinematics,
            acceleration_limit=acceleration_limit,
            task=path.name,
            time_s=self.time_s,
            steps=self.steps,
            law=self.law,
            hand_m=poses.position_m,
            hand_turn=None if turns is None else [quaternion_from_rotation(one) for one in turns.reshape(-1, 9)],
            sideways=turns[:, :, 1:].transpose(0, 2, 1) if path.spin_free and turns is not None else None,
            hand_velocity=hand_velocity,
            led=led,
            platform=platform,
            platform_velocity=platform_velocity[:, :led],
            posture=posture,
            head_turn=[quaternion_from_rotation(one) for one in at_rest.reshape(-1, 9)],
            gaze=0.0 if self.style is None else self.style.gaze,
            user_m=self.user_m,
            start_rad=path.start_rad,
        )
        return HandTracker(goals)


def tracked(problem: TrackingProblem) -> TrackedTask:
    """Return the trajectory of a tracking problem; raises UnreachablePathError as soon as the hand cannot follow."""
    return problem.tracker().track()
