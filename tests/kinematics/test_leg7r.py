"""The closed-form leg against its own forward kinematics, the thesis' formulas and published joint angles."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from strut.errors import OutOfReachError
from strut.kinematics.leg7r import (
    Leg,
    check_reach,
    clamp_to_reach,
    knee_position,
    knee_reference_direction,
    leg_forward,
    leg_inverse,
    reach_excess,
)
from strut.maths.rotation import turn_angle
from tests.thesis import NUMBERS, dh_chain, leg_joints, printed_theta4, right_theta4

REFERENCES = ("published", "body")
FORWARD = (0.6, -0.64, 0.48)  # any unit vector: where the robot's front is, seen from the hip


def a_leg(knee_sign=1, thigh_m=0.23, shin_m=0.23):
    return Leg("LF", thigh_m, shin_m, knee_sign, FORWARD)


def random_targets(leg, count, rng):
    """Ankles anywhere in reach, any foot orientation, any knee angle."""
    shortest, longest = leg.reach_m
    direction = rng.normal(size=(count, 3))
    distance = rng.uniform(shortest + 0.005, longest - 0.005, size=(count, 1))
    ankle = distance * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    return ankle, Rotation.random(count, rng=rng).as_matrix(), rng.uniform(-np.pi, np.pi, count)


def knee_angle(leg, joints, reference):
    """Recover the knee angle from the joints alone: from where the reference points to where the knee is."""
    ankle, _, knee = leg_forward(leg, joints)
    line = ankle / np.linalg.norm(ankle, axis=-1, keepdims=True)
    return turn_angle(knee_reference_direction(leg, ankle, reference=reference), knee, line)


def wrap_angle(angle):
    return (np.asarray(angle) + np.pi) % (2.0 * np.pi) - np.pi


def reproduces(leg, ankle, foot, knee_rad, reference, *, within=1e-8, turned_within=None):
    """Check that finite joints put the foot where it was wanted, and return them."""
    joints = leg_inverse(leg, ankle, foot, knee_rad, reference=reference)
    assert np.isfinite(joints).all()
    reached, rotation, _ = leg_forward(leg, joints)
    assert_allclose(reached, np.broadcast_to(ankle, reached.shape), atol=within, rtol=0)
    assert_allclose(rotation, np.broadcast_to(foot, rotation.shape), atol=turned_within or within, rtol=0)
    return joints


# forward kinematics


def test_forward_kinematics_is_the_product_of_the_denavit_hartenberg_rows():
    leg = a_leg(thigh_m=0.22, shin_m=0.19)
    joints = np.random.default_rng(1).uniform(-np.pi, np.pi, (50, 7))
    ankle, rotation, knee = leg_forward(leg, joints)
    chains = [dh_chain(row, 0.22, 0.19) for row in joints]
    assert_allclose(ankle, [chain[-1][:3, 3] for chain in chains], atol=1e-15)
    assert_allclose(rotation, [chain[-1][:3, :3] for chain in chains], atol=1e-15)
    assert_allclose(knee, [chain[2][:3, 3] for chain in chains], atol=1e-15)


# inverse kinematics: random targets, published vectors, the thesis' formulas


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("knee_sign", [1, -1])
@pytest.mark.parametrize(("thigh_m", "shin_m"), [(0.23, 0.23), (0.22, 0.19)])
def test_foot_and_knee_of_20000_random_targets_come_back(thigh_m, shin_m, knee_sign, reference):
    leg = a_leg(knee_sign, thigh_m, shin_m)
    ankle, foot, knee_rad = random_targets(leg, 20_000, np.random.default_rng(2))
    joints = reproduces(leg, ankle, foot, knee_rad, reference, within=1e-10)
    assert np.abs(joints).max() <= np.pi
    assert (np.sign(joints[:, 3]) == knee_sign).all()
    assert_allclose(wrap_angle(knee_angle(leg, joints, reference) - knee_rad), np.zeros(20_000), atol=1e-9)


@pytest.mark.parametrize("golden", NUMBERS["golden_ik"], ids=lambda golden: f"{golden['d3_mm']}_{golden['sign']}")
def test_published_vectors_are_reproduced(golden):
    leg = Leg("golden", golden["d3_mm"] / 1e3, golden["d5_mm"] / 1e3, golden["sign"], FORWARD)
    ankle = np.array(golden["p_mm"]) / 1e3
    foot = Rotation.from_rotvec(golden["R_rotvec_rad"]).as_matrix()
    joints = leg_inverse(leg, ankle, foot, golden["theta_e_rad"], reference="published")
    assert_allclose(joints, golden["q_rad"], atol=1e-9, rtol=0)
    knee = knee_position(leg, ankle, golden["theta_e_rad"], reference="published")
    assert_allclose(knee * 1e3, golden["elbow_mm"], atol=1e-9, rtol=0)


@pytest.mark.parametrize("knee_sign", [1, -1])
def test_joints_equal_those_of_the_formulas_taken_one_by_one(knee_sign):
    leg = a_leg(knee_sign, 0.22, 0.19)
    targets = random_targets(leg, 300, np.random.default_rng(3))
    joints = leg_inverse(leg, *targets, reference="published")
    slow = [leg_joints(ankle, foot, knee, knee_sign, 0.22, 0.19) for ankle, foot, knee in zip(*targets, strict=True)]
    assert_allclose(wrap_angle(joints - slow), np.zeros((300, 7)), atol=1e-10)


def test_knee_lies_where_the_joints_put_it():
    leg = a_leg(-1, 0.22, 0.19)
    for reference in REFERENCES:
        ankle, foot, knee_rad = random_targets(leg, 500, np.random.default_rng(4))
        _, _, knee = leg_forward(leg, leg_inverse(leg, ankle, foot, knee_rad, reference=reference))
        assert_allclose(knee_position(leg, ankle, knee_rad, reference=reference), knee, atol=1e-12)
        assert_allclose(np.linalg.norm(knee, axis=1), np.full(500, 0.22), rtol=1e-12)
        assert_allclose(np.linalg.norm(ankle - knee, axis=1), np.full(500, 0.19), rtol=1e-12)


def test_opposite_knee_sign_half_a_turn_on_is_the_same_knee():
    ankle, foot, knee_rad = random_targets(a_leg(), 1000, np.random.default_rng(5))
    one = leg_inverse(a_leg(1), ankle, foot, knee_rad, reference="published")
    other = leg_inverse(a_leg(-1), ankle, foot, knee_rad + np.pi, reference="published")
    assert_allclose(leg_forward(a_leg(1), one)[2], leg_forward(a_leg(-1), other)[2], atol=1e-12)
    shift = np.zeros((1000, 7))
    shift[:, [2, 4]] = np.pi
    one[:, 3] *= -1.0
    assert_allclose(wrap_angle(other - one - shift + 1.0), np.full((1000, 7), 1.0), atol=1e-9)


@pytest.mark.parametrize("reference", REFERENCES)
def test_mirrored_target_with_negated_knee_angle_has_the_mirrored_knee(reference):
    mirror = np.diag([1.0, -1.0, 1.0])
    left = a_leg(1)
    right = Leg("RF", 0.23, 0.23, 1, tuple(mirror @ FORWARD))
    ankle, foot, knee_rad = random_targets(left, 300, np.random.default_rng(6))
    left_joints = leg_inverse(left, ankle, foot, knee_rad, reference=reference)
    right_joints = leg_inverse(right, ankle @ mirror, mirror @ foot @ mirror, -knee_rad, reference=reference)
    assert_allclose(leg_forward(right, right_joints)[2], leg_forward(left, left_joints)[2] @ mirror, atol=1e-12)
    assert_allclose(wrap_angle(right_joints - left_joints * [-1, 1, -1, 1, -1, 1, -1]), np.zeros((300, 7)), atol=1e-9)


@given(offset=st.floats(-3.0, 3.0))
@settings(max_examples=30, deadline=None)
def test_both_references_differ_by_one_angle_per_ankle_whatever_the_knee(offset):
    leg = a_leg()
    ankle = np.array([0.1, -0.12, -0.25])
    published = knee_position(leg, ankle, offset, reference="published")
    between = turn_angle(
        knee_reference_direction(leg, ankle, reference="body"),
        knee_reference_direction(leg, ankle, reference="published"),
        ankle / np.linalg.norm(ankle),
    )
    assert_allclose(knee_position(leg, ankle, offset + between, reference="body"), published, atol=1e-14)


# exact singularities


def singular_joints(rng):
    """Yield joints at which two axes are in line, in all combinations, with the others free."""
    for theta2 in (0.0, math.pi, None):
        for theta6 in (0.0, math.pi, None):
            for _ in range(5):
                joints = rng.uniform(-2.5, 2.5, 7)
                joints[1] = rng.uniform(0.3, 2.8) if theta2 is None else theta2
                joints[5] = rng.uniform(0.3, 2.8) if theta6 is None else theta6
                joints[3] = rng.uniform(0.3, 2.5)
                yield joints


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("knee_sign", [1, -1])
def test_targets_with_two_axes_in_line_are_reached(knee_sign, reference):
    leg = a_leg(knee_sign)
    for joints in singular_joints(np.random.default_rng(7)):
        joints[3] *= knee_sign
        ankle, foot, _ = leg_forward(leg, joints)
        reproduces(leg, ankle, foot, knee_angle(leg, joints, reference), reference)


def test_hip_gives_its_first_joint_up_and_ankle_its_last():  # E6: the reverse of each other, as in the listing
    leg = a_leg()
    rng = np.random.default_rng(17)
    joints = rng.uniform(0.3, 2.5, (3, 7))
    joints[0, 1] = 0.0
    joints[1, 5] = 0.0
    joints[2, 5] = np.pi
    ankle, foot, _ = leg_forward(leg, joints)
    found = leg_inverse(leg, ankle, foot, knee_angle(leg, joints, "body"), reference="body")
    assert found[0, 0] == 0.0
    assert_array_equal(found[1:, 6], [0.0, 0.0])


def test_seven_joints_serve_six_coordinates_and_the_knee_is_what_remains():  # E4: under-constrained
    leg = a_leg()
    joints = np.array([0.3, 0.9, -0.4, 1.2, 0.7, 1.1, -0.2])
    step = 1e-6
    columns = []
    for joint in np.eye(7):
        p1, r1, k1 = leg_forward(leg, joints + step * joint)
        p0, r0, k0 = leg_forward(leg, joints - step * joint)
        turn = Rotation.from_matrix(r1 @ r0.T).as_rotvec()
        columns.append(np.concatenate([p1 - p0, turn, k1 - k0]) / (2 * step))
    jacobian = np.array(columns).T
    assert np.linalg.matrix_rank(jacobian[:6], tol=1e-6) == 6
    free = np.linalg.svd(jacobian[:6])[2][-1]
    knee_moves = jacobian[6:] @ free
    ankle, _, knee = leg_forward(leg, joints)
    assert np.linalg.norm(knee_moves) > 0.01
    assert_allclose([knee_moves @ ankle, knee_moves @ knee], [0.0, 0.0], atol=1e-8)  # about the hip-ankle line


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("short_of_straight", [1e-16, 1e-15, 1e-13, 1e-10, 1e-6])
def test_a_leg_all_but_straight_reaches_its_foot(short_of_straight, reference):
    leg = a_leg(thigh_m=0.22, shin_m=0.19)
    rng = np.random.default_rng(8)
    direction = rng.normal(size=(20, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    ankle = direction * (0.41 * (1.0 - short_of_straight))
    inside = reach_excess(leg, ankle) < 0.0
    foot = Rotation.random(20, rng=rng).as_matrix()
    reproduces(leg, ankle[inside], foot[inside], rng.uniform(-3, 3, 20)[inside], reference)
    assert inside.any() or short_of_straight < 1e-15


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("knee_sign", [1, -1])
@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), FORWARD, (-FORWARD[0], -FORWARD[1], -FORWARD[2])])
@pytest.mark.parametrize("beside", [0.0, 1e-12, 1e-9, 1e-7, 1e-5])
def test_a_leg_along_the_axis_of_its_knee_reference_reaches_its_foot(axis, beside, knee_sign, reference):
    leg = a_leg(knee_sign)
    rng = np.random.default_rng(9)
    ankle = 0.3 * np.asarray(axis, dtype=float) + beside * np.array([0.3, 0.8, -0.5])
    foot = Rotation.random(10, rng=rng).as_matrix()
    knee_rad = rng.uniform(-3, 3, 10)
    reproduces(leg, np.broadcast_to(ankle, (10, 3)), foot, knee_rad, reference)


@pytest.mark.parametrize("distance", [10.0**-k for k in range(2, 16)])
@pytest.mark.parametrize("joint", [1, 5])
def test_targets_near_a_singularity_are_as_good_as_others(joint, distance):
    """The listing's thresholds of 0.005 rad cost millimetres there (E6b); ours cost nothing that can be measured."""
    leg = a_leg()
    rng = np.random.default_rng(10)
    joints = rng.uniform(-2.5, 2.5, (40, 7))
    joints[:, [1, 3, 5]] = rng.uniform(0.3, 2.5, (40, 3))
    joints[:, joint] = np.where(np.arange(40) % 2, distance, np.pi - distance)
    ankle, foot, _ = leg_forward(leg, joints)
    knee_rad = knee_angle(leg, joints, "body")
    reproduces(leg, ankle, foot, knee_rad, "body", turned_within=3e-8)  # the threshold itself is 1e-8 rad


