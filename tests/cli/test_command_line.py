"""The command line as a user meets it: exit codes, one sentence per mistake, JSON for programs."""

import json
import os
import re
import subprocess
import sys
from dataclasses import MISSING, fields, replace
from pathlib import Path

import numpy as np
import pytest
import typer

from strut.cli.main import main
from strut.cli.options import length_m, speed_m_s
from strut.errors import RefusedError
from strut.formats.motion_file import load_motion, save_motion
from strut.receipt import Reason, ReasonKind, Receipt
from strut.registry import VERBS, find

PROVED = ("controller", "robustness")  # of walks whose controller stays upright in other conditions, too
SIMULATION_KEYS = [
    "fell",
    "upright_s",
    "distance_m",
    "commanded_distance_m",
    "heading_drift_rad",
    "foot_slip_mm",
    "tracking_error_rad",
    "torque_use",
    "cost_of_transport",
    "controller",
    "stumbles",
]


@pytest.fixture(scope="module")
def happy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / "happy.npz"
    assert (
        main(["walk", "mrpete", "--emotion", "happy", "--intensity", "0.5", "--cycles", "2", "--out", str(path)]) == 0
    )
    return path


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.strip()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["walk", "mrpete", "--emotion", "hapy"],
            "There is no emotion 'hapy' (nearest: happy, angry); `strut emotions` lists them all.",
        ),
        (
            ["walk", "mrpete", "--intensity", "nan"],
            "Intensity is nan; choose 0 (neutral) to 1.5 (1 is as published).",
        ),
        (
            ["walk", "mrpete", "--intensity", "1.6"],
            "Intensity is 1.6; choose 0 (neutral) to 1.5 (1 is as published).",
        ),
        (["walk", "mrpete", "--pad", "2", "0", "0"], "pleasure is 2; rescale it to [-1, 1]."),
        (["walk", "mrpete", "--pad", "0", "nan", "0"], "arousal is nan; rescale it to [-1, 1]."),
        (["walk", "mrpete", "--cycles", "0"], "cycles is 0; choose 2 to 1000."),
        (
            ["walk", "mrpete", "--step-length", "-5mm"],
            "The step length is -0.005 m; it must be a number of at least 0.",
        ),
        (
            ["walk", "mrpete", "--step-length", "far"],
            "'far' is not a length; write for instance 80mm or 0.08m. See `strut walk --help`.",
        ),
        (
            ["walk", "mrpete", "--balance", "z"],
            "There is no balance 'z' (there are y, xy); `strut walk --help` lists them all.",
        ),
        (
            ["walk", "mrpete", "--emotion", "sad", "--pad", "0", "0", "0"],
            "give --emotion or --pad, not both. See `strut walk --help`.",
        ),
        (
            ["dance"],
            "There is no verb 'dance' (nearest: animate, analyze, demo); `strut --help` lists them all.",
        ),
        (["walk", "mrpete", "--pad", "0.1", "0.2"], "Option '--pad' requires 3 arguments. See `strut walk --help`."),
        (
            ["walk", "mrpete", "--pad", "0.1", "0.2", "--out", "a.npz"],
            "--pad needs 3 values, but --out comes before they are complete. See `strut walk --help`.",
        ),
        (["walk", "mrpete", "--pad", "a", "0", "0"], "--pad is 'a'; it must be a number. See `strut walk --help`."),
        (
            ["walk", "mrpete", "--cycles", "2.5"],
            "--cycles is '2.5'; it must be a whole number. See `strut walk --help`.",
        ),
        (["stimuli", "--seed", "-1"], "--seed is '-1'; it must be at least 0. See `strut stimuli --help`."),
        (
            ["study", "serve", "here", "--port", "99999"],
            "--port is '99999'; it must be at most 65535. See `strut study serve --help`.",
        ),
        (["study", "stat"], "No such command 'stat'. Did you mean 'stats'? See `strut study --help`."),
        (
            ["walk", "mrpete", "--step-length", "80"],
            "'80' without a unit is 80 metres; write 80mm or 80cm. See `strut walk --help`.",
        ),
        (
            ["simulate", "nowhere.npz", "--noise", "5"],
            "--noise is '5'; it must be at most 1.0. See `strut simulate --help`.",
        ),
        (
            ["simulate", "nowhere.npz", "--delay", "-1"],
            "--delay is '-1'; it must be at least 0.0. See `strut simulate --help`.",
        ),
        (
            ["simulate", "nowhere.npz", "--closed-loop", "--delay", "0.01"],
            "--noise and --delay do not apply with --closed-loop, which plans from the state as it is; leave them out. "
            "See `strut simulate --help`.",
        ),
        (
            ["walk", "cassie", "--speed", "fastest"],
            "'fastest' is only for robots with planned steps; leave it out, or write for instance 30cm/s. "
            "See `strut walk --help`.",
        ),
        (["check", "nowhere.npz"], "nowhere.npz: there is no such file."),
        (
            ["reproduce", "mrpetra"],
            "There is no system 'mrpetra' (nearest: mrpete, pepper); `strut reproduce --help` lists them all.",
        ),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(
    arguments: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert said(capsys) == f"strut: {sentence}"
    assert list(tmp_path.iterdir()) == []


def test_an_impossible_step_is_refused_with_what_would_work(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Other options take the same way: tests/pipeline/test_walk.py asks each of them too much."""
    walk = ["walk", "mrpete", "--cycles", "2", "--rate", "20", "--out", str(tmp_path / "a.npz"), "--step-length"]
    assert main([*walk, "600mm"]) == 2
    told = r"strut: A step length of 600 mm is not feasible \(.*\); the largest feasible one is (\d+) mm\."
    found = re.fullmatch(told, said(capsys))
    assert found
    assert main([*walk, f"{found[1]}mm"]) == 0


def test_strict_refuses_with_exit_code_3_and_writes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["walk", "mrpete", "--emotion", "happy", "--intensity", "1.5", "--cycles", "2", "--rate", "20"]
    assert main([*arguments, "--strict", "--json", "--out", str(tmp_path / "a.npz")]) == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out)["verdict"] == "refused"
    assert captured.err.startswith("strut: Refused: ")
    assert list(tmp_path.iterdir()) == []


def test_a_verb_without_a_receipt_prints_every_reason_of_a_refusal_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    reasons = [Reason(ReasonKind.LIMIT, None, f"start {number} is unsound") for number in range(5)]

    def refuse(*_given: object, **_options: object) -> None:
        raise RefusedError(reasons, "Use another speed.")

    monkeypatch.setattr("strut.human.verbs.synthesize.find_gait", refuse)
    assert main(["synthesize", "--json", "--out", str(tmp_path / "a.npz")]) == 3
    captured = capsys.readouterr()
    tables = [{"kind": "limit", "limit": None, "text": reason.text} for reason in reasons]
    assert json.loads(captured.out) == {"verdict": "refused", "reasons": tables}
    assert "and 2 more (all of them with --json)" in captured.err


def test_json_of_a_walk_is_the_receipt(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["walk", "mrpete", "--cycles", "2", "--json", "--out", str(tmp_path / "a.npz")]) == 0
    always = [field.name for field in fields(Receipt) if field.default is MISSING]  # the others only where they apply
    assert list(json.loads(capsys.readouterr().out)) == [*always, "expressed_share", "self_collision_mm", *PROVED]


def test_json_of_a_simulation_has_the_promised_keys(happy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(happy), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert list(outcome) == SIMULATION_KEYS
    assert not outcome["fell"]


def test_noise_that_servos_cannot_feel_is_told_or_refused(happy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = "ervos follow joint angles alone: noise and delay of an estimator change nothing;"
    assert main(["simulate", str(happy), "--noise", "0.05", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["unfelt"].startswith(f"s{sentence}")
    assert f"  s{sentence}" in captured.err
    assert main(["simulate", str(happy), "--delay", "0.01", "--controller", "servos"]) == 2
    assert said(capsys) == f"strut: S{sentence} choose --controller whole_body, which reads them."


def test_a_motion_of_a_robot_that_is_elsewhere_says_where_robots_are_looked_for(
    happy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path))
    save_motion(replace(load_motion(happy), robot="mrpet"), tmp_path / "lost.npz")
    assert main(["check", str(tmp_path / "lost.npz")]) == 2
    places = f"`strut robots`, which looks for yours in {tmp_path} (STRUT_ROBOTS names another folder), lists them all."
    assert said(capsys) == f"strut: There is no robot 'mrpet' (nearest: mrpete); {places}"
    monkeypatch.setenv("STRUT_ROBOTS", str(happy))
    assert main(["walk", "mrpete"]) == 2
    told = f"strut: {happy}: is not a folder; set STRUT_ROBOTS to the folder of your robots."
    assert said(capsys) == told


def test_check_measures_again_what_the_walk_promised(happy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(happy), "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)
    with np.load(happy) as file:
        promised = json.loads(str(file["meta"]))["receipt"]
    shown = promised[
        "expressed_share"
    ]  # two cycles are over before all of the feeling is shown; nothing is wrong with that
    assert (promised["verdict"], 0.3 < shown < 0.85) == ("weakened", True)
    assert [reason["kind"] for reason in promised["reasons"]] == ["not_expressed"]
    remeasured = {name: value for name, value in promised.items() if name not in PROVED}  # a check proves no controller
    assert measured.pop("collision_rules")["min_distance_mm"] == 5.0
    assert measured.pop("notes") == []
    assert not any(row["broken_share"] for row in measured.pop("limits"))
    assert "torque" in measured.pop("over_time")
    assert measured == remeasured | {"verdict": "ok", "reasons": []}


def test_check_refuses_a_motion_that_a_robot_cannot_do(
    happy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(happy) as file:
        arrays = dict(file)
    arrays["time_s"] = arrays["time_s"] / 20.0
    np.savez(tmp_path / "hasty.npz", **arrays)
    assert main(["check", str(tmp_path / "hasty.npz"), "--json"]) == 3
    receipt = json.loads(capsys.readouterr().out)
    assert receipt["verdict"] == "refused"
    assert receipt["joint_speed_use"] > 1.0
    assert any(reason["limit"] == "joint speed" for reason in receipt["reasons"])


def test_an_existing_file_is_kept_unless_forced(happy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = happy.read_bytes()
    assert main(["walk", "mrpete", "--cycles", "2", "--out", str(happy)]) == 2
    assert (
        said(capsys)
        == f"strut: {happy}: is there already; choose another name, or replace it with --force (in Python: force=True)."
    )
    assert happy.read_bytes() == before


def test_a_missing_folder_is_named_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["walk", "mrpete", "--out", str(tmp_path / "no" / "a.npz")]) == 2
    assert said(capsys).endswith(f"cannot be written: there is no folder {tmp_path / 'no'}.")


@pytest.mark.parametrize("form", ["csv", "json"])
def test_export_holds_the_same_angles(form: str, happy: Path, tmp_path: Path) -> None:
    path = tmp_path / f"happy.{form}"
    assert main(["export", str(happy), "--to", form, "--out", str(path)]) == 0
    with np.load(happy) as file:
        knee = file["qpos"][:, 7 + 3]
        samples = len(file["time_s"])
    if form == "json":
        exported = np.array(json.loads(path.read_text())["qpos"])[:, 7 + 3]
    else:
        header = path.read_text().splitlines()[0].split(",")
        exported = np.loadtxt(path, delimiter=",", skiprows=1)[:, header.index("LF_knee_rad")]
    assert exported.shape == (samples,)
    np.testing.assert_array_equal(exported, knee)


def test_lists_are_there_for_people_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robots"]) == 0
    assert "mrpete" in capsys.readouterr().out
    assert main(["robots", "mrpete", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["joint_limits"]) == 28
    assert main(["emotions", "--json"]) == 0
    known = {row["name"]: row["published_for"] for row in json.loads(capsys.readouterr().out)}
    assert "mrpete" in known["sad"]
    assert known["proud"] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    assert f"Example: strut {verb}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("text", "metres"),
    [("80mm", 0.08), ("1", 1.0), ("0.08", 0.08), ("8 cm", 0.08), ("0.08M", 0.08), ("0", 0.0), ("-3", -3.0)],
)
def test_lengths_are_read_as_people_write_them_and_bare_ones_are_metres(text: str, metres: float) -> None:
    assert length_m(text) == pytest.approx(metres)


@pytest.mark.parametrize("text", ["80", "-80", "5.1"])
def test_a_bare_length_that_no_body_has_asks_for_its_unit(text: str) -> None:
    with pytest.raises(typer.BadParameter, match=f"without a unit is {text} metres; write {text}mm or {text}cm"):
        length_m(text)


@pytest.mark.parametrize(
    ("text", "m_s"),
    [("3cm/s", 0.03), ("-30 mm/s", -0.03), ("1.3", 1.3), ("0.5M/S", 0.5), (".5", 0.5), ("20", 20.0), ("9km/h", 2.5)],
)
def test_speeds_are_read_as_people_write_them_and_bare_ones_are_metres_per_second(text: str, m_s: float) -> None:
    assert speed_m_s(text) == pytest.approx(m_s)


@pytest.mark.parametrize("text", ["3cm", "quick", "nan", "3 km", "3 m/h", "1e", ""])
def test_what_is_no_speed_is_said_so(text: str) -> None:
    with pytest.raises(typer.BadParameter, match=f"'{text}' is not a speed"):
        speed_m_s(text)


def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    """The real thing: a process is stopped by Ctrl-C while it plans."""
    command = [sys.executable, "-c", _INTERRUPTED_WALK, str(tmp_path / "walk.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 130
    assert done.stderr.strip() == "strut: Interrupted; no incomplete file is left."
    assert list(tmp_path.iterdir()) == []


_INTERRUPTED_WALK = """
import os, signal, sys, threading
import strut.cli.walk
from strut.cli.entry import run
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job inherits that it is ignored
for after_s in (0.7, 3.0):  # twice: an interrupt that arrives inside a callback of a C library is lost
    timer = threading.Timer(after_s, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()
sys.argv = ["strut", "walk", "mrpete", "--cycles", "300", "--out", sys.argv[1]]
run()
"""


HEAVY = {"casadi", "matplotlib", "viser", "pandas", "fastapi", "trimesh"}


@pytest.mark.parametrize(
    ("arguments", "foreign"),
    [
        (["--help"], HEAVY | {"numpy", "typer", "rich", "pydantic", "mujoco"}),
        (["emotions"], HEAVY),
        (["walk", "mrpete", "--cycles", "2", "--out", "walk.npz"], HEAVY),
    ],
)
def test_a_verb_loads_no_more_than_it_needs(arguments: list[str], foreign: set[str], tmp_path: Path) -> None:
    command = "import sys; from strut.cli.main import main; assert main(sys.argv[1:]) == 0; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", command, *arguments], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert foreign & set(done.stdout.split()) == set()


def test_the_list_of_verbs_takes_less_than_a_third_of_a_second() -> None:
    command = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_utime)"
    code = f"import sys; from strut.cli.main import main; main(['--help']); {command}"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert min(float(run.stdout.split()[-1]) for run in runs) < 0.3


@pytest.mark.parametrize(("verb", "sentence"), [(name, verb.summary) for name, verb in VERBS.items()])
def test_the_list_of_verbs_says_what_their_help_says(verb: str, sentence: str) -> None:
    command = find("strut.verbs", verb)
    assert (command.info.help if isinstance(command, typer.Typer) else command.__doc__).startswith(sentence)


def test_our_own_mistake_is_one_sentence_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stumble() -> None:
        raise ZeroDivisionError("nothing")

    monkeypatch.setattr("strut.cli.robots.robot_names", stumble)
    monkeypatch.delenv("STRUT_DEBUG", raising=False)
    assert main(["robots"]) == 1
    assert said(capsys).startswith("strut: strut made a mistake (ZeroDivisionError: nothing);")
