"""Import of robots: what is found in a file is reported, written into a folder, and read again."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.adoption.adopt import adopt, inspect_robot
from strut.adoption.description import read_description
from strut.adoption.folder_check import check_folder
from strut.adoption.note import sentences_of
from strut.adoption.portrait import portrait_page, portrait_png
from strut.adoption.robot_folder import FILE_NAMES, encode_folder
from strut.adoption.robot_source import find_robot_source
from strut.emotion import named_emotion
from strut.errors import BadTableError, FileError, NotAdoptedError
from strut.expression.blend import style_for
from strut.models.catalogue import load_robot, robots
from tests.adoption.small_robots import biped, import_robot, quadruped, write_xml


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    folder = tmp_path_factory.mktemp("four")
    return adopt(write_xml(quadruped(), folder / "four.xml"), out=folder / "robot")


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    return adopt(write_xml(biped(), folder / "two.urdf"), out=folder / "robot")


def standing(robot):
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.standing_qpos
    mujoco.mj_forward(robot.model, data)
    return data


def test_a_quadruped_stands_on_four_balls_in_a_fixed_order(four):
    robot = four.robot
    data = standing(four.robot)
    assert four.kind == "quadruped"
    assert robot.foot_names == ("FL", "FR", "HL", "HR")
    places = np.array([data.site(foot.frame).xpos for foot in robot.feet])
    np.testing.assert_array_equal(np.sign(places[:, :2]), [[1, 1], [1, -1], [-1, 1], [-1, -1]])
    np.testing.assert_allclose(places[:, 2], 0.02, atol=1e-3)  # the balls touch the floor
    assert [foot.radius_m for foot in robot.feet] == pytest.approx([0.02] * 4)


def test_the_standing_posture_is_within_limits_symmetric_and_balanced(four):
    robot = four.robot
    data = standing(four.robot)
    angles = robot.standing_qpos[7:].reshape(4, 3)
    assert (
        (robot.standing_qpos[7:] >= robot.joint_lower_rad) & (robot.standing_qpos[7:] <= robot.joint_upper_rad)
    ).all()
    np.testing.assert_allclose(angles[0, 1:], angles[1, 1:], atol=0.02)
    np.testing.assert_allclose(angles[0, 0], -angles[1, 0], atol=0.02)
    assert angles[:, 2].max() < -0.5  # knees are bent
    middle = np.mean([data.site(foot.frame).xpos for foot in robot.feet], axis=0)
    np.testing.assert_allclose(data.subtree_com[1][:2], middle[:2], atol=0.01)


def test_mass_and_torque_limits_are_those_of_the_file(four):
    assert four.robot.mass_kg == pytest.approx(6.0 + 4 * 1.25, rel=1e-6)
    np.testing.assert_allclose(four.robot.torque_limit_nm, 20.0)
    assert any("no speed limit" in sentence for sentence in four.sentences("assumed"))


def test_a_biped_stands_on_soles_and_has_trunk_head_and_arms(two):
    robot = two.robot
    assert two.kind == "biped"
    assert {limb.name: len(limb.joints) for limb in robot.limbs} == {
        "left": 6, "right": 6, "trunk": 1, "head": 1, "left_arm": 4, "right_arm": 4,
    }  # fmt: skip
    for foot in robot.feet:
        np.testing.assert_allclose(np.ptp(np.array(foot.outline_m), axis=0), [0.22, 0.09], atol=2e-3)
    np.testing.assert_allclose(robot.joint_speed_limit_rad_s, 12.0)


def test_soles_rolled_in_the_file_are_found_whole_and_stand_symmetrically(tmp_path):
    root = biped()
    for side, roll in (("left", 0.18), ("right", -0.18)):
        for place in root.findall(f"link[@name='{side}_foot']/*/origin"):
            place.set("rpy", f"{roll} 0.07 0")
    robot, _ = import_robot(root, tmp_path, "two.urdf")
    assert [len(foot.points) for foot in robot.feet] == [4, 4]
    left, right = (joint_angles(robot, side) for side in ("left", "right"))
    np.testing.assert_allclose(left, right * np.array([-1.0, -1.0, 1.0, 1.0, 1.0, -1.0]), atol=0.02)


def joint_angles(robot, side):
    """Return the posture of a leg, from the hip on. Shape (6,)."""
    leg = next(leg for leg in robot.legs if leg.name == side)
    return np.array([robot.standing_qpos[7 + robot.joint_names.index(joint)] for joint in leg.joints])


def test_a_part_fixed_to_the_link_of_a_foot_does_not_touch_the_floor(tmp_path):
    root = quadruped()
    shank = root.find(".//body[@name='FR_shank']")
    pad = ET.SubElement(shank, "body", name="FR_pad", pos="0 0 -0.1")
    ET.SubElement(pad, "geom", name="FR_pad", type="sphere", size="0.018", mass="0.05")
    model = import_robot(root, tmp_path)[0].model
    pads = [geom for geom in range(model.ngeom) if model.body(model.geom_bodyid[geom]).name == "FR_pad"]
    assert pads
    assert not model.geom_contype[pads].any()


def test_expressive_joints_are_measured(two):
    table = tomllib.loads((two.folder / "adopted.toml").read_text("utf-8"))
    joints = {(entry["does"], entry["limb"]): (entry["joint"], entry["sign"]) for entry in table["expressive"]}
    assert joints["bend the trunk forward", "trunk"] == ("waist", 1)
    assert joints["nod", "head"] == ("neck", 1)
    assert joints["swing the arm forward", "left_arm"] == ("left_shoulder_pitch", -1)
    assert joints["bend the elbow", "right_arm"] == ("right_elbow", -1)


@pytest.mark.parametrize("emotion", ["happy", "sad", "angry", "fearful"])
def test_the_size_of_arm_swing_does_not_move_the_mean_posture_of_the_arms(two, emotion):
    robot = two.robot
    neutral = style_for(robot, named_emotion("neutral"))
    style = style_for(robot, named_emotion(emotion))
    assert style.arm_swing != neutral.arm_swing
    only_swing = replace(neutral, arm_swing=style.arm_swing)
    assert set(robot.expression.moved_angles(only_swing).values()) == {0.0}


def test_the_use_of_limits_by_a_changed_gait_is_reported(two):
    match = re.search(r"so that it uses (\d+) % .* instead of (\d+) %: lift x 0\.6", " ".join(two.sentences("found")))
    assert int(match[1]) < int(match[2])


def test_a_written_folder_is_sound_and_stands_for_a_second(four, two):
    for adopted in (four, two):
        checked = check_folder(adopted.folder)
        assert checked.is_sound, checked.notes


def test_a_robot_that_faces_y_in_the_file_is_turned(tmp_path):
    root = quadruped(
        {
            name: (-y, x)
            for name, (x, y) in {"FL": (0.2, 0.1), "FR": (0.2, -0.1), "HL": (-0.2, 0.1), "HR": (-0.2, -0.1)}.items()
        }
    )
    for joint in root.iter("joint"):
        x, y, z = joint.get("axis").split()
        joint.set("axis", f"{-float(y)} {x} {z}")
    for body in root.iter("body"):
        if body.get("name").endswith("_thigh"):
            _, y, _ = body.get("pos").split()
            body.set("pos", f"{-float(y)} 0 0")
    robot, _ = import_robot(root, tmp_path)
    table = tomllib.loads((tmp_path / "robot" / "robot.toml").read_text("utf-8"))
    assert table["forward"] == [0.0, 1.0, 0.0]
    data = standing(robot)
    places = np.array([data.site(foot.frame).xpos for foot in robot.feet])
    np.testing.assert_array_equal(np.sign(places[:, :2]), [[1, 1], [1, -1], [-1, 1], [-1, -1]])


def test_a_keyframe_that_stands_is_used_and_one_that_lies_is_not(tmp_path):
    root = quadruped()
    angles = " ".join(["0 0.6 -1.2"] * 4)
    keys = ET.SubElement(root, "keyframe")
    ET.SubElement(keys, "key", name="down", qpos=f"0 0 0.1 1 0 0 0 {' '.join(['0 1.4 -2.6'] * 4)}")
    ET.SubElement(keys, "key", name="home", qpos=f"0 0 0.35 1 0 0 0 {angles}")
    robot, notes = import_robot(root, tmp_path)
    np.testing.assert_allclose(robot.standing_qpos[7:], [0, 0.6, -1.2] * 4, atol=1e-4)
    assert "it stands in the keyframe home." in sentences_of(notes, "found")


def rename_legs(root, names):
    """Give the legs other names in every body, joint, geom and motor."""
    for element in root.iter():
        for key in ("name", "joint"):
            side, _, rest = element.get(key, "").partition("_")
            if side in names:
                element.set(key, f"{names[side]}_{rest}")
    return root


@pytest.mark.parametrize(
    ("names", "forward", "why"),
    [
        ({"FL": "one", "FR": "two", "HL": "three", "HR": "four"}, [1.0, 0.0, 0.0], "the x axis of the file"),
        (
            {"FL": "hind_one", "FR": "hind_two", "HL": "front_one", "HR": "front_two"},
            [-1.0, 0.0, 0.0],
            "the names of its front and hind legs.",
        ),
        (
            {"FL": "right_a", "FR": "left_a", "HL": "right_b", "HR": "left_b"},
            [-1.0, 0.0, 0.0],
            "the names of its left and right legs.",
        ),
        (
            {"FL": "FR", "FR": "FL", "HL": "HR", "HR": "HL"},
            [1.0, 0.0, 0.0],
            "the names of its front and hind legs, against those of its sides",
        ),
    ],
)
def test_the_front_is_where_the_names_of_legs_say(tmp_path, names, forward, why):
    _, notes = import_robot(rename_legs(quadruped(), names), tmp_path)
    table = tomllib.loads((tmp_path / "robot" / "robot.toml").read_text("utf-8"))
    np.testing.assert_allclose(table.get("forward", [1.0, 0.0, 0.0]), forward, atol=1e-9)
    assert any(
        why.rstrip(".") in sentence for severity in ("found", "assumed") for sentence in sentences_of(notes, severity)
    )


def test_the_front_of_a_short_robot_is_where_the_names_of_its_legs_say(tmp_path):
    """Its front legs are only 7 cm away from its hind legs."""
    short = quadruped({"FL": (0.035, 0.1), "FR": (0.035, -0.1), "HL": (-0.035, 0.1), "HR": (-0.035, -0.1)})
    turned = {"FL": "hind_one", "FR": "hind_two", "HL": "front_one", "HR": "front_two"}
    import_robot(rename_legs(short, turned), tmp_path)
    table = tomllib.loads((tmp_path / "robot" / "robot.toml").read_text("utf-8"))
    np.testing.assert_allclose(table["forward"], [-1.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("kind", ["fixed", "spatial"])
def test_joints_that_a_tendon_moves_count_as_driven(tmp_path, kind):
    """A fixed tendon names its joints; one over sites moves all joints between their links."""
    root = quadruped()
    driven = ("FL_knee",) if kind == "fixed" else ("FL_roll", "FL_pitch", "FL_knee")
    motors = root.find("actuator")
    for motor in [motor for motor in motors if motor.get("joint") in driven]:
        motors.remove(motor)
    tendon = ET.SubElement(ET.SubElement(root, "tendon"), kind, name="pull")
    if kind == "fixed":
        ET.SubElement(tendon, "joint", joint="FL_knee", coef="1")
    else:
        for body, site in (("trunk", "start"), ("FL_shank", "end")):
            place = next(element for element in root.iter("body") if element.get("name") == body)
            ET.SubElement(place, "site", name=site, pos="0 0 0.01")
            ET.SubElement(tendon, "site", site=site)
    ET.SubElement(motors, "motor", tendon="pull", ctrlrange="-20 20")
    robot, notes = import_robot(root, tmp_path)
    assert set(driven) <= set(robot.joint_names)
    assert len(robot.joint_names) == 12
    assert any("1 motor pulls tendons or muscles" in sentence for sentence in sentences_of(notes, "assumed"))


def test_slides_and_loops_beside_the_legs_are_noted(tmp_path):
    root = quadruped()
    trunk = next(element for element in root.iter("body") if element.get("name") == "trunk")
    for name, y in (("left_finger", 0.03), ("right_finger", -0.03)):
        finger = ET.SubElement(trunk, "body", name=name, pos=f"0.3 {y} 0.1")
        ET.SubElement(finger, "joint", name=f"{name}_slide", type="slide", axis="0 1 0", range="-0.02 0.02")
        ET.SubElement(finger, "geom", type="sphere", size="0.01", mass="0.01")
    equality = ET.SubElement(root, "equality")
    ET.SubElement(equality, "connect", body1="left_finger", body2="right_finger", anchor="0 0 0")
    _, notes = import_robot(root, tmp_path)
    assumed = sentences_of(notes, "assumed")
    assert "2 sliding joints (left_finger_slide, right_finger_slide) are taken as rigid." in assumed
    (loop,) = [sentence for sentence in sentences_of(notes, "fault") if "closed loops" in sentence]
    assert "left_finger to right_finger" in loop


def test_a_ball_joint_of_a_keyframe_has_its_rotation_vector(tmp_path):
    root = quadruped()
    shoulder = next(element for element in root.iter("body") if element.get("name") == "FL_hip")
    shoulder.find("joint").set("type", "ball")
    del shoulder.find("joint").attrib["range"]
    root.find("actuator").remove(next(motor for motor in root.iter("motor") if motor.get("joint") == "FL_roll"))
    turn = Rotation.from_rotvec([0.1, -0.2, 0.3])
    quaternion = " ".join(map(str, turn.as_quat(scalar_first=True)))
    legs = f"{quaternion} 0.6 -1.2 {' '.join(['0 0.6 -1.2'] * 3)}"
    numbers = ET.SubElement(root, "custom")
    ET.SubElement(numbers, "numeric", name="init_qpos", data=f"0 0 0.35 1 0 0 0 {legs}")
    ET.SubElement(ET.SubElement(root, "keyframe"), "key", name="over", qpos=f"0 0 0.35 0 1 0 0 {legs}")
    source = find_robot_source(read_description(write_xml(root, tmp_path / "ball.xml")))
    (posture,) = source.keyframes  # the key is upside down
    assert posture.name == "init_qpos"
    angles = [angle for name, angle in posture.angles.items() if name.startswith("FL_roll")]
    np.testing.assert_allclose(angles, [0.1, -0.2, 0.3], atol=1e-9)
    assert posture.angles["HR_knee"] == -1.2


def test_a_file_is_not_replaced_by_a_folder(tmp_path):
    description = write_xml(quadruped(), tmp_path / "fourling.xml")
    with pytest.raises(FileError, match=r"fourling.xml: is a file; give a folder\."):
        adopt(description, out=description)


def test_a_robot_in_the_robot_home_is_loaded_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path / "home"))
    adopted = adopt(write_xml(quadruped(), tmp_path / "fourling.xml"))
    assert "fourling" in robots()
    assert load_robot("fourling").foot_names == adopted.robot.foot_names
    with pytest.raises(NotAdoptedError, match="holds a robot already"):
        adopt(tmp_path / "fourling.xml")


class KilledError(BaseException):
    """An error that no handler catches, like a signal."""


def stop(*_arguments):
    raise KilledError


@pytest.mark.parametrize("part", ["gait_maker", "write_folder"])
def test_an_interrupted_import_leaves_no_robot(tmp_path, monkeypatch, part):
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path / "home"))
    monkeypatch.setattr(f"strut.adoption.adopt.{part}", stop)
    with pytest.raises(KilledError):
        adopt(write_xml(quadruped(), tmp_path / "fourling.xml"))
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("stage", ["gait fit", "writing"])
def test_an_interrupted_replacement_leaves_the_old_robot(four, tmp_path, monkeypatch, stage):
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path))
    shutil.copytree(four.folder, tmp_path / "fourling")
    before = {path: path.read_bytes() for path in (tmp_path / "fourling").rglob("*") if path.is_file()}
    source = write_xml(quadruped(), tmp_path / "fourling.xml")
    if stage == "gait fit":
        monkeypatch.setattr("strut.adoption.adopt.gait_maker", stop)
    monkeypatch.setattr(os, "fsync", lambda _handle: stop())
    with pytest.raises(KilledError):
        adopt(source, force=True)
    assert {path: path.read_bytes() for path in (tmp_path / "fourling").rglob("*") if path.is_file()} == before
    assert robots()[-1] == "fourling"


def test_a_robot_killed_during_the_gait_fit_is_not_listed(tmp_path):
    """A real signal in another process, sent as soon as the stage is reported."""
    source = write_xml(biped(), tmp_path / "twoling.urdf")
    script = (
        "import os, signal; from strut.adoption.adopt import adopt\n"
        f"adopt({str(source)!r}, on_stage=lambda stage: 'fits' in stage and os.kill(os.getpid(), signal.SIGKILL))"
    )
    home = tmp_path / "home"
    ended = subprocess.run([sys.executable, "-c", script], env=os.environ | {"STRUT_ROBOTS": str(home)}, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert not home.exists()


def test_replacing_a_robot_keeps_other_files_in_its_folder(four, tmp_path, monkeypatch):
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path))
    shutil.copytree(four.folder, tmp_path / "fourling")
    (tmp_path / "fourling" / "notes.txt").write_text("mine")
    (tmp_path / "fourling" / "gait.toml").unlink()
    adopt(write_xml(quadruped(), tmp_path / "fourling.xml"), force=True)
    assert (tmp_path / "fourling" / "notes.txt").read_text() == "mine"
    assert (tmp_path / "fourling" / "gait.toml").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fourling", "fourling.xml"]


@pytest.mark.parametrize("name", FILE_NAMES[1:])
def test_a_file_in_the_way_is_refused_before_the_first_stage(name, tmp_path):
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / name).write_text("mine")
    stages = []
    with pytest.raises(FileError, match=f"{name}: is there already"):
        adopt(write_xml(quadruped(), tmp_path / "four.xml"), out=tmp_path / "robot", on_stage=stages.append)
    assert stages == []
    assert [path.name for path in (tmp_path / "robot").iterdir()] == [name]


def test_a_mesh_in_the_way_is_refused_before_the_gait_fit(tmp_path, monkeypatch):
    root = quadruped()
    (tmp_path / "shell.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    ET.SubElement(ET.SubElement(root, "asset"), "mesh", name="shell", file="shell.obj")
    visual = {"type": "mesh", "mesh": "shell", "mass": "0", "contype": "0", "conaffinity": "0"}
    ET.SubElement(next(body for body in root.iter("body") if body.get("name") == "trunk"), "geom", visual)
    source = write_xml(root, tmp_path / "four.xml")
    files = encode_folder(inspect_robot(source, "four"))
    (mesh,) = (name for name in files if name not in FILE_NAMES)
    (tmp_path / "robot" / mesh).parent.mkdir(parents=True)
    (tmp_path / "robot" / mesh).write_text("mine")
    monkeypatch.setattr("strut.adoption.adopt.gait_maker", stop)
    with pytest.raises(FileError, match="is there already"):
        adopt(source, out=tmp_path / "robot")


def test_a_robot_is_written_into_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    adopt(write_xml(quadruped(), tmp_path / "four.xml"), out=".")
    assert (tmp_path / "here" / "robot.toml").exists()
    assert Path().samefile(tmp_path / "here")


def test_a_wrong_correction_names_file_and_field(four, tmp_path):
    for name in ("robot.toml", "model.xml", "collision.toml"):
        (tmp_path / name).write_bytes((four.folder / name).read_bytes())
    text = (tmp_path / "robot.toml").read_text("utf-8")
    (tmp_path / "robot.toml").write_text(text.replace('kind = "ball"', 'kind = "bal"', 1), "utf-8")
    with pytest.raises(BadTableError, match=r"robot.toml, line \d+, foot.FL.kind"):
        check_folder(tmp_path)


def test_a_posture_that_does_not_stand_is_a_fault(four, tmp_path):
    for name in ("robot.toml", "model.xml", "collision.toml"):
        (tmp_path / name).write_bytes((four.folder / name).read_bytes())
    lines = (tmp_path / "robot.toml").read_text("utf-8").splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("[posture]"))
    knee = next(k for k in range(at, len(lines)) if lines[k].startswith("FL_knee"))
    lines[knee] = "FL_knee = -2.5"
    (tmp_path / "robot.toml").write_text("\n".join(lines), "utf-8")
    assert not check_folder(tmp_path).is_sound


def test_the_portrait_is_a_picture_and_the_page_has_all_notes_and_joints(two):
    assert portrait_png(two.robot).startswith(b"\x89PNG")
    page = portrait_page(two.robot, two.notes).decode()
    assert "What was assumed" in page
    assert all(name in page for name in two.robot.joint_names)