# reach


@pytest.mark.parametrize("distance_m", [0.42, 0.4101, 0.0299, 0.01, 0.0])
def test_out_of_reach_names_the_leg_the_distance_and_the_reach(distance_m):
    leg = a_leg(thigh_m=0.22, shin_m=0.19)
    with pytest.raises(OutOfReachError) as caught:
        leg_inverse(leg, np.array([0.0, 0.0, -distance_m]), np.eye(3), 0.0, reference="body")
    assert str(caught.value) == (
        f"Leg LF would have to span {distance_m * 1e3:.1f} mm from hip to ankle, but it reaches from 30.0 to 410.0 mm."
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_worst_of_many_targets_is_named():
    ankle = np.array([[[0.0, 0.0, -0.3], [0.47, 0.0, 0.0]], [[0.0, 0.5, 0.0], [0.0, 0.0, 0.1]]])
    with pytest.raises(OutOfReachError, match=r"span 500\.0 mm"):
        check_reach(a_leg(), ankle)


@pytest.mark.parametrize("index", [(0, 0), (2, 1), (4, 2)])
def test_a_target_that_is_not_a_number_is_refused(index):
    ankle = np.tile([0.1, 0.1, -0.3], (5, 1))
    ankle[index] = np.nan
    with pytest.raises(OutOfReachError, match="Leg LF"):
        leg_inverse(a_leg(), ankle, np.eye(3), 0.0, reference="body")


@given(
    direction=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3),
    distance_m=st.floats(1e-6, 10.0),
    shin_m=st.sampled_from([0.23, 0.19]),
)
@settings(deadline=None)
def test_a_clamped_target_lies_in_the_same_direction_and_in_reach(direction, distance_m, shin_m):
    leg = a_leg(shin_m=shin_m)
    unit = np.array(direction) / np.linalg.norm(direction)
    clamped = clamp_to_reach(leg, unit * distance_m)
    radius = np.linalg.norm(clamped)
    assert_allclose(clamped / radius, unit, atol=1e-12)
    shortest, longest = leg.reach_m
    nearest = max(shortest * 1.005, 1e-3 * longest)
    farthest = longest / 1.005  # 1.005 is printed in the listing
    assert radius == pytest.approx(min(max(distance_m, nearest), farthest), rel=1e-12)
    reproduces(leg, clamped, np.eye(3), 0.3, "body")


