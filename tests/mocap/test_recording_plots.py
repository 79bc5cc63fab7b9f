"""Curves of a recorded walk as gait laboratories draw them, beside published curves of healthy people."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from strut.human.analysis.reference_bands import band_curve
from strut.mocap.recording_plots import (
    angle_time_plot,
    foot_force_plot,
    leg_torque_plot,
    marker_error_plot,
    total_force_plot,
)
from strut.models.laboratory_names import laboratory_sign
from strut.recording import SIDES

PERCENT = np.arange(0.0, 101.0, 5.0)
OURS = 1  # line of the curve that belongs to the forces; line 0 is the marker fit


def strides_of(walk, side):
    strikes = [event.time_s for event in walk.fit.trial.events if (event.kind, event.side) == ("heel_strike", side)]
    return list(pairwise(strikes))


def curve_of(panel, line, stride):
    time_s, values = (np.asarray(data) for data in panel.lines[line].get_data())
    is_drawn = np.isfinite(values)
    time_s = time_s[is_drawn]
    values = values[is_drawn]
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


def test_errors_of_markers_are_bars_from_the_largest_to_the_smallest(captured_sydney):
    error_m = captured_sydney.fit.error_m
    bars, curve = marker_error_plot(captured_sydney.fit).axes
    assert bars.get_title(loc="left").startswith("error of each marker")
    assert curve.get_title(loc="left").startswith("mean of all markers")
    heights = [bar.get_height() for bar in bars.patches]
    names = [label.get_text() for label in bars.get_xticklabels()]
    columns = [captured_sydney.fit.marker_names.index(name) for name in names]
    assert sorted(names) == sorted(captured_sydney.fit.marker_names)
    assert heights == sorted(heights, reverse=True)
    np.testing.assert_allclose(heights, 1e3 * np.nanmean(error_m[:, columns], axis=0))
    np.testing.assert_allclose(curve.lines[0].get_ydata(), 1e3 * np.nanmean(error_m, axis=1))
    assert curve.get_ylim()[0] == 0.0


def values_of(panel):
    return [line.get_ydata() for line in panel.lines if len(line.get_ydata()) > 2]


def test_forces_are_drawn_in_body_weights_beside_those_of_plates(captured_sydney):
    """The whole force is upwards one body weight in the mean; that of both feet adds up to it."""
    forces = captured_sydney.forces
    weight_n = captured_sydney.robot.mass_kg * 9.81
    total = total_force_plot(captured_sydney)
    feet = foot_force_plot(captured_sydney)
    for axis, way in enumerate(("forwards", "to the left", "upwards")):
        ours, estimate, plates = values_of(panel_of(total, way))
        right, left = (values_of(panel_of(feet, f"{side.lower()} foot, {way}")) for side in SIDES)
        reported = np.where(forces.reported, forces.wrench[:, axis], np.nan)
        np.testing.assert_allclose(ours, reported / weight_n)
        np.testing.assert_allclose(estimate, forces.baseline_n[:, axis] / weight_n)
        np.testing.assert_allclose(plates, forces.plates.total[:, axis] / weight_n)
        np.testing.assert_allclose(right[0] + left[0], ours, atol=1e-6)
        np.testing.assert_allclose(left[1], forces.plates.wrench[:, 1, axis] / weight_n)
    assert np.nanmean(values_of(panel_of(total, "upwards"))[0]) == pytest.approx(1.0, abs=0.1)


def test_left_and_right_agree_about_signs():
    """Mirror images: flexion keeps its sign, abduction and rotation change it."""
    assert laboratory_sign("HipLeft_RY") == laboratory_sign("HipRight_RY") == -1.0
    assert laboratory_sign("HipLeft_RX") == -laboratory_sign("HipRight_RX")
    assert laboratory_sign("AnkleLeft_RX") == -laboratory_sign("AnkleRight_RX")
    assert laboratory_sign("Pelvis_RY") == 1.0
