"""The page about walks: every curve has its place, and it refuses what has no cycle."""

import json
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields, replace
from io import StringIO

import numpy as np
import pytest

from strut.cli.main import main
from strut.formats.motion_file import load_motion, save_motion
from strut.human.analysis.gait_analysis import analyze
from strut.human.analysis.gait_cycle import gait_cycle
from strut.human.analysis.gait_parameters import gait_parameters
from strut.human.report.gait_plots import Walk, angle_plot, force_plot, known_parts, torque_plot
from strut.human.report.gait_text import gait_tables, leg_columns
from strut.models.laboratory_names import PANELS
from strut.receipt import Reason, ReasonKind, Receipt
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


@pytest.fixture(scope="module")
def analyzed(heiman, tmp_path_factory):
    """A page about a step and a refused walk: its files, itself, what was printed and what was said beside it."""
    folder = tmp_path_factory.mktemp("analyzed")
    walk = walked(heiman, 4)
    told = {
        "robot": "heiman",
        "verdict": "refused",
        "reasons": (Reason(ReasonKind.LIMIT, None, "the ground pulls on a foot"),),
        "duration_s": 2.0,
    }
    receipt = Receipt(**dict.fromkeys(field.name for field in fields(Receipt)) | {"not_expressed": ()} | told)
    save_motion(walked(heiman, 1), folder / "step.npz")
    save_motion(replace(walk, receipt=receipt), folder / "bad.npz")
    files = [str(folder / "step.npz"), str(folder / "bad.npz")]
    page = folder / "report.html"
    with redirect_stdout(StringIO()) as printed, redirect_stderr(StringIO()) as said:
        assert main(["analyze", *files, "--html", str(page)]) == 0
    return files, page, printed.getvalue(), said.getvalue()


def test_analyze_writes_a_page_about_two_walks_and_keeps_an_old_one(analyzed, capsys):
    files, page, printed, _ = analyzed
    text = page.read_text("utf-8")
    for words in (
        "objective multi",
        "Cross-evaluation",
        "Dissimilarity",
        "Joint torques per body mass",
        "joins the motion to its mirror",
    ):
        assert words in text
    assert len(printed.splitlines()) <= 20
    assert "cadence [steps/min]" in printed
    assert main(["analyze", *files, "--html", str(page)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_refused_walk_is_called_so_beside_the_table_and_on_the_page(analyzed):
    _, page, _, said = analyzed
    words = "bad is refused by its receipt: the ground pulls on a foot."
    assert words in said
    assert said.count("is refused by its receipt") == 1
    assert words in page.read_text("utf-8")


@pytest.mark.filterwarnings("error")
def test_criteria_of_a_body_that_stays_where_it_is_are_dashes_and_null(heiman, tmp_path, capsys):
    walk = walked(heiman, 4)
    file = tmp_path / "still.npz"
    save_motion(replace(walk, qpos=np.repeat(walk.qpos[:1], len(walk.qpos), axis=0)), file)
    rows = [row for table in gait_tables(analyze(load_motion(file))) for row in table.rows if row[0] == "effort"]
    assert rows == [["effort", "–"]]
    assert main(["analyze", str(file), "--json"]) == 0
    judged = json.loads(capsys.readouterr().out)["criteria"]["still"]
    assert judged["effort"] is None
    assert judged["time"] == pytest.approx(0.5, abs=0.02)


def test_humps_of_the_force_have_a_row_each(heiman):
    found = gait_parameters(heiman, walked(heiman, 4))
    rows = dict(leg_columns({"walk": found})[1])
    humps = [float(rows[f"vertical force, {part}"]) for part in ("first peak", "valley", "second peak")]
    assert humps == pytest.approx(found.legs["Right"].force_humps_bw, abs=0.005)


def test_a_body_that_stands_gets_no_page(heiman, tmp_path, capsys):
    motion = walked(heiman, 1)
    still = replace(motion, qpos=np.repeat(motion.qpos[:1], 50, axis=0), contact=np.ones((50, 6), dtype=bool))
    save_motion(still, tmp_path / "still.npz")
    assert main(["analyze", str(tmp_path / "still.npz"), "--html", str(tmp_path / "report.html")]) == 2
    assert "give a whole cycle of walking" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()


def test_legs_that_differ_have_a_left_and_a_right_column(heiman):
    found = gait_parameters(heiman, walked(heiman, 4))
    limping = replace(found, legs=found.legs | {"Left": replace(found.legs["Left"], stance_share=0.7)})
    header, rows = leg_columns({"even": found, "limping": limping})
    assert header == ["", "even, left", "even, right", "limping, left", "limping, right"]
    stance = {row[0]: row[1:] for row in rows}["stance [% of the cycle]"]
    assert stance[2] == "70"
    assert stance[0] == stance[1] == stance[3] != "70"


def test_the_report_is_also_sheets_of_paper(heiman, tmp_path, capsys):
    save_motion(walked(heiman, 10), tmp_path / "walk.npz")
    sheets = tmp_path / "report.pdf"
    assert main(["analyze", str(tmp_path / "walk.npz"), "--pdf", str(sheets), "--html", str(tmp_path / "a.html")]) == 0
    assert f"wrote {sheets}" in capsys.readouterr().err
    content = sheets.read_bytes()
    page = (tmp_path / "a.html").read_text("utf-8")
    assert content.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", content)) > page.count("<svg")  # a sheet for each figure, and the tables
    for size in re.findall(rb"/MediaBox \[ ?([\d. ]+)\]", content):
        *_, width, height = map(float, size.split())
        assert width / height == pytest.approx(297.0 / 210.0, rel=1e-3)  # A4 on its side
    assert "Strides of walk" in page
    assert "Mean and standard deviation over strides" in page
