"""LeRobot dataset, version 3: one episode per motion, in Parquet files with statistics. Needs `pyarrow`.

A frame holds the base and the joints as `observation.state`, the feet on the ground as `observation.contact`, torques
where all motions have them, and as `action` the joint angles of the next sample: what a position controller is sent.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from strut.arrays import Array
from strut.errors import BadMotionError, MissingExtraError
from strut.formats.motion_csv import BASE_COLUMNS
from strut.models.catalogue import robot_of
from strut.motion import Motion

VERSION = "v3.0"
MAX_FILE_MB = 100  # of the numbers in one Parquet file, as LeRobot writes them
FILES_PER_CHUNK = 1000
_PLACE = "chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_QUANTILES = {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}
_SCALARS = {  # of every frame
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}


class _Episode(NamedTuple):
    """Frames of one motion: values by feature of shape (T, n), its task, and the index of its first frame."""

    values: Mapping[str, Array]
    task: str
    start: int

    @property
    def length(self) -> int:
        return len(self.values["timestamp"])


class LeRobotWriter:
    """Writes a folder with `meta` and `data`; all motions are of one robot and have one whole rate."""

    ending = ""
    last_file = "meta/info.json"

    def encode_folder(self, motions: Sequence[Motion], *, task: str | None = None) -> dict[str, bytes]:
        """Return the files by their paths in the folder; `task` says in words what all motions do."""
        try:
            import pyarrow  # noqa: PLC0415 -- an optional extra
        except ImportError as error:
            raise MissingExtraError("exchange", "pyarrow") from error
        rate_hz = _common_rate(motions)
        names = _feature_names(motions)
        tasks = list(dict.fromkeys(task or _task_of(motion) for motion in motions))
        episodes: list[_Episode] = []
        frames = 0
        for number, motion in enumerate(motions):
            words = task or _task_of(motion)
            values = _values(motion, names)
            count = np.arange(float(len(motion.time_s)))[:, None]
            values |= {
                "timestamp": count / rate_hz,
                "frame_index": count,
                "episode_index": np.full_like(count, number),
                "index": frames + count,
                "task_index": np.full_like(count, tasks.index(words)),
            }
            episodes.append(_Episode(values, words, frames))
            frames += len(count)
        features: dict[str, Any] = {
            name: {"dtype": "float32", "shape": [len(own)], "names": own} for name, own in names.items()
        }
        features |= {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in _SCALARS.items()}
        info = {
            "codebase_version": VERSION,
            "robot_type": motions[0].robot,
            "total_episodes": len(episodes),
            "total_frames": frames,
            "total_tasks": len(tasks),
            "chunks_size": FILES_PER_CHUNK,
            "data_files_size_in_mb": MAX_FILE_MB,
            "video_files_size_in_mb": MAX_FILE_MB,
            "fps": rate_hz,
            "splits": {"train": f"0:{len(episodes)}"},
            "data_path": f"data/{_PLACE}",
            "video_path": None,
            "features": features,
        }
        whole = {name: np.concatenate([one.values[name] for one in episodes]) for name in features}
        files = {
            "meta/info.json": json.dumps(info, indent=4).encode(),
            "meta/stats.json": json.dumps({name: _statistics(all_) for name, all_ in whole.items()}, indent=4).encode(),
            "meta/tasks.parquet": _tasks_file(pyarrow, tasks),
        }
        place_of: list[tuple[int, int]] = []
        for place, group in enumerate(_files(episodes)):
            chunk, file = divmod(place, FILES_PER_CHUNK)
            rows = {name: np.concatenate([one.values[name] for one in group]) for name in features}
            columns = {name: _column(pyarrow, rows[name], about["dtype"]) for name, about in features.items()}
            files[f"data/{_PLACE.format(chunk_index=chunk, file_index=file)}"] = _parquet(pyarrow.table(columns))
            place_of += [(chunk, file)] * len(group)
        files[f"meta/episodes/{_PLACE.format(chunk_index=0, file_index=0)}"] = _parquet(
            pyarrow.table(_episode_columns(episodes, place_of))
        )
        return files

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        has = {
            "ground forces": motion.ground_force_n is not None,
            "receipt": motion.receipt is not None,
            "notes": True,
        }
        return tuple(name for name, is_there in has.items() if is_there)


def _common_rate(motions: Sequence[Motion]) -> int:
    """Return the samples per second of all motions."""
    rates = set()
    for motion in motions:
        motion.check_even()
        rates.add(round((len(motion.time_s) - 1) / motion.duration_s, 6))
    if len(rates) > 1 or not next(iter(rates)).is_integer():
        given = ", ".join(f"{rate:g}" for rate in sorted(rates))
        raise BadMotionError(
            f"A LeRobot dataset has one whole number of frames per second, here {given}; choose one, such as 50 "
            "(--rate 50, in Python rate_hz=50)."
        )
    return int(next(iter(rates)))


def _feature_names(motions: Sequence[Motion]) -> dict[str, list[str]]:
    """Return the names of the numbers of each feature; raises BadMotionError for motions of different robots."""
    robot = robot_of(motions[0], needs_feet=False)
    for motion in motions:
        if motion.robot != robot.name or motion.joint_names != robot.joint_names:
            raise BadMotionError(f"A dataset has motions of one robot; these are of {robot.name} and {motion.robot}.")
        robot_of(motion, needs_feet=False)
    joints = list(robot.joint_names)
    names = {"observation.state": [*BASE_COLUMNS[robot.base_size], *joints], "action": joints}
    if all(motion.foot_names for motion in motions):
        names["observation.contact"] = list(robot.foot_names)
    if all(motion.torque_nm is not None for motion in motions):
        names["observation.torque"] = joints
    return names


def _values(motion: Motion, names: Mapping[str, Sequence[str]]) -> dict[str, Array]:
    """Return the numbers of each feature. Shapes (T, n)."""
    angle_rad = motion.joint_angles_rad
    values = {
        "observation.state": motion.qpos,
        "action": np.concatenate([angle_rad[1:], angle_rad[-1:]]),
        "observation.contact": motion.contact.astype(np.float64),
        "observation.torque": motion.torque_nm,
    }
    return {name: np.asarray(values[name]) for name in names}


def _task_of(motion: Motion) -> str:
    """Return what a motion does, in words."""
    emotion = motion.receipt.emotion if motion.receipt else motion.meta.get("emotion")
    title = motion.meta.get("title")
    if isinstance(title, str) and title:
        return title
    return f"move, {emotion}" if isinstance(emotion, str) else "move"


def _statistics(values: Array) -> dict[str, list[float]]:
    """Return the statistics of each column that normalization needs. Shape (T, n) in."""
    numbers = np.asarray(values, dtype=np.float64)
    found = {
        "min": numbers.min(axis=0),
        "max": numbers.max(axis=0),
        "mean": numbers.mean(axis=0),
        "std": numbers.std(axis=0),
        "count": np.array([len(numbers)]),
    }
    found |= dict(zip(_QUANTILES, np.quantile(numbers, list(_QUANTILES.values()), axis=0), strict=True))
    return {name: values.tolist() for name, values in found.items()}


def _files(episodes: Sequence[_Episode]) -> Iterator[list[_Episode]]:
    """Yield the episodes of each data file."""
    group: list[_Episode] = []
    size_mb = 0.0
    for episode in episodes:
        own_mb = sum(values.size * 4.0 for values in episode.values.values()) / 2**20
        if group and size_mb + own_mb > MAX_FILE_MB:
            yield group
            group, size_mb = [], 0.0
        group.append(episode)
        size_mb += own_mb
    yield group


def _column(pyarrow: ModuleType, values: Array, kind: str) -> Any:
    """Return a column of numbers, or of lists of a fixed length. Shape (T, n)."""
    flat = pyarrow.array(values.ravel().astype(kind))
    return flat if values.shape[1] == 1 else pyarrow.FixedSizeListArray.from_arrays(flat, values.shape[1])


def _tasks_file(pyarrow: ModuleType, tasks: Sequence[str]) -> bytes:
    """Return the table of tasks, which are the index of the data frame that LeRobot reads."""
    index = "__index_level_0__"
    kinds = {"task_index": ("task_index", "int64", "int64"), index: (None, "unicode", "object")}
    columns = [
        {"name": name, "field_name": field, "pandas_type": pandas, "numpy_type": numpy, "metadata": None}
        for field, (name, pandas, numpy) in kinds.items()
    ]
    about = {"index_columns": [index], "column_indexes": [], "columns": columns}
    table = pyarrow.table({"task_index": pyarrow.array(range(len(tasks)), pyarrow.int64()), index: list(tasks)})
    return _parquet(table.replace_schema_metadata({"pandas": json.dumps(about)}))


def _episode_columns(episodes: Sequence[_Episode], place_of: Sequence[tuple[int, int]]) -> dict[str, list[Any]]:
    """Return the table of episodes: where each is, what it does, and its own statistics."""
    columns: dict[str, list[Any]] = {
        "episode_index": list(range(len(episodes))),
        "tasks": [[one.task] for one in episodes],
        "length": [one.length for one in episodes],
        "dataset_from_index": [one.start for one in episodes],
        "dataset_to_index": [one.start + one.length for one in episodes],
        "data/chunk_index": [chunk for chunk, _ in place_of],
        "data/file_index": [file for _, file in place_of],
        "meta/episodes/chunk_index": [0] * len(episodes),
        "meta/episodes/file_index": [0] * len(episodes),
    }
    for name in episodes[0].values:
        for statistic in _statistics(episodes[0].values[name]):
            columns[f"stats/{name}/{statistic}"] = []
    for one in episodes:
        for name, values in one.values.items():
            for statistic, numbers in _statistics(values).items():
                columns[f"stats/{name}/{statistic}"].append(numbers)
    return columns


def _parquet(table: Any) -> bytes:
    from pyarrow import parquet  # noqa: PLC0415 -- an optional extra

    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


WRITER = LeRobotWriter()
