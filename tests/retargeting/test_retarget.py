"""Retarget: a person's walk becomes a robot's, with feet that stay where they stand; measured by MuJoCo alone."""

from importlib import import_module

import mujoco
import numpy as np
import pytest

from strut.cli.main import main
from strut.errors import BadFieldError, BadMotionError, MotionFileError, OutOfRangeError, RefusedError
from strut.formats.motion_file import load_motion
from strut.maths.sampling import runs
from strut.models.catalogue import load_robot
from strut.retargeting.body_parts import read_correspondence
from strut.retargeting.retarget import prepare, usual_width
from strut.retargeting.stances import detect_stances
from strut.retargeting.walk_features import walk_features
from strut.retargeting.walk_plan import plan_walk
from strut.retargeting.whole_body_retarget import hold_feet, keep_balance, zero_moment_point_of
from strut.verify.check import check
from tests.adoption.small_robots import biped, import_robot

retargeting = import_module("strut.retargeting.retarget")

CMU_UNIT_M = 0.056444


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


@pytest.fixture(scope="module")
def task(data, robot):
    return prepare(data / "cmu_bvh" / "104_02.bvh", robot, unit_m=CMU_UNIT_M, between_s=(1.0, 3.0))


@pytest.fixture(scope="module")
def plan(task):
    return plan_walk(task.movement, task.target, steps=0.8, width_m=usual_width(task.target), slower=1.0, rate_hz=100.0)


@pytest.fixture(scope="module")
def held(plan, task):
    return hold_feet(plan, task.target)


@pytest.fixture(scope="module")
def balanced(plan, task, held):
    return keep_balance(plan, task.target, held)


def sole_corners(robot, qpos):
    """Return the corners of the soles in world by MuJoCo's own kinematics. Shape (T, n_feet, n_corners, 3)."""
    data = mujoco.MjData(robot.model)
    corners = []
    for sample in qpos:
        data.qpos[:] = sample
        mujoco.mj_forward(robot.model, data)
        corners.append(
            [
                [
                    data.body(point.body).xpos + data.body(point.body).xmat.reshape(3, 3) @ point.position_m
                    for point in foot.points
                ]
                for foot in robot.feet
            ]
        )
    return np.array(corners)


@pytest.mark.parametrize("kind", ["held", "balanced"])
def test_feet_neither_slip_nor_sink_while_they_stand(kind, request, plan, robot, task):
    corners = sole_corners(robot, request.getfixturevalue(kind).qpos)
    for foot, down in zip(task.target.feet, plan.contact.T, strict=True):
        for stance in runs(down):
            path = corners[stance, foot]
            slip_m = np.linalg.norm(path[..., :2] - path[:1, :, :2], axis=-1)
            assert slip_m.max() < 0.002
            assert np.abs(path[..., 2]).max() < 0.001
    assert corners[..., 2].min() > -0.001


def test_a_foot_swings_clear_of_the_ground(balanced, plan, robot, task):
    corners = sole_corners(robot, balanced.qpos)
    for foot, down in zip(task.target.feet, plan.contact.T, strict=True):
        for swing in runs(~down):
            middle = (swing.start + swing.stop) // 2
            assert corners[middle, foot, :, 2].min() > 0.01


def test_joints_keep_their_limits(balanced, robot):
    joints = balanced.qpos[:, 7:]
    assert (joints >= robot.joint_lower_rad).all()
    assert (joints <= robot.joint_upper_rad).all()


def test_balance_puts_the_zero_moment_point_where_it_was_planned(held, balanced, plan, robot):
    def missed_m(body):
        return np.linalg.norm(zero_moment_point_of(robot, plan.time_s, body.qpos) - plan.zmp_m, axis=1)

    assert missed_m(balanced).max() < 0.05
    assert missed_m(held).max() > 5.0 * missed_m(balanced).max()


def test_features_of_the_feeling_are_kept(balanced, plan, robot, task):
    before = walk_features(task.movement, slice(None))
    motion = task.target.motion(plan.time_s, balanced.qpos, plan.contact)
    after = walk_features(task.target.movement(motion), plan.walking)
    assert after.trunk_pitch_deg == pytest.approx(before.trunk_pitch_deg, abs=8.0)
    assert after.head_pitch_deg == pytest.approx(before.head_pitch_deg, abs=8.0)
    assert 0.5 < after.arm_swing_deg / before.arm_swing_deg < 1.5
    assert (
        0.4 < after.speed_legs_s / before.speed_legs_s < 0.9
    )  # steps have 80 % of their length, and it starts and stops


