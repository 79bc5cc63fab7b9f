"""Mr. Pete: the published numbers that strut can compute again, in the order of the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import get_args

import numpy as np

from strut.arrays import Array
from strut.audit import Audit
from strut.balance.centre_of_pressure import swing_leg_cop
from strut.emotion import named_emotion
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.engines.self_distance import segment_distance
from strut.expression.blend import style_for
from strut.gaits.crawl.crawl_plan import CrawlPlan
from strut.gaits.crawl.crawler import crawler
from strut.gaits.crawl.key_pose import KeyPose, ground_under, key_pose
from strut.gaits.crawl.request import Balance
from strut.kinematics.leg7r import Leg, knee_position, leg_forward, leg_inverse
from strut.kinematics.mounted_leg import MountedLeg, mounted_legs
from strut.maths.rotation import rotation_from_vector, rotation_y
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pipeline.walk import walk
from strut.receipt import ReasonKind
from strut.reproduction.comparison import Comparison, Parts, RowKind, Sheet
from strut.reproduction.mrpete_errata import errata
from strut.reproduction.mrpete_gait import EMOTIONS, gait
from strut.robot import Robot
from strut.schemas.body import LimbBody
from strut.verify.measure import audit

_FULL = np.array(1.0)  # share of a pose
_TABULATED = ("knee_angle", "feet")  # of a pose: sums of the printed numbers in expression.toml
_ICE = 1e-3  # friction so small that ground forces are vertical


def parts() -> Parts:
    """Return the functions that compute Mr. Pete's rows; `studies` has those of the survey."""
    robot = load_robot("mrpete")
    computed = {
        "geometry": _geometry,
        "golden legs": _golden_legs,
        "poses": _poses,
        "leg gaps": _leg_gaps,
        "gait": gait,
        "errata": errata,
        "swing leg alone": _swing_leg_alone,
        "knee torque": _knee_torque,
        "intensities": intensities,
    }
    return {name: partial(compute, robot) for name, compute in computed.items()}


def _pose(robot: Robot, emotion: str) -> KeyPose:
    return key_pose(robot, style_for(robot, named_emotion(emotion), 1.0))


def _geometry(robot: Robot) -> list[Comparison]:
    """Compare the dimensions of the body."""
    sheet = Sheet("geometry", robot.published)
    legs = mounted_legs(robot)
    body_m, width_m, _ = robot.body_as(LimbBody).body.inertia_size_m
    upright_m = max(leg.leg.reach_m[1] + float(np.linalg.norm(leg.ankle_in_foot)) for leg in legs)
    below_deg = max(float(np.degrees(np.arcsin(abs(leg.hip_to_body[2, 2])))) for leg in legs)
    sheet.compare("joints", "count", "joints", len(robot.joint_names), kind="constant")
    sheet.compare("joints per leg", "count", "joints_per_leg", len(robot.joint_names) / len(legs), kind="constant")
    sheet.compare("body length", "length", "body", body_m * 1e3, kind="constant")
    sheet.compare("body width", "length", "width", width_m * 1e3, kind="constant")
    sheet.compare(
        "height of the body over the feet with straight legs", "length", "upright", upright_m * 1e3, kind="constant"
    )
    sheet.compare("mounting angle of the legs below the horizontal", "mount_angle", "leg", below_deg, kind="constant")
    return sheet.rows


def _golden_legs(robot: Robot) -> list[Comparison]:
    """Compare the joint angles of single legs."""
    sheet = Sheet("golden leg")
    for number, golden in enumerate(robot.published["golden"], start=1):
        forward = (1.0, 0.0, 0.0)
        leg = Leg("golden", golden["thigh_mm"] / 1e3, golden["shin_mm"] / 1e3, golden["knee_sign"], forward)
        ankle = np.array(golden["ankle_mm"]) / 1e3
        foot = rotation_from_vector(np.array(golden["foot_turn_rad"]))
        joints = leg_inverse(leg, ankle, foot, golden["knee_rad"], reference="published")
        knee_mm = leg_forward(leg, joints)[2] * 1e3
        sheet.compare(f"joint angles of leg {number}", {**golden, "unit": "rad"}, "joints_rad", joints.tolist())
        sheet.compare(f"knee position of leg {number}", {**golden, "unit": "mm"}, "knee_mm", knee_mm.tolist())
    return sheet.rows


