"""MJCF text from a robot's numbers: a floating body with limbs given as offsets and joint axes, on flat feet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from strut.robot import Array, Foot, Robot
from strut.robots.mjcf import BASE, FLOOR, foot_frame, joint_name

Table = Mapping[str, Any]


def axis_robot(name: str, tables: Mapping[str, Table]) -> Robot:
    """Return the robot whose `robot.toml` gives its limbs as offsets and joint axes."""
    body = tables["robot"]
    limbs = [(mount, body["limb"][mount["limb"]]) for mount in body["mount"]]
    joints = [(mount, joint) for mount, limb in limbs for link in limb["links"] for joint in link["joints"]]
    limb_mass_kg = sum(link["mass_kg"] for _, limb in limbs for link in limb["links"])
    return Robot(
        name=name,
        title=body["title"],
        mjcf=axis_mjcf(name, body),
        joint_names=tuple(joint_name(mount["name"], joint["name"]) for mount, joint in joints),
        joint_lower_rad=np.array([joint["lower_rad"] for _, joint in joints]),
        joint_upper_rad=np.array([joint["upper_rad"] for _, joint in joints]),
        joint_speed_limit_rad_s=np.full(len(joints), body["servo"]["speed_limit_rad_s"]),
        torque_limit_nm=np.full(len(joints), body["servo"]["torque_limit_nm"]),
        feet=tuple(_flat_foot(mount["name"], limb["foot"]) for mount, limb in limbs),
        mass_kg=body["body"]["mass_kg"] + limb_mass_kg,
        friction=body["contact"]["friction"],
        base_size=7,
        tables=tables,
    )


def axis_mjcf(name: str, table: Table) -> str:
    """Return the MJCF text of such a robot. However many joints move a link, it is one body with its mass."""
    root = ET.Element("mujoco", model=name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(root, "option", timestep="0.002", integrator="implicitfast")
    ET.SubElement(ET.SubElement(root, "default"), "geom", contype="1", conaffinity="0")
    world = ET.SubElement(root, "worldbody")
    friction = _numbers([table["contact"]["friction"], 0.005, 0.0001])
    floor = {"name": FLOOR, "type": "plane", "size": "0 0 0.05", "contype": "0", "conaffinity": "1", "priority": "1"}
    ET.SubElement(world, "geom", floor | {"friction": friction})
    body = ET.SubElement(world, "body", name=BASE, pos=_numbers([0.0, 0.0, table["body"]["start_height_m"]]))
    ET.SubElement(body, "freejoint", name="base")
    _add_inertial(body, table["body"], _box_inertia(table["body"]["mass_kg"], table["body"]["inertia_size_m"]))
    for shape in table["body"]["shapes"]:
        _add_shape(body, shape)
    actuator = ET.Element("actuator")
    for mount in table["mount"]:
        _add_limb(body, actuator, mount, table)
    root.append(actuator)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _flat_foot(mount: str, foot: Table) -> Foot:
    x, y = foot["length_m"] / 2.0, foot["width_m"] / 2.0
    return Foot(mount, foot_frame(mount, foot["name"]), 0.0, ((x, y), (-x, y), (-x, -y), (x, -y)))


def _add_limb(body: ET.Element, actuator: ET.Element, mount: Table, table: Table) -> None:
    limb, servo = table["limb"][mount["limb"]], table["servo"]
    parent, position = body, np.asarray(mount["position_m"], dtype=float)
    for link in limb["links"]:
        offset = position + np.asarray(link["offset_m"])
        part = ET.SubElement(parent, "body", name=f"{mount['name']}_{link['name']}", pos=_numbers(offset))
        for joint in link["joints"]:
            _add_joint(part, actuator, joint_name(mount["name"], joint["name"]), joint, servo)
        is_foot = link["name"] == limb["foot"]["name"]
        size = _foot_size(limb["foot"]) if is_foot else None
        inertia = _box_inertia(link["mass_kg"], size) if size is not None else _rod_inertia(link)
        _add_inertial(part, link, inertia)
        if is_foot:
            _add_foot(part, mount["name"], limb["foot"], link["color"])
        else:
            _add_rod(part, link)
        parent, position = part, np.zeros(3)


def _add_joint(part: ET.Element, actuator: ET.Element, name: str, joint: Table, servo: Table) -> None:
    bounds = _numbers([joint["lower_rad"], joint["upper_rad"]])
    armature = repr(servo["armature_kg_m2"])
    ET.SubElement(part, "joint", name=name, type="hinge", axis=_numbers(joint["axis"]), armature=armature, range=bounds)
    ET.SubElement(
        actuator,
        "position",
        name=name,
        joint=name,
        kp=repr(servo["stiffness_nm_rad"]),
        kv=repr(servo["damping_nm_s_rad"]),
        forcerange=_numbers([-servo["torque_limit_nm"], servo["torque_limit_nm"]]),
    )


def _add_inertial(part: ET.Element, link: Table, inertia: Array) -> None:
    ET.SubElement(
        part, "inertial", pos=_numbers(link["com_m"]), mass=repr(link["mass_kg"]), diaginertia=_numbers(inertia)
    )


def _add_foot(part: ET.Element, mount: str, foot: Table, color: list[float]) -> None:
    """Add a box on its sole and a frame in the middle of the sole, both with the foot's name."""
    frame, sole, size = foot_frame(mount, foot["name"]), np.asarray(foot["sole_m"], dtype=float), _foot_size(foot)
    middle = sole + np.array([0.0, 0.0, foot["height_m"] / 2.0])
    ET.SubElement(
        part, "geom", name=frame, type="box", pos=_numbers(middle), size=_numbers(size / 2.0), rgba=_numbers(color)
    )
    ET.SubElement(part, "site", name=frame, pos=_numbers(sole))


def _add_rod(part: ET.Element, link: Table) -> None:
    rod = link["rod"]
    ends, radius = _numbers([0.0, 0.0, 0.0, *rod["to_m"]]), repr(rod["radius_m"])
    geom = ET.SubElement(part, "geom", type="capsule", fromto=ends, size=radius, rgba=_numbers(link["color"]))
    if not rod.get("touches_ground", True):
        geom.set("contype", "0")


def _add_shape(part: ET.Element, shape: Table) -> None:
    size = np.asarray(shape["size_m"], dtype=float)
    half = size / 2.0 if shape["kind"] == "box" else size
    place, color = _numbers(shape["position_m"]), _numbers(shape["color"])
    ET.SubElement(part, "geom", type=shape["kind"], pos=place, size=_numbers(half), rgba=color)


def _foot_size(foot: Table) -> Array:
    return np.array([foot["length_m"], foot["width_m"], foot["height_m"]])


def _box_inertia(mass_kg: float, size_m: Any) -> Array:
    size = np.asarray(size_m, dtype=float)
    return np.asarray(mass_kg / 12.0 * (np.sum(size**2) - size**2))


def _rod_inertia(link: Table) -> Array:
    """Return the principal moments of a solid cylinder along z."""
    mass, radius, length = link["mass_kg"], link["rod"]["radius_m"], float(np.linalg.norm(link["rod"]["to_m"]))
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.array([across, across, mass * radius**2 / 2.0])


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
