"""Options that mean nothing without another one, or beside one, as a user meets them: none is ignored."""

import shutil

import pytest

from strut.cli.main import main
from strut.models.catalogue import HOME


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("show a.npz --poses 8", "--poses needs --png; add it, or leave the option out."),
        ("show a.npz --gif a.gif --poses 8", "--poses needs --png; add it, or leave the option out."),
        ("show a.npz --at 2", "--at needs --png; add it, or leave the option out."),
        (
            "show a.npz --png a.png --fps 10",
            "--fps needs --gif, --mp4, --webm, --mov or --frames; add it,",
        ),
        (
            "show a.npz --width 300",
            "--width needs --png, --gif, --mp4, --webm, --mov or --frames; add it,",
        ),
        ("show a.npz --html a.html --width 300", "--width needs --png, --gif, --mp4, --webm, --mov or --frames;"),
        ("show a.npz --png a.png --seconds 3", "--seconds needs --html, --gif, --mp4, --webm, --mov or --frames;"),
        ("show a.npz --json", "--json needs --html, --png, --gif, --mp4, --webm, --mov or --frames;"),
        ("show a.npz --png a.png --port 9000", "--port does not apply with --png; leave one of them out."),
        ("show a.npz --html a.html --host 0.0.0.0", "--host does not apply with --html; leave one of them out."),
        ("walk alice --steps a.csv --step-length 5cm", "--step-length does not apply with --steps;"),
        ("perform pepper wave --task-only --intensity 0.5", "--intensity does not apply with --task-only;"),
        ("perform pepper wave --task-only --expression animated", "--expression does not apply with --task-only;"),
        ("perform pepper a.csv --duration 5", "--duration does not apply: a.csv says when the hand is where."),
        ("perform pepper a.csv --target 1 0 1", "--target does not apply: a.csv says when the hand is where."),
        ("distinguish mrpete --task wave", "mrpete walks to express an emotion, so the task wave does not apply;"),
        ("simulate a.npz --closed-loop --controller balance", "--controller does not apply with --closed-loop;"),
        ("reconstruct a.npz --published --smooth 2", "--smooth does not apply with --published;"),
        ("export a.npz --to rig --rate 50", "--rate does not apply with --to rig, which holds one pose;"),
        ("fit a.c3d --subject s.toml --standing b.c3d", "--standing does not apply with --subject;"),
        ("capture a.c3d --subject s.toml --sex female", "--sex does not apply with --subject;"),
        ("capture a.c3d --unit 0.01", "--unit is for .bvh files; a.c3d names its own unit of length."),
        ("adopt --check robot --name rex", "--name does not apply with --check; leave one of them out."),
        ("library build cassie --workers 2 --scheduler tcp://a", "--workers does not apply with --scheduler;"),
        ("library try cassie --workers 2 --scheduler tcp://a", "--workers does not apply with --scheduler;"),
        ("study power --effect 0.5 --options 4", "--options needs --rate; add it, or leave the option out."),
        ("study power --rate 0.5 --dof 4", "--dof needs --w; add it, or leave the option out."),
        ("study power --rate 0.5 --icc 0.2", "--icc needs --per-participant; add it, or leave the option out."),
        ("study simulate a --for sad", "--for needs --power; add it, or leave the option out."),
        ("study simulate a --people 9 --power 0.8", "--people does not apply with --power;"),
        ("study simulate a --runs 10 --out a.csv", "--out does not apply with --runs; leave one of them out."),
        ("study preregister a --people 40 --power 0.9", "--power does not apply with --people;"),
        ("study preregister a --people 40 --for sad", "--for does not apply with --people;"),
        ("study report a --scale 1 9", "--scale needs --answers; add it, or leave the option out."),
        ("study report a --answers a.csv --database sqlite:///b", "--database does not apply with --answers;"),
        ("study labels a --answers a.csv --database sqlite:///b", "--database does not apply with --answers;"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(capsys, words, sentence):
    assert main(words.split()) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        "show a.npz --png a.png --poses 8 --width 300",
        "show a.npz --mp4 a.mp4 --fps 10 --seconds 3 --json",
        "show a.npz --port 9000",
        "study simulate a --people 9 --runs 10",
        "capture a.bvh --unit 0.01",
    ],
)
def test_an_option_with_its_partner_goes_on_to_the_file(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    said = capsys.readouterr().err
    assert not any(words in said for words in ("needs --", "does not apply", "--unit is for"))


def test_cycles_beside_a_goal_are_refused_for_gait_patterns(tmp_path, capsys):
    robot = pattern_robot(tmp_path)
    assert main(["walk", str(robot), "--cycles", "3", "--goal", "1", "0", "0"]) == 2
    assert "--cycles does not apply with --goal; leave one of them out." in capsys.readouterr().err


def pattern_robot(home):
    """Return the folder of a robot that walks by a gait pattern: ours with another gait.toml."""
    folder = home / "rex"
    shutil.copytree(HOME / "mrpete", folder)
    (folder / "gait.toml").write_text('kind = "pattern"\ngait = "trot"\n', "utf-8")
    return folder
