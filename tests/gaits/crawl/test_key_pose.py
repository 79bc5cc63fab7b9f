"""Mr. Pete's key poses against the printed tables and the numbers that follow from them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from strut.errors import BadTableError
from strut.gaits.crawl.key_pose import ground_under, key_pose
from strut.kinematics.leg7r import knee_position, knee_reference_direction, leg_inverse
from strut.kinematics.mounted_leg import mounted_legs
from strut.maths.rotation import turn_angle
from strut.models.catalogue import load_robot
from strut.style import Style
from tests.thesis import EMOTIONS, NUMBERS, stroke

LEFT = ("LF", "LH")
ONE = np.array(1.0)
PHASE = np.arange(400) / 400


def pose_of(robot, emotion, weight=1.0):
    return key_pose(robot, Style(postures=() if emotion == "neutral" else ((emotion, weight),)))


def cycle_feet(pose, leg_index, leg, step_mm):
    """Return a foot in the body over a cycle of the published crawl, along the ground under the pose. Shape (T, 3)."""
    feet = pose.feet(ONE)
    nose_up = ground_under(feet).nose_up_rad
    along = [np.cos(nose_up), 0, -np.sin(nose_up)]
    up = [np.sin(nose_up), 0, np.cos(nose_up)]
    height = step_mm[1] if leg.endswith("F") else step_mm[2]
    x, z = stroke(PHASE, leg, length=step_mm[0] / 1e3, height=height / 1e3)
    return feet[leg_index] + x[:, None] * along + z[:, None] * up


def cycle_joints(robot, emotion, leg_index, step_mm, *, sway_m=0.0, reference="published"):
    """Return ankles (T, 3), knees (T, 3) and joints (T, 7) of a leg over a cycle, its pose's knee angle held."""
    pose = pose_of(robot, emotion)
    mounted = mounted_legs(robot)[leg_index]
    foot = pose.feet(ONE)[leg_index]
    turn = pose.foot_rotations(ONE)[leg_index]
    knee_rad = pose.knees(ONE)[leg_index]
    if reference == "body":
        knee_rad = mounted.body_fixed_knee(foot, turn, knee_rad)
    path = cycle_feet(pose, leg_index, mounted.leg.name, step_mm) + np.array([0.0, sway_m, 0.0])
    ankle = mounted.ankle_in_hip(path, turn)
    knee = knee_position(mounted.leg, ankle, knee_rad, reference=reference)
    return ankle, knee, leg_inverse(mounted.leg, ankle, mounted.hip_to_body.T @ turn, knee_rad, reference=reference)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_feet_stand_where_the_tables_put_them(mrpete, emotion):
    feet = pose_of(mrpete, emotion).feet(ONE)
    for index, leg in enumerate(LEFT):
        assert_allclose(feet[index] * 1e3, NUMBERS["pose"][emotion]["foot_mm"][leg], atol=1e-9)


