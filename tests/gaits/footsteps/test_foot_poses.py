"""Feet read back from coordinates: where their middles are, and which way they point."""

import numpy as np
from numpy.testing import assert_allclose

from strut.engines.rigid_body import foot_contact_points
from strut.gaits.footsteps.foot_poses import sole_places, standing_place
from tests.alice import ALICE


def test_feet_are_in_the_middle_of_their_corners_and_point_along_their_longer_side():
    qpos = np.array(ALICE.standing_qpos)
    straight = sole_places(ALICE, qpos)
    turn = 0.7
    qpos[:7] = 0.3, -0.2, qpos[2], np.cos(turn / 2.0), 0.0, 0.0, np.sin(turn / 2.0)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = foot_contact_points(ALICE, np.array(ALICE.standing_qpos)[None])[0].reshape(2, -1, 3)
    start = np.array(ALICE.standing_qpos)[:2]
    for foot, before, outline in zip(sole_places(ALICE, qpos), straight, corners, strict=True):
        assert_allclose([before.x_m, before.y_m], outline[:, :2].mean(axis=0), atol=1e-12)
        assert abs(before.heading_rad) < 0.02
        assert_allclose([foot.x_m, foot.y_m], rotation @ ([before.x_m, before.y_m] - start) + [0.3, -0.2], atol=1e-9)
        assert_allclose(foot.heading_rad - before.heading_rad, turn, atol=1e-9)
    right, left = straight
    assert right.y_m < 0.0 < left.y_m


def test_it_stands_between_its_feet():
    right, left = sole_places(ALICE, np.array(ALICE.standing_qpos))
    place = standing_place(ALICE, np.array(ALICE.standing_qpos))
    assert_allclose([place.x_m, place.y_m], [(right.x_m + left.x_m) / 2.0, (right.y_m + left.y_m) / 2.0], atol=1e-12)
