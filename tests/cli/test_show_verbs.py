"""`strut walk cassie`, queues by `strut perform`, and `strut library` of gaits, as a user meets them."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from strut.cli.main import main
from strut.formats.motion_file import load_motion
from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_library import PeriodicGait
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore
from strut.schemas.gait_library import GaitGrid, GridAxis


def test_a_walk_is_written_with_its_receipt_and_check_agrees(tmp_path, capsys):
    out = tmp_path / "walk.npz"
    assert (
        main(["walk", "cassie", "--speed", "0.5", "--emotion", "sad", "--distance", "0.3", "--out", str(out), "--json"])
        == 0
    )
    receipt = json.loads(capsys.readouterr().out)
    assert (receipt["verdict"], receipt["emotion"], receipt["controller"]) == ("ok", "sad", "pilot")
    assert receipt["balance_margin_mm"] is None  # who balances by stepping keeps none
    assert load_motion(out).meta["request"]["task"]["type"] == "piloted"
    assert main(["check", str(out)]) == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["perform", "cassie", "dance 3 m"], "dance 3 m"),
        (["perform", "cassie", "happy, hop"], "hop"),
        (["perform", "cassie", "curius"], "nearest: curious"),
        (["perform", "cassie", "walk 1 m", "--emotion", "sad"], "--emotion is for tasks of a hand"),
        (["perform", "cassie", "walk 1 m at 9 m/s"], "The speed forward is 9 m/s"),
        (["walk", "cassie", "--speed", "2"], "The speed forward is 2 m/s; it must be from -0.5 to 0.8 m/s"),
        (["walk", "cassie", "--distance", "0"], "The distance to walk is 0 m; it must be above 0"),
        (["walk", "cassie", "--emotion", "blue"], "blue"),
        (["walk", "cassie", "--goal", "1", "0", "0"], "--goal does not apply"),
        (["walk", "cassie", "--walker", "wings"], "choose pendulum or library"),
        (["perform", "cassie", "walk 900 m"], "takes at most 300 s"),
        (["walk", "cassie", "--tempo", "1.5"], "--tempo does not apply"),
        (["walk", "mrpete", "--distance", "2m"], "--distance does not apply"),
        (["perform", "cassie", "stand 0.2 s", "--rate", "25"], "too few to judge it"),
        (["library", "build", "cassie", "--grid", "3"], "'3' is no grid"),
        (["library", "build", "alice"], "alice has no gait_library.toml"),
        (["library", "build", "cassie", "--grid", "1,1,1", "--scheduler", "tcp://127.0.0.1:9"], "cannot be reached"),
        (["library", "gaits", "cassie"], "there is no gait library"),
        (["library", "try", "cassie", "--walker", "wings"], "choose pendulum or library"),
    ],
)
def test_impossible_requests_are_errors_in_one_sentence(tmp_path, monkeypatch, capsys, words, sentence):
    monkeypatch.setenv("STRUT_GAITS", str(tmp_path))
    monkeypatch.setattr("strut.plumbing.task_farm.CONNECT_S", 0.5)
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said
    assert not list(tmp_path.glob("*.npz"))


def test_the_contents_of_a_library_are_listed_and_drawn(tmp_path, capsys):
    cassie = load_robot("cassie")
    path = tmp_path / "gaits.db"
    store = GaitStore(path, cassie, GaitGrid(GridAxis(0.0, 0.5, 2), GridAxis(-0.3, 0.3, 1), GridAxis(0.8, 0.9, 1)))
    figures = dict.fromkeys(("solve_s", "iterations", "off_line_mm", "slip_mm", "clearance_mm"), 1.0)
    figures |= {
        "height_off_mm": 2.0,
        "joint_speed_use": 0.9,
        "walked_by_pendulum": {"held": True, "speed_off_m_s": 0.01},
    }
    gait = PeriodicGait((0.0, 0.0, 0.85), 0.35, np.zeros((2, 6, 8)), np.zeros((2, 10, 8)))
    store.put(GaitRecord((0, 0, 0), "ok", "", figures, gait))
    store.put(GaitRecord((1, 0, 0), "failed", "the knee is too slow.", {}, None))
    assert main(["library", "gaits", "cassie", "--store", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["total"], found["found"]) == (2, 1)
    assert found["reasons"] == ["(0.5, 0, 0.85): the knee is too slow."]
    picture = tmp_path / "map.png"
    assert main(["library", "map", "cassie", "--store", str(path), "--out", str(picture)]) == 0
    assert picture.stat().st_size > 5000
    assert main(["library", "gaits", "alice", "--store", str(path)]) == 2
    assert "holds gaits of cassie, not of alice" in capsys.readouterr().err
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 9")
    assert main(["library", "gaits", "cassie", "--store", str(path)]) == 2
    assert "gait library of version 9; this strut reads 1" in capsys.readouterr().err
    path.write_bytes(b"nonsense" * 100)
    assert main(["library", "gaits", "cassie", "--store", str(path)]) == 2
    assert "is damaged or no gait library" in capsys.readouterr().err