@pytest.mark.parametrize("emotion", EMOTIONS[1:])
def test_deviations_are_the_printed_ones(mrpete, emotion):
    pose = pose_of(mrpete, emotion)
    for index, leg in enumerate(LEFT):
        printed = NUMBERS["pose"][emotion][f"deviation_{leg}"]
        assert_allclose(pose.foot_change_m[index] * 1e3, printed["foot_mm"], atol=1e-9)
        a, b, c = printed["euler_rad"]
        turn = Rotation.from_rotvec([0, 0, a]) * Rotation.from_rotvec([0, b, 0]) * Rotation.from_rotvec([0, 0, c])
        assert_allclose(pose.foot_rotations(ONE)[index], turn.as_matrix(), atol=1e-12)
        assert pose.knee_change_rad[index] == printed["knee_rad"]
        front_or_hind = NUMBERS["pose"][emotion]["step_height_change_mm"][index]
        assert pose.lift_change_m[index] * 1e3 == pytest.approx(front_or_hind, abs=1e-9)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_body_stands_over_the_ground_as_its_feet_demand(mrpete, emotion):
    numbers = NUMBERS["pose"][emotion]
    feet = pose_of(mrpete, emotion).feet(ONE)
    ground = ground_under(feet)
    assert np.rad2deg(ground.nose_up_rad) == pytest.approx(numbers["nose_up_deg"], abs=0.006)
    assert ground.height_m * 1e3 == pytest.approx(numbers["height_mm"], abs=0.06)
    assert_allclose(ground.footprint_m[:2, 0] * 1e3, numbers["feet_along_ground_mm"], atol=0.6)
    # seen from the ground, every foot is at height 0 and where its footprint is
    to_ground = Rotation.from_euler("y", -ground.nose_up_rad).as_matrix()
    on_ground = feet @ to_ground.T + [0.0, 0.0, ground.height_m]
    assert_allclose(on_ground[:, 2], np.zeros(4), atol=1e-12)
    assert_allclose(on_ground[:, :2], ground.footprint_m, atol=1e-12)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_joint_angles_and_knees_are_those_of_the_reference(mrpete, emotion):
    pose = pose_of(mrpete, emotion)
    numbers = NUMBERS["pose"][emotion]
    for index, (leg, mounted) in enumerate(zip(LEFT, mounted_legs(mrpete), strict=False)):
        turn = pose.foot_rotations(ONE)[index]
        ankle = mounted.ankle_in_hip(pose.feet(ONE)[index], turn)
        foot_to_hip = mounted.hip_to_body.T @ turn
        published = leg_inverse(mounted.leg, ankle, foot_to_hip, pose.knees(ONE)[index], reference="published")
        assert_allclose(published, numbers["joints_rad"][leg], atol=1e-5, rtol=0)
        knee_rad = mounted.body_fixed_knee(pose.feet(ONE)[index], turn, pose.knees(ONE)[index])
        body_fixed = leg_inverse(mounted.leg, ankle, foot_to_hip, knee_rad, reference="body")
        assert_allclose(body_fixed, published, atol=1e-9, rtol=0)
        knee = knee_position(mounted.leg, ankle, knee_rad, reference="body")
        in_body = mounted.hip_to_body @ knee + mounted.hip_in_body
        assert_allclose(in_body * 1e3, numbers["knee_mm"][leg], atol=0.06)


