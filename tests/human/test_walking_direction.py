"""The line of progression of walks that are drawn along a known one."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.human.walking_direction import (
    WalkingDirection,
    direction_of_cycles,
    direction_of_facing,
    direction_of_mirror,
    direction_of_travel,
)
from strut.motion import Motion

SAMPLES = 40
STEP_M = 0.7
LEFT_M = 0.25


def step(direction_rad, *, steps=1, backwards=False, force=None):
    """Return steps along a line: ahead at one speed, the pelvis swaying and turning as a cosine, one sign per step."""
    share = np.arange(steps * SAMPLES) / SAMPLES
    along = STEP_M * share
    across = LEFT_M + 0.03 * np.cos(np.pi * share) + 0.01 * np.cos(3.0 * np.pi * share)
    c = np.cos(direction_rad)
    s = np.sin(direction_rad)
    qpos = np.zeros((len(share), 8))
    qpos[:, 0] = along * c - across * s
    qpos[:, 1] = along * s + across * c
    qpos[:, 2] = 0.9
    yaw = direction_rad + 0.1 * np.cos(np.pi * share) + (np.pi if backwards else 0.0)
    qpos[:, 3:7] = Rotation.from_euler("z", yaw[:, None]).as_quat(canonical=True, scalar_first=True)
    contact = np.column_stack([(share % 2.0) < 1.2, ((share + 1.0) % 2.0) < 1.2])
    return Motion("drawn", share * 0.5, qpos, ("knee",), contact, ("right", "left"), ground_force_n=force)


@pytest.mark.parametrize("direction_rad", [0.0, 0.7, -2.0, 3.0])
def test_every_way_of_looking_finds_the_line_along_which_a_walk_is_drawn(direction_rad):
    cycles = direction_of_cycles(step(direction_rad, steps=4))
    travel = direction_of_travel(step(direction_rad, steps=2))
    assert_allclose([cycles.direction_rad, cycles.left_m], [direction_rad, LEFT_M], atol=1e-9)
    assert_allclose(travel.direction_rad, direction_rad, atol=0.01)  # what follows the last sample is guessed
    assert_allclose(travel.left_m, LEFT_M, atol=0.01)
    mirror = direction_of_mirror(step(direction_rad))
    assert_allclose([mirror.direction_rad, mirror.left_m], [direction_rad, LEFT_M], atol=1e-5)


def test_a_backward_walk_is_reported_with_its_direction_relative_to_the_body():
    found = direction_of_cycles(step(0.4, steps=4, backwards=True))
    assert_allclose(found.direction_rad, 0.4 - np.pi, atol=1e-9)
    assert_allclose(found.left_m, -LEFT_M, atol=1e-9)


def test_a_body_that_hardly_moves_goes_where_its_pelvis_faces():
    walk = step(0.7, steps=2)
    qpos = walk.qpos.copy()
    qpos[:, :2] = 0.01 * walk.qpos[:, :2]
    still = replace(walk, qpos=qpos)
    assert direction_of_cycles(still) is None
    assert direction_of_travel(still) == direction_of_facing(still)
    assert_allclose(direction_of_facing(still).direction_rad, 0.7, atol=0.01)
    assert direction_of_cycles(replace(walk, contact=np.ones_like(walk.contact))) is None


def test_a_walk_is_turned_onto_the_x_axis_with_its_forces_and_back():
    force = np.zeros((2 * SAMPLES, 2, 3))
    force[..., 0] = np.cos(0.7) * 30.0
    force[..., 2] = 400.0
    force[..., 1] = np.sin(0.7) * 30.0  # along the walk
    walk = step(0.7, steps=2, force=force)
    line = WalkingDirection(0.7, LEFT_M)
    aligned = line.aligned_with_x(walk)
    assert_allclose(aligned.qpos[:, 0], STEP_M * np.arange(2 * SAMPLES) / SAMPLES, atol=1e-12)
    assert_allclose(aligned.qpos[SAMPLES // 2, 1], 0.0, atol=1e-12)  # in the middle of a step the sway is on the line
    assert_allclose(aligned.ground_force_n, np.broadcast_to([30.0, 0.0, 400.0], (2 * SAMPLES, 2, 3)), atol=1e-9)
    back = line.restored(aligned)
    assert_allclose(back.qpos, walk.qpos, atol=1e-12)
    assert_allclose(back.ground_force_n, force, atol=1e-9)


@pytest.mark.parametrize(("way_m", "goes"), [(0.101, True), (0.099, False)])
def test_a_path_below_ten_centimetres_has_no_direction(way_m, goes):
    """Faces along y and is moved along x."""
    qpos = np.zeros((11, 8))
    qpos[:, 0] = np.linspace(0.0, way_m * 10.0 / 11.0, 11)  # the sample that would follow the last is way_m away
    qpos[:, 1] = 0.5
    qpos[:, 3] = np.cos(0.7)
    qpos[:, 6] = np.sin(0.7)
    found = direction_of_travel(
        Motion("drawn", 0.1 * np.arange(11), qpos, ("knee",), np.ones((11, 1), bool), ("foot",))
    )
    assert found.direction_rad == pytest.approx(0.0 if goes else 1.4)
    assert goes == (found.left_m == pytest.approx(0.5))


def test_the_longest_stretch_of_whole_cycles_gives_the_direction():
    """The second foot lands first and last; between its landings the walk leads 1.2 m ahead and 0.5 m to the left."""
    count = 41
    qpos = np.zeros((count, 8))
    qpos[:, 0] = np.linspace(0.0, 2.0, count)
    qpos[:, 3] = 1.0
    qpos[:, 1] = np.where(np.arange(count) < 20, 0.0, 0.5)
    contact = np.zeros((count, 2), dtype=bool)
    contact[12:16, 0] = contact[22:26, 0] = True
    contact[8:10, 1] = contact[32:, 1] = True
    walk = Motion("drawn", 0.1 * np.arange(count), qpos, ("knee",), contact, ("right", "left"))
    found = direction_of_cycles(walk)
    assert found.direction_rad == pytest.approx(np.arctan2(0.5, 1.2))
    across = np.array([-np.sin(found.direction_rad), np.cos(found.direction_rad)])
    assert found.left_m == pytest.approx(np.mean(qpos[8:32, :2] @ across))
    once = replace(walk, contact=np.arange(count)[:, None] < np.array([10, 12]))
    assert direction_of_cycles(once) is None  # each foot lifts off once, and none lands


def test_the_centre_of_pressure_is_turned_and_moved_with_the_walk():
    walk = step(0.7, steps=2)
    line = WalkingDirection(0.7, LEFT_M)
    pressed = replace(walk, cop_in_world=walk.qpos[:, :2] + [0.1, -0.2])
    aligned = line.aligned_with_x(pressed)
    offset = [np.cos(0.7) * 0.1 + np.sin(0.7) * -0.2, -np.sin(0.7) * 0.1 + np.cos(0.7) * -0.2]
    assert_allclose(aligned.cop_in_world - aligned.qpos[:, :2], np.broadcast_to(offset, (2 * SAMPLES, 2)), atol=1e-12)
    assert_allclose(line.restored(aligned).cop_in_world, pressed.cop_in_world, atol=1e-12)
    assert line.aligned_with_x(walk).cop_in_world is None
