"""Imported robots walk with an emotion, from their file to physics."""

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import mujoco
import numpy as np
import pytest

import strut
from strut.adoption.adopt import adopt
from strut.engines.task_jacobians import task_jacobians
from strut.gaits.pattern.gait_drafts import GaitDrafts
from strut.gaits.pattern.gait_fit import CHANGES, MAX_SLOW_USE, MAX_USE, DraftJudge, Utilisation, fit_gait
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.table import PatternTable
from strut.simulation.sensing import Sensing

ROBOTS = {
    "go2": "robots/go2_description/urdf/go2.urdf",
    "solo12": "robots/solo_description/robots/solo12.urdf",
    "g1": "robots/g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos": "robots/talos_data/robots/talos_reduced.urdf",
    "anymal_c": "robots/anymal_c_simple_description/urdf/anymal.urdf",
}


@pytest.fixture(scope="module")
def home():
    """Return where example-robot-data is."""
    homes = [Path(entry) / "cmeel.prefix" / "share" / "example-robot-data" for entry in sys.path]
    home = next((home for home in homes if home.is_dir()), None)
    if home is None:
        pytest.skip("example-robot-data (pip install example-robot-data) is not installed")
    return home


@pytest.fixture(scope="module")
def imported(home, tmp_path_factory):
    """Return robots of example-robot-data by name, each imported once."""
    return cache(lambda name: adopt(home / ROBOTS[name], out=tmp_path_factory.mktemp(name) / name).robot)


@pytest.fixture(scope="module")
def walks(imported):
    """Return short walks by robot and emotion, each planned once."""
    return cache(lambda name, emotion: strut.walk(imported(name), emotion, cycles=3))


@pytest.mark.parametrize("name", ["go2", "anymal_c", "talos"])
def test_its_mass_is_that_of_its_links(home, imported, name):
    links = ET.parse(home / ROBOTS[name]).getroot().iterfind("link/inertial/mass")
    assert imported(name).mass_kg == pytest.approx(sum(float(mass.get("value")) for mass in links), abs=0.01)


def pitch_rad(qpos):
    w, x, y, z = qpos[..., 3:7].T
    return np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))


@pytest.mark.parametrize("name", ["go2", "solo12", "g1"])
def test_it_walks_in_simulation_with_other_friction_and_mass(imported, walks, name):
    motion = walks(name, "neutral")
    assert motion.receipt.verdict == "ok"
    assert motion.receipt.controller in ("servos", "balance", "whole_body")
    outcome = strut.simulate(motion, imported(name), friction=0.9, mass_scale=1.1).outcome
    assert not outcome.fell
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, rel=0.15)


def test_a_humanoid_walks_under_whole_body_control_with_noise_and_delay(imported, walks):
    sensing = Sensing(velocity_noise_m_s=0.05, turn_noise_rad_s=0.05, delay_s=0.005, seed=1)
    motion = walks("g1", "neutral")
    outcome = strut.simulate(motion, imported("g1"), controller="whole_body", mass_scale=0.9, sensing=sensing).outcome
    assert (outcome.fell, outcome.controller) == (False, "whole_body")
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, rel=0.15)
    assert outcome.foot_slip_mm < 10.0


def test_a_neutral_walk_keeps_the_limits_of_arms_that_hang_at_their_limits(walks):
    assert walks("talos", "neutral").receipt.verdict == "ok"  # its elbows stand at the end of their range


@pytest.mark.parametrize(("name", "emotion"), [("go2", "happy"), ("solo12", "neutral")])
def test_its_feet_do_not_slip_or_penetrate(walks, name, emotion):
    motion = walks(name, emotion)
    assert motion.receipt.foot_slip_mm < 0.5
    assert motion.receipt.penetration_mm < 0.5


def test_check_agrees_with_the_receipt(imported, walks):
    motion = walks("go2", "sad")
    checked = strut.check(motion, imported("go2"))
    assert checked.verdict == motion.receipt.verdict == "ok"
    assert checked.torque_use == pytest.approx(motion.receipt.torque_use)


