"""Broken models: each is refused with one sentence that names the cause, or repaired with a note."""

import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import pytest

from strut.adoption.adopt import adopt, inspect_robot
from strut.adoption.note import sentences_of
from strut.adoption.package_robots import find_description
from strut.adoption.robot_folder import quote_toml
from strut.adoption.unreadable_meshes import find_broken_meshes
from strut.errors import NotAdoptedError
from tests.adoption.broken_robots import BROKEN_MJCF, BROKEN_URDF, element_called
from tests.adoption.small_robots import biped, import_robot, quadruped, write_xml


@pytest.mark.parametrize("fault", BROKEN_MJCF, ids=lambda fault: fault.__name__)
def test_a_broken_mjcf_is_refused_with_the_cause(fault, tmp_path):
    root = quadruped()
    fault(root)
    (tmp_path / "empty.stl").write_bytes(b"")
    with pytest.raises(NotAdoptedError, match=BROKEN_MJCF[fault]) as refused:
        adopt(write_xml(root, tmp_path / "broken.xml"), out=tmp_path / "robot")
    check_is_one_sentence(str(refused.value))
    assert not (tmp_path / "robot" / "robot.toml").exists()


def check_is_one_sentence(text):
    assert "\n" not in text
    assert "Traceback" not in text
    assert text.rstrip().endswith((".", "?"))


@pytest.mark.parametrize("fault", BROKEN_URDF, ids=lambda fault: fault.__name__)
def test_a_broken_urdf_is_refused_with_the_cause(fault, tmp_path):
    root = biped()
    fault(root)
    with pytest.raises(NotAdoptedError, match=BROKEN_URDF[fault]) as refused:
        adopt(write_xml(root, tmp_path / "broken.urdf"), out=tmp_path / "robot")
    check_is_one_sentence(str(refused.value))
    assert not (tmp_path / "robot" / "robot.toml").exists()


OTHER_FILES = {
    "empty.xml": ("", "not XML"),
    "half.xml": ("<mujoco><worldbody>", "not XML"),
    "prose.urdf": ("once upon a time", "not XML"),
    "page.xml": ("<html></html>", "neither MJCF nor URDF"),
    "robot.sdf": ("<sdf version='1.6'></sdf>", "SDF"),
    "robot.xacro": ("<robot name='x'></robot>", "xacro"),
    "bytes.xml": ("\udcff\udcfe", "not XML"),
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_other_kinds_of_files_are_refused(name, tmp_path):
    text, words = OTHER_FILES[name]
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(NotAdoptedError, match=words) as refused:
        adopt(tmp_path / name, out=tmp_path / "robot")
    check_is_one_sentence(str(refused.value))


@pytest.mark.parametrize("given", ["missing.xml", ".", "a_robot_in_no_package"])
def test_a_missing_description_is_refused(given):
    with pytest.raises(NotAdoptedError, match=r"no such file|is a folder"):
        adopt(given)


# --- Repairs with a note -------------------------------------------------------------------


def test_impossible_inertias_are_repaired(tmp_path):
    root = biped()
    element_called(root, "link", "torso").find("inertial/inertia").set("ixx", "1.0")
    _, notes = import_robot(root, tmp_path, "odd.urdf")
    assert any("no solid body has (torso)" in sentence for sentence in sentences_of(notes, "fault"))


def test_missing_limits_are_assumed(tmp_path):
    root = biped()
    for joint in root.findall("joint"):
        joint.find("limit").set("effort", "0")
        joint.find("limit").set("velocity", "12" if joint.get("name") == "neck" else "0")
    robot, notes = import_robot(root, tmp_path, "limitless.urdf")
    text = " ".join(sentences_of(notes, "assumed"))
    assert "no torque limit" in text
    assert "no speed limit" in text
    assert (robot.torque_limit_nm > 0.0).all()
    joints = tomllib.loads((tmp_path / "robot" / "robot.toml").read_text())["joint"]
    assert joints["neck"]["assumed"] == ["torque"]
    assert set(joints["waist"]["assumed"]) == {"speed", "torque"}


def test_a_visual_mesh_may_be_missing(tmp_path):
    root = biped()
    geometry = element_called(root, "link", "torso").find("visual/geometry")
    geometry.clear()
    ET.SubElement(geometry, "mesh", filename="package://missing/torso.dae")
    _, notes = import_robot(root, tmp_path, "bare.urdf")
    assert any("torso.dae" in sentence for sentence in sentences_of(notes, "fault"))


BROKEN_MESHES = {
    "empty.stl": (b"", "it is empty"),
    "cut.stl": (bytes(80) + (1000).to_bytes(4, "little") + bytes(50), "it holds no whole surface"),
    "nan.stl": (bytes(80) + (4).to_bytes(4, "little") + 4 * (12 * b"\0\0\xc0\x7f" + b"\0\0"), "no whole surface"),
    "words.stl": (30 * b"once upon a time ", "it has no faces"),
    "empty.obj": (b"", "it is empty"),
    "face.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 9\n", "it holds no whole surface"),
    "half.dae": (b"<COLLADA><asset>", "it is not XML"),
    "bare.dae": (b"<COLLADA version='1.4.1'><asset/></COLLADA>", "it is damaged"),
}


def with_mesh(kind, name, tag):
    """Return a robot with a visual or a collision mesh on its trunk."""
    root = biped() if kind == "urdf" else quadruped()
    if kind == "urdf":
        geometry = element_called(root, "link", "torso").find(f"{tag}/geometry")
        geometry.clear()
        ET.SubElement(geometry, "mesh", filename=name)
        return root
    ET.SubElement(ET.SubElement(root, "asset"), "mesh", name="shell", file=name)
    collides = str(int(tag == "collision"))
    trunk = element_called(root, "body", "trunk")
    ET.SubElement(trunk, "geom", type="mesh", mesh="shell", mass="0", contype=collides, conaffinity=collides)
    return root


