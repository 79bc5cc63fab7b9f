"""Axis robot: a floating body with limbs given as offsets and joint axes, on flat feet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from strut.models.limb_robot import add_driven_hinge, floating_base, foot_frame, joint_name
from strut.models.mjcf import Mjcf, add_body, add_inertia, add_shape, box_inertia, numbers, rod_inertia
from strut.robot import Array, Foot, Robot

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
        mjcf=_axis_mjcf(name, body),
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


def _flat_foot(mount: str, foot: Table) -> Foot:
    x, y = foot["length_m"] / 2.0, foot["width_m"] / 2.0
    return Foot(mount, foot_frame(mount, foot["name"]), 0.0, ((x, y), (-x, y), (-x, -y), (x, -y)))


def _axis_mjcf(name: str, table: Table) -> str:
    """Return the MJCF text. However many joints move a link, it is one body with its mass."""
    model, trunk = Mjcf(name, table["contact"]["friction"]), table["body"]
    body = floating_base(model, trunk["start_height_m"])
    add_inertia(body, trunk["mass_kg"], trunk["com_m"], box_inertia(trunk["mass_kg"], trunk["inertia_size_m"]))
    for shape in trunk["shapes"]:
        size = np.asarray(shape["size_m"], dtype=float)
        half = size / 2.0 if shape["kind"] == "box" else size
        add_shape(body, shape["kind"], shape["position_m"], half, shape["color"])
    for mount in table["mount"]:
        _add_limb(model, body, mount, table)
    return model.text()


def _add_limb(model: Mjcf, body: ET.Element, mount: Table, table: Table) -> None:
    limb, position = table["limb"][mount["limb"]], np.asarray(mount["position_m"], dtype=float)
    for link in limb["links"]:
        body = add_body(body, f"{mount['name']}_{link['name']}", position + np.asarray(link["offset_m"]))
        for joint in link["joints"]:
            bounds = (joint["lower_rad"], joint["upper_rad"])
            add_driven_hinge(
                model, body, joint_name(mount["name"], joint["name"]), joint["axis"], bounds, table["servo"]
            )
        if link["name"] == limb["foot"]["name"]:
            _add_foot(body, mount["name"], limb["foot"], link)
        else:
            _add_rod(body, link)
        position = np.zeros(3)


def _add_foot(body: ET.Element, mount: str, foot: Table, link: Table) -> None:
    """Add a box on its sole and a frame in the middle of the sole, both with the foot's name."""
    size = np.array([foot["length_m"], foot["width_m"], foot["height_m"]])
    frame, sole = foot_frame(mount, foot["name"]), np.asarray(foot["sole_m"], dtype=float)
    middle = sole + np.array([0.0, 0.0, foot["height_m"] / 2.0])
    add_inertia(body, link["mass_kg"], link["com_m"], box_inertia(link["mass_kg"], size))
    add_shape(body, "box", middle, size / 2.0, link["color"], name=frame)
    ET.SubElement(body, "site", name=frame, pos=numbers(sole))


def _add_rod(body: ET.Element, link: Table) -> None:
    rod: Table = link["rod"]
    span: Array = np.asarray(rod["to_m"], dtype=float)
    touches = rod.get("touches_ground", True)
    add_inertia(body, link["mass_kg"], link["com_m"], rod_inertia(link["mass_kg"], rod["radius_m"], span))
    add_shape(body, "capsule", [0.0, 0.0, 0.0, *span], [rod["radius_m"]], link["color"], touches_ground=touches)
