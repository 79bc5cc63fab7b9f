"""URDF: a robot that others describe, as a tree of parts. Which joints move and which frames have names is our data.

`robot.toml` gives the file (`urdf`, relative to the folder, with $VARIABLES), the joints that stay at zero (`fixed`,
with * and ?), the height of the root over the floor, frames by link and what to add to the looks. Frames have the
robot's axes when all joints are zero. What is fixed to a part becomes part of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from scipy.spatial.transform import Rotation

from strut.errors import BadTableError
from strut.models.part_tree import Kind, Part, PartTree, Shape, welded
from strut.robot import Array

Table = Mapping[str, Any]
_KINDS: dict[str, Kind] = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "fixed": "fixed"}
_BONE_RADIUS_M, _SHORTEST_BONE_M = 0.035, 0.04
_GREY = (0.62, 0.66, 0.72, 1.0)


def urdf_tree(table: Table, folder: Path) -> PartTree:
    """Return the parts of the robot whose `robot.toml` names a URDF file."""
    path = folder / Path(os.path.expandvars(table["urdf"])).expanduser()
    if not path.is_file():
        raise BadTableError(
            f"{folder / 'robot.toml'}: its urdf {path} is not there; correct the path or set the variable."
        )
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise BadTableError(f"{path}: is no XML ({error}).") from error
    links = {_text(link, "name"): link for link in root.findall("link")}
    joints = {_child(joint): joint for joint in root.findall("joint")}
    roots = [name for name in links if name not in joints]
    if len(roots) != 1:
        raise BadTableError(f"{path}: has {len(roots)} links without a parent; a robot has one.")
    placed = _placed_at_zero(links, joints, roots[0])
    stray = [name for name, frame in table.get("frame", {}).items() if frame["link"] not in links]
    if stray:
        raise BadTableError(f"{path}: has no link {table['frame'][stray[0]]['link']} for the frame {stray[0]}.")
    parts = [_part(name, links, joints, placed, table) for name in placed]
    return PartTree(welded(parts), table["servo"], None, table["contact"]["friction"])


def _placed_at_zero(links: Mapping[str, ET.Element], joints: Mapping[str, ET.Element], root: str) -> dict[str, Array]:
    """Return the rotation to the root of every link when all joints are zero, parents first. Shape (3, 3) each."""
    children: dict[str, list[str]] = {}
    for child, joint in joints.items():
        children.setdefault(_parent(joint), []).append(child)
    placed, waiting = {root: np.eye(3)}, [root]
    while waiting:
        link = waiting.pop(0)
        for child in children.get(link, []):
            placed[child] = placed[link] @ _origin(joints[child])[1]
            waiting.append(child)
    missing = set(links) - set(placed)
    if missing:
        raise BadTableError(f"Link {min(missing)} hangs on a link that is not there.")
    return placed


def _part(
    name: str,
    links: Mapping[str, ET.Element],
    joints: Mapping[str, ET.Element],
    placed: Mapping[str, Array],
    table: Table,
) -> Part:
    joint = joints.get(name)
    mass_kg, com_m, inertia = _inertia(links[name])
    position, rotation = (np.array([0.0, 0.0, table["height_m"]]), np.eye(3)) if joint is None else _origin(joint)
    kind = _kind(joint, table.get("fixed", []))
    limit = joint.find("limit") if joint is not None and kind != "fixed" else None
    axis = joint.find("axis") if joint is not None else None
    return Part(
        name=_part_name(name, joints, table),
        parent=None if joint is None else _part_name(_parent(joint), joints, table),
        position_m=position,
        rotation=rotation,
        kind=kind,
        axis=np.array([1.0, 0.0, 0.0]) if axis is None else _vector(axis, "xyz"),
        range=_range(joint, limit),
        speed_limit=_limit(limit, "velocity", table["limit"]["speed_rad_s"]),
        effort_limit=_limit(limit, "effort", table["limit"]["torque_nm"]),
        mass_kg=mass_kg,
        com_m=com_m,
        inertia_kg_m2=inertia,
        shapes=(*_bones(name, joints), *_looks(name, table, placed[name])),
        frames=tuple(
            (frame, placed[name].T @ np.array(entry.get("offset_m", [0.0, 0.0, 0.0])), placed[name].T)
            for frame, entry in table.get("frame", {}).items()
            if entry["link"] == name
        ),
    )


def _part_name(link: str, joints: Mapping[str, ET.Element], table: Table) -> str:
    """Return the name of the joint that moves a link, or the link's own where none does."""
    joint = joints.get(link)
    moves = joint is not None and _kind(joint, table.get("fixed", [])) != "fixed"
    return _text(joint, "name") if joint is not None and moves else link


