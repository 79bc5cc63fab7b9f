"""URDF text: a description in URDF as MuJoCo reads it, with the limits that MuJoCo drops and notes about its faults."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from xml.etree import ElementTree as ET

from strut.adoption.collada_axes import Y_TO_Z, are_turned
from strut.adoption.note import Note, list_names
from strut.adoption.unreadable_meshes import not_drawn
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.models.description import URDF_OPTIONS
from strut.models.link_inertia import TERMS, urdf_inertia_fault
from strut.models.mesh_files import UNREADABLE, readable_mesh, unreadable_words, why_unreadable
from strut.plumbing.number_text import format_count

_KEPT = ("link", "joint", "material")
_LIMITS = ("velocity", "effort")
_MOVING = ("revolute", "continuous", "prismatic", "spherical")
_DROPPED = ("mimic", "safety_controller", "calibration", "dynamics")


@dataclass(slots=True)
class UrdfText:
    """A prepared URDF: its tree, meshes that were converted, limits by joint (0: nobody wrote one), coupled joints."""

    root: ET.Element
    assets: dict[str, bytes] = field(default_factory=dict)
    limits: dict[str, dict[str, float]] = field(default_factory=dict)
    coupled: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def prepared_urdf(root: ET.Element, path: Path) -> UrdfText:
    """Return the URDF of a file as MuJoCo reads it; raises NotAdoptedError for what cannot be meant."""
    text = UrdfText(root)
    _leave_out(root, [child for child in root if child.tag not in _KEPT])
    _free_base(root, text.notes)
    _check_tree(root)
    for joint in root.findall("joint"):
        _take_joint(joint, text)
    for link in root.findall("link"):
        _take_inertial(link)
        _leave_out_empty_shapes(link, text.notes)
    _shorten_origins(root)
    _take_meshes(text, path)
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", URDF_OPTIONS)
    return text


def _leave_out(parent: ET.Element, children: Iterable[ET.Element]) -> None:
    for child in children:
        parent.remove(child)


def _shorten_origins(root: ET.Element) -> None:
    """Keep three numbers of every place and turn: more have been seen."""
    for origin in root.iter("origin"):
        for which in ("xyz", "rpy"):
            origin.set(which, " ".join(origin.get(which, "0 0 0").split()[:3]))


def _end(joint: ET.Element, which: str) -> str:
    """Return the link at the parent's or the child's end of a joint."""
    element = joint.find(which)
    return "" if element is None else element.get("link", "")


def _free_base(root: ET.Element, notes: list[Note]) -> None:
    """Leave out a floating joint and the world that it hangs on: the base is set free anyway."""
    _fix_floating_parts(root, notes)
    floating = root.findall("joint[@type='floating']")
    _leave_out(root, floating)
    used = {_end(joint, which) for joint in root.findall("joint") for which in ("parent", "child")}
    worlds = {_end(joint, "parent") for joint in floating} - used
    _leave_out(root, [link for link in root.findall("link") if link.get("name") in worlds])


def _fix_floating_parts(root: ET.Element, notes: list[Note]) -> None:
    """Fix links that float though they hang on others, as some programs write what is glued."""
    held = {_end(joint, "child") for joint in root.findall("joint")}
    inner = [joint for joint in root.findall("joint[@type='floating']") if _end(joint, "parent") in held]
    for joint in inner:
        joint.set("type", "fixed")
    if inner:
        names = [joint.get("name", "") for joint in inner]
        notes.append(
            Note.fault(
                format_count(
                    len(names), f"[link floats|links float] ({list_names(names)}): taken as fixed where it is drawn."
                )
            )
        )


def _check_tree(root: ET.Element) -> None:
    """Raise NotAdoptedError where links and joints are no tree with one root."""
    links = _link_names(root)
    parents: dict[str, str] = {}
    for joint in root.findall("joint"):
        _check_ends(joint, links)
        if _end(joint, "child") in parents:
            words = f"the link {_end(joint, 'child')} hangs on two joints"
            raise NotAdoptedError(f"{words}: a closed loop, which strut cannot move.")
        parents[_end(joint, "child")] = _end(joint, "parent")
    _check_no_circle(parents)
    roots = [name for name in links if name not in parents]
    if len(roots) > 1:
        raise NotAdoptedError(f"{len(roots)} links have no parent ({list_names(roots)}); a robot has one root.")


def _link_names(root: ET.Element) -> list[str]:
    links = Counter(link.get("name", "") for link in root.findall("link"))
    if not links:
        raise NotAdoptedError("it has no links, so there is nothing to move.")
    name, times = links.most_common(1)[0]
    if times > 1:
        raise NotAdoptedError(f"two links are called {name}; rename one.")
    return list(links)


def _check_ends(joint: ET.Element, links: list[str]) -> None:
    for which in ("parent", "child"):
        if (end := _end(joint, which)) not in links:
            words = f"the joint {joint.get('name')} joins the link '{end}'"
            raise NotAdoptedError(f"{words}, which the file does not describe.")


def _check_no_circle(parents: Mapping[str, str]) -> None:
    try:
        TopologicalSorter({link: [above] for link, above in parents.items()}).prepare()
    except CycleError as error:
        words = f"the links run in a circle through {error.args[1][0]}"
        raise NotAdoptedError(f"{words}; a robot is a tree of links.") from error


def _take_joint(joint: ET.Element, text: UrdfText) -> None:
    """Keep what MuJoCo drops of a joint, and give it what MuJoCo needs."""
    name = joint.get("name", "")
    limit = joint.find("limit")
    if joint.get("type") in _MOVING:
        text.limits[name] = _joint_limits(name, {} if limit is None else limit.attrib)
    if (mimic := joint.find("mimic")) is not None:
        text.coupled[name] = mimic.get("joint", "")
    if joint.get("type") == "revolute" and limit is None:
        joint.set("type", "continuous")
    if second_axes := joint.findall("axis")[1:]:
        _leave_out(joint, second_axes)
        text.notes.append(Note.fault(f"the joint {name} has two axes: the first one counts."))
    _leave_out(joint, [child for child in joint if child.tag in _DROPPED])


def _joint_limits(name: str, written: Mapping[str, str]) -> dict[str, float]:
    return {which: _number(written.get(which, "0"), f"{which} of {name}") for which in _LIMITS}


def _number(words: str, what: str) -> float:
    try:
        value = float(words)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise NotAdoptedError(f"the {what} is '{words}', which is no number.")
    return value


def _take_inertial(link: ET.Element) -> None:
    """Check a link's mass and give its inertia all six terms; a link without mass loses what it says of inertia."""
    inertial = link.find("inertial")
    if inertial is None:
        return
    if wrong := urdf_inertia_fault(link):
        raise NotAdoptedError(wrong)
    if not any(float(mass.get("value", "0")) for mass in inertial.findall("mass")):
        link.remove(inertial)
    for inertia in inertial.findall("inertia"):
        inertia.attrib = dict.fromkeys(TERMS, "0") | inertia.attrib


