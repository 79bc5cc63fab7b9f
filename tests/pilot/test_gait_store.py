"""A gait store keeps every finished gait, and refuses what is damaged, or of another robot, grid or version."""

import sqlite3

import numpy as np
import pytest

from strut.errors import LibraryError
from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_library import PeriodicGait
from strut.pilot.gait_library.gait_library_file import load_gait_library, pack_gait_library
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore
from strut.schemas.gait_library import GaitGrid, GridAxis

GRID = GaitGrid(GridAxis(-0.5, 0.5, 2), GridAxis(-0.3, 0.3, 1), GridAxis(0.8, 0.9, 1))


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture
def store(tmp_path, cassie):
    made = GaitStore(tmp_path / "gaits.db", cassie, GRID)
    gait = PeriodicGait((-0.5, 0.0, 0.85), 0.35, np.full((2, 6, 8), 0.1), np.full((2, 10, 8), -0.2))
    made.put(GaitRecord((0, 0, 0), "ok", "", {"solve_s": 1.0}, gait, np.arange(4.0)))
    made.put(GaitRecord((1, 0, 0), "failed", "worst is the knee.", {}, None))
    return made


def test_what_was_put_in_comes_back_after_a_restart(store, cassie):
    again = GaitStore(store.path, cassie)
    kept, failed = again.records()
    assert again.grid == GRID
    assert (kept.status, kept.gait.step_s, kept.figures["solve_s"]) == ("ok", 0.35, 1.0)
    np.testing.assert_array_equal(kept.start, np.arange(4.0))
    np.testing.assert_array_equal(kept.gait.motors, np.full((2, 10, 8), -0.2))
    assert (failed.status, failed.reason, failed.gait) == ("failed", "worst is the knee.", None)
    assert len(again.library()) == 1


def test_a_packed_library_is_the_same_to_microradians(store, cassie, tmp_path):
    pack_gait_library(store.library(), tmp_path / "gaits.npz")
    packed = load_gait_library(cassie, tmp_path / "gaits.npz")
    np.testing.assert_allclose(packed.gait(0, 0, 0).motors, -0.2, atol=1e-6)
    assert not packed.present[1, 0, 0]


def change(path, statement, *values):
    with sqlite3.connect(path) as file:
        file.execute(statement, values)


def test_a_store_of_another_robot_body_grid_or_version_is_refused(store, cassie):
    with pytest.raises(LibraryError, match="has another grid"):
        GaitStore(store.path, cassie, GaitGrid(GridAxis(-1.0, 1.0, 3), GRID.left_m_s, GRID.height_m))
    with pytest.raises(LibraryError, match="holds gaits of cassie, not of alice"):
        GaitStore(store.path, load_robot("alice"))
    change(store.path, "UPDATE library SET fingerprint = 'other'")
    with pytest.raises(LibraryError, match="another version of cassie's body; build it again"):
        GaitStore(store.path, cassie)
    change(store.path, "PRAGMA user_version = 9")
    with pytest.raises(LibraryError, match="gait library of version 9; this strut reads 1"):
        GaitStore(store.path, cassie)


def test_a_damaged_file_is_an_error_in_one_sentence(store, cassie, tmp_path):
    change(store.path, "UPDATE gait SET body = x'0102' WHERE status = 'ok'")
    with pytest.raises(LibraryError, match="a gait in it cannot be read"):
        store.library()
    store.path.write_bytes(b"SQLite format 3\0" + bytes(range(200)))
    with pytest.raises(LibraryError, match="is damaged or no gait library"):
        GaitStore(store.path, cassie)
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(LibraryError, match="is damaged or no gait library"):
        load_gait_library(cassie, tmp_path / "bad.npz")
    with pytest.raises(LibraryError, match="there is no gait library; `strut library build ROBOT` begins one"):
        load_gait_library(cassie, tmp_path / "none.db")
