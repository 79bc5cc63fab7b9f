"""`strut animate`, `strut library` and stories by `strut perform`, as a user meets them: exit codes and sentences."""

import json

import pytest

from strut.animation.animate import preview_animation
from strut.animation.animation_file import load_animation
from strut.cli.main import main
from strut.formats.motion_file import load_motion, save_motion

NOD = """title = "A nod"
robot = "cassie"
emotion = "neutral"

[[keyframe]]
time_s = 0.0

[[keyframe]]
time_s = 0.3
base_m = [0.0, 0.08, -0.04]
eyes = "closed"

[[keyframe]]
time_s = 1.0
"""


@pytest.fixture(scope="module")
def nod(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nod")
    (folder / "nod.toml").write_text(NOD)
    assert main(["animate", str(folder / "nod.toml"), "--out", str(folder / "nod.npz")]) == 0
    return folder


def test_animate_reports_the_distance_from_the_animation_and_stretched_times(tmp_path, capsys, nod):
    out = tmp_path / "nod.npz"
    assert main(["animate", str(nod / "nod.toml"), "--robot", "cassie", "--out", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["emotion"] == "neutral"
    assert "away from the animation" in printed.err
    assert "times as long, because" in printed.err
    assert "next: strut show" in printed.err
    motion = load_motion(out)
    assert [eyes for _, eyes in motion.meta["eyes"]] == ["neutral", "closed", "neutral"]
    assert motion.meta["animation"]["keyframes"] == [0, 8, 25]
    assert main(["check", str(out)]) == 0


def test_perform_plays_a_story_by_name_and_refuses_what_it_has_itself(tmp_path, capsys):
    out = tmp_path / "neutral.npz"
    assert main(["perform", "cassie", "neutral", "--out", str(out)]) == 0
    assert load_motion(out).receipt.verdict == "ok"
    assert main(["perform", "cassie", "neutral", "--duration", "3", "--out", str(out), "--force"]) == 2
    assert "the story neutral has its own" in capsys.readouterr().err
    assert main(["perform", "cassie", "curius", "--out", str(tmp_path / "curious.npz")]) == 2
    assert "'curius' (nearest: curious" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("time_s = 1.0", "time_s = 0.1", "line 14, keyframe.time_s: keyframe 3 is at 0.1 s"),
        ("-0.04]", "0.3]", "Frame 8 at 0.32 s cannot be reached: foot"),
        ('"neutral"', '"grumpy"', "There is no emotion 'grumpy'"),
        ('robot = "cassie"\n', "", "names no robot; choose one with --robot"),
        ('"cassie"', '"pepper"', "pepper does not stand on feet"),
    ],
)
def test_bad_animations_are_refused_in_one_sentence(tmp_path, capsys, old, new, words):
    (tmp_path / "bad.toml").write_text(NOD.replace(old, new, 1))
    assert main(["animate", str(tmp_path / "bad.toml"), "--out", str(tmp_path / "bad.npz")]) == 2
    assert words in capsys.readouterr().err


def test_a_story_of_another_robot_is_refused_in_one_sentence(tmp_path, capsys, nod):
    assert main(["animate", str(nod / "nod.toml"), "--robot", "alice", "--out", str(tmp_path / "nod.npz")]) == 2
    assert "nod.toml is made for cassie, not for alice; leave --robot out." in capsys.readouterr().err


def test_library_keeps_finds_and_gives_back(tmp_path, capsys, nod):
    store = ["--store", str(tmp_path / "motions.db")]
    assert main(["library", "add", str(nod / "nod.npz"), *store, "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["title"] == "A nod"
    assert main(["library", "query", "neutral,", "standing,", "under", "6", "s", *store]) == 0
    printed = capsys.readouterr()
    assert entry["id"] in printed.out
    assert f"strut library show {entry['id']} --store" in printed.err
    out = tmp_path / "again.npz"
    assert main(["library", "show", entry["id"][:5], *store, "--out", str(out)]) == 0
    assert out.read_bytes() == (nod / "nod.npz").read_bytes()


def test_library_says_what_is_wrong(tmp_path, capsys, nod):
    assert main(["library", "query", "--store", str(tmp_path / "none.db")]) == 2
    assert "there is no library" in capsys.readouterr().err
    (tmp_path / "noise.db").write_text("noise " * 500)
    assert main(["library", "add", str(nod / "nod.npz"), "--store", str(tmp_path / "noise.db")]) == 2
    assert "damaged or no library" in capsys.readouterr().err
    assert main(["library", "add", str(nod / "nod.npz"), "--mode", "fly", "--store", str(tmp_path / "a.db")]) == 2
    assert "choose stand or walk" in capsys.readouterr().err


def test_repair_writes_the_nearest_motion_and_refuses_what_is_none_or_is_sound(tmp_path, capsys, nod):
    out = tmp_path / "repaired.npz"
    broken = tmp_path / "broken.npz"
    save_motion(preview_animation("cassie", load_animation(nod / "nod.toml")), broken)
    assert main(["repair", str(broken), "--out", str(out)]) == 0
    told = capsys.readouterr().err
    assert "away from the animation" in told
    assert "takes 1.17 times as long, because" in told
    assert main(["check", str(out)]) == 0
    assert main(["repair", str(nod / "nod.toml"), "--out", str(tmp_path / "x.npz")]) == 2
    assert main(["repair", str(out), "--out", str(out)]) == 2
    capsys.readouterr()
    assert main(["repair", str(nod / "nod.npz"), "--out", str(tmp_path / "x.npz")]) == 2
    assert "keeps every limit already" in capsys.readouterr().err
    assert not (tmp_path / "x.npz").exists()
