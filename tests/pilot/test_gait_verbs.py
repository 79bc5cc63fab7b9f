"""`strut library build`, `gaits`, `map` and `try` at the command line, with a store of two gaits."""

import json

import numpy as np
import pytest
from PIL import Image

from strut.cli.main import main
from strut.models.catalogue import load_robot
from strut.pilot.gait_library import gait_evaluation
from strut.pilot.gait_library.gait_library_build import FIGURES
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore
from strut.pilot.verbs import gaits as gait_verbs
from strut.schemas.gait_library import GaitGrid, GridAxis

GRID = GaitGrid(GridAxis(-0.5, 0.5, 2), GridAxis(-0.3, 0.3, 1), GridAxis(0.8, 0.9, 1))


@pytest.fixture
def store(tmp_path):
    cassie = load_robot("cassie")
    made = GaitStore(tmp_path / "gaits.db", cassie, GRID)
    gait = load_gait_library(cassie).lookup(0.0, 0.0, 0.86)
    figures = dict.fromkeys(FIGURES, 0.25)
    made.put(GaitRecord((0, 0, 0), "ok", "", figures, gait, np.arange(4.0)))
    made.put(GaitRecord((1, 0, 0), "failed", "worst is the knee.", {}, None))
    return made


def test_gaits_are_counted_and_reasons_for_missing_ones_listed(store, capsys):
    assert main(["library", "gaits", "cassie", "--store", str(store.path)]) == 0
    printed = capsys.readouterr()
    assert "1 of 2 gaits in" in printed.out + printed.err
    assert "(0.5, 0, 0.85): worst is the knee." in printed.out + printed.err
    assert main(["library", "gaits", "cassie", "--store", str(store.path), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["total"], summary["done"], summary["found"]) == (2, 2, 1)
    assert set(summary["figures"]) == set(FIGURES)
    assert all(pair == [0.25, 0.25] for pair in summary["figures"].values())


def test_the_map_of_a_store_is_a_picture_that_is_not_replaced_unasked(store, tmp_path, capsys):
    words = ["library", "map", "cassie", "--store", str(store.path), "--out", str(tmp_path / "map.png")]
    assert main(words) == 0
    with Image.open(tmp_path / "map.png") as picture:
        assert min(picture.size) > 100
    assert main(words) == 2
    assert "is there already" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0


@pytest.mark.parametrize("walker", ["pendulum", "library"])
def test_trying_gaits_says_which_walker_places_the_feet_and_what_comes_next(store, monkeypatch, capsys, walker):
    asked = {}

    def evaluate(source, body, *, on_gait, **options):
        asked.update(options, path=source.path, robot=body.name)
        on_gait(next(iter(source.records())), 1, 2)

    monkeypatch.setattr(gait_evaluation, "evaluate_gaits", evaluate)
    words = ["library", "try", "cassie", "--walker", walker, "--workers", "2", "--store", str(store.path)]
    assert main(words) == 0
    assert asked == {"walker": walker, "workers": 2, "scheduler": None, "path": store.path, "robot": "cassie"}
    assert f"strut library map cassie --store {store.path}" in capsys.readouterr().err
    assert main([*words[:4], "moon"]) == 2
    assert "--walker is 'moon'; choose pendulum or library." in capsys.readouterr().err


def test_a_build_is_given_its_grid_and_packed(store, monkeypatch, tmp_path, capsys):
    asked = {}

    def build(robot, path, *, on_gait, **options):
        asked.update(options, robot=robot, path=path)
        on_gait(next(iter(store.records())), 2, 2)
        return store

    monkeypatch.setattr(gait_verbs, "build_gait_library", build)
    pack = tmp_path / "gaits.npz"
    assert main(["library", "build", "cassie", "--grid", "2,1,1", "--store", str(store.path), "--pack", str(pack)]) == 0
    assert asked == {"counts": (2, 1, 1), "workers": None, "scheduler": None, "robot": "cassie", "path": store.path}
    assert load_gait_library(load_robot("cassie"), pack).present.sum() == 1
    assert f"wrote {pack}" in capsys.readouterr().err
    for grid in ("2,1", "a,b,c", "1.5,1,1"):
        assert main(["library", "build", "cassie", "--grid", grid]) == 2
        assert f"'{grid}' is no grid; write three whole numbers" in capsys.readouterr().err
    assert main(["library", "build", "cassie", "--workers", "2", "--scheduler", "tcp://a:1"]) == 2
