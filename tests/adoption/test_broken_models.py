"""Sixty broken models: one sentence each that names the cause, never a traceback, never a silent wrong robot."""

from xml.etree import ElementTree as ET

import pytest

from strut.adoption.adopt import adopt
from strut.adoption.package_robots import find_description
from strut.errors import NotAdoptedError
from tests.adoption.small_robots import SIDES, biped, quadruped, written


def _find(root, tag, name):
    return next(element for element in root.iter(tag) if element.get("name") == name)


def _parent(root, child):
    return next(element for element in root.iter() if child in list(element))


# --- MJCF: what a function does to a whole quadruped --------------------------------------------------------------


def sliding_knee(root):
    _find(root, "joint", "FL_knee").set("type", "slide")


def sliding_hips(root):
    for name in SIDES:
        _find(root, "joint", f"{name}_pitch").set("type", "slide")


def closed_loop(root):
    equality = ET.SubElement(root, "equality")
    ET.SubElement(equality, "connect", body1="FL_shank", body2="trunk", anchor="0 0 0")


def welded_leg(root):
    equality = ET.SubElement(root, "equality")
    ET.SubElement(equality, "weld", body1="HR_shank", body2="HL_shank")


def coupled_knee(root):
    equality = ET.SubElement(root, "equality")
    ET.SubElement(equality, "joint", joint1="FL_knee", joint2="FL_pitch", polycoef="0 1 0 0 0")


def passive_knee(root):
    for motor in [motor for motor in root.iter("motor") if motor.get("joint") == "HL_knee"]:
        root.find("actuator").remove(motor)


def passive_rolls(root):
    for motor in [motor for motor in root.iter("motor") if motor.get("joint").endswith("_roll")]:
        root.find("actuator").remove(motor)


def one_leg_short(root):
    trunk = _find(root, "body", "trunk")
    for name in ("FR", "HL", "HR"):
        _drop_leg(root, trunk, name)


def _drop_leg(root, trunk, name):
    trunk.remove(_find(root, "body", f"{name}_hip"))
    for motor in [motor for motor in root.iter("motor") if motor.get("joint").startswith(name)]:
        root.find("actuator").remove(motor)


def three_legs(root):
    _drop_leg(root, _find(root, "body", "trunk"), "HR")


def no_legs(root):
    trunk = _find(root, "body", "trunk")
    for name in SIDES:
        _drop_leg(root, trunk, name)


def wheels(root):
    for name in SIDES:
        shank = _find(root, "body", f"{name}_shank")
        shank.remove(_find(root, "geom", f"{name}_foot"))
        wheel = ET.SubElement(shank, "body", name=f"{name}_wheel", pos="0 0 -0.2")
        ET.SubElement(wheel, "joint", name=f"{name}_spin", axis="0 1 0")
        ET.SubElement(wheel, "geom", type="cylinder", size="0.06 0.02", euler="1.5708 0 0", mass="0.3")
        ET.SubElement(root.find("actuator"), "motor", joint=f"{name}_spin")


def wheels_on_the_trunk(root):
    trunk = _find(root, "body", "trunk")
    for name, (x, y) in SIDES.items():
        _drop_leg(root, trunk, name)
        wheel = ET.SubElement(trunk, "body", name=f"{name}_wheel", pos=f"{x} {y} -0.08")
        ET.SubElement(wheel, "joint", name=f"{name}_spin", axis="0 1 0")
        ET.SubElement(wheel, "geom", type="cylinder", size="0.12 0.02", euler="1.5708 0 0", mass="0.3")


def missing_mesh(root):
    assets = ET.SubElement(root, "asset")
    ET.SubElement(assets, "mesh", name="shell", file="shell.stl")
    ET.SubElement(_find(root, "body", "trunk"), "geom", type="mesh", mesh="shell", mass="1")


def empty_mesh(root):
    missing_mesh(root)
    root.find("asset/mesh").set("file", "empty.stl")


def unknown_mesh(root):
    ET.SubElement(_find(root, "body", "trunk"), "geom", type="mesh", mesh="nobody")


def negative_mass(root):
    inertial = ET.SubElement(_find(root, "body", "FL_thigh"), "inertial", pos="0 0 0", mass="-1")
    inertial.set("diaginertia", "0.01 0.01 0.01")


