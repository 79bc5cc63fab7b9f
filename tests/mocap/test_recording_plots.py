"""Curves of a recorded walk as gait laboratories draw them, beside published curves of healthy people."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from strut.human.analysis.reference_bands import band_curve
from strut.mocap.recording_plots import (
    angle_time_plot,
    foot_force_plot,
    footprint_cop_plot,
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


def half_widths(panel, values):
    """Return half the width of the band of a panel at its samples, NaN where there is none."""
    (band,) = [patch for patch in panel.collections if patch.get_paths()]
    heights = np.full(len(values), np.nan)
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    time_s = values_time(panel)
    for index, at_s in enumerate(time_s):
        column = corners[np.abs(corners[:, 0] - at_s) < 1e-6, 1]
        if len(column) > 1 and np.isfinite(values[index]):
            heights[index] = np.ptp(column) / 2.0
    return heights


def values_time(panel):
    return next(line.get_xdata() for line in panel.lines if len(line.get_xdata()) > 2)


def test_bands_are_as_wide_as_the_forces_are_uncertain(captured_sydney):
    """In body weights, and in N m per kilogram."""
    forces = captured_sydney.forces
    mass_kg = captured_sydney.robot.mass_kg
    bands = {
        "upwards": (total_force_plot(captured_sydney), forces.bands.total_n[:, 2] / (9.81 * mass_kg)),
        "left foot, forwards": (foot_force_plot(captured_sydney), forces.bands.foot_n[:, 1, 0] / (9.81 * mass_kg)),
        "right ankle": (
            leg_torque_plot(captured_sydney),
            forces.bands.torque_nm[:, captured_sydney.robot.joint_names.index("AnkleRight_RY")] / mass_kg,
        ),
    }
    for title, (figure, expected) in bands.items():
        panel = panel_of(figure, title)
        found = half_widths(panel, values_of(panel)[0])
        known = np.isfinite(found)
        assert known.sum() > 50
        np.testing.assert_allclose(found[known], expected[known], rtol=1e-3)


def test_stances_of_a_foot_are_shaded_within_the_recording(captured_sydney):
    panel = panel_of(foot_force_plot(captured_sydney), "left foot, upwards")
    end_s = captured_sydney.forces.time_s[-1]
    spans = sorted((patch.get_x(), patch.get_x() + patch.get_width()) for patch in panel.patches)
    own = [
        (max(print_.start_s, 0.0), min(print_.stop_s, end_s))
        for print_ in captured_sydney.forces.footprints
        if print_.side == "Left"
    ]
    np.testing.assert_allclose(spans, sorted(own))
    assert panel.get_xlim() == (0.0, end_s)
    total = panel_of(total_force_plot(captured_sydney), "upwards")
    marks = [
        line.get_xdata()[0]
        for line in total.lines
        if len(line.get_xdata()) == 2 and line.get_xdata()[0] == line.get_xdata()[1]
    ]
    whole = [p for p in captured_sydney.forces.footprints if p.is_complete]
    np.testing.assert_allclose(sorted(marks), sorted([p.start_s for p in whole] + [p.stop_s for p in whole]))


def test_footprints_are_as_long_as_feet_with_the_pressure_on_them(captured_sydney):
    (axes,) = footprint_cop_plot(captured_sydney).axes
    prints = [line for line in axes.lines if line.get_linewidth() == 9.0]
    assert len(prints) == len(captured_sydney.forces.footprints)
    for line, footprint in zip(prints, captured_sydney.forces.footprints, strict=True):
        heel, toe = line.get_xydata()
        np.testing.assert_allclose(heel, footprint.heel_m)
        assert np.linalg.norm(toe - heel) == pytest.approx(footprint.length_m)
        assert (toe - heel) @ footprint.forward > 0.0
    assert axes.get_aspect() == 1.0
    curves = [line for line in axes.lines if line.get_linewidth() == 1.3]
    assert len(curves) == 4  # ours and that of plates, of both feet
    for foot in range(2):
        ours, plates = (line.get_xydata() for line in curves[2 * foot : 2 * foot + 2])
        both = np.isfinite(ours).all(axis=1) & np.isfinite(plates).all(axis=1)
        assert both.sum() > 20
        assert np.median(np.linalg.norm(ours - plates, axis=1)[both]) < 0.05


def test_left_and_right_agree_about_signs():
    """Mirror images: flexion keeps its sign, abduction and rotation change it."""
    assert laboratory_sign("HipLeft_RY") == laboratory_sign("HipRight_RY") == -1.0
    assert laboratory_sign("HipLeft_RX") == -laboratory_sign("HipRight_RX")
    assert laboratory_sign("AnkleLeft_RX") == -laboratory_sign("AnkleRight_RX")
    assert laboratory_sign("Pelvis_RY") == 1.0
