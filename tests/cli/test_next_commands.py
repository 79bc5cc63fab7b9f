"""What `next:` tells people to type works, whatever their files are called, and leads on, not round in a circle."""

import json
import shlex
import shutil

import numpy as np
import pytest

from strut.cli.main import main
from strut.cli.screen import print_next
from strut.formats.motion_file import load_motion, save_motion
from strut.gaits.footsteps.goal_walk import Arrival
from strut.models.catalogue import HOME, load_robot
from strut.motion import Motion
from strut.registry import VERBS
from strut.simulation.outcome import Outcome
from strut.simulation.playback import Playback
from tests.adoption.broken_robots import element_called
from tests.adoption.small_robots import biped, quadruped, write_xml


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


@pytest.fixture
def alice_stands(tmp_path):
    """A file in which Alice stands for a moment although she was asked to go somewhere."""
    return written_motion("alice", tmp_path / "walk.npz", options={"goal": [0.3, 0.0, 0.0]})


def written_motion(name, path, turned_rad=0.0, **meta):
    """Write a motion of two samples of a robot that stands, its last joint turned in the second; return where."""
    robot = load_robot(name)
    qpos = np.array([robot.standing_qpos] * 2)
    qpos[1, -1] += turned_rad
    feet = np.ones((2, len(robot.foot_names)), dtype=bool)
    motion = Motion(name, np.array([0.0, 0.02]), qpos, robot.joint_names, feet, robot.foot_names, meta=meta)
    save_motion(motion, path)
    return path


def test_a_fall_that_was_planned_anew_is_played_again_so(alice_stands, monkeypatch, capsys):
    fell = Arrival(True, 0.2, 0.1, 1.0, 2, 0.01, load_motion(alice_stands))
    monkeypatch.setattr("strut.gaits.footsteps.verbs.simulate_closed_loop.simulate_to_goal", lambda *_, **__: fell)
    assert main(["simulate", str(alice_stands), "--closed-loop", "--mass-scale", "2"]) == 4
    kept = alice_stands.with_name("walk_fell.npz")
    again = f"strut simulate {alice_stands} --closed-loop --mass-scale 2.0 --out {kept}"
    assert " ".join(told(capsys)) == f"{again} && strut show {kept}"


@pytest.mark.parametrize("fell", [True, False])
def test_who_fell_is_not_told_where_a_goal_would_have_been(fell, alice_stands, monkeypatch, capsys):
    happened = Playback(Outcome(fell, 1.0, 0.021, 0.3, 0.0, 1.0, 0.1, 0.5, None), load_motion(alice_stands))
    monkeypatch.setattr("strut.cli.simulate.play", lambda *_, **__: happened)
    assert main(["simulate", str(alice_stands), "--json"]) == (4 if fell else 0)
    printed = capsys.readouterr()
    assert "walked 0.021 m of 0.300 m (7 %)" in printed.err
    assert ("from its goal" in printed.err, "goal" in json.loads(printed.out)) == (not fell, not fell)


def test_a_large_gif_is_reported_with_how_to_make_it_smaller(alice_stands, monkeypatch, capsys):
    monkeypatch.setattr("strut.cli.show.LARGE_GIF_BYTES", 0)
    assert main(["show", str(alice_stands), "--gif", str(alice_stands.with_suffix(".gif")), "--width", "120"]) == 0
    assert "this GIF is large; --fps 10" in capsys.readouterr().err


@pytest.mark.parametrize(("robot", "verb"), [("pepper", "show"), ("alice", "repair")])
def test_only_motions_of_robots_on_feet_are_sent_to_be_repaired(robot, verb, tmp_path, capsys):
    file = written_motion(robot, tmp_path / "jolt.npz", turned_rad=0.5)
    assert main(["check", str(file)]) == 3
    assert told(capsys)[:3] == ["strut", verb, str(file)]


def test_the_list_of_robots_proposes_one_of_the_users(tmp_path, monkeypatch, capsys):
    shutil.copytree(HOME / "alice", tmp_path / "mina")
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path))
    assert main(["robots"]) == 0
    assert told(capsys) == ["strut", "walk", "mina", "--emotion", "happy"]


@pytest.mark.parametrize("robot", ["alice", "heiman", "mrpete", "pepper"])
def test_the_suggested_commands_of_a_robot_work(robot, capsys):
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
    file = write_xml(root, tmp_path / "weak.urdf")
    assert main(["adopt", str(file), "--out", str(folder), "--json"]) == 0
    printed = capsys.readouterr()
    assert not json.loads(printed.out)["can_walk"]
    assert "it cannot walk: to stand on one leg takes" in printed.err
    assert printed.err.splitlines()[-1] == f"next: strut adopt --check {folder}"


def test_a_robot_that_refuses_a_few_steps_is_not_sent_for_a_walk(tmp_path, capsys):
    root = quadruped()
    for motor in root.iter("motor"):
        if motor.get("joint").endswith("_knee"):
            motor.set("ctrlrange", "-6 6")  # enough to stand with, and not to step
    folder = tmp_path / "weak"
    file = write_xml(root, tmp_path / "weak.xml")
    assert main(["adopt", str(file), "--out", str(folder), "--json"]) == 0
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert not told["can_walk"]
    assert "a neutral walk is not feasible: torque: " in told["fault"][-1]
    assert printed.err.splitlines()[-1] == f"next: strut adopt --check {folder}"
