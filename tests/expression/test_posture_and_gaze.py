"""Features, posture and gaze: the published formulas, their published numbers and their limits."""

from dataclasses import replace

import msgspec
import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from strut.emotion import Emotion, named_emotion
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import OutOfRangeError
from strut.expression.blend import style_for
from strut.expression.body_swing import posture_over_time, side_bands_hz
from strut.expression.secondary_motion import secondary_motion_in_place
from strut.gaits.hand_task.gaze import looking_at
from strut.models.catalogue import load_robot
from strut.style import Style

AXIS = st.floats(-1.0, 1.0)
# Posture at 0 and 0.5 s of jerkiness 0.125 and activity 0.875, left arm and trunk (right shoulder roll was misprinted).
AT_START = {
    "KneePitch": 0.0625,
    "HipPitch": 0.01875,
    "HeadPitch": -0.1825,
    "RElbowYaw": 1.331638,
    "LWristYaw": -1.125782,
}
HALF_A_SECOND_ON = {"RElbowYaw": 1.918617, "RElbowRoll": 0.484765, "LShoulderRoll": 1.170897, "LWristYaw": -0.958074}


@pytest.fixture(scope="module")
def pepper():
    return load_robot("pepper")


def test_corners_of_the_study_become_the_published_features(pepper):
    style = style_for(pepper, Emotion(0.75, 0.75, 0.75))
    assert (style.jerkiness, style.activity, style.gaze) == (0.125, 0.875, 0.875)
    style = style_for(pepper, Emotion(-1.0, -1.0, -1.0))
    assert (style.jerkiness, style.activity, style.gaze) == (1.0, 0.0, 0.0)


@given(AXIS, AXIS, AXIS)
def test_features_can_be_inverted(pepper, pleasure, arousal, dominance):
    style = style_for(pepper, Emotion(pleasure, arousal, dominance))
    felt = (1.0 - 2.0 * style.jerkiness, 2.0 * style.activity - 1.0, 2.0 * style.gaze - 1.0)
    np.testing.assert_allclose(felt, (pleasure, arousal, dominance), atol=1e-15)


def test_the_neutral_style_is_that_of_the_neutral_emotion(pepper):
    assert style_for(pepper, Emotion(0.0, 0.0, 0.0)) == Style()
    assert style_for(pepper, Emotion(0.5, 0.5, 0.5), 0.0) == Style()


@pytest.mark.parametrize("word", ["activity", "jerkiness", "gaze"])
def test_features_beyond_their_scale_are_refused(word):
    with pytest.raises(OutOfRangeError, match=f"The {word} of a style is 1.1; rescale"):
        Style(**{word: 1.1})


def joint(robot, angles, name):
    return angles[..., robot.joint_names.index(name)]


@pytest.mark.parametrize(("time_s", "expected"), [(0.0, AT_START), (0.5, HALF_A_SECOND_ON)])
def test_posture_has_the_published_values(pepper, time_s, expected):
    angles = posture_over_time(pepper, Style(jerkiness=0.125, activity=0.875), np.array([time_s]), clamped=False)
    for name, value in expected.items():
        assert joint(pepper, angles, name)[0] == pytest.approx(value, abs=1e-6)


def test_without_activity_the_posture_is_still(pepper):
    angles = posture_over_time(pepper, Style(activity=0.0, jerkiness=1.0), np.linspace(0.0, 5.0, 50), clamped=False)
    assert np.ptp(angles, axis=0).max() == 0.0
    assert joint(pepper, angles, "KneePitch")[0] == 0.5


def test_full_activity_swings_about_the_active_posture_with_the_published_period(pepper):
    period_s = 2.252
    time_s = np.linspace(0.0, period_s, 2001)
    roll = joint(pepper, posture_over_time(pepper, Style(activity=1.0, jerkiness=0.0), time_s), "LShoulderRoll")
    assert roll.max() == pytest.approx(0.85 + 0.45, abs=1e-5)
    assert roll.min() == pytest.approx(0.85 - 0.45, abs=1e-5)
    assert roll[-1] == pytest.approx(roll[0], abs=1e-3)


