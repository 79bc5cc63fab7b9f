"""Animate a robot by keyframes: as a feasible motion, or as a preview by inverse kinematics alone."""

from __future__ import annotations

from strut.animation.animation_drafts import expression_changes
from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, retime_frames, sample_times, solve_frames, stance_feet
from strut.animation.request import Animate, AnimationMethod
from strut.draft import OnProgress
from strut.emotion import named_emotion
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.pipeline.run import run
from strut.registry import find
from strut.request import Request
from strut.robot import Robot
from strut.schemas.keyframes import Animation


def animate(
    robot: Robot | str,
    animation: Animation,
    *,
    margin_m: float | None = None,
    rate_hz: float = 100.0,
    strict: bool = False,
    method: AnimationMethod = "mass",
    on_progress: OnProgress | None = None,
) -> Motion:
    """Return the motion nearest to a keyframe animation that keeps the balance and every limit of the robot.

    `meta["animation"]` holds its distance from the animation, and where and why it takes longer.

    Args:
        robot: The robot or its name.
        animation: Keyframe animation; one that walks is simulated under the robot's own controllers.
        margin_m: Minimum distance of the centre of pressure from the edge of the support polygon; 10 mm if None.
        rate_hz: Samples per second.
        strict: Raise RefusedError instead of slowing down much or weakening.
        method: `mass` optimises the centre of mass and times; `body` optimises all joints, forces and times at once,
            which takes three times as long; `pieces` does the same window by window between keyframes.
        on_progress: Called with every candidate; returning True stops.

    Raises:
        UnreachableFrameError: If a frame is out of reach; names the frame, the foot and the distance.
        RefusedError: If not even a weak form of the animation keeps the limits.

    Example:
        >>> strut.animate("cassie", strut.load_animation(strut.animation.story_path("cassie", "proud"))).receipt.verdict
    """
    robot = as_robot(robot)
    if animation.walks:
        perform = find("strut.walking_animations", "piloted")
        motion: Motion = perform(robot, animation, rate_hz=rate_hz, method=method, margin_m=margin_m, strict=strict)
        return motion
    request = Request(
        robot=robot.name,
        task=Animate(animation=animation, method=method),
        emotion=named_emotion(animation.emotion),
        margin_m=margin_m,
        rate_hz=rate_hz,
        strict=strict,
    )
    return run(request, robot=robot, on_progress=on_progress)


def preview_animation(robot: Robot | str, animation: Animation, *, rate_hz: float = 100.0) -> Motion:
    """Return a keyframe animation as authored, by inverse kinematics alone, without a receipt.

    Example:
        >>> strut.check(strut.animation.preview_animation("cassie", strut.load_animation("hop.toml"))).verdict
    """
    robot = as_robot(robot)
    stance = planted_stance(robot, animation)
    frames = sample_keyframes(animation, robot.foot_names, robot.joint_names)
    solve_frames(stance, frames)  # raises if a frame is out of reach
    fine = retime_frames(frames, frames.time_s, sample_times(animation.duration_s, rate_hz))
    qpos, _ = stance.solve(fine)
    return Motion(
        robot=robot.name,
        time_s=fine.time_s,
        qpos=qpos,
        joint_names=robot.joint_names,
        contact=stance_feet(fine),
        foot_names=robot.foot_names,
        meta={
            "robot_fingerprint": robot.fingerprint,
            "emotion": animation.emotion,
            "title": animation.title,
            "eyes": expression_changes(fine.time_s, fine.eyes),
        },
    )