def _shapes(link: ET.Element) -> list[ET.Element]:
    return [*link.findall("visual"), *link.findall("collision")]


def _leave_out_empty_shapes(link: ET.Element, notes: list[Note]) -> None:
    """Leave out shapes without any size, which MuJoCo refuses, and names and second colours, which it does, too."""
    for looks in _shapes(link):
        looks.attrib.pop("name", None)
        _leave_out(looks, looks.findall("material")[1:])
    empty = list(filter(_is_empty, _shapes(link)))
    _leave_out(link, empty)
    if empty:
        words = (
            f"[shape of the link {link.get('name')} has|shapes of the link {link.get('name')} have] no size: left out."
        )
        notes.append(Note.fault(format_count(len(empty), words)))


def _is_empty(looks: ET.Element) -> bool:
    """Return whether a shape is round and has a length or a radius of 0."""
    shapes = [looks.find(f"geometry/{tag}") for tag in ("sphere", "cylinder", "capsule")]
    sizes = [value for shape in shapes if shape is not None for value in shape.attrib.values()]
    return any(_number(size, "size of a shape") <= 0.0 for size in sizes)


def _take_meshes(text: UrdfText, path: Path) -> None:
    """Give every mesh a path that MuJoCo finds; what is only seen and cannot be read is left out and told."""
    unseen: list[str] = []
    ready: dict[str, str] = {}
    turn = Y_TO_Z if are_turned(text.root, path) else None
    if turn is not None:
        words = "its meshes call y upright and fit their links when turned to z"
        text.notes.append(Note.assumption(f"{words}: they are turned, which not every program does."))
    for link in text.root.findall("link"):
        for looks in _shapes(link):
            mesh = looks.find("geometry/mesh")
            if mesh is not None and (error := _take_mesh(mesh, path, text.assets, ready, turn)):
                _check_only_seen(link, looks, mesh.get("filename", ""), error)
                link.remove(looks)
                unseen.append(f"{mesh.get('filename')}: {why_unreadable(error)}")
    if unseen:
        text.notes.append(not_drawn(unseen))


def _check_only_seen(link: ET.Element, looks: ET.Element, mesh: str, error: Exception) -> None:
    if looks.tag == "collision" or link.find("collision") is None:
        raise NotAdoptedError(unreadable_words(mesh, link.get("name", ""), error))


def _take_mesh(
    mesh: ET.Element, path: Path, assets: dict[str, bytes], ready: dict[str, str], turn: Array | None
) -> Exception | None:
    """Give a mesh a path that MuJoCo finds, or return what its reader raised. `ready` remembers those already found."""
    name = mesh.get("filename", "")
    try:
        ready[name] = ready.get(name) or readable_mesh(name, path, assets, turn)
    except UNREADABLE as error:
        return error
    mesh.set("filename", ready[name])
    return None