def test_jerkiness_makes_the_swing_faster_and_jerkier(pepper):
    time_s = np.arange(0.0, 60.0, 1e-3)
    peak = {}
    jerk = {}
    for jerkiness in (0.0, 0.125, 0.875, 1.0):
        style = Style(activity=1.0, jerkiness=jerkiness)
        swing = joint(pepper, posture_over_time(pepper, style, time_s, clamped=False), "LShoulderRoll") / 0.45
        peak[jerkiness] = np.abs(np.gradient(swing, time_s)).max()
        jerk[jerkiness] = np.sqrt(np.mean(np.diff(swing, 3) ** 2))
    assert peak[0.0] == pytest.approx(2.79, abs=0.01)
    assert peak[0.125] == pytest.approx(3.346, abs=0.02)
    assert peak[1.0] == pytest.approx(7.234, abs=0.05)
    assert jerk[1.0] / jerk[0.0] == pytest.approx(34.9, abs=0.5)
    assert jerk[0.875] / jerk[0.0] == pytest.approx(29.7, abs=0.5)


def test_smooth_swing_is_one_line_in_the_spectrum_and_a_jerky_one_has_side_bands(pepper):
    assert side_bands_hz(pepper, Style(jerkiness=0.0)) == pytest.approx((0.44404,), abs=1e-4)
    bands = side_bands_hz(pepper, Style(jerkiness=1.0))
    for line_hz in (0.44404, 1.5565, 2.4446):
        assert min(abs(band - line_hz) for band in bands) < 1e-3
    swing_hz, *others = bands
    (shake_hz,) = {term.frequency_rad_s / (2.0 * np.pi) for term in pepper.expression.parameter.jerkiness.terms}
    apart = [abs(swing_hz + order * shake_hz) for order in (-2, -1, 1, 2)]
    assert sorted(set(np.round(others, 9))) == pytest.approx(sorted(apart), abs=1e-8)


def test_sampled_at_the_rate_of_the_robot_the_upper_side_band_turns_up_at_two_hertz(pepper):
    rate_hz = 4.45
    samples = 4096
    time_s = np.arange(samples) / rate_hz
    swing = joint(
        pepper, posture_over_time(pepper, Style(activity=1.0, jerkiness=1.0), time_s, clamped=False), "LShoulderRoll"
    )
    spectrum = np.abs(np.fft.rfft((swing - swing.mean()) * np.hanning(samples)))
    frequency_hz = np.fft.rfftfreq(samples, 1.0 / rate_hz)
    band = (frequency_hz > 1.8) & (frequency_hz < 2.2)
    assert frequency_hz[band][np.argmax(spectrum[band])] == pytest.approx(2.0054, abs=2e-3)
    assert spectrum[band].max() > 0.1 * spectrum.max()  # 0.18 of the carrier
    smooth = joint(
        pepper, posture_over_time(pepper, Style(activity=1.0, jerkiness=0.0), time_s, clamped=False), "LShoulderRoll"
    )
    assert np.abs(np.fft.rfft((smooth - smooth.mean()) * np.hanning(samples)))[band].max() < 1e-3 * spectrum.max()


def test_published_swing_leaves_the_joints_ranges_and_the_clamp_keeps_it_in(pepper):
    time_s = np.linspace(0.0, 3.0, 301)
    style = Style(activity=1.0, jerkiness=0.0)
    free = posture_over_time(pepper, style, time_s, clamped=False)
    assert joint(pepper, free, "RElbowYaw").max() == pytest.approx(2.2, abs=1e-3)
    assert joint(pepper, free, "RElbowRoll").min() == pytest.approx(-0.2, abs=1e-3)
    kept = posture_over_time(pepper, style, time_s)
    assert (kept >= pepper.joint_lower_rad).all()
    assert (kept <= pepper.joint_upper_rad).all()


