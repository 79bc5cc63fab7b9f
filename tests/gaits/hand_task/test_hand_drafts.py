"""How a style does a hand's task, what is told where the head gives way, and how a task is laid out in time."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from strut.draft import Detail
from strut.engines.frame_kinematics import frame_poses
from strut.errors import BadTableError, OutOfRangeError, RefusedError, UnknownNameError
from strut.expression.body_swing import posture_over_time
from strut.gaits.hand_task.hand_drafts import (
    LEANS,
    SHARP,
    HandDrafts,
    _checked_user,
    _gaze_within_reach,
    _looked_away,
    _looks_as_asked,
    _quality,
)
from strut.gaits.hand_task.hand_path import HandPath, Poses
from strut.gaits.hand_task.hand_tracking import TrackedTask
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


@pytest.mark.parametrize(
    ("asked", "shown", "kept"), [(0.2, 0.2, 1.0), (0.2, 0.6, 0.5), (0.8, 0.2, 0.25), (0.0, 0.5, 0.5), (1.0, 0.9, 0.9)]
)
def test_what_is_kept_of_a_look_is_measured_from_the_end_that_it_went_towards(asked, shown, kept):
    share, reasons = _looked_away(Style(gaze=asked), Style(gaze=shown))
    assert share == pytest.approx(kept)
    assert len(reasons) == (0 if asked == shown else 1)


def test_a_style_does_a_task_at_its_tempo_and_size_and_as_sharply_as_it_is_jerky():
    assert _quality(PEPPER, Style(tempo=2.0)) == MovementQuality()  # published styles leave tasks as they are
    plain = _quality(ANIMATED, Style(tempo=1.4, size=0.7, jerkiness=NEUTRAL["jerkiness"] + 0.3))
    assert (plain.tempo, plain.size, plain.sharpness) == (1.4, 0.7, pytest.approx(0.3 * SHARP))
    for off, sharpness in ((2.0, 1.0), (-2.0, -1.0)):
        words = {word: getattr(Style(), word) for word in ("tempo", "size", *LEANS)}
        beyond = SimpleNamespace(**words, jerkiness=NEUTRAL["jerkiness"] + off)  # more than any style has
        assert _quality(ANIMATED, beyond).sharpness == sharpness
    leaning = _quality(ANIMATED, Style(trunk_pitch_rad=NEUTRAL["trunk_pitch_rad"] + 0.2)).trunk_rad
    upright = _quality(ANIMATED, Style(trunk_pitch_rad=NEUTRAL["trunk_pitch_rad"])).trunk_rad
    for joint, factor in ANIMATED.expression.joints("trunk_pitch_rad").items():
        assert leaning[joint] - upright[joint] == pytest.approx(0.2 * factor)
        assert upright[joint] == pytest.approx(0.0, abs=1e-12)


def test_users_who_touch_the_robot_or_are_nowhere_are_refused():
    qpos = np.zeros(3 + len(PEPPER.joint_names))
    eyes_m = frame_poses(PEPPER, "eyes", qpos[None])[0][0]
    assert_allclose(_checked_user(PEPPER, np.array([3.0, 0.0, 1.2]), qpos), [3.0, 0.0, 1.2])
    with pytest.raises(OutOfRangeError, match="inside pepper or touches it"):
        _checked_user(PEPPER, eyes_m, qpos)
    for user_m in ((1.0, 2.0), (1.0, 2.0, np.nan)):
        with pytest.raises(OutOfRangeError, match="three finite numbers"):
            _checked_user(PEPPER, np.array(user_m), qpos)


@pytest.mark.parametrize(
    ("rate_hz", "samples", "substeps"),
    [(100.0, 201, 1), (50.0, 101, 2), (48.5, 98, 3), (30.0, 61, 4), (250.0, 501, 1), (0.1, 2, 1000)],
)
def test_a_task_is_sampled_at_its_rate_and_integrated_in_hundredths_of_a_second_at_most(rate_hz, samples, substeps):
    problem = HandDrafts(PEPPER, HandTask(task="wave", duration_s=2.0), rate_hz, expressive=False).problem(Style())
    assert (len(problem.time_s), problem.steps) == (samples, substeps)
    assert (problem.time_s[0], problem.time_s[-1]) == (0.0, 2.0)
    assert_allclose(problem.user_m, PEPPER.chains.head.user_m)


def test_a_platform_may_be_free_a_user_elsewhere_and_floating_robots_have_no_tasks():
    task = HandTask(task="wave", duration_s=2.0, platform="free", user_m=(2.0, 1.0, 1.5))
    drafts = HandDrafts(PEPPER, task, 50.0, expressive=True)
    problem = drafts.problem(Style())
    assert problem.path.platform is None
    assert_allclose(problem.user_m, [2.0, 1.0, 1.5])
    meta = drafts._meta(problem, Style(gaze=0.25))
    assert (meta["task"]["platform"], meta["task"]["hand"], meta["style"]["gaze"]) == ("free", "right", 0.25)
    assert meta["options"]["user_m"] == [2.0, 1.0, 1.5]
    led = HandDrafts(PEPPER, HandTask(task="wave", duration_s=2.0), 50.0, expressive=True)
    assert led._meta(led.problem(Style()), None)["task"]["platform"] == "led"
    assert led._meta(led.problem(Style()), None)["style"] is None
    with pytest.raises(BadTableError, match="stands on its feet"):
        HandDrafts(ALICE, task, 50.0, expressive=True).problem(Style())


def test_what_nothing_is_shown_of_is_kept_whole():
    (draft,) = HandDrafts(PEPPER, HandTask(task="wave", duration_s=0.5), 20.0, expressive=False).drafts(
        Style(), Detail()
    )
    assert (draft.kept, draft.reasons, draft.expressed, draft.style, draft.not_expressed) == (1.0, (), {}, None, ())
    assert draft.contact.shape == (11, 0)


@pytest.mark.parametrize(("off_rad", "looks"), [(None, True), (0.00199, True), (0.00201, False)])
def test_a_head_looks_as_asked_within_its_tolerance_once_settled(off_rad, looks):
    time_s = np.array([0.0, 10.0])
    off = None if off_rad is None else np.array([9.0, off_rad])
    assert _looks_as_asked(TrackedTask(time_s, np.zeros(2), np.zeros(2), off, 6, qpos=np.zeros((2, 18)))) is looks


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


def test_names_durations_and_targets_that_are_none_are_refused():
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


def test_goals_are_laid_out_at_both_stages_of_every_step():
    path = HandPath("a", "right", 2.0, lambda time_s: Poses(np.zeros((len(time_s), 3)), None), None)
    problem = TrackingProblem(PEPPER, path, None, np.ones(3), "corrected", np.linspace(0.0, 2.0, 5), 3)
    stages = problem._stages_s()
    assert_allclose(stages, np.linspace(0.0, 2.0, 4 * 6 + 1), atol=1e-12)
    later = replace(problem, time_s=1.5 + problem.time_s)._stages_s()  # stages are counted from the start
    assert_allclose(later, stages, atol=1e-12)
    place, speed = problem._platform(stages)
    assert (place.shape, speed.shape) == ((25, 3), (25, 3))
    assert not place.any()


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


def test_a_platform_that_nobody_leads_has_no_speed_to_keep():
    path = replace(hand_task(PEPPER, "wave", duration_s=4.0), platform=None)
    goals = TrackingProblem(PEPPER, path, None, np.ones(3), "corrected", np.linspace(0.0, 4.0, 9), 1).tracker().goals
    assert goals.led == 0
    assert goals.platform_velocity.shape == (17, 0)
    assert not goals.platform.any()


# gaze


@dataclass(frozen=True)
class Head:
    """A problem of a head that keeps up with some gazes; it writes down what it is asked."""

    keeps_up: Callable[[float], bool]
    asked: list = field(default_factory=list)
    style: Style | None = None
    path: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(duration_s=2.0))
    user_m: tuple[float, ...] = (3.0, 0.0, 1.2)
    law: str = "corrected"
    time_s: tuple[float, ...] = ()
    steps: int = 7

    def tracker(self):
        return self

    def track(self):
        self.asked.append(self)
        return SimpleNamespace(largest_gaze_error_rad=0.0 if self.keeps_up(self.style.gaze) else 1.0)


@pytest.mark.parametrize(
    ("keeps_up", "asked", "found"),
    [
        (lambda gaze: gaze >= 0.63, 0.2, 0.63),
        (lambda gaze: gaze <= 0.31, 0.9, 0.31),
        (lambda gaze: gaze >= 0.63 or gaze <= 0.1, 0.3, 0.63),  # more direct before more averted
    ],
)
def test_the_nearest_look_that_a_head_keeps_up_with_is_searched_coarsely(keeps_up, asked, found):
    head = Head(keeps_up)
    gaze = _gaze_within_reach(head, Style(gaze=asked))
    assert keeps_up(gaze)
    assert gaze == pytest.approx(found, abs=0.021)
    for problem in head.asked:
        assert_allclose(problem.time_s, np.linspace(0.0, 2.0, 51))
        assert problem.steps == 2


def test_a_head_that_can_look_nowhere_is_told():
    with pytest.raises(RefusedError, match=r"neither at the user at \(3, 0, 1.2\) m nor away"):
        _gaze_within_reach(Head(lambda _: False), Style(gaze=0.5))
    short = Head(lambda _: True, path=SimpleNamespace(duration_s=0.01))
    _gaze_within_reach(short, Style(gaze=0.5))
    assert len(short.asked[0].time_s) == 2
