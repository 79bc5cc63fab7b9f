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


def test_the_smallest_margin_is_marked_and_named_beside_the_curve(robot: Robot, calm: Motion) -> None:
    margin_mm = calm.balance_margin_m * 1e3
    worst = int(np.argmin(margin_mm))
    axes = balance_plot(calm, robot).axes[0]
    dot = next(line for line in axes.lines if line.get_marker() == "o")
    np.testing.assert_allclose(dot.get_xydata(), [[calm.time_s[worst], margin_mm[worst]]])
    named = axes.texts[0]
    assert named.get_text() == f"smallest {margin_mm[worst]:.1f} mm"
    np.testing.assert_allclose(named.xy, [calm.time_s[worst], margin_mm[worst]])
    late = worst > len(margin_mm) / 2
    assert (named.get_ha(), np.sign(named.xyann[0])) == (("right", -1) if late else ("left", 1))  # inside the picture
    needed = next(text for text in axes.texts if text.get_text().endswith("needed"))
    limit = next(line for line in axes.lines if line.get_linestyle() == "--")
    assert set(limit.get_ydata()) == {needed.get_position()[1]} == {10.0}
    assert needed.get_position()[0] == calm.time_s[-1]
    assert axes.get_ylim()[0] == pytest.approx(min(0.0, margin_mm.min()))


def test_a_margin_that_is_smallest_early_is_named_to_its_right(robot: Robot, calm: Motion) -> None:
    margin_m = np.full(len(calm.time_s), 0.03)
    margin_m[5] = -0.02
    axes = balance_plot(replace(calm, balance_margin_m=margin_m), robot).axes[0]
    assert (axes.texts[0].get_ha(), axes.texts[0].xyann[0] > 0) == ("left", True)
    assert axes.get_ylim()[0] == pytest.approx(-20.0)


def test_a_long_curve_is_thinned_and_keeps_its_peaks(robot: Robot, calm: Motion) -> None:
    count = 5001
    time_s = np.arange(count) / 100.0
    qpos = np.tile(calm.qpos[0], (count, 1))
    torque_nm = np.zeros((count, len(calm.joint_names)))
    torque_nm[3333, 2] = -0.5 * robot.torque_limit_nm[2]
    still = replace(
        calm, time_s=time_s, qpos=qpos, contact=np.ones((count, 4), dtype=bool), torque_nm=torque_nm,
        ground_force_n=None, cop_in_world=None, balance_margin_m=None,
    )  # fmt: skip
    speed, torque, limit = joint_use_plot(still, robot).axes[0].lines
    assert 350 < len(torque.get_xdata()) <= 700
    assert np.max(torque.get_ydata()) == pytest.approx(50.0)
    at_s = torque.get_xdata()[np.argmax(torque.get_ydata())]
    assert abs(at_s - 33.33) < 0.1
    np.testing.assert_allclose(speed.get_ydata(), 0.0, atol=1e-9)
    assert set(limit.get_ydata()) == {100.0}
    assert "at most 50 %, " in torque.get_label()


def test_every_foot_has_a_row_of_its_own_in_a_picture_that_grows_with_their_number(calm: Motion) -> None:
    figure = contact_plot(calm)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == list(calm.foot_names)
    for row, bars in enumerate(axes.collections):
        heights = np.concatenate([path.vertices[:, 1] for path in bars.get_paths()])
        assert (heights.min() + heights.max()) / 2.0 == pytest.approx(row)
        assert 0.5 < np.ptp(heights) < 1.0  # rows do not touch
    low, high = axes.get_ylim()
    assert low > len(calm.foot_names) - 1 + 0.36
    assert high < -0.36
    assert axes.get_xlim() == (calm.time_s[0], calm.time_s[-1])
    two = replace(calm, contact=calm.contact[:, :2], foot_names=calm.foot_names[:2], ground_force_n=None)
    grown_in = figure.get_size_inches()[1] - contact_plot(two).get_size_inches()[1]
    assert 0.2 < grown_in / 2.0 < 0.4


def test_the_walk_from_above_has_its_path_and_an_arrow_at_each_goal(robot: Robot, calm: Motion) -> None:
    walk = replace(calm, meta={**calm.meta, "options": {"via": [[0.1, 0.2, 0.0]], "goal": [0.3, -0.1, np.pi / 2.0]}})
    axes = footprint_plot(walk, robot).axes[0]
    path = next(line for line in axes.lines if len(line.get_xdata()) > 100)
    np.testing.assert_allclose(path.get_xydata()[0], calm.qpos[0, :2], atol=0.05)
    np.testing.assert_allclose(path.get_xydata()[-1], calm.qpos[-1, :2], atol=0.05)
    arrows = [text for text in axes.texts if text.get_text() == ""]
    np.testing.assert_allclose([arrow.xyann for arrow in arrows], [[0.1, 0.2], [0.3, -0.1]])  # where they begin
    ahead = np.array([np.subtract(arrow.xy, arrow.xyann) for arrow in arrows])
    np.testing.assert_allclose(ahead / np.linalg.norm(ahead, axis=1)[:, None], [[1.0, 0.0], [0.0, 1.0]], atol=1e-9)
    assert axes.get_aspect() == 1.0