def _poses(robot: Robot) -> list[Comparison]:
    """Compare knee angles, feet, body height and pitch, joint angles and knees of the five poses."""
    sheet = Sheet("pose", robot.published)
    for emotion in EMOTIONS:
        pose = _pose(robot, emotion)
        feet = pose.feet(_FULL)
        ground = ground_under(pose.feet(_FULL))
        joints, knees = pose_joints(robot, pose)
        ours = {
            "knee_angle": ("knee angles", pose.knees(_FULL)[:2]),
            "feet": ("left foot positions in the body frame", feet[:2] * 1e3),
            "nose_up": ("body pitch, nose up", np.degrees(ground.nose_up_rad)),
            "height": ("height of the body", ground.height_m * 1e3),
            "joint_angles": ("joint angles of the left legs", joints),
            "knees": ("left knee positions in the body frame", knees * 1e3),
        }
        for section, (quantity, values) in ours.items():
            if emotion in sheet.published[section]:
                kind: RowKind = "constant" if section in _TABULATED else "computed"
                sheet.compare(f"{quantity}, {emotion}", section, emotion, values.ravel().tolist(), kind=kind)
    return sheet.rows


def pose_joints(robot: Robot, pose: KeyPose) -> tuple[Array, Array]:
    """Return joint angles [rad] and knees in the body [m] of the left legs, as strut walks. Shapes (2, 7), (2, 3)."""
    feet = pose.feet(_FULL)
    turns = pose.foot_rotations(_FULL)
    knees = pose.knees(_FULL)
    joints = []
    knee_in_body = []
    for index, mounted in enumerate(mounted_legs(robot)[:2]):
        ankle = mounted.ankle_in_hip(feet[index], turns[index])
        held = mounted.body_fixed_knee(feet[index], turns[index], knees[index])
        angles = leg_inverse(mounted.leg, ankle, mounted.hip_to_body.T @ turns[index], held, reference="body")
        joints.append(angles)
        knee_in_body.append(mounted.hip_in_body + mounted.hip_to_body @ leg_forward(mounted.leg, angles)[2])
    return np.array(joints), np.array(knee_in_body)


def _leg_gaps(robot: Robot) -> list[Comparison]:
    """Return the distance between the centre lines of front and hind leg in the five poses; links are thicker."""
    sheet = Sheet("leg gap")
    for emotion in EMOTIONS:
        joints, _ = pose_joints(robot, _pose(robot, emotion))
        front, hind = (
            _centre_line(mounted, angles) for mounted, angles in zip(mounted_legs(robot), joints, strict=False)
        )
        pairs = [(*one, *other) for one in pairwise(front) for other in pairwise(hind)]
        gap_m = float(segment_distance(*np.array(pairs).transpose(1, 0, 2)).min())
        sheet.add(f"distance between the centre lines of the left legs, {emotion}", gap_m * 1e3, "mm")
    return sheet.rows


def _centre_line(mounted: MountedLeg, joints: Array) -> Array:
    """Return hip, knee and ankle in the body. Shape (7,) in, (3, 3) out."""
    ankle, _, knee = leg_forward(mounted.leg, joints)
    return mounted.hip_in_body + np.stack([np.zeros(3), knee, ankle]) @ mounted.hip_to_body.T


def _knee_torque(robot: Robot) -> list[Comparison]:
    """Compare the knee torques of the published poses: by the rule of the thesis, standing, and walking."""
    sheet = Sheet("knee torque", robot.published)
    section = robot.published["knee_torque"]
    for emotion in EMOTIONS:
        third = knee_torque_of_a_third(robot, _pose(robot, emotion))
        sheet.compare(
            f"knee torque with a third of the weight on one foot, {emotion}", section, emotion, third, kind="formula"
        )
    floors = (robot, replace(robot, friction=_ICE))
    note = "first on a floor with friction, which relieves the knees; second without friction"
    for emotion in EMOTIONS:
        ours = [largest_knee_torque(robot, standing_still(floor, _pose(robot, emotion))) for floor in floors]
        sheet.add(f"knee torque when standing on four feet, {emotion}", ours, "N m", note)
    walking = largest_knee_torque(robot, walk(robot, "neutral", cycles=5, expression="published"))
    note = f"servos of {section['weak_servo']:g} N m cannot walk; ours have {robot.torque_limit_nm.max():g} N m"
    sheet.add("largest knee torque of the neutral walk", walking, "N m", note)
    return sheet.rows


