"""A guessed step against the geometry that it is drawn by: where the pelvis is, how arms hang, where the feet go."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.rigid_body import body_poses, point_positions
from strut.human.synthesis.initial_guess import GuessOptions, foot_paths, guessed_step
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import qpos_from_angles
from strut.style import Style

BORDERS = np.array([0.0, 0.2, 0.4, 0.5, 0.6])  # of phases: the left foot swings from 0 to 0.4 s
STEP_M = 0.73  # the usual one, at which feet roll over heels and toes in full
FRONT_M = STEP_M / 2.0 + 0.14  # where the standing toes are
TOE_OFF = 0.75
STRIKE = -0.30  # pitch of a foot that leaves and of one that lands


def column(path, name):
    return path.q[:, path.problem.tree.velocity_names.index(name)]


def cosine(path, turns=0.5):
    """A curve that begins at its highest and has gone so many turns where the step ends."""
    return np.cos(2.0 * np.pi * turns * path.time_s / path.time_s[-1])


def places(heiman, q, *names):
    points = [contact_points(heiman)[name] for name in names]
    return point_positions(heiman.model, [(point.body, point.position_m) for point in points], qpos_from_angles(q))


def test_a_guessed_pelvis_goes_on_evenly_leans_over_the_standing_foot_and_is_highest_in_the_middle(heiman, drawn_step):
    path = drawn_step
    step_m = path.parameter["step_length_m"]
    share = path.time_s / path.time_s[-1]
    assert step_m == pytest.approx(1.3 * path.time_s[-1])
    assert path.parameter["speed_m_s"] == 1.3
    assert_allclose(column(path, "Pelvis_TX"), step_m * share, atol=1e-9)
    assert_allclose(column(path, "Pelvis_TY"), -0.02 * np.sin(np.pi * share), atol=1e-9)
    middle = 0.931 * heiman.subject.standing_pelvis_height_m
    assert_allclose(column(path, "Pelvis_TZ"), middle - 0.015 * cosine(path, 1.0), atol=1e-9)
    assert_allclose(np.cumsum(path.duration_s)[-1], path.time_s[-1])


def test_a_guessed_body_turns_against_its_pelvis_and_swings_its_arms_against_its_legs(drawn_step):
    path = drawn_step
    swing = cosine(path)
    assert_allclose(column(path, "Pelvis_RZ"), 0.10 * swing, atol=1e-9)  # the hip that leads goes ahead
    assert_allclose(column(path, "Lumbar_RZ"), -0.15 * swing, atol=1e-9)
    assert_allclose(column(path, "ShoulderRight_RY"), 0.2 * swing, atol=1e-9)
    assert_allclose(column(path, "ShoulderLeft_RY"), -0.2 * swing, atol=1e-9)
    assert_allclose(column(path, "ShoulderRight_RX"), -0.2)
    assert_allclose(column(path, "ShoulderLeft_RX"), 0.2)
    for name in ("ElbowRight_RY", "ElbowLeft_RY"):
        assert_allclose(column(path, name), -0.3)
    assert_allclose(column(path, "Head_RZ"), 0.0)


def test_a_guessed_trunk_is_held_as_the_style_says_within_the_bounds(heiman, natural_problem):
    bent = guessed_step(heiman, natural_problem, 1.3, GuessOptions(style=Style(trunk_pitch_rad=0.2)))
    for name in ("Pelvis_RY", "Lumbar_RY"):
        assert_allclose(column(bent, name), 0.1)
    far = guessed_step(heiman, natural_problem, 1.3, GuessOptions(style=Style(trunk_pitch_rad=1.2)))
    assert_allclose(column(far, "Pelvis_RY"), 0.2)  # where its range ends
    assert_allclose(column(far, "Lumbar_RY"), 0.23)


def test_guessed_feet_are_where_their_paths_lead_on_two_tracks_and_face_ahead(heiman, drawn_step):
    """Exactly until the standing knee comes to the end of its range, nearly from then on."""
    path = drawn_step
    low_high = drawn_step.problem.bounds.q[:, 6:20]
    borders_s = np.append(0.0, np.cumsum(path.duration_s))
    paths = foot_paths(heiman, path.time_s, borders_s, path.parameter["step_length_m"])
    for side, aside_m in (("Right", -0.075), ("Left", 0.075)):
        heel = places(heiman, path.q, f"Heel{side}")[:, 0]
        turn = body_poses(heiman.model, [f"Foot{side}"], qpos_from_angles(path.q))[1][:, 0]
        pitch = np.arctan2(-turn[:, 2, 0], turn[:, 0, 0])
        for nodes, most_m, most_rad in ((slice(None, 8), 1e-3, 3e-3), (slice(8, None), 0.045, 0.14)):
            assert_allclose(heel[nodes, 0], paths[side][nodes, 0], atol=most_m)
            assert_allclose(heel[nodes, 1], aside_m, atol=most_m)
            assert_allclose(heel[nodes, 2], paths[side][nodes, 1], atol=most_m)
            assert_allclose(pitch[nodes], paths[side][nodes, 2], atol=most_rad)
            assert np.abs(turn[nodes, 1, 0]).max() < most_rad
    assert (path.q[:, 6:20] >= low_high[0] - 1e-9).all()
    assert (path.q[:, 6:20] <= low_high[1] + 1e-9).all()


def test_guessed_legs_share_a_turn_between_hip_and_ankle_and_bend_their_knees(drawn_step):
    for side in ("Right", "Left"):
        hip, ankle = (column(drawn_step, f"{joint}{side}_RZ") for joint in ("Hip", "Ankle"))
        assert_allclose(hip, ankle, atol=0.06)
        assert_allclose(hip[0], ankle[0], atol=0.02)  # the pelvis turns by 0.1 rad, the feet face ahead
        assert_allclose(hip[0] + ankle[0], -0.09, atol=0.02)
        assert column(drawn_step, f"Knee{side}_RY").min() > 0.0


def test_noise_of_a_guess_is_on_joints_and_durations_and_comes_back_with_its_seed(heiman, natural_problem, drawn_step):
    noisy, again = (
        guessed_step(heiman, natural_problem, 1.3, GuessOptions(angle_noise_rad=0.03, duration_noise=noise, seed=1))
        for noise in (0.0, 0.1)
    )
    off = noisy.q - drawn_step.q
    assert_allclose(off[:, :6], 0.0, atol=1e-12)
    assert off[:, 6:].std() == pytest.approx(0.03, rel=0.15)
    assert_allclose(again.q[0, 20:] - drawn_step.q[0, 20:], off[0, 20:])  # the same draw on arms and head
    assert 0.0 < np.abs(again.duration_s / drawn_step.duration_s - 1.0).max() < 0.1
    assert again.parameter["step_length_m"] == pytest.approx(1.3 * again.duration_s.sum())


def test_nodes_of_a_guess_are_those_of_the_mesh_and_velocities_the_slopes_of_its_curve(natural_problem, drawn_step):
    path = drawn_step
    assert len(path.q) == 5 + 5 + 3 + 3
    assert_allclose(path.time_s, natural_problem.node_times(path.duration_s), atol=1e-12)
    assert_allclose(path.v[:, 0], 1.3, atol=1e-9)
    border = 4  # where the first phase ends and the second begins
    for values in (path.q, path.v, path.a):
        assert_allclose(values[border], values[border + 1], atol=1e-6)


@pytest.fixture(scope="module")
def feet(heiman):
    points = contact_points(heiman)
    return {
        "radius": points["HeelRight"].radius_m,
        "base": points["HalluxRight"].position_m[0] - points["HeelRight"].position_m[0],
        "sole": heiman.subject.lengths_m["FootRightHeight"],
    }


def on_toes(feet, toe_x, pitch):
    """Where the heel of a foot is that stands on its toes, pitched: a rectangle turned about its foremost corner."""
    turned = np.array([[np.cos(pitch), np.sin(pitch)], [-np.sin(pitch), np.cos(pitch)]]) @ [-feet["base"], feet["sole"]]
    return toe_x + turned[0], turned[1]


def test_a_guessed_foot_swings_from_its_toes_a_step_behind_to_its_heel_a_step_ahead(heiman, feet):
    when = np.array([0.0, 0.12, 0.26, 0.4, 0.5, 0.6])  # toe-off, 30 % and 65 % of the swing, landing, flat, the end
    left = foot_paths(heiman, when, BORDERS, STEP_M)["Left"]
    behind = on_toes(feet, FRONT_M - STEP_M, TOE_OFF)
    ahead = on_toes(feet, FRONT_M + STEP_M, 0.0)
    landing_x = ahead[0] + feet["radius"] * STRIKE  # the heel is a ball that then rolls until the foot is flat
    assert_allclose(left[0], [*behind, TOE_OFF], atol=1e-9)
    assert_allclose(left[1], [behind[0] + 0.25 * (landing_x - behind[0]), behind[1] + 0.02, TOE_OFF + 0.1], atol=1e-9)
    assert_allclose(left[2], [behind[0] + 0.60 * (landing_x - behind[0]), feet["radius"] + 0.07, 0.2], atol=1e-9)
    assert_allclose(left[3], [landing_x, feet["radius"], STRIKE], atol=1e-9)
    for flat in left[4:]:
        assert_allclose(flat, [*ahead, 0.0], atol=1e-9)


def test_a_guessed_foot_that_stands_turns_about_its_toes_from_when_its_heel_rises(heiman, feet):
    when = np.array([0.0, 0.1, 0.2, 0.4, 0.6])
    right = foot_paths(heiman, when, BORDERS, STEP_M)["Right"]
    for found, pitch in zip(right, (0.0, 0.0, 0.0, 0.6 * TOE_OFF, TOE_OFF), strict=True):
        assert_allclose(found, [*on_toes(feet, FRONT_M, pitch), pitch], atol=1e-9)


def test_short_steps_roll_less_and_long_ones_no_more(heiman):
    at_end = [foot_paths(heiman, np.array([0.0, 0.4, 0.6]), BORDERS, STEP_M * share) for share in (0.5, 1.0, 1.2)]
    assert_allclose([path["Right"][-1, 2] for path in at_end], [0.5 * TOE_OFF, TOE_OFF, TOE_OFF])
    assert_allclose([path["Left"][1, 2] for path in at_end], [0.5 * STRIKE, STRIKE, STRIKE])
    toes = [path["Right"][0, 0] for path in at_end]
    assert_allclose(np.diff(toes), 0.5 * STEP_M * np.array([0.5, 0.2]))  # half a step ahead of the pelvis' start
