"""Tolerant reading: faults of files that leave their meaning plain are read, and said in one sentence."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest
import trimesh

import strut
from strut.adoption.adopt import inspect_robot
from strut.adoption.note import sentences_of
from strut.errors import NotAdoptedError
from tests.adoption.broken_robots import element_called, on_wheels, two_robots, weightless
from tests.adoption.small_robots import biped, import_robot, quadruped, write_xml


def text_of(root):
    return ET.tostring(root, encoding="unicode")


def inspect_text(text, file):
    file.write_text(text, "utf-8")
    return inspect_robot(file, "robot")


# --- Endings, namespaces and templates -----------------------------------------------------


def test_a_file_that_ends_in_mjcf_is_adopted_with_the_files_that_it_includes(tmp_path):
    root = quadruped()
    motors = root.find("actuator")
    root.remove(motors)
    write_xml(ET.fromstring(f"<mujoco>{text_of(motors)}</mujoco>"), tmp_path / "motors.xml")
    ET.SubElement(root, "include", file="motors.xml")
    adopted = strut.adopt(write_xml(root, tmp_path / "dog.mjcf"), out=tmp_path / "dog")
    assert adopted.kind == "quadruped"
    assert adopted.robot.torque_limit_nm == pytest.approx([20.0] * 12)


@pytest.mark.parametrize("include", ["dog.mjcf", "missing.xml"])
def test_an_include_that_cannot_be_read_is_refused(include, tmp_path):
    root = quadruped()
    ET.SubElement(root, "include", file=include)
    with pytest.raises(NotAdoptedError, match=include):
        inspect_robot(write_xml(root, tmp_path / "dog.mjcf"), "robot")


@pytest.mark.parametrize("kind", ["xml", "urdf"])
def test_a_default_namespace_changes_nothing(kind, tmp_path):
    text = text_of(quadruped() if kind == "xml" else biped())
    tag = "mujoco" if kind == "xml" else "robot"
    named = text.replace(f"<{tag} ", f'<{tag} xmlns="http://www.ros.org" ', 1)
    plain = inspect_text(text, tmp_path / f"robot.{kind}")
    assert inspect_text(named, tmp_path / f"robot.{kind}").plain.text == plain.plain.text


XACRO = {
    "dog.urdf.xacro": ("", "", "`xacro dog.urdf.xacro > dog.urdf`"),
    "my dog.XACRO": ("", "", "`xacro 'my dog.XACRO' > "),
    "tags.urdf": ("<link", '<xacro:leg name="FL"/><link', "`xacro tags.urdf > tags_expanded.urdf`"),
    "sums.urdf": ('mass value="10"', 'mass value="${2 * m}"', "`xacro sums.urdf > sums_expanded.urdf`"),
}


@pytest.mark.parametrize("name", XACRO)
def test_a_xacro_template_is_refused_with_the_command_that_expands_it(name, tmp_path):
    old, new, command = XACRO[name]
    with pytest.raises(NotAdoptedError, match="xacro template") as refused:
        inspect_text(text_of(biped()).replace(old, new, 1), tmp_path / name)
    assert command in str(refused.value)


def test_the_namespace_that_xacro_leaves_in_what_it_expands_is_no_template(tmp_path):
    text = text_of(biped()).replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ', 1)
    assert inspect_text(text, tmp_path / "two.urdf").anatomy.kind == "biped"


# --- Meshes and shapes ---------------------------------------------------------------------


def with_shell(kind, name):
    """Return a robot with a colliding mesh on its trunk."""
    root = biped() if kind == "urdf" else quadruped()
    if kind == "urdf":
        geometry = element_called(root, "link", "torso").find("collision/geometry")
        geometry.clear()
        ET.SubElement(geometry, "mesh", filename=name)
    else:
        ET.SubElement(ET.SubElement(root, "asset"), "mesh", file=name)
        ET.SubElement(element_called(root, "body", "trunk"), "geom", type="mesh", mesh="shell", mass="0.1")
    return root


@pytest.mark.parametrize("kind", ["urdf", "xml"])
@pytest.mark.parametrize("file", ["meshes/Shell.STL", "Meshes/shell.stl"])
def test_a_mesh_is_found_if_its_name_differs_in_case(file, kind, tmp_path):
    (tmp_path / file).parent.mkdir()
    trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / file)
    _, notes = import_robot(with_shell(kind, "meshes/shell.stl"), tmp_path, f"robot.{kind}")
    (said,) = (sentence for sentence in sentences_of(notes, "fault") if "upper and lower case" in sentence)
    assert f"(meshes/shell.stl is {file})" in said


@pytest.mark.parametrize("kind", ["urdf", "xml"])
def test_a_mesh_of_the_same_name_is_preferred_and_not_mentioned(kind, tmp_path):
    for name in ("Shell.stl", "shell.stl"):
        trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / name)
    _, notes = import_robot(with_shell(kind, "shell.stl"), tmp_path, f"robot.{kind}")
    assert not any("case" in sentence for sentence in sentences_of(notes, "fault"))


@pytest.mark.parametrize(
    "shape", ['<box size="0 0 0"/>', '<box size="0.1 0.1 0"/>', '<mesh filename="x" scale="0 0 0"/>']
)
@pytest.mark.parametrize("tag", ["visual", "collision"])
def test_a_shape_without_size_is_left_out_of_a_urdf(shape, tag, tmp_path):
    root = biped()
    geometry = element_called(root, "link", "torso").find(f"{tag}/geometry")
    geometry.clear()
    geometry.append(ET.fromstring(shape))
    _, notes = import_robot(root, tmp_path, "two.urdf")
    assert "1 shape of the link torso has no size: left out." in sentences_of(notes, "fault")


SIZES = {"sphere": "0", "box": "0.1 0.1 0", "cylinder": "0.1 0", "capsule": "0 0.1", "ellipsoid": "0 0 0"}


@pytest.mark.parametrize("shape", SIZES)
def test_a_visual_shape_without_size_is_left_out_of_an_mjcf(shape, tmp_path):
    root = quadruped()
    geom = ET.SubElement(element_called(root, "body", "trunk"), "geom", type=shape, size=SIZES[shape])
    geom.attrib |= {"contype": "0", "conaffinity": "0", "group": "2"}
    robot, notes = import_robot(root, tmp_path)
    assert "1 visual shape of trunk has no size: left out." in sentences_of(notes, "fault")
    assert robot.mass_kg == pytest.approx(11.0)


# --- Inertias ------------------------------------------------------------------------------


def estimates(notes):
    return [sentence for sentence in sentences_of(notes, "assumed") if "estimated from shapes" in sentence]


@pytest.mark.parametrize("written", ["zero", "nothing"])
def test_a_urdf_without_masses_gets_those_of_water_in_its_shapes(written, tmp_path):
    root = biped()
    for link in root.findall("link"):
        inertial = link.find("inertial")
        inertial.find("mass").set("value", "0")
        inertial.find("inertia").attrib = dict.fromkeys(inertial.find("inertia").attrib, "0")
        if written == "nothing":
            link.remove(inertial)
    robot, notes = import_robot(root, tmp_path, "two.urdf")
    (said,) = estimates(notes)
    assert f"1000 kg/m³, {robot.mass_kg:.2f} kg in all" in said
    torso = robot.model.body("torso").id
    width, depth, height = 0.2, 0.3, 0.4
    mass = 1000.0 * width * depth * height
    moments = mass / 12.0 * np.array([depth**2 + height**2, width**2 + height**2, width**2 + depth**2])
    assert robot.model.body_mass[torso] == pytest.approx(mass)
    assert sorted(robot.model.body_inertia[torso]) == pytest.approx(sorted(moments))


@pytest.mark.parametrize("inertial", [False, True])
def test_an_mjcf_without_masses_keeps_its_total_mass(inertial, tmp_path):
    root = quadruped()
    weightless(root)
    root.find("compiler").set("settotalmass", "9")
    for body in root.iter("body") if inertial else ():
        ET.SubElement(body, "inertial", pos="0 0 0", mass="0", diaginertia="0 0 0")
    robot, notes = import_robot(root, tmp_path)
    assert robot.mass_kg == pytest.approx(9.0)
    (said,) = estimates(notes)
    assert "the total mass in the file, 9.00 kg in all" in said


def test_links_with_masses_alone_keep_them_and_get_moments_of_inertia(tmp_path):
    root = biped()
    for inertia in root.iter("inertia"):
        inertia.attrib = dict.fromkeys(inertia.attrib, "0")
    robot, notes = import_robot(root, tmp_path, "two.urdf")
    assert estimates(notes) == ["no link has a moment of inertia: estimated from shapes and masses."]
    torso = robot.model.body("torso").id
    assert robot.model.body_mass[torso] == pytest.approx(10.0)
    assert robot.model.body_ipos[torso] == pytest.approx([0.0, 0.0, 0.25])
    moments = 10.0 / 12.0 * np.array([0.3**2 + 0.4**2, 0.2**2 + 0.4**2, 0.2**2 + 0.3**2])
    assert sorted(robot.model.body_inertia[torso]) == pytest.approx(sorted(moments))


@pytest.mark.parametrize("robot", [quadruped, biped])
def test_a_robot_with_inertias_is_not_estimated(robot, tmp_path):
    kind = "urdf" if robot is biped else "xml"
    assert not estimates(inspect_robot(write_xml(robot(), tmp_path / f"robot.{kind}"), "robot").notes)


# --- Knees ---------------------------------------------------------------------------------


def faults_of_knees(notes):
    return [sentence for sentence in sentences_of(notes, "fault") if "opposite ways" in sentence]


def test_knees_that_bend_opposite_ways_are_said_with_their_ranges(tmp_path):
    root = biped()
    element_called(root, "joint", "right_knee").find("limit").attrib |= {"lower": "-2.3", "upper": "0"}
    (said,) = faults_of_knees(inspect_robot(write_xml(root, tmp_path / "two.urdf"), "two").notes)
    assert "left_knee backwards (0.00 to 2.30 rad), right_knee forwards (-2.30 to 0.00 rad)" in said


def test_knees_of_hind_legs_may_bend_against_those_of_front_legs(tmp_path):
    root = quadruped()
    for side in ("HL", "HR"):
        element_called(root, "joint", f"{side}_knee").set("range", "0.1 2.6")
        element_called(root, "joint", f"{side}_pitch").set("range", "-2.5 1.5")
    assert not faults_of_knees(inspect_robot(write_xml(root, tmp_path / "four.xml"), "four").notes)


def test_knees_with_opposite_axes_and_ranges_bend_the_same_way(tmp_path):
    root = quadruped()
    for side in ("FR", "HR"):
        element_called(root, "joint", f"{side}_knee").attrib |= {"axis": "0 -1 0", "range": "0.1 2.6"}
    assert not faults_of_knees(inspect_robot(write_xml(root, tmp_path / "four.xml"), "four").notes)


# --- Several robots ------------------------------------------------------------------------


def test_of_several_robots_in_an_mjcf_the_named_one_is_adopted(tmp_path):
    root = quadruped()
    two_robots(root)
    for motor in root.findall("actuator/motor"):
        ET.SubElement(root.find("actuator"), "motor", joint=f"other_{motor.get('joint')}", ctrlrange="-20 20")
    findings = inspect_robot(write_xml(root, tmp_path / "pair.xml"), "other_trunk")
    assert findings.anatomy.mass_kg == pytest.approx(11.0)
    assert findings.anatomy.tree.link_name(0) == "other_trunk"


def test_of_several_robots_in_a_urdf_the_named_one_is_adopted(tmp_path):
    root = biped()
    text = text_of(biped()).replace('name="', 'name="my-').replace('link="', 'link="my-')
    for part in ET.fromstring(text):
        root.append(part)
    file = write_xml(root, tmp_path / "pair.urdf")
    with pytest.raises(NotAdoptedError, match=r"\(pelvis, my-pelvis\), so it holds that many.* --name pelvis\."):
        inspect_robot(file, "pair")
    assert inspect_robot(file, "pelvis").anatomy.tree.link_name(0) == "pelvis"
    assert inspect_robot(file, "my_pelvis").anatomy.tree.link_name(0) == "my-pelvis"


# --- Wheels, tails and arms of quadrupeds --------------------------------------------------


def add_limb(root, name, place, step, axes):
    """Add a chain of capsules to the trunk: where it begins, from joint to joint, and the axes of its joints."""
    parent = element_called(root, "body", "trunk")
    for index, axis in enumerate(axes):
        parent = ET.SubElement(parent, "body", name=f"{name}{index}", pos=place)
        ET.SubElement(parent, "joint", name=f"{name}{index}", axis=axis, range="-2 2")
        ET.SubElement(parent, "geom", type="capsule", fromto=f"0 0 0 {step}", size="0.012", mass="0.05")
        place = step


@pytest.mark.parametrize("limb", ["tail", "arm"])
def test_a_tail_or_an_arm_that_hangs_to_the_floor_is_lifted_and_said(limb, tmp_path):
    root = quadruped()
    if limb == "tail":
        add_limb(root, "tail", "-0.25 0 0", "-0.06 0 -0.08", 5 * ["0 1 0"])
    else:
        add_limb(root, "arm", "0.25 0 0.05", "0.02 0 -0.1", ["0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0"])
    robot, notes = import_robot(root, tmp_path)
    assert robot.foot_names == ("FL", "FR", "HL", "HR")
    assert any(f"with {limb}4 lifted off the floor" in sentence for sentence in sentences_of(notes, "found"))


def test_wheels_at_the_ends_of_legs_and_under_the_trunk_keep_no_quadruped_from_its_legs(tmp_path):
    root = quadruped()
    on_wheels(root)
    for index, x in enumerate((0.2, -0.2)):
        wheel = ET.SubElement(element_called(root, "body", "trunk"), "body", name=f"wheel{index}", pos=f"{x} 0 -0.2")
        ET.SubElement(wheel, "joint", name=f"spin{index}", axis="0 1 0")
        ET.SubElement(wheel, "geom", type="cylinder", size="0.05 0.02", euler="1.5708 0 0", mass="0.1")
    robot, notes = import_robot(root, tmp_path)
    assert robot.foot_names == ("FL", "FR", "HL", "HR")
    assert any("wheels, taken as braked" in sentence for sentence in sentences_of(notes, "assumed"))
