"""Hand task: the tasks that a robot's `tasks.toml` names, as paths of a hand.

`posture` takes the hand along with an arm that holds a posture and swings joints about it; `route` carries it level
along waypoints while the platform drives along its own; `point` turns the hand's x axis to a target and holds it there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np
from scipy.interpolate import CubicSpline

from strut.arrays import Array
from strut.engines.frame_kinematics import frame_poses
from strut.errors import OutOfRangeError, UnknownNameError
from strut.gaits.hand_task.hand_path import HandPath, Poses, stands_still
from strut.gaits.hand_task.request import LONGEST_DURATION_S
from strut.maths.easing import eased_time, smooth_step
from strut.maths.rotation import rotation_from_vector
from strut.robot import Robot
from strut.schemas.hands import PointTask, PostureTask, RouteTask, TaskTable


@dataclass(frozen=True, slots=True)
class MovementQuality:
    """How a task is done: its pace and size as factors, and from -1 to 1 how sharp its swings are.

    `trunk_rad` are angles of joints below the arm: if the body leans, the task moves with it. Sharp swings are fast in
    the middle and slow at their ends. A route always takes the whole duration.
    """

    tempo: float = 1.0
    size: float = 1.0
    sharpness: float = 0.0
    trunk_rad: Mapping[str, float] = field(default_factory=dict)


AS_WRITTEN = MovementQuality()


def hand_frame(robot: Robot, hand: str) -> str:
    """Return the frame of a hand; raises UnknownNameError for a hand that the robot's chains do not name."""
    hands = robot.chains.hand
    if hand not in hands:
        raise UnknownNameError("hand", hand, tuple(hands), f"chains.toml of {robot.name}")
    return hands[hand]


def hand_task(
    robot: Robot, task: str, *, duration_s: float, target_m: Array | None = None, quality: MovementQuality = AS_WRITTEN
) -> HandPath:
    """Return a task of the robot as a path of its hand.

    Args:
        robot: The robot; its `tasks.toml` names the task.
        task: Name of the task.
        duration_s: Duration of the task.
        target_m: What to point at, in world; the task's own target if None. Shape (3,).
        quality: Pace and size of the movement; as the table has it if left out.
    """
    tasks = robot.tasks
    if task not in tasks:
        raise UnknownNameError("task", task, tuple(tasks), f"`strut robots {robot.name}`")
    checked_duration(duration_s)
    table = tasks[task]
    if isinstance(table, PointTask):
        return _of_quality(_point_task(robot, task, table, duration_s, target_m, quality), quality)
    if target_m is not None:
        raise OutOfRangeError(f"Task {task} has no target; only tasks that point have one.")
    if isinstance(table, RouteTask):
        return _route_task(robot, task, table, duration_s)
    return _of_quality(_posture_task(robot, task, table, duration_s, quality), quality)


def _of_quality(path: HandPath, quality: MovementQuality) -> HandPath:
    """Return a path that names its movement quality, so that the audit can build it again."""
    return path if quality == AS_WRITTEN else replace(path, options={**path.options, "manner": asdict(quality)})


def checked_duration(duration_s: float) -> float:
    """Return a duration if a task can take so long."""
    if not 0.0 < duration_s <= LONGEST_DURATION_S:  # also catches NaN
        raise OutOfRangeError(
            f"The duration is {duration_s:g} s; choose more than 0 and at most {LONGEST_DURATION_S:g}."
        )
    return duration_s


def _posture_task(robot: Robot, name: str, table: PostureTask, duration_s: float, quality: MovementQuality) -> HandPath:
    frame = hand_frame(robot, table.hand)
    middle = _arm_posture(robot, table)
    for joint, angle_rad in quality.trunk_rad.items():
        middle[_column(robot, joint)] += angle_rad

    def poses(time_s: Array) -> Poses:
        clock_s = quality.tempo * eased_time(time_s, duration_s)
        qpos = np.tile(middle, (len(time_s), 1))
        for joint, swing in table.swing.items():
            column = _column(robot, joint)
            phase = 2.0 * np.pi * swing.frequency_hz * clock_s
            phase = phase + quality.sharpness * np.sin(2.0 * phase) / 2.0
            qpos[:, column] += quality.size * swing.amplitude_rad * np.sin(phase)
        return Poses(*frame_poses(robot, frame, qpos))

    return _path(robot, name, table, duration_s, poses)


