"""Description: a robot of others, URDF or MJCF, as a MuJoCo specification, with what that drops: speed limits.

Floor, lights, servos, sensors, keyframes, transmissions and simulator tags are left out. For URDF, package:// is
resolved as in `mesh_files`, and meshes in formats that MuJoCo does not take are converted. Links that are only fixed
to others stay bodies of their own. What cannot be read is a ValueError in words.
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
from strut.models.mesh_files import UNREADABLE, forget_meshes, readable_mesh, unreadable_words
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
    """A robot of others.

    Args:
        spec: What remains of it; no free joint and only hinges.
        model: The same, compiled.
        speed_limit: By joint; 0 means that nobody wrote one down.
        effort_limit: Likewise.
    """

    spec: mujoco.MjSpec
    model: mujoco.MjModel
    speed_limit: dict[str, float] = field(default_factory=dict)
    effort_limit: dict[str, float] = field(default_factory=dict)


def read_urdf(path: Path, fixed: Sequence[str]) -> Description:
    """Return the robot of a URDF file; joints whose names match one of `fixed` (with * and ?) stay at zero."""
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise ValueError(f"is no XML ({error}).") from error
    for element in [child for child in root if child.tag in _LEFT_OUT]:
        root.remove(element)
    for inertia in root.iter("inertia"):
        for term in TERMS:
            inertia.set(term, inertia.get(term, "0"))
    _check_inertias(map(urdf_inertia_fault, root.findall("link")))
    for joint in root.findall("joint"):
        _fix(joint, fixed)
    speed = _limits(root, "velocity")
    effort = _limits(root, "effort")
    assets = _resolve_meshes(root, path)
    forget_meshes()
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", URDF_OPTIONS | {"balanceinertia": "true"})
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"), assets=assets)
    return Description(spec, spec.compile(), speed, effort)


def read_mjcf(path: Path, fixed: Sequence[str]) -> Description:
    """Return the robot of an MJCF file; joints whose names match one of `fixed` (with * and ?) stay where they are."""
    spec = mujoco.MjSpec.from_file(str(path))
    for number, joint in enumerate(spec.joints):
        joint.name = joint.name or f"joint_{number}"
    _check_inertias(map(inertia_fault, spec.bodies))
    effort = _motor_limits(spec)
    _strip(spec, [joint.name for joint in spec.joints if matches(joint.name, fixed)])
    if sliding := [joint.name for joint in spec.joints if joint.type != mujoco.mjtJoint.mjJNT_HINGE]:
        raise _no_hinge(sliding[0], "no hinge")
    model = spec.compile()
    _keep_inertias(spec, model)
    return Description(spec, model, {}, effort)


def _check_inertias(faults: Iterable[str]) -> None:
    """Raise ValueError with the first fault of a link's mass or inertia that there is."""
    if fault := next(filter(None, faults), ""):
        raise ValueError(fault)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name fits one of several patterns with * and ?."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _strip(spec: mujoco.MjSpec, held: Sequence[str]) -> None:
    """Take out what we have ourselves, the joints that are held, and what holds the base; refuse closed loops."""
    for equality in spec.equalities:
        if equality.active and equality.name1 not in held:
            raise ValueError(
                f"its constraint between {equality.name1} and {equality.name2} closes a loop, which strut cannot move."
            )
    ours = (*spec.actuators, *spec.tendons, *spec.keys, *spec.sensors, *spec.pairs, *spec.equalities)
    for element in (*ours, *spec.worldbody.geoms, *spec.worldbody.lights):
        spec.delete(element)
    for joint in spec.joints:
        if joint.name in held or joint.type == mujoco.mjtJoint.mjJNT_FREE:
            spec.delete(joint)


def _no_hinge(joint: str, kind: str) -> WrongFieldError:
    return WrongFieldError(("fixed",), f"the joint {joint} is {kind}; strut moves hinges only, so list it here.")


def _motor_limits(spec: mujoco.MjSpec) -> dict[str, float]:
    """Return the largest torque by joint: the smaller of its motor's and its own; 0 where nobody wrote one down."""
    limits = {joint.name: float(joint.actfrcrange[1]) for joint in spec.joints}
    for actuator in spec.actuators:
        force = actuator.forcerange
        if force[1] <= 0.0 and actuator.biastype == mujoco.mjtBias.mjBIAS_NONE:
            force = actuator.ctrlrange * actuator.gainprm[0]
        if torque := float(abs(force[1] * actuator.gear[0])):
            limits[actuator.target] = min(torque, limits.get(actuator.target) or math.inf)
    return limits


def _keep_inertias(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Write down the inertias that MuJoCo found from shapes, so that the shapes may change."""
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
    """Return a limit of every joint that moves; 0 where nobody wrote one down."""
    limits = {}
    for joint in root.findall("joint"):
        limit = joint.find("limit")
        if joint.get("type") != "fixed":
            limits[joint.get("name", "")] = 0.0 if limit is None else float(limit.get(kind, 0.0))
    return limits


def _fix(joint: ET.Element, fixed: Sequence[str]) -> None:
    """Make a joint fixed that shall not move; refuse one that is no hinge."""
    name = joint.get("name", "")
    kind = joint.get("type", "")
    if matches(name, fixed):
        joint.set("type", "fixed")
        for element in [child for child in joint if child.tag in ("axis", "limit", "mimic")]:
            joint.remove(element)
    elif kind not in (*_HINGES, "fixed"):
        raise _no_hinge(name, kind)


def _resolve_meshes(root: ET.Element, path: Path) -> dict[str, bytes]:
    """Give every mesh a path that MuJoCo finds; return the bytes of those that had to be converted.

    What is only seen and cannot be read is left out; what could touch something must be read.
    """
    assets: dict[str, bytes] = {}
    for link in root.findall("link"):
        for looks in [*link.findall("visual"), *link.findall("collision")]:
            mesh = looks.find("geometry/mesh")
            if mesh is None:
                continue
            try:
                # a robot's folder says where its meshes are; one of that name elsewhere may be another robot's
                mesh.set("filename", readable_mesh(mesh.get("filename", ""), path, assets, anywhere=False))
            except UNREADABLE as error:
                if looks.tag == "collision":
                    words = unreadable_words(mesh.get("filename", ""), link.get("name", ""), error)
                    raise ValueError(words) from error
                link.remove(looks)
    return assets
