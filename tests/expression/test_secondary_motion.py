"""The animated layer: continuous, at rest at both ends, as its words say; what is published is left alone."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.emotion import named_emotion
from strut.errors import BadTableError
from strut.expression.blend import style_for
from strut.expression.secondary_motion import (
    BOUNCE,
    BREATH_PERIOD,
    BREATH_RAD,
    BREATH_RISE,
    GLANCE_RAD,
    NOD_LAG,
    RECOIL_DAMPING,
    SECONDARY_PARAMETERS,
    WALKING_BREATH,
    Rhythm,
    secondary_motion,
    secondary_motion_in_place,
)
from strut.maths.easing import smooth_step
from strut.models.catalogue import load_robot
from strut.schemas.expression import (
    AnimatedTable,
    EmotionAnchor,
    ExpressionTable,
    Neutral,
    ParameterMapping,
    ParameterMappings,
)
from strut.style import Style

UNIT_S = 0.2
STEPS = 10
TIME_S = np.arange(0.0, 12.0, 0.01)
WALKING = np.minimum(smooth_step((TIME_S - 2.0) / 0.8), smooth_step((10.0 - TIME_S) / 0.8))
BEAT = np.clip((TIME_S - 2.0) / 0.8, 0.0, STEPS)
SHOWN = smooth_step(np.minimum(TIME_S, TIME_S[-1] - TIME_S) / 0.5)
RHYTHM = Rhythm(TIME_S, BEAT, WALKING, SHOWN, UNIT_S)


@pytest.fixture(scope="module")
def pete():
    return load_robot("mrpete").expressing("animated")


def test_what_is_published_has_no_secondary_motion_and_a_body_without_the_layer_refuses_it():
    for name in ("mrpete", "alice", "pepper"):
        robot = load_robot(name)
        assert robot.expressing("published") is robot
        assert all(robot.expression.mapping(word) is None for word in SECONDARY_PARAMETERS)
        secondary = secondary_motion(
            robot, Style(bounce=5.0, nod_rad=0.3, recoil=1.0, anticipation=1.0, breath=1.0), RHYTHM
        )
        assert_allclose([secondary.rise, secondary.pitch_rad, secondary.nod_rad], 0.0)
    with pytest.raises(BadTableError, match=r"heiman has no \[animated\]"):
        load_robot("heiman").expressing("animated")


def test_everything_starts_and_ends_at_rest_and_is_continuous(pete):
    style = Style(bounce=3.0, nod_rad=0.1, recoil=1.0, anticipation=1.0, asymmetry=0.5, breath=1.0)
    secondary = secondary_motion(pete, style, RHYTHM)
    for row in (secondary.rise, secondary.pitch_rad, secondary.roll_rad):
        assert row[0] == row[-1] == 0.0
        assert np.abs(np.diff(row)).max() < 0.05 * max(1.0, np.ptp(row) / 0.1)
        assert abs(row[1]) < 1e-5


def test_a_body_bounces_once_a_step_by_what_its_word_says(pete):
    secondary = secondary_motion(pete, Style(bounce=2.0), RHYTHM)
    steady = (TIME_S > 4.05) & (TIME_S < 8.05)  # five steps of 0.8 s
    assert_allclose(np.ptp(secondary.rise[steady]), 4.0 * BOUNCE, rtol=1e-3)
    rising = np.diff(np.sign(np.diff(secondary.rise[steady])))
    assert np.count_nonzero(rising) == 10  # a top and a bottom in each


def test_with_asymmetry_every_other_step_is_larger(pete):
    even, uneven = (secondary_motion(pete, Style(bounce=2.0, asymmetry=much), RHYTHM).rise for much in (0.0, 0.5))
    at = [np.flatnonzero(beat <= BEAT)[0] for beat in (4.0, 5.0)]
    assert_allclose(uneven[at] / even[at], [1.5, 0.5], rtol=0.05)


def test_a_body_draws_back_before_it_starts_and_not_while_it_walks(pete):
    secondary = secondary_motion(pete, Style(bounce=0.0, anticipation=1.0), RHYTHM)
    lowest = TIME_S[np.argmin(secondary.rise[: len(TIME_S) // 2])]
    assert 1.5 < lowest < 2.5  # it sets off at 2 s
    assert secondary.pitch_rad.min() < -0.1
    assert_allclose(secondary.rise[(TIME_S > 4.0) & (TIME_S < 8.0)], 0.0, atol=1e-9)
    assert secondary.rise[TIME_S > 8.0].min() == pytest.approx(
        secondary.rise.min(), rel=0.02
    )  # and sinks as much to stop
    assert secondary.rise.max() <= 0.0


def test_recoil_rings_down_as_a_damped_oscillator_does(pete):
    secondary = secondary_motion(pete, Style(bounce=0.0, recoil=1.0), RHYTHM)
    started = secondary.pitch_rad[(TIME_S > 2.0) & (TIME_S < 6.0)]
    tops = [
        abs(started[k])
        for k in range(1, len(started) - 1)
        if (started[k] - started[k - 1]) * (started[k + 1] - started[k]) < 0
    ]
    half_period = np.exp(-np.pi * RECOIL_DAMPING / np.sqrt(1.0 - RECOIL_DAMPING**2))
    assert_allclose(tops[2] / tops[1], half_period, rtol=0.15)


def test_a_face_nods_once_a_step_by_what_its_word_says_as_far_as_a_style_is_shown():
    pepper = load_robot("pepper").expressing("animated")
    secondary = secondary_motion(pepper, Style(nod_rad=0.1), RHYTHM)
    assert pepper.expression.nodding_joints
    assert_allclose(secondary.nod_rad, SHOWN * WALKING * 0.1 * np.cos(2.0 * np.pi * (BEAT - NOD_LAG)), atol=1e-12)
    assert np.ptp(secondary.nod_rad) == pytest.approx(0.2, rel=1e-3)
    assert_allclose(secondary.pitch_rad, 0.0)  # the head nods, and not the whole body


def test_breath_has_the_period_of_the_body_and_its_pace():
    pepper = load_robot("pepper").expressing("animated")
    secondary = secondary_motion_in_place(
        pepper, Style(breath=1.0, breath_pace=2.0, activity=0.0), TIME_S, BEAT, UNIT_S
    )
    crossings = np.flatnonzero((secondary.rise[:-1] < 0.0) & (secondary.rise[1:] >= 0.0))
    assert_allclose(np.diff(TIME_S[crossings]), BREATH_PERIOD * UNIT_S / 2.0, atol=0.02)


def test_breathing_in_raises_and_straightens_the_body_less_while_walking(pete):
    secondary = secondary_motion(pete, Style(bounce=0.0, breath=1.0), RHYTHM)
    assert_allclose(secondary.pitch_rad, -BREATH_RAD / BREATH_RISE * secondary.rise, atol=1e-12)
    waves = np.sin(2.0 * np.pi * TIME_S / (BREATH_PERIOD * UNIT_S))
    for walking, depth in (((TIME_S > 0.6) & (TIME_S < 1.9), 1.0), ((TIME_S > 3.0) & (TIME_S < 9.0), WALKING_BREATH)):
        assert_allclose(secondary.rise[walking], depth * BREATH_RISE * waves[walking], atol=1e-9)


def test_the_layer_is_laid_over_the_published_words_and_says_nothing_else():
    below = ExpressionTable(
        anchor={"sad": EmotionAnchor(speed=0.5, lift=0.7)},
        parameter=ParameterMappings(tempo=ParameterMapping(), stride=ParameterMapping()),
        main=("speed",),
    )
    layer = AnimatedTable(
        neutral=Neutral(bounce=2.0),
        anchor={"sad": EmotionAnchor(lift=0.4)},
        parameter=ParameterMappings(bounce=ParameterMapping()),
    )
    table = msgspec.structs.replace(below, animated=layer)
    over = table.with_animated()
    assert (over.anchor["sad"].speed, over.anchor["sad"].lift) == (0.5, 0.4)
    assert over.neutral_value("bounce") == 2.0
    assert over.mapping("tempo") == over.mapping("bounce") == ParameterMapping()
    assert over.main == ("speed",)
    assert below.with_animated() is below


def test_mr_pete_is_faster_when_happy_and_his_neutral_is_faster_than_published(pete):
    plain, happy = (style_for(pete, named_emotion(name)) for name in ("neutral", "happy"))
    assert happy.tempo * happy.stride > plain.tempo * plain.stride > 1.5
    assert plain.bounce > 0.0


def test_a_gaze_averted_in_neutral_does_not_wander():
    alice = load_robot("alice").expressing("animated")
    table = msgspec.structs.replace(alice.tables.expression, neutral=Neutral(gaze=0.0))
    shy = replace(alice, tables=replace(alice.tables, expression=table))
    assert shy.expression.glancing_joints
    assert not secondary_motion(shy, Style(gaze=0.0), RHYTHM).glance_rad.any()


def test_an_averted_gaze_alternates_between_both_sides():
    alice = load_robot("alice").expressing("animated")
    glance = secondary_motion(alice, Style(gaze=0.0), RHYTHM).glance_rad
    assert glance[0] == glance[-1] == 0.0
    assert_allclose([glance.min(), glance.max()], [-GLANCE_RAD, GLANCE_RAD], rtol=0.1)
    assert glance[TIME_S > 0.6][0] > 0.9 * GLANCE_RAD  # a fifth of a period after it began: it looks aside at once
    assert_allclose(secondary_motion(alice, Style(gaze=0.25), RHYTHM).glance_rad, glance / 2.0, atol=1e-12)
    assert not secondary_motion(alice, Style(gaze=0.9), RHYTHM).glance_rad.any()
    yaw = alice.joint_names.index("head_yaw")
    moved = secondary_motion(alice, Style(gaze=0.0, bounce=0.0), RHYTHM).joint_offsets(alice)
    assert_allclose(moved[:, yaw], glance)


def test_a_trunk_that_draws_back_takes_the_head_along_and_keeps_its_face_level():
    alice = load_robot("alice").expressing("animated")
    moved = secondary_motion(alice, Style(anticipation=1.0), RHYTHM).joint_offsets(alice)
    trunk, head = (moved[:, alice.joint_names.index(name)] for name in ("trunk_pitch", "head_pitch"))
    assert trunk.min() < -0.1
    assert_allclose(trunk + head, 0.0, atol=1e-12)
