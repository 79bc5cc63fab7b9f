"""Description: read a URDF or MJCF file as a MuJoCo specification, with the joint limits that MuJoCo drops.

Floor, lights, servos, sensors, keyframes, transmissions and simulator tags are left out. For URDF, package:// is
resolved as in `mesh_files`, and meshes in formats that MuJoCo does not read are converted. Links with a fixed joint
stay bodies of their own. Invalid files raise ValueError with a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import mujoco

from strut.models.link_inertia import TERMS, inertia_fault, urdf_inertia_fault
from strut.models.mesh_files import UNREADABLE, forget_meshes, mesh_path, readable_mesh, unreadable_sentence
from strut.schemas.toml_file import WrongFieldError

_LEFT_OUT = ("transmission", "gazebo")
_HINGES = ("revolute", "continuous")
URDF_OPTIONS = {
    "strippath": "false",
    "discardvisual": "false",
    "fusestatic": "false",
    "inertiafromgeom": "false",  # a link without <inertial> has no mass, whatever its shapes
}


@dataclass(frozen=True, slots=True)
class Description:
    """The content of a URDF or MJCF file.

    Args:
        spec: Links, hinges and shapes; no free joint.
        model: The compiled specification.
        speed_limit: Speed limit by joint [rad/s]; 0 if the file has none.
        effort_limit: Torque limit by joint [N m]; 0 if the file has none.
    """

    spec: mujoco.MjSpec
    model: mujoco.MjModel
    speed_limit: dict[str, float] = field(default_factory=dict)
    effort_limit: dict[str, float] = field(default_factory=dict)


def read_urdf(path: Path, fixed: Sequence[str]) -> Description:
    """Return the content of a URDF file; joints whose names match a pattern of `fixed` (with * and ?) stay at zero."""
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise ValueError(f"is not XML ({error}).") from error
    for element in [child for child in root if child.tag in _LEFT_OUT]:
        root.remove(element)
    for inertia in root.iter("inertia"):
        for term in TERMS:
            inertia.set(term, inertia.get(term, "0"))
    _check_inertias(map(urdf_inertia_fault, root.findall("link")))
    for joint in root.findall("joint"):
        _fix_or_check(joint, fixed)
    speed = _limits(root, "velocity")
    effort = _limits(root, "effort")
    assets = _resolve_meshes(root, path)
    forget_meshes()
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", URDF_OPTIONS | {"balanceinertia": "true"})
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"), assets=assets)
    return Description(spec, spec.compile(), speed, effort)


def read_mjcf(path: Path, fixed: Sequence[str]) -> Description:
    """Return the content of an MJCF file; joints whose names match a pattern of `fixed` (with * and ?) do not move."""
    spec = mujoco.MjSpec.from_file(str(path))
    for number, joint in enumerate(spec.joints):
        joint.name = joint.name or f"joint_{number}"
    _check_inertias(map(inertia_fault, spec.bodies))
    effort = _motor_limits(spec)
    _remove_all_but_links(spec, [joint.name for joint in spec.joints if matches(joint.name, fixed)])
    if sliding := [joint.name for joint in spec.joints if joint.type != mujoco.mjtJoint.mjJNT_HINGE]:
        raise _not_a_hinge(sliding[0], "not a hinge")
    model = spec.compile()
    _keep_inertias(spec, model)
    return Description(spec, model, {}, effort)


def _check_inertias(faults: Iterable[str]) -> None:
    """Raise ValueError about the first mass or inertia that no link can have."""
    if fault := next(filter(None, faults), ""):
        raise ValueError(fault)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name matches one of several patterns with * and ?."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _remove_all_but_links(spec: mujoco.MjSpec, fixed: Sequence[str]) -> None:
    """Remove floor, actuators, sensors, keyframes, fixed joints and the free joint; raise for closed loops."""
    for equality in spec.equalities:
        if equality.active and equality.name1 not in fixed:
            raise ValueError(
                f"the constraint between {equality.name1} and {equality.name2} closes a kinematic loop, "
                "which strut does not support."
            )
    removed = (*spec.actuators, *spec.tendons, *spec.keys, *spec.sensors, *spec.pairs, *spec.equalities)
    for element in (*removed, *spec.worldbody.geoms, *spec.worldbody.lights):
        spec.delete(element)
    for joint in spec.joints:
        if joint.name in fixed or joint.type == mujoco.mjtJoint.mjJNT_FREE:
            spec.delete(joint)


def _not_a_hinge(joint: str, kind: str) -> WrongFieldError:
    return WrongFieldError(("fixed",), f"the joint {joint} is {kind}; strut moves hinges only, so name it here.")


def _motor_limits(spec: mujoco.MjSpec) -> dict[str, float]:
    """Return the largest torque by joint, the smaller of motor and joint limit; 0 if the file has neither."""
    limits = {joint.name: float(joint.actfrcrange[1]) for joint in spec.joints}
    for actuator in spec.actuators:
        force = actuator.forcerange
        if force[1] <= 0.0 and actuator.biastype == mujoco.mjtBias.mjBIAS_NONE:
            force = actuator.ctrlrange * actuator.gainprm[0]
        if torque := float(abs(force[1] * actuator.gear[0])):
            limits[actuator.target] = min(torque, limits.get(actuator.target) or math.inf)
    return limits


def _keep_inertias(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Store the inertias that MuJoCo computed from shapes, so that the shapes may change."""
    auto = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    always = spec.compiler.inertiafromgeom != auto
    spec.compiler.inertiafromgeom = auto
    for body in spec.bodies[1:]:
        if always or not body.explicitinertial:
            set_inertia(body, model.body(body.id))


