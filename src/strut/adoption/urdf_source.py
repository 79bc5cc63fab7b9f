"""URDF source: a URDF prepared so that MuJoCo reads it, with the limits that MuJoCo drops and notes about faults."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

from strut.adoption.collada_axes import Y_TO_Z, should_rotate_meshes
from strut.adoption.note import Note, list_names
from strut.adoption.robot_name import is_named, normalize_name
from strut.adoption.unreadable_meshes import note_on_meshes, note_on_spellings
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.models.description import URDF_OPTIONS
from strut.models.link_inertia import TERMS, urdf_inertia_fault
from strut.models.mesh_files import (
    UNREADABLE,
    differs_in_case,
    mesh_path,
    readable_mesh,
    unreadable_sentence,
    why_unreadable,
)
from strut.plumbing.number_text import format_count

_USED_TAGS = ("link", "joint", "material")
_LIMITS = ("velocity", "effort")
_MOVING_TYPES = ("revolute", "continuous", "prismatic", "spherical")
_UNREAD_TAGS = ("mimic", "safety_controller", "calibration", "dynamics")  # of a joint: MuJoCo does not read them
_SOLIDS = ("sphere", "cylinder", "capsule", "box")


@dataclass(slots=True)
class PreparedUrdf:
    """A URDF that MuJoCo reads.

    Args:
        root: Its tree of elements.
        assets: Meshes that were converted, by file name.
        limits: `velocity` and `effort` by joint; 0 if the file has none.
        coupled: Joints that follow another joint, each with the name of that joint.
        notes: What was repaired.
    """

    root: ET.Element
    assets: dict[str, bytes] = field(default_factory=dict)
    limits: dict[str, dict[str, float]] = field(default_factory=dict)
    coupled: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def prepare_urdf(root: ET.Element, path: Path, name: str) -> PreparedUrdf:
    """Return the URDF of a file as MuJoCo reads it; of several robots, the one whose root link has the name.

    Raises NotAdoptedError for faults that cannot be repaired.
    """
    urdf = PreparedUrdf(root)
    _remove(root, [child for child in root if child.tag not in _USED_TAGS])
    _free_base(root, urdf.notes)
    _check_tree(root, name)
    for joint in root.findall("joint"):
        _prepare_joint(joint, urdf)
    for link in root.findall("link"):
        _prepare_inertial(link)
        _remove_empty_shapes(link, urdf.notes)
    for origin in root.iter("origin"):  # some files write more than three numbers
        for attribute in ("xyz", "rpy"):
            origin.set(attribute, " ".join(origin.get(attribute, "0 0 0").split()[:3]))
    _prepare_meshes(urdf, path)
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", URDF_OPTIONS)
    return urdf


def _remove(parent: ET.Element, children: Iterable[ET.Element]) -> None:
    for child in children:
        parent.remove(child)


def _link_at(joint: ET.Element, end: Literal["parent", "child"]) -> str:
    """Return the name of the parent or the child link of a joint."""
    element = joint.find(end)
    return "" if element is None else element.get("link", "")


def _free_base(root: ET.Element, notes: list[Note]) -> None:
    """Remove a floating joint of the base and its world link, because the base is set free anyway.

    Links that float although they have a parent are fixed: some programs write glued parts so.
    """
    children = {_link_at(joint, "child") for joint in root.findall("joint")}
    inner = [joint for joint in root.findall("joint[@type='floating']") if _link_at(joint, "parent") in children]
    for joint in inner:
        joint.set("type", "fixed")
    if inner:
        names = list_names([joint.get("name", "") for joint in inner])
        text = format_count(len(inner), f"[link floats|links float] inside the robot ({names})")
        notes.append(Note.fault(f"{text}: taken as fixed in place."))
    floating = root.findall("joint[@type='floating']")
    _remove(root, floating)
    used = {_link_at(joint, end) for joint in root.findall("joint") for end in ("parent", "child")}
    worlds = {_link_at(joint, "parent") for joint in floating} - used
    _remove(root, [link for link in root.findall("link") if link.get("name") in worlds])


def _check_tree(root: ET.Element, name: str) -> None:
    """Raise NotAdoptedError if links and joints are not a tree; of several trees, only the named one is kept."""
    counts = Counter(link.get("name", "") for link in root.findall("link"))
    if not counts:
        raise NotAdoptedError("it has no links, so there is nothing to move.")
    most_common, count = counts.most_common(1)[0]
    if count > 1:
        raise NotAdoptedError(f"two links are called {most_common}; rename one.")
    links = list(counts)
    parents: dict[str, str] = {}
    for joint in root.findall("joint"):
        parent = _link_at(joint, "parent")
        child = _link_at(joint, "child")
        for link in (parent, child):
            if link not in links:
                raise NotAdoptedError(
                    f"the joint {joint.get('name')} names the link '{link}', which is missing; add it, or correct the "
                    "name."
                )
        if child in parents:
            raise NotAdoptedError(f"the link {child} has two parent joints: a closed loop, which strut cannot move.")
        parents[child] = parent
    _check_no_cycle(parents)
    roots = [link for link in links if link not in parents]
    if len(roots) > 1:
        chosen = [link for link in roots if is_named(link, name)]
        if len(chosen) != 1:
            raise NotAdoptedError(
                f"{len(roots)} links have no parent ({list_names(roots)}), so it holds that many robots; join them, or "
                f"choose one with --name {normalize_name(roots[0])}."
            )
        _keep_tree(root, chosen[0], parents)


def _keep_tree(root: ET.Element, top: str, parents: Mapping[str, str]) -> None:
    """Remove all links, and their joints, that do not descend from a link."""
    kept = {top}
    for link in TopologicalSorter({link: [parent] for link, parent in parents.items()}).static_order():
        if parents.get(link) in kept:
            kept.add(link)
    _remove(root, [link for link in root.findall("link") if link.get("name", "") not in kept])
    _remove(root, [joint for joint in root.findall("joint") if _link_at(joint, "child") not in kept])


def _check_no_cycle(parents: Mapping[str, str]) -> None:
    try:
        TopologicalSorter({link: [parent] for link, parent in parents.items()}).prepare()
    except CycleError as error:
        raise NotAdoptedError(f"the links form a circle through {error.args[1][0]}; a robot is a tree.") from error


def _prepare_joint(joint: ET.Element, urdf: PreparedUrdf) -> None:
    """Note what MuJoCo does not read of a joint, and add what MuJoCo needs."""
    name = joint.get("name", "")
    limit = joint.find("limit")
    if joint.get("type") in _MOVING_TYPES:
        attributes = {} if limit is None else limit.attrib
        urdf.limits[name] = {which: _parse(attributes.get(which, "0"), f"{which} of {name}") for which in _LIMITS}
    if (mimic := joint.find("mimic")) is not None:
        urdf.coupled[name] = mimic.get("joint", "")
    if joint.get("type") == "revolute" and limit is None:
        joint.set("type", "continuous")
    if more_axes := joint.findall("axis")[1:]:
        _remove(joint, more_axes)
        urdf.notes.append(Note.fault(f"the joint {name} has several axes: the first one is used."))
    _remove(joint, [child for child in joint if child.tag in _UNREAD_TAGS])


def _parse(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise NotAdoptedError(f"the {what} is '{text}', which is no number; correct it in the file.")
    return value


def _prepare_inertial(link: ET.Element) -> None:
    """Check a link's mass and give its inertia all six terms; without a mass, the inertia is removed."""
    inertial = link.find("inertial")
    if inertial is None:
        return
    if fault := urdf_inertia_fault(link):
        raise NotAdoptedError(fault)
    if not any(float(mass.get("value", "0")) for mass in inertial.findall("mass")):
        link.remove(inertial)
    for inertia in inertial.findall("inertia"):
        inertia.attrib = dict.fromkeys(TERMS, "0") | inertia.attrib


