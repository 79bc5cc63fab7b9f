"""Faults of robot models: each function breaks a robot in one way; the tables have the text of the refusal."""

from xml.etree import ElementTree as ET

from tests.adoption.small_robots import SIDES


def element_called(root, tag, name):
    return next(element for element in root.iter(tag) if element.get("name") == name)


# --- MJCF: faults of a quadruped --------------------------------------------------------------


def sliding_knee(root):
    element_called(root, "joint", "FL_knee").set("type", "slide")


def sliding_hips(root):
    for name in SIDES:
        element_called(root, "joint", f"{name}_pitch").set("type", "slide")


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
    trunk = element_called(root, "body", "trunk")
    for name in ("FR", "HL", "HR"):
        _drop_leg(root, trunk, name)


def _drop_leg(root, trunk, name):
    trunk.remove(element_called(root, "body", f"{name}_hip"))
    for motor in [motor for motor in root.iter("motor") if motor.get("joint").startswith(name)]:
        root.find("actuator").remove(motor)


def three_legs(root):
    _drop_leg(root, element_called(root, "body", "trunk"), "HR")


def no_legs(root):
    trunk = element_called(root, "body", "trunk")
    for name in SIDES:
        _drop_leg(root, trunk, name)


def wheels(root):
    on_wheels(root)
    for name in SIDES:  # without knees too few joints are left to step with braked wheels
        shank = element_called(root, "body", f"{name}_shank")
        shank.remove(element_called(root, "joint", f"{name}_knee"))
        for motor in [motor for motor in root.iter("motor") if motor.get("joint") == f"{name}_knee"]:
            root.find("actuator").remove(motor)


def on_wheels(root):
    for name in SIDES:
        shank = element_called(root, "body", f"{name}_shank")
        shank.remove(element_called(root, "geom", f"{name}_foot"))
        wheel = ET.SubElement(shank, "body", name=f"{name}_wheel", pos="0 0 -0.2")
        ET.SubElement(wheel, "joint", name=f"{name}_spin", axis="0 1 0")
        ET.SubElement(wheel, "geom", type="cylinder", size="0.06 0.02", euler="1.5708 0 0", mass="0.3")
        ET.SubElement(root.find("actuator"), "motor", joint=f"{name}_spin")


def wheels_on_the_trunk(root):
    trunk = element_called(root, "body", "trunk")
    for name, (x, y) in SIDES.items():
        _drop_leg(root, trunk, name)
        wheel = ET.SubElement(trunk, "body", name=f"{name}_wheel", pos=f"{x} {y} -0.08")
        ET.SubElement(wheel, "joint", name=f"{name}_spin", axis="0 1 0")
        ET.SubElement(wheel, "geom", type="cylinder", size="0.12 0.02", euler="1.5708 0 0", mass="0.3")


def missing_mesh(root):
    assets = ET.SubElement(root, "asset")
    ET.SubElement(assets, "mesh", name="shell", file="shell.stl")
    ET.SubElement(element_called(root, "body", "trunk"), "geom", type="mesh", mesh="shell", mass="1")


def empty_mesh(root):
    missing_mesh(root)
    root.find("asset/mesh").set("file", "empty.stl")


def unknown_mesh(root):
    ET.SubElement(element_called(root, "body", "trunk"), "geom", type="mesh", mesh="missing")


def negative_mass(root):
    inertial = ET.SubElement(element_called(root, "body", "FL_thigh"), "inertial", pos="0 0 0", mass="-1")
    inertial.set("diaginertia", "0.01 0.01 0.01")


def negative_inertia(root):
    inertial = ET.SubElement(element_called(root, "body", "FL_thigh"), "inertial", pos="0 0 0", mass="1")
    inertial.set("diaginertia", "-0.01 0.01 0.01")


def inertia_of_nothing(root):
    inertial = ET.SubElement(element_called(root, "body", "FL_thigh"), "inertial", pos="0 0 0", mass="1")
    inertial.set("diaginertia", "nan 0.01 0.01")


def weightless(root):
    for geom in root.iter("geom"):
        geom.set("mass", "0")


def weightless_trunk(root):
    ET.SubElement(element_called(root, "body", "trunk"), "inertial", pos="0 0 0", mass="0", diaginertia="0.1 0.1 0.1")


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
        element_called(root, "body", f"{name}_hip").set("pos", f"{x} 0 0")
        element_called(root, "body", f"{name}_thigh").set("pos", "0 0 0")


