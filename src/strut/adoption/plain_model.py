"""Plain model: a description as an MJCF text of links, hinges and shapes alone, which any program reads in one way.

Scene, servos, tendons, materials and classes are left out; the numbers are those of the compiled description. The base
floats, a ball joint becomes three hinges, and a slide becomes rigid (leg_check refuses legs that need it). Meshes are
STL files beside the text: visual meshes may be simplified, collision meshes are convex hulls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from strut.adoption.description import RobotDescription
from strut.arrays import Array
from strut.models.solid_mesh import outer_faces, simplify_mesh
from strut.models.solids import LAST_VISIBLE_GROUP, Mesh

_SHAPES = {  # name in MJCF, number of sizes
    int(mujoco.mjtGeom.mjGEOM_SPHERE): ("sphere", 1),
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): ("capsule", 2),
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): ("ellipsoid", 3),
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): ("cylinder", 2),
    int(mujoco.mjtGeom.mjGEOM_BOX): ("box", 3),
    int(mujoco.mjtGeom.mjGEOM_MESH): ("mesh", 0),
}
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_FAR_ORIGIN = 0.35  # of the extent of the links: an origin of the base farther from its joints is moved to them
_MAX_VISUAL_FACES = 20_000  # per mesh, for small pages; with fewer, the edges of motors collapse
_VISUAL_GROUP = "2"
_COLLISION_GROUP = "0"  # collision shapes are drawn only where a link has no visual shape


@dataclass(frozen=True, slots=True)
class PlainModel:
    """A robot as links, hinges and shapes.

    Args:
        text: MJCF with a floating root.
        meshes: STL files by their name under `meshes/`.
        model: The text, compiled.
    """

    text: str
    meshes: dict[str, bytes]
    model: mujoco.MjModel


def write_plain_model(description: RobotDescription, root: int, rigid: frozenset[str], title: str) -> PlainModel:
    """Return the robot with the base `root`, without the joints in `rigid`."""
    writer = _Writer(description.model, rigid, title, root)
    writer.add_body(root, writer.world)
    text = writer.text()
    assets = {f"meshes/{name}": content for name, content in writer.meshes.items()}
    return PlainModel(text, writer.meshes, mujoco.MjSpec.from_string(text, assets=assets).compile())


def link_name(model: mujoco.MjModel, body: int) -> str:
    """Return the name of a body, or one with its number if it has none."""
    return str(model.body(body).name) or f"link_{body}"


def joint_name(model: mujoco.MjModel, joint: int) -> str:
    """Return the name of a joint, or one with its link and its number if it has none."""
    name = str(model.joint(joint).name)
    return name or f"{link_name(model, int(model.jnt_bodyid[joint]))}_joint_{joint}"


def hinge_names(model: mujoco.MjModel, joint: int) -> list[str]:
    """Return the names of a joint's hinges in the plain model: three for a ball joint, none for a slide."""
    name = joint_name(model, joint)
    kind = int(model.jnt_type[joint])
    if kind == _BALL:
        return [f"{name}_{axis}" for axis in _AXES]
    return [name] if kind == _HINGE else []


