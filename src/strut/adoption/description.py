"""Description: a robot in an MJCF or URDF file, compiled, with limits, couplings and notes about repairs.

Errors that MuJoCo rejects but that are common are repaired with a note: inertias that no solid has, links without mass.
Errors without a plausible meaning, such as a negative mass, are refused.
"""

from __future__ import annotations

import shlex
import warnings
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from strut.adoption.description_size import check_body_count, check_size
from strut.adoption.inertia_estimate import estimate_inertias
from strut.adoption.mjcf_source import prepare_mjcf
from strut.adoption.note import Note, list_names
from strut.adoption.unreadable_meshes import find_broken_meshes, remove_meshes
from strut.adoption.urdf_source import prepare_urdf
from strut.adoption.xml_tree import iter_xml
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.models.link_inertia import inertia_fault
from strut.models.mesh_files import forget_meshes
from strut.plumbing.number_text import format_count

_MIN_MASS_KG = 1e-4  # of a link without mass, so that MuJoCo compiles it
_MIN_INERTIA_KG_M2 = 1e-8
_FINITE_FIELDS = (
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
_XACRO = ".xacro"
_OTHER_FORMATS = {
    "sdf": "is an SDF file; convert it to URDF first.",
    "MujocoInclude": "is a part of an MJCF file that others include; give the file that includes it.",
    "mujocoinclude": "is a part of an MJCF file that others include; give the file that includes it.",
    "COLLADA": "is a mesh and not a robot; give its MJCF or URDF.",
}


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """A description of a robot, compiled.

    Args:
        path: The file.
        spec: The repaired specification.
        model: The same, compiled.
        speed_rad_s: Speed limits by joint, if the file has them.
        effort_nm: Torque limits by joint, if the file has them.
        coupled: Joints that follow another joint, each with the name of that joint.
        notes: What was repaired.
    """

    path: Path
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    speed_rad_s: dict[str, float] = field(default_factory=dict)
    effort_nm: dict[str, float] = field(default_factory=dict)
    coupled: dict[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def read_description(path: Path, name: str = "") -> RobotDescription:
    """Return the description in a file; of several trees of links in a URDF, the one whose root has the name.

    Raises NotAdoptedError with the reason if it cannot be read.
    """
    root = _read_xml(path)
    mujoco.set_mju_user_warning(lambda _: None)  # otherwise MuJoCo writes a log file into the current folder
    try:
        if root.tag == "mujoco":
            spec, notes = prepare_mjcf(path)
            return RobotDescription(path, spec, _compile(path, spec, notes), notes=tuple(notes))
        urdf = prepare_urdf(root, path, name)
        notes = urdf.notes
        spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"), assets=urdf.assets)
        model = _compile(path, spec, notes)
    except (ValueError, RuntimeError, mujoco.FatalError) as error:  # RuntimeError: there is too little memory
        raise NotAdoptedError(f"MuJoCo cannot read it: {_on_one_line(error)}.") from error
    finally:
        forget_meshes()
    return RobotDescription(
        path=path,
        spec=spec,
        model=model,
        speed_rad_s={joint: limit["velocity"] for joint, limit in urdf.limits.items()},
        effort_nm={joint: limit["effort"] for joint, limit in urdf.limits.items()},
        coupled=urdf.coupled,
        notes=tuple(notes),
    )


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split()).removeprefix("Error: ").rstrip(".")


def _read_xml(path: Path) -> ET.Element:
    """Return the root of an MJCF or URDF file; raises NotAdoptedError for anything else."""
    if not path.is_file():
        raise NotAdoptedError("it is not a regular file." if path.exists() else "there is no such file.")
    try:
        root = _parse(path)
    except (ET.ParseError, UnicodeDecodeError, ValueError) as error:
        if path.suffix.lower() == _XACRO or b"<xacro:" in path.read_bytes():
            raise NotAdoptedError(_sentence_on_xacro(path)) from error
        raise NotAdoptedError(f"it is not XML ({_on_one_line(error)}); give an MJCF or URDF file.") from error
    if path.suffix.lower() == _XACRO or _has_xacro(root):
        raise NotAdoptedError(_sentence_on_xacro(path))
    if root.tag in _OTHER_FORMATS:
        raise NotAdoptedError(f"it {_OTHER_FORMATS[root.tag]}")
    if root.tag not in ("mujoco", "robot"):
        raise NotAdoptedError(f"it is neither MJCF nor URDF: its outermost tag is <{root.tag}>.")
    check_size(root, path)
    return root


def _has_xacro(root: ET.Element) -> bool:
    """Return whether a URDF has tags or expressions that xacro replaces."""
    expressions = (text for element in root.iter() for text in element.attrib.values())
    return any("xacro" in str(element.tag) for element in root.iter()) or (
        root.tag == "robot" and any("${" in text or "$(" in text for text in expressions)
    )


def _sentence_on_xacro(path: Path) -> str:
    urdf = path.name.removesuffix(_XACRO).removesuffix(".urdf") + ("" if path.suffix.lower() == _XACRO else "_expanded")
    command = shlex.join(["xacro", path.name]) + " > " + shlex.quote(f"{urdf}.urdf")
    return f"it is a xacro template; make a URDF of it first: `{command}`."


def _parse(path: Path) -> ET.Element:
    """Return the root of an XML file; parsing stops as soon as the file has more bodies than any robot."""
    bodies = 0
    for element, root in iter_xml(path):  # noqa: B007 (the root is the same every time)
        bodies += element.tag in ("body", "link")
        check_body_count(bodies)
    return root


def _compile(path: Path, spec: mujoco.MjSpec, notes: list[Note]) -> mujoco.MjModel:
    """Return the compiled specification, with impossible inertias and missing masses repaired."""
    check_body_count(len(spec.bodies))
    _repair_inertias(spec, notes)
    for joint in spec.joints:
        if joint.range[0] > joint.range[1]:
            raise NotAdoptedError(
                f"the joint {joint.name} has a range from {joint.range[0]:g} to {joint.range[1]:g}; exchange the two."
            )
    compiler = spec.compiler
    compiler.balanceinertia = True
    compiler.discardvisual = False
    compiler.boundmass = max(compiler.boundmass, _MIN_MASS_KG)
    compiler.boundinertia = max(compiler.boundinertia, _MIN_INERTIA_KG_M2)
    estimate_inertias(spec, partial(_compile_without_broken_meshes, path, spec, notes), notes)
    massless = _find_massless(spec)
    for mesh in spec.meshes:  # thin sheets have no volume, and links that have an inertia do not need it
        is_convex = mesh.inertia == mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        if not is_convex and not _gives_mass(spec, mesh.name):
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    model = _compile_without_broken_meshes(path, spec, notes)
    for name in _FINITE_FIELDS:
        if not np.isfinite(getattr(model, name)).all():
            raise NotAdoptedError(f"a number in {name.replace('_', ' ')} is not finite; correct it in the file.")
    if massless:
        _check_base_mass(model, massless)
        text = format_count(len(massless), f"moving [link has|links have] no mass ({list_names(massless)})")
        mass = f"{_MIN_MASS_KG * 1e3:g} g each {'is' if len(massless) == 1 else 'are'} assumed"
        notes.append(Note.fault(f"{text}: {mass}, so gravity hardly acts on them."))
    return model


def _check_base_mass(model: mujoco.MjModel, massless: list[str]) -> None:
    """Raise NotAdoptedError if the base has no mass: balance, torques and forces would be those of another robot."""
    for name in massless:
        body = model.body(name).id
        link = model.body_weldid == model.body_weldid[body]
        if model.body_parentid[body] == 0 and model.body_mass[link].sum() < 2.0 * _MIN_MASS_KG * link.sum():
            raise NotAdoptedError(f"the link {name}, which carries all others, has no mass; write its mass.")


def _gives_mass(spec: mujoco.MjSpec, mesh: str) -> bool:
    """Return whether a link takes its mass from a mesh."""
    return not all(geom.parent.explicitinertial for geom in spec.geoms if geom.meshname == mesh)


def _compile_without_broken_meshes(path: Path, spec: mujoco.MjSpec, notes: list[Note]) -> mujoco.MjModel:
    """Return the compiled specification; if it fails because of visual meshes, without them."""
    try:
        return _compile_without_bad_keyframes(spec, notes)
    except ValueError:
        broken = find_broken_meshes(spec, path)
        if not broken:
            raise
    remove_meshes(spec, broken, notes)
    return _compile_without_bad_keyframes(spec, notes)


def _compile_without_bad_keyframes(spec: mujoco.MjSpec, notes: list[Note]) -> mujoco.MjModel:
    """Return the compiled specification; if it fails because of keyframes, without them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about deprecated attributes: the file is not ours
        try:
            return spec.compile()
        except ValueError as error:
            if not spec.keys or "key" not in str(error).lower():
                raise
            for key in list(spec.keys):
                spec.delete(key)
            notes.append(Note.fault(f"its keyframes do not fit its joints ({_on_one_line(error)}): left out."))
            return spec.compile()


def _find_massless(spec: mujoco.MjSpec) -> list[str]:
    """Return the links that move and have shapes but no mass."""
    ignores_geoms = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    return [
        body.name
        for body in spec.bodies
        if body.joints
        and body.geoms
        and body.name != "world"
        and (body.explicitinertial or ignores_geoms)
        and body.mass <= 0.0
    ]


def _repair_inertias(spec: mujoco.MjSpec, notes: list[Note]) -> None:
    """Enlarge moments of inertia that violate the triangle inequality; refuse masses and inertias that nothing has."""
    for body in spec.bodies:
        if fault := inertia_fault(body):
            raise NotAdoptedError(fault)
    repaired = []
    for body in spec.bodies:
        if not body.explicitinertial:
            continue
        moments, axes = _principal_moments(body)
        possible = _satisfy_triangle_inequality(np.maximum(moments, 0.0))
        if body.mass > 0.0 and not np.allclose(possible, moments, rtol=1e-6, atol=1e-12):
            repaired.append(body.name)
            _set_inertia(body, possible, axes)
    if repaired:
        text = format_count(
            len(repaired), f"[link has|links have] an inertia that no solid body has ({list_names(repaired)})"
        )
        notes.append(Note.fault(f"{text}: the smaller moments were enlarged until a solid can have them."))


def _satisfy_triangle_inequality(moments: Array) -> Array:
    """Return principal moments (3,) with the smaller ones enlarged until their sum is not below the largest."""
    largest = moments.max()
    others = moments.sum() - largest
    if largest <= others:
        return moments
    enlarged = moments * (largest / others) if others > 0.0 else np.full(3, largest)
    return np.where(moments == largest, largest, enlarged)


def _set_inertia(body: mujoco.MjsBody, moments: Array, axes: Array | None) -> None:
    if axes is None:
        body.inertia = moments
        return
    full = axes @ np.diag(moments) @ axes.T
    body.fullinertia = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]


def _principal_moments(body: mujoco.MjsBody) -> tuple[Array, Array | None]:
    """Return a link's principal moments (3,), and their axes (3, 3) if the file has the whole matrix."""
    full = np.array(body.fullinertia)
    if np.isnan(full[0]):
        return np.array(body.inertia), None
    xx, yy, zz, xy, xz, yz = full
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return moments, axes
