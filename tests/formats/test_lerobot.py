"""LeRobot datasets: read by pyarrow and pandas here, and by lerobot itself where LEROBOT_PYTHON names its Python."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.errors import BadMotionError, FileError, MissingExtraError, OutOfRangeError
from strut.formats.exchange import export

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow (pip install 'strut[exchange]') is not installed")


@pytest.fixture
def dataset(happy_walk, neutral_walk, tmp_path):
    folder = tmp_path / "walks"
    written = export([happy_walk, neutral_walk], folder, to="lerobot")
    assert written.samples == len(happy_walk.time_s) + len(neutral_walk.time_s)
    assert written.omitted == ("ground forces", "receipt", "notes")
    return folder


def test_frames_are_the_samples_of_the_motions_in_single_precision(dataset, happy_walk, neutral_walk):
    info = json.loads((dataset / "meta/info.json").read_text("utf-8"))
    assert (info["codebase_version"], info["fps"], info["total_episodes"]) == ("v3.0", 50, 2)
    table = parquet.read_table(dataset / info["data_path"].format(chunk_index=0, file_index=0))
    states = np.array(table["observation.state"].to_pylist())
    np.testing.assert_allclose(states, np.concatenate([happy_walk.qpos, neutral_walk.qpos]), atol=2e-7)
    assert info["features"]["observation.state"]["names"][7:] == list(happy_walk.joint_names)
    episode = np.array(table["episode_index"])
    action = np.array(table["action"].to_pylist())[episode == 0]
    np.testing.assert_allclose(action[:-1], happy_walk.joint_angles_rad[1:], atol=2e-7)
    np.testing.assert_allclose(action[-1], happy_walk.joint_angles_rad[-1], atol=2e-7)
    torque = np.array(table["observation.torque"].to_pylist())
    np.testing.assert_allclose(torque[episode == 1], neutral_walk.torque_nm, rtol=1e-6, atol=1e-5)
    contact = np.array(table["observation.contact"].to_pylist())
    np.testing.assert_array_equal(contact[episode == 0] > 0.5, happy_walk.contact)
    np.testing.assert_array_equal(table["index"], np.arange(len(episode)))
    np.testing.assert_allclose(np.array(table["timestamp"])[episode == 1], neutral_walk.time_s, atol=1e-6)


def test_statistics_tasks_and_episodes_say_where_everything_is(dataset, happy_walk, neutral_walk):
    pandas = pytest.importorskip("pandas", reason="pandas reads the table of tasks")
    stats = json.loads((dataset / "meta/stats.json").read_text("utf-8"))
    together = np.concatenate([happy_walk.qpos, neutral_walk.qpos])
    np.testing.assert_allclose(stats["observation.state"]["mean"], together.mean(axis=0))
    np.testing.assert_allclose(stats["observation.state"]["q99"], np.quantile(together, 0.99, axis=0))
    assert stats["timestamp"]["count"] == [len(together)]
    tasks = pandas.read_parquet(dataset / "meta/tasks.parquet")
    assert tasks.loc["move, happy"].task_index == 0
    episodes = pandas.read_parquet(dataset / "meta/episodes/chunk-000/file-000.parquet")
    assert episodes["dataset_from_index"].tolist() == [0, len(happy_walk.time_s)]
    assert episodes["dataset_to_index"].tolist() == [len(happy_walk.time_s), len(together)]
    np.testing.assert_allclose(episodes["stats/action/max"][1], neutral_walk.joint_angles_rad.max(axis=0))


def test_lerobot_itself_loads_the_dataset(dataset, happy_walk, neutral_walk):
    python = os.environ.get("LEROBOT_PYTHON")
    if not python:
        pytest.skip("LEROBOT_PYTHON names no Python with lerobot, which needs an environment of its own")
    program = (
        "import sys, json\n"
        "from lerobot.datasets.lerobot_dataset import LeRobotDataset\n"
        "data = LeRobotDataset('own/walks', root=sys.argv[1])\n"
        "row = data[data.num_frames - 1]\n"
        "sizes = [data.num_episodes, data.num_frames, data.fps]\n"
        "print(json.dumps([*sizes, row['task'], row['observation.state'].tolist()]))"
    )
    done = subprocess.run([python, "-c", program, str(dataset)], capture_output=True, text=True, check=True)
    episodes, frames, rate, task, state = json.loads(done.stdout.splitlines()[-1])
    assert (episodes, frames, rate) == (2, len(happy_walk.time_s) + len(neutral_walk.time_s), 50)
    assert task.startswith("move")
    np.testing.assert_allclose(state, neutral_walk.qpos[-1], atol=1e-6)


def test_large_datasets_are_split_into_files(happy_walk, tmp_path, monkeypatch):
    monkeypatch.setattr("strut.formats.lerobot_dataset.MAX_FILE_MB", 0.01)
    monkeypatch.setattr("strut.formats.lerobot_dataset.FILES_PER_CHUNK", 2)
    export([happy_walk] * 3, tmp_path / "walks", to="lerobot", options={"task": "walk happily"})
    files = sorted(path.relative_to(tmp_path / "walks/data") for path in (tmp_path / "walks/data").rglob("*.parquet"))
    assert list(map(str, files)) == [
        "chunk-000/file-000.parquet",
        "chunk-000/file-001.parquet",
        "chunk-001/file-000.parquet",
    ]
    last = parquet.read_table(tmp_path / "walks/data/chunk-001/file-000.parquet")
    assert set(last["episode_index"].to_pylist()) == {2}
    episodes = parquet.read_table(tmp_path / "walks/meta/episodes/chunk-000/file-000.parquet")
    assert episodes["data/chunk_index"].to_pylist() == [0, 0, 1]
    assert episodes["tasks"].to_pylist() == [["walk happily"]] * 3


def test_motions_that_make_no_dataset_are_refused_and_nothing_is_written(happy_walk, tmp_path, monkeypatch):
    folder = tmp_path / "walks"
    alice = replace(happy_walk, robot="alice")
    with pytest.raises(BadMotionError, match="motions of one robot; these are of mrpete and alice"):
        export([happy_walk, alice], folder, to="lerobot")
    uneven = replace(happy_walk, time_s=happy_walk.time_s * 1.01)
    with pytest.raises(BadMotionError, match=r"one whole number of frames per second, here 49\.50"):
        export(uneven, folder, to="lerobot")
    with pytest.raises(OutOfRangeError, match="at least one"):
        export([], folder, to="lerobot")
    with pytest.raises(OutOfRangeError, match=r"\.csv files hold one motion, and 2 were given"):
        export([happy_walk, happy_walk], tmp_path / "walks.csv")
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(FileError, match="is a file; give a folder"):
        export(happy_walk, tmp_path / "file", to="lerobot")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="pip install pyarrow"):
        export(happy_walk, folder, to="lerobot")
    assert not folder.exists()


def test_the_command_line_writes_a_folder_and_does_not_replace_it(happy_walk, tmp_path, capsys):
    strut.save_motion(happy_walk, tmp_path / "walk.npz")
    assert main(["export", str(tmp_path / "walk.npz"), "--to", "lerobot", "--rate", "25"]) == 0
    assert "without ground forces" not in capsys.readouterr().out  # a motion that is resampled has none
    assert json.loads((tmp_path / "walk_lerobot/meta/info.json").read_text("utf-8"))["fps"] == 25
    assert main(["export", str(tmp_path / "walk.npz"), "--to", "lerobot"]) == 2
    assert "is there already" in capsys.readouterr().err
