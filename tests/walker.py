"""Walker: a human who swings all joints as sines of the stride, step and mirror image in turn, without physics."""

from dataclasses import replace

import numpy as np

from strut.human.analysis.gait_cycle import coordinate_names, mirror_image
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import qpos_from_angles
from strut.motion import Motion

STEP = 50  # samples
STEP_M = 0.7


def walked(robot, steps):
    """Return some steps, each from left toe-off to right toe-off or the other way round."""
    phase = np.pi * np.arange(STEP) / STEP
    own = np.arange(34)
    q = 0.3 * np.sin(phase[:, None] + own)
    q += mirror_of(robot, coordinate_names(robot)).image(0.3 * np.sin(phase[:, None] + np.pi + own))
    q[:, 0] = STEP_M * np.arange(STEP) / STEP
    q[:, 1] = 0.0
    q[:, 2] = 0.95
    right = np.array([name.endswith("Right") for name in robot.foot_names])
    heel = np.array([name.startswith("Heel") for name in robot.foot_names])
    now = np.arange(STEP)[:, None]
    down = np.where(right, ~heel | (now < 25), now >= 40)
    step = Motion(
        robot="heiman",
        time_s=np.arange(STEP) * 0.01,
        qpos=qpos_from_angles(q),
        joint_names=robot.joint_names,
        contact=down,
        foot_names=robot.foot_names,
        torque_nm=q[:, 6:],
        ground_force_n=down[:, :, None] * np.array([0.0, 10.0, 100.0]),
        cop_in_world=q[:, :2],
        meta={"robot_fingerprint": robot.fingerprint},
    )
    both = (step, mirror_image(robot, step))
    parts = [both[number % 2] for number in range(steps)]
    advance = STEP_M * np.repeat(np.arange(steps), STEP)
    qpos = np.concatenate([part.qpos for part in parts])
    qpos[:, 0] += advance
    return replace(
        step,
        time_s=np.arange(steps * STEP) * 0.01,
        qpos=qpos,
        contact=np.concatenate([part.contact for part in parts]),
        torque_nm=np.concatenate([part.torque_nm for part in parts]),
        ground_force_n=np.concatenate([part.ground_force_n for part in parts]),
        cop_in_world=qpos[:, :2],
    )
