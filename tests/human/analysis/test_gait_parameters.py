"""Gait parameters against values counted by hand, and the same ones wherever and whichever way the walker walks."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.errors import BadMotionError
from strut.human.analysis.gait_comparison import gait_comparison
from strut.human.analysis.gait_cycle import along_x, gait_cycle, published_step
from strut.human.analysis.gait_parameters import gait_parameters
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.motion import Motion
from tests.walker import STEP, STEP_M, walked

SPLIT_RAD = 0.3
KNEE_RAD = 0.9


@pytest.fixture(scope="module")
def walks(heiman):
    """A step that goes on in its mirror image, a cycle that goes on from its start, and two cycles."""
    return {name: walked(heiman, steps) for name, steps in (("step", 1), ("cycle", 2), ("walk", 4))}


def split_walk(robot):
    """Straight legs that swing from behind to ahead in 0.5 s, feet level; toe-offs at 0.5, 1.0, 1.5, 2.0 s."""
    samples = 221
    time = 0.01 * np.arange(samples)
    q = np.zeros((samples, 34))
    q[:, 0] = 1.2 * time
    q[:, 2] = 0.95
    column = {name: 6 + index for index, name in enumerate(robot.joint_names)}
    swing = SPLIT_RAD * np.cos(2.0 * np.pi * time)  # at 0.5 s the left leg is behind, at 1.0 s the right one
    for side, sign in (("Right", 1.0), ("Left", -1.0)):
        q[:, column[f"Hip{side}_RY"]] = sign * swing
        q[:, column[f"Ankle{side}_RY"]] = -sign * swing
    q[120, column["KneeRight_RY"]] = KNEE_RAD
    right = np.array([name.endswith("Right") for name in robot.foot_names])
    phase = np.arange(samples)[:, None] % 100
    down = np.where(right, (phase >= 40), (phase < 50) | (phase >= 90))  # 10 samples together twice in 100
    torque = np.zeros((samples, 28))
    torque[70, robot.joint_names.index("AnkleRight_RY")] = -150.0
    force = np.zeros((samples, 6, 3))
    force[30, [0, 5], 2] = 500.0, 600.0
    return Motion(
        robot="heiman",
        time_s=time,
        qpos=qpos_from_angles(q),
        joint_names=robot.joint_names,
        contact=down,
        foot_names=robot.foot_names,
        torque_nm=torque,
        ground_force_n=force,
    )


def moved(motion, yaw, shift):
    """The same walk elsewhere on the floor, in another direction."""
    turn = Rotation.from_euler("z", yaw)
    qpos = motion.qpos.copy()
    qpos[:, :3] = turn.apply(qpos[:, :3])
    qpos[:, :2] += shift
    qpos[:, 3:7] = (turn * Rotation.from_quat(qpos[:, 3:7], scalar_first=True)).as_quat(scalar_first=True)
    return replace(
        motion,
        qpos=qpos,
        ground_force_n=motion.ground_force_n @ turn.as_matrix().T,
        cop_in_world=motion.cop_in_world @ turn.as_matrix()[:2, :2].T + shift,
    )


def flat(table):
    """The figures of nested tables by joined names."""
    parts = [
        {f"{key} {inner}": value for inner, value in flat(entry).items()} if isinstance(entry, dict) else {key: entry}
        for key, entry in table.items()
    ]
    return {key: value for part in parts for key, value in part.items()}


def test_lengths_durations_torques_and_forces_are_those_counted_by_hand(heiman):
    found = gait_parameters(heiman, split_walk(heiman))
    lengths = heiman.subject.lengths_m
    leg_m = lengths["ThighRightLength"] + lengths["ShankRightLength"]
    before_rad = SPLIT_RAD * np.cos(2.0 * np.pi / 100.0)  # one sample before the toes leave the ground
    assert_allclose(found.step_length_m, [2.0 * leg_m * np.sin(before_rad)] * 4, rtol=1e-9)
    assert_allclose(found.step_duration_s, [0.5] * 3, rtol=1e-9)
    assert found.cadence_per_min == pytest.approx(120.0)
    assert found.speed_m_s == pytest.approx(1.2)
    assert found.double_support == pytest.approx(40 / 221)
    assert found.legs["Right"].knee_range_rad == pytest.approx((0.0, KNEE_RAD))
    assert found.largest_torque_nm_kg["AnkleRight_RY"] == pytest.approx(2.0)
    assert found.largest_torque_nm_kg["AnkleLeft_RY"] == 0.0
    assert found.legs["Right"].largest_vertical_force_bw == pytest.approx(500.0 / (75.0 * 9.81))
    assert found.legs["Left"].largest_vertical_force_bw == pytest.approx(600.0 / (75.0 * 9.81))


@pytest.mark.parametrize("yaw", [0.1, np.pi / 2, 2.5, np.pi, -0.7])
@pytest.mark.parametrize("name", ["step", "cycle", "walk"])
def test_a_walk_turned_and_moved_is_the_same_walk(heiman, walks, name, yaw):
    one = walks[name]
    other = moved(walks[name], yaw, np.array([5.0, -1.0]))
    here, there = (flat(gait_parameters(heiman, motion).as_dict()) for motion in (one, other))
    for key, value in here.items():
        assert there[key] == (value if value is None else pytest.approx(value, rel=1e-9, abs=1e-9)), key
    for part in (gait_cycle, published_step):
        mine = part(heiman, one)
        theirs = part(heiman, other)
        assert mine.closing == theirs.closing
        assert_allclose(angles_from_qpos(theirs.motion.qpos), angles_from_qpos(mine.motion.qpos), atol=1e-9)
        assert_allclose(theirs.motion.ground_force_n, mine.motion.ground_force_n, atol=1e-6)
        assert_allclose(theirs.motion.cop_in_world, mine.motion.cop_in_world, atol=1e-9)
    table = gait_comparison({"here": (heiman, one), "there": (heiman, other)}).as_dict()
    assert table["dissimilarity"][0]["total"] == pytest.approx(0.0, abs=1e-15)
    for key, value in table["criteria"]["here"].items():
        assert table["criteria"]["there"][key] == pytest.approx(value, rel=1e-8), key


def test_a_walk_along_x_stays_where_it_is(heiman, walks):
    for motion in walks.values():
        assert_allclose(along_x(heiman, motion).qpos, motion.qpos, atol=1e-8)


def test_a_backward_walk_faces_ahead(heiman, walks):
    qpos = walks["walk"].qpos.copy()
    qpos[:, 0] *= -1.0
    backwards = replace(walks["walk"], qpos=qpos)
    found = along_x(heiman, moved(backwards, 1.0, np.zeros(2)))
    assert_allclose(found.qpos, qpos, atol=1e-9)


def test_less_than_a_cycle_is_turned_only_if_sway_cannot_explain_its_direction(heiman, walks):
    part = slice(0, STEP // 2)
    short = replace(
        walks["step"],
        **{
            name: getattr(walks["step"], name)[part]
            for name in ("time_s", "qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world")
        },
    )
    slightly, well = (along_x(heiman, moved(short, yaw, np.zeros(2))).qpos[-1] for yaw in (0.1, 1.0))
    assert slightly[0] == pytest.approx(short.qpos[-1, 0] * np.cos(0.1))
    assert well[0] == pytest.approx(short.qpos[-1, 0])
    assert short.qpos[-1, 0] == pytest.approx(STEP_M / 2, abs=0.02)


def test_bodies_without_toes_are_refused_in_words(heiman, happy_walk):
    with pytest.raises(BadMotionError, match="no human model"):
        gait_parameters(heiman, happy_walk)
