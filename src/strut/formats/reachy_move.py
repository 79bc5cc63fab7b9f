"""Reachy Mini move: poses of the head over time, as JSON that the robot's own library plays."""

from __future__ import annotations

import json

import numpy as np

from strut.engines.rigid_body import body_poses
from strut.errors import BadMotionError
from strut.formats.robot_track import omitted_beside_poses
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Robot


class ReachyWriter:
    """Writes how the head turns against the base since the standing pose; antennas stay up and the body still."""

    ending = ".json"

    def encode(self, motion: Motion) -> bytes:
        """Return the move: a 4 x 4 pose of the head per sample, without a shift."""
        robot = robot_of(motion, needs_feet=False)
        names = [robot.model.body(1).name, _head(robot)]
        _, turn = body_poses(robot.model, names, np.vstack([robot.standing_qpos, motion.qpos]))
        to_base = np.swapaxes(turn[:, 0], 1, 2) @ turn[:, 1]
        pose = np.tile(np.eye(4), (len(motion.time_s), 1, 1))
        pose[:, :3, :3] = to_base[1:] @ to_base[0].T
        emotion = motion.receipt.emotion if motion.receipt else None
        table = {
            "description": f"{motion.robot} {emotion or 'moves its head'}",
            "time": (motion.time_s - motion.time_s[0]).tolist(),
            "set_target_data": [
                {"head": head.tolist(), "antennas": [0.0, 0.0], "body_yaw": 0.0, "check_collision": False}
                for head in pose
            ],
        }
        return json.dumps(table, allow_nan=False).encode()

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return ("the base", "joint angles", *omitted_beside_poses(motion))


def _head(robot: Robot) -> str:
    """Return the body that is the head: the outermost one whose name says so; raises BadMotionError without one."""
    names: list[str] = [robot.model.body(index).name for index in range(1, robot.model.nbody)]
    heads = [name for name in names if "head" in name.lower()]
    if not heads:
        raise BadMotionError(f"{robot.name} has no body with 'head' in its name, so there is no head to move.")
    return heads[-1]


WRITER = ReachyWriter()
