"""Any geom of any robot is drawn: in pictures, on pages, in the viewer; meshes as they are, large ones reduced."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
import trimesh

from strut.engines.rigid_body import compile_model
from strut.models.solid_mesh import MAX_FACES, MAX_FACES_DRAWN, simplify_mesh, simplify_solids, solid_mesh
from strut.models.solids import Mesh, Solid, solids
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.files import save_html
from strut.viewer.footage import SideBySide, footage
from strut.viewer.picture import png_bytes
from strut.viewer.triangles import front_share, triangles_of
from tests.viewer.conftest import STOOL_MJCF
from tests.viewer.test_picture import drawn, pixels_of

GEOMS = {
    "cylinder": 'type="cylinder" size="0.1 0.2"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.2 0.15"',
    "mesh": 'type="mesh" mesh="wedge"',
}
WEDGE = '<asset><mesh name="wedge" vertex="-.2 -.2 -.2 .2 -.2 -.2 .2 .2 -.2 -.2 .2 -.2 0 -.2 .2 0 .2 .2"/></asset>'


def with_geom(stool: Robot, geom: str) -> Robot:
    """Return the stool with another seat, and a part that only collides."""
    seat = f'<geom {geom} rgba="0.1 0.2 0.9 1"/><geom type="sphere" size="0.4" group="3"/>'
    body = STOOL_MJCF.replace('<geom type="box" size="0.2 0.15 0.05" rgba="0.1 0.2 0.9 1"/>', seat)
    return replace(stool, model=compile_model(body.replace("<worldbody>", f"{WEDGE}<worldbody>")))


@pytest.mark.parametrize("kind", GEOMS)
def test_a_geom_is_drawn_in_its_colour_where_it_is(stool: Robot, bare: Motion, kind: str) -> None:
    film = footage(bare, with_geom(stool, GEOMS[kind]), np.array([0]))
    assert [solid.kind for solid in film.solids] == [kind, "capsule", "sphere"]  # hidden groups stay hidden
    picture, middles = drawn(film)
    red, green, blue = picture[tuple(middles[0].astype(int)[::-1])]
    assert blue > 1.8 * max(red, green)
    blue_px = np.argwhere(picture[..., 2] > 1.5 * picture[..., :2].max(axis=-1))
    assert len(blue_px) > 300


def test_a_page_shows_every_kind_of_geom(tmp_path: Path, stool: Robot, bare: Motion) -> None:
    for kind, geom in GEOMS.items():
        save_html([bare], [with_geom(stool, geom)], tmp_path / f"{kind}.html", max_shown_s=0.2)


def test_a_visible_shape_is_drawn_instead_of_the_one_for_collisions(stool: Robot) -> None:
    both = STOOL_MJCF.replace(
        '<geom name="tip"',
        '<geom type="cylinder" size="0.03 0.1" group="1" contype="0" conaffinity="0"/><geom name="tip"',
    )
    assert [solid.kind for solid in solids(replace(stool, model=compile_model(both)))] == ["box", "cylinder"]


@pytest.mark.parametrize("most_faces", [200, 2000])
def test_a_large_mesh_is_reduced_and_keeps_its_shape(most_faces: int) -> None:
    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.3)
    solid = Solid("mesh", np.zeros(3), (1.0, 1.0, 1.0, 1.0), Mesh(np.array(ball.vertices), np.array(ball.faces)))
    (light,) = simplify_solids((solid,), most_faces)
    mesh = solid_mesh(light)
    assert 0.2 * most_faces < len(mesh.faces) <= most_faces
    np.testing.assert_allclose(np.linalg.norm(mesh.vertices, axis=1), np.full(len(mesh.vertices), 0.3), atol=0.012)
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).area == pytest.approx(ball.area, rel=0.1)
    assert simplify_solids((solid,), 10**6) == (solid,)


def public_robot(file: str, *, visual: bool) -> Robot:
    """Return a robot of example-robot-data, bolted down, with its own meshes, read by MuJoCo."""
    homes = [Path(entry) / "cmeel.prefix/share/example-robot-data/robots" for entry in sys.path]
    home = next((home for home in homes if home.is_dir()), None)
    if home is None:
        pytest.skip("example-robot-data (pip install example-robot-data) is not installed")
    text = (home / file).read_text("utf-8").replace("package://example-robot-data/robots", str(home))
    reader = (
        f'<mujoco><compiler strippath="false" discardvisual="{str(not visual).lower()}" fusestatic="false"/></mujoco>'
    )
    spec = mujoco.MjSpec.from_string(re.sub(r"(<robot [^>]*>)", rf"\1{reader}", text, count=1))
    model = spec.compile()
    names = tuple(model.joint(joint).name for joint in range(model.njnt))
    one = np.ones(len(names))
    return Robot(
        name=spec.modelname,
        fingerprint=spec.modelname,
        title=spec.modelname,
        model=model,
        joint_names=names,
        joint_lower_rad=-one,
        joint_upper_rad=one,
        joint_speed_limit_rad_s=one,
        torque_limit_nm=one,
        feet=(),
        mass_kg=1.0,
        friction=0.5,
        base_size=0,
    )


@pytest.mark.parametrize(
    ("file", "visual", "kinds"),
    [
        ("solo_description/robots/solo12.urdf", True, {"mesh"}),
        ("a1_description/urdf/a1.urdf", False, {"box", "cylinder", "sphere"}),
        ("talos_data/robots/talos_reduced.urdf", True, {"box", "cylinder", "mesh"}),
    ],
    ids=["solo12", "a1", "talos"],
)
def test_robots_that_others_described_are_drawn(tmp_path: Path, file: str, visual: bool, kinds: set[str]) -> None:
    robot = public_robot(file, visual=visual)
    time_s = np.arange(0.0, 1.0, 0.02)
    joints = len(robot.joint_names)
    swing = 0.4 * np.sin(2.0 * np.pi * time_s)[:, None] * np.ones(joints)
    still = np.ones((len(time_s), 0), dtype=bool)
    motion = Motion(robot.name, time_s, swing, robot.joint_names, still, ())
    film = footage(motion, robot, np.array([0, 12]))
    assert {solid.kind for solid in film.solids} == kinds
    assert len(film.solids) >= joints  # a part for each joint at least
    assert sum(len(solid.mesh.faces) for solid in film.solids if solid.mesh) <= MAX_FACES_DRAWN
    shown = SideBySide([motion], [robot])
    first, later = (pixels_of(png_bytes(shown, at_s=at_s, panel_px=200)) for at_s in (0.0, 0.25))
    assert (first[40:].min(axis=-1) < 150).mean() > 0.01  # there is something dark: lamp and shadow
    assert (np.abs(later - first).max(axis=-1) > 40).mean() > 0.02  # and it moves
    save_html([motion], [robot], tmp_path / "page.html", max_shown_s=0.2)
    assert (tmp_path / "page.html").stat().st_size < 12e6
    faces = sum(len(solid.mesh.faces) for solid in film.solids if solid.mesh)
    assert ("Meshes are reduced" in (tmp_path / "page.html").read_text()) == (faces > MAX_FACES)


def kinds_of(body: str) -> list[str]:
    """Return what is drawn of a link that hangs on the stool's seat."""
    text = f"<mujoco><worldbody><body><freejoint/>{body}</body></worldbody></mujoco>"
    return [solid.kind for solid in solids(SimpleNamespace(model=compile_model(text)))]