def in_a_plane(root):
    trunk = element_called(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    for name, kind, axis in (("x", "slide", "1 0 0"), ("z", "slide", "0 0 1"), ("turn", "hinge", "0 1 0")):
        trunk.insert(0, ET.Element("joint", name=name, type=kind, axis=axis))


def on_a_rail(root):
    trunk = element_called(root, "body", "trunk")
    trunk.remove(trunk.find("freejoint"))
    trunk.insert(0, ET.Element("joint", name="rail", type="slide", axis="1 0 0"))


def no_joints(root):
    for body in list(root.iter("body")):
        for joint in body.findall("joint"):
            body.remove(joint)
    root.remove(root.find("actuator"))


def no_bodies(root):
    root.find("worldbody").remove(element_called(root, "body", "trunk"))
    root.remove(root.find("actuator"))


def no_shapes(root):
    for body in root.iter("body"):
        for geom in body.findall("geom"):
            body.remove(geom)
        inertial = ET.SubElement(body, "inertial", pos="0 0 0", mass="1")
        inertial.set("diaginertia", "0.01 0.01 0.01")


def two_robots(root):
    text = ET.tostring(element_called(root, "body", "trunk"), encoding="unicode").replace('name="', 'name="other_')
    root.find("worldbody").append(ET.fromstring(text))


def double_name(root):
    element_called(root, "body", "FR_hip").set("name", "FL_hip")


def double_joint_name(root):
    element_called(root, "joint", "FR_knee").set("name", "FL_knee")


def motor_without_joint(root):
    ET.SubElement(root.find("actuator"), "motor", joint="tail")


def unknown_tag(root):
    ET.SubElement(root, "emotion", name="sad")


def unknown_attribute(root):
    element_called(root, "body", "trunk").set("colour", "red")


def no_number(root):
    element_called(root, "body", "FL_hip").set("pos", "here")


def not_a_number(root):
    element_called(root, "body", "FL_hip").set("pos", "nan 0 0")


def upside_down_range(root):
    element_called(root, "joint", "FL_knee").set("range", "1 -1")


def zero_axis(root):
    element_called(root, "joint", "FL_knee").set("axis", "0 0 0")


def zero_size(root):
    element_called(root, "geom", "FL_foot").set("size", "0")


def unequal_legs(root):
    for name in ("FL", "HL"):
        hip = element_called(root, "body", f"{name}_hip")
        thigh = element_called(root, "body", f"{name}_thigh")
        hip.remove(hip.find("joint"))
        thigh.remove(thigh.find("joint"))
    for motor in [
        m for m in root.iter("motor") if m.get("joint").startswith(("FL", "HL")) and "knee" not in m.get("joint")
    ]:
        root.find("actuator").remove(motor)


def missing_include(root):
    ET.SubElement(root, "include", file="missing.xml")


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
    inertia_of_nothing: "the inertia ixx of the link FL_thigh is 'nan', which is not a finite number; correct it",
    weightless_trunk: "the link trunk, which carries all others, has no mass",
    nearly_weightless: "weigh",
    giant: "high",
    dwarf: "high",
    as_heavy_as_a_house: "weighs",
    legs_in_a_line: "planar|line",
    in_a_plane: "planar",
    on_a_rail: "planar",
    no_joints: "nothing in it moves",
    no_bodies: "no bodies",
    no_shapes: "shape",
    two_robots: r"it holds 2 robots \(trunk, other_trunk\); choose one with --name trunk, or give",
    double_name: "repeated name",
    double_joint_name: "repeated name",
    motor_without_joint: "tail",
    unknown_tag: "emotion",
    unknown_attribute: "colour",
    no_number: "pos",
    not_a_number: "nan|NaN|pos|finite",
    upside_down_range: "range",
    zero_axis: "axis",
    zero_size: "size",
    unequal_legs: "not alike|wheels|legs",
    missing_include: "missing.xml",
    include_of_itself: "broken.xml|include",
    locked_in_ranges: "stands|rests|legs",
}


# --- URDF: faults of a biped ------------------------------------------------------------------


def circle(root):
    element_called(root, "joint", "waist").find("parent").set("link", "head")


def two_parents(root):
    joint = ET.fromstring(ET.tostring(element_called(root, "joint", "left_knee")))
    joint.set("name", "second")
    joint.find("parent").set("link", "pelvis")
    root.append(joint)


def two_roots(root):
    root.remove(element_called(root, "joint", "left_hip_yaw"))


def missing_link(root):
    root.remove(element_called(root, "link", "left_foot"))


def same_link_twice(root):
    root.append(ET.fromstring(ET.tostring(element_called(root, "link", "head"))))


def missing_collision_mesh(root):
    geometry = element_called(root, "link", "torso").find("collision/geometry")
    geometry.clear()
    ET.SubElement(geometry, "mesh", filename="package://missing/torso.stl")


def prismatic_knee(root):
    element_called(root, "joint", "right_knee").set("type", "prismatic")


def mimicking_knee(root):
    ET.SubElement(element_called(root, "joint", "right_knee"), "mimic", joint="left_knee")


def negative_link_mass(root):
    element_called(root, "link", "torso").find("inertial/mass").set("value", "-3")


def negative_link_inertia(root):
    element_called(root, "link", "torso").find("inertial/inertia").set("ixx", "-1")


def link_inertia_of_nothing(root):
    element_called(root, "link", "torso").find("inertial/inertia").set("ixx", "nan")


def mass_of_words(root):
    element_called(root, "link", "torso").find("inertial/mass").set("value", "heavy")


def no_links(root):
    for child in list(root):
        root.remove(child)


def unknown_kind_of_joint(root):
    element_called(root, "joint", "right_knee").set("type", "elastic")


def upper_body_only(root):
    for side in ("left", "right"):
        for name in ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll"):
            root.remove(element_called(root, "joint", f"{side}_{name}"))
            root.remove(element_called(root, "link", f"{side}_foot" if name == "ankle_roll" else f"{side}_{name}_link"))


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
    link_inertia_of_nothing: "the inertia ixx of the link torso is 'nan', which is not a finite number; correct it",
    mass_of_words: "heavy",
    no_links: "no links",
    unknown_kind_of_joint: "joint",
    upper_body_only: "hands|rests on its base|arms|legs",
    legs_without_joints: "rests on its base|legs",
}