def set_inertia(body: Any, compiled: Any) -> None:
    """Give a body of a specification the mass and inertia of a compiled one."""
    body.mass = compiled.mass[0]
    body.ipos = compiled.ipos
    body.iquat = compiled.iquat
    body.inertia = compiled.inertia
    body.fullinertia = [math.nan, *[0.0] * 5]
    body.explicitinertial = True
    body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT


def _limits(root: ET.Element, kind: str) -> dict[str, float]:
    """Return one kind of limit of every joint that moves; 0 if the file has none."""
    limits = {}
    for joint in root.findall("joint"):
        limit = joint.find("limit")
        if joint.get("type") != "fixed":
            limits[joint.get("name", "")] = 0.0 if limit is None else float(limit.get(kind, 0.0))
    return limits


def _fix_or_check(joint: ET.Element, fixed: Sequence[str]) -> None:
    """Make a joint fixed if its name matches; else raise WrongFieldError if it is not a hinge."""
    name = joint.get("name", "")
    kind = joint.get("type", "")
    if matches(name, fixed):
        joint.set("type", "fixed")
        for element in [child for child in joint if child.tag in ("axis", "limit", "mimic")]:
            joint.remove(element)
    elif kind not in (*_HINGES, "fixed"):
        raise _not_a_hinge(name, kind)


def _resolve_meshes(root: ET.Element, path: Path) -> dict[str, bytes]:
    """Set the path of every mesh to one that MuJoCo finds; return the bytes of converted meshes by name.

    A visual mesh that cannot be read is left out; a collision mesh that cannot be read is an error.
    """
    assets: dict[str, bytes] = {}
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            mesh = shape.find("geometry/mesh")
            if mesh is None:
                continue
            try:
                # only the path itself: a file of that name elsewhere may belong to another robot
                mesh.set("filename", readable_mesh(mesh_path(mesh.get("filename", ""), path, anywhere=False), assets))
            except UNREADABLE as error:
                if shape.tag == "collision":
                    sentence = unreadable_sentence(mesh.get("filename", ""), link.get("name", ""), error)
                    raise ValueError(sentence) from error
                link.remove(shape)
    return assets
