"""Mr. Pete's body and poses: lengths, joint angles, knees, feet and stance, beside the thesis."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.optimize import lsq_linear

from strut.emotion import named_emotion
from strut.expression.blend import style_for
from strut.generators.key_pose import KeyPose, ground_under, key_pose
from strut.kinematics.leg7r import Leg, leg_forward, leg_inverse
from strut.kinematics.mounted_leg import MountedLeg, body_fixed_knee, mounted_legs
from strut.reproduction.comparison import Comparison, compared, unpublished
from strut.reproduction.mrpete_gait import EMOTIONS
from strut.robot import Array, Robot
from strut.rotation import rotation_from_vector

_FULL = np.array(1.0)  # all of a pose


def geometry_rows(robot: Robot) -> list[Comparison]:
    """Return the size of the body."""
    published, legs = robot.table("published"), mounted_legs(robot)
    body_m, width_m, _ = robot.table("robot")["body"]["size_m"]
    upright_m = max(leg.leg.reach_m[1] + float(np.linalg.norm(leg.ankle_in_foot)) for leg in legs)
    below_deg = max(float(np.degrees(np.arcsin(abs(leg.hip_to_body[2, 2])))) for leg in legs)
    count, length = published["count"], published["length"]
    return [
        compared("geometry", "joints", count, "joints", len(robot.joint_names)),
        compared("geometry", "joints per leg", count, "joints_per_leg", len(robot.joint_names) / len(legs)),
        compared("geometry", "length of the body", length, "body", body_m * 1e3),
        compared("geometry", "width of the body", length, "width", width_m * 1e3),
        compared("geometry", "body over the middle of the feet, upright", length, "upright", upright_m * 1e3),
        compared("geometry", "legs mounted below the horizontal", published["mount_angle"], "leg", below_deg),
    ]


def golden_rows(robot: Robot) -> list[Comparison]:
    """Return single legs whose joints are known to all digits."""
    rows = []
    for number, golden in enumerate(robot.table("published")["golden"], start=1):
        forward = (1.0, 0.0, 0.0)
        leg = Leg("golden", golden["thigh_mm"] / 1e3, golden["shin_mm"] / 1e3, golden["knee_sign"], forward)
        ankle, foot = np.array(golden["ankle_mm"]) / 1e3, rotation_from_vector(np.array(golden["foot_turn_rad"]))
        joints = leg_inverse(leg, ankle, foot, golden["knee_rad"], reference="published")
        knee_mm = leg_forward(leg, joints)[2] * 1e3
        for quantity, name, unit, ours in (("joints", "joints_rad", "rad", joints), ("knee", "knee_mm", "mm", knee_mm)):
            section = {**golden, "unit": unit}
            rows.append(compared("golden leg", f"{quantity} of leg {number}", section, name, ours.tolist()))
    return rows


def pose_rows(robot: Robot) -> list[Comparison]:
    """Return knee angles, feet, stance, joint angles and knees of the five poses."""
    published, rows = robot.table("published"), []
    for emotion in EMOTIONS:
        pose = key_pose(robot, style_for(robot, named_emotion(emotion), 1.0))
        feet, ground = pose.feet(_FULL), ground_under(pose.feet(_FULL))
        joints, knees = pose_joints(robot, pose)
        ours = {
            "knee_angle": ("knee angles", pose.knees(_FULL)[:2]),
            "feet": ("left feet in the body", feet[:2] * 1e3),
            "nose_up": ("nose up", np.degrees(ground.nose_up_rad)),
            "height": ("height of the body", ground.height_m * 1e3),
            "joint_angles": ("joints of the left legs", joints),
            "knees": ("left knees in the body", knees * 1e3),
        }
        for section, (quantity, values) in ours.items():
            if emotion in published[section]:
                row = compared("pose", f"{quantity}, {emotion}", published[section], emotion, values.ravel().tolist())
                rows.append(row)
    return rows


def pose_joints(robot: Robot, pose: KeyPose) -> tuple[Array, Array]:
    """Return joint angles [rad] and knees in the body [m] of the left legs, as strut walks. Shapes (2, 7), (2, 3)."""
    feet, turns, knees = pose.feet(_FULL), pose.foot_rotations(_FULL), pose.knees(_FULL)
    joints, knee_in_body = [], []
    for index, mounted in enumerate(mounted_legs(robot)[:2]):
        ankle = mounted.ankle_in_hip(feet[index], turns[index])
        held = body_fixed_knee(mounted, feet[index], turns[index], knees[index])
        angles = leg_inverse(mounted.leg, ankle, mounted.hip_to_body.T @ turns[index], held, reference="body")
        joints.append(angles)
        knee_in_body.append(mounted.hip_in_body + mounted.hip_to_body @ leg_forward(mounted.leg, angles)[2])
    return np.array(joints), np.array(knee_in_body)


def gap_rows(robot: Robot) -> list[Comparison]:
    """Return how near the centre lines of a front and a hind leg come in the five poses; the links have thickness."""
    rows = []
    for emotion in EMOTIONS:
        joints, _ = pose_joints(robot, key_pose(robot, style_for(robot, named_emotion(emotion), 1.0)))
        front, hind = (
            _centre_line(mounted, angles) for mounted, angles in zip(mounted_legs(robot), joints, strict=False)
        )
        gap_m = min(_gap(*one, *other) for one in pairwise(front) for other in pairwise(hind))
        rows.append(unpublished("leg gap", f"between the centre lines of the left legs, {emotion}", gap_m * 1e3, "mm"))
    return rows


def _centre_line(mounted: MountedLeg, joints: Array) -> Array:
    """Return hip, knee and ankle in the body. Shape (7,) in, (3, 3) out."""
    ankle, _, knee = leg_forward(mounted.leg, joints)
    return mounted.hip_in_body + np.stack([np.zeros(3), knee, ankle]) @ mounted.hip_to_body.T


def _gap(start: Array, stop: Array, other_start: Array, other_stop: Array) -> float:
    """Return the shortest distance between two straight links, each given by its ends. Shape (3,) each."""
    nearest = lsq_linear(np.column_stack([stop - start, other_start - other_stop]), other_start - start, (0.0, 1.0))
    return float(np.linalg.norm(nearest.fun))