LOOKS = '<geom type="cylinder" size="0.03 0.1" group="2" contype="0" conaffinity="0" mass="1"/>'


def test_a_foot_that_only_touches_is_drawn_where_the_looks_of_its_leg_end_before_it() -> None:
    foot = '<body pos="0 0 {}"><geom type="sphere" size="0.02" mass="1"/></body>'
    assert kinds_of(LOOKS + foot.format(-0.1)) == ["cylinder"]  # the leg reaches into it
    assert kinds_of(LOOKS + foot.format(-0.2)) == ["cylinder", "sphere"]
    hinged = foot.format(-0.1).replace("<geom", '<joint axis="0 1 0"/><geom')
    assert kinds_of(LOOKS + hinged) == ["cylinder", "sphere"]  # another link, without looks of its own


def test_shapes_of_hidden_groups_are_drawn_only_of_a_link_that_shows_nothing_else() -> None:
    hidden = '<geom type="box" size=".1 .1 .1" group="3" mass="1"/>'
    assert kinds_of(LOOKS + hidden) == ["cylinder"]
    leg = f'<body><joint axis="0 1 0"/>{hidden}</body>'
    assert kinds_of(LOOKS + leg) == ["cylinder", "box"]
    assert kinds_of(hidden) == ["box"]


def test_a_surface_whose_faces_repeat_their_vertices_is_reduced_without_holes() -> None:
    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.3)
    corners = ball.vertices[ball.faces].reshape(-1, 3)  # every face has corners of its own, as in STL files
    soup = Mesh(np.array(corners), np.arange(len(corners)).reshape(-1, 3))
    light = simplify_mesh(soup, 2000)
    assert len(light.faces) <= 2000
    assert trimesh.Trimesh(light.vertices, light.faces).is_watertight


def test_a_closed_mesh_is_seen_from_its_front_and_a_sheet_from_both_sides() -> None:
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.3)
    assert front_share(Mesh(np.array(ball.vertices), np.array(ball.faces))) == 1.0
    assert front_share(Mesh(np.array(ball.vertices), np.array(ball.faces)[:, ::-1])) == 0.0
    sheet = Mesh(
        np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]])
    )
    assert front_share(sheet) == pytest.approx(0.5, abs=0.02)


def test_meshes_that_threads_reduce_at_once_are_those_that_one_would_get() -> None:
    balls = [trimesh.creation.icosphere(subdivisions=5, radius=radius) for radius in (0.1, 0.2, 0.3, 0.4)]
    meshes = [Mesh(np.array(ball.vertices), np.array(ball.faces)) for ball in balls]
    alone = [simplify_mesh(mesh, 2000) for mesh in meshes]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(simplify_mesh, meshes, [2000] * len(meshes)))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.vertices, other.vertices)


def test_a_mesh_is_shaded_smoothly_but_not_over_its_edges() -> None:
    ball = trimesh.creation.icosphere(subdivisions=3)
    box = trimesh.creation.box()
    for made, is_round in ((ball, True), (box, False)):
        corners = np.array(made.vertices)[np.array(made.faces)].reshape(-1, 3)  # every face with vertices of its own
        mesh = Mesh(corners, np.arange(len(corners)).reshape(-1, 3))
        normal = triangles_of((Solid("mesh", np.zeros(3), (1.0, 1.0, 1.0, 1.0), mesh),)).normal.swapaxes(0, 1)
        np.testing.assert_allclose(np.linalg.norm(normal, axis=-1), 1.0)
        wanted = corners if is_round else np.repeat(made.face_normals, 3, axis=0)
        np.testing.assert_allclose(normal.reshape(-1, 3), wanted, atol=0.02)