class _Writer:
    """Writes a plain MJCF text body by body."""

    def __init__(self, model: mujoco.MjModel, rigid: frozenset[str], title: str, base: int) -> None:
        self.model = model
        self.rigid = rigid
        self.base = base
        self.base_origin = _choose_base_origin(model, base)
        self.meshes: dict[str, bytes] = {}
        self.root = ET.Element("mujoco", model=title)
        ET.SubElement(self.root, "compiler", angle="radian", meshdir="meshes", autolimits="true", balanceinertia="true")
        self.assets = ET.SubElement(self.root, "asset")
        self.world = ET.SubElement(self.root, "worldbody")

    def text(self) -> str:
        if not len(self.assets):
            self.root.remove(self.assets)
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def add_body(self, body: int, parent: ET.Element) -> None:
        model = self.model
        is_root = parent is self.world
        if is_root:
            position = np.zeros(3)
            quaternion = _quaternion_in_world(model, body)
        else:
            position = self._in_new_frame(int(model.body_parentid[body]), model.body_pos[body])
            quaternion = model.body_quat[body]
        pose = {"pos": _format_numbers(position), "quat": _format_numbers(quaternion)}
        element = ET.SubElement(parent, "body", {"name": link_name(model, body), **pose})
        if is_root:
            ET.SubElement(element, "freejoint", name="base")
        else:
            for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
                self.add_joint(joint, element)
        if model.body_mass[body] > 0.0:
            inertial = {
                "pos": _format_numbers(self._in_new_frame(body, model.body_ipos[body])),
                "quat": _format_numbers(model.body_iquat[body]),
                "mass": _format_numbers(model.body_mass[body : body + 1]),
                "diaginertia": _format_numbers(model.body_inertia[body]),
            }
            ET.SubElement(element, "inertial", inertial)
        for geom in range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body]):
            self.add_shape(geom, element)
        for child in np.flatnonzero(model.body_parentid == body):
            if child != body and not model.body_mocapid[child] >= 0:
                self.add_body(int(child), element)

    def _in_new_frame(self, body: int, position: Array) -> Array:
        """Return a position in a body's frame (3,) relative to the origin that the body has in the plain model."""
        return position - self.base_origin if body == self.base else position

    def add_joint(self, joint: int, element: ET.Element) -> None:
        model = self.model
        names = [name for name in hinge_names(model, joint) if name not in self.rigid]
        for name in names:
            is_ball = int(model.jnt_type[joint]) == _BALL
            axis = _AXES[name[-1]] if is_ball else model.jnt_axis[joint]
            attributes = {"pos": _format_numbers(model.jnt_pos[joint]), "axis": _format_numbers(axis)}
            lower, upper = model.jnt_range[joint]
            if model.jnt_limited[joint]:
                attributes["range"] = _format_numbers((-upper, upper) if is_ball else (lower, upper))
            reference = 0.0 if is_ball else model.qpos0[model.jnt_qposadr[joint]]
            if reference:
                attributes["ref"] = _format_numbers([reference])
            armature = model.dof_armature[model.jnt_dofadr[joint]]
            if armature > 0.0:
                attributes["armature"] = _format_numbers([armature])
            ET.SubElement(element, "joint", {"name": name, "type": "hinge", **attributes})

    def add_shape(self, geom: int, element: ET.Element) -> None:
        model = self.model
        if int(model.geom_type[geom]) not in _SHAPES:
            return
        kind, size_count = _SHAPES[int(model.geom_type[geom])]
        collides = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        color = model.mat_rgba[model.geom_matid[geom]] if model.geom_matid[geom] >= 0 else model.geom_rgba[geom]
        if self._is_hidden(geom) and not collides:
            color = [*color[:3], 0.0]
        position = self._in_new_frame(int(model.geom_bodyid[geom]), model.geom_pos[geom])
        attributes = {"type": kind, "pos": _format_numbers(position), "quat": _format_numbers(model.geom_quat[geom])}
        if kind == "mesh":
            name = self._add_mesh(int(model.geom_dataid[geom]), collides=collides)
            if not name:
                return
            attributes["mesh"] = name
        else:
            attributes["size"] = _format_numbers(model.geom_size[geom][:size_count])
        contact = str(int(collides))
        attributes |= {"rgba": _format_numbers(color), "group": _COLLISION_GROUP if collides else _VISUAL_GROUP}
        ET.SubElement(element, "geom", attributes | {"contype": contact, "conaffinity": contact, "mass": "0"})

    def _is_hidden(self, geom: int) -> bool:
        """Return whether MuJoCo's viewer hides a geom and shows another one of its body."""
        model = self.model
        same_body = model.geom_bodyid == model.geom_bodyid[geom]
        return bool(
            model.geom_group[geom] > LAST_VISIBLE_GROUP and (model.geom_group[same_body] <= LAST_VISIBLE_GROUP).any()
        )

    def _add_mesh(self, mesh: int, *, collides: bool) -> str:
        """Return the name of a mesh as an asset: its convex hull if it collides; nothing if it is flat."""
        model = self.model
        plain = str(model.mesh(mesh).name).replace("/", "_") or f"mesh_{mesh}"
        name = f"{plain}_hull" if collides else plain
        if f"{name}.stl" not in self.meshes:
            vertices = model.mesh_vert[model.mesh_vertadr[mesh] :][: model.mesh_vertnum[mesh]].astype(np.float64)
            faces = model.mesh_face[model.mesh_faceadr[mesh] :][: model.mesh_facenum[mesh]]
            triangles = _convex_hull(vertices) if collides else _simplify(vertices, faces)
            if not len(triangles):
                return ""
            self.meshes[f"{name}.stl"] = encode_stl(triangles)
            ET.SubElement(self.assets, "mesh", name=name, file=f"{name}.stl", inertia="shell")
        return name


def _format_numbers(numbers: Iterable[float]) -> str:
    return " ".join(f"{float(number) + 0.0:.9g}" for number in numbers)  # + 0 so that -0 is 0


def _choose_base_origin(model: mujoco.MjModel, base: int) -> Array:
    """Return the new origin of the base in its frame (3,): its own, or the centre of its joints if that is far away.

    The origin of the base is the reported position and height of a robot; some files have it on the floor.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    is_on_base = model.body_weldid[model.body_parentid[model.jnt_bodyid]] == model.body_weldid[base]
    joints = [joint for joint in np.flatnonzero(is_on_base) if model.jnt_bodyid[joint] != base]
    if not joints:
        return np.zeros(3)
    extent = float(np.ptp(data.xpos[1:], axis=0).max())
    centre: Array = data.xmat[base].reshape(3, 3).T @ (data.xanchor[joints].mean(axis=0) - data.xpos[base])
    return centre if float(np.linalg.norm(centre)) > _FAR_ORIGIN * extent else np.zeros(3)


def _quaternion_in_world(model: mujoco.MjModel, body: int) -> Array:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    quaternion: Array = data.xquat[body].copy()
    return quaternion


def _convex_hull(vertices: Array) -> Array:
    """Return the triangles of the convex hull of points. Shape (n, 3, 3); empty if the points are flat."""
    try:
        hull = ConvexHull(vertices)
    except QhullError:
        return np.zeros((0, 3, 3))
    corners: Array = vertices[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    is_inside_out = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    corners[is_inside_out] = corners[is_inside_out][:, ::-1]
    return corners


def _simplify(vertices: Array, faces: Array) -> Array:
    """Return the triangles of a surface; if there are too many, only outer ones, and fewer. Shape (n, 3, 3)."""
    mesh = Mesh(vertices, np.asarray(faces, dtype=np.int64))
    if len(faces) > _MAX_VISUAL_FACES:
        mesh = simplify_mesh(Mesh(vertices, outer_faces(mesh)), _MAX_VISUAL_FACES)
    triangles: Array = mesh.vertices[mesh.faces]
    return triangles


def encode_stl(triangles: Array) -> bytes:
    """Return triangles (n, 3, 3) as a binary STL file."""
    record = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    record["normal"] = normals / np.where(lengths > 0.0, lengths, 1.0)
    record["corners"] = triangles
    return b"\0" * 80 + np.uint32(len(triangles)).tobytes() + record.tobytes()