def test_neutral_knees_point_at_each_other(mrpete):
    """Printed: front knees to the rear, hind knees to the front; here by 181 and 148 mm off their hips."""
    _, front, _ = cycle_joints(mrpete, "neutral", 0, [0, 0, 0])
    _, hind, _ = cycle_joints(mrpete, "neutral", 1, [0, 0, 0])
    legs = mounted_legs(mrpete)
    assert (legs[0].hip_to_body @ front[0] + legs[0].hip_in_body)[0] * 1e3 == pytest.approx(170.0 - 180.6, abs=0.5)
    assert (legs[1].hip_to_body @ hind[0] + legs[1].hip_in_body)[0] * 1e3 == pytest.approx(-140.0 + 147.6, abs=0.5)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_right_side_is_the_mirror_image_of_the_left(mrpete, emotion):
    pose = pose_of(mrpete, emotion)
    legs = mounted_legs(mrpete)
    mirror = np.diag([1.0, -1.0, 1.0])
    assert mrpete.foot_names == ("LF", "LH", "RF", "RH")
    for left, right in ((0, 2), (1, 3)):
        assert_allclose(pose.feet(ONE)[right], pose.feet(ONE)[left] @ mirror, atol=1e-15)
        assert_allclose(pose.foot_rotations(ONE)[right], mirror @ pose.foot_rotations(ONE)[left] @ mirror, atol=1e-12)
        assert pose.knees(ONE)[right] == -pose.knees(ONE)[left]
        knees = []
        for side in (left, right):
            ankle = legs[side].ankle_in_hip(pose.feet(ONE)[side], pose.foot_rotations(ONE)[side])
            knee = knee_position(legs[side].leg, ankle, pose.knees(ONE)[side], reference="published")
            knees.append(legs[side].hip_to_body @ knee + legs[side].hip_in_body)
        assert_allclose(knees[1], mirror @ knees[0], atol=1e-12)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_all_poses_are_in_reach_through_the_whole_step(mrpete, emotion):
    for step_mm in ([80, 40, 40], NUMBERS["pose"][emotion]["step_mm"]):
        for leg in range(4):
            ankle, _, joints = cycle_joints(mrpete, emotion, leg, step_mm)
            assert np.rad2deg(np.abs(joints[:, 3]).max()) <= 148.65
            assert np.linalg.norm(ankle, axis=1).max() <= 0.737 * 0.46
    for sway_m in (-0.07, 0.07):
        for leg in range(4):
            _, _, joints = cycle_joints(mrpete, emotion, leg, NUMBERS["pose"][emotion]["step_mm"], sway_m=sway_m)
            assert np.rad2deg(np.abs(joints[:, 3]).max()) <= 157.0


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_published_knee_reference_whips_the_knee_and_the_body_fixed_one_does_not(mrpete, emotion):  # E7
    numbers = NUMBERS["pose"][emotion]
    legs = mounted_legs(mrpete)
    nearest_deg = 90.0
    for index in range(2):
        for reference, whip_deg, within_deg in (
            ("published", numbers["knee_whip_deg"][index], 0.1),
            ("body", 0.0, 1e-9),
        ):
            ankle, knee, _ = cycle_joints(mrpete, emotion, index, numbers["step_mm"], reference=reference)
            line = ankle / np.linalg.norm(ankle, axis=1, keepdims=True)
            zero = knee_reference_direction(legs[index].leg, ankle, reference="body")
            azimuth = np.unwrap(turn_angle(zero, knee, line))
            assert np.rad2deg(np.ptp(azimuth)) == pytest.approx(whip_deg, abs=within_deg)
            nearest_deg = min(nearest_deg, np.rad2deg(np.arccos(np.abs(line[:, 2]).max())))
    assert nearest_deg == pytest.approx(numbers["least_angle_to_joint_1_deg"], abs=0.06)


def test_body_fixed_knee_takes_the_haste_out_of_the_sad_hind_leg(mrpete):  # E7
    fastest = {}
    for reference in ("published", "body"):
        _, _, joints = cycle_joints(mrpete, "sad", 1, NUMBERS["pose"]["sad"]["step_mm"], reference=reference)
        fastest[reference] = np.abs(np.diff(np.unwrap(joints, axis=0), axis=0)).max() * len(PHASE)
    assert fastest["published"] == pytest.approx(13.8, abs=0.1)
    assert fastest["body"] == pytest.approx(5.9, abs=0.1)


def test_front_knee_deviations_move_outwards_where_the_words_say_inwards(mrpete):  # E11
    """The literal sign throws the fearful front knee out to 310 mm; the other pulls the sad one across to -55 mm."""
    mounted = mounted_legs(mrpete)[0]

    def knee_y_mm(emotion, sign):
        pose = pose_of(mrpete, emotion)
        ankle = mounted.ankle_in_hip(pose.feet(ONE)[0], pose.foot_rotations(ONE)[0])
        angle = pose.knee_rad[0] + sign * pose.knee_change_rad[0]
        knee = knee_position(mounted.leg, ankle, angle, reference="published")
        return (mounted.hip_to_body @ knee + mounted.hip_in_body)[1] * 1e3

    assert knee_y_mm("neutral", 1) == pytest.approx(220, abs=1)
    assert knee_y_mm("fearful", 1) == pytest.approx(310, abs=1)
    assert knee_y_mm("fearful", -1) == pytest.approx(166, abs=1)
    assert knee_y_mm("sad", -1) == pytest.approx(-55, abs=1)