def _route_task(robot: Robot, name: str, table: RouteTask, duration_s: float) -> HandPath:
    first = _first_pose(robot, table)
    assert first.rotation is not None
    offsets = _spline(table.hand_offset_m)
    stations = _spline(table.platform)
    start_m = first.position_m[0]
    turn = first.rotation[0]

    def platform(time_s: Array) -> Array:
        return np.asarray(stations(smooth_step(time_s / duration_s)))

    def poses(time_s: Array) -> Poses:
        place = platform(time_s)
        facing = rotation_from_vector(place[:, 2:] * np.array([0.0, 0.0, 1.0]))
        in_platform = start_m + offsets(smooth_step(time_s / duration_s))
        position = np.einsum("tij,tj->ti", facing, in_platform)
        position[:, :2] += place[:, :2]
        return Poses(position, facing @ turn)

    return _path(robot, name, table, duration_s, poses, platform=platform)


def _point_task(
    robot: Robot, name: str, table: PointTask, duration_s: float, target_m: Array | None, quality: MovementQuality
) -> HandPath:
    first = _first_pose(robot, table)
    assert first.rotation is not None
    target = np.array(table.target_m if target_m is None else target_m, dtype=float)
    elbow = np.array(table.from_m, dtype=float)
    away = target - elbow
    reach_m = float(table.reach_m)
    if not np.isfinite(target).all() or np.linalg.norm(away) < 1.5 * reach_m:
        raise OutOfRangeError(
            f"The target is within {1.5 * reach_m:.2f} m of the elbow; point at something farther off."
        )
    direction = away / np.linalg.norm(away)
    start = first.rotation[0]
    start_elbow = first.position_m[0] - reach_m * start[:, 0]
    axis = np.cross(start[:, 0], direction)
    sine = float(np.linalg.norm(axis))
    angle = float(np.arctan2(sine, start[:, 0] @ direction))
    vector = axis / sine * angle if sine > 1e-9 else np.zeros(3)
    raise_s = min(table.raise_s / quality.tempo, duration_s / 2.0)

    def poses(time_s: Array) -> Poses:
        share = smooth_step(time_s / raise_s)[:, None]
        rotation = rotation_from_vector(share * vector) @ start
        return Poses(start_elbow + share * (elbow - start_elbow) + reach_m * rotation[:, :, 0], rotation)

    path = _path(robot, name, table, duration_s, poses)
    return replace(path, spin_free=True, options={**path.options, "target_m": target.tolist()})


def _path(
    robot: Robot,
    name: str,
    table: TaskTable,
    duration_s: float,
    poses: Callable[[Array], Poses],
    *,
    platform: Callable[[Array], Array] | None = stands_still,
) -> HandPath:
    return HandPath(
        name=name,
        hand=table.hand,
        duration_s=duration_s,
        poses=poses,
        platform=platform if robot.base_size else stands_still,
        start_rad=table.posture_rad,
        options={"task": name, "duration_s": duration_s},
    )


def _first_pose(robot: Robot, table: TaskTable) -> Poses:
    return Poses(*frame_poses(robot, hand_frame(robot, table.hand), _arm_posture(robot, table)[None]))


def _arm_posture(robot: Robot, table: TaskTable) -> Array:
    """Return coordinates with the task's arm posture and all other joints at zero. Shape (nq,)."""
    qpos = np.zeros(robot.base_size + len(robot.joint_names))
    for joint, angle_rad in table.posture_rad.items():
        qpos[_column(robot, joint)] = angle_rad
    return qpos


def _column(robot: Robot, joint: str) -> int:
    if joint not in robot.joint_names:
        raise UnknownNameError("joint", joint, robot.joint_names, f"`strut robots {robot.name}`")
    return robot.base_size + robot.joint_names.index(joint)


def _spline(points: Sequence[Sequence[float]]) -> Callable[[Array], Array]:
    """Return a smooth curve through points, the first at 0 and the last at 1."""
    return CubicSpline(np.linspace(0.0, 1.0, len(points)), np.array(points))  # type: ignore[no-any-return]