def test_a_target_at_the_hip_is_clamped_to_somewhere_that_can_be_reached():
    check_reach(a_leg(), clamp_to_reach(a_leg(), np.zeros((2, 3))))


# shapes


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (0,), (2, 0)])
def test_any_leading_shape_goes_in_and_comes_out(shape):
    leg = a_leg()
    count = math.prod(shape)
    ankle, foot, knee_rad = random_targets(leg, max(count, 1), np.random.default_rng(11))
    ankle, foot, knee_rad = (a[:count].reshape(shape + a.shape[1:]) for a in (ankle, foot, knee_rad))
    joints = leg_inverse(leg, ankle, foot, knee_rad, reference="body")
    assert joints.shape == (*shape, 7)
    reached, rotation, knee = leg_forward(leg, joints)
    assert_allclose(reached, ankle, atol=1e-10)
    assert rotation.shape == (*shape, 3, 3)
    assert_allclose(knee, knee_position(leg, ankle, knee_rad, reference="body"), atol=1e-12)
    assert clamp_to_reach(leg, ankle).shape == (*shape, 3)
    assert reach_excess(leg, ankle).shape == shape


def test_one_foot_orientation_and_knee_serve_many_ankles():
    leg = a_leg()
    ankle, foot, _ = random_targets(leg, 6, np.random.default_rng(12))
    together = leg_inverse(leg, ankle, foot[0], 0.4, reference="body")
    one_by_one = [leg_inverse(leg, target, foot[0], 0.4, reference="body") for target in ankle]
    assert_array_equal(together, one_by_one)