def _kind(joint: ET.Element | None, fixed: Sequence[str]) -> Kind:
    if joint is None or any(fnmatchcase(_text(joint, "name"), pattern) for pattern in fixed):
        return "fixed"
    kind = _text(joint, "type")
    if kind not in _KINDS:
        raise BadTableError(f"Joint {_text(joint, 'name')} is {kind}; list it among the fixed ones.")
    return _KINDS[kind]


def _range(joint: ET.Element | None, limit: ET.Element | None) -> tuple[float, float]:
    if joint is not None and (limit is None or joint.get("type") == "continuous"):
        return (-np.pi, np.pi)
    return (0.0, 0.0) if limit is None else (float(limit.get("lower", 0.0)), float(limit.get("upper", 0.0)))


def _limit(limit: ET.Element | None, name: str, otherwise: float) -> float:
    """Return a limit of a joint; many descriptions leave it 0, which nobody means."""
    value = 0.0 if limit is None else float(limit.get(name, 0.0))
    return value if value > 0.0 else float(otherwise)


def _inertia(link: ET.Element) -> tuple[float, Array, Array]:
    """Return mass, centre of mass (3,) and inertia about it (3, 3), in the link's frame."""
    inertial = link.find("inertial")
    if inertial is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    if mass is None or tensor is None:
        raise BadTableError(f"Link {_text(link, 'name')} has an inertial without a mass or an inertia.")
    com_m, turn = _origin(inertial)
    ixx, iyy, izz, ixy, ixz, iyz = (float(tensor.get(key, 0.0)) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    own = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    return float(_text(mass, "value")), com_m, turn @ own @ turn.T


def _bones(link: str, joints: Mapping[str, ET.Element]) -> tuple[Shape, ...]:
    """Return capsules from a link's origin to its children's: meshes of others are not copied."""
    ends = [_origin(joint)[0] for joint in joints.values() if _parent(joint) == link]
    return tuple(
        Shape("capsule", (np.zeros(3), end), (_BONE_RADIUS_M,), _GREY, touches_ground=False)
        for end in ends
        if np.linalg.norm(end) > _SHORTEST_BONE_M
    )


def _looks(link: str, table: Table, at_zero: Array) -> tuple[Shape, ...]:
    """Return what the robot's `look` adds to a link: balls, and boxes with the link's axes."""
    looks = []
    for look in table.get("look", ()):
        if look["link"] != link:
            continue
        size = tuple(length / 2.0 for length in look["size_m"]) if look["kind"] == "box" else (look["radius_m"],)
        centre = at_zero.T @ np.array(look["offset_m"])
        looks.append(Shape(look["kind"], (centre,), size, tuple(look["color"]), touches_ground=False))
    return tuple(looks)


def _origin(element: ET.Element) -> tuple[Array, Array]:
    """Return position (3,) and rotation (3, 3) of an element's origin; the identity where it has none."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    turn = Rotation.from_euler("xyz", _vector(origin, "rpy")).as_matrix()
    return _vector(origin, "xyz"), np.asarray(turn)


def _vector(element: ET.Element, name: str) -> Array:
    return np.array([float(text) for text in element.get(name, "0 0 0").split()])


def _parent(joint: ET.Element) -> str:
    parent = joint.find("parent")
    return "" if parent is None else _text(parent, "link")


def _child(joint: ET.Element) -> str:
    child = joint.find("child")
    return "" if child is None else _text(child, "link")


def _text(element: ET.Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise BadTableError(f"A {element.tag} of the URDF has no {name}.")
    return value
