"""Clip run: the clips of a folder, checked in parallel; what an earlier run has done is kept."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from strut.diagnosis.clip_result import ClipResult, check_clip, clip_key
from strut.diagnosis.results_file import ResultsFile
from strut.errors import FileError, OutOfRangeError
from strut.formats.reader import endings_read
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.plumbing.task_farm import TaskFarm

OnClip = Callable[[int, int, ClipResult], None]  # how many are done, of how many, and the last one
_Task = tuple[str, str]  # file, key


def clips_in(places: Sequence[Path]) -> list[Path]:
    """Return the files of clips among files and folders; folders are searched with all that they hold."""
    endings = endings_read(Motion, ("robot",))
    found = dict[Path, None]()
    for place in places:
        inside = sorted(path for path in place.rglob("*") if path.is_file() and path.suffix.lower() in endings)
        found |= dict.fromkeys(inside if place.is_dir() else [place])
    if not found:
        raise OutOfRangeError(f"No clip is in {places[0]}; clips end in {', '.join(endings)}.")
    return list(found)


def check_clips(
    files: Sequence[Path],
    options: Mapping[str, Any],
    results: Path,
    *,
    margin_m: float | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_clip: OnClip | None = None,
) -> list[ClipResult]:
    """Check clips and return their results in the order of the files; the results file keeps what is done.

    Args:
        files: The clips.
        options: Of their readers, such as `robot`.
        results: File of the results; clips that are in it unchanged are not checked again.
        margin_m: Smallest allowed balance margin.
        workers: Processes on this machine; one per core if None.
        scheduler: Address of a Dask scheduler whose workers are used instead; they see the files by the same paths.
        on_clip: Called when a clip is done.
    """
    if workers is not None and workers < 1:
        raise OutOfRangeError(f"The number of workers is {workers}; it must be at least 1.")
    fingerprint = as_robot(options["robot"]).fingerprint if "robot" in options else ""
    with ResultsFile(results) as kept:
        key = {str(file): clip_key(file, options, margin_m, fingerprint) for file in files}
        todo = [(file, own) for file, own in key.items() if own not in kept.known]
        try:
            for done, table in enumerate(_spread(todo, options, margin_m, workers, scheduler), 1):
                result = ClipResult.from_dict(table)
                kept.add(result)
                if on_clip is not None:
                    on_clip(done, len(todo), result)
        except BrokenProcessPool as error:
            raise FileError(
                results, "is not complete: a process was killed. Run the same command again, with fewer --workers."
            ) from error
        return [kept.known[own] for own in key.values()]


def _spread(
    todo: Sequence[_Task],
    options: Mapping[str, Any],
    margin_m: float | None,
    workers: int | None,
    scheduler: str | None,
) -> Iterator[dict[str, Any]]:
    """Yield the results of clips as they are done."""
    if scheduler is not None:
        with TaskFarm(scheduler=scheduler) as farm:
            for file, key in todo:
                farm.submit(key, check_clip, str(Path(file).resolve()), key, options, margin_m)
            named = {key: file for file, key in todo}
            for key, table in farm.results():
                yield {**table, "file": named[key]}
        return
    count = min(workers or os.cpu_count() or 1, len(todo))
    if count <= 1:
        for file, key in todo:
            yield check_clip(file, key, options, margin_m)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, spawn, _ignore_interrupt) as pool:
        try:
            futures = [pool.submit(check_clip, file, key, options, margin_m) for file, key in todo]
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _ignore_interrupt() -> None:
    """Leave Ctrl-C to the process that started the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
