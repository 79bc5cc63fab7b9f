"""What `next:` tells people to type works, whatever their files are called, and leads on, not round in a circle."""

import json
import shlex
import shutil

import pytest

from strut.cli.main import VERBS, main
from strut.cli.screen import print_next
from strut.models.catalogue import HOME
from tests.adoption.broken_robots import element_called
from tests.adoption.small_robots import biped, written


def told(capsys):
    """The words of the last `next:` line."""
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("next: ")]
    return shlex.split(lines[-1].removeprefix("next: "))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["strut show", "walk.npz"], "strut show walk.npz"),
        (["strut show", "my walk.npz", "it's.npz"], """strut show 'my walk.npz' 'it'"'"'s.npz'"""),
        (["strut study new mystudy --motions *.npz"], "strut study new mystudy --motions *.npz"),
        (["strut show", "[red].npz"], "strut show '[red].npz'"),
    ],
)
def test_words_are_quoted_as_a_shell_needs_it(words, line, capsys):
    print_next(*words)
    assert capsys.readouterr().err == f"next: {line}\n"


def test_a_walk_with_a_space_in_its_name_goes_all_the_way(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "my walks"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    walk = "my walks/my walk.npz"
    assert main(["walk", "mrpete", "--cycles", "2", "--out", walk]) == 0
    assert told(capsys) == ["strut", "show", walk]
    assert main(["check", walk]) == 0
    _, verb, *rest = told(capsys)
    assert (verb, rest) == ("simulate", [walk])
    assert main([verb, *rest]) == 0
    assert told(capsys) == ["strut", "export", walk]
    assert main(["simulate", walk, "--out", "my walks/what happened.npz"]) == 0
    assert told(capsys) == ["strut", "show", "my walks/what happened.npz"]
    assert main(["show", walk, "--png", "my walks/my picture.png"]) == 0
    assert told(capsys) == ["strut", "check", walk]
    assert main(["show", "my walks/what happened.npz", "--png", "my walks/my picture.png", "--force"]) == 0
    assert told(capsys) == ["strut", "export", "my walks/what happened.npz"]
    assert main(["export", walk]) == 0
    assert told(capsys) == ["strut", "library", "add", walk]
    assert {path.name for path in folder.iterdir()} == {
        *("my walk.npz", "what happened.npz", "my picture.png", "my walk.csv"),
    }


def test_a_fall_is_played_again_with_what_was_typed_and_nothing_else(tmp_path, capsys):
    walk = str(tmp_path / "walk.npz")
    assert main(["walk", "mrpete", "--cycles", "2", "--out", walk]) == 0
    assert main(["simulate", walk, "--friction", "0.01", "--mass-scale", "6"]) == 4
    again = f"strut simulate {walk} --friction 0.01 --mass-scale 6.0 --out {tmp_path / 'walk_fell.npz'}"
    assert " ".join(told(capsys)) == f"{again} && strut show {tmp_path / 'walk_fell.npz'}"


def test_the_list_of_robots_proposes_one_of_the_users(tmp_path, monkeypatch, capsys):
    shutil.copytree(HOME / "alice", tmp_path / "mina")
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path))
    assert main(["robots"]) == 0
    assert told(capsys) == ["strut", "walk", "mina", "--emotion", "happy"]


@pytest.mark.parametrize("robot", ["alice", "heiman", "mrpete", "pepper"])
def test_what_a_robot_is_told_to_do_it_can_do(robot, capsys):
    assert main(["robots", robot]) == 0
    _, verb, name, *rest = told(capsys)
    assert verb == ("perform" if robot == "pepper" else "walk")
    assert name == robot
    assert verb in VERBS
    assert rest[-2:] == ["--emotion", "happy"]


def test_a_biped_too_weak_for_one_leg_is_not_sent_for_a_walk(tmp_path, capsys):
    root = biped()
    for side in ("left", "right"):
        element_called(root, "joint", f"{side}_hip_roll").find("limit").set(
            "effort", "15"
        )  # half of what one leg takes
    folder = tmp_path / "weak"
    file = written(root, tmp_path / "weak.urdf")
    assert main(["adopt", str(file), "--out", str(folder), "--json"]) == 0
    printed = capsys.readouterr()
    assert not json.loads(printed.out)["can_walk"]
    assert "it will not walk: to stand on one leg takes" in printed.err
    assert printed.err.splitlines()[-1] == f"next: strut adopt --check {folder}"
