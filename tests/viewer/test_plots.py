from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_hex

import strut
from strut.engines.rigid_body import foot_contact_points
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.plots import (
    balance_plot,
    contact_plot,
    cop_plot,
    figure_svg,
    footprint_plot,
    joint_use_plot,
)
from strut.viewer.stick_figure import LEFT, RIGHT


def test_the_balance_plot_reaches_the_smallest_margin_and_names_the_needed_one(robot: Robot, calm: Motion) -> None:
    figure = balance_plot(calm, robot)
    assert figure is not None
    assert calm.balance_margin_m is not None
    static, dynamic, *_ = figure.axes[0].lines
    assert np.min(dynamic.get_ydata()) == pytest.approx(calm.balance_margin_m.min() * 1e3)
    apart_mm = np.abs(np.asarray(static.get_ydata()) - np.asarray(dynamic.get_ydata()))
    assert np.median(apart_mm) < 2.0  # so slow a crawl presses where its mass is
    assert "10 mm needed" in [text.get_text() for text in figure.axes[0].texts]


def test_the_plot_of_a_gait_on_two_feet_has_no_required_margin(robot: Robot, calm: Motion) -> None:
    trot = np.tile([[True, False, False, True]], (len(calm.time_s), 1))
    figure = balance_plot(replace(calm, contact=trot, balance_margin_m=np.full(len(trot), -0.0016)), robot)
    assert figure is not None
    assert [text.get_text() for text in figure.axes[0].texts] == ["1.6 mm beside the line"]
    assert len(figure.axes[0].lines) == 3  # mass, pressure and its outermost place, but no limit


def test_the_joint_plot_peaks_where_the_receipt_says(robot: Robot, angry: Motion) -> None:
    speed, torque, _limit = joint_use_plot(angry, robot).axes[0].lines
    assert angry.receipt is not None
    assert np.max(speed.get_ydata()) == pytest.approx(angry.receipt.joint_speed_use * 100.0)
    assert np.max(torque.get_ydata()) == pytest.approx(angry.receipt.torque_use * 100.0)


def test_contact_bars_last_as_long_as_the_feet_are_down(calm: Motion) -> None:
    figure = contact_plot(calm)
    assert figure is not None
    step_s = calm.time_s[1] - calm.time_s[0]
    for bars, down in zip(figure.axes[0].collections, calm.contact.T, strict=True):
        drawn_s = sum(float(np.ptp(path.vertices[:, 0])) for path in bars.get_paths())
        assert drawn_s == pytest.approx(down.sum() * step_s, abs=2 * step_s)


def test_the_pressure_plot_shows_one_cycle_inside_its_polygons(robot: Robot, calm: Motion) -> None:
    figure = cop_plot(calm, robot)
    assert figure is not None
    *polygons, com, path = figure.axes[0].lines
    assert len(polygons) >= 4
    corners = np.concatenate([np.asarray(polygon.get_xydata()) for polygon in polygons])
    points = np.asarray(path.get_xydata())
    assert np.all(points > corners.min(axis=0))
    assert np.all(points < corners.max(axis=0))
    assert np.linalg.norm(np.asarray(com.get_xydata()) - points, axis=1).max() < 0.02
    named = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert named == ["support polygons", "centre of mass", "centre of pressure"]


def test_an_unmeasured_motion_has_only_the_plots_it_has_data_for(stool: Robot, bare: Motion) -> None:
    assert balance_plot(bare, stool) is None
    assert cop_plot(bare, stool) is None
    assert contact_plot(bare) is not None
    speed, _limit = joint_use_plot(bare, stool).axes[0].lines
    assert np.max(speed.get_ydata()) == pytest.approx(np.pi / 2.0 * 100.0, rel=0.01)  # 0.5 rad at 1 Hz over 2 rad/s


def test_a_figure_becomes_the_same_well_formed_svg_every_time(calm: Motion) -> None:
    first, second = (figure_svg(figure) for figure in (contact_plot(calm), contact_plot(calm)) if figure is not None)
    assert first == second
    assert ET.fromstring(first).tag.endswith("svg")


def test_footprints_are_as_many_as_stances_and_the_goal_is_marked(robot: Robot, calm: Motion) -> None:
    figure = footprint_plot(calm, robot)
    assert figure is not None
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    lifts = (calm.contact[:-1] & ~calm.contact[1:]).sum()
    assert len(dots) == 1 + len(robot.feet) + lifts  # the start; each foot stands once more than it lifts
    alice = strut.load_robot("alice")
    walk = strut.walk(alice, goal=(strut.Place(0.05, 0.0), strut.Place(0.08, 0.03, 0.5)))
    figure = footprint_plot(walk, alice)
    assert figure is not None
    crosses = [np.asarray(line.get_xydata())[0] for line in figure.axes[0].lines if line.get_marker() == "x"]
    np.testing.assert_allclose(crosses, [[0.05, 0.0], [0.08, 0.03]])
    assert len(figure.axes[0].patches) >= len(walk.meta["footsteps"])


def test_footprints_have_the_colour_of_their_side(robot: Robot, calm: Motion) -> None:
    """Mr. Pete's feet are balls: each is a point, coloured by whether the foot's name begins with L or R."""
    axes = footprint_plot(calm, robot).axes[0]
    prints = {
        (round(float(x), 6), round(float(y), 6)): line.get_color()
        for line in axes.lines
        if line.get_marker() == "o" and line.get_markersize() == 3
        for x, y in line.get_xydata()
    }
    points = foot_contact_points(robot, calm.qpos)
    for foot, name in enumerate(calm.foot_names):
        begins = np.flatnonzero(calm.contact[:, foot] & ~np.append(False, calm.contact[:-1, foot]))
        for x, y in points[begins, foot, :2]:
            color = LEFT if name.startswith("L") else RIGHT
            assert prints[round(float(x), 6), round(float(y), 6)] == to_hex(color)
