"""A motion of a standing robot as a request to its standing controller."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.pilot.controllers.reference import PlayRequest
from strut.robot import FLOATING, Robot


def play_request(motion: Motion, robot: Robot | None = None) -> PlayRequest:
    """Return the movement of the base over planted feet as a request; raises OutOfRangeError if a foot is lifted.

    Example:
        >>> strut.pilot.simulate_requests([strut.pilot.play_request(motion)]).outcome.fell
    """
    robot = robot_of(motion, robot)
    if not motion.contact.all():
        raise OutOfRangeError("A foot leaves the floor in this motion; the standing controller keeps all feet on it.")
    kinematics = task_jacobians(robot, motion.qpos)
    middle = kinematics.foot_in_world.mean(axis=1)
    forward = kinematics.foot_rotation[0, :, :, 0].mean(axis=0)
    heading = np.arctan2(forward[1], forward[0])
    world_to_feet = Rotation.from_euler("z", -heading)
    place = world_to_feet.apply(kinematics.com_in_world - middle)
    place[:, 2] = motion.qpos[:, 2]
    turn = (world_to_feet * Rotation.from_quat(motion.qpos[:, 3:FLOATING], scalar_first=True)).as_euler("xyz")
    name = str(motion.meta.get("title") or motion.meta.get("emotion") or "animation")
    return PlayRequest(motion.time_s - motion.time_s[0], place, turn, name)
