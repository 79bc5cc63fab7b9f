"""The page about walks: every curve has its place, and it refuses what has no cycle."""

from dataclasses import replace

import numpy as np
import pytest

from strut.analysis.gait_cycle import gait_cycle
from strut.analysis.lab_names import PANELS
from strut.cli.main import main
from strut.library.motion_file import save_motion
from strut.show.gait_plots import Walk, angle_plot, force_plot, known_parts, torque_plot
from tests.walker import walked


def walk_of(robot, name, motion):
    return Walk(name, robot, gait_cycle(robot, motion))


def test_a_bent_knee_is_drawn_upwards_in_degrees_and_forces_in_body_weights(heiman):
    walk = walk_of(heiman, "walk", walked(heiman, 1))
    knee = next(axes for axes in angle_plot([walk], "Leg").axes if axes.get_title(loc="left").startswith("knee"))
    column = heiman.joint_names.index("KneeRight_RY")
    np.testing.assert_allclose(knee.lines[0].get_ydata(), np.degrees(walk.cycle.motion.joint_angles_rad[:, column]))
    up = force_plot([walk]).axes[2].lines[0].get_ydata()
    assert up.max() == pytest.approx(3 * 100.0 / (heiman.mass_kg * 9.81))


def test_a_walk_keeps_its_colour_where_another_has_no_torques(heiman):
    motion = walked(heiman, 1)
    walks = [walk_of(heiman, "angles", replace(motion, torque_nm=None)), walk_of(heiman, "torques", motion)]
    colours = [
        angle_plot(walks, "Arm").axes[0].lines[1].get_color(),
        torque_plot(walks, "Arm").axes[0].lines[0].get_color(),
    ]
    assert colours[0] == colours[1]
    assert torque_plot(walks[:1], "Arm") is None
    assert set(PANELS) - set(known_parts(heiman.joint_names)) == {"Pelvis"}  # nobody pushes the pelvis


def test_analyze_writes_a_page_about_two_walks_and_keeps_an_old_one(heiman, tmp_path, capsys):
    for name, steps in (("step", 1), ("walk", 4)):
        save_motion(walked(heiman, steps), tmp_path / f"{name}.npz")
    files, page = [str(tmp_path / "step.npz"), str(tmp_path / "walk.npz")], tmp_path / "report.html"
    assert main(["analyze", *files, "--html", str(page)]) == 0
    text = page.read_text("utf-8")
    for words in ("Cross-evaluation", "How far apart", "Joint torques per body mass", "joins the motion to its mirror"):
        assert words in text
    assert "objective multi" in capsys.readouterr().out
    assert main(["analyze", *files, "--html", str(page)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_body_that_stands_gets_no_page(heiman, tmp_path, capsys):
    motion = walked(heiman, 1)
    still = replace(motion, qpos=np.repeat(motion.qpos[:1], 50, axis=0), contact=np.ones((50, 6), dtype=bool))
    save_motion(still, tmp_path / "still.npz")
    assert main(["analyze", str(tmp_path / "still.npz"), "--html", str(tmp_path / "report.html")]) == 2
    assert "give a whole cycle of walking" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()
