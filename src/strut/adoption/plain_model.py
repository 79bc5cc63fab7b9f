"""Plain model: a description as an MJCF text of links, hinges and shapes alone, which reads the same everywhere.

Scene, servos, tendons, materials and classes are gone; numbers are those of the compiled description. The base floats,
a ball joint is three hinges, and what slides is rigid (whether a leg may do without is judged later). Meshes lie beside
the text as STL: what only is seen may be coarsened, what touches is its convex hull.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from strut.adoption.described_model import DescribedModel
from strut.arrays import Array
from strut.models.solid_mesh import outer_faces, reduced
from strut.models.solids import LAST_SEEN_GROUP, Mesh

_SHAPES = {
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
_FAR_ORIGIN = 0.35  # of how far links lie apart: farther from the joints on it, an origin is moved to them
_MOST_SEEN_FACES = 20_000  # of one mesh: a page with the robot stays small; for fewer, edges of motors do not collapse
_SEEN_GROUP = "2"
_TOUCHING_GROUP = "0"  # what touches is drawn only where a link has no looks of its own


@dataclass(frozen=True, slots=True)
class PlainModel:
    """A robot as links, hinges and shapes.

    Args:
        text: MJCF, whose root floats.
        meshes: STL files by their name under `meshes/`.
        model: The text, compiled.
    """

    text: str
    meshes: dict[str, bytes]
    model: mujoco.MjModel


def plain_model(described: DescribedModel, root: int, rigid: frozenset[str], title: str) -> PlainModel:
    """Return the robot that hangs on the body `root` of a description; joints in `rigid` are left out."""
    source = described.model
    writer = _Writer(source, rigid, title, root)
    writer.body(root, writer.world)
    text = writer.text()
    assets = {f"meshes/{name}": content for name, content in writer.meshes.items()}
    return PlainModel(text, writer.meshes, mujoco.MjSpec.from_string(text, assets=assets).compile())


def link_name(model: mujoco.MjModel, body: int) -> str:
    """Return the name of a body, or a number for one that has none."""
    return str(model.body(body).name) or f"link_{body}"


def joint_name(model: mujoco.MjModel, joint: int) -> str:
    """Return the name of a joint, or one after its link for one that has none."""
    named = str(model.joint(joint).name)
    return named or f"{link_name(model, int(model.jnt_bodyid[joint]))}_joint_{joint}"


def hinges_of(model: mujoco.MjModel, joint: int) -> list[str]:
    """Return what a joint is called in the plain model: a ball is three hinges, what slides is none."""
    name = joint_name(model, joint)
    kind = int(model.jnt_type[joint])
    if kind == _BALL:
        return [f"{name}_{axis}" for axis in _AXES]
    return [name] if kind == _HINGE else []


class _Writer:
    """Writes a plain MJCF text, body by body."""

    def __init__(self, model: mujoco.MjModel, rigid: frozenset[str], title: str, base: int) -> None:
        self.model = model
        self.rigid = rigid
        self.base = base
        self.origin = _origin(model, base)
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

    def body(self, body: int, parent: ET.Element) -> None:
        model = self.model
        is_root = parent is self.world
        position = np.zeros(3) if is_root else self.relative_to(int(model.body_parentid[body]), model.body_pos[body])
        turn = _world_quaternion(model, body) if is_root else model.body_quat[body]
        place = {"pos": _words(position), "quat": _words(turn)}
        element = ET.SubElement(parent, "body", {"name": link_name(model, body), **place})
        if is_root:
            ET.SubElement(element, "freejoint", name="base")
        else:
            for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
                self.joint(joint, element)
        if model.body_mass[body] > 0.0:
            inertial = {
                "pos": _words(self.relative_to(body, model.body_ipos[body])),
                "quat": _words(model.body_iquat[body]),
            }
            inertial |= {"mass": _words(model.body_mass[body : body + 1])}
            ET.SubElement(element, "inertial", inertial | {"diaginertia": _words(model.body_inertia[body])})
        for geom in range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body]):
            self.shape(geom, element)
        for child in np.flatnonzero(model.body_parentid == body):
            if child != body and not model.body_mocapid[child] >= 0:
                self.body(int(child), element)

    def relative_to(self, body: int, place: Array) -> Array:
        """Return a place in a body's axes (3,), from the origin that it gets here."""
        return place - self.origin if body == self.base else place

    def joint(self, joint: int, element: ET.Element) -> None:
        model = self.model
        names = [name for name in hinges_of(model, joint) if name not in self.rigid]
        for name in names:
            is_ball = int(model.jnt_type[joint]) == _BALL
            axis = _AXES[name[-1]] if is_ball else model.jnt_axis[joint]
            attributes = {"pos": _words(model.jnt_pos[joint]), "axis": _words(axis)}
            low, high = model.jnt_range[joint]
            if model.jnt_limited[joint]:
                attributes["range"] = _words((-high, high) if is_ball else (low, high))
            reference = 0.0 if is_ball else model.qpos0[model.jnt_qposadr[joint]]
            if reference:
                attributes["ref"] = _words([reference])
            armature = model.dof_armature[model.jnt_dofadr[joint]]
            if armature > 0.0:
                attributes["armature"] = _words([armature])
            ET.SubElement(element, "joint", {"name": name, "type": "hinge", **attributes})

    def shape(self, geom: int, element: ET.Element) -> None:
        model = self.model
        if int(model.geom_type[geom]) not in _SHAPES:
            return
        kind, sizes = _SHAPES[int(model.geom_type[geom])]
        touches = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        color = model.mat_rgba[model.geom_matid[geom]] if model.geom_matid[geom] >= 0 else model.geom_rgba[geom]
        color = [*color[:3], 0.0] if self.is_hidden(geom) and not touches else color
        place = self.relative_to(int(model.geom_bodyid[geom]), model.geom_pos[geom])
        attributes = {"type": kind, "pos": _words(place), "quat": _words(model.geom_quat[geom])}
        if kind == "mesh":
            name = self.mesh(int(model.geom_dataid[geom]), touches)
            if not name:
                return
            attributes["mesh"] = name
        else:
            attributes["size"] = _words(model.geom_size[geom][:sizes])
        contact = str(int(touches))
        attributes |= {"rgba": _words(color), "group": _TOUCHING_GROUP if touches else _SEEN_GROUP}
        ET.SubElement(element, "geom", attributes | {"contype": contact, "conaffinity": contact, "mass": "0"})

    def is_hidden(self, geom: int) -> bool:
        """Return whether a viewer of MuJoCo hides a shape, and shows another one of its link."""
        model = self.model
        same_link = model.geom_bodyid == model.geom_bodyid[geom]
        return bool(model.geom_group[geom] > LAST_SEEN_GROUP and (model.geom_group[same_link] <= LAST_SEEN_GROUP).any())

    def mesh(self, mesh: int, touches: bool) -> str:
        """Return the name of a mesh as an asset, or of its hull for what touches; nothing if it is flat."""
        model = self.model
        plain = str(model.mesh(mesh).name).replace("/", "_") or f"mesh_{mesh}"
        name = f"{plain}_hull" if touches else plain
        if f"{name}.stl" not in self.meshes:
            vertices = model.mesh_vert[model.mesh_vertadr[mesh] :][: model.mesh_vertnum[mesh]].astype(np.float64)
            faces = model.mesh_face[model.mesh_faceadr[mesh] :][: model.mesh_facenum[mesh]]
            triangles = _hull(vertices) if touches else _coarse(vertices, faces)
            if not len(triangles):
                return ""
            self.meshes[f"{name}.stl"] = stl_bytes(triangles)
            ET.SubElement(self.assets, "mesh", name=name, file=f"{name}.stl", inertia="shell")
        return name


