"""Postures of two legs, against the published generator's corrected equations."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from strut.errors import UnreachablePostureError
from strut.gaits.footsteps.biped_model import biped_model
from strut.gaits.footsteps.biped_posture import (
    guess_postures,
    solve_postures,
)
from strut.gaits.footsteps.leg_angles import chain_points, leg_angles, posture_qpos
from strut.gaits.footsteps.posture_failure import BODY_TOO_LOW, COM_OUT_OF_REACH, LEG_TOO_SHORT, required_postures
from strut.models.limb_robot import limb_robot
from strut.schemas.body import LimbBody
from tests.alice import ALICE, LEFT_CM, LEGS, REFERENCE, RIGHT_CM, golden_targets, random_targets, targets_cm

STAND = solve_postures(LEGS, targets_cm()).joint_in_world[0]


def test_masses_are_those_of_the_table():
    assert LEGS.mass_kg.sum() == pytest.approx(4.35184, abs=1e-9)
    assert LEGS.mass_kg[:4].sum() == pytest.approx(1.35187, abs=1e-9)
    np.testing.assert_allclose(LEGS.com_weights, REFERENCE["com_weights"], atol=1e-8)
    assert LEGS.com_weights.sum() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("name", REFERENCE["posture"])
def test_golden_postures(name):
    entry = REFERENCE["posture"][name]
    found = solve_postures(LEGS, golden_targets(name))
    np.testing.assert_allclose(np.degrees(leg_angles(found.joint_in_world)), [entry["theta"]], atol=1e-3)
    for point, position_cm in entry.get("points", {}).items():
        np.testing.assert_allclose(found.joint_in_world[0, int(point[1]) - 1] * 100.0, position_cm, atol=1e-4)


def test_angles_lead_back_to_the_points_and_feet():
    targets = random_targets(400, np.random.default_rng(0))
    found = solve_postures(LEGS, targets)
    assert found.found.all()
    theta = leg_angles(found.joint_in_world)
    right = targets.ankle_in_world[:, 0]
    points, body, foot = chain_points(LEGS, theta, right, targets.foot_heading_rad[:, 0])
    np.testing.assert_allclose(points, found.joint_in_world, atol=1e-11)  # 1e-9 cm
    for rotation, heading in ((body, targets.body_heading_rad), (foot, targets.foot_heading_rad[:, 1])):
        level = np.stack([np.cos(heading), np.sin(heading), np.zeros(400)], axis=1)
        np.testing.assert_allclose(rotation[:, :, 0], level, atol=1e-9)
        np.testing.assert_allclose(rotation[:, :, 2], np.tile([0.0, 0.0, 1.0], (400, 1)), atol=1e-9)


def denavit_hartenberg_rows(theta):
    """Return rows of angle, d, a and alpha; frame 0 has z along the right foot and x up, frame 12 x down."""
    l1, l2, l3, l4, l5, l6, l7 = LEGS.link_m
    t = theta
    quarter = np.pi / 2.0
    return [
        (t[0], 0.0, 0.0, quarter),
        (t[1], 0.0, l1, 0.0),
        (-t[2], 0.0, l2, 0.0),
        (t[3] + quarter, 0.0, 0.0, quarter),
        (t[4] + quarter, l3, 0.0, quarter),
        (t[5], 0.0, l4, 0.0),
        (-t[6], 0.0, 0.0, quarter),
        (t[7] + quarter, l5, 0.0, quarter),
        (-t[8] + quarter, 0.0, l6, 0.0),
        (t[9], 0.0, l7, 0.0),
        (-t[10], 0.0, 0.0, quarter),
        (-t[11], 0.0, 0.0, 0.0),
    ]


def test_denavit_hartenberg_table_agrees_with_the_chain():
    rng = np.random.default_rng(1)
    frame_0 = np.column_stack([[0.0, 0.0, 1.0], np.cross([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]), [1.0, 0.0, 0.0]])
    for theta in rng.uniform(-1.0, 1.0, (20, 12)):
        points, _, foot = chain_points(LEGS, theta[None], np.zeros((1, 3)), np.zeros(1))
        transform = np.eye(4)
        transform[:3, :3] = frame_0
        for angle, d, a, alpha in denavit_hartenberg_rows(theta):
            c = np.cos(angle)
            s = np.sin(angle)
            ca = np.cos(alpha)
            sa = np.sin(alpha)
            row = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
            transform = transform @ np.array(row)
        np.testing.assert_allclose(transform[:3, 3], points[0, 7], atol=1e-13)
        np.testing.assert_allclose(transform[:3, 2], foot[0, :, 0], atol=1e-13)  # z along the left foot
        np.testing.assert_allclose(transform[:3, 0], -foot[0, :, 2], atol=1e-13)  # x down


def test_parallel_feet_make_angles_that_cancel():
    targets = random_targets(50, np.random.default_rng(2))
    same = np.full(50, 0.2)
    parallel = type(targets)(
        targets.ankle_in_world, targets.com_in_world, np.stack([same, same], axis=1), same, targets.height_m
    )
    theta = leg_angles(solve_postures(LEGS, parallel).joint_in_world).T
    zero = np.zeros(50)
    for total in (theta[1] - theta[2] + theta[3], theta[8] - theta[9] + theta[10], theta[0] + theta[5]):
        np.testing.assert_allclose(total, zero, atol=1e-10)
    np.testing.assert_allclose(theta[[4, 7]], np.zeros((2, 50)), atol=1e-10)
    np.testing.assert_allclose(theta[6] + theta[11], zero, atol=1e-10)


def test_centre_of_mass_is_where_it_was_wanted():
    targets = random_targets(200, np.random.default_rng(4))
    found = solve_postures(LEGS, targets)
    masses = LEGS.masses_in_world(found.joint_in_world, targets.foot_heading_rad, targets.body_heading_rad)
    com = np.einsum("k,nki->ni", LEGS.mass_kg, masses) / LEGS.mass_kg.sum()
    np.testing.assert_allclose(com[:, :2], targets.com_in_world, atol=1e-11)


def test_warm_start_takes_at_most_four_iterations():
    share = np.linspace(0.0, 1.0, 50)
    progress = share**3 * (10.0 + share * (6.0 * share - 15.0))
    shift = targets_cm(com=np.stack([0.0 * share, -4.49 * progress], axis=1))
    lift = np.array(LEFT_CM) + np.stack([4.0 * progress, 0.0 * share, 96.0 * share**3 * (1.0 - share) ** 3], axis=1)
    swing = targets_cm(left=lift, com=(0.0, -4.49))
    taken = []
    before = STAND
    for phase in (shift, swing):
        for k in range(50):
            one = solve_postures(LEGS, phase.rows(slice(k, k + 1)), before)
            before = one.joint_in_world[0]
            taken.append(int(one.iterations[0]))
    assert max(taken) <= 4
    assert 2.0 < np.mean(taken) < 3.3


def test_cold_start_from_standing_always_converges():
    targets = random_targets(500, np.random.default_rng(5))
    found = solve_postures(LEGS, targets, STAND)
    assert found.found.all()
    assert found.iterations.max() <= 6


def test_batch_and_single_solutions_are_the_same():
    targets = random_targets(40, np.random.default_rng(6))
    together = solve_postures(LEGS, targets)
    for k in range(40):
        alone = solve_postures(LEGS, targets.rows(slice(k, k + 1)))
        np.testing.assert_allclose(alone.joint_in_world[0], together.joint_in_world[k], atol=1e-13)


@pytest.mark.parametrize(
    ("left", "com", "height", "reachable"),
    [
        ((5.1, 4.49, 0.0), (0.0, -4.49), 22.0, True),
        ((5.3, 4.49, 0.0), (0.0, -4.49), 22.0, False),
        ((4.0, 4.49, 0.0), (0.0, -4.49), 22.7, True),
        ((4.0, 4.49, 0.0), (0.0, -4.49), 23.0, False),
        (LEFT_CM, (0.0, -4.49), 23.70, True),
        (LEFT_CM, (0.0, -4.49), 23.76, False),
    ],
)
def test_reach_ends_where_the_reference_says(left, com, height, reachable):
    found = solve_postures(LEGS, targets_cm(left=left, com=com, height=height))
    assert bool(found.found[0]) is reachable
    assert np.isfinite(found.joint_in_world).all() == reachable  # never half a posture


@pytest.mark.parametrize(
    ("targets", "kind", "words"),
    [
        (targets_cm(left=(5.5, 4.49, 0.0), com=(0.0, -4.49)), COM_OUT_OF_REACH, "mm from between the feet"),
        (targets_cm(height=26.0), LEG_TOO_SHORT, "it has 253 mm"),
        (targets_cm(left=(30.0, 4.49, 0.0), com=(15.0, 0.0)), LEG_TOO_SHORT, "leg would have to span"),
        (targets_cm(height=3.0), BODY_TOO_LOW, "the hips would be 30 mm"),
    ],
)
def test_failure_names_its_reason(targets, kind, words):
    with pytest.raises(UnreachablePostureError, match=words) as caught:
        required_postures(LEGS, targets)
    assert caught.value.kind == kind


def test_one_bad_target_does_not_spoil_the_others():
    targets = targets_cm(height=np.array([22.0, 30.0, 21.0]))
    found = solve_postures(LEGS, targets)
    assert found.found.tolist() == [True, False, True]
    assert np.isnan(found.joint_in_world[1]).all()
    with pytest.raises(UnreachablePostureError) as caught:
        required_postures(LEGS, targets)
    assert caught.value.sample == 1


def test_heavy_feet_make_the_hips_travel_twice_as_far():
    com = np.array([RIGHT_CM[:2], LEFT_CM[:2]])
    joint = solve_postures(LEGS, targets_cm(com=com)).joint_in_world
    assert (joint[1, 3, 1] - joint[0, 3, 1]) * 100.0 == pytest.approx(17.8, abs=0.05)


def test_scaling_all_masses_changes_no_posture():
    heavier = type(LEGS)(
        LEGS.link_m, LEGS.mass_kg * 1.55, LEGS.mass_on_points, LEGS.mass_offset_m, LEGS.ankle_from_sole_m,
        LEGS.joint_lower_rad, LEGS.joint_upper_rad,
    )  # fmt: skip
    targets = random_targets(20, np.random.default_rng(7))
    ours = solve_postures(LEGS, targets).joint_in_world
    np.testing.assert_allclose(solve_postures(heavier, targets).joint_in_world, ours, atol=1e-13)


def test_mirrored_targets_make_mirrored_postures():
    over_right, over_left = (solve_postures(LEGS, targets_cm(com=(0.3, y))).joint_in_world[0] for y in (-4.0, 4.0))
    np.testing.assert_allclose(over_left, over_right[::-1] * np.array([1.0, -1.0, 1.0]), atol=1e-13)


def test_taller_robot_needs_no_code():
    table = msgspec.to_builtins(ALICE.tables.robot)
    factor = 2.0
    for link in table["limb"]["leg"]["links"]:
        link |= {"offset_m": [factor * v for v in link["offset_m"]], "com_m": [factor * v for v in link["com_m"]]}
    for mount in table["mount"]:
        mount["position_m"] = [factor * v for v in mount["position_m"]]
    taller = msgspec.convert(table, LimbBody)
    tall = biped_model(limb_robot("tall", taller, replace(ALICE.tables, robot=taller)))
    joint = solve_postures(tall, targets_cm(tuple(2 * np.array(RIGHT_CM)), tuple(2 * np.array(LEFT_CM)), height=44.0))
    np.testing.assert_allclose(joint.joint_in_world[0], 2.0 * STAND, atol=1e-12)


def test_a_guess_has_its_hips_about_where_the_mass_wants_them_and_a_hip_width_apart():
    targets = targets_cm(com=(1.0, -2.0))
    joint = guess_postures(LEGS, targets)[0]
    weights = LEGS.com_weights
    middle = (joint[3, :2] + joint[4, :2]) / 2.0
    on_ankle = weights[0] + weights[1] / 2.0
    ankles = targets.ankle_in_world[0, :, :2].sum(axis=0)
    np.testing.assert_allclose((1.0 - 2.0 * on_ankle) * middle + on_ankle * ankles, targets.com_in_world[0], atol=1e-12)
    assert np.linalg.norm(joint[4, :2] - joint[3, :2]) == pytest.approx(LEGS.separation_m)
    np.testing.assert_allclose(joint[[3, 4], 2], targets.height_m[0])


def test_the_base_is_in_the_middle_of_the_hips():
    targets = targets_cm(com=(0.5, -3.0))
    joint = solve_postures(LEGS, targets).joint_in_world
    np.testing.assert_allclose(posture_qpos(LEGS, joint, targets)[0, :3], (joint[0, 3] + joint[0, 4]) / 2.0, atol=1e-15)
