"""COLLADA axes: whether meshes of a URDF that call y upright are meant to be turned: some programs do, ROS does not.

No file says which program its author looked through; where the centres of mass of the links lie tells.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.models.mesh_files import UNREADABLE, calls_y_upright, mesh_path, read_mesh

_NEARER = 0.7  # of the distance to the centres of mass: only a clear difference counts
Y_TO_Z = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def are_turned(root: ET.Element, path: Path) -> bool:
    """Return whether meshes that call y upright lie clearly nearer to their links' centres of mass when turned to z."""
    apart = [pair for link in root.findall("link") for pair in _distances_m(link, path)]
    as_they_are, turned = np.array(apart).reshape(-1, 2).sum(axis=0)
    return bool(turned < _NEARER * as_they_are)


def _distances_m(link: ET.Element, path: Path) -> list[tuple[float, float]]:
    """Return how far the middles of a link's meshes are from its centre of mass, as they are and turned."""
    inertial = link.find("inertial")
    looks = link.findall("visual")
    if inertial is None:
        return []
    centre = _placed(inertial)[0]
    middles = [_middle(look.find("geometry/mesh"), path) for look in looks]
    return [_apart_m(look, m, centre) for look, m in zip(looks, middles, strict=True) if m is not None]


def _apart_m(look: ET.Element, middle: Array, centre: Array) -> tuple[float, float]:
    """Return how far the middle of a mesh is from a centre, as it is and turned."""
    place, turn = _placed(look)
    as_it_is, turned = (np.linalg.norm(place + turn.apply(m) - centre) for m in (middle, Y_TO_Z @ middle))
    return float(as_it_is), float(turned)


def _middle(mesh: ET.Element | None, path: Path) -> Array | None:
    """Return the middle of a mesh that calls y upright in its own axes (3,); None of any other."""
    if mesh is None:
        return None
    try:
        file = mesh_path(mesh.get("filename", ""), path)
        if not calls_y_upright(file):
            return None
        scale = np.array(mesh.get("scale", "1 1 1").split(), dtype=float)
        middle: Array = np.array(read_mesh(file).bounds).mean(axis=0) * scale
    except UNREADABLE:
        return None
    return middle


def _placed(element: ET.Element) -> tuple[Array, Rotation]:
    """Return the place and the turn of an element's origin."""
    origin = element.find("origin")
    said = {} if origin is None else origin.attrib
    place, turn = (np.array(said.get(which, "0 0 0").split()[:3], dtype=float) for which in ("xyz", "rpy"))
    return place, Rotation.from_euler("xyz", turn)
