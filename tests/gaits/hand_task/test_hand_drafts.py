"""Hand drafts: movement quality of a style, users and tasks that are refused, sampling, tasks, tracking goals."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from strut.draft import Detail
from strut.engines.frame_kinematics import frame_poses
from strut.errors import BadTableError, OutOfRangeError, UnknownNameError
from strut.expression.body_swing import posture_over_time
from strut.gaits.hand_task.hand_drafts import SHARPNESS, HandDrafts
from strut.gaits.hand_task.hand_path import HandPath, Poses
from strut.gaits.hand_task.named_tasks import MovementQuality, checked_duration, hand_frame, hand_task
from strut.gaits.hand_task.request import LONGEST_DURATION_S, HandTask
from strut.gaits.hand_task.tracking_problem import TrackingProblem
from strut.maths.easing import eased_time, smooth_step
from strut.models.catalogue import load_robot
from strut.style import Style
from tests.alice import ALICE

PEPPER = load_robot("pepper")
ANIMATED = PEPPER.expressing("animated")
NEUTRAL = {word: ANIMATED.expression.neutral_value(word) for word in ("jerkiness", "trunk_pitch_rad", "asymmetry")}


def manner(robot, style):
    """Return the quality of the movement that a motion file names for a wave; None if it is done as written."""
    task = HandTask(task="wave", duration_s=2.0)
    return HandDrafts(robot, task, 50.0, expressive=True).problem(style).path.options.get("manner")


def test_a_published_style_does_a_task_as_written():
    assert manner(PEPPER, Style(tempo=2.0)) is None


def test_an_animated_style_sets_tempo_size_and_sharpness():
    quality = manner(ANIMATED, Style(tempo=1.4, size=0.7, jerkiness=NEUTRAL["jerkiness"] + 0.3))
    assert (quality["tempo"], quality["size"]) == (1.4, 0.7)
    assert quality["sharpness"] == pytest.approx(0.3 * SHARPNESS)


def test_a_leaning_trunk_moves_the_joints_under_the_arm():
    leaning = manner(ANIMATED, Style(trunk_pitch_rad=NEUTRAL["trunk_pitch_rad"] + 0.2))["trunk_rad"]
    upright = manner(ANIMATED, Style(trunk_pitch_rad=NEUTRAL["trunk_pitch_rad"]))["trunk_rad"]
    for joint, factor in ANIMATED.expression.joints("trunk_pitch_rad").items():
        assert leaning[joint] - upright[joint] == pytest.approx(0.2 * factor)
        assert upright[joint] == pytest.approx(0.0, abs=1e-12)


def test_a_user_inside_the_robot_is_refused():
    task = HandTask(task="wave", duration_s=2.0)
    problem = HandDrafts(PEPPER, task, 50.0, expressive=True).problem(Style())
    eyes_m = frame_poses(PEPPER, "eyes", problem.tracker().settled()[None])[0][0]
    touching = HandTask(task="wave", duration_s=2.0, user_m=tuple(eyes_m.tolist()))
    with pytest.raises(OutOfRangeError, match="inside pepper or touches it"):
        HandDrafts(PEPPER, touching, 50.0, expressive=True).problem(Style())


@pytest.mark.parametrize("user_m", [(1.0, 2.0), (1.0, 2.0, np.nan)])
def test_a_user_without_three_finite_coordinates_is_refused(user_m):
    with pytest.raises(OutOfRangeError, match="three finite numbers"):
        HandTask(task="wave", duration_s=2.0, user_m=user_m)


@pytest.mark.parametrize(
    ("rate_hz", "samples", "substeps"),
    [(100.0, 201, 1), (50.0, 101, 2), (48.5, 98, 3), (30.0, 61, 4), (250.0, 501, 1), (0.1, 2, 1000)],
)
def test_a_task_is_sampled_at_its_rate_and_integrated_in_hundredths_of_a_second_at_most(rate_hz, samples, substeps):
    problem = HandDrafts(PEPPER, HandTask(task="wave", duration_s=2.0), rate_hz, expressive=False).problem(Style())
    assert (len(problem.time_s), problem.steps) == (samples, substeps)
    assert (problem.time_s[0], problem.time_s[-1]) == (0.0, 2.0)
    assert_allclose(problem.user_m, PEPPER.chains.head.user_m)


def test_a_free_platform_and_the_user_are_named_in_the_motion_file():
    task = HandTask(task="wave", duration_s=0.5, platform="free", user_m=(2.0, 0.3, 1.5))
    drafts = HandDrafts(PEPPER, task, 20.0, expressive=True)
    problem = drafts.problem(Style())
    assert problem.path.platform is None
    assert_allclose(problem.user_m, [2.0, 0.3, 1.5])
    (draft,) = drafts.drafts(Style(gaze=0.9), Detail())
    assert (draft.meta["task"]["platform"], draft.meta["task"]["hand"]) == ("free", "right")
    assert draft.meta["style"]["gaze"] == draft.style.gaze
    assert draft.meta["options"]["user_m"] == [2.0, 0.3, 1.5]


def test_a_robot_on_feet_has_no_hand_tasks():
    with pytest.raises(BadTableError, match="stands on its feet"):
        HandDrafts(ALICE, HandTask(task="wave"), 50.0, expressive=True).problem(Style())


def test_a_task_without_an_emotion_expresses_nothing():
    task = HandTask(task="wave", duration_s=0.5)
    (draft,) = HandDrafts(PEPPER, task, 20.0, expressive=False).drafts(Style(), Detail())
    assert (draft.kept, draft.reasons, draft.expressed, draft.style, draft.not_expressed) == (1.0, (), {}, None, ())
    assert (draft.meta["task"]["platform"], draft.meta["style"]) == ("led", None)
    assert draft.contact.shape == (11, 0)


# tasks


@pytest.mark.parametrize(
    "quality", [MovementQuality(2.0, 0.5, 0.0), MovementQuality(1.0, 1.5, 0.8, {"HipPitch": -0.1})]
)
def test_a_wave_has_the_pace_size_and_sharpness_of_its_quality(quality):
    table = PEPPER.tasks["wave"]
    time_s = np.linspace(0.0, 4.0, 9)
    qpos = np.zeros((9, 3 + len(PEPPER.joint_names)))
    for joint, angle in (*table.posture_rad.items(), *quality.trunk_rad.items()):
        qpos[:, 3 + PEPPER.joint_names.index(joint)] += angle
    for joint, swing in table.swing.items():
        turn = 2.0 * np.pi * swing.frequency_hz * quality.tempo * eased_time(time_s, 4.0)
        sharp = turn + 0.5 * quality.sharpness * np.sin(2.0 * turn)
        qpos[:, 3 + PEPPER.joint_names.index(joint)] += quality.size * swing.amplitude_rad * np.sin(sharp)
    path = hand_task(PEPPER, "wave", duration_s=4.0, quality=quality)
    assert_allclose(path.poses(time_s).position_m, frame_poses(PEPPER, "right_wrist", qpos)[0], atol=1e-9)
    assert path.options["manner"]["tempo"] == quality.tempo
    assert "manner" not in hand_task(PEPPER, "wave", duration_s=4.0).options


@pytest.mark.parametrize(("tempo", "duration_s"), [(1.0, 20.0), (2.0, 20.0), (1.0, 0.5)])
def test_an_arm_is_raised_in_its_time_but_in_half_of_a_short_task(tempo, duration_s):
    table = PEPPER.tasks["point"]
    path = hand_task(PEPPER, "point", duration_s=duration_s, quality=MovementQuality(tempo))
    raise_s = min(table.raise_s / tempo, duration_s / 2.0)
    start, end = (path.poses(np.array([at_s])).rotation[0] for at_s in (0.0, duration_s))
    whole = np.arccos(start[:, 0] @ end[:, 0])
    for share in (0.3, 0.5, 0.8):
        now = path.poses(np.array([share * raise_s])).rotation[0, :, 0]
        assert np.arccos(now @ start[:, 0]) == pytest.approx(whole * float(smooth_step(np.array(share))), rel=1e-6)
        elbow = path.poses(np.array([share * raise_s])).position_m[0] - table.reach_m * now
        first = path.poses(np.zeros(1)).position_m[0] - table.reach_m * start[:, 0]
        along = float(smooth_step(np.array(share)))
        assert_allclose(elbow, first + along * (np.array(table.from_m) - first), atol=1e-9)


def test_a_hand_that_already_points_at_its_target_is_not_turned():
    table = PEPPER.tasks["point"]
    start = hand_task(PEPPER, "point", duration_s=4.0).poses(np.zeros(1)).rotation[0]
    target = np.array(table.from_m) + 2.0 * start[:, 0]
    held = hand_task(PEPPER, "point", duration_s=4.0, target_m=target).poses(np.array([0.0, 2.0, 4.0])).rotation
    assert_allclose(held, np.tile(start, (3, 1, 1)), atol=1e-6)
    beside = np.cos(0.05) * start[:, 0] + np.sin(0.05) * start[:, 2]  # a little turn is one
    near = hand_task(PEPPER, "point", duration_s=4.0, target_m=np.array(table.from_m) + 2.0 * beside)
    assert_allclose(near.poses(np.array([4.0])).rotation[0, :, 0], beside, atol=1e-9)


@pytest.mark.parametrize("duration_s", [3.0, 6.0])
def test_a_route_takes_the_hand_over_its_offsets_on_a_platform_that_turns(duration_s):
    """Each offset belongs to its share of the eased time, and each station likewise."""
    table = PEPPER.tasks["carry"]
    path = hand_task(PEPPER, "carry", duration_s=duration_s)
    start_m = path.poses(np.zeros(1)).position_m[0]
    for points, of_hand in ((np.array(table.hand_offset_m), True), (np.array(table.platform), False)):
        assert len(points) > 2
        for number, point in enumerate(points):
            share = number / (len(points) - 1)
            at_s = duration_s * brentq(lambda u, share=share: float(smooth_step(np.array(u))) - share, 0.0, 1.0)
            x, y, yaw = path.platform(np.array([at_s]))[0]
            place = path.poses(np.array([at_s])).position_m[0]
            if of_hand:
                c = np.cos(yaw)
                s = np.sin(yaw)
                seen = np.array([[c, s], [-s, c]]) @ (place[:2] - [x, y])
                assert_allclose([*seen, place[2]], start_m + point, atol=1e-6)
            else:
                assert_allclose([x, y, yaw], point, atol=1e-6)


def test_unknown_names_bad_durations_and_needless_targets_are_refused():
    for duration_s in (0.0, -1.0, np.nan, 1.001 * LONGEST_DURATION_S):
        with pytest.raises(OutOfRangeError, match="The duration is"):
            checked_duration(duration_s)
    assert checked_duration(LONGEST_DURATION_S) == LONGEST_DURATION_S
    with pytest.raises(UnknownNameError, match="juggle"):
        hand_task(PEPPER, "juggle", duration_s=2.0)
    with pytest.raises(UnknownNameError, match="third"):
        hand_frame(PEPPER, "third")
    with pytest.raises(OutOfRangeError, match="has no target"):
        hand_task(PEPPER, "wave", duration_s=2.0, target_m=np.ones(3))


# tracking


def test_goals_are_at_both_stages_of_every_step_counted_from_the_start():
    def poses(time_s):
        return Poses(np.column_stack([0.4 + 0.01 * time_s, 0.0 * time_s, 0.0 * time_s]), None)

    path = HandPath("a", "right", 2.0, poses, None)
    problem = TrackingProblem(PEPPER, path, None, np.ones(3), "corrected", np.linspace(0.0, 2.0, 5), 3)
    stages_s = np.linspace(0.0, 2.0, 4 * 6 + 1)
    for start_s in (0.0, 1.5):
        goals = replace(problem, time_s=start_s + problem.time_s).tracker().goals
        assert_allclose(goals.hand_m, poses(stages_s).position_m, atol=1e-12)
        assert goals.platform.shape == (25, 3)
        assert not goals.platform.any()


@pytest.mark.parametrize("task", ["point", "carry", "wave"])
def test_goals_are_those_of_the_path_and_of_the_style(task):
    path = hand_task(PEPPER, task, duration_s=4.0)
    style = Style(gaze=0.3)
    shown, plain = (
        TrackingProblem(PEPPER, path, one, np.ones(3), "corrected", np.linspace(0.0, 4.0, 9), 1).tracker().goals
        for one in (style, None)
    )
    stages = np.linspace(0.0, 4.0, 17)
    poses = path.poses(stages)
    assert_allclose(shown.hand_m, poses.position_m)
    assert_allclose(shown.hand_velocity, path.velocity(stages))
    turned = Rotation.from_quat(np.array(shown.hand_turn), scalar_first=True)
    assert_allclose(turned.as_matrix(), poses.rotation, atol=1e-9)
    if task == "point":
        assert_allclose(shown.sideways, poses.rotation.transpose(0, 2, 1)[:, 1:])  # its second and third axes
    else:
        assert shown.sideways is None
    assert (shown.gaze, plain.gaze, shown.led) == (0.3, 0.0, 3)
    assert_allclose(shown.platform, path.platform(stages))
    assert_allclose(shown.platform_velocity, path.platform_velocity(stages))
    assert (len(shown.head_turn), len(plain.head_turn)) == (17, 0)
    qpos = np.concatenate([shown.platform, shown.posture], axis=1)
    heads = Rotation.from_quat(np.array(shown.head_turn), scalar_first=True)
    assert_allclose(heads.as_matrix(), frame_poses(PEPPER, "eyes", qpos)[1].reshape(-1, 3, 3), atol=1e-9)
    assert_allclose(shown.posture[0], posture_over_time(PEPPER, style, np.zeros(1))[0])
    assert_allclose(plain.posture[0], posture_over_time(PEPPER, Style(), np.zeros(1))[0])


def test_a_free_platform_has_no_goals():
    path = replace(hand_task(PEPPER, "wave", duration_s=4.0), platform=None)
    goals = TrackingProblem(PEPPER, path, None, np.ones(3), "corrected", np.linspace(0.0, 4.0, 9), 1).tracker().goals
    assert goals.led == 0
    assert goals.platform_velocity.shape == (17, 0)
    assert not goals.platform.any()
