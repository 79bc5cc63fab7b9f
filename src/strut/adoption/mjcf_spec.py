"""MJCF specification: a description in MJCF, freed of what a robot does not need and checked before it is compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import mujoco

from strut.adoption.note import Note
from strut.adoption.unreadable_meshes import leave_out_meshes, mesh_name
from strut.models.mesh_files import UNREADABLE, is_native, read_mesh, why_unreadable

_SETTINGS = ("option", "size", "visual", "statistic", "sensor", "custom")  # of a simulation, not of a robot


def prepared_mjcf(path: Path) -> tuple[mujoco.MjSpec, list[Note]]:
    """Return the specification of an MJCF file without textures, and what had to be repaired.

    Raises ValueError if MuJoCo cannot read the text, NotAdoptedError for what cannot be meant.
    """
    notes: list[Note] = []
    spec = _read(path, notes)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for element in (*spec.textures, *spec.skins, *spec.sensors):
        spec.delete(element)
    _leave_out_missing_meshes(spec, path, notes)
    _let_paired_shapes_touch(spec)
    _forget_unknown_materials(spec)
    return spec, notes


def _read(path: Path, notes: list[Note]) -> mujoco.MjSpec:
    """Return what MuJoCo reads of a file; if it cannot, of its robot alone: settings of older versions are left out."""
    try:
        return mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        root = ET.parse(path).getroot()
        _, is_schema, words = str(error).partition("Schema violation: ")
        if not is_schema or root.find(".//include") is not None:
            raise
    spec = mujoco.MjSpec.from_string(_without_settings(root))
    spec.meshdir = str(path.resolve().parent / (spec.meshdir or ""))
    words = " ".join(words.split())
    left_out = ", ".join(sorted(_SETTINGS))
    notes.append(Note.fault(f"MuJoCo does not know a setting in it ({words}): all it says of {left_out} is left out."))
    return spec


def _without_settings(root: ET.Element) -> str:
    for child in [child for child in root if child.tag in _SETTINGS]:
        root.remove(child)
    return ET.tostring(root, encoding="unicode")


def _forget_unknown_materials(spec: mujoco.MjSpec) -> None:
    known = {"", *(material.name for material in spec.materials)}
    for geom in spec.geoms:
        if geom.material not in known:
            geom.material = ""


def _let_paired_shapes_touch(spec: mujoco.MjSpec) -> None:
    """Let the shapes of explicit contact pairs touch anything: a pair may name a floor that is not here."""
    for pair in list(spec.pairs):
        for name in (pair.geomname1, pair.geomname2):
            if (geom := spec.geom(name)) is not None:
                geom.contype = geom.contype or 1
        spec.delete(pair)


def _leave_out_missing_meshes(spec: mujoco.MjSpec, path: Path, notes: list[Note]) -> None:
    """Leave out shapes that are only seen and whose mesh cannot be read; refuse where one could touch or weigh."""
    found = {mesh_name(mesh): _why_not_read(mesh, spec, path) for mesh in spec.meshes if mesh.file}
    if missing := {name: why for name, why in found.items() if why}:
        leave_out_meshes(spec, missing, notes)


def _why_not_read(mesh: Any, spec: mujoco.MjSpec, path: Path) -> str:
    """Return why a mesh cannot be read, if so; what MuJoCo does not read is converted and kept in the specification."""
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
