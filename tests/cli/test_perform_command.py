"""`strut perform`, `strut stimuli` and the rate of `strut export`, as a user meets them."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from scipy.interpolate import CubicSpline

from strut.cli.main import main
from strut.formats.motion_file import load_motion
from strut.models.catalogue import load_robot
from strut.study.stimuli.session_stimuli import session_stimuli


@pytest.fixture(scope="module")
def jerky(tmp_path_factory):
    path = tmp_path_factory.mktemp("perform") / "jerky.npz"
    assert main(["perform", "pepper", "wave", "--pad", "-0.75", "0.75", "0.75", "--out", str(path)]) == 0
    return path


def test_perform_prints_its_receipt_as_json(tmp_path, capsys):
    path = tmp_path / "wave.npz"
    arguments = ["perform", "pepper", "wave", "--emotion", "calm", "--duration", "2", "--rate", "50", "--json"]
    assert main([*arguments, "--out", str(path)]) == 0
    printed = capsys.readouterr()
    receipt = json.loads(printed.out)
    assert receipt["emotion"] == "calm"
    assert receipt["task_error_mm"] < 0.05
    assert receipt["redundancy"] == 6
    assert list(receipt)[-2:] == ["gaze_error_rad", "redundancy"]
    assert "next: strut show" in printed.err
    for verb in ("check", "simulate"):
        assert main([verb, str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)
    assert main(["show", str(path), "--png", str(tmp_path / "wave.png")]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["dance"], "There is no task 'dance' (nearest: wave); `strut robots pepper` lists them all."),
        (["wave", "--user", "0", "0", "0.9"], "is inside pepper or touches it; place the user farther away."),
        (["wave", "--rate", "0"], "The rate is 0 samples per second; choose 20 to 1000."),
        (["wave", "--rate", "-5"], "The rate is -5 samples per second; choose 20 to 1000."),
        (["wave", "--duration", "0"], "The duration is 0 s; choose more than 0 and at most 3600."),
        (["wave", "--duration", "-1"], "The duration is -1 s; choose more than 0 and at most 3600."),
        (["wave", "--law", "other"], "--law is 'other'; choose corrected or paper."),
        (["wave", "--emotion", "calm", "--task-only"], "give one of --emotion, --pad and --task-only."),
        (["path.csv", "--hand", "third"], "There is no hand 'third'"),
        (["path.csv"], "path.csv: there is no such file."),
        (["bad.csv"], "bad.csv: row 2 has 'nan' in y_m, which is not a finite number."),
        (["far.csv"], "The hand cannot follow far.csv: at frame 0 (0.00 s) it is"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_2(tmp_path, monkeypatch, capsys, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("time_s,x_m,y_m,z_m\n0,0.2,0,1\n1,0.2,nan,1\n2,0.2,0,1\n3,0.2,0,1\n")
    (tmp_path / "far.csv").write_text("time_s,x_m,y_m,z_m\n" + "".join(f"{t},2.0,0,1\n" for t in range(5)))
    assert main(["perform", "pepper", *arguments]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert said.count("\n") == 0
    assert not (tmp_path / "perform.npz").exists()


def test_a_robot_without_tasks_says_so(capsys):
    assert main(["perform", "mrpete", "wave"]) == 2
    assert "stands on its feet" in capsys.readouterr().err


def test_export_to_a_slow_robot_warns_of_the_frequency_it_would_show(jerky, tmp_path, capsys):
    out = tmp_path / "slow.csv"
    assert main(["export", str(jerky), "--rate", "4.45", "--out", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    shown = {round(a["frequency_hz"], 3): a["alias_hz"] for a in json.loads(printed.out)["aliases"]}
    assert shown[2.445] == pytest.approx(2.0054, abs=1e-3)
    assert "jerkiness at 2.445 Hz; the robot would show 2.005 Hz instead" in printed.err
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 45
    motion = load_motion(jerky)
    shoulder = motion.qpos[:, 3 + motion.joint_names.index("LShoulderRoll")]
    expected = CubicSpline(motion.time_s, shoulder)(10 / 4.45)
    assert float(rows[10]["LShoulderRoll_rad"]) == pytest.approx(expected, abs=1e-12)
    assert {"base_x_m", "base_y_m", "base_yaw_rad"} <= set(rows[0])


def test_export_at_a_fast_rate_warns_of_nothing(jerky, tmp_path, capsys):
    assert main(["export", str(jerky), "--rate", "50", "--out", str(tmp_path / "fast.csv")]) == 0
    assert "warning" not in capsys.readouterr().err
    for rate in ("0", "1e9", "nan"):
        assert main(["export", str(jerky), "--rate", rate, "--out", str(tmp_path / "none.csv")]) == 2


def test_the_study_has_thirteen_motions_in_an_order_that_the_seed_decides():
    pepper = load_robot("pepper")
    session = session_stimuli(pepper, 1)
    assert [s.role for s in session] == ["neutral"] + ["practice"] * 2 + ["corner"] * 8 + ["emotion"] * 2
    assert {s.name for s in session if s.role == "corner"} == {a + b + c for a in "LH" for b in "LH" for c in "LH"}
    assert session == session_stimuli(pepper, 1)
    assert {tuple(s.name for s in session_stimuli(pepper, seed)) for seed in range(5)} != {
        tuple(s.name for s in session)
    }


def test_stimuli_writes_them_all(tmp_path, capsys, monkeypatch):
    pepper = load_robot("pepper")
    short = msgspec.structs.replace(pepper.study, duration_s=0.5)
    quick = replace(pepper, tables=replace(pepper.tables, study=short))
    monkeypatch.setattr("strut.study.stimuli.session_stimuli.as_robot", lambda _name: quick)
    assert main(["stimuli", "pepper", "--out", str(tmp_path / "all"), "--rate", "20", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert len(written) == 13
    motion = load_motion(written[3]["file"])
    assert motion.meta["stimulus"]["role"] == "corner"
    assert motion.meta["seed"] == 1
    session = (tmp_path / "all" / "session.csv").read_text("utf-8").splitlines()
    assert session[0].startswith("number,file,role,name,pleasure")
    assert [line.split(",")[1] for line in session[1:]] == [Path(one["file"]).name for one in written]
    assert main(["stimuli", "pepper", "--out", str(tmp_path / "all")]) == 2  # nothing is overwritten unasked


def test_a_hand_is_only_for_paths(tmp_path, capsys):
    assert main(["perform", "pepper", "wave", "--hand", "left", "--out", str(tmp_path / "a.npz")]) == 2
    assert "--hand is for a path from a file" in capsys.readouterr().err


def test_robots_says_what_pepper_does(capsys):
    assert main(["robots", "pepper"]) == 0
    screen = capsys.readouterr()
    assert "tasks wave, still, carry, point" in screen.out
    assert "strut perform pepper wave" in screen.err
