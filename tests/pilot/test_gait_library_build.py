"""A build goes on after any kill: of a worker, of the scheduler, of the builder; nothing finished is lost."""

import logging
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from strut.errors import OutOfRangeError, SchedulerError
from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_library_build import (
    build_gait_library,
    gait_grid,
    gait_summary,
    judge_gait,
    mirror_record,
)
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.gait_library.gait_store import GaitStore
from strut.plumbing.task_farm import TaskFarm

pytest.importorskip("distributed", reason="Dask (pip install 'strut[cluster]') is not installed")


def kill_once_and_pid(marker):
    """Kill the worker that runs this, the first time; a task of the tests below."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_a_task_whose_worker_is_killed_is_done_by_another(tmp_path):
    with TaskFarm(workers=1) as farm:
        farm.submit("a", kill_once_and_pid, str(tmp_path / "killed"))
        results = dict(farm.results())
    assert (tmp_path / "killed").exists()
    assert results["a"] != os.getpid()


def test_dask_logs_after_the_farm_as_before(monkeypatch):
    import_module("distributed")
    logger = logging.getLogger("distributed.nanny")
    monkeypatch.setattr(logger, "level", logging.INFO)
    with TaskFarm(workers=1):
        assert logger.level == logging.CRITICAL
    assert logger.level == logging.INFO
    with pytest.raises(SchedulerError), TaskFarm(scheduler="tcp://127.0.0.1:9"):
        pass
    assert logger.level == logging.INFO


def test_a_scheduler_that_does_not_run_is_an_error_and_leaves_no_store(monkeypatch, tmp_path):
    monkeypatch.setattr("strut.plumbing.task_farm.CONNECT_S", 0.5)
    nobody = r"scheduler at tcp://127\.0\.0\.1:9 cannot be reached; start one with"
    with pytest.raises(SchedulerError, match=nobody):
        build_gait_library("cassie", tmp_path / "gaits.db", counts=(1, 1, 1), scheduler="tcp://127.0.0.1:9")
    assert not list(tmp_path.iterdir())


def test_a_build_that_is_killed_goes_on_where_it_was(tmp_path):
    """Two gaits and their mirror images: killed at the first pair, the builder then finds only the other one."""
    store = tmp_path / "gaits.db"
    code = (
        "from strut.pilot.gait_library.gait_library_build import build_gait_library\n"
        "import os, signal\n"
        "def told(record, done, total):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "if __name__ == '__main__':\n"
        f"    build_gait_library('cassie', {str(store)!r}, counts=(2, 2, 1), workers=1, on_gait=told)\n"
    )
    script = tmp_path / "build.py"
    script.write_text(code)
    ended = subprocess.run([sys.executable, str(script)], check=False, capture_output=True, timeout=300)
    assert ended.returncode == -signal.SIGKILL
    cassie = load_robot("cassie")
    assert [record.status for record in GaitStore(store, cassie).records()] == ["ok", "ok"]
    seen = []
    built = build_gait_library(
        "cassie",
        store,
        counts=(2, 2, 1),
        workers=1,
        on_gait=lambda record, done, total: seen.append((record, done, total)),
    )
    assert [(done, total) for _, done, total in seen] == [(3, 4), (4, 4)]
    assert seen[0][0].figures["warm"]
    assert gait_summary(built).found == 4
    assert build_gait_library("cassie", store, counts=(2, 2, 1), workers=1).path == store  # nothing left to do


@pytest.mark.parametrize("count", [0, 102])
def test_a_grid_that_is_none_is_refused(count):
    cassie = load_robot("cassie")
    with pytest.raises(OutOfRangeError, match=f"An axis of {count} values is not possible; choose 1 to 101"):
        gait_grid(cassie, (count, 1, 1))
    assert gait_grid(cassie, (101, 1, 1)).shape == (101, 1, 1)


def test_a_gait_and_its_mirror_image_are_measured_alike_and_one_that_sinks_has_failed():
    cassie = load_robot("cassie")
    gait = load_gait_library(cassie).lookup(0.4, 0.1, 0.86)
    record = judge_gait(cassie, gait, {"iterations": 7})
    image = mirror_record(record, cassie)
    assert (record.status, record.reason, record.figures["iterations"]) == ("ok", "", 7)
    assert image.gait.parameter == pytest.approx((0.4, -0.1, 0.86))
    assert image.figures == pytest.approx(record.figures, rel=0.2, abs=1e-3)  # the pelvis is not quite even
    sunk = np.array(gait.base)
    sunk[:, 2] -= 0.03
    failed = judge_gait(cassie, replace(gait, base=sunk), {})
    assert failed.status == "failed"
    assert "the swing sole is only" in failed.reason


def test_a_scheduler_that_dies_ends_the_build_and_keeps_what_is_done(tmp_path):
    free = tmp_path / "address"
    code = (
        "import asyncio, sys\n"
        "from distributed import Scheduler, Worker\n"
        "async def main():\n"
        "    async with Scheduler(port=0, host='127.0.0.1', dashboard_address=None) as scheduler:\n"
        "        async with Worker(scheduler.address, nthreads=1, dashboard_address=None):\n"
        f"            open({str(free)!r}, 'w').write(scheduler.address)\n"
        "            await scheduler.finished()\n"
        "asyncio.run(main())\n"
    )
    cluster = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if free.exists() and free.read_text():
                break
            time.sleep(0.1)
        with TaskFarm(scheduler=free.read_text()) as farm:
            farm.submit("quick", pow, 2, 3)
            results = farm.results()
            assert next(results) == ("quick", 8)
            farm.submit("slow", time.sleep, 60.0)
            cluster.kill()
            with pytest.raises(SchedulerError, match="was lost; finished results are kept"):
                next(results)
    finally:
        cluster.kill()
        cluster.wait()
