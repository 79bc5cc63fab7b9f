"""The parts of a body as people see them, of every shape, and the rays that meet them."""

import mujoco
import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from strut.engines.solids import Mesh, PosedSolids, Solid, solid_poses, solids
from strut.robot import Array

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
BALL = SOLIDS["sphere"]
ANY = pytest.mark.parametrize("solid", SOLIDS.values(), ids=SOLIDS.keys())


def alone(solid: Solid) -> PosedSolids:
    return PosedSolids((solid,), np.zeros((1, 3)), np.eye(3)[None])


def outside(solid: Solid, points: Array) -> Array:
    """Return a measure that is 0 on the surface, above 0 outside and below 0 inside. Shape (n, 3) in, (n,) out."""
    across, along, size = np.linalg.norm(points[:, :2], axis=1), points[:, 2], solid.size_m
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


@pytest.mark.parametrize(
    ("kind", "along_x_m", "along_z_m"),
    [("box", 0.9, 0.7), ("capsule", 0.9, 0.65), ("sphere", 0.9, 0.9), ("cylinder", 0.9, 0.75), ("ellipsoid", 0.9, 0.7)],
)
def test_rays_along_the_axes_stop_at_the_surface(kind: str, along_x_m: float, along_z_m: float) -> None:
    body = alone(SOLIDS[kind])
    for axis, met_m in ((0, along_x_m), (2, along_z_m)):
        start = np.eye(3)[axis]
        np.testing.assert_allclose(body.hits(start, -start[None]).distance, [met_m], atol=1e-9)


@ANY
def test_hit_points_lie_on_the_surface_and_normals_face_the_ray(solid: Solid) -> None:
    rng = np.random.default_rng(1)
    for start in rng.normal(size=(12, 3)):
        direction = 0.2 * rng.normal(size=(100, 3)) - start
        hits = alone(solid).hits(start, direction)
        met = hits.part >= 0
        assert met.sum() > 5
        points = start + hits.distance[met, None] * direction[met]
        np.testing.assert_allclose(outside(solid, points), np.zeros(met.sum()), atol=5e-3 if solid.mesh else 1e-7)
        np.testing.assert_allclose(np.linalg.norm(hits.normal[met], axis=1), np.ones(met.sum()), atol=1e-9)
        assert np.all(np.sum(hits.normal[met] * direction[met], axis=1) < 0.0)
        ways = np.linspace(0.0, 2.0, 400)
        missed = start + ways[:, None, None] * direction[~met]
        assert outside(solid, missed.reshape(-1, 3)).min() > -0.02  # what misses does not pass through


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


def test_the_nearest_of_several_moved_and_turned_parts_is_met() -> None:
    parts, rng = tuple(SOLIDS.values()), np.random.default_rng(2)
    centre, turn = 5.0 + rng.normal(size=(len(parts), 3)), Rotation.random(len(parts), rng=rng).as_matrix()
    body, eye = PosedSolids(parts, centre, turn), np.array([9.0, -2.0, 7.0])
    directions = centre.mean(axis=0) - eye + rng.normal(0.0, 0.6, (3000, 3))
    hits = body.hits(eye, directions)
    alone_hits = [
        PosedSolids((p,), c[None], r[None]).hits(eye, directions) for p, c, r in zip(parts, centre, turn, strict=True)
    ]
    nearest = np.array([one.distance for one in alone_hits])
    np.testing.assert_allclose(hits.distance, nearest.min(axis=0), atol=1e-9)
    met = hits.part >= 0
    np.testing.assert_array_equal(hits.part[met], nearest.argmin(axis=0)[met])
    assert set(hits.part[met]) == set(range(len(parts)))


def test_a_ball_under_the_lamp_shades_a_disc_of_its_own_size() -> None:
    x = np.linspace(-0.3, 0.3, 120)
    ground = np.stack([x, 0 * x, 0 * x], axis=1)
    body = PosedSolids((BALL,), np.array([[0.0, 0.0, 1.0]]), np.eye(3)[None])
    np.testing.assert_array_equal(body.shaded(ground, np.array([0.0, 0.0, 1.0])), np.abs(x) < 0.1)
    assert len(body.shaded(np.empty((0, 3)), np.array([0.0, 0.0, 1.0]))) == 0


def test_a_slanted_lamp_moves_the_shadow_away_from_it() -> None:
    ground = np.array([[-0.75, 0.0, 0.0], [0.75, 0.0, 0.0], [0.0, 0.0, 0.0]])
    body = PosedSolids((BALL,), np.array([[0.0, 0.0, 1.0]]), np.eye(3)[None])
    np.testing.assert_array_equal(body.shaded(ground, np.array([0.6, 0.0, 0.8])), [True, False, False])


def test_solids_stand_where_the_model_has_them(mrpete) -> None:
    model = mrpete.model
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    qpos = model.qpos0 + rng.normal(0.0, 0.3, (3, model.nq))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    parts, (centres, rotations) = solids(mrpete), solid_poses(mrpete, qpos)
    assert len(parts) == model.ngeom - 1  # the ground is left out
    assert {part.kind for part in parts} == {"box", "capsule", "sphere"}
    data.qpos[:] = qpos[2]
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(centres[2], data.geom_xpos[1:], atol=1e-15)
    np.testing.assert_allclose(rotations[2].reshape(-1, 9), data.geom_xmat[1:], atol=1e-15)
