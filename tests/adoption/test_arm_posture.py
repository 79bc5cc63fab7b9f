"""Arm posture of imported robots: lowered, clear of the trunk, with elbows that bend forwards."""

import mujoco
import numpy as np
import pytest

from strut.adoption.adopt import inspect_robot
from strut.adoption.note import sentences_of
from tests.adoption.broken_robots import element_called
from tests.adoption.small_robots import biped, write_xml

SIDES = {"left": 1.0, "right": -1.0}


def with_arms(tmp_path, *, shoulder_turn=0.0, elbow_turn=0.0, elbow_range=(-2.2, 0.0), torso_width=0.3):
    """Return the findings about a biped with arms raised sideways and forearms raised forward."""
    root = biped()
    for box in element_called(root, "link", "torso").iter("box"):
        box.set("size", f"0.2 {torso_width} 0.4")
    for side, sign in SIDES.items():
        element_called(root, "joint", f"{side}_shoulder_roll").find("origin").set("rpy", f"{sign * shoulder_turn} 0 0")
        elbow = element_called(root, "joint", f"{side}_elbow")
        elbow.find("origin").set("rpy", f"0 {-elbow_turn} 0")
        elbow.find("limit").attrib.update(lower=str(elbow_range[0]), upper=str(elbow_range[1]))
    return inspect_robot(write_xml(root, tmp_path / "two.urdf"), "two")


def angle_of(findings, joint):
    tree = findings.anatomy.tree
    return float(findings.anatomy.standing[tree.address(tree.model.joint(joint).id)])


def posed(findings):
    tree = findings.anatomy.tree
    return tree.model, tree.pose(findings.anatomy.standing)


def geoms_of(model, link):
    return [geom for geom in range(model.ngeom) if model.body(model.geom_bodyid[geom]).name == link]


def gap_m(findings, one, other):
    """Return the distance between the surfaces of two links as the robot stands."""
    model, data = posed(findings)
    ends = np.zeros(6)
    pairs = [(first, second) for first in geoms_of(model, one) for second in geoms_of(model, other)]
    return min(mujoco.mj_geomDistance(model, data, first, second, 1.0, ends) for first, second in pairs)


def does(findings, joint):
    return {(entry.does, entry.sign) for entry in findings.upper_body.expressive if entry.joint == joint}


def test_hanging_arms_are_not_moved(tmp_path):
    findings = with_arms(tmp_path)
    assert [angle_of(findings, f"{side}_{joint}") for side in SIDES for joint in ("shoulder_pitch", "elbow")] == [
        0.0
    ] * 4
    assert not any("lowered" in sentence for sentence in sentences_of(findings.notes, "assumed"))


def test_raised_forearms_are_lowered_and_point_slightly_forward(tmp_path):
    findings = with_arms(tmp_path, elbow_turn=np.pi / 2, elbow_range=(-1.0, 2.1))
    _, data = posed(findings)
    for side in SIDES:
        forearm = data.body(f"{side}_hand").xpos - data.body(f"{side}_elbow_link").xpos
        ahead_deg = np.degrees(np.arctan2(forearm[0], -forearm[2]))
        assert 5.0 < ahead_deg < 25.0  # 90 in the file
    note = "left_arm, right_arm held out in the file were lowered, so that they can swing."
    assert note in sentences_of(findings.notes, "assumed")


def test_an_elbow_that_can_bend_both_ways_bends_forwards(tmp_path):
    findings = with_arms(tmp_path, elbow_range=(-2.0, 2.0))
    assert does(findings, "left_elbow") == {
        ("bend the elbow", -1)
    }  # about y to the left: a negative angle lifts the hand forward


# clear: smallest distance relative to the height; beside a broad trunk there is hardly any room
@pytest.mark.parametrize(("torso_width", "clear"), [(0.3, 0.02), (0.38, 0.0)])
def test_lowered_arms_stay_clear_of_the_trunk(tmp_path, torso_width, clear):
    findings = with_arms(tmp_path, shoulder_turn=np.pi / 2, torso_width=torso_width)
    _, data = posed(findings)
    for side in SIDES:
        upper_arm = data.body(f"{side}_elbow_link").xpos - data.body(f"{side}_shoulder_roll_link").xpos
        assert upper_arm[2] < -0.7 * np.linalg.norm(upper_arm)
        assert gap_m(findings, "torso", f"{side}_elbow_link") > clear * findings.anatomy.height_m


def test_an_upper_arm_is_twisted_until_its_elbow_bends_forward_and_not_into_the_trunk(tmp_path):
    root = biped()
    for side, sign in SIDES.items():
        element_called(root, "joint", f"{side}_shoulder_roll").find("axis").set("xyz", "0 0 1")  # twists a hanging arm
        element_called(root, "joint", f"{side}_shoulder_roll").find("limit").attrib.update(lower="-1.6", upper="1.6")
        element_called(root, "joint", f"{side}_shoulder_pitch").find("origin").set(
            "rpy", "0 -1.5708 0"
        )  # raised forward
        elbow = element_called(root, "joint", f"{side}_elbow")
        elbow.find("axis").set("xyz", "1 0 0")  # bends inwards until the arm is twisted
        elbow.find("limit").attrib.update(lower="-2.2" if sign > 0 else "0.0", upper="0.0" if sign > 0 else "2.2")
    findings = inspect_robot(write_xml(root, tmp_path / "two.urdf"), "two")
    _, data = posed(findings)
    for side in SIDES:
        axis = data.xaxis[findings.anatomy.tree.model.joint(f"{side}_elbow").id]
        assert abs(axis[1]) > 0.9