@pytest.mark.parametrize("emotion", EMOTIONS[1:])
def test_only_z_y_z_angles_keep_the_soles_down(mrpete, emotion):  # E12
    numbers = NUMBERS["pose"][emotion]
    pose = pose_of(mrpete, emotion)
    for index, leg in enumerate(LEFT):
        tilt = np.rad2deg(np.arccos(pose.foot_rotations(ONE)[index][2, 2]))
        assert tilt == pytest.approx(numbers["tilt_zyz_deg"][index], abs=0.6)
        assert tilt <= 64.0
        roll_pitch_yaw = Rotation.from_euler("xyz", numbers[f"deviation_{leg}"]["euler_rad"]).as_matrix()
        assert np.rad2deg(np.arccos(roll_pitch_yaw[2, 2])) == pytest.approx(numbers["tilt_xyz_deg"][index], abs=0.6)


def test_weight_scales_positions_and_knees_linearly_and_turns_along_one_axis(mrpete):
    pose = pose_of(mrpete, "happy")
    weight = np.array([0.0, 0.25, 1.0, 1.5])
    assert_allclose(pose.feet(weight), pose.foot_in_body + weight[:, None, None] * pose.foot_change_m, atol=1e-15)
    assert_allclose(pose.knees(weight), pose.knee_rad + weight[:, None] * pose.knee_change_rad, atol=1e-15)
    turned = pose.foot_rotations(weight)
    assert turned.shape == (4, 4, 3, 3)
    assert_array_equal(turned[0], np.broadcast_to(np.eye(3), (4, 3, 3)))
    quarter = Rotation.from_matrix(turned[1])
    assert_allclose((quarter**4).as_matrix(), turned[2], atol=1e-12)  # slerp: four quarters make the whole


def test_blends_add_their_deviations(mrpete):
    blend = key_pose(mrpete, Style(postures=(("happy", 0.3), ("angry", 0.5))))
    happy = pose_of(mrpete, "happy")
    angry = pose_of(mrpete, "angry")
    assert_allclose(blend.foot_change_m, 0.3 * happy.foot_change_m + 0.5 * angry.foot_change_m, atol=1e-15)
    assert_allclose(blend.knee_change_rad, 0.3 * happy.knee_change_rad + 0.5 * angry.knee_change_rad, atol=1e-15)
    assert_allclose(blend.lift_change_m, 0.3 * happy.lift_change_m + 0.5 * angry.lift_change_m, atol=1e-15)


def test_a_pose_of_weight_zero_is_neutral_bit_for_bit(mrpete):
    zero = pose_of(mrpete, "angry", 0.0)
    neutral = pose_of(mrpete, "neutral")
    weight = np.array([0.0, 0.5, 1.0])
    assert_array_equal(zero.feet(weight), neutral.feet(weight))
    assert_array_equal(zero.foot_rotations(weight), neutral.foot_rotations(weight))
    assert_array_equal(zero.knees(weight), neutral.knees(weight))


def test_a_body_that_is_carried_wide_and_high_moves_its_feet_in_it(mrpete):
    plain = key_pose(mrpete, Style()).feet(ONE)
    carried = key_pose(mrpete, Style(stance_width=1.2, body_height=0.9)).feet(ONE)
    assert_allclose(carried, plain * [1.0, 1.2, 0.9], atol=1e-12)


def test_a_body_that_bows_has_its_nose_down_over_the_ground_by_as_much(mrpete):
    plain, bowed = (ground_under(key_pose(mrpete, Style(body_pitch_rad=pitch)).feet(ONE)) for pitch in (0.0, 0.15))
    assert bowed.nose_up_rad - plain.nose_up_rad == pytest.approx(-0.15, abs=1e-9)
    assert bowed.height_m == pytest.approx(float(plain.height_m), abs=1e-9)  # it turns about its own origin
    feet, turned = (key_pose(mrpete, Style(body_pitch_rad=pitch)).feet(ONE) for pitch in (0.0, 0.15))
    assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(feet, axis=1), atol=1e-12)


def test_a_robot_without_a_neutral_pose_has_no_key_pose():
    for name, words in (("alice", "no pose called neutral"), ("pepper", "no pose called neutral")):
        with pytest.raises(BadTableError, match=words):
            key_pose(load_robot(name), Style())
