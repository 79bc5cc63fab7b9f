"""The parts of a body as people see them, of every shape."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
import trimesh

from strut.arrays import Array
from strut.models.solids import Mesh, Solid, solid_poses, solids, visible_geoms

GREY = (0.5, 0.5, 0.5, 1.0)
CONE = trimesh.creation.cone(radius=0.1, height=0.4, sections=64)
SOLIDS = {
    "box": Solid("box", np.array([0.1, 0.2, 0.3]), GREY),
    "capsule": Solid("capsule", np.array([0.1, 0.25, 0.0]), GREY),
    "sphere": Solid("sphere", np.array([0.1, 0.0, 0.0]), GREY),
    "cylinder": Solid("cylinder", np.array([0.1, 0.25, 0.0]), GREY),
    "ellipsoid": Solid("ellipsoid", np.array([0.1, 0.2, 0.3]), GREY),
    "mesh": Solid("mesh", np.zeros(3), GREY, Mesh(np.array(CONE.vertices), np.array(CONE.faces))),
}
ANY = pytest.mark.parametrize("solid", SOLIDS.values(), ids=SOLIDS.keys())


def outside(solid: Solid, points: Array) -> Array:
    """Return a measure that is 0 on the surface, above 0 outside and below 0 inside. Shape (n, 3) in, (n,) out."""
    across = np.linalg.norm(points[:, :2], axis=1)
    along = points[:, 2]
    size = solid.size_m
    if solid.kind == "box":
        return np.max(np.abs(points) - size, axis=1)
    if solid.kind == "ellipsoid":
        return np.linalg.norm(points / size, axis=1) - 1.0
    if solid.kind == "cylinder":
        return np.maximum(across - size[0], np.abs(along) - size[1])
    if solid.kind == "mesh":
        return np.maximum(across / 0.1 + along / 0.4 - 1.0, -along)
    on_axis = np.clip(along, -size[1], size[1])
    return np.hypot(across, along - on_axis) - size[0]


@ANY
def test_the_box_around_a_part_holds_it_closely(solid: Solid) -> None:
    low, high = solid.bounds_m
    for axis in range(3):
        for bound, side in ((low, -1.0), (high, 1.0)):
            spread = (low + high) / 2.0 + 0.999 * (
                np.random.default_rng(axis).uniform(-0.5, 0.5, (4000, 3)) * (high - low)
            )
            spread[:, axis] = bound[axis] + side * 1e-3 * (high - low).max()
            assert outside(solid, spread).min() > -1e-9  # nothing beyond it
    centre = (low + high) / 2.0
    shrunk = 0.97 * (np.random.default_rng(1).uniform(-0.5, 0.5, (20000, 3)) * (high - low)) + centre
    inside = shrunk[outside(solid, shrunk) < 0.0]
    assert (np.ptp(inside, axis=0) > 0.8 * (high - low)).all()  # and it is reached


def test_solids_stand_where_the_model_has_them(mrpete) -> None:
    model = mrpete.model
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    qpos = model.qpos0 + rng.normal(0.0, 0.3, (3, model.nq))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    parts = solids(mrpete)
    centres, rotations = solid_poses(mrpete, qpos)
    assert len(parts) == model.ngeom - 1  # the ground is left out
    assert {part.kind for part in parts} == {"box", "capsule", "sphere"}
    data.qpos[:] = qpos[2]
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(centres[2], data.geom_xpos[1:], atol=1e-15)
    np.testing.assert_allclose(rotations[2].reshape(-1, 9), data.geom_xmat[1:], atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "point", "distance"),
    [
        ("box", (0.4, 0.6, 0.3), 0.5),  # 0.3 and 0.4 beyond two faces
        ("box", (0.0, 0.1, -0.5), 0.2),
        ("box", (0.05, 0.1, 0.2), 0.0),
        ("capsule", (0.3, 0.4, 0.1), 0.4),
        ("capsule", (0.0, 0.3, 0.65), 0.4),
        ("capsule", (0.0, 0.0, -0.45), 0.1),
        ("sphere", (0.2, 0.0, 0.2), 0.2 * np.sqrt(2.0) - 0.1),
        ("cylinder", (0.0, 0.0, 0.35), 0.1),
        ("cylinder", (-0.4, 0.0, 0.0), 0.3),
        ("ellipsoid", (0.0, -0.5, 0.0), 0.3),
    ],
)
def test_the_distance_of_a_point_outside_a_part(kind, point, distance) -> None:
    assert SOLIDS[kind].distance_m(np.array(point)) == pytest.approx(distance, abs=1e-12)


DRESSED = """
<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.1"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="dressed">
      <geom name="hull" type="box" size="0.1 0.1 0.1"/>
      <geom name="skin" type="mesh" mesh="wedge" contype="0" conaffinity="0" group="1"/>
      <geom name="hidden" type="sphere" size="0.1" group="3"/>
    </body>
    <body name="bare" pos="1 0 0"><geom name="own" type="capsule" size="0.1 0.2" rgba="0.1 0.2 0.3 0.4"/>
      <geom name="mark" type="sphere" size="0.05" contype="0" conaffinity="0"/>
      <geom name="shown" type="sphere" size="0.06" group="2"/></body>
  </worldbody>
</mujoco>
"""


def test_a_part_that_a_skin_covers_is_not_seen_nor_what_is_in_a_hidden_group() -> None:
    model = mujoco.MjModel.from_xml_string(DRESSED)
    assert [model.geom(geom).name for geom in visible_geoms(model)] == ["skin", "own", "mark", "shown"]
    only_hidden = DRESSED.replace('name="hull"', 'name="hull" group="4"').replace('group="1"', 'group="5"')
    only_hidden = only_hidden[: only_hidden.index('<body name="bare"')] + "</worldbody></mujoco>"
    assert len(visible_geoms(mujoco.MjModel.from_xml_string(only_hidden))) == 3


def test_a_mesh_comes_with_its_corners_and_faces_and_a_shape_with_its_sizes() -> None:
    skin, own, *_ = solids(SimpleNamespace(model=mujoco.MjModel.from_xml_string(DRESSED)))
    assert skin.kind == "mesh"
    assert skin.mesh.vertices.shape == (4, 3)
    assert len(skin.mesh.faces) == 4
    volume = np.abs(np.linalg.det(skin.mesh.vertices[1:] - skin.mesh.vertices[0])) / 6.0
    assert volume == pytest.approx(0.3 * 0.2 * 0.1 / 6.0, rel=1e-5)
    np.testing.assert_allclose(own.size_m, [0.1, 0.2, 0.0])
    assert own.color == pytest.approx((0.1, 0.2, 0.3, 0.4))
