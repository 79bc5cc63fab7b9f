"""Inertia estimate: masses and moments of inertia from shapes, for files in which no link has any.

A robot without masses gets the density of water, which is MuJoCo's for shapes without a mass, or its total mass if the
file has one (`settotalmass`). A robot with masses and no moments of inertia keeps its masses and centres of mass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from strut.adoption.note import Note
from strut.arrays import Array

_DENSITY_KG_M3 = 1000.0
_FROM_SHAPES = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
_WRITTEN = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
_ALL_GROUPS = (0, 5)
_NONE = 1e-12  # mass or moment of inertia: smaller ones are 0 with a rounding error


def estimate_inertias(spec: mujoco.MjSpec, compile_spec: Callable[[], mujoco.MjModel], notes: list[Note]) -> None:
    """Write masses or moments of inertia from shapes into a specification, with a note, if no link has any.

    Args:
        spec: The specification.
        compile_spec: Compiles it.
        notes: Gets the note.
    """
    choice = spec.compiler.inertiafromgeom
    links = [body for body in spec.bodies if body.name != "world"]
    weighed = [body for body in links if _has_mass(body, choice)]
    shaped = [body for body in weighed or links if body.geoms]
    if any(_is_from_shapes(body, choice) or _has_moments(body) for body in weighed) or not shaped:
        return
    before = {id(body): (body.mass, np.array(body.ipos)) for body in weighed}
    for body in shaped:
        _take_from_shapes(body, spec)
    spec.compiler.inertiafromgeom = _FROM_SHAPES
    spec.compiler.inertiagrouprange = _ALL_GROUPS
    model = compile_spec()
    spec.compiler.inertiafromgeom = choice
    for body in shaped:
        mass = float(model.body_mass[body.id])
        kept_mass, kept_centre = before.get(id(body), (mass, model.body_ipos[body.id].copy()))
        body.explicitinertial = True
        body.mass = kept_mass
        body.ipos = kept_centre
        body.iquat = model.body_iquat[body.id]
        body.fullinertia = np.full(6, np.nan)
        body.inertia = model.body_inertia[body.id] * (kept_mass / mass if mass > _NONE else 0.0)
    if weighed:
        notes.append(Note.assumption("no link has a moment of inertia: estimated from shapes and masses."))
        return
    total_kg = float(model.body_subtreemass[0])
    source = "the total mass in the file" if spec.compiler.settotalmass > 0.0 else f"{_DENSITY_KG_M3:g} kg/m³"
    notes.append(
        Note.assumption(
            f"no link has a mass: masses and inertias are estimated from shapes and {source}, {total_kg:.2f} kg in "
            "all; write the masses, because torques depend on them."
        )
    )


def _is_from_shapes(body: Any, choice: mujoco.mjtInertiaFromGeom) -> bool:
    """Return whether MuJoCo takes the inertia of a link from its shapes."""
    return bool(choice == _FROM_SHAPES or (choice != _WRITTEN and not body.explicitinertial))


def _has_mass(body: Any, choice: mujoco.mjtInertiaFromGeom) -> bool:
    """Return whether a link has a mass, of its own or of its shapes."""
    if not _is_from_shapes(body, choice):
        return bool(body.explicitinertial and body.mass > _NONE)
    return any(geom.mass > 0.0 or (np.isnan(geom.mass) and geom.density > 0.0) for geom in body.geoms)


def _has_moments(body: Any) -> bool:
    full: Array = np.array(body.fullinertia)
    moments = np.array(body.inertia) if np.isnan(full[0]) else full
    return bool((np.abs(moments) > _NONE).any())


def _take_from_shapes(body: Any, spec: mujoco.MjSpec) -> None:
    """Let a link take its inertia from its collision shapes, or from all shapes if none collides."""
    colliding = [geom for geom in body.geoms if geom.contype or geom.conaffinity]
    for geom in body.geoms:
        geom.mass = 0.0
    for geom in colliding or body.geoms:
        geom.mass = np.nan
        geom.density = _DENSITY_KG_M3
        if (mesh := spec.mesh(geom.meshname)) is not None:
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
