"""Eyes: where balls, lids and gaze are for each expression, and what is refused."""

import numpy as np
import pytest

from strut.errors import BadMotionError, BadTableError
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.schemas.eyes import EYES, LOOKS, EyesTable
from strut.viewer.eyes import MOVE_S, eye_poses, eye_solids, looks_at
from strut.viewer.footage import footage

BALL = 0
IRIS = 1
UPPER = 4
LOWER = 5


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


def posed(cassie, name):
    eyes = cassie.tables.eyes
    return eye_poses(cassie, eyes, cassie.standing_qpos[None], np.array([LOOKS[name]]))


def test_balls_sit_on_the_face_whatever_the_expression(cassie):
    base = cassie.standing_qpos[:3]
    for name in EYES:
        centre, rotation = posed(cassie, name)
        np.testing.assert_allclose(centre[0, BALL] - base, cassie.tables.eyes.left_m, atol=1e-12)
        np.testing.assert_allclose(centre[0, 6 + BALL] - base, cassie.tables.eyes.right_m, atol=1e-12)
        np.testing.assert_allclose(np.linalg.det(rotation), 1.0, atol=1e-12)


@pytest.mark.parametrize(("name", "axis", "sign"), [("left", 1, 1), ("right", 1, -1), ("up", 2, 1), ("down", 2, -1)])
def test_irises_go_where_the_robot_looks(cassie, name, axis, sign):
    centre, _ = posed(cassie, name)
    for eye in (0, 6):
        assert sign * (centre[0, eye + IRIS] - centre[0, eye + BALL])[axis] > 0.25 * cassie.tables.eyes.radius_m


def edge_heights(cassie, name, eye):
    """Return how high the front edge of the upper lid is on the left and on the right of an eye, over its ball."""
    _, rotation = posed(cassie, name)
    turn = rotation[0, eye + UPPER]
    radius_m = cassie.tables.eyes.radius_m
    edge = [turn @ (np.array([np.cos(a), np.sin(a), 0.0]) * radius_m) for a in np.radians([60.0, -60.0])]
    return [point[2] for point in edge]


def test_angry_lids_fall_towards_the_nose_and_sad_ones_away_from_it(cassie):
    for name, falls_to_nose in (("angry", True), ("sad", False)):
        left_of_left, right_of_left = edge_heights(cassie, name, 0)  # the nose is right of the left eye
        left_of_right, right_of_right = edge_heights(cassie, name, 6)
        assert (right_of_left < left_of_left) == falls_to_nose
        assert (left_of_right < right_of_right) == falls_to_nose


def test_closed_lids_overlap_and_wide_ones_are_out_of_the_way(cassie):
    def edge(name, lid):
        _, rotation = posed(cassie, name)
        return (rotation[0, lid] @ np.array([1.0 if lid == UPPER else -1.0, 0.0, 0.0]))[2]

    assert edge("closed", UPPER) < edge("closed", LOWER)
    assert edge("wide", UPPER) > 0.99
    assert edge("wide", LOWER) < -0.99


def test_expressions_take_a_moment_and_the_first_is_there_at_once():
    times = np.array([0.0, 1.0, 1.0 + MOVE_S / 2.0, 1.0 + MOVE_S, 5.0])
    looks = looks_at({"eyes": [[0.0, "happy"], [1.0, "closed"]]}, times)
    np.testing.assert_allclose(looks[:2], [LOOKS["happy"]] * 2)
    np.testing.assert_allclose(looks[2], (np.array(LOOKS["happy"]) + np.array(LOOKS["closed"])) / 2.0)
    np.testing.assert_allclose(looks[3:], [LOOKS["closed"]] * 2)
    np.testing.assert_allclose(looks_at({}, times), [LOOKS["neutral"]] * 5)
    np.testing.assert_allclose(looks_at({"emotion": "tired"}, times), [LOOKS["half"]] * 5)  # a mood without a story


@pytest.mark.parametrize(
    ("written", "words"), [([[0.0, "grumpy"]], "grumpy"), ("happy", r"list of \[second, expression\]"), (3, "list of")]
)
def test_what_is_no_expression_is_named(written, words):
    with pytest.raises(BadMotionError, match=words):
        looks_at({"eyes": written}, np.zeros(2))


def test_eyes_on_a_link_that_is_not_there_are_refused(cassie):
    eyes = EyesTable("head", (0.0, 0.1, 0.0), (0.0, -0.1, 0.0), 0.03)
    with pytest.raises(BadTableError, match="names the link 'head'"):
        eye_poses(cassie, eyes, cassie.standing_qpos[None], np.array([LOOKS["sad"]]))
    assert len(eye_solids(eyes)) == 12


def test_a_film_shows_the_eyes_after_the_parts_of_the_body(cassie):
    joints = len(cassie.joint_names)
    motion = Motion(
        "cassie",
        np.arange(3) / 10.0,
        np.tile(cassie.standing_qpos, (3, 1)),
        cassie.joint_names,
        np.ones((3, len(cassie.feet)), dtype=bool),
        cassie.foot_names,
        meta={"eyes": [[0.0, "left"]]},
    )
    film = footage(motion, cassie, np.arange(3))
    eyes = eye_solids(cassie.tables.eyes)
    assert len(film.solids) > len(eyes) + joints
    assert [part.kind for part in film.solids[-12:]] == [part.kind for part in eyes]
    np.testing.assert_allclose(film.centre_in_world[:, -12:], np.tile(posed(cassie, "left")[0], (3, 1, 1)))