def _words(numbers: Iterable[float]) -> str:
    return " ".join(f"{float(number) + 0.0:.9g}" for number in numbers)


def _origin(model: mujoco.MjModel, base: int) -> Array:
    """Return a new origin for a base in its axes (3,): its own, or amid the joints on it if that is far from them.

    Where the origin of a base is tells how high and where a robot is; some files have it on the floor.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    on_base = model.body_weldid[model.body_parentid[model.jnt_bodyid]] == model.body_weldid[base]
    joints = [joint for joint in np.flatnonzero(on_base) if model.jnt_bodyid[joint] != base]
    if not joints:
        return np.zeros(3)
    reach = float(np.ptp(data.xpos[1:], axis=0).max())
    amid: Array = data.xmat[base].reshape(3, 3).T @ (data.xanchor[joints].mean(axis=0) - data.xpos[base])
    return amid if float(np.linalg.norm(amid)) > _FAR_ORIGIN * reach else np.zeros(3)


def _world_quaternion(model: mujoco.MjModel, body: int) -> Array:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    turned: Array = data.xquat[body].copy()
    return turned


def _hull(vertices: Array) -> Array:
    """Return the triangles of the convex hull of points. Shape (n, 3, 3); none if they are flat."""
    try:
        hull = ConvexHull(vertices)
    except QhullError:
        return np.zeros((0, 3, 3))
    corners: Array = vertices[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside_out = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    corners[inside_out] = corners[inside_out][:, ::-1]
    return corners


def _coarse(vertices: Array, faces: Array) -> Array:
    """Return the triangles of a surface; of one with too many, fewer, and none that is hidden. Shape (n, 3, 3)."""
    mesh = Mesh(vertices, np.asarray(faces, dtype=np.int64))
    if len(faces) > _MOST_SEEN_FACES:
        mesh = reduced(Mesh(vertices, outer_faces(mesh)), _MOST_SEEN_FACES)
    triangles: Array = mesh.vertices[mesh.faces]
    return triangles


def stl_bytes(triangles: Array) -> bytes:
    """Return triangles (n, 3, 3) as a binary STL file."""
    record = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    record["normal"] = normals / np.where(lengths > 0.0, lengths, 1.0)
    record["corners"] = triangles
    return b"\0" * 80 + np.uint32(len(triangles)).tobytes() + record.tobytes()
