"""Motion markers: a motion as the recording that a gait laboratory would make of it."""

from __future__ import annotations

from strut.engines.rigid_body import body_poses, point_positions
from strut.formats.robot_track import omitted_beside_poses
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.recording import Recording


def motion_markers(motion: Motion) -> Recording:
    """Return the markers that the robot wears, or the origins of its bodies if it wears none."""
    motion.check_even()
    robot = robot_of(motion)
    rate_hz = (len(motion.time_s) - 1) / motion.duration_s
    if robot.tables.markers is not None:
        worn = [(segment, name, at) for segment, own in robot.markers.segment.items() for name, at in own.items()]
        positions_m = point_positions(robot.model, [(segment, at) for segment, _, at in worn], motion.qpos)
        return Recording(motion.robot, rate_hz, tuple(name for _, name, _ in worn), positions_m)
    names = tuple(robot.model.body(index).name for index in range(1, robot.model.nbody))
    return Recording(motion.robot, rate_hz, names, body_poses(robot.model, names, motion.qpos)[0])


def omitted_beside_markers(motion: Motion) -> tuple[str, ...]:
    """Return what a motion has and a file of markers cannot store."""
    return ("joint angles", *omitted_beside_poses(motion))
