"""Curves of a recorded walk as gait laboratories draw them, beside published curves of healthy people."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from strut.human.analysis.reference_bands import band_curve
from strut.mocap.recording_plots import angle_time_plot, leg_torque_plot
from strut.models.laboratory_names import laboratory_sign
from strut.recording import SIDES

PERCENT = np.arange(0.0, 101.0, 5.0)
OURS = 1  # line of the curve that belongs to the forces; line 0 is the marker fit


def strides_of(walk, side):
    strikes = [event.time_s for event in walk.fit.trial.events if (event.kind, event.side) == ("heel_strike", side)]
    return list(pairwise(strikes))


def curve_of(panel, line, stride):
    time_s, values = panel.lines[line].get_data()
    return np.interp(stride[0] + PERCENT / 100.0 * (stride[1] - stride[0]), time_s, values)


def panel_of(figure, title):
    return next(axes for axes in figure.axes if axes.get_title(loc="left").startswith(title))


@pytest.mark.parametrize("side", SIDES)
def test_flexion_and_dorsiflexion_are_drawn_upwards(captured_sydney, side):
    """Textbooks (Perry; Winter): at heel strike the hip is flexed by 20 to 40 degrees and the ankle is near neutral."""
    figure = angle_time_plot(captured_sydney)
    stride = strides_of(captured_sydney, side)[0]
    hip, knee, ankle = (
        curve_of(panel_of(figure, f"{side.lower()} {joint}"), OURS, stride) for joint in ("hip", "knee", "ankle")
    )
    assert 15.0 < hip[0] < 45.0
    assert -25.0 < hip.min() < 10.0  # extended at 50 % of the cycle
    assert 40.0 < PERCENT[hip.argmin()] < 65.0
    assert 50.0 < knee.max() < 75.0
    assert -12.0 < ankle[0] < 12.0
    assert ankle[PERCENT <= 55.0].max() > 4.0  # the shank leans forwards over the foot
    assert 55.0 <= PERCENT[ankle.argmin()] <= 75.0  # push-off


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("draw", "kind", "line"), [(angle_time_plot, "angle", OURS), (leg_torque_plot, "torque", 0)])
def test_curves_have_the_signs_of_published_ones(captured_sydney, side, draw, kind, line):
    """A curve with the wrong sign would anticorrelate."""
    speed_m_s = captured_sydney.fit.trial.paths.speed_m_s
    figure = draw(captured_sydney)
    for stride in strides_of(captured_sydney, side):
        for joint in ("hip", "knee", "ankle"):
            published = band_curve(captured_sydney.robot, speed_m_s, kind, f"{joint.title()}_RY")[1]
            drawn = curve_of(panel_of(figure, f"{side.lower()} {joint}"), line, stride)
            assert np.corrcoef(drawn, published)[0, 1] > 0.0, (joint, stride)


def test_left_and_right_agree_about_signs():
    """Mirror images: flexion keeps its sign, abduction and rotation change it."""
    assert laboratory_sign("HipLeft_RY") == laboratory_sign("HipRight_RY") == -1.0
    assert laboratory_sign("HipLeft_RX") == -laboratory_sign("HipRight_RX")
    assert laboratory_sign("AnkleLeft_RX") == -laboratory_sign("AnkleRight_RX")
    assert laboratory_sign("Pelvis_RY") == 1.0