def test_long_batches_equal_their_parts():
    """Batches are cut into pieces for speed; where they are cut must not show."""
    leg = a_leg()
    ankle, foot, knee_rad = random_targets(leg, 9000, np.random.default_rng(13))
    whole = leg_inverse(leg, ankle, foot, knee_rad, reference="published")
    part = leg_inverse(leg, ankle[4000:4200], foot[4000:4200], knee_rad[4000:4200], reference="published")
    assert_allclose(whole[4000:4200], part, atol=1e-12)


def test_targets_are_left_as_they_were():
    ankle, foot, knee_rad = random_targets(a_leg(), 5, np.random.default_rng(14))
    copies = ankle.copy(), foot.copy(), knee_rad.copy()
    leg_inverse(a_leg(), ankle, foot, knee_rad, reference="published")
    for before, after in zip(copies, (ankle, foot, knee_rad), strict=True):
        assert_array_equal(before, after)


# continuity of the knee's side, which the published test of neighbouring samples is to keep


def knee_side_flips(ankle_in_hip, knee_in_hip):
    """Return by how much (0 or pi) to turn each knee so that it never jumps across the hip-ankle line.

    The published test compares each sample with the one before it; a flip of the knee by pi reverses its cross product
    exactly, so the running product of all signs says which samples to flip.
    Shapes (T, ..., 3) each in, (T, ...) out.
    """
    side = np.cross(knee_in_hip, ankle_in_hip)
    same = np.sum(side[1:] * side[:-1], axis=-1) >= 0.0
    parity = np.cumprod(np.where(same, 1.0, -1.0), axis=0)
    return np.concatenate([np.zeros_like(parity[:1]), np.where(parity < 0.0, np.pi, 0.0)])


