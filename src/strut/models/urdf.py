"""URDF: a description of others as a MuJoCo specification, with what MuJoCo drops: speed limits.

Transmissions and simulator tags are left out, package:// is resolved by walking up from the file, and meshes in formats
that MuJoCo does not take are converted by trimesh. Links that are only fixed to others stay bodies of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import mujoco

from strut.errors import BadTableError

_LEFT_OUT = ("transmission", "gazebo")
_HINGES = ("revolute", "continuous")
_INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_ASCII_STL = b"solid"


@dataclass(frozen=True, slots=True)
class Description:
    """A specification, and by joint the speed and effort limits that it names; 0 means that nobody wrote one down."""

    spec: mujoco.MjSpec
    speed_limit: dict[str, float] = field(default_factory=dict)
    effort_limit: dict[str, float] = field(default_factory=dict)


def read_urdf(path: Path, fixed: Sequence[str]) -> Description:
    """Return the robot of a URDF file; joints whose names match one of `fixed` (with * and ?) stay at zero."""
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise BadTableError(f"{path}: is no XML ({error}).") from error
    for element in [child for child in root if child.tag in _LEFT_OUT]:
        root.remove(element)
    for inertia in root.iter("inertia"):
        for term in _INERTIA:
            inertia.set(term, inertia.get(term, "0"))
    for joint in root.findall("joint"):
        _fix(joint, fixed)
    speed, effort = _limits(root, "velocity"), _limits(root, "effort")
    assets = _resolve_meshes(root, path)
    options = {"strippath": "false", "discardvisual": "false", "fusestatic": "false", "balanceinertia": "true"}
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", options)
    try:
        spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"), assets=assets)
    except ValueError as error:
        raise BadTableError(f"{path}: MuJoCo cannot read it: {' '.join(str(error).split())}") from error
    return Description(spec, speed, effort)


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
    name, kind = joint.get("name", ""), joint.get("type", "")
    if any(fnmatchcase(name, pattern) for pattern in fixed):
        joint.set("type", "fixed")
        for element in [child for child in joint if child.tag in ("axis", "limit", "mimic")]:
            joint.remove(element)
    elif kind == "prismatic":
        raise BadTableError(f"The joint {name} slides; strut moves hinges only, so list it among the fixed ones.")
    elif kind not in (*_HINGES, "fixed"):
        raise BadTableError(f"Joint {name} is {kind}; list it among the fixed ones.")


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
                file = _found(mesh.get("filename", ""), path)
                if _is_native(file):
                    mesh.set("filename", str(file))
                else:
                    converted = f"{file.stem}_{len(assets)}.stl"
                    assets[converted] = _converted(file)
                    mesh.set("filename", converted)
            except (OSError, ImportError, ValueError) as error:
                if looks.tag == "collision":
                    raise BadTableError(
                        f"{path}: the shape {mesh.get('filename')} cannot be read ({error})."
                    ) from error
                link.remove(looks)
    return assets


def _found(name: str, path: Path) -> Path:
    """Return the file of a mesh: package:// and relative names are looked for from the description's folder upwards."""
    plain = name.removeprefix("file://").removeprefix("package://")
    tails = [plain, plain.partition("/")[2]] if name.startswith("package://") else [plain]
    for folder in path.resolve().parents:
        for tail in tails:
            if tail and (folder / tail).is_file():
                return folder / tail
    raise FileNotFoundError("there is no such file")


def _is_native(file: Path) -> bool:
    """Return whether MuJoCo reads a mesh: Wavefront, or STL that is binary."""
    if file.suffix.lower() == ".obj":
        return True
    if file.suffix.lower() != ".stl":
        return False
    start = file.read_bytes()[:512]
    return not (start.lstrip().startswith(_ASCII_STL) and b"facet" in start)


def _converted(file: Path) -> bytes:
    """Return a mesh in any format that trimesh reads as binary STL."""
    import trimesh  # noqa: PLC0415  (slow to import, and few descriptions need it)

    mesh: Any = trimesh.load(file, force="mesh")
    return bytes(mesh.export(file_type="stl"))
