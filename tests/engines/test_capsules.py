"""Distances of limbs against brute force and published values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.self_distance import capsule_distance, segment_distance
from strut.errors import UnknownNameError
from strut.models.catalogue import load_robot


def test_standing_legs_are_apart_as_published():
    robot = load_robot("heiman")
    qpos = np.zeros((1, 35))
    qpos[0, 2] = 0.9938
    qpos[0, 3] = 1.0
    assert_allclose(capsule_distance(robot, qpos, "ShankRight", "ShankLeft"), 0.0664, atol=1e-9)
    assert_allclose(capsule_distance(robot, qpos, "FootRight", "FootLeft"), 0.0864, atol=1e-9)
    with pytest.raises(UnknownNameError, match="ShankLeft"):
        capsule_distance(robot, qpos, "ShankRight", "ShinLeft")


def test_distance_of_segments_is_the_smallest_over_their_points():
    rng = np.random.default_rng(9)
    ends = rng.normal(size=(4, 200, 3))
    ends[3, :20] = ends[2, :20] + ends[1, :20] - ends[0, :20]  # some parallel ones
    shares = np.linspace(0.0, 1.0, 201)[:, None, None]
    one = ends[0] + shares * (ends[1] - ends[0])
    other = ends[2] + shares * (ends[3] - ends[2])
    searched = np.array([np.linalg.norm(one[:, None, k] - other[None, :, k], axis=-1).min() for k in range(200)])
    found = segment_distance(*ends)
    assert (found <= searched + 1e-12).all()
    assert_allclose(found, searched, atol=0.02)
