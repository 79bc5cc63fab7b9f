"""Unreadable meshes: shapes that are only seen are left out with a note; those that touch or weigh are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mujoco

from strut.adoption.note import Note, list_names
from strut.errors import NotAdoptedError
from strut.models.mesh_files import remedy, why_unreadable
from strut.plumbing.number_text import format_count

EMPTY = "it is empty"
NO_SURFACE = "it holds no whole surface"


def broken_meshes(spec: mujoco.MjSpec, path: Path) -> dict[str, str]:
    """Return the meshes that MuJoCo cannot read, and why, in words; each is compiled alone."""
    found = {mesh_name(mesh): _why_broken(mesh, spec, path) for mesh in spec.meshes if mesh.file}
    return {name: why for name, why in found.items() if why}


def _why_broken(mesh: Any, spec: mujoco.MjSpec, path: Path) -> str:
    try:
        content = _content(mesh, spec, path)
    except OSError as error:
        return why_unreadable(error)
    alone = mujoco.MjSpec()
    name = Path(mesh.file).name
    alone.assets = {name: content}
    alone.add_mesh(name="mesh", file=name, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    alone.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh")
    try:
        alone.compile()
    except ValueError:
        return NO_SURFACE if content else EMPTY
    return ""


def _content(mesh: Any, spec: mujoco.MjSpec, path: Path) -> bytes:
    """Return what the file of a mesh holds; raises OSError if it is not there or cannot be opened."""
    if content := spec.assets.get(mesh.file):
        return bytes(content)
    return (path.resolve().parent / (spec.meshdir or "") / str(mesh.file)).read_bytes()


def leave_out_meshes(spec: mujoco.MjSpec, unreadable: Mapping[str, str], notes: list[Note]) -> None:
    """Leave out shapes of meshes that cannot be read, by name and why; refuse where one could touch or weighs."""
    meshes = {mesh_name(mesh): mesh for mesh in spec.meshes}
    notes.append(not_drawn([f"{Path(meshes[name].file).name}: {why}" for name, why in unreadable.items()]))
    for geom in [geom for geom in spec.geoms if geom.meshname in unreadable]:
        _check_dispensable(geom, meshes[geom.meshname].file, unreadable[geom.meshname], spec)
        spec.delete(geom)
    for name in unreadable:
        spec.delete(meshes[name])


def not_drawn(meshes: list[str]) -> Note:
    """Return the note about meshes that are only seen, each with why it cannot be read."""
    words = f"[mesh that is|meshes that are] only seen cannot be read ({list_names(meshes, 2)}): not drawn."
    return Note.fault(format_count(len(meshes), words))


def mesh_name(mesh: Any) -> str:
    """Return the name of a mesh: its own, or that of its file."""
    return str(mesh.name or Path(mesh.file).stem)


def _check_dispensable(geom: Any, file: str, why: str, spec: mujoco.MjSpec) -> None:
    """Raise NotAdoptedError if a shape whose mesh cannot be read could touch something or gives a link its mass."""
    if geom.contype or geom.conaffinity or geom.name in _paired(spec):
        needed = "could touch something"
    elif geom.parent.name != "world" and _weighs(geom):
        needed = "gives the link its mass"
    else:
        return
    words = f"the mesh {Path(file).name} of the link {geom.parent.name} {needed} and cannot be read ({why})"
    raise NotAdoptedError(f"{words}; {remedy(why)}")


def _paired(spec: mujoco.MjSpec) -> set[str]:
    return {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}


def _weighs(geom: Any) -> bool:
    return not geom.parent.explicitinertial and 0.0 not in (geom.mass, geom.density)