def ankle_passing_the_axis(offset_m, tick_m, reach_m=0.03):
    x = np.arange(-reach_m, reach_m + tick_m / 2, tick_m) + tick_m / 3  # no sample exactly on the axis
    return np.stack([x, np.full_like(x, offset_m), np.full_like(x, -0.3)], axis=1)


def test_knee_side_is_kept_when_the_target_passes_through_the_axis():
    leg = a_leg()
    ankle = ankle_passing_the_axis(0.0, 0.001)
    knee = knee_position(leg, ankle, 0.5, reference="published")
    flips = knee_side_flips(ankle, knee)
    assert_array_equal(np.unique(flips), [0.0, np.pi])
    assert np.count_nonzero(np.diff(flips)) == 1
    kept = knee_position(leg, ankle, 0.5 + flips, reference="published")
    assert np.linalg.norm(np.diff(knee, axis=0), axis=1).max() > 0.2  # before: across the whole leg
    assert np.linalg.norm(np.diff(kept, axis=0), axis=1).max() < 0.002
    assert_array_equal(knee_side_flips(ankle, kept), np.zeros(len(ankle)))


@pytest.mark.parametrize(
    ("offset_m", "tick_m", "flips"), [(0.005, 0.001, 0), (0.020, 0.001, 0), (0.001, 0.0001, 0), (0.001, 0.01, 1)]
)
def test_knee_whips_round_unseen_when_the_target_passes_beside_the_axis(offset_m, tick_m, flips):  # E7b
    leg = a_leg()
    ankle = ankle_passing_the_axis(offset_m, tick_m)
    knee = knee_position(leg, ankle, 0.0, reference="published")
    assert np.count_nonzero(np.diff(knee_side_flips(ankle, knee))) == flips
    if offset_m == 0.005:
        line = ankle / np.linalg.norm(ankle, axis=1, keepdims=True)
        turned = np.unwrap(turn_angle(knee_reference_direction(leg, ankle, reference="body"), knee, line))
        assert np.rad2deg(np.ptp(turned)) == pytest.approx(159.0, abs=8.0)


def test_knee_side_flips_follow_each_leg_of_a_batch():
    through = ankle_passing_the_axis(0.0, 0.001)
    beside = ankle_passing_the_axis(0.01, 0.001)
    ankle = np.stack([through, beside], axis=1)
    flips = knee_side_flips(ankle, knee_position(a_leg(), ankle, 0.5, reference="published"))
    assert flips.shape == (len(through), 2)
    assert_array_equal(np.count_nonzero(np.diff(flips, axis=0), axis=0), [1, 0])