def test_a_sad_quadruped_is_slow_and_low_and_pitches_forward(walks):
    sad, neutral, happy = (walks("go2", emotion) for emotion in ("sad", "neutral", "happy"))
    assert sad.receipt.speed_m_s < 0.6 * neutral.receipt.speed_m_s < neutral.receipt.speed_m_s < happy.receipt.speed_m_s
    middle = slice(len(sad.time_s) // 3, 2 * len(sad.time_s) // 3)
    assert pitch_rad(sad.qpos[middle]).mean() == pytest.approx(0.20, abs=0.02)
    assert pitch_rad(happy.qpos[len(happy.time_s) // 2]) < -0.08
    assert sad.qpos[middle, 2].mean() < 0.95 * neutral.qpos[len(neutral.time_s) // 2, 2]


def test_a_sad_humanoid_bends_its_trunk_in_world(imported, walks):
    robot = imported("talos")
    sad = walks("talos", "sad")
    shown = strut.style_for(robot, strut.named_emotion("sad")).trunk_pitch_rad
    joints = robot.expression.joints("trunk_pitch_rad")
    columns = [robot.joint_names.index(joint) for joint in joints]
    middle = len(sad.time_s) // 2
    bent = (sad.joint_angles_rad[middle] - sad.joint_angles_rad[0])[columns] @ np.sign(list(joints.values()))
    assert bent + pitch_rad(sad.qpos[middle]) == pytest.approx(shown, abs=0.03)


def test_the_body_height_of_an_emotion_is_a_factor_on_that_of_its_own_neutral_walk(imported, walks):
    """Talos has to bend its knees in neutral; sad is lower than that, not than the standing robot."""
    robot = imported("talos")
    heights_m = [com_height_m(robot.model, walks("talos", emotion)) for emotion in ("neutral", "sad")]
    asked = strut.style_for(robot, strut.named_emotion("sad")).body_height
    assert asked < 0.98
    assert heights_m[1] / heights_m[0] == pytest.approx(asked, abs=0.01)


def com_height_m(model, motion):
    """Return the mean height of the centre of mass in the middle third, by MuJoCo."""
    data = mujoco.MjData(model)
    heights = []
    for qpos in motion.qpos[len(motion.qpos) // 3 : 2 * len(motion.qpos) // 3]:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        heights.append(data.subtree_com[0, 2])
    return np.mean(heights)


def test_it_reaches_a_goal_with_its_heading(imported):
    robot = imported("go2")
    motion = strut.walk(robot, "neutral", goal=strut.Place(0.4, 0.2, 0.9))
    feet = task_jacobians(robot, motion.qpos[[0, -1]]).foot_in_world[..., :2]
    start, end = feet.mean(axis=1)
    np.testing.assert_allclose(end - start, [0.4, 0.2], atol=0.01)
    assert motion.receipt.task_error_mm == pytest.approx(1e3 * np.hypot(*(end - start - [0.4, 0.2])), abs=0.01)
    heading = strut.simulate(motion, robot).outcome.heading_drift_rad
    assert abs(heading) < 0.15


@pytest.mark.parametrize(
    ("choices", "along"),
    [({"speed_m_s": -0.15}, [-1.0, 0.0]), ({"sideways_m_s": 0.1}, [0.0, 1.0])],
)
def test_it_walks_backwards_and_sideways_at_the_commanded_speed(imported, choices, along):
    motion = strut.walk(imported("go2"), "neutral", cycles=6, rate_hz=50.0, **choices)
    middle = (motion.time_s > 0.4 * motion.duration_s) & (motion.time_s < 0.6 * motion.duration_s)
    velocity = np.polyfit(motion.time_s[middle], motion.qpos[middle, :2], 1)[0]
    asked = abs(choices.get("speed_m_s", 0.0)) + choices.get("sideways_m_s", 0.0)
    assert velocity @ along == pytest.approx(asked, rel=0.1)
    assert motion.receipt.walking_speed_m_s == pytest.approx(motion.receipt.walking_speed_asked_m_s, rel=0.1)
    led = motion.receipt.walking_direction_rad
    np.testing.assert_allclose([np.cos(led), np.sin(led)], along, atol=0.03)


def test_a_broken_limit_is_called_assumed_if_no_file_has_it(imported, walks):
    robot = imported("go2")
    table = robot.tables.robot
    joints = {name: msgspec.structs.replace(entry, assumed=("torque",)) for name, entry in table.joint.items()}
    tables = replace(robot.tables, robot=msgspec.structs.replace(table, joint=joints))
    weak = replace(robot, torque_limit_nm=robot.torque_limit_nm / 10.0)
    motion = walks("go2", "neutral")
    assert any("of its torque limit" in str(reason) for reason in strut.check(motion, weak).reasons)
    reasons = [str(reason) for reason in strut.check(motion, replace(weak, tables=tables)).reasons]
    assert any("of its assumed torque limit" in reason for reason in reasons)
    assert not any("assumed speed limit" in reason for reason in reasons)


def middle_cycle(motion, robot):
    """Return duration, length and duty factor of a cycle of the first foot in the middle of a walk."""
    is_down = motion.contact[:, 0]
    touchdowns = np.flatnonzero(is_down[1:] & ~is_down[:-1]) + 1
    middle = len(touchdowns) // 2
    first, second = touchdowns[middle - 1], touchdowns[middle]
    foot = task_jacobians(robot, motion.qpos[[first, second]]).foot_in_world[:, 0, :2]
    duration_s = motion.time_s[second] - motion.time_s[first]
    return duration_s, np.linalg.norm(foot[1] - foot[0]), is_down[first:second].mean()


def test_a_slow_walk_has_slower_and_shorter_steps_in_equal_parts(imported):
    robot = imported("solo12")
    usual_m_s = GaitDrafts(robot, PatternGait(), 100.0).usual_options["speed_m_s"]
    usual = middle_cycle(strut.walk(robot, "neutral", cycles=5, expression="published"), robot)
    slow_walk = strut.walk(robot, "neutral", cycles=5, speed_m_s=usual_m_s / 4.0, expression="published")
    slow = middle_cycle(slow_walk, robot)
    assert slow[0] == pytest.approx(2.0 * usual[0], rel=0.05)
    assert slow[1] == pytest.approx(usual[1] / 2.0, rel=0.05)
    assert slow[2] > usual[2]


def test_an_infeasible_speed_is_refused_with_the_largest_feasible_one(imported):
    robot = imported("go2")
    with pytest.raises(strut.StrutError, match="the largest feasible one is") as refused:
        strut.walk(robot, "neutral", cycles=2, speed_m_s=3.0, rate_hz=50.0)
    largest_m_s = float(str(refused.value).rsplit(" is ", 1)[1].split()[0])
    assert 0.3 < largest_m_s < 2.0


class FormulaJudge:
    """Judges a gait by a formula of its factors, and counts how often."""

    def __init__(self, formula):
        self.formula = formula
        self.count = 0

    def utilisation(self, robot):
        self.count += 1
        return Utilisation(*self.formula(robot.gait_as(PatternTable)))

    def first_violation(self, _robot):
        return "torque: a joint is too weak"


def fit_with(robot, formula):
    judge = FormulaJudge(formula)
    return fit_gait(robot, judge=judge), judge.count


def test_a_gait_with_reserve_is_not_changed(imported):
    fit, tried = fit_with(imported("g1"), lambda _gait: (0, 0, MAX_USE))
    assert (fit.gait, tried) == (imported("g1").gait_as(PatternTable), 1)


def test_a_gait_that_is_too_hard_gets_slower_steps_or_only_shorter_ones(imported):
    fit, _ = fit_with(imported("g1"), lambda gait: (0, 0, 2.0 / gait.period**2))  # heavy rotors
    assert fit.gait.period >= (2.0 / MAX_SLOW_USE) ** 0.5
    assert fit.utilisation.use <= MAX_SLOW_USE
    fit, _ = fit_with(imported("g1"), lambda gait: (0, 0, 1.2 * gait.stride / gait.period**0.25))
    assert (fit.speed_share, fit.gait.period < 1.0) == (0.85, True)  # it has shorter steps already


def test_changes_that_help_a_gait_without_reserve_are_kept(imported):
    fit, tried = fit_with(imported("g1"), lambda gait: (0, 0, 0.95 + 0.1 * (gait.lift - gait.width)))
    gait = fit.gait
    assert (fit.usual_utilisation.use, fit.utilisation.use) == pytest.approx((0.95, 0.91))
    assert (gait.lift, gait.width, gait.period, gait.stride) == (0.6, 1.0, 1.0, 1.0)
    assert tried == 1 + len(CHANGES)


def test_a_quadruped_keeps_its_trot_however_hard_it_is(imported):
    fit, _ = fit_with(imported("go2"), lambda _gait: (1, 2, 5.0))
    assert fit.gait == imported("go2").gait_as(PatternTable)


def test_the_neutral_gait_of_g1_has_reserve(imported):
    others, shortened, use = DraftJudge().utilisation(imported("g1"))
    assert (others, shortened) == (0, 0)
    assert 0.2 < use < MAX_USE


@pytest.mark.parametrize(("name", "elbow"), [("g1", "left_elbow_joint"), ("talos", "arm_left_4_joint")])
def test_the_elbow_bends_the_middle_of_the_arm(imported, name, elbow):
    assert elbow in imported(name).expression.joints("elbow_rad")


def test_arms_that_hang_on_the_legs_are_moved_aside(imported):
    robot = imported("talos")
    angles = dict(zip(robot.joint_names, robot.standing_qpos[7:], strict=True))
    assert angles["arm_left_2_joint"] == pytest.approx(-angles["arm_right_2_joint"])
    assert abs(angles["arm_left_2_joint"]) > 0.1


def test_the_swing_joint_is_above_the_elbow(imported):
    assert imported("talos").expression.mapping("arm_swing") is None  # its shoulder turns about x and z alone
    assert "left_shoulder_pitch_joint" in imported("g1").expression.joints("arm_swing")
