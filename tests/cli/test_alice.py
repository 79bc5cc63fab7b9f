"""strut walk alice: what people type, and the one sentence they read when it cannot be."""

import json
from dataclasses import replace

import numpy as np
import pytest

from strut.cli.main import main
from strut.formats.motion_file import load_motion, save_motion

GOAL = ("--goal", "0.08", "0.02", "20")
NOT_EXPRESSED = (
    "trunk pitch 16 degrees forwards and head pitch 16 degrees forwards, "
    "alice has no part for it as published (--expression animated moves it)"
)


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_walk_check_simulate_and_export(capsys, tmp_path):
    file = tmp_path / "sad.npz"
    code, out, _ = run(capsys, "walk", "alice", *GOAL, "--emotion", "sad", "--margin", "20mm", "--out", file, "--json")
    assert code == 0
    receipt = json.loads(out)
    assert (receipt["robot"], receipt["emotion"], receipt["verdict"]) == ("alice", "sad", "weakened")
    assert receipt["balance_margin_mm"] >= 20.0
    assert receipt["task_error_mm"] < 1e-6
    assert run(capsys, "check", file)[0] == 0
    code, out, _ = run(capsys, "simulate", file, "--json")
    assert (code, json.loads(out)["fell"]) == (0, False)
    assert receipt["intensity_kept"] == 1.0
    assert receipt["reasons"] == [
        {"kind": "not_expressed", "limit": None, "text": "trunk pitch and head pitch are missing or weak"}
    ]
    assert receipt["not_expressed"] == [NOT_EXPRESSED]
    code, out, _ = run(capsys, "simulate", file, "--closed-loop", "--json", "--out", tmp_path / "happened.npz")
    arrival = json.loads(out)
    assert (code, arrival["fell"]) == (0, False)
    assert arrival["goal_error_m"] < 0.02
    assert run(capsys, "check", tmp_path / "happened.npz")[0] in (0, 3)
    assert run(capsys, "export", file)[0] == 0
    assert (tmp_path / "sad.csv").read_text("utf-8").startswith("time_s,base_x_m")


def test_way_points_speed_and_own_steps(capsys, tmp_path):
    code, _, error = run(
        capsys, "walk", "alice", *GOAL, "--via", "0.04,0,0", "--speed", "4cm/s", "--out", tmp_path / "via.npz"
    )
    assert code == 0, error
    steps = tmp_path / "steps.csv"
    steps.write_text("foot,x_m,y_m,heading_deg\nleft,0.02,0.045,0\nright,0.02,-0.045,0\n", encoding="utf-8")
    code, _, error = run(capsys, "walk", "alice", "--steps", steps, "--out", tmp_path / "own.npz")
    assert code == 0, error
    assert "Covers 0.02 m" in error


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--goal", "nan", "0", "0"), 2, "the goal's X is nan; it must be a finite number"),
        (("--goal", "1", "0"), 2, "strut walk --help"),
        (("--goal", "900", "0", "0"), 2, "A goal 900 m away would take 2.25e+04 steps"),
        (("--goal", "1e300", "0", "0"), 2, "The goal is 1e+300 m away; choose one within 1000 m"),
        (("--goal", "0", "0", "36000"), 2, "The goal's heading is 36000 degrees; write it from -360 to 360"),
        (("--goal", "0.2", "0", "0", "--via", "0,-1e9,0"), 2, "The goal is 1e+09 m away; choose one within 1000 m"),
        (("--goal", "0.2", "0", "0", "--step-length", "90mm"), 2, "A step length of 90 mm is not feasible"),
        (("--goal", "0.2", "0", "0", "--via", "1,2"), 2, "'1,2' is not a way-point"),
        (("--via", "0.1,0,0"), 2, "--via needs --goal; add it, or leave the option out."),
        (
            ("--cycles", "3"),
            2,
            "--cycles does not apply: alice walks in steps to a goal and takes --goal",
        ),
        (("--steps", "nowhere.csv"), 2, "nowhere.csv: there is no such file"),
        (
            ("--goal", "1", "0", "0", "--steps", "x.csv"),
            2,
            "--goal does not apply with --steps; leave one of them out.",
        ),
        (("--speed", "quick"), 2, "'quick' is not a speed"),
        (("--goal", "0.1", "0", "0", "--speed", "3"), 2, "A speed of 3 m/s is not feasible"),
    ],
)
def test_mistakes_are_one_sentence(capsys, tmp_path, arguments, code, words):
    got, out, error = run(capsys, "walk", "alice", *arguments, "--out", tmp_path / "x.npz")
    assert got == code
    assert words in error
    assert error.count("\n") == 1
    assert out == ""
    assert not (tmp_path / "x.npz").exists()


def test_what_cannot_be_done_is_left_out_and_no_reason(capsys, tmp_path):
    code, _, error = run(capsys, "walk", "alice", *GOAL, "--emotion", "sad", "--out", tmp_path / "sad.npz")
    assert code == 0
    assert f"Not expressed: {NOT_EXPRESSED}." in error
    assert "The plan ends 0.00 mm from its goal." in error


def test_a_fall_has_its_own_exit_code(capsys, tmp_path):
    file = tmp_path / "walk.npz"
    assert run(capsys, "walk", "alice", *GOAL, "--out", file)[0] == 0
    motion = load_motion(file)
    leaning = motion.qpos.copy()
    ankle = leaning.shape[1] - len(motion.joint_names) + motion.joint_names.index("R_ankle_roll")
    leaning[:, ankle] += np.linspace(0.0, 0.6, len(leaning))
    save_motion(replace(motion, qpos=leaning), file, force=True)
    code, out, _ = run(capsys, "simulate", file, "--json")
    assert (code, json.loads(out)["fell"]) == (4, True)


@pytest.mark.parametrize(("option", "name", "ending"), [("--out", "walk.txt", ".npz"), ("--png", "a.jpg", ".png")])
def test_a_file_is_called_what_it_is(capsys, tmp_path, option, name, ending):
    file = tmp_path / "walk.npz"
    assert run(capsys, "walk", "alice", *GOAL, "--out", file)[0] == 0
    verb = ("show", file) if option == "--png" else ("walk", "alice", *GOAL)
    code, _, error = run(capsys, *verb, option, tmp_path / name)
    assert code == 2
    assert f"{name}: should end in {ending}" in error
    assert not (tmp_path / name).exists()


def test_options_are_checked_before_the_file_that_is_there(capsys, tmp_path):
    (tmp_path / "walk.npz").write_bytes(b"mine")
    code, _, error = run(capsys, "walk", "alice", *GOAL, "--margin", "-3mm", "--out", tmp_path / "walk.npz")
    assert (code, "balance margin" in error) == (2, True)
    code, _, error = run(capsys, "walk", "alice", *GOAL, "--out", tmp_path / "walk.npz")
    assert (code, "is there already" in error) == (2, True)
    assert (tmp_path / "walk.npz").read_bytes() == b"mine"


def test_crawlers_have_no_goals(capsys, tmp_path):
    code, _, error = run(capsys, "walk", "mrpete", "--goal", "1", "0", "0", "--out", tmp_path / "x.npz")
    assert code == 2
    assert "--goal does not apply: mrpete crawls straight ahead and takes --cycles, --step-length" in error