@pytest.mark.parametrize(("clip", "share"), [("49_02", "49 %"), ("104_11", "57 %"), ("09_01", "34 %")])
def test_hops_a_skip_and_a_run_are_refused_with_what_they_would_need(data, robot, clip, share):
    with pytest.raises(RefusedError, match=f"no foot is on the ground in {share}.*have to jump"):
        prepare(data / "cmu_bvh" / f"{clip}.bvh", robot, unit_m=CMU_UNIT_M)


def test_uneven_ground_is_refused_as_such(data, robot):
    with pytest.raises(RefusedError, match="uneven ground"):
        prepare(data / "cmu_bvh" / "36_01.bvh", robot, unit_m=CMU_UNIT_M)


def test_two_steps_are_the_fewest(data, robot):
    with pytest.raises(RefusedError, match=r"it has . step"):
        prepare(data / "cmu_bvh" / "104_02.bvh", robot, unit_m=CMU_UNIT_M, between_s=(0.0, 0.8))


def test_a_file_in_another_unit_and_an_empty_part_are_named(data, robot):
    clip = data / "cmu_bvh" / "104_02.bvh"
    with pytest.raises(MotionFileError, match=r"would show a person of 26.2 m.*--unit"):
        prepare(clip, robot)
    with pytest.raises(OutOfRangeError, match="empty"):
        prepare(clip, robot, unit_m=CMU_UNIT_M, between_s=(2.0, 1.0))
    with pytest.raises(BadMotionError, match="two legs"):
        prepare(clip, load_robot("mrpete"), unit_m=CMU_UNIT_M)


def test_the_parts_of_a_person_and_a_robot_are_found_by_their_shape(task):
    assert task.parts.source.knee_left == "LeftLeg"
    assert task.parts.source.elbow_right == "RightForeArm"
    assert task.parts.target.knee_right == "right_knee"
    assert task.parts.target.hip_left == "left_hip_pitch"
    assert task.parts.target.trunk == "torso"


def test_parts_are_written_corrected_and_read_again(task, tmp_path):
    file = tmp_path / "walk.parts.toml"
    file.write_text(task.parts.as_toml())
    assert read_correspondence(file) == task.parts
    file.write_text(task.parts.as_toml().replace("knee_left", "kneeleft"))
    with pytest.raises(BadFieldError, match=r"walk\.parts\.toml, line \d+, source\.kneeleft: "):
        read_correspondence(file)


def test_both_feet_of_a_walk_stand_in_turns(task):
    found = detect_stances(task.movement)
    assert found.any(axis=1).all()
    assert 0.1 < found.all(axis=1).mean() < 0.5


def test_the_verb_writes_a_proved_motion_its_parts_and_its_features(data, robot, capsys, tmp_path, monkeypatch):
    """Only the shortest steps are tried: these the small biped can follow, and each attempt takes a second."""
    monkeypatch.setattr(retargeting, "ATTEMPTS", retargeting.ATTEMPTS[-1:])
    clip = str(data / "cmu_bvh" / "104_02.bvh")
    out = tmp_path / "walk.npz"
    verb = ["retarget", clip, "--to", robot.name, "--unit", str(CMU_UNIT_M), "--between", "1,3", "--out", str(out)]
    assert main(verb) == 0
    told = capsys.readouterr().err
    assert "trunk_pitch_deg" in told
    assert "walk.parts.toml" in told
    motion = load_motion(out)
    assert check(motion, robot).verdict == "ok"
    assert motion.receipt.robustness["falls"] == 0
    table = motion.meta["retarget"]
    assert table["after"]["trunk_pitch_deg"] == pytest.approx(table["before"]["trunk_pitch_deg"], abs=8.0)
    assert read_correspondence(tmp_path / "walk.parts.toml").source.head == "Head"


def test_the_verb_refuses_hops_in_one_sentence(data, robot, capsys, tmp_path):
    clip = str(data / "cmu_bvh" / "49_02.bvh")
    out = tmp_path / "walk.npz"
    assert main(["retarget", clip, "--to", robot.name, "--unit", str(CMU_UNIT_M), "--out", str(out)]) == 3
    assert "no foot is on the ground in 49 % of the samples" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
