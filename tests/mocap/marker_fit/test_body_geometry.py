"""The body's kinematics for all frames at once are those of the compiled model, and its derivatives are exact."""

from __future__ import annotations

import numpy as np
import pytest

from strut.engines.rigid_body import point_positions
from strut.errors import BadTableError
from strut.maths.rotation import qpos_from_angles
from strut.mocap.marker_fit.body_geometry import (
    body_points,
    length_jacobian,
    lengths_array,
    place_points,
    point_jacobian,
    pose_body,
)
from strut.mocap.marker_fit.body_priors import human_geometry, pose_prior
from strut.models.subject import subject

STEP = 1e-6


@pytest.fixture(scope="module")
def case():
    robot = subject()
    body = human_geometry()
    places = [(segment, at) for segment, own in robot.markers.segment.items() for at in own.values()]
    q = np.random.default_rng(1).uniform(-0.6, 0.6, (7, body.n_dof))
    return robot, body, body_points(body, places), places, q, lengths_array(body, robot.subject.lengths_m)


def test_the_tree_has_the_coordinates_of_the_compiled_model(case):
    robot, body, *_ = case
    assert body.n_dof == 34
    assert body.dof_names[6:] == robot.joint_names
    assert body.dof_names[:6] == tuple(f"Pelvis_{axis}" for axis in ("TX", "TY", "TZ", "RY", "RX", "RZ"))


def test_points_are_where_mujoco_has_them(case):
    robot, body, points, places, q, lengths = case
    ours = place_points(pose_body(body, q, lengths), points)
    np.testing.assert_allclose(ours, point_positions(robot.model, places, qpos_from_angles(q)), atol=1e-12)


def test_derivatives_by_coordinates_are_those_of_differences(case):
    _, body, points, _, q, lengths = case
    pose = pose_body(body, q, lengths)
    jacobian = point_jacobian(body, pose, points, place_points(pose, points))
    for dof in range(body.n_dof):
        moved = np.zeros(body.n_dof)
        moved[dof] = STEP
        ahead, behind = (place_points(pose_body(body, q + sign * moved, lengths), points) for sign in (1.0, -1.0))
        np.testing.assert_allclose(jacobian[..., dof], (ahead - behind) / (2.0 * STEP), atol=1e-8)


def test_derivatives_by_lengths_are_those_of_differences(case):
    _, body, points, _, q, lengths = case
    jacobian = length_jacobian(body, pose_body(body, q, lengths), points)
    for index in range(len(lengths)):
        longer = lengths.copy()
        longer[index] += STEP
        there, here = (place_points(pose_body(body, q, one), points) for one in (longer, lengths))
        np.testing.assert_allclose(jacobian[..., index], (there - here) / STEP, atol=1e-8)


def test_ranges_of_joints_are_mirrored(case):
    _, body, *_ = case
    prior = pose_prior(body)
    names = list(body.dof_names)
    right = names.index("ShoulderRight_RX")
    left = names.index("ShoulderLeft_RX")
    assert (prior.lower[right], prior.upper[right]) == (-prior.upper[left], -prior.lower[left])
    assert prior.mean[right] == -prior.mean[left]
    assert (prior.lower < prior.upper).all()


def test_a_point_on_no_segment_is_refused(case):
    with pytest.raises(BadTableError, match="no segment Tail"):
        body_points(case[1], [("Tail", (0.0, 0.0, 0.0))])