@pytest.mark.parametrize("kind", ["urdf", "xml"])
@pytest.mark.parametrize("name", BROKEN_MESHES)
def test_a_broken_visual_mesh_is_left_out(name, kind, tmp_path):
    content, why = BROKEN_MESHES[name]
    (tmp_path / name).write_bytes(content)
    robot, notes = import_robot(with_mesh(kind, name, "visual"), tmp_path, f"robot.{kind}")
    faults = [sentence for sentence in sentences_of(notes, "fault") if f"({name}: " in sentence and why in sentence]
    assert len(faults) == 1
    assert faults[0].endswith("): not drawn.")
    assert len(robot.feet) in (2, 4)


@pytest.mark.parametrize("kind", ["urdf", "xml"])
@pytest.mark.parametrize("name", BROKEN_MESHES)
def test_a_broken_collision_mesh_is_refused_with_its_file_its_link_and_a_remedy(name, kind, tmp_path):
    content, why = BROKEN_MESHES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(NotAdoptedError, match=name) as refused:
        import_robot(with_mesh(kind, name, "collision"), tmp_path, f"robot.{kind}")
    words = str(refused.value)
    check_is_one_sentence(words)
    assert why in words
    assert f"of the link {'torso' if kind == 'urdf' else 'trunk'} " in words
    assert words.endswith("replace the file.")


UNOPENED = {
    "denied": (
        PermissionError(13, "Permission denied"),
        "it cannot be opened: Permission denied",
        "make the file readable.",
    ),
    "collada": (ImportError("missing `pip install pycollada`"), "COLLADA needs `pip install pycollada`", "try again."),
    "other": (
        ImportError("No module named 'lxml'"),
        "not installed: No module named 'lxml'",
        "install it and try again.",
    ),
    "gone": (
        FileNotFoundError(2, "No such file or directory"),
        "the file does not exist",
        "where the description names it.",
    ),
}


@pytest.mark.parametrize("kind", ["urdf", "xml"])
@pytest.mark.parametrize("cause", UNOPENED)
def test_a_mesh_that_cannot_be_opened_is_not_called_damaged(cause, kind, tmp_path, monkeypatch):
    error, why, remedy = UNOPENED[cause]

    read_bytes = Path.read_bytes

    def raises(file):
        if file.suffix == ".ply":
            raise error
        return read_bytes(file)

    (tmp_path / "shell.ply").write_bytes(b"ply")
    monkeypatch.setattr(Path, "read_bytes", raises)
    with pytest.raises(NotAdoptedError, match=r"shell\.ply") as refused:
        inspect_robot(write_xml(with_mesh(kind, "shell.ply", "collision"), tmp_path / f"robot.{kind}"), "robot")
    words = str(refused.value)
    check_is_one_sentence(words)
    assert why in words
    assert words.endswith(remedy)
    assert "damaged" not in words
    assert "whole one" not in words


def test_a_missing_mesh_is_not_called_empty(tmp_path):
    spec = mujoco.MjSpec()
    spec.add_mesh(name="gone", file="gone.stl")
    assert find_broken_meshes(spec, tmp_path / "robot.xml") == {"gone": "the file does not exist"}


def test_a_fixed_base_is_set_free(tmp_path):
    root = quadruped()
    trunk = element_called(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    robot, notes = import_robot(root, tmp_path)
    assert robot.floats
    assert any("set free" in sentence for sentence in sentences_of(notes, "assumed"))


@pytest.mark.parametrize("turns", [("hinge", "hinge", "hinge"), ("ball",)])
def test_three_slides_and_three_rotations_are_replaced_by_a_free_joint(tmp_path, turns):
    root = quadruped()
    trunk = element_called(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    for axis in ("1 0 0", "0 1 0", "0 0 1"):
        ET.SubElement(trunk, "joint", type="slide", axis=axis)
    for kind, axis in zip(turns, ("1 0 0", "0 1 0", "0 0 1"), strict=False):
        ET.SubElement(trunk, "joint", type=kind, axis=axis)
    robot, notes = import_robot(root, tmp_path)
    assert robot.floats
    assert any("three slides and three hinges" in sentence for sentence in sentences_of(notes, "assumed"))


def test_the_axes_of_a_planar_base_are_counted(tmp_path):
    root = quadruped()
    trunk = element_called(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    for kind, axis in (("slide", "1 0 0"), ("slide", "0 0 1"), ("hinge", "0 1 0")):
        ET.SubElement(trunk, "joint", type=kind, axis=axis)
    with pytest.raises(NotAdoptedError, match="only slide along 2 and rotate about 1 axes: a planar model"):
        import_robot(root, tmp_path)


@pytest.mark.parametrize("text", ["plain", 'a "name"', "C:\\robots\\dog.xml", '\\"', "tab\there"])
def test_any_text_is_written_as_a_string_that_toml_reads_back(text):
    assert tomllib.loads(f"text = {quote_toml(text)}")["text"] == text.replace("\t", " ")


def test_an_unknown_name_with_a_dot_is_refused(tmp_path, monkeypatch):
    (tmp_path / "robot_descriptions").mkdir()  # a package that is there, and has no such robot
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NotAdoptedError, match="no installed package has a robot of this name"):
        find_description("unknown_v1.lower")
