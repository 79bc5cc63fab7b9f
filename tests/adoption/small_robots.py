"""Small robots as MJCF and URDF trees."""

from xml.etree import ElementTree as ET

from strut.adoption.adopt import inspect_robot
from strut.adoption.robot_folder import encode_folder, write_folder
from strut.models.catalogue import load_robot

SIDES = {"FL": (0.2, 0.1), "FR": (0.2, -0.1), "HL": (-0.2, 0.1), "HR": (-0.2, -0.1)}


def _leg(trunk, name, x, y, *, motors):
    side = 1.0 if y > 0 else -1.0
    hip = ET.SubElement(trunk, "body", name=f"{name}_hip", pos=f"{x} {y} 0")
    ET.SubElement(hip, "joint", name=f"{name}_roll", axis="1 0 0", range="-0.8 0.8")
    ET.SubElement(hip, "geom", type="sphere", size="0.03", mass="0.4")
    thigh = ET.SubElement(hip, "body", name=f"{name}_thigh", pos=f"0 {0.06 * side} 0")
    ET.SubElement(thigh, "joint", name=f"{name}_pitch", axis="0 1 0", range="-1.5 2.5")
    ET.SubElement(thigh, "geom", type="capsule", fromto="0 0 0 0 0 -0.2", size="0.02", mass="0.6")
    shank = ET.SubElement(thigh, "body", name=f"{name}_shank", pos="0 0 -0.2")
    ET.SubElement(shank, "joint", name=f"{name}_knee", axis="0 1 0", range="-2.6 -0.1")
    ET.SubElement(shank, "geom", type="capsule", fromto="0 0 0 0 0 -0.19", size="0.012", mass="0.2")
    ET.SubElement(shank, "geom", name=f"{name}_foot", type="sphere", pos="0 0 -0.2", size="0.02", mass="0.05")
    for joint in ("roll", "pitch", "knee"):
        ET.SubElement(motors, "motor", joint=f"{name}_{joint}", ctrlrange="-20 20")


def quadruped(sides=SIDES):
    """Return the MJCF tree of a quadruped with three joints a leg."""
    root = ET.Element("mujoco", model="four")
    ET.SubElement(root, "compiler", angle="radian")
    world = ET.SubElement(root, "worldbody")
    motors = ET.SubElement(root, "actuator")
    ET.SubElement(world, "geom", name="floor", type="plane", size="5 5 0.1")
    trunk = ET.SubElement(world, "body", name="trunk", pos="0 0 0.4")
    ET.SubElement(trunk, "freejoint")
    ET.SubElement(trunk, "geom", name="trunk", type="box", size="0.25 0.08 0.05", mass="6")
    for name, (x, y) in sides.items():
        _leg(trunk, name, x, y, motors=motors)
    return root


def _link(name, mass, shape, pos="0 0 0"):
    inertia = 'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"'
    inertial = f'<inertial><origin xyz="{pos}"/><mass value="{mass}"/><inertia {inertia}/></inertial>'
    shapes = "".join(
        f'<{tag}><origin xyz="{pos}"/><geometry>{shape}</geometry></{tag}>' for tag in ("visual", "collision")
    )
    return f'<link name="{name}">{inertial}{shapes}</link>'


def _joint(name, parent, child, xyz, axis, low, high):
    limit = f'<limit lower="{low}" upper="{high}" effort="60" velocity="12"/>'
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>{limit}</joint>'
    )


def biped():
    """Return the URDF tree of a biped with six joints a leg, flat feet, a waist, a head and two arms of four joints."""
    parts = [
        _link("pelvis", 5, '<box size="0.15 0.2 0.1"/>'),
        _link("torso", 10, '<box size="0.2 0.3 0.4"/>', "0 0 0.25"),
    ]
    parts.append(_joint("waist", "pelvis", "torso", "0 0 0.05", "0 1 0", -0.5, 1.0))
    parts += [_link("head", 2, '<sphere radius="0.09"/>', "0 0 0.12")]
    parts.append(_joint("neck", "torso", "head", "0 0 0.47", "0 1 0", -0.6, 0.6))
    for side, y in (("left", 0.1), ("right", -0.1)):
        chain = [
            ("hip_yaw", 0.5, '<sphere radius="0.04"/>', "0 0 0", f"0 {y} -0.08", "0 0 1", -0.8, 0.8),
            ("hip_roll", 0.5, '<sphere radius="0.04"/>', "0 0 0", "0 0 0", "1 0 0", -0.6, 0.6),
            ("hip_pitch", 3, '<cylinder radius="0.05" length="0.3"/>', "0 0 -0.2", "0 0 0", "0 1 0", -1.8, 1.0),
            ("knee", 2, '<cylinder radius="0.04" length="0.3"/>', "0 0 -0.2", "0 0 -0.4", "0 1 0", 0.0, 2.3),
            ("ankle_pitch", 0.3, '<sphere radius="0.03"/>', "0 0 0", "0 0 -0.4", "0 1 0", -1.0, 1.0),
            ("ankle_roll", 0.8, '<box size="0.22 0.09 0.03"/>', "0.03 0 -0.05", "0 0 0", "1 0 0", -0.4, 0.4),
        ]
        parent = "pelvis"
        for name, mass, shape, place, xyz, axis, low, high in chain:
            link = f"{side}_{'foot' if name == 'ankle_roll' else name + '_link'}"
            parts += [_link(link, mass, shape, place), _joint(f"{side}_{name}", parent, link, xyz, axis, low, high)]
            parent = link
        arm = [
            ("shoulder_pitch", 1, '<sphere radius="0.05"/>', "0 0 0", f"0 {2.2 * y} 0.4", "0 1 0", -2.5, 1.5),
            ("shoulder_roll", 1, '<cylinder radius="0.03" length="0.2"/>', "0 0 -0.12", "0 0 0", "1 0 0", -1.5, 1.5),
            ("elbow", 1, '<cylinder radius="0.03" length="0.2"/>', "0 0 -0.12", "0 0 -0.25", "0 1 0", -2.2, 0.0),
            ("wrist", 0.3, '<sphere radius="0.04"/>', "0 0 -0.04", "0 0 -0.24", "0 0 1", -1.5, 1.5),
        ]
        parent = "torso"
        for name, mass, shape, place, xyz, axis, low, high in arm:
            link = f"{side}_{'hand' if name == 'wrist' else name + '_link'}"
            parts += [_link(link, mass, shape, place), _joint(f"{side}_{name}", parent, link, xyz, axis, low, high)]
            parent = link
    return ET.fromstring(f'<robot name="two">{"".join(parts)}</robot>')


def write_xml(root, path):
    """Write a tree to a file and return its path."""
    path.write_text(ET.tostring(root, encoding="unicode"), "utf-8")
    return path


def import_robot(root, folder, name="robot.xml"):
    """Return an imported robot with its notes, without the fit of its gait, which takes seconds."""
    findings = inspect_robot(write_xml(root, folder / name), "robot")
    write_folder(folder / "robot", encode_folder(findings))
    return load_robot(str(folder / "robot")), findings.notes
