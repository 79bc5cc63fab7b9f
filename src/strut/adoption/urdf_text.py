"""URDF text: a description in URDF as MuJoCo reads it, with the limits that MuJoCo drops and notes about its faults."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from strut.adoption.mesh_files import UNREADABLE, as_stl, is_native, mesh_path
from strut.adoption.note import Note, fault, listed
from strut.errors import NotAdoptedError

_KEPT = ("link", "joint", "material")
_INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_LIMITS = ("velocity", "effort")


@dataclass(slots=True)
class UrdfText:
    """A prepared URDF: its tree, meshes that were converted, limits by joint (0: nobody wrote one), coupled joints."""

    root: ET.Element
    assets: dict[str, bytes] = field(default_factory=dict)
    limits: dict[str, dict[str, float]] = field(default_factory=dict)
    coupled: set[str] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)


def prepared_urdf(root: ET.Element, path: Path) -> UrdfText:
    """Return the URDF of a file as MuJoCo reads it; raises NotAdoptedError for what cannot be meant."""
    text = UrdfText(root)
    for element in [child for child in root if child.tag not in _KEPT]:
        root.remove(element)
    _free_base(root)
    _check_tree(root)
    for joint in root.findall("joint"):
        _take_joint(joint, text)
    for link in root.findall("link"):
        _take_link(link)
        _leave_out_empty_shapes(link, text.notes)
    for origin in root.iter("origin"):
        for which in ("xyz", "rpy"):
            origin.set(which, " ".join(origin.get(which, "0 0 0").split()[:3]))
    _take_meshes(text, path)
    options = {"strippath": "false", "discardvisual": "false", "fusestatic": "false"}
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", options)
    return text


def _free_base(root: ET.Element) -> None:
    """Leave out a floating joint and the world that it hangs on: the base is set free anyway."""
    for joint in [joint for joint in root.findall("joint") if joint.get("type") == "floating"]:
        world = getattr(joint.find("parent"), "attrib", {}).get("link", "")
        root.remove(joint)
        is_used = any(end.get("link") == world for other in root.findall("joint") for end in other)
        for link in root.findall("link"):
            if link.get("name") == world and not is_used:
                root.remove(link)


def _check_tree(root: ET.Element) -> None:
    """Raise NotAdoptedError where links and joints are no tree with one root."""
    links = Counter(link.get("name", "") for link in root.findall("link"))
    if not links:
        raise NotAdoptedError("it has no links, so there is nothing to move.")
    if twice := [name for name, times in links.items() if times > 1]:
        raise NotAdoptedError(f"two links are called {twice[0]}; rename one.")
    parents: dict[str, str] = {}
    for joint in root.findall("joint"):
        name = joint.get("name", "")
        ends = [getattr(joint.find(end), "attrib", {}).get("link", "") for end in ("parent", "child")]
        for end in ends:
            if end not in links:
                raise NotAdoptedError(f"the joint {name} joins the link '{end}', which the file does not describe.")
        if ends[1] in parents:
            raise NotAdoptedError(f"the link {ends[1]} hangs on two joints: a closed loop, which strut cannot move.")
        parents[ends[1]] = ends[0]
    for link in parents:
        above, steps = link, 0
        while above in parents and steps <= len(parents):
            above, steps = parents[above], steps + 1
        if steps > len(parents):
            raise NotAdoptedError(f"the links run in a circle through {link}; a robot is a tree of links.")
    roots = [name for name in links if name not in parents]
    if len(roots) > 1:
        raise NotAdoptedError(f"{len(roots)} links have no parent ({listed(roots)}); a robot has one root.")


def _take_joint(joint: ET.Element, text: UrdfText) -> None:
    """Keep what MuJoCo drops of a joint, and give it what MuJoCo needs."""
    name, kind = joint.get("name", ""), joint.get("type", "")
    limit = joint.find("limit")
    if kind in ("revolute", "continuous", "prismatic", "spherical"):
        values = {} if limit is None else limit.attrib
        text.limits[name] = {which: _number(values.get(which, "0"), f"{which} of {name}") for which in _LIMITS}
    if (mimic := joint.find("mimic")) is not None:
        text.coupled.add(name)
        joint.remove(mimic)
    if kind == "revolute" and limit is None:
        joint.set("type", "continuous")
    for element in joint.findall("axis")[1:]:
        joint.remove(element)
        text.notes.append(fault(f"the joint {name} has two axes: the first one counts."))
    for tag in ("safety_controller", "calibration", "dynamics"):
        for element in joint.findall(tag):
            joint.remove(element)


def _number(words: str, what: str) -> float:
    try:
        value = float(words)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise NotAdoptedError(f"the {what} is '{words}', which is no number.")
    return value


def _take_link(link: ET.Element) -> None:
    """Check a link's mass and give its inertia all six terms."""
    name = link.get("name", "")
    inertial = link.find("inertial")
    if inertial is None:
        return
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    if mass is not None and _number(mass.get("value", "0"), f"mass of {name}") < 0.0:
        raise NotAdoptedError(f"the link {name} has a mass of {mass.get('value')} kg, which nothing can have.")
    if inertia is not None:
        for term in _INERTIA:
            inertia.set(term, inertia.get(term, "0"))
    if mass is None or _number(mass.get("value", "0"), "mass") == 0.0:
        link.remove(inertial)


def _leave_out_empty_shapes(link: ET.Element, notes: list[Note]) -> None:
    """Leave out shapes without any size, which MuJoCo refuses."""
    sizes = {"sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
    for looks in [*link.findall("visual"), *link.findall("collision")]:
        looks.attrib.pop("name", None)  # which may come twice
        for tag, names in sizes.items():
            shape = looks.find(f"geometry/{tag}")
            if shape is not None and min(_number(shape.get(name, "0"), f"{name} of a shape") for name in names) <= 0.0:
                link.remove(looks)
                notes.append(fault(f"a {tag} of the link {link.get('name')} has no size: it is left out."))


def _take_meshes(text: UrdfText, path: Path) -> None:
    """Give every mesh a path that MuJoCo finds; what is only seen and cannot be read is left out and told."""
    unseen: list[str] = []
    ready: dict[str, str] = {}
    for link in text.root.findall("link"):
        has_looks = link.find("collision") is not None
        for looks in [*link.findall("visual"), *link.findall("collision")]:
            mesh = looks.find("geometry/mesh")
            if mesh is None:
                continue
            name = mesh.get("filename", "")
            try:
                if name not in ready:
                    ready[name] = _readable(name, path, text.assets)
                mesh.set("filename", ready[name])
            except UNREADABLE as error:
                if looks.tag == "collision" or not has_looks:
                    raise NotAdoptedError(
                        f"the mesh {name} of the link {link.get('name')} cannot be read ({error}); "
                        "put the file where the description says."
                    ) from error
                link.remove(looks)
                unseen.append(name)
    if unseen:
        text.notes.append(
            fault(f"{len(unseen)} meshes that are only seen cannot be read ({listed(unseen, 2)}): they are not drawn.")
        )


def _readable(name: str, path: Path, assets: dict[str, bytes]) -> str:
    """Return what MuJoCo calls a mesh: its path, or the name of converted bytes."""
    file = mesh_path(name, path)
    if is_native(file):
        return str(file)
    converted = f"{file.stem}_{len(assets)}.stl"
    assets[converted] = as_stl(file)
    return converted
