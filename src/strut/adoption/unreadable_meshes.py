"""Unreadable meshes: visual meshes are left out with a note; meshes that collide or give mass are refused."""

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


def find_broken_meshes(spec: mujoco.MjSpec, path: Path) -> dict[str, str]:
    """Return the meshes that MuJoCo cannot read, each with the reason; each is compiled alone."""
    reasons = {mesh_name(mesh): _why_broken(mesh, spec, path) for mesh in spec.meshes if mesh.file}
    return {name: reason for name, reason in reasons.items() if reason}


def _why_broken(mesh: Any, spec: mujoco.MjSpec, path: Path) -> str:
    try:
        content = bytes(spec.assets.get(mesh.file) or b"")
        if not content:
            content = (path.resolve().parent / (spec.meshdir or "") / str(mesh.file)).read_bytes()
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


def remove_meshes(spec: mujoco.MjSpec, unreadable: Mapping[str, str], notes: list[Note]) -> None:
    """Remove unreadable meshes and their geoms, with a note; raises NotAdoptedError if one is needed.

    Args:
        spec: Where to remove them.
        unreadable: Reasons by name of the mesh.
        notes: Gets the note.
    """
    meshes = {mesh_name(mesh): mesh for mesh in spec.meshes}
    notes.append(note_on_meshes([f"{Path(meshes[name].file).name}: {why}" for name, why in unreadable.items()]))
    for geom in [geom for geom in spec.geoms if geom.meshname in unreadable]:
        _check_not_needed(geom, meshes[geom.meshname].file, unreadable[geom.meshname], spec)
        spec.delete(geom)
    for name in unreadable:
        spec.delete(meshes[name])


def note_on_meshes(meshes: list[str]) -> Note:
    """Return the note about visual meshes that cannot be read, each given with the reason."""
    text = f"visual [mesh|meshes] cannot be read ({list_names(meshes, 2)}): not drawn."
    return Note.fault(format_count(len(meshes), text))


def note_on_spellings(spellings: Mapping[str, Path]) -> list[Note]:
    """Return a note about meshes whose files differ in case from their names in the description; given both."""
    if not spellings:
        return []
    names = list_names([f"{name} is {'/'.join(file.parts[-2:])}" for name, file in spellings.items()], 2)
    text = f"[mesh differs|meshes differ] from [its file|their files] in upper and lower case ({names}): read so."
    return [Note.fault(format_count(len(spellings), text))]


def mesh_name(mesh: Any) -> str:
    """Return the name of a mesh: its own, or that of its file."""
    return str(mesh.name or Path(mesh.file).stem)


def _check_not_needed(geom: Any, file: str, why: str, spec: mujoco.MjSpec) -> None:
    """Raise NotAdoptedError if a geom with an unreadable mesh can collide or gives a link its mass."""
    paired = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
    gives_mass = not geom.parent.explicitinertial and 0.0 not in (geom.mass, geom.density)
    if geom.contype or geom.conaffinity or geom.name in paired:
        need = "can collide"
    elif geom.parent.name != "world" and gives_mass:
        need = "gives the link its mass"
    else:
        return
    raise NotAdoptedError(
        f"the mesh {Path(file).name} of the link {geom.parent.name} {need} and cannot be read ({why}); {remedy(why)}"
    )
