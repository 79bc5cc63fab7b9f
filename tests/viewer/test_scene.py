"""The scene in the browser: what is opaque shows its front alone, what is seen through shows both sides."""

import numpy as np
import pytest
import viser

from strut.viewer.scene import Scene

CORNERS = np.eye(3)
FACES = np.array([[0, 1, 2]])


@pytest.fixture
def servers(monkeypatch):
    """Return the list of viser's servers that scenes open."""
    opened = []
    original = viser.ViserServer
    monkeypatch.setattr(viser, "ViserServer", lambda **options: opened.append(original(**options)) or opened[-1])
    return opened


@pytest.fixture
def scene(servers):
    opened = Scene()
    yield opened
    opened.close()


def test_glass_is_seen_from_both_sides_and_a_wall_from_its_front(scene):
    scene.add_mesh("/wall", CORNERS, FACES, color=(1.0, 0.0, 0.0))
    scene.add_mesh("/glass", CORNERS, FACES, color=(1.0, 0.0, 0.0), opacity=0.4)
    wall, glass = (scene.objects[name] for name in ("/wall", "/glass"))
    assert (wall.side, wall.opacity) == ("front", None)
    assert (glass.side, glass.opacity) == ("double", pytest.approx(0.4))


def test_the_ground_is_a_square_with_a_line_at_every_fifth_cell(scene):
    scene.add_ground(middle_in_world=np.array([1.0, -2.0]), size_m=8.0, cell_m=0.25)
    ground = scene.objects["/ground"]
    assert (ground.width, ground.height, ground.cell_size, ground.section_size) == (8.0, 8.0, 0.25, 1.25)
    np.testing.assert_allclose(ground.position, [1.0, -2.0, 0.0])
    assert ground.shadow_opacity == pytest.approx(0.22)


def test_things_move_change_and_hide(scene):
    scene.add_frame("/body")
    scene.add_mesh("/body/skin", CORNERS, FACES, color=(1.0, 0.0, 0.0), smooth=False, shadow=False)
    scene.place("/body", np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 0.0]))
    frame, skin = (scene.objects[name] for name in ("/body", "/body/skin"))
    np.testing.assert_allclose(frame.position, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(frame.wxyz, [0.0, 1.0, 0.0, 0.0])
    scene.place("/body", np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(frame.wxyz, [0.0, 1.0, 0.0, 0.0])
    assert (skin.flat_shading, skin.cast_shadow, skin.receive_shadow) == (True, False, False)
    assert not frame.show_axes
    scene.reshape("/body/skin", 2.0 * CORNERS)
    np.testing.assert_allclose(skin.vertices, 2.0 * CORNERS)
    scene.show("/body/skin", False)
    assert not skin.visible


def test_visitors_look_from_the_eye_and_narrow_windows_from_their_own(scene, servers):
    scene.look(
        eye_in_world=np.array([3.0, 1.0, 2.0]),
        target_in_world=np.array([0.0, 0.5, 1.0]),
        view_rad=0.6,
        narrow_eye_in_world=np.array([4.0, -1.0, 2.5]),
    )
    camera = servers[0].initial_camera
    np.testing.assert_allclose([camera.position, camera.look_at], [[3.0, 1.0, 2.0], [0.0, 0.5, 1.0]])
    assert camera.fov == pytest.approx(0.6)
    page = scene.record(lambda: iter([0.1]))
    assert page.count("initialCameraPosition=4.0000,-1.0000,2.5000") == 1
    assert page.index("initialCameraPosition") > page.index("<head>")