def negative_inertia(root):
    inertial = ET.SubElement(_find(root, "body", "FL_thigh"), "inertial", pos="0 0 0", mass="1")
    inertial.set("diaginertia", "-0.01 0.01 0.01")


def weightless(root):
    for geom in root.iter("geom"):
        geom.set("mass", "0")


def nearly_weightless(root):
    for geom in root.iter("geom"):
        geom.set("mass", "0.00001")


def giant(root):
    _scale(root, 1000.0)


def dwarf(root):
    _scale(root, 0.01)


def _scale(root, factor):
    for element in root.iter():
        for key in ("pos", "size", "fromto"):
            if key in element.attrib:
                element.set(key, " ".join(str(float(number) * factor) for number in element.get(key).split()))


def as_heavy_as_a_house(root):
    for geom in root.iter("geom"):
        geom.set("mass", "1e6")


def legs_in_a_line(root):
    for name, x in zip(SIDES, (0.3, 0.1, -0.1, -0.3), strict=True):
        _find(root, "body", f"{name}_hip").set("pos", f"{x} 0 0")
        _find(root, "body", f"{name}_thigh").set("pos", "0 0 0")


def in_a_plane(root):
    trunk = _find(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    for name, kind, axis in (("x", "slide", "1 0 0"), ("z", "slide", "0 0 1"), ("turn", "hinge", "0 1 0")):
        trunk.insert(0, ET.Element("joint", name=name, type=kind, axis=axis))


def on_a_rail(root):
    trunk = _find(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    trunk.insert(0, ET.Element("joint", name="rail", type="slide", axis="1 0 0"))


def no_joints(root):
    for body in list(root.iter("body")):
        for joint in body.findall("joint"):
            body.remove(joint)
    root.remove(root.find("actuator"))


def no_bodies(root):
    root.find("worldbody").remove(_find(root, "body", "trunk"))
    root.remove(root.find("actuator"))


def no_shapes(root):
    for body in root.iter("body"):
        for geom in body.findall("geom"):
            body.remove(geom)
        inertial = ET.SubElement(body, "inertial", pos="0 0 0", mass="1")
        inertial.set("diaginertia", "0.01 0.01 0.01")


def two_robots(root):
    text = ET.tostring(_find(root, "body", "trunk"), encoding="unicode").replace('name="', 'name="other_')
    root.find("worldbody").append(ET.fromstring(text))


def double_name(root):
    _find(root, "body", "FR_hip").set("name", "FL_hip")


def double_joint_name(root):
    _find(root, "joint", "FR_knee").set("name", "FL_knee")


def motor_of_nobody(root):
    ET.SubElement(root.find("actuator"), "motor", joint="tail")


def unknown_tag(root):
    ET.SubElement(root, "emotion", name="sad")


def unknown_attribute(root):
    _find(root, "body", "trunk").set("colour", "red")


def no_number(root):
    _find(root, "body", "FL_hip").set("pos", "here")


def not_a_number(root):
    _find(root, "body", "FL_hip").set("pos", "nan 0 0")


def upside_down_range(root):
    _find(root, "joint", "FL_knee").set("range", "1 -1")


def zero_axis(root):
    _find(root, "joint", "FL_knee").set("axis", "0 0 0")


def zero_size(root):
    _find(root, "geom", "FL_foot").set("size", "0")


def unequal_legs(root):
    for name in ("FL", "HL"):
        hip = _find(root, "body", f"{name}_hip")
        thigh = _find(root, "body", f"{name}_thigh")
        hip.remove(hip.find("joint"))
        thigh.remove(thigh.find("joint"))
    for motor in [
        m for m in root.iter("motor") if m.get("joint").startswith(("FL", "HL")) and "knee" not in m.get("joint")
    ]:
        root.find("actuator").remove(motor)


def include_of_nobody(root):
    ET.SubElement(root, "include", file="nobody.xml")


def include_of_itself(root):
    ET.SubElement(root, "include", file="broken.xml")


def locked_in_ranges(root):
    for joint in root.iter("joint"):
        if joint.get("name").endswith("_pitch"):
            joint.set("range", "1.5 1.6")
        if joint.get("name").endswith("_knee"):
            joint.set("range", "-0.2 -0.1")


BROKEN_MJCF = {
    sliding_knee: "slides",
    sliding_hips: "slides",
    closed_loop: "closed loop",
    welded_leg: "closed loop",
    coupled_knee: "follows another",
    passive_knee: "no motor moves",
    passive_rolls: "no motor moves",
    one_leg_short: "one leg",
    three_legs: "three legs|not alike|no posture",
    no_legs: "nothing in it moves",
    wheels: "wheels",
    wheels_on_the_trunk: "wheels|rests on its base",
    missing_mesh: "shell.stl",
    empty_mesh: "empty.stl",
    unknown_mesh: "mesh",
    negative_mass: "mass",
    negative_inertia: "inertia",
    weightless: "weigh|mass",
    nearly_weightless: "weigh",
    giant: "high",
    dwarf: "high",
    as_heavy_as_a_house: "weighs",
    legs_in_a_line: "plane|line",
    in_a_plane: "plane",
    on_a_rail: "plane",
    no_joints: "nothing in it moves",
    no_bodies: "no bodies",
    no_shapes: "shape",
    two_robots: "2 robots",
    double_name: "repeated name",
    double_joint_name: "repeated name",
    motor_of_nobody: "tail",
    unknown_tag: "emotion",
    unknown_attribute: "colour",
    no_number: "pos",
    not_a_number: "nan|NaN|pos|finite",
    upside_down_range: "range",
    zero_axis: "axis",
    zero_size: "size",
    unequal_legs: "not alike|wheels|legs",
    include_of_nobody: "nobody.xml",
    include_of_itself: "broken.xml|include",
    locked_in_ranges: "stands|rests|legs",
}


@pytest.mark.parametrize("fault", BROKEN_MJCF, ids=lambda fault: fault.__name__)
def test_a_broken_mjcf_is_refused_with_the_cause(fault, tmp_path):
    root = quadruped()
    fault(root)
    (tmp_path / "empty.stl").write_bytes(b"")
    with pytest.raises(NotAdoptedError, match=BROKEN_MJCF[fault]) as refused:
        adopt(written(root, tmp_path / "broken.xml"), out=tmp_path / "robot")
    _is_one_sentence(str(refused.value))
    assert not (tmp_path / "robot" / "robot.toml").exists()


def _is_one_sentence(words):
    assert "\n" not in words
    assert "Traceback" not in words
    assert words.rstrip().endswith((".", "?"))


# --- URDF: what a function does to a whole biped ------------------------------------------------------------------


def circle(root):
    _find(root, "joint", "waist").find("parent").set("link", "head")


def two_parents(root):
    joint = ET.fromstring(ET.tostring(_find(root, "joint", "left_knee")))
    joint.set("name", "second")
    joint.find("parent").set("link", "pelvis")
    root.append(joint)


def two_roots(root):
    root.remove(_find(root, "joint", "left_hip_yaw"))


def missing_link(root):
    root.remove(_find(root, "link", "left_foot"))


def same_link_twice(root):
    root.append(ET.fromstring(ET.tostring(_find(root, "link", "head"))))


def missing_collision_mesh(root):
    geometry = _find(root, "link", "torso").find("collision/geometry")
    geometry.clear()
    ET.SubElement(geometry, "mesh", filename="package://nobody/torso.stl")


def prismatic_knee(root):
    _find(root, "joint", "right_knee").set("type", "prismatic")


def mimicking_knee(root):
    ET.SubElement(_find(root, "joint", "right_knee"), "mimic", joint="left_knee")


def negative_link_mass(root):
    _find(root, "link", "torso").find("inertial/mass").set("value", "-3")


def negative_link_inertia(root):
    _find(root, "link", "torso").find("inertial/inertia").set("ixx", "-1")


def mass_of_words(root):
    _find(root, "link", "torso").find("inertial/mass").set("value", "heavy")


def no_links(root):
    for child in list(root):
        root.remove(child)


def unknown_kind_of_joint(root):
    _find(root, "joint", "right_knee").set("type", "elastic")


def upper_body_only(root):
    for side in ("left", "right"):
        for name in ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll"):
            root.remove(_find(root, "joint", f"{side}_{name}"))
            root.remove(_find(root, "link", f"{side}_foot" if name == "ankle_roll" else f"{side}_{name}_link"))


def legs_without_joints(root):
    for joint in root.findall("joint"):
        if joint.get("name").split("_")[-1] in ("yaw", "roll", "pitch", "knee"):
            joint.set("type", "fixed")


BROKEN_URDF = {
    circle: "circle|two joints|no parent",
    two_parents: "closed loop",
    two_roots: "no parent",
    missing_link: "left_foot",
    same_link_twice: "head",
    missing_collision_mesh: "torso.stl",
    prismatic_knee: "slides",
    mimicking_knee: "follows another",
    negative_link_mass: "-3",
    negative_link_inertia: "inertia",
    mass_of_words: "heavy",
    no_links: "no links",
    unknown_kind_of_joint: "joint",
    upper_body_only: "hands|rests on its base|arms|legs",
    legs_without_joints: "rests on its base|legs",
}


@pytest.mark.parametrize("fault", BROKEN_URDF, ids=lambda fault: fault.__name__)
def test_a_broken_urdf_is_refused_with_the_cause(fault, tmp_path):
    root = biped()
    fault(root)
    with pytest.raises(NotAdoptedError, match=BROKEN_URDF[fault]) as refused:
        adopt(written(root, tmp_path / "broken.urdf"), out=tmp_path / "robot")
    _is_one_sentence(str(refused.value))
    assert not (tmp_path / "robot" / "robot.toml").exists()


OTHER_FILES = {
    "empty.xml": ("", "no XML"),
    "half.xml": ("<mujoco><worldbody>", "no XML"),
    "prose.urdf": ("once upon a time", "no XML"),
    "page.xml": ("<html></html>", "neither MJCF nor URDF"),
    "robot.sdf": ("<sdf version='1.6'></sdf>", "SDF"),
    "robot.xacro": ("<robot name='x'></robot>", "xacro"),
    "bytes.xml": ("\udcff\udcfe", "no XML"),
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_what_is_no_robot_at_all_is_refused(name, tmp_path):
    text, words = OTHER_FILES[name]
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(NotAdoptedError, match=words) as refused:
        adopt(tmp_path / name, out=tmp_path / "robot")
    _is_one_sentence(str(refused.value))


def test_there_are_sixty_of_them():
    assert len(BROKEN_MJCF) + len(BROKEN_URDF) + len(OTHER_FILES) >= 60


@pytest.mark.parametrize("given", ["nobody.xml", ".", "a_robot_that_nobody_has"])
def test_what_is_not_there_is_said(given):
    with pytest.raises(NotAdoptedError, match=r"no such file|is a folder"):
        adopt(given)


# --- What can be repaired is repaired, and told -------------------------------------------------------------------


def test_impossible_inertias_are_repaired_and_told(tmp_path):
    root = biped()
    _find(root, "link", "torso").find("inertial/inertia").set("ixx", "1.0")
    adopted = adopt(written(root, tmp_path / "odd.urdf"), out=tmp_path / "robot")
    assert any("no solid body has (torso)" in sentence for sentence in adopted.sentences("fault"))


def test_limits_that_nobody_wrote_are_assumed_and_told(tmp_path):
    root = biped()
    for joint in root.findall("joint"):
        joint.find("limit").set("effort", "0")
        joint.find("limit").set("velocity", "0")
    adopted = adopt(written(root, tmp_path / "limitless.urdf"), out=tmp_path / "robot")
    told = " ".join(adopted.sentences("assumed"))
    assert "no torque limit" in told
    assert "no speed limit" in told
    assert (adopted.robot.torque_limit_nm > 0.0).all()


def test_a_mesh_that_is_only_seen_may_be_missing(tmp_path):
    root = biped()
    geometry = _find(root, "link", "torso").find("visual/geometry")
    geometry.clear()
    ET.SubElement(geometry, "mesh", filename="package://nobody/torso.dae")
    adopted = adopt(written(root, tmp_path / "bare.urdf"), out=tmp_path / "robot")
    assert any("torso.dae" in sentence for sentence in adopted.sentences("fault"))


def test_a_fixed_base_is_set_free_and_told(tmp_path):
    root = quadruped()
    trunk = _find(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    adopted = adopt(written(root, tmp_path / "fixed.xml"), out=tmp_path / "robot")
    assert adopted.robot.floats
    assert any("set free" in sentence for sentence in adopted.sentences("assumed"))


def test_a_name_with_a_dot_that_no_package_has_gets_its_sentence(tmp_path, monkeypatch):
    (tmp_path / "robot_descriptions").mkdir()  # a package that is there, and has no such robot
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NotAdoptedError, match="no installed package has a robot of this name"):
        find_description("nobody_v1.lower")
