"""Inverse kinematics of an animation: frames → configurations of a robot with planted feet."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from strut.animation.animation_frames import AnimationFrames
from strut.arrays import Array
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError, UnknownNameError, UnreachableFrameError
from strut.kinematics.planted_body import PlantedTargets, solve_planted
from strut.models.coupled_joints import CoupledJoints, coupled_joints
from strut.robot import FLOATING, Robot
from strut.schemas.keyframes import Animation

MAX_FOOT_ERROR = 1e-4  # of inverse kinematics [m or rad]
LIFTED_M = 1e-6  # a foot shifted up by more is not in stance
MAX_HEIGHT_DIFFERENCE_M = 0.02  # between the feet in the initial posture


@dataclass(frozen=True, slots=True, eq=False)
class PlantedStance:
    """The initial stance of an animation.

    Args:
        robot: The robot.
        coupled: Its coupled joints.
        qpos: Configuration with the feet on the floor. Shape (nq,).
        foot_in_world: Positions of the foot frames, all on the floor. Shape (n, 3).
        foot_yaw_rad: Headings of the feet. Shape (n,).
    """

    robot: Robot
    coupled: CoupledJoints
    qpos: Array
    foot_in_world: Array
    foot_yaw_rad: Array

    def solve(
        self, frames: AnimationFrames, *, com_m: Array | None = None, guess_qpos: Array | None = None
    ) -> tuple[Array, Array]:
        """Return the configurations of frames (T, nq) and the error of each foot (T, n).

        Args:
            frames: Base, feet and joints.
            com_m: Horizontal centre of mass, which replaces x and y of the base. Shape (T, 2).
            guess_qpos: Initial guess; the stance if None. Shape (T, nq).
        """
        place = self.qpos[:3] + frames.base_m
        if com_m is not None:
            place = np.column_stack([com_m, place[:, 2]])
        yaw = self.foot_yaw_rad + frames.foot_turn_rad
        headings = Rotation.from_euler("z", yaw.reshape(-1, 1)).as_matrix().reshape(*yaw.shape, 3, 3)
        start = Rotation.from_quat(self.qpos[3:FLOATING], scalar_first=True)
        targets = PlantedTargets(
            foot_in_world=self.foot_in_world + frames.foot_shift_m,
            foot_rotation=headings,
            base_rotation=(euler_rotation(frames.turn_rad) * start).as_matrix(),
            place_m=place,
            joint_rad=self.qpos[FLOATING:] + frames.joint_rad,
            by_mass=com_m is not None,
        )
        solution = solve_planted(self.robot, self.coupled, targets, self.qpos if guess_qpos is None else guess_qpos)
        return solution.qpos, solution.foot_error


def euler_rotation(turn_rad: Array) -> Rotation:
    """Return the rotations Rz(yaw) Ry(pitch) Rx(roll) of roll, pitch and yaw. Shape (T, 3)."""
    return Rotation.from_euler("xyz", turn_rad)


def planted_stance(robot: Robot, animation: Animation) -> PlantedStance:
    """Return the initial stance of an animation; raises UnknownNameError for feet and joints that the robot lacks."""
    if not robot.floats or not robot.feet:
        raise OutOfRangeError(f"{robot.name} does not stand on feet, so it cannot be animated.")
    _check_names(robot, animation)
    coupled = coupled_joints(robot)
    qpos = np.array(robot.standing_qpos)
    for name, angle in animation.posture_deg.items():
        columns = [FLOATING + k for k, joint in enumerate(robot.joint_names) if fnmatchcase(joint, name)]
        qpos[columns] = np.radians(angle)
    qpos[FLOATING:] = coupled.all_rad(qpos[FLOATING:][coupled.free])
    now = task_jacobians(robot, qpos[None])
    radius = np.array([foot.radius_m for foot in robot.feet])
    over = now.foot_in_world[0, :, 2] - radius
    if np.ptp(over) > MAX_HEIGHT_DIFFERENCE_M:
        worst = robot.foot_names[int(np.argmax(over))]
        raise OutOfRangeError(
            f"In the posture at the start foot {worst} is {np.ptp(over) * 1e3:.0f} mm above the floor; give a "
            "posture_deg in which all feet stand."
        )
    qpos[2] -= float(over.mean())
    foot = np.column_stack([now.foot_in_world[0, :, :2], radius])
    forward = now.foot_rotation[0, :, :, 0]
    return PlantedStance(robot, coupled, qpos, foot, np.arctan2(forward[:, 1], forward[:, 0]))


def _check_names(robot: Robot, animation: Animation) -> None:
    for number, frame in enumerate(animation.keyframe, start=1):
        for kind, given, known in (
            ("foot", frame.feet, robot.foot_names),
            ("joint", frame.joints_deg, robot.joint_names),
        ):
            for name in given:
                if name not in known:
                    raise UnknownNameError(kind, name, known, f"keyframe {number} names it; {robot.name}'s folder")
    for name in animation.posture_deg:
        if not any(fnmatchcase(joint, name) for joint in robot.joint_names):
            raise UnknownNameError("joint", name, robot.joint_names, f"posture_deg names it; {robot.name}'s folder")


def solve_frames(stance: PlantedStance, frames: AnimationFrames) -> Array:
    """Return the configurations of all frames; raises UnreachableFrameError. Shape (N, nq)."""
    qpos, error = stance.solve(frames)
    if error.max() > MAX_FOOT_ERROR:
        frame, foot = np.unravel_index(int(np.argmax(error)), error.shape)
        time_s = float(frames.time_s[frame])
        raise UnreachableFrameError(int(frame), time_s, stance.robot.foot_names[foot], float(error.max()))
    return qpos


def stance_feet(frames: AnimationFrames) -> npt.NDArray[np.bool_]:
    """Return which feet are in stance in each frame. Shape (N, n)."""
    return np.asarray(np.abs(frames.foot_shift_m[..., 2]) < LIFTED_M)


def retime_frames(frames: AnimationFrames, frame_time_s: Array, time_s: Array) -> AnimationFrames:
    """Return frames at new sample times, on smooth curves through the given frames at their new times.

    Args:
        frames: N frames.
        frame_time_s: New time of each frame. Shape (N,).
        time_s: Sample times. Shape (T,).
    """

    def at(values: Array) -> Array:
        return interpolate_frames(frame_time_s, values, time_s)

    nearest = np.clip(np.searchsorted(frame_time_s, time_s + 1e-9, side="right") - 1, 0, len(frame_time_s) - 1)
    down = stance_feet(frames)
    both = down[nearest] & down[np.minimum(nearest + 1, len(down) - 1)]
    shift = at(frames.foot_shift_m)
    shift[both, 2] = 0.0
    return AnimationFrames(
        time_s=time_s,
        base_m=at(frames.base_m),
        turn_rad=at(frames.turn_rad),
        foot_shift_m=shift,
        foot_turn_rad=at(frames.foot_turn_rad),
        joint_rad=at(frames.joint_rad),
        key=np.searchsorted(time_s, frame_time_s[frames.key] - 1e-9),
        corner=np.searchsorted(time_s, frame_time_s[frames.corner] - 1e-9),
        eyes=tuple(frames.eyes[k] for k in nearest),
    )


def interpolate_frames(frame_time_s: Array, values: Array, time_s: Array) -> Array:
    """Return values between frames on a cubic spline at rest at both ends. Shapes (N,), (N, ...), (T,)."""
    return np.asarray(CubicSpline(frame_time_s, values, bc_type="clamped")(np.minimum(time_s, frame_time_s[-1])))


def sample_times(duration_s: float, rate_hz: float) -> Array:
    """Return evenly spaced times from 0 to a duration, the last one rounded up. Shape (T,)."""
    return np.arange(int(np.ceil(duration_s * rate_hz - 1e-9)) + 1) / rate_hz
