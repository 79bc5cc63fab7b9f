"""The scene in the browser: what is opaque shows its front alone, what is seen through shows both sides."""

import numpy as np
import pytest

from strut.engines.scene import Scene

CORNERS, FACES = np.eye(3), np.array([[0, 1, 2]])


@pytest.fixture
def scene():
    opened = Scene()
    yield opened
    opened.close()


def test_glass_is_seen_from_both_sides_and_a_wall_from_its_front(scene):
    scene.add_mesh("/wall", CORNERS, FACES, color=(1.0, 0.0, 0.0))
    scene.add_mesh("/glass", CORNERS, FACES, color=(1.0, 0.0, 0.0), opacity=0.4)
    wall, glass = (scene._things[name] for name in ("/wall", "/glass"))
    assert (wall.side, wall.opacity) == ("front", None)
    assert (glass.side, glass.opacity) == ("double", pytest.approx(0.4))
