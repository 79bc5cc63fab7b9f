"""Costs of posture, arms, steps and bounce in numbers: what they are at hand-made nodes."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.errors import UnknownNameError
from strut.human.analysis.reference_bands import band_of
from strut.human.anatomy import HEAD, UPPER_TRUNK, body_size, unsided
from strut.human.problem.bounce import LOWEST_COM, bounce_constraints, bounce_parameters, has_bounce, usual_rise_m
from strut.human.problem.posture_costs import (
    arm_cost,
    midway_style,
    posture_cost,
    prescribed_angles,
    step_cost,
    step_time_reduction,
    usual_step_s,
)
from strut.human.table import human_gait
from strut.models.laboratory_names import coordinate_label
from strut.models.subject import subject
from strut.style import STYLE_PARAMETERS, Style


@pytest.fixture(scope="module")
def names(heiman):
    return ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names)


def node_of(q, lean=None):
    """Return a node whose segments lean forwards by angles."""
    lean = lean or {}

    def rotation(segment):
        c = np.cos(lean.get(segment, 0.0))
        s = np.sin(lean.get(segment, 0.0))
        return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])

    return SimpleNamespace(q=q, positions=SimpleNamespace(rotation=rotation))


def test_haste_is_what_a_step_lasts_shorter_and_half_way_halves_durations():
    assert step_time_reduction(Style(tempo=1.25)) == pytest.approx(0.2)
    assert step_time_reduction(Style(tempo=0.8)) == pytest.approx(-0.25)
    style = Style(tempo=1.5, stride=0.6, elbow_rad=0.4)
    neutral = Style(tempo=1.0, elbow_rad=0.1)
    half = midway_style(style, neutral)
    assert 1.0 / half.tempo == pytest.approx((1.0 / 1.5 + 1.0) / 2.0)
    assert (half.stride, half.elbow_rad) == pytest.approx((0.8, 0.25))
    assert all(
        getattr(half, word) == pytest.approx(getattr(neutral, word))
        for word in set(STYLE_PARAMETERS) - {"tempo", "stride", "elbow_rad"}
    )


def test_a_body_in_the_middle_of_everything_pays_nothing_and_misses_are_squares_over_spreads(heiman, names):
    style = Style(trunk_pitch_rad=0.1, head_pitch_rad=-0.3, elbow_rad=0.2)
    cost = posture_cost(heiman, names, style)
    table = human_gait(heiman).posture
    held = heiman.expression.joint_angles(style)
    middle = np.zeros(len(names))
    for index, name in enumerate(names):
        usual = table.middle_rad.get(unsided(name), 0.0)
        sign = heiman.symmetry.sign[name.rsplit("_", 1)[1]] if "Right_" in name else 1.0
        middle[index] = held.get(name, sign * usual)
    upright = {UPPER_TRUNK: 0.1, HEAD: -0.2}
    assert cost.weight == table.weight
    assert cost.value(node_of(middle, upright)) == pytest.approx(0.0, abs=1e-12)
    for index, name in enumerate(names):
        if unsided(name) in table.spread_rad:
            off = middle.copy()
            off[index] += 0.05
            spread = table.spread_rad[unsided(name)]
            assert cost.value(node_of(off, upright)) == pytest.approx((0.05 / spread) ** 2)
    bent = cost.value(node_of(middle, {UPPER_TRUNK: 0.15, HEAD: -0.2}))
    assert bent == pytest.approx((np.sin(0.05) / table.trunk_spread_rad) ** 2)
    nod = cost.value(node_of(middle, {UPPER_TRUNK: 0.1, HEAD: -0.1}))
    assert nod == pytest.approx((np.sin(0.1) / table.head_spread_rad) ** 2)
    one = next(iter(table.spread_rad))
    tight = posture_cost(heiman, names, style, {one: 0.01})
    index = next(k for k, name in enumerate(names) if unsided(name) == one)
    off = middle.copy()
    off[index] += 0.05
    assert tight.value(node_of(off, upright)) == pytest.approx(25.0)


def test_a_style_cannot_hold_what_the_body_does_not_have(heiman):
    with pytest.raises(UnknownNameError, match="coordinate"):
        prescribed_angles(heiman, ("Pelvis_TX",), Style())


def test_arms_follow_the_thighs_in_the_opposite_sense_and_do_not_swing_together(heiman, names):
    cost = arm_cost(heiman, names, Style(arm_swing=0.5))
    table = human_gait(heiman).arms
    q = np.zeros(len(names))
    at = names.index
    q[at("HipRight_RY")] = 0.3
    q[at("HipLeft_RY")] = -0.1
    q[at("ShoulderRight_RY")] = -0.1
    q[at("ShoulderLeft_RY")] = 0.1
    assert cost.value(node_of(q)) == pytest.approx(0.0, abs=1e-12)
    q[at("ShoulderRight_RY")] += 0.06
    expected = (0.06 / table.spread_rad) ** 2 + (0.03 / table.together_rad) ** 2
    assert cost.value(node_of(q)) == pytest.approx(expected)
    assert cost.weight == table.weight


def test_hasty_steps_are_short_and_calm_ones_cost_nothing(heiman):
    table = human_gait(heiman).step
    assert usual_step_s(heiman) == pytest.approx(table.usual_s * np.sqrt(body_size(heiman)))
    assert step_cost(heiman, Style()).weight == 0.0
    for tempo in (1.25, 0.8):
        cost = step_cost(heiman, Style(tempo=tempo))
        assert cost.weight == pytest.approx(table.weight * abs(1.0 - 1.0 / tempo))
        wanted = usual_step_s(heiman) / tempo
        assert cost.value(SimpleNamespace(total_s=wanted + 0.02)) == pytest.approx((0.02 / table.spread_s) ** 2)


def test_only_more_than_usual_bounce_has_a_parameter_and_constraints(heiman):
    hips = heiman.subject.standing_pelvis_height_m
    assert not has_bounce(None)
    assert not has_bounce(Style(bounce=1.0))
    assert has_bounce(Style(bounce=1.01))
    assert bounce_parameters(heiman, Style()) == ()
    (low,) = bounce_parameters(heiman, Style(bounce=1.5))
    assert (low.name, low.lower, low.upper, low.guess) == (
        LOWEST_COM,
        *(pytest.approx(k * hips) for k in (0.7, 1.4, 1.05)),
    )
    assert usual_rise_m(heiman, 1.3) == pytest.approx(0.55 * band_of(heiman, 1.3, "com_rise_m")[0])
    style = Style(bounce=1.5)
    for number in (1, 2):
        assert bounce_constraints(heiman, number, style, 1.2) == ()
    for number in (0, 3):
        assert bounce_constraints(heiman, number, Style(), 1.2) == ()
        assert bounce_constraints(heiman, number, None, 1.2) == ()
    (rise,) = bounce_constraints(heiman, 0, style, 1.2)
    (lowest,) = bounce_constraints(heiman, 3, style, 1.2)
    assert (rise.lower, rise.upper, rise.nodes) == (pytest.approx(1.5 * usual_rise_m(heiman, 1.2)), np.inf, "last")
    assert (lowest.lower, lowest.upper, lowest.nodes) == (0.0, 0.0, "first")
    usual = bounce_constraints(heiman, 0, style, None)[0].lower
    assert usual == pytest.approx(1.5 * usual_rise_m(heiman, human_gait(heiman).speed_m_s.usual))
    mass = SimpleNamespace(centre_of_mass=lambda: np.array([0.1, 0.2, 0.95]))
    node = SimpleNamespace(positions=mass, parameter={LOWEST_COM: 0.9})
    assert rise.rows(node) == pytest.approx(0.05)


def test_coordinates_in_words_have_their_side():
    assert coordinate_label("AnkleRight_RY") == "right ankle flexion"
    assert coordinate_label("AnkleLeft_RY") == "left ankle flexion"
    assert coordinate_label("Tail_RY") == "Tail_RY"


def test_half_way_to_a_neutral_that_is_not_plain_halves_the_durations_of_both():
    half = midway_style(Style(tempo=1.6), Style(tempo=0.8))
    assert 1.0 / half.tempo == pytest.approx((1.0 / 1.6 + 1.0 / 0.8) / 2.0)


def test_steps_on_short_legs_last_as_much_shorter_as_a_pendulums_swing():
    short = subject(1.55, 52.0)
    legs = short.subject.standing_pelvis_height_m / 0.9938
    assert body_size(short) == pytest.approx(legs)
    assert usual_step_s(short) == pytest.approx(0.56 * np.sqrt(legs))


def test_a_bounce_is_measured_in_tenths_of_a_metre(heiman):
    (rise,), (low,) = (bounce_constraints(heiman, number, Style(bounce=1.5), 1.2) for number in (0, 3))
    assert (rise.scale, low.scale) == (0.1, 0.1)
    mass = SimpleNamespace(centre_of_mass=lambda: np.array([0.1, 0.2, 0.95]))
    assert low.rows(SimpleNamespace(positions=mass, parameter={LOWEST_COM: 0.97})) == pytest.approx(-0.02)
