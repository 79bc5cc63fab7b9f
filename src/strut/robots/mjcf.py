"""MJCF text from a robot's numbers: a floating body with limbs given as Denavit-Hartenberg rows and rods."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from strut.robot import Array

Table = Mapping[str, Any]
FLOOR = "floor"
BASE = "body"


def mount_rotation(x_axis: Array, z_axis: Array) -> Array:
    """Return the rotation whose columns are x, z × x and z, from a mount's two axes. Shape (3, 3)."""
    x, z = np.asarray(x_axis, dtype=float), np.asarray(z_axis, dtype=float)
    return np.column_stack([x, np.cross(z, x), z])


def joint_name(mount: str, joint: str) -> str:
    """Return the model-wide name of a joint, for instance LF_knee."""
    return f"{mount}_{joint}"


def foot_frame(mount: str, end: str) -> str:
    """Return the model-wide name of the frame at the end of a limb, for instance LF_foot."""
    return f"{mount}_{end}"


def robot_mjcf(name: str, table: Table) -> str:
    """Return the MJCF text of the robot described by `robot.toml`."""
    root = ET.Element("mujoco", model=name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(root, "option", timestep="0.002", integrator="implicitfast")
    ET.SubElement(ET.SubElement(root, "default"), "geom", contype="1", conaffinity="0")
    world = ET.SubElement(root, "worldbody")
    ET.SubElement(
        world,
        "geom",
        name=FLOOR,
        type="plane",
        size="0 0 0.05",
        contype="0",
        conaffinity="1",
        priority="1",
        friction=numbers([table["contact"]["friction"], 0.005, 0.0001]),
    )
    body = ET.SubElement(world, "body", name=BASE, pos=numbers([0.0, 0.0, table["body"]["start_height_m"]]))
    ET.SubElement(body, "freejoint", name="base")
    _add_box(body, table["body"])
    actuator = ET.Element("actuator")
    for mount in table["mount"]:
        _add_limb(body, actuator, mount, table)
    root.append(actuator)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _add_box(body: ET.Element, box: Table) -> None:
    size, mass = np.asarray(box["size_m"]), box["mass_kg"]
    inertia = mass / 12.0 * (np.sum(size**2) - size**2)
    ET.SubElement(body, "inertial", pos="0 0 0", mass=repr(mass), diaginertia=numbers(inertia))
    ET.SubElement(body, "geom", type="box", size=numbers(size / 2.0), rgba=numbers(box["color"]))
    for mark in box.get("mark", ()):
        ET.SubElement(
            body,
            "geom",
            type="sphere",
            pos=numbers(mark["position_m"]),
            size=repr(mark["radius_m"]),
            rgba=numbers(mark["color"]),
            contype="0",
        )


def _add_limb(body: ET.Element, actuator: ET.Element, mount: Table, table: Table) -> None:
    limb, servo = table["limb"][mount["limb"]], table["servo"]
    links = {link["joint"]: link for link in limb["links"]}
    parent, position = body, np.asarray(mount["position_m"], dtype=float)
    rotation = mount_rotation(mount["x_axis"], mount["z_axis"])
    for joint, middle_rad in zip(limb["joints"], mount["middle_rad"], strict=True):
        name = joint_name(mount["name"], joint["name"])
        link = ET.SubElement(parent, "body", name=name, pos=numbers(position), quat=numbers(quaternion(rotation)))
        ET.SubElement(
            link,
            "joint",
            name=name,
            type="hinge",
            axis="0 0 1",
            armature=repr(servo["armature_kg_m2"]),
            range=numbers([middle_rad - joint["half_range_rad"], middle_rad + joint["half_range_rad"]]),
        )
        ET.SubElement(
            actuator,
            "position",
            name=name,
            joint=name,
            kp=repr(servo["stiffness_nm_rad"]),
            kv=repr(servo["damping_nm_s_rad"]),
            forcerange=numbers([-servo["torque_limit_nm"], servo["torque_limit_nm"]]),
        )
        _add_rod(link, links[joint["name"]])
        parent, position = link, np.array([joint["a_m"], 0.0, joint["d_m"]])
        rotation = _rotation_x(joint["alpha_rad"])
    _add_end(parent, mount["name"], limb["end"], table["contact"]["foot_radius_m"])


def _add_end(link: ET.Element, mount: str, end: Table, radius_m: float) -> None:
    frame = foot_frame(mount, end["name"])
    ET.SubElement(
        link,
        "geom",
        name=frame,
        type="sphere",
        pos=numbers(end["position_m"]),
        size=repr(radius_m),
        rgba=numbers(end["color"]),
    )
    ET.SubElement(link, "site", name=frame, pos=numbers(end["position_m"]))


def _add_rod(link: ET.Element, rod: Table) -> None:
    """Add a solid cylinder between two points, or a solid ball where they coincide."""
    start, stop = np.asarray(rod["from_m"], dtype=float), np.asarray(rod["to_m"], dtype=float)
    mass, radius, length = rod["mass_kg"], rod["radius_m"], float(np.linalg.norm(stop - start))
    inertial = ET.SubElement(link, "inertial", pos=numbers((start + stop) / 2.0), mass=repr(mass))
    if length == 0.0:
        inertial.set("diaginertia", numbers([0.4 * mass * radius**2] * 3))
        ET.SubElement(link, "geom", type="sphere", pos=numbers(start), size=repr(radius), rgba=numbers(rod["color"]))
        return
    axis = (stop - start) / length
    along, across = mass * radius**2 / 2.0, mass * (3.0 * radius**2 + length**2) / 12.0
    inertia = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    inertial.set("fullinertia", numbers([inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]))
    rod_geom = ET.SubElement(
        link, "geom", type="capsule", fromto=numbers([*start, *stop]), size=repr(radius), rgba=numbers(rod["color"])
    )
    if not rod.get("touches_ground", True):
        rod_geom.set("contype", "0")


def _rotation_x(angle_rad: float) -> Array:
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def quaternion(rotation: Array) -> Array:
    """Return the quaternion wxyz of a rotation. Shape (3, 3) in, (4,) out."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import, and only building needs it)

    return np.asarray(Rotation.from_matrix(rotation).as_quat(scalar_first=True))


def numbers(values: Any) -> str:
    """Return numbers as MJCF wants them, with all their digits."""
    return " ".join(repr(float(value)) for value in values)
