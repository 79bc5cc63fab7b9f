"""MJCF source: a specification from an MJCF file, without what a robot does not need, and checked before compiling."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from strut.adoption.note import Note, list_names
from strut.adoption.unreadable_meshes import mesh_name, note_on_spellings, remove_meshes
from strut.adoption.xml_tree import insert_includes, parse_xml
from strut.models.mesh_files import UNREADABLE, find_in_any_case, is_native, read_mesh, why_unreadable
from strut.plumbing.number_text import format_count

_ENDING = ".xml"  # MuJoCo opens no file with another one
_SIZES = {  # of a geom: how many of its numbers must be positive
    mujoco.mjtGeom.mjGEOM_SPHERE: 1,
    mujoco.mjtGeom.mjGEOM_CAPSULE: 2,
    mujoco.mjtGeom.mjGEOM_CYLINDER: 2,
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: 3,
    mujoco.mjtGeom.mjGEOM_BOX: 3,
}
_SETTINGS = ("option", "size", "visual", "statistic", "sensor", "custom")  # of a simulation, not of a robot


def prepare_mjcf(path: Path) -> tuple[mujoco.MjSpec, list[Note]]:
    """Return the specification of an MJCF file without textures, and what was repaired.

    Raises ValueError if MuJoCo cannot read the text, NotAdoptedError if a mesh that is needed is missing.
    """
    notes: list[Note] = []
    spec = _read_spec(path, notes)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for element in (*spec.textures, *spec.skins, *spec.sensors):
        spec.delete(element)
    _remove_empty_shapes(spec, notes)
    _respell_meshes(spec, path, notes)
    unreadable = {mesh_name(mesh): _why_unreadable(mesh, spec, path) for mesh in spec.meshes if mesh.file}
    if unreadable := {name: why for name, why in unreadable.items() if why}:
        remove_meshes(spec, unreadable, notes)
    for pair in list(spec.pairs):  # let paired geoms collide with anything: a pair may name a floor that is not here
        for name in (pair.geomname1, pair.geomname2):
            if (geom := spec.geom(name)) is not None:
                geom.contype = geom.contype or 1
        spec.delete(pair)
    materials = {"", *(material.name for material in spec.materials)}
    for geom in spec.geoms:
        if geom.material not in materials:
            geom.material = ""
    return spec, notes


def _read_spec(path: Path, notes: list[Note]) -> mujoco.MjSpec:
    """Return the specification of a file; if MuJoCo does not know one of its settings, without all settings."""
    try:
        return mujoco.MjSpec.from_file(str(path)) if path.suffix == _ENDING else _parse_spec(_read_tree(path), path)
    except ValueError as error:
        _, is_schema, reason = str(error).partition("Schema violation: ")
        if not is_schema:
            raise
    root = _read_tree(path)
    for child in [child for child in root if child.tag in _SETTINGS]:
        root.remove(child)
    spec = _parse_spec(root, path)
    reason = " ".join(reason.split())
    settings = ", ".join(sorted(_SETTINGS))
    notes.append(Note.fault(f"MuJoCo does not know a setting in the file ({reason}): its tags {settings} are ignored."))
    return spec


def _read_tree(path: Path) -> ET.Element:
    root = parse_xml(path)
    insert_includes(root, path)
    return root


def _parse_spec(root: ET.Element, path: Path) -> mujoco.MjSpec:
    """Return the specification of a tree whose meshes are named relative to a file."""
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    spec.meshdir = str(path.resolve().parent / (spec.meshdir or ""))
    return spec


def _remove_empty_shapes(spec: mujoco.MjSpec, notes: list[Note]) -> None:
    """Remove shapes that are only drawn and have no size; MuJoCo refuses those that collide or have a mass."""
    empty = [geom for geom in spec.geoms if _is_empty(geom) and not (geom.contype or geom.conaffinity or geom.mass > 0)]
    links = sorted({geom.parent.name for geom in empty})
    for geom in empty:
        spec.delete(geom)
    if empty:
        text = f"visual [shape|shapes] of {list_names(links)} [has|have] no size: left out."
        notes.append(Note.fault(format_count(len(empty), text)))


def _is_empty(geom: Any) -> bool:
    """Return whether a geom is a solid of which a size is 0; a length between two points counts as a size."""
    count = _SIZES.get(geom.type, 0)
    between_points = not np.isnan(geom.fromto[0])
    return not geom.meshname and bool((geom.size[: 1 if between_points else count] <= 0.0).any()) and count > 0


def _respell_meshes(spec: mujoco.MjSpec, path: Path, notes: list[Note]) -> None:
    """Name the files of meshes as they are on the disk, if upper and lower case differ."""
    spellings = {}
    for mesh in spec.meshes:
        file = path.resolve().parent / (spec.meshdir or "") / mesh.file
        if not mesh.file or file.exists() or (found := find_in_any_case(file)) is None:
            continue
        spellings[mesh.file] = found
        mesh.name = mesh_name(mesh)
        mesh.file = str(found)
    notes += note_on_spellings(spellings)


def _why_unreadable(mesh: Any, spec: mujoco.MjSpec, path: Path) -> str:
    """Return why a mesh cannot be read, or nothing; a format that MuJoCo does not read is converted in the spec."""
    file = path.resolve().parent / (spec.meshdir or "") / mesh.file
    try:
        if is_native(file):
            return ""
        converted = read_mesh(file)
    except UNREADABLE as error:
        return why_unreadable(error)
    mesh.uservert = converted.vertices.ravel()
    mesh.userface = converted.faces.ravel()
    mesh.file = ""
    return ""
