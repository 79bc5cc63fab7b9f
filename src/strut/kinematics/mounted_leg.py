"""Mounted legs: where a quadruped's 7R legs are fixed to its body, and their knee angles seen from the body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.kinematics.leg7r import Leg, clamp_to_reach, knee_position, knee_reference_direction
from strut.models.limb_robot import mount_rotation
from strut.robot import Array, Robot
from strut.rotation import turn_angle


@dataclass(frozen=True, slots=True, eq=False)
class MountedLeg:
    """A leg and where it is fixed to the body; the ankle is `ankle_in_foot` away from the centre of the foot's ball."""

    leg: Leg
    hip_in_body: Array
    hip_to_body: Array
    ankle_in_foot: Array

    def ankle_in_hip(self, foot_in_body: Array, foot_to_body: Array) -> Array:
        """Return where the ankle must be for a foot. Shapes (..., 3), (..., 3, 3) in, (..., 3) out."""
        ankle_in_body = foot_in_body + foot_to_body @ self.ankle_in_foot
        return np.asarray((ankle_in_body - self.hip_in_body) @ self.hip_to_body)


def mounted_legs(robot: Robot) -> tuple[MountedLeg, ...]:
    """Return the robot's legs in the order of its feet."""
    body, knee_sign = robot.table("robot"), robot.table("gait")["knee_sign"]
    legs = []
    for mount in body["mount"]:
        limb = body["limb"][mount["limb"]]
        thigh_m, shin_m = (joint["d_m"] for joint in limb["joints"] if joint["d_m"])
        hip_to_body = mount_rotation(mount["x_axis"], mount["z_axis"])
        forward_in_hip = tuple(float(value) for value in hip_to_body[0])
        leg = Leg(mount["name"], thigh_m, shin_m, knee_sign[mount["name"]], forward_in_hip)  # type: ignore[arg-type]
        ankle_in_foot = -np.array(limb["end"]["position_m"])
        legs.append(MountedLeg(leg, np.array(mount["position_m"]), hip_to_body, ankle_in_foot))
    return tuple(legs)


def body_fixed_knee(mounted: MountedLeg, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> Array:
    """Return the body-fixed knee angle of a pose whose knee angle is given in the published reference.

    The published reference turns with the hip-ankle line and whips the knee where that line nears joint 1's axis.
    Converted once at the pose and held, the knee stays where the pose has it. Shapes (..., 3), (..., 3, 3), (...).
    """
    ankle = clamp_to_reach(mounted.leg, mounted.ankle_in_hip(foot_in_body, foot_to_body))
    knee = knee_position(mounted.leg, ankle, knee_rad, reference="published")
    line = ankle / np.linalg.norm(ankle, axis=-1, keepdims=True)
    zero = knee_reference_direction(mounted.leg, ankle, reference="body")
    return turn_angle(zero, knee, line)