def _swing_leg_alone(robot: Robot) -> list[Comparison]:
    """Return the error of a centre of pressure that considers the inertia of the swing leg alone."""
    sheet = Sheet("swing leg alone")
    for emotion in EMOTIONS:
        motion = walk(robot, emotion, cycles=4, rate_hz=50.0, expression="published")
        assert motion.cop_in_world is not None
        leg_only = swing_leg_cop(robot, motion.time_s, motion.qpos, motion.contact)
        largest_mm = float(np.linalg.norm(leg_only - motion.cop_in_world, axis=1).max()) * 1e3
        note = "the thesis leaves out the sway of the body"
        sheet.add(f"largest error of the centre of pressure, {emotion}", largest_mm, "mm", note)
    return sheet.rows


def knee_torque_of_a_third(robot: Robot, pose: KeyPose) -> tuple[float, float]:
    """Return the torque of the left knees, front and hind, for a third of the weight on one foot [N m]."""
    feet = pose.feet(_FULL)
    turns = pose.foot_rotations(_FULL)
    knees = pose.knees(_FULL)
    up_in_body = rotation_y(-ground_under(feet).nose_up_rad).T @ np.array([0.0, 0.0, 1.0])
    load_n = up_in_body * robot.mass_kg * GRAVITY_M_S2 / 3.0
    torques = []
    for index, mounted in enumerate(mounted_legs(robot)[:2]):
        ankle = mounted.ankle_in_hip(feet[index], turns[index])
        knee = knee_position(mounted.leg, ankle, knees[index], reference="published")
        axis = mounted.hip_to_body @ np.cross(knee, ankle - knee)
        lever = feet[index] - (mounted.hip_in_body + mounted.hip_to_body @ knee)
        torques.append(float(abs(axis @ np.cross(lever, load_n)) / np.linalg.norm(axis)))
    return torques[0], torques[1]


def standing_still(robot: Robot, pose: KeyPose) -> Audit:
    """Return the audit of standing in a pose on all feet."""
    samples = 3
    feet = len(robot.feet)
    ground = ground_under(pose.feet(_FULL))
    foot_in_world = np.concatenate([ground.footprint_m, np.zeros((feet, 1))], axis=1)
    each = np.ones((samples, feet))
    plan = CrawlPlan(
        time_s=np.arange(samples) / 100.0,
        weight=np.ones(samples),
        body_x_m=np.zeros(samples),
        foot_in_world=np.broadcast_to(foot_in_world, (samples, feet, 3)),
        foot_weight=each,
        contact=each > 0.0,
        phase=np.zeros(samples),
    )
    qpos = crawler(robot, pose, plan).posture(np.zeros((samples, 2))).qpos
    return audit(robot, plan.time_s, qpos, plan.contact)


def largest_knee_torque(robot: Robot, source: Audit | Motion) -> float:
    """Return the largest torque of any knee [N m]."""
    assert source.torque_nm is not None
    knees = [name.endswith("knee") for name in robot.joint_names]
    return float(np.abs(source.torque_nm[:, knees]).max())


def intensities(robot: Robot, asked: float = 1.0) -> list[Comparison]:
    """Return the intensity of each emotion that a walk of ten cycles keeps, with lateral sway and with both."""
    sheet = Sheet("intensity")
    for emotion in EMOTIONS[1:]:
        for balance in get_args(Balance):
            receipt = walk(robot, emotion, intensity=asked, balance=balance, expression="published").receipt
            assert receipt is not None
            assert receipt.intensity_kept is not None
            quantity = f"kept of intensity {asked:g}, {emotion}, sway in {balance}"
            binding_limits = [str(reason) for reason in receipt.reasons_of(ReasonKind.LIMIT)]
            sheet.add(quantity, receipt.intensity_kept, "", "; ".join(binding_limits))
    return sheet.rows


def kept_table(asked: Sequence[float] = (1.0, 1.5)) -> str:
    """Return the table of kept intensities as Markdown."""
    robot = load_robot("mrpete")
    lines = ["| emotion | asked | kept, sway in y | kept, sway in x and y | what stops it |", "|---|---|---|---|---|"]
    for intensity in asked:
        rows = intensities(robot, intensity)
        for emotion, sideways, free in zip(EMOTIONS[1:], rows[::2], rows[1::2], strict=True):
            reasons = [*sideways.note.split("; "), *free.note.split("; ")]
            stops = ", ".join(dict.fromkeys(reason.split(":")[0] for reason in reasons if reason)) or "nothing"
            lines.append(f"| {emotion} | {intensity:.2f} | {sideways.ours[0]:.2f} | {free.ours[0]:.2f} | {stops} |")
    return "\n".join(lines)