@given(st.tuples(*[st.floats(-5.0, 5.0)] * 3).filter(lambda p: abs(p[0]) + abs(p[1]) > 0.1))
def test_a_direct_look_points_at_the_user_with_the_head_upright(user):
    eyes = np.array([0.1, -0.2, 1.1])
    if np.hypot(user[0] - eyes[0], user[1] - eyes[1]) < 0.01:
        return
    rotation = Rotation.from_quat(looking_at(eyes, np.array(user)), scalar_first=True).as_matrix()
    towards = np.array(user) - eyes
    np.testing.assert_allclose(rotation[:, 0], towards / np.linalg.norm(towards), atol=1e-12)
    assert rotation[2, 1] == pytest.approx(0.0, abs=1e-12)
    assert rotation[2, 2] >= -1e-12


def test_a_user_overhead_cannot_be_looked_at():
    with pytest.raises(OutOfRangeError, match="straight above"):
        looking_at(np.zeros(3), np.array([0.0, 0.0, 1.0]))


def test_a_joint_that_no_word_moves_rests_at_zero_or_where_its_range_has_its_middle(pepper):
    lower = np.array(pepper.joint_lower_rad)
    upper = np.array(pepper.joint_upper_rad)
    lower[:5] = [-1.0, 0.4, -0.9, -1.0, 0.05]
    upper[:5] = [2.0, 1.0, -0.1, 0.05, 1.0]
    table = pepper.expression
    activity = msgspec.structs.replace(
        table.parameter.activity,
        joint={name: swing for name, swing in table.swings.items() if name not in pepper.joint_names[:5]},
    )
    quiet = msgspec.structs.replace(table, parameter=msgspec.structs.replace(table.parameter, activity=activity))
    robot = replace(
        pepper, joint_lower_rad=lower, joint_upper_rad=upper, tables=replace(pepper.tables, expression=quiet)
    )
    for style in (Style(activity=0.0), Style(activity=1.0)):
        found = posture_over_time(robot, style, np.linspace(0.0, 2.0, 5))[:, :5]
        np.testing.assert_allclose(found, np.tile([0.0, 0.7, -0.5, 0.0, 0.525], (5, 1)), atol=1e-12)


def test_breath_and_lean_are_added_to_the_swing_of_the_posture(pepper):
    """The published posture plus what the words hold plus what breath and nods do, joint by joint, without clamping."""
    lively = pepper.expressing("animated")
    style = replace(style_for(lively, named_emotion("sad")), jerkiness=0.0)
    table = lively.expression
    time_s = np.linspace(0.0, 4.0, 41)
    names = lively.joint_names
    found = posture_over_time(lively, style, time_s, clamped=False)
    rate_rad_s = style.tempo * table.parameter.activity.frequency_rad_s
    slowed_s = time_s * style.tempo
    published = posture_over_time(pepper, style, slowed_s, clamped=False)  # whose pace no word changes
    data = mujoco.MjData(lively.model)
    data.qpos[:] = 0.0  # breathing scales with the height of the centre of mass at zero joint angles
    mujoco.mj_kinematics(lively.model, data)
    mujoco.mj_comPos(lively.model, data)
    unit_s = np.sqrt(data.subtree_com[0, 2] / GRAVITY_M_S2)
    secondary = secondary_motion_in_place(lively, style, time_s, rate_rad_s * time_s / np.pi, unit_s)
    asked = table.joint_angles(style)
    neutral = table.joint_angles(table.neutral_style())
    leaning = [asked.get(name, 0.0) - neutral.get(name, 0.0) for name in names]
    bends, nods = (
        np.array([joints.get(n, 0.0) for n in names]) for joints in (table.breathing_joints, table.nodding_joints)
    )
    moved = np.outer(secondary.pitch_rad, bends - nods) + np.outer(secondary.nod_rad, nods)
    assert np.ptp(moved, axis=0).max() > 0.005
    assert np.abs(leaning).max() > 0.1
    np.testing.assert_allclose(found, published + leaning + moved, atol=1e-12)
