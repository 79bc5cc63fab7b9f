"""The animated layer: every curve against its formula, and the recoil against a filter of SciPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.signal import bilinear, lfilter

from strut.expression.secondary_motion import (
    Rhythm,
    SecondaryMotion,
    joint_offsets_of_style,
    secondary_motion,
    secondary_motion_in_place,
)
from strut.maths.easing import smooth_step
from strut.models.catalogue import load_robot
from strut.style import Style

UNIT_S = 0.3
TIME_S = 5.0 + 0.02 * np.arange(400)  # from 5 s on: only differences of time may count
WALKING = np.minimum(smooth_step((TIME_S - 6.0) / 0.7), smooth_step((11.5 - TIME_S) / 0.9))
BEAT = np.clip((TIME_S - 6.0) / 0.6, 0.0, None)
SHOWN = smooth_step(np.minimum(TIME_S - 5.0, TIME_S[-1] - TIME_S) / 0.4)
RHYTHM = Rhythm(TIME_S, BEAT, WALKING, SHOWN, UNIT_S)
STYLE = Style(bounce=1.7, nod_rad=0.07, recoil=0.6, anticipation=0.8, asymmetry=0.3, breath=0.9, breath_pace=1.4)


@pytest.fixture(scope="module")
def pete():
    return load_robot("mrpete").expressing("animated")


def rhythm_of(walking, unit_s=UNIT_S, step_s=0.02):
    """Return a rhythm that shows all of the style, without steps."""
    walking = np.asarray(walking, dtype=float)
    return Rhythm(step_s * np.arange(len(walking)), 0.0 * walking, walking, np.ones(len(walking)), unit_s)


def recoil(walking):
    """Return the nod of a head at full recoil over the amplitude of a recoil."""
    alice = load_robot("alice").expressing("animated")
    return secondary_motion(alice, Style(recoil=1.0), rhythm_of(walking)).nod_rad / 0.22


def draw_back(walking):
    """Return how far a body sinks at full anticipation over its largest sinking, 5 % of its height."""
    pete = load_robot("mrpete").expressing("animated")
    return -secondary_motion(pete, Style(anticipation=1.0, bounce=0.0), rhythm_of(walking)).rise / 0.05


def test_a_recoil_is_the_response_of_a_sprung_mass():
    """Of x'' + 2 d w x' + w² x = -w v', period 4 sqrt(h / g), damping ratio 0.3, by the bilinear transform of scipy."""
    omega = 2.0 * np.pi / (4.0 * UNIT_S)
    numerator, denominator = bilinear([omega**2], [1.0, 2.0 * 0.3 * omega, omega**2], fs=50.0)
    expected = lfilter(numerator, denominator, -np.gradient(WALKING, 0.02) / omega)
    assert_allclose(recoil(WALKING), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("walking", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.2, 0.3, 0.6, 1.0], [0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0]),  # over two samples
        ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0], [0.0, 1.0, None, 0.5, None, 0.0, 0.0]),
        ([0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.2, 0.6, 1.0], [0.0, 0.0, 1.0, 0.0, 0.0]),
        ([0.0, 0.1, 0.3, 0.2, 0.0], [0.0, 1.0, 1.0, 1.0, 0.0]),  # it never reaches half its speed: start and stop
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    ],
)
def test_a_body_draws_back_before_its_start_until_half_its_speed(walking, expected):
    for value, wanted in zip(draw_back(walking), expected, strict=True):
        if wanted is not None:
            assert value == pytest.approx(wanted, abs=1e-12)


def test_a_body_draws_back_before_its_start_and_at_its_stop():
    """It starts slowly at sample 4 and stops at once after sample 9."""
    walking = np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 1.0, 0.7, 0.2, 0.0, 0.0, 0.0])
    back = draw_back(walking)
    samples = np.arange(9)
    assert_allclose(back[:9], smooth_step(samples / 4.0) * smooth_step((8 - samples) / 4.0), atol=1e-12)
    assert_allclose(back[9:], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], atol=1e-12)


def test_a_body_without_a_face_pitches_as_a_whole(pete):
    assert not pete.expression.nodding_joints
    secondary = secondary_motion(pete, STYLE, RHYTHM)
    stepping = WALKING * (1.0 + 0.3 * np.cos(np.pi * BEAT))
    breath = 0.9 * np.sin(2.0 * np.pi * 1.4 * (TIME_S - 5.0) / (12.5 * UNIT_S)) * (1.0 - 0.7 * WALKING)
    back = 0.8 * draw_back(WALKING)
    bounce = -0.008 * 1.7 * stepping * np.cos(2.0 * np.pi * BEAT)
    assert_allclose(secondary.rise, SHOWN * (bounce + 0.012 * breath - 0.05 * back), atol=1e-12)
    nod = stepping * 0.07 * np.cos(2.0 * np.pi * (BEAT - 0.15)) + 0.6 * 0.22 * 0.3 * recoil(WALKING)
    assert_allclose(secondary.pitch_rad, SHOWN * (nod - 0.16 * back - 0.035 * breath), atol=1e-12)
    assert_allclose(secondary.roll_rad, SHOWN * 0.3 * 0.12, atol=1e-12)
    assert not secondary.nod_rad.any()
    assert not secondary.glance_rad.any()


def test_a_head_nods_recoils_more_and_glances_aside():
    alice = load_robot("alice").expressing("animated")
    table = alice.expression
    style = Style(nod_rad=0.05, recoil=0.5, gaze=0.1)
    secondary = secondary_motion(alice, style, RHYTHM)
    nod = WALKING * 0.05 * np.cos(2.0 * np.pi * (BEAT - 0.15)) + 0.5 * 0.22 * recoil(WALKING)
    assert_allclose(secondary.nod_rad, SHOWN * nod, atol=1e-12)
    assert_allclose(secondary.pitch_rad, 0.0, atol=1e-12)
    neutral = table.neutral_value("gaze")
    phase = 2.0 * np.pi * (TIME_S - 5.0) / (16.0 * UNIT_S)
    aside = np.tanh(1.5 * (np.sin(phase) + 0.6 * np.sin(1.62 * phase)))
    assert_allclose(secondary.glance_rad, SHOWN * 0.7 * (neutral - 0.1) / neutral * aside, atol=1e-12)


def test_a_standing_body_breathes_and_nods_with_its_gestures():
    pepper = load_robot("pepper").expressing("animated")
    style = Style(activity=0.8, nod_rad=0.1, asymmetry=0.4, breath=0.5, breath_pace=0.7)
    much = {word: getattr(style, word) if pepper.expression.mapping(word) else 0.0 for word in ("nod_rad", "asymmetry")}
    secondary = secondary_motion_in_place(pepper, style, TIME_S, BEAT, UNIT_S)
    breath = 0.5 * np.sin(2.0 * np.pi * 0.7 * (TIME_S - 5.0) / (12.5 * UNIT_S))
    assert_allclose(secondary.rise, 0.012 * breath, atol=1e-12)
    assert_allclose(secondary.pitch_rad, -0.035 * breath, atol=1e-12)
    uneven = 1.0 + much["asymmetry"] * np.cos(np.pi * BEAT)
    assert_allclose(secondary.nod_rad, 0.8 * uneven * much["nod_rad"] * np.cos(2.0 * np.pi * (BEAT - 0.15)), atol=1e-12)
    assert not secondary.roll_rad.any()
    assert not secondary.glance_rad.any()


def test_joints_of_trunk_and_head_follow_pitch_nod_and_glance():
    alice = load_robot("alice").expressing("animated")
    zero = np.zeros(3)
    secondary = SecondaryMotion(
        zero, np.array([0.1, 0.0, 0.0]), zero, np.array([0.0, 0.2, 0.0]), np.array([0.0, 0.0, 0.3])
    )
    moved = secondary.joint_offsets(alice)
    expected = np.zeros_like(moved)
    table = alice.expression
    column = alice.joint_names.index
    for name, factor in table.breathing_joints.items():
        expected[0, column(name)] += 0.1 * factor
    for name, factor in table.nodding_joints.items():
        expected[0, column(name)] -= 0.1 * factor
        expected[1, column(name)] += 0.2 * factor
    for name, factor in table.glancing_joints.items():
        expected[2, column(name)] += 0.3 * factor
    assert np.count_nonzero(expected) >= 4
    assert_allclose(moved, expected, atol=1e-12)


def test_parameters_move_joints_in_proportion_to_their_change_from_neutral():
    alice = load_robot("alice").expressing("animated")
    table = alice.expression
    held = joint_offsets_of_style(alice, Style(trunk_pitch_rad=0.2, head_pitch_rad=-0.1))
    neutral = table.neutral_style()
    expected = np.zeros(len(alice.joint_names))
    for word, value in (("trunk_pitch_rad", 0.2), ("head_pitch_rad", -0.1)):
        for name, factor in table.joints(word).items():
            expected[alice.joint_names.index(name)] += factor * (value - getattr(neutral, word))
    assert np.abs(expected).max() > 0.05
    assert_allclose(held, expected, atol=1e-12)
