"""MJCF source: a specification from an MJCF file, without what a robot does not need, and checked before compiling."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import mujoco

from strut.adoption.note import Note
from strut.adoption.unreadable_meshes import mesh_name, remove_meshes
from strut.models.mesh_files import UNREADABLE, is_native, read_mesh, why_unreadable

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
        return mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        root = ET.parse(path).getroot()
        _, is_schema, reason = str(error).partition("Schema violation: ")
        if not is_schema or root.find(".//include") is not None:
            raise
    for child in [child for child in root if child.tag in _SETTINGS]:
        root.remove(child)
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    spec.meshdir = str(path.resolve().parent / (spec.meshdir or ""))
    reason = " ".join(reason.split())
    settings = ", ".join(sorted(_SETTINGS))
    notes.append(Note.fault(f"MuJoCo does not know a setting in the file ({reason}): its tags {settings} are ignored."))
    return spec


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