# misprints of the thesis: each wrong form must fail, so that nobody puts it back


def misses(count, **misprint):
    """Return the foot errors and the knee errors of the thesis' formulas with a misprint, links of 220 and 190 mm."""
    leg = a_leg(thigh_m=0.22, shin_m=0.19)
    foot_error = []
    knee_error = []
    for ankle, foot, knee_rad in zip(*random_targets(leg, count, np.random.default_rng(15)), strict=True):
        joints = leg_joints(ankle, foot, knee_rad, 1, 0.22, 0.19, **misprint)
        chain = dh_chain(joints, 0.22, 0.19)
        foot_error.append(np.linalg.norm(chain[-1][:3, 3] - ankle))
        knee_error.append(abs(wrap_angle(knee_angle(leg, joints, "published") - knee_rad)))
    return np.array(foot_error), np.array(knee_error)


def test_printed_knee_flexion_misses_every_target_by_up_to_a_third_of_a_metre():  # E1
    foot_error, _ = misses(400, theta4=printed_theta4)
    assert foot_error.min() > 1e-6
    assert foot_error.max() == pytest.approx(0.33, abs=0.01)


@pytest.mark.parametrize(
    "theta4",
    [
        lambda r, d3, d5: right_theta4(r, d3, d5) / 2,
        lambda r, d3, d5: 2 * math.atan(math.sqrt((d3 + d5) ** 2 - r**2) / (r**2 - (d3 - d5) ** 2)),
        lambda r, d3, d5: 2 * math.atan(math.sqrt((d3 + d5) ** 2 - r**2) / math.sqrt((d3 + d5) ** 2 - r**2)),
    ],
    ids=["no factor 2", "root over the numerator", "sum in the denominator"],
)
def test_each_fault_of_the_printed_knee_flexion_fails_alone(theta4):  # E1
    foot_error, _ = misses(200, theta4=theta4)
    assert np.median(foot_error) > 0.02


def test_turning_the_knee_about_itself_leaves_it_where_it_was():  # E2
    foot_error, knee_error = misses(400, elbow_axis=True)
    assert foot_error.max() < 1e-12
    assert knee_error.min() > 1e-6


def test_turn_without_its_denominator_misses_by_a_fifth_of_a_metre():  # E3
    foot_error, _ = misses(400, denominator=False)
    assert foot_error.min() > 1e-6
    assert foot_error.max() == pytest.approx(0.21, abs=0.01)


@pytest.mark.parametrize(("joint", "least"), [(1, 1e-3), (3, 1e-3), (5, 1e-3)], ids=["hip", "knee", "ankle"])
def test_thresholds_of_the_listing_cost_millimetres(joint, least):  # E6b
    leg = a_leg()
    rng = np.random.default_rng(16)
    errors = []
    ours = []
    for _ in range(200):
        joints = rng.uniform(-2.5, 2.5, 7)
        joints[[1, 3, 5]] = rng.uniform(0.3, 2.5, 3)
        joints[joint] = rng.uniform(1e-4, 0.00499)
        ankle, foot, _ = leg_forward(leg, joints)
        knee_rad = float(knee_angle(leg, joints, "published"))
        listing = leg_joints(ankle, foot, knee_rad, 1, 0.23, 0.23, thresholds=(0.005, 0.005, 0.005))
        rounded = dh_chain(listing, 0.23, 0.23)
        turned = Rotation.from_matrix(rounded[-1][:3, :3].T @ foot).magnitude()
        errors.append(turned if joint == 5 else np.linalg.norm(rounded[-1][:3, 3] - ankle))
        reached, rotation, _ = leg_forward(leg, leg_inverse(leg, ankle, foot, knee_rad, reference="published"))
        ours.append(max(np.abs(reached - ankle).max(), np.abs(rotation - foot).max()))
    assert max(errors) > least
    assert max(ours) < 2e-11


def test_knee_signs_alone_do_not_turn_the_knees_towards_each_other():  # E10
    """With all joint-1 axes in one sense, sign and angle of front and hind legs give knees on one and the same side."""
    ankle = np.array([0.0, 0.1, -0.25])
    front = knee_position(a_leg(+1), ankle, -np.pi / 2, reference="published")
    hind = knee_position(a_leg(-1), ankle, +np.pi / 2, reference="published")
    assert_allclose(front, hind, atol=1e-15)