def _shapes(link: ET.Element) -> list[ET.Element]:
    return [*link.findall("visual"), *link.findall("collision")]


def _remove_empty_shapes(link: ET.Element, notes: list[Note]) -> None:
    """Remove what MuJoCo refuses: shapes without size, names of shapes, and second materials."""
    for shape in _shapes(link):
        shape.attrib.pop("name", None)
        _remove(shape, shape.findall("material")[1:])
    empty = [shape for shape in _shapes(link) if _is_empty(shape)]
    _remove(link, empty)
    if empty:
        of_link = f"of the link {link.get('name')}"
        notes.append(
            Note.fault(format_count(len(empty), f"[shape {of_link} has|shapes {of_link} have] no size: left out."))
        )


def _is_empty(shape: ET.Element) -> bool:
    """Return whether a length, a radius or the scale of a mesh is 0."""
    solids = [shape.find(f"geometry/{tag}") for tag in _SOLIDS]
    sizes = [size for solid in solids if solid is not None for text in solid.attrib.values() for size in text.split()]
    mesh = shape.find("geometry/mesh")
    if mesh is not None and any(_parse(scale, "scale of a mesh") == 0.0 for scale in mesh.get("scale", "1").split()):
        return True
    return any(_parse(size, "size of a shape") <= 0.0 for size in sizes)


def _prepare_meshes(urdf: PreparedUrdf, path: Path) -> None:
    """Give every mesh a path that MuJoCo finds; visual meshes that cannot be read are left out with a note."""
    unreadable: list[str] = []
    readable: dict[str, str] = {}
    spellings: dict[str, Path] = {}
    rotation = Y_TO_Z if should_rotate_meshes(urdf.root, path) else None
    if rotation is not None:
        urdf.notes.append(
            Note.assumption("its meshes have y up and fit their links only when rotated to z up: they are rotated.")
        )
    for link in urdf.root.findall("link"):
        for shape in _shapes(link):
            mesh = shape.find("geometry/mesh")
            if mesh is None:
                continue
            error = _prepare_mesh(mesh, path, urdf.assets, readable, rotation, spellings)
            if error is None:
                continue
            file = mesh.get("filename", "")
            if shape.tag == "collision" or link.find("collision") is None:
                raise NotAdoptedError(unreadable_sentence(file, link.get("name", ""), error))
            link.remove(shape)
            unreadable.append(f"{file}: {why_unreadable(error)}")
    if unreadable:
        urdf.notes.append(note_on_meshes(unreadable))
    urdf.notes += note_on_spellings(spellings)


def _prepare_mesh(
    mesh: ET.Element,
    path: Path,
    assets: dict[str, bytes],
    readable: dict[str, str],
    rotation: Array | None,
    spellings: dict[str, Path],
) -> Exception | None:
    """Give a mesh a path that MuJoCo finds, or return the error of its reader.

    `readable` caches paths by file name; `spellings` gets the names of files that differ in upper and lower case.
    """
    file = mesh.get("filename", "")
    try:
        if file not in readable:
            found = mesh_path(file, path)
            readable[file] = readable_mesh(found, assets, rotation)
            if differs_in_case(file, found):
                spellings[file] = found
    except UNREADABLE as error:
        return error
    mesh.set("filename", readable[file])
    return None
