"""Mr. Pete's strength: what poses and walks ask of the knees, and how much of each feeling the gate lets through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from strut.balance.pressure import swing_leg_pressure
from strut.emotion import named_emotion
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.expression.blend import style_for
from strut.generators.crawl import CrawlPlan
from strut.generators.key_pose import KeyPose, ground_under, key_pose
from strut.kinematics.crawler import crawler
from strut.kinematics.leg7r import knee_position
from strut.kinematics.mounted_leg import mounted_legs
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pipeline.crawl_candidate import Balance
from strut.pipeline.walk import walk
from strut.reproduction.comparison import Comparison, compared, unpublished
from strut.reproduction.mrpete_gait import EMOTIONS
from strut.robot import Robot
from strut.rotation import rotation_y
from strut.verify.audit import Audit, audit

_ICE = 1e-3  # friction with which feet can only push up


def knee_rows(robot: Robot) -> list[Comparison]:
    """Return what the printed poses ask of the knees: by a rule of thumb, standing, and walking."""
    section, rows, standing = robot.table("published")["knee_torque"], [], []
    floors = (robot, replace(robot, friction=_ICE))
    note = "on a floor with friction, by which the feet help the knees, and on ice"
    for emotion in EMOTIONS:
        pose = key_pose(robot, style_for(robot, named_emotion(emotion), 1.0))
        third = knee_torque_of_a_third(robot, pose)
        rows.append(compared("knee torque", f"a third of the weight on one foot, {emotion}", section, emotion, third))
        ours = [largest_knee_torque(robot, standing_still(floor, pose)) for floor in floors]
        standing.append(unpublished("knee torque", f"standing on four feet, {emotion}", ours, "N m", note))
    walking = largest_knee_torque(robot, walk(robot, "neutral", cycles=5))
    note = f"servos of {section['weak_servo']:g} N m cannot walk; ours have {robot.torque_limit_nm.max():g} N m"
    return [*rows, *standing, unpublished("knee torque", "largest of the neutral walk", walking, "N m", note)]


def pressure_rows(robot: Robot) -> list[Comparison]:
    """Return how far the centre of pressure with the swing leg's inertia alone is from that of the whole body."""
    rows = []
    for emotion in EMOTIONS:
        motion = walk(robot, emotion, cycles=4, rate_hz=50.0)
        assert motion.cop_in_world is not None
        leg_only = swing_leg_pressure(robot, motion.time_s, motion.qpos, motion.contact)
        largest_mm = float(np.linalg.norm(leg_only - motion.cop_in_world, axis=1).max()) * 1e3
        note = "the body's own sway is what the thesis leaves out"
        rows.append(unpublished("swing leg alone", f"largest error of the pressure, {emotion}", largest_mm, "mm", note))
    return rows


def knee_torque_of_a_third(robot: Robot, pose: KeyPose) -> tuple[float, float]:
    """Return the torque of the left knees, front and hind, if one foot carried a third of the weight [N m]."""
    full = np.array(1.0)
    feet, turns, knees = pose.feet(full), pose.foot_rotations(full), pose.knees(full)
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
    """Return what it takes to stand in a pose on all feet."""
    samples, feet = 3, len(robot.feet)
    ground = ground_under(pose.feet(np.array(1.0)))
    foot_in_world = np.concatenate([ground.footprint_m, np.zeros((feet, 1))], axis=1)
    each = np.ones((samples, feet))
    plan = CrawlPlan(
        time_s=np.arange(samples) / 100.0,
        weight=np.ones(samples),
        body_x_m=np.zeros(samples),
        foot_in_world=np.broadcast_to(foot_in_world, (samples, feet, 3)),
        foot_weight=each,
        contact=each > 0.0,
    )
    qpos = crawler(robot, pose, plan).qpos(np.zeros((samples, 2)))
    return audit(robot, plan.time_s, qpos, plan.contact)


def largest_knee_torque(robot: Robot, moved: Audit | Motion) -> float:
    """Return the largest torque of any knee [N m]."""
    assert moved.torque_nm is not None
    knees = [name.endswith("knee") for name in robot.joint_names]
    return float(np.abs(moved.torque_nm[:, knees]).max())


def intensity_rows(robot: Robot, asked: float = 1.0) -> list[Comparison]:
    """Return how much of each feeling a walk of ten cycles keeps, swaying sideways only and in both directions."""
    rows = []
    for emotion in EMOTIONS[1:]:
        for balance in get_args(Balance):
            receipt = walk(robot, emotion, intensity=asked, balance=balance).receipt
            assert receipt is not None
            assert receipt.intensity_kept is not None
            quantity = f"kept of {asked:g}, {emotion}, sway in {balance}"
            rows.append(unpublished("intensity", quantity, receipt.intensity_kept, "", "; ".join(receipt.reasons)))
    return rows


def kept_table(asked: Sequence[float] = (1.0, 1.5)) -> str:
    """Return docs/mrpete.md's table of kept intensities as Markdown."""
    robot = load_robot("mrpete")
    lines = ["| emotion | asked | kept, sway in y | kept, sway in x and y | what stops it |", "|---|---|---|---|---|"]
    for intensity in asked:
        rows = intensity_rows(robot, intensity)
        for emotion, sideways, free in zip(EMOTIONS[1:], rows[::2], rows[1::2], strict=True):
            reasons = [*sideways.note.split("; "), *free.note.split("; ")]
            stops = ", ".join(dict.fromkeys(reason.split(":")[0] for reason in reasons if reason)) or "nothing"
            lines.append(f"| {emotion} | {intensity:.2f} | {sideways.ours[0]:.2f} | {free.ours[0]:.2f} | {stops} |")
    return "\n".join(lines)
