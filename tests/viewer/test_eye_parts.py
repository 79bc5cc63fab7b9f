"""Eyes in numbers: sizes of their parts, where gaze and lids turn them, and how they go from look to look."""

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.errors import BadMotionError, BadTableError
from strut.models.catalogue import load_robot
from strut.schemas.eyes import LOOKS, EyesTable, eyes_of_emotion
from strut.viewer.eyes import expression_times, eye_part_poses, eye_solids, face_axes, looks_at


@pytest.fixture(scope="module")
def eyes():
    found = load_robot("cassie").tables.eyes
    assert isinstance(found, EyesTable)
    return found


def test_balls_irises_pupils_and_glints_are_shares_of_the_radius(eyes):
    parts = eye_solids(eyes)
    r = eyes.radius_m
    assert len(parts) == 12
    assert parts[:6] == parts[6:]
    ball, iris, pupil, glint, upper, lower = parts[:6]
    assert_allclose(ball.size_m, [r, 0.0, 0.0])
    assert_allclose(iris.size_m, 0.68 * r * np.array([0.5, 1.0, 1.0]))
    assert_allclose(pupil.size_m, 0.44 * r * np.array([0.5, 1.0, 1.0]))
    assert_allclose(glint.size_m, [0.15 * r, 0.0, 0.0])
    assert (ball.color, iris.color, pupil.color) == (eyes.white, eyes.iris, eyes.pupil)
    assert glint.color == (1.0, 1.0, 1.0, 1.0)
    for lid, share in ((upper, 1.10), (lower, 1.07)):
        away = np.linalg.norm(lid.mesh.vertices, axis=1)
        assert_allclose(np.unique(np.round(away / r, 6)), [0.985 * share, share], atol=1e-6)
        assert lid.mesh.vertices[:, 2].min() > -1e-6
        outer = away > 0.99 * share * r
        assert outer.sum() == (~outer).sum()
        corners = lid.mesh.vertices[lid.mesh.faces]
        facing = np.sum(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) * corners.mean(axis=1), axis=1
        )
        of_outer = outer[lid.mesh.faces].all(axis=1)
        assert (facing[of_outer] > 0.0).all()
        assert (facing[~of_outer] < 0.0).all()


def test_gaze_turns_iris_pupil_and_glint_and_lids_close_over_the_ball():
    look = np.array([[30.0, 20.0, 10.0, 15.0, -5.0]])  # upper, lower, tilt, left, up
    for side in (1.0, -1.0):
        offset, turn = eye_part_poses(look, side, 0.05)
        gaze = Rotation.from_euler("Z", 15.0, degrees=True) * Rotation.from_euler("Y", 5.0, degrees=True)
        ahead = gaze.apply([1.0, 0.0, 0.0])
        assert_allclose(offset[0, [0, 4, 5]], 0.0)
        assert_allclose(offset[0, 1], 0.05 * 0.70 * ahead, atol=1e-12)
        assert_allclose(offset[0, 2], 0.05 * 0.86 * ahead, atol=1e-12)
        glint = Rotation.from_euler("Z", 29.0, degrees=True) * Rotation.from_euler("Y", -11.0, degrees=True)
        assert_allclose(offset[0, 3], 0.05 * 0.93 * glint.apply([1.0, 0.0, 0.0]), atol=1e-12)
        assert_allclose(turn[0, [1, 2]], [gaze.as_matrix()] * 2, atol=1e-12)
        assert_allclose(turn[0, [0, 3]], [np.eye(3)] * 2, atol=1e-12)
        for part, about_left in ((4, -30.0), (5, 160.0)):
            lid = Rotation.from_euler("X", side * 10.0, degrees=True) * Rotation.from_euler(
                "Y", about_left, degrees=True
            )
            assert_allclose(turn[0, part], lid.as_matrix(), atol=1e-12)


def test_looks_go_over_smoothly_in_a_seventh_of_a_second_and_the_first_at_once():
    meta = {"eyes": [[1.0, "sad"], [0.0, "happy"]]}
    happy = np.array(LOOKS["happy"])
    sad = np.array(LOOKS["sad"])
    looks = looks_at(meta, np.array([0.0, 0.99, 1.0, 1.035, 1.07, 1.14, 2.0]))
    for row, share in zip(looks, (0.0, 0.0, 0.0, 0.25**2 * 2.5, 0.5, 1.0, 1.0), strict=True):
        assert_allclose(row, happy + share * (sad - happy), atol=1e-9)
    late = looks_at({"eyes": [[0.5, "sad"]]}, np.array([0.4, 0.5]))
    assert_allclose(late, [LOOKS["neutral"], LOOKS["sad"]])


def test_times_are_in_order_and_without_any_eyes_are_of_the_mood():
    assert expression_times({"eyes": [[2, "sad"], [1, "happy"]]}) == [(1.0, "happy"), (2.0, "sad")]
    assert expression_times({"emotion": "sad"}) == [(0.0, eyes_of_emotion("sad"))]
    for wrong in ([1, 2], [["a", "sad"]], 3):
        with pytest.raises(BadMotionError, match="must be a list of"):
            expression_times({"eyes": wrong})
    with pytest.raises(BadMotionError, match="names the expression 'grim'"):
        expression_times({"eyes": [[0.0, "grim"]]})


def test_a_face_has_its_left_across_forward_and_up(eyes):
    tilted = msgspec.structs.replace(eyes, forward=(2.0, 0.0, 0.0), up=(0.5, 0.0, 3.0))
    assert_allclose(face_axes(tilted), np.eye(3), atol=1e-12)
    turned = msgspec.structs.replace(eyes, forward=(0.0, 1.0, 0.0), up=(0.0, 0.0, 1.0))
    assert_allclose(face_axes(turned), [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], atol=1e-12)
    with pytest.raises(BadTableError, match="different directions"):
        face_axes(msgspec.structs.replace(eyes, forward=(0.0, 0.0, 1.0), up=(0.0, 0.0, 2.0)))
