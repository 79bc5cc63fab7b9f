"""Spot choreography: keyframes (.cha) for Boston Dynamics' Choreographer, of quadrupeds with legs like Spot's.

Such a leg turns about x at the hip, then about y at the hip and at the knee. Angles are zero where it hangs straight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import body_poses, foot_contact_points, point_positions
from strut.errors import BadMotionError
from strut.formats.robot_track import omitted_beside_poses
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import FLOATING, Robot

LEGS = ("fl", "fr", "hl", "hr")  # front and hind, left and right, in the order of the format
SAME_AXIS = 0.99  # cosine of the angle to the axis that Spot has


class _Leg(NamedTuple):
    """Joints of a leg from hip to knee, and what turns their angles into Spot's: sign * angle + offset. Length 3."""

    foot: int
    joints: tuple[int, ...]
    sign: Array
    offset_rad: Array


class SpotWriter:
    """Writes the angles of the legs, the pose of the body and the feet on the ground."""

    ending = ".cha"

    def encode(self, motion: Motion) -> bytes:
        """Return the file; positions are from the middle of the feet at the start, x forward, in metres."""
        robot = robot_of(motion)
        legs = _legs(robot)
        angle_rad = np.concatenate(
            [motion.joint_angles_rad[:, leg.joints] * leg.sign + leg.offset_rad for leg in legs], axis=1
        )
        contact = motion.contact[:, [leg.foot for leg in legs]]
        point_m = foot_contact_points(robot, motion.qpos[:1])[0]
        turned = Rotation.from_quat(motion.qpos[:, 3:FLOATING], scalar_first=True)
        yaw = Rotation.from_euler("z", turned[0].as_euler("ZYX")[0])
        middle_m = np.append(point_m[:, :2].mean(axis=0), 0.0)
        body_m = yaw.inv().apply(motion.qpos[:, :3] - middle_m)
        quaternion = (yaw.inv() * turned).as_quat()
        table = np.column_stack([motion.time_s - motion.time_s[0], angle_rad, body_m, quaternion, contact])
        emotion = motion.receipt.emotion if motion.receipt else None
        lines = [
            "controls legs body",
            "no_looping",
            f"description {motion.robot} {emotion or 'moves'}".replace("#", " ").replace("//", " "),
            "",
            "no parameters",
            "",
            "time leg_joints body_pos body_quat_xyzw contact",
            *(
                " ".join(f"{value:.6f}" for value in row[:-4]) + " " + " ".join(f"{on:.0f}" for on in row[-4:])
                for row in table
            ),
        ]
        return ("\n".join(lines) + "\n").encode()

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return tuple(name for name in omitted_beside_poses(motion) if name != "contacts")


def _legs(robot: Robot) -> list[_Leg]:
    """Return the legs in the order of the format; raises BadMotionError for another robot."""
    what = f"{robot.name} has no legs like Spot's: four, each with a hip about x and y and a knee about y"
    if not robot.floats or len(robot.feet) != 4 or len(robot.joint_names) != 12:
        raise BadMotionError(f"{what}.")
    model = robot.model
    qpos = np.array(robot.standing_qpos)[None]
    qpos[:, robot.base_size :] = 0.0
    names = [model.body(index).name for index in range(model.nbody)]
    places_m, turns = body_poses(model, names, qpos)
    base_m, to_base = places_m[0, 1], turns[0, 1].T
    found: dict[str, _Leg] = {}
    for number, foot in enumerate(robot.feet):
        joints = _chain(robot, int(model.body(foot.points[0].body).id))
        if len(joints) != 3:
            raise BadMotionError(f"{what}; its foot {foot.name} hangs on {len(joints)} joints.")
        ids = [model.joint(robot.joint_names[joint]).id for joint in joints]
        carrier = [int(model.jnt_bodyid[joint]) for joint in ids]
        axes = [to_base @ turns[0, body] @ model.jnt_axis[joint] for body, joint in zip(carrier, ids, strict=True)]
        along = np.array([axis[index] for axis, index in zip(axes, (0, 1, 1), strict=True)])
        if (np.abs(along) < SAME_AXIS).any():
            raise BadMotionError(f"{what}; its leg {foot.name} turns about other axes.")
        hip, upper, knee = (
            places_m[0, body] + turns[0, body] @ model.jnt_pos[joint] for body, joint in zip(carrier, ids, strict=True)
        )
        end_m = point_positions(model, [(foot.points[0].body, foot.points[0].position_m)], qpos)[0, 0]
        thigh = _pitch(to_base @ (knee - upper))
        shank = _pitch(to_base @ (end_m - knee))
        hip_m = to_base @ (hip - base_m)
        name = ("f" if hip_m[0] > 0.0 else "h") + ("l" if hip_m[1] > 0.0 else "r")
        found[name] = _Leg(number, joints, np.sign(along), np.array([0.0, thigh, shank - thigh]))
    if set(found) != set(LEGS):
        raise BadMotionError(f"{what}; its hips are not in front and behind, left and right.")
    return [found[name] for name in LEGS]


def _chain(robot: Robot, body: int) -> tuple[int, ...]:
    """Return the joints from the base to a body, as indices into its `joint_names`."""
    model = robot.model
    chain: list[int] = []
    while body > 0:
        own = [k for k, name in enumerate(robot.joint_names) if model.jnt_bodyid[model.joint(name).id] == body]
        chain = own + chain
        body = int(model.body_parentid[body])
    return tuple(chain)


def _pitch(along: Sequence[float] | Array) -> float:
    """Return by how much a link is turned about y from hanging straight down. Shape (3,)."""
    return float(np.arctan2(-along[0], -along[2]))


WRITER = SpotWriter()
