"""Described model: a robot as others wrote it down, compiled: any MJCF or URDF, with limits, keyframes and faults.

What MuJoCo refuses but everybody writes (inertias that no solid has, links without mass) is repaired and told; what
nobody can mean (a negative mass) is refused.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from strut.adoption.mjcf_spec import prepared_mjcf
from strut.adoption.note import Note, list_names
from strut.adoption.unreadable_meshes import broken_meshes, leave_out_meshes
from strut.adoption.urdf_text import prepared_urdf
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.models.link_inertia import inertia_fault
from strut.models.mesh_files import forget_meshes
from strut.plumbing.number_text import format_count

_LEAST_MASS_KG = 1e-4
_LEAST_INERTIA = 1e-8
_FINITE = (
    "body_pos",
    "body_quat",
    "body_mass",
    "body_inertia",
    "jnt_pos",
    "jnt_axis",
    "jnt_range",
    "geom_pos",
    "geom_size",
)
MOST_BODIES = 1000  # the largest of 67 files of example-robot-data, a robot with two arms and hands, has 130
_OTHER_FORMATS = {
    "sdf": "is an SDF file; convert it to URDF first.",
    "MujocoInclude": "is a part of an MJCF file that others include; give the file that includes it.",
    "mujocoinclude": "is a part of an MJCF file that others include; give the file that includes it.",
    "COLLADA": "is a mesh and no robot; give its MJCF or URDF.",
}


@dataclass(frozen=True, slots=True)
class DescribedModel:
    """A description, compiled as it is.

    Args:
        path: The file.
        spec: What MuJoCo read, repaired.
        model: The same, compiled.
        speed_rad_s: Speed limits by joint, where the file has them.
        effort_nm: Torque limits by joint, likewise.
        coupled: Joints that follow others, and which.
        notes: What was repaired.
    """

    path: Path
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    speed_rad_s: dict[str, float] = field(default_factory=dict)
    effort_nm: dict[str, float] = field(default_factory=dict)
    coupled: dict[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def read_described(path: Path) -> DescribedModel:
    """Return the description in a file; raises NotAdoptedError with the reason if it cannot be read."""
    root = _xml_root(path)
    mujoco.set_mju_user_warning(lambda _: None)  # or it writes a log file where the user stands
    try:
        if root.tag == "mujoco":
            spec, notes = prepared_mjcf(path)
            return _compiled(path, spec, notes)
        text = prepared_urdf(root, path)
        spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"), assets=text.assets)
        found = _compiled(path, spec, text.notes)
    except (ValueError, mujoco.FatalError) as error:
        raise NotAdoptedError(f"MuJoCo cannot read it: {_one_line(error)}.") from error
    finally:
        forget_meshes()
    limits = {which: {joint: limit[which] for joint, limit in text.limits.items()} for which in ("velocity", "effort")}
    return DescribedModel(path, spec, found.model, limits["velocity"], limits["effort"], text.coupled, found.notes)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).removeprefix("Error: ").rstrip(".")


def _xml_root(path: Path) -> ET.Element:
    if not path.is_file():
        raise NotAdoptedError("it is no regular file." if path.exists() else "there is no such file.")
    try:
        root = _parsed(path)
    except (ET.ParseError, UnicodeDecodeError, ValueError) as error:
        raise NotAdoptedError(f"it is no XML ({_one_line(error)}); give an MJCF or URDF file.") from error
    if path.suffix == ".xacro" or any("xacro" in str(element.tag) for element in root.iter()):
        raise NotAdoptedError("it is a xacro template; make a URDF of it first: `xacro FILE > robot.urdf`.")
    if root.tag in _OTHER_FORMATS:
        raise NotAdoptedError(f"it {_OTHER_FORMATS[root.tag]}")
    if root.tag not in ("mujoco", "robot"):
        raise NotAdoptedError(f"it is neither MJCF nor URDF: its outermost tag is <{root.tag}>.")
    return root


def _parsed(path: Path) -> ET.Element:
    """Return the outermost element of a file, which is given up as soon as it has more bodies than any robot."""
    bodies = 0
    elements = ET.iterparse(path, events=("start",))
    for _, element in elements:
        bodies += element.tag in ("body", "link")
        _check_size(bodies)
    root: ET.Element = elements.root  # type: ignore[attr-defined]
    return root


def _check_size(bodies: int) -> None:
    if bodies > MOST_BODIES:
        words = f"it has more than {MOST_BODIES} bodies, and the largest robot of example-robot-data has 130"
        raise NotAdoptedError(f"{words}: it is a scene or a crowd; give the file of one robot.")


def _compiled(path: Path, spec: mujoco.MjSpec, notes: list[Note]) -> DescribedModel:
    """Return a specification compiled, with impossible inertias and missing masses repaired."""
    _check_size(len(spec.bodies))
    _check_inertias(spec, notes)
    for joint in spec.joints:
        if joint.range[0] > joint.range[1]:
            raise NotAdoptedError(f"the joint {joint.name} has a range from {joint.range[0]:g} to {joint.range[1]:g}.")
    compiler = spec.compiler
    compiler.balanceinertia = True
    compiler.discardvisual = False
    massless = _massless(spec)
    compiler.boundmass = max(compiler.boundmass, _LEAST_MASS_KG)
    compiler.boundinertia = max(compiler.boundinertia, _LEAST_INERTIA)
    for mesh in spec.meshes:  # thin sheets have no volume, and links have inertias of their own
        if mesh.inertia != mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX:
            mesh.inertia = (
                mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL if _is_only_looks(spec, mesh.name) else mesh.inertia
            )
    model = _compiled_without_broken_meshes(path, spec, notes)
    for what in _FINITE:
        if not np.isfinite(getattr(model, what)).all():
            raise NotAdoptedError(f"a number among its {what.replace('_', ' ')} is not finite.")
    if massless:
        _check_carriers(model, massless)
        words = (
            f"moving [link has|links have] no mass ({list_names(massless)}): {_LEAST_MASS_KG * 1e3:g} g each assumed"
        )
        notes.append(Note.fault(f"{format_count(len(massless), words)}, so what they feel of gravity is not real."))
    return DescribedModel(path, spec, model, notes=tuple(notes))


def _check_carriers(model: mujoco.MjModel, massless: list[str]) -> None:
    """Refuse a trunk without mass: balance, torques and forces would all be those of another robot."""
    for name in massless:
        body = model.body(name).id
        rigid = model.body_weldid == model.body_weldid[body]
        if model.body_parentid[body] == 0 and model.body_mass[rigid].sum() < 2.0 * _LEAST_MASS_KG * rigid.sum():
            raise NotAdoptedError(f"the link {name}, which carries all others, has no mass; give it the one it has.")


def _is_only_looks(spec: mujoco.MjSpec, mesh: str) -> bool:
    """Return whether no link takes its mass from a mesh."""
    return all(geom.parent.explicitinertial for geom in spec.geoms if geom.meshname == mesh)


def _compiled_without_broken_meshes(path: Path, spec: mujoco.MjSpec, notes: list[Note]) -> mujoco.MjModel:
    """Return a specification compiled; where that fails for meshes that are only seen, without them."""
    try:
        return _compiled_without_bad_keys(spec, notes)
    except ValueError:
        broken = broken_meshes(spec, path)
        if not broken:
            raise
    leave_out_meshes(spec, broken, notes)
    return _compiled_without_bad_keys(spec, notes)


def _compiled_without_bad_keys(spec: mujoco.MjSpec, notes: list[Note]) -> mujoco.MjModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about deprecated attributes of a file that is not ours
        try:
            return spec.compile()
        except ValueError as error:
            if not spec.keys or "key" not in str(error).lower():
                raise
            for key in list(spec.keys):
                spec.delete(key)
            notes.append(Note.fault(f"its keyframes do not fit its joints ({_one_line(error)}): they are left out."))
            return spec.compile()


def _massless(spec: mujoco.MjSpec) -> list[str]:
    """Return the links that move, have shapes and yet no mass."""
    never = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    return [
        body.name
        for body in spec.bodies
        if body.joints and body.geoms and body.name != "world" and (body.explicitinertial or never) and body.mass <= 0.0
    ]


def _check_inertias(spec: mujoco.MjSpec, notes: list[Note]) -> None:
    """Refuse masses and inertias that nothing has; clamp those that no solid has to the triangle inequality; tell."""
    clamped = []
    if wrong := next(filter(None, map(inertia_fault, spec.bodies)), ""):
        raise NotAdoptedError(wrong)
    for body in filter(lambda body: body.explicitinertial, spec.bodies):
        moments, axes = _principal(body)
        possible = _possible(np.maximum(moments, 0.0))
        if body.mass > 0.0 and not np.allclose(possible, moments, rtol=1e-6, atol=1e-12):
            clamped.append(body.name)
            _set_inertia(body, possible, axes)
    if clamped:
        words = format_count(
            len(clamped), f"[link has|links have] an inertia that no solid body has ({list_names(clamped)})"
        )
        notes.append(Note.fault(f"{words}: the smaller moments were enlarged until a solid could have them."))


def _possible(moments: Array) -> Array:
    """Return principal moments (3,) of which none is larger than the sum of the others: the smaller ones grow."""
    largest = moments.max()
    others = moments.sum() - largest
    if largest <= others:
        return moments
    grown = moments * (largest / others) if others > 0.0 else np.full(3, largest)
    return np.where(moments == largest, largest, grown)


def _set_inertia(body: mujoco.MjsBody, moments: Array, axes: Array | None) -> None:
    if axes is None:
        body.inertia = moments
        return
    full = axes @ np.diag(moments) @ axes.T
    body.fullinertia = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]


def _principal(body: mujoco.MjsBody) -> tuple[Array, Array | None]:
    """Return a link's principal moments (3,), and their axes (3, 3) where it gives a whole matrix."""
    full = np.array(body.fullinertia)
    if np.isnan(full[0]):
        return np.array(body.inertia), None
    xx, yy, zz, xy, xz, yz = full
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return moments, axes
