"""The live view of a driven robot: where the browser is told that its parts are, against MuJoCo's kinematics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.models.catalogue import load_robot
from strut.models.rig import MAX_FACES, MIN_OPACITY, build_rig
from strut.models.solid_mesh import simplify_solids, solid_mesh
from strut.models.solids import solid_poses, solids
from strut.schemas.eyes import LOOKS
from strut.viewer import live_view
from strut.viewer.eyes import MOVE_S, eye_poses, eye_solids
from strut.viewer.floor import grid_step_m
from strut.viewer.live_view import LiveView
from strut.viewer.scene import Scene

AWAY_M = np.array([3.4, -1.7, 0.0])  # where the robot has walked to


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def shown(cassie):
    """Return the objects of the scene of a robot that bends its knees, is turned, and has just begun to look left."""
    scenes = []

    class KeptScene(Scene):
        def __init__(self, **options):
            super().__init__(**options)
            scenes.append(self)

    qpos = cassie.standing_qpos.copy()
    qpos[:3] += AWAY_M
    qpos[3:7] = Rotation.from_euler("zyx", [0.9, 0.1, -0.05]).as_quat(scalar_first=True)
    qpos[7:] += np.random.default_rng(2).uniform(-0.2, 0.2, len(qpos) - 7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_view, "Scene", KeptScene)
        view = LiveView(cassie)
    view.show(qpos, {"eyes": [[0.0, "neutral"], [1.0, "left"]]}, 1.0 + MOVE_S)
    yield qpos, scenes[0].objects
    view.close()


def placed(objects, name):
    return np.array(objects[name].position), Rotation.from_quat(objects[name].wxyz, scalar_first=True)


def test_every_part_is_where_its_solid_is_with_the_robot_in_the_middle_of_the_scene(cassie, shown):
    qpos, objects = shown
    centre, rotation = solid_poses(cassie, qpos[None])
    parts = iter(sorted((name for name in objects if "/part_" in name), key=lambda name: int(name.split("_")[-1])))
    base = np.array([*qpos[:2], 0.0])
    for index, solid in enumerate(simplify_solids(solids(cassie), MAX_FACES)):
        if solid.color[3] < MIN_OPACITY:
            continue
        name = next(parts)
        place, turn = placed(objects, name.rsplit("/", 1)[0])
        expected = solid_mesh(solid).vertices @ rotation[0, index].T + centre[0, index] - base
        assert_allclose(turn.apply(objects[name].vertices) + place, expected, atol=2e-6)
        assert_allclose(np.array(objects[name].color) / 255.0, solid.color[:3], atol=0.01)
    assert next(parts, None) is None


def test_the_eyes_look_where_the_motion_says(cassie, shown):
    qpos, objects = shown
    centre, rotation = eye_poses(cassie, cassie.tables.eyes, qpos[None], np.array([LOOKS["left"]]))
    for number in range(len(eye_solids(cassie.tables.eyes))):
        place, turn = placed(objects, f"/eye_{number}")
        assert_allclose(place, centre[0, number] - [*qpos[:2], 0.0], atol=1e-6)
        assert_allclose(turn.as_matrix(), rotation[0, number], atol=1e-6)


def test_the_floor_moves_below_the_robot_by_whole_sections_of_its_grid(cassie, shown):
    """The grid stands still in the world: five cells on, it looks the same."""
    qpos, objects = shown
    ground, _ = placed(objects, "/ground")
    section_m = 5.0 * objects["/ground"].cell_size
    assert np.abs(ground).max() <= section_m / 2.0 + 1e-9
    sections = (ground + np.array([*qpos[:2], 0.0])) / section_m
    assert_allclose(sections, np.round(sections), atol=1e-9)
    size_m = float(np.ptp(build_rig(cassie).start_m, axis=0).max())
    assert objects["/ground"].cell_size == pytest.approx(grid_step_m(2.0 * size_m))
    assert objects["/ground"].width == pytest.approx(14.0 * size_m)
