"""Limb robot: a floating box with limbs given as Denavit-Hartenberg rows and rods, on ball feet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from strut.models.mjcf import Mjcf, add_body, add_inertia, add_joint, add_shape, box_inertia, numbers, rod_inertia
from strut.robot import Array, Foot, Robot

Table = Mapping[str, Any]
BASE = "body"


def limb_robot(name: str, tables: Mapping[str, Table]) -> Robot:
    """Return the robot whose `robot.toml` gives its limbs as Denavit-Hartenberg rows."""
    body, radius_m = tables["robot"], tables["robot"]["contact"]["foot_radius_m"]
    limbs = [(mount, body["limb"][mount["limb"]]) for mount in body["mount"]]
    joints = [
        (joint_name(mount["name"], joint["name"]), *_range(joint, middle_rad))
        for mount, limb in limbs
        for joint, middle_rad in zip(limb["joints"], mount["middle_rad"], strict=True)
    ]
    return Robot(
        name=name,
        title=body["title"],
        mjcf=_limb_mjcf(name, body),
        joint_names=tuple(joint for joint, _, _ in joints),
        joint_lower_rad=np.array([lower for _, lower, _ in joints]),
        joint_upper_rad=np.array([upper for _, _, upper in joints]),
        joint_speed_limit_rad_s=np.full(len(joints), body["servo"]["speed_limit_rad_s"]),
        torque_limit_nm=np.full(len(joints), body["servo"]["torque_limit_nm"]),
        feet=tuple(
            Foot(mount["name"], foot_frame(mount["name"], limb["end"]["name"]), radius_m) for mount, limb in limbs
        ),
        mass_kg=body["body"]["mass_kg"] + sum(link["mass_kg"] for _, limb in limbs for link in limb["links"]),
        friction=body["contact"]["friction"],
        base_size=7,
        tables=tables,
    )


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


def floating_base(model: Mjcf, start_height_m: float) -> ET.Element:
    """Return a new body that floats above the middle of the floor."""
    body = add_body(model.world, BASE, [0.0, 0.0, start_height_m])
    ET.SubElement(body, "freejoint", name="base")
    return body


def add_driven_hinge(
    model: Mjcf, body: ET.Element, name: str, axis: Any, bounds: tuple[float, float], servo: Table
) -> None:
    """Let a servo turn a body about an axis (3,) of its own."""
    add_joint(body, name, axis, bounds, armature_kg_m2=servo["armature_kg_m2"])
    model.add_servo(
        name,
        limit=servo["torque_limit_nm"],
        stiffness=servo["stiffness_nm_rad"],
        damping=servo["damping_nm_s_rad"],
    )


def _range(joint: Table, middle_rad: float) -> tuple[float, float]:
    return middle_rad - joint["half_range_rad"], middle_rad + joint["half_range_rad"]


def _limb_mjcf(name: str, table: Table) -> str:
    model, box = Mjcf(name, table["contact"]["friction"]), table["body"]
    body = floating_base(model, box["start_height_m"])
    add_inertia(body, box["mass_kg"], np.zeros(3), box_inertia(box["mass_kg"], box["size_m"]))
    add_shape(body, "box", np.zeros(3), np.asarray(box["size_m"]) / 2.0, box["color"])
    for mark in box.get("mark", ()):
        add_shape(body, "sphere", mark["position_m"], [mark["radius_m"]], mark["color"], touches_ground=False)
    for mount in table["mount"]:
        _add_limb(model, body, mount, table)
    return model.text()


def _add_limb(model: Mjcf, body: ET.Element, mount: Table, table: Table) -> None:
    limb = table["limb"][mount["limb"]]
    links = {link["joint"]: link for link in limb["links"]}
    position, rotation = np.asarray(mount["position_m"]), mount_rotation(mount["x_axis"], mount["z_axis"])
    for joint, middle_rad in zip(limb["joints"], mount["middle_rad"], strict=True):
        name = joint_name(mount["name"], joint["name"])
        body = add_body(body, name, position, rotation)
        add_driven_hinge(model, body, name, [0.0, 0.0, 1.0], _range(joint, middle_rad), table["servo"])
        _add_rod(body, links[joint["name"]])
        position, rotation = np.array([joint["a_m"], 0.0, joint["d_m"]]), _rotation_x(joint["alpha_rad"])
    frame, end = foot_frame(mount["name"], limb["end"]["name"]), limb["end"]
    add_shape(body, "sphere", end["position_m"], [table["contact"]["foot_radius_m"]], end["color"], name=frame)
    ET.SubElement(body, "site", name=frame, pos=numbers(end["position_m"]))


def _add_rod(link: ET.Element, rod: Table) -> None:
    """Add a solid cylinder between two points, or a solid ball where they coincide."""
    start, stop = np.asarray(rod["from_m"], dtype=float), np.asarray(rod["to_m"], dtype=float)
    inertia = rod_inertia(rod["mass_kg"], rod["radius_m"], stop - start)
    add_inertia(link, rod["mass_kg"], (start + stop) / 2.0, inertia)
    if np.array_equal(start, stop):
        add_shape(link, "sphere", start, [rod["radius_m"]], rod["color"])
    else:
        touches = rod.get("touches_ground", True)
        add_shape(link, "capsule", [*start, *stop], [rod["radius_m"]], rod["color"], touches_ground=touches)


def _rotation_x(angle_rad: float) -> Array:
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
