"""Figures that gait laboratories report: per foot, per leg, work and power, over a normalised cycle."""

import csv
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.cli.main import main
from strut.formats.motion_file import save_motion
from strut.human.analysis.gait_analysis import normalised_cycle
from strut.human.analysis.gait_cycle import gait_cycle
from strut.human.analysis.gait_parameters import gait_parameters, joint_work
from strut.human.analysis.walk_figures import joint_power
from strut.models.laboratory_names import coordinate_label
from tests.walker import walked


@pytest.fixture(scope="module")
def walk(heiman):
    return walked(heiman, 4)


def loaded(heiman, walk, side):
    """The walk with an M-shaped load of 1.1, 0.8 and 1.2 body weights over each stance, the other foot's unknown."""
    weight = heiman.mass_kg * 9.81
    heel = walk.foot_names.index(f"Heel{side}")
    own = [index for index, name in enumerate(walk.foot_names) if name.endswith(side)]
    down = walk.contact[:, own].any(axis=1)
    force = np.zeros_like(walk.ground_force_n)
    starts = np.flatnonzero(down & ~np.roll(down, 1))
    for start in starts:
        stop = start + int(np.argmin(down[start:])) if not down[start:].all() else len(down)
        share = np.linspace(0.0, 1.0, stop - start)
        force[start:stop, heel, 2] = weight * np.interp(share, [0.0, 0.2, 0.5, 0.8, 1.0], [0.0, 1.1, 0.8, 1.2, 0.0])
    return replace(walk, ground_force_n=force)


def test_the_force_under_each_foot_has_two_peaks_and_a_dip_between(heiman, walk):
    legs = gait_parameters(heiman, loaded(heiman, walk, "Left")).legs
    assert_allclose(legs["Left"].force_humps_bw, (1.1, 0.8, 1.2), atol=0.03)
    assert legs["Left"].largest_vertical_force_bw == pytest.approx(1.2, abs=0.03)
    assert legs["Right"].largest_vertical_force_bw == 0.0


def test_a_mirrored_walk_is_symmetric_and_one_that_loads_one_foot_is_not(heiman, walk):
    assert gait_parameters(heiman, walk).symmetric
    assert not gait_parameters(heiman, loaded(heiman, walk, "Left")).symmetric


def test_work_of_a_constant_torque_is_torque_times_angle(heiman, walk):
    knee = heiman.joint_names.index("KneeRight_RY")
    angles = np.linspace(0.0, 0.5, 11)
    time_s = np.linspace(0.0, 1.0, 11)
    qpos = np.repeat(walk.qpos[:1], 11, axis=0)
    qpos[:, 7 + knee] = angles
    torque = np.zeros((11, len(heiman.joint_names)))
    torque[:, knee] = -30.0
    parts = {"contact": walk.contact[:11], "ground_force_n": None, "cop_in_world": None}
    bent = replace(walk, time_s=time_s, qpos=qpos, torque_nm=torque, **parts)
    assert_allclose(joint_power(bent)[:, knee], -15.0, atol=1e-12)
    work = joint_work(bent, 75.0)["KneeRight_RY"]
    assert work.generated_j_kg == 0.0
    assert work.absorbed_j_kg == pytest.approx(-30.0 * 0.5 / 75.0)


def test_joints_have_names_in_words():
    assert coordinate_label("AnkleRight_RY") == "right ankle flexion"
    assert coordinate_label("Lumbar_RX") == "trunk leaning"
    assert coordinate_label("tail") == "tail"


def test_a_normalised_cycle_has_both_sides_each_from_its_own_landing(heiman, walk):
    curves = normalised_cycle(heiman, walk)
    assert_allclose(curves["percent"], np.arange(101))
    for word in ("hip_flexion_deg", "hip_abduction_deg", "knee_flexion_nm_kg", "ankle_flexion_w_kg"):
        assert_allclose(curves[f"left_{word}"], curves[f"right_{word}"], atol=1e-9)  # the walk is symmetric
    cycle = gait_cycle(heiman, walk)
    knee = np.degrees(cycle.motion.joint_angles_rad[:, heiman.joint_names.index("KneeRight_RY")])
    assert_allclose(curves["right_knee_flexion_deg"][[0, 50, 100]], knee[[0, 50, 100]], atol=1e-9)
    assert "trunk_bending_deg" in curves
    assert "left_trunk_bending_deg" not in curves


def test_analyze_writes_the_cycle_as_a_table(heiman, walk, tmp_path, capsys):
    save_motion(walk, tmp_path / "walk.npz")
    save_motion(replace(walk, torque_nm=None), tmp_path / "angles.npz")
    files = [str(tmp_path / f"{name}.npz") for name in ("walk", "angles")]
    assert main(["analyze", *files, "--csv", str(tmp_path / "cycle.csv")]) == 0
    rows = list(csv.DictReader((tmp_path / "cycle.csv").read_text("utf-8").splitlines()))
    assert [row["walk"] for row in rows] == ["walk"] * 101 + ["angles"] * 101
    assert rows[101]["right_knee_flexion_nm_kg"] == ""
    assert rows[0]["right_knee_flexion_deg"] == rows[101]["right_knee_flexion_deg"]
    told = capsys.readouterr().out
    assert "largest torque" in told
    assert "_R" not in told  # no names of coordinates


def test_analyze_reports_missing_contacts_and_bodies_without_references(heiman, walk, tmp_path, capsys):
    save_motion(walk, tmp_path / "walk.npz")
    save_motion(replace(walk, contact=np.zeros_like(walk.contact)), tmp_path / "bare.npz")
    files = [str(tmp_path / f"{name}.npz") for name in ("walk", "bare")]
    assert main(["analyze", *files]) == 0
    said = capsys.readouterr().err
    assert "bare has no contacts" in said
    assert "Not compared: bare" in said
    assert main(["analyze", *files, "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["motions"]) == {"walk", "bare"}
    assert main(["analyze", *files, "--csv", str(tmp_path / "no.csv")]) == 2
    assert "bare holds no whole cycle" in capsys.readouterr().err


def test_a_closed_pipe_is_not_an_error(heiman, walk, tmp_path):
    save_motion(walk, tmp_path / "walk.npz")
    command = [sys.executable, "-m", "strut", "analyze", str(tmp_path / "walk.npz")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()  # before anything is written, so that the first line meets a closed pipe
        assert running.wait(timeout=60) == 0
