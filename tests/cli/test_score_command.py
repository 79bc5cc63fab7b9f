"""`strut walk` with a score: a file, several emotions in a text, and options that contradict it."""

from __future__ import annotations

import json

import pytest

from strut.cli.main import main
from tests.adoption.small_robots import import_robot, quadruped

SCORE = """\
bpm = 60
end = 5

[[keyframe]]
at = 0
emotion = "neutral"

[[keyframe]]
at = 2.5
emotion = "sad"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a robot and a score."""
    folder = tmp_path_factory.mktemp("score")
    import_robot(quadruped(), folder)
    (folder / "score.toml").write_text(SCORE, "utf-8")
    return folder


def test_a_score_file_and_its_short_form_give_the_same_walk(folder, capsys):
    walk = ["walk", str(folder / "robot"), "--json"]
    assert main([*walk, "--score", str(folder / "score.toml"), "--out", str(folder / "file.npz")]) == 0
    from_file = capsys.readouterr()
    assert main([*walk, "--emotion", "neutral 2.5s, sad 2.5s", "--out", str(folder / "text.npz")]) == 0
    from_text = capsys.readouterr()
    receipts = [json.loads(printed.out) for printed in (from_file, from_text)]
    assert [key["emotion"] for key in receipts[0]["score"]["keyframes"]] == ["neutral", "sad"]
    assert receipts[0] | {"solve_s": None} == receipts[1] | {"solve_s": None}
    assert "Kept of its score: neutral from 0.0 s at 100 %, sad from 2.5 s at 100 %." in from_file.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--score", "gone.toml"], "gone.toml: cannot be read: No such file or directory."),
        (
            ["--score", "score.toml", "--emotion", "sad"],
            "--score does not apply with --emotion; leave one of them out.",
        ),
        (["--score", "score.toml", "--pad", "0", "0", "0"], "--score does not apply with --pad"),
        (["--emotion", "neutral 3s, sad", "--cycles", "3"], "--emotion does not apply with --cycles"),
        (["--emotion", "neutral 3s, glad"], "There is no emotion 'glad'"),
        (["--emotion", "neutral 3s, sad", "--goal", "1", "0", "0"], "a goal where it ends; leave one of them out."),
        (["--emotion", "neutral 3s, sad", "--intensity", "2"], "Intensity is 2; choose 0 (neutral) to 1.5"),
    ],
)
def test_options_that_contradict_a_score_are_refused_in_a_sentence(folder, monkeypatch, capsys, options, sentence):
    monkeypatch.chdir(folder)
    assert main(["walk", "robot", *options, "--out", "walk.npz"]) == 2
    printed = capsys.readouterr().err
    assert sentence in printed
    assert printed.count("\n") == 1
    assert not (folder / "walk.npz").exists()


@pytest.mark.parametrize("robot", ["alice", "heiman", "cassie"])
def test_robots_that_follow_no_score_say_which_ones_do(robot, tmp_path, capsys):
    out = ["--goal", "0.3", "0", "0"] if robot == "alice" else []
    assert main(["walk", robot, "--emotion", "neutral 3s, sad", *out, "--out", str(tmp_path / "walk.npz")]) == 2
    assert (
        "follows no score yet; every robot that crawls straight ahead or walks by a gait pattern follows one."
        in capsys.readouterr().err
    )
