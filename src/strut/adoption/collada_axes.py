"""COLLADA axes: whether URDF meshes with y up are meant to be rotated to z up. Some programs do so, ROS does not.

No file says for which program it was written. The centres of mass of its links decide: meshes belong near them.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.models.mesh_files import UNREADABLE, has_y_up, mesh_path, read_mesh

_CLEARLY_NEARER = 0.7  # ratio of the distances to the centres of mass, rotated over unrotated
Y_TO_Z = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def should_rotate_meshes(root: ET.Element, path: Path) -> bool:
    """Return whether meshes with y up are clearly nearer to their links' centres of mass when rotated to z up."""
    unrotated_m = 0.0
    rotated_m = 0.0
    for link in root.findall("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        centre_of_mass, _ = _origin(inertial)
        for visual in link.findall("visual"):
            centre = _centre_of_y_up_mesh(visual.find("geometry/mesh"), path)
            if centre is not None:
                position, rotation = _origin(visual)
                unrotated_m += float(np.linalg.norm(position + rotation.apply(centre) - centre_of_mass))
                rotated_m += float(np.linalg.norm(position + rotation.apply(Y_TO_Z @ centre) - centre_of_mass))
    return rotated_m < _CLEARLY_NEARER * unrotated_m


def _centre_of_y_up_mesh(mesh: ET.Element | None, path: Path) -> Array | None:
    """Return the centre of a mesh with y up in its own axes (3,); None for any other mesh."""
    if mesh is None:
        return None
    try:
        file = mesh_path(mesh.get("filename", ""), path)
        if not has_y_up(file):
            return None
        scale = np.array(mesh.get("scale", "1 1 1").split(), dtype=float)
        centre: Array = np.array(read_mesh(file).bounds).mean(axis=0) * scale
    except UNREADABLE:
        return None
    return centre


def _origin(element: ET.Element) -> tuple[Array, Rotation]:
    """Return position and rotation of an element's origin."""
    origin = element.find("origin")
    attributes = {} if origin is None else origin.attrib
    position = np.array(attributes.get("xyz", "0 0 0").split()[:3], dtype=float)
    rpy = np.array(attributes.get("rpy", "0 0 0").split()[:3], dtype=float)
    return position, Rotation.from_euler("xyz", rpy)
