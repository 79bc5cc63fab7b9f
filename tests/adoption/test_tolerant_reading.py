"""Tolerant reading: faults of files that leave their meaning plain are read, and said in one sentence."""

from xml.etree import ElementTree as ET

import pytest
import trimesh

import strut
from strut.adoption.adopt import inspect_robot
from strut.adoption.note import sentences_of
from strut.errors import NotAdoptedError
from tests.adoption.broken_robots import element_called
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
