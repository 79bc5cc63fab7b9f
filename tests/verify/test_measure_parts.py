"""Parts of the audit: heights of soles, slip, rolling balls and columns that come with a motion, counted by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.draft import Draft
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.engines.rigid_body import foot_positions
from strut.models.catalogue import load_robot
from strut.verify.measure import audit, measure, sole_heights
from tests.verify.hand_made import PETE

STANDING = np.array(PETE.standing_qpos)
STANDING[2] -= foot_positions(PETE, PETE.standing_qpos[None])[0, :, 2].min() - PETE.feet[0].radius_m
FRONT = [0, 2]  # which touch the ground then: front legs are longer
OUTLINE = ((0.1, 0.04), (0.1, -0.04), (-0.06, 0.04), (-0.06, -0.04))


def heights(outline, turns, rise=(0.01, 0.2, 0.3)):
    """Return heights of points that lie on a plane: at the frame, and by how much it rises forward and left."""
    robot = SimpleNamespace(feet=[None, SimpleNamespace(outline_m=outline)], foot_turns=np.array([[True], [turns]]))
    points = np.array([[rise[0] + rise[1] * x + rise[2] * y for x, y in outline]])
    return sole_heights(robot, 1, points)[0], points[0]


def test_a_sole_that_rolls_with_its_leg_is_as_high_as_its_middle_line():
    found, _ = heights(OUTLINE, turns=False)
    assert_allclose(found, [0.01 + 0.2 * x for x, _ in OUTLINE])


@pytest.mark.parametrize(("outline", "turns"), [(OUTLINE, True), (OUTLINE[:2], False), (OUTLINE[:1], False)])
def test_soles_that_can_be_kept_level_lines_and_balls_are_as_high_as_their_points(outline, turns):
    found, points = heights(outline, turns)
    assert_allclose(found, points)


def test_three_points_are_a_sole():
    found, _ = heights(OUTLINE[:3], turns=False)
    assert_allclose(found, [0.03, 0.03, -0.002])


def test_a_foot_slips_from_where_it_landed():
    qpos = np.tile(STANDING, (5, 1))
    qpos[:, 0] += [0.0, 0.003, 0.005, 0.009, 0.011]
    contact = np.ones((5, 4), dtype=bool)
    contact[2, 0] = False  # a flag is no step
    slip_m = audit(PETE, 0.1 * np.arange(5), qpos, contact).slip_m[:, FRONT]
    assert_allclose(slip_m, np.tile([[0.0], [0.003], [0.005], [0.009], [0.011]], 2), atol=1e-12)
    qpos[2, 2] += 0.02
    slip_m = audit(PETE, 0.1 * np.arange(5), qpos, contact).slip_m[:, FRONT]
    assert_allclose(slip_m, np.tile([[0.0], [0.003], [0.0], [0.0], [0.002]], 2), atol=1e-12)


def test_a_robot_without_feet_has_no_columns_of_feet():
    pepper = load_robot("pepper")
    qpos = np.zeros((4, 3 + len(pepper.joint_names)))
    found = audit(pepper, 0.1 * np.arange(4), qpos, np.zeros((4, 0), dtype=bool))
    assert found.foot_height_m.shape == found.foot_top_m.shape == found.slip_m.shape == (4, 0)
    assert (found.margin_m > 0.05).all()


def test_a_ball_that_rolls_over_the_ground_does_not_slip_and_one_that_is_carried_does():
    """Mr. Pete pitches as a whole: the ground under a ball is rolled over as far as its centre goes."""
    samples = 6
    radius_m = PETE.feet[0].points[0].radius_m
    pitch = 0.02 * np.arange(samples)
    qpos = np.tile(STANDING, (samples, 1))
    start = audit(PETE, 0.1 * np.arange(samples), qpos, np.ones((samples, 4), dtype=bool))
    qpos[:, 3:7] = Rotation.from_euler("y", pitch[:, None]).as_quat(scalar_first=True)
    from_base = inverse_dynamics(PETE, 0.1 * np.arange(samples), qpos).foot_in_world[:, 0] - qpos[:, :3]
    first = from_base[0] + qpos[0, :3]
    for rolls, slip_m in ((True, 0.0), (False, radius_m * pitch[-1])):
        qpos[:, :3] = first + (pitch * radius_m)[:, None] * [1.0 if rolls else -1.0, 0.0, 0.0] - from_base
        found = audit(PETE, 0.1 * np.arange(samples), qpos, np.ones((samples, 4), dtype=bool))
        assert found.slip_m[-1, 0] == pytest.approx(slip_m, abs=1e-6)
    assert start.slip_m.max() == 0.0


def disagreements(qpos, contact, **columns):
    """Return how far forces and torques that come with a motion are off."""
    found = measure(Draft(PETE, 0.1 * np.arange(len(qpos)), qpos, contact, None, **columns)).measured
    return found.force_disagreement, found.torque_disagreement


def test_forces_of_a_draft_count_on_stance_feet_and_relative_to_the_weight():
    qpos = np.tile(PETE.standing_qpos, (3, 1))
    contact = np.ones((3, 4), dtype=bool)
    contact[:, 3] = False
    force_n = audit(PETE, 0.1 * np.arange(3), qpos, contact).ground_force_n.copy()
    force_n[:, 3] = [0.0, 0.0, 25.0]  # of a swing foot
    assert disagreements(qpos, contact, ground_force_n=force_n) == (pytest.approx(0.0, abs=1e-9), None)
    force_n[1, 0] += [3.0, 0.0, 4.0]
    root_mean_square_n = 5.0 / np.sqrt(3.0)
    error, _ = disagreements(qpos, contact, ground_force_n=force_n)
    assert error == pytest.approx(root_mean_square_n / (PETE.mass_kg * 9.81))
    pepper = load_robot("pepper")
    qpos = np.zeros((3, 3 + len(pepper.joint_names)))
    draft = Draft(pepper, 0.1 * np.arange(3), qpos, np.zeros((3, 0), dtype=bool), None, ground_force_n=force_n)
    assert measure(draft).measured.force_disagreement is None


def test_torques_of_a_draft_are_off_by_what_no_sharing_explains_of_what_is_needed():
    samples = 4
    qpos = np.tile(PETE.standing_qpos, (samples, 1))
    contact = np.ones((samples, 4), dtype=bool)
    contact[:, 1:] = False  # on one foot there is nothing to share
    qpos[:, 7:] = np.tile([0.2, -0.4, 0.1, 0.8, 0.1, -0.3, 0.2], 4)  # straight legs would need no torque
    time_s = 0.1 * np.arange(samples)
    needed = audit(PETE, time_s, qpos, contact).torque_nm
    off = 0.5 * np.sqrt(np.mean(needed**2))
    swung = np.zeros_like(needed)
    swung[:, -1] = off * np.sqrt(needed.shape[1])  # a joint of a leg in the air
    for torque_nm, expected in ((needed + swung, 0.5), (needed, 0.0), (None, None)):
        _, found = disagreements(qpos, contact, torque_nm=torque_nm)
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-6))


def test_torques_where_none_are_needed_are_off_by_more_than_anything():
    """On straight legs a body stands without any torque, so that a hundredth of a newton metre is too much."""
    qpos = np.tile(PETE.standing_qpos, (3, 1))
    contact = np.ones((3, 4), dtype=bool)
    torque_nm = np.zeros((3, len(PETE.joint_names)))
    torque_nm[:, 2] = 0.01  # about the leg's own axis, which no force of the ground turns
    assert disagreements(qpos, contact, torque_nm=torque_nm)[1] > 100.0


def test_a_draft_that_could_not_be_made_has_no_audit():
    empty = Draft(PETE, np.zeros(0), np.zeros((0, 35)), np.zeros((0, 4), dtype=bool), None)
    assert measure(empty) is empty
