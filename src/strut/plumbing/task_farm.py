"""Task farm: parallel function calls by Dask, on this machine or on a cluster; results come in order of completion.

A worker that dies is replaced and its task repeated; if the scheduler dies, the farm ends with SchedulerError.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from queue import Empty, SimpleQueue
from time import monotonic
from types import TracebackType
from typing import Any, Self

from strut.errors import MissingExtraError, SchedulerError

CONNECT_S = 5.0  # time limit for a connection
LOOK_S = 2.0  # interval between checks for workers
PATIENCE_S = 120.0  # time limit without any worker
_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)  # Dask raises both
# Dask's self-monitoring takes a tenth of a core, which two workers on two cores do not have.
_NO_MONITORING = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.profile.enabled": False,
}
_LOGGERS = ("distributed", "distributed.worker", "distributed.nanny", "distributed.scheduler")
_LOST = "was lost; finished results are kept. Run the same command again to continue."


def installed_dask() -> Any:
    """Return the package `distributed` of Dask, an optional extra; raises MissingExtraError."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise MissingExtraError("cluster", "distributed") from error


class TaskFarm:
    """Worker processes, each of which computes one task at a time.

    Args:
        workers: Processes on this machine; one per core if None.
        scheduler: Address of a running Dask scheduler whose workers are used instead.

    Example:
        >>> with TaskFarm(workers=2) as farm:
        ...     farm.submit("three", pow, 3, 1)
        ...     dict(farm.results())
    """

    def __init__(self, *, workers: int | None = None, scheduler: str | None = None) -> None:
        self._workers = workers
        self._scheduler = scheduler
        self._dask: Any = None
        self._cluster: Any = None
        self._client: Any = None
        self._key_of: dict[Any, Any] = {}  # by future
        self._done: SimpleQueue[Any] = SimpleQueue()  # futures, in order of completion
        self._levels: dict[str, int] = {}  # levels of Dask's loggers before the farm
        self._prepared: list[Any] = []  # futures: Dask cancels those without a reference

    def __enter__(self) -> Self:
        self._dask = installed_dask()
        with ExitStack() as on_failure:
            on_failure.callback(self._close)
            self._levels = {name: logging.getLogger(name).level for name in _LOGGERS}
            for name in _LOGGERS:
                logging.getLogger(name).setLevel(logging.CRITICAL)  # the farm itself reports lost workers
            self._connect()
            on_failure.pop_all()
        return self

    def _connect(self) -> None:
        """Start a local cluster, or connect to the scheduler."""
        if self._scheduler is None:
            with import_module("dask").config.set(_NO_MONITORING):
                self._cluster = self._dask.LocalCluster(
                    n_workers=self._workers or os.cpu_count() or 1,
                    threads_per_worker=1,
                    memory_limit=0,  # no limit, and so no monitor
                    dashboard_address=":0",
                )
        try:
            self._client = self._dask.Client(self._cluster or self._scheduler, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise SchedulerError(
                str(self._scheduler), "cannot be reached; start one with `dask scheduler`, or leave --scheduler out."
            ) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        try:
            for part in (self._client, self._cluster):
                if part is not None:
                    part.close(timeout=CONNECT_S)
        finally:
            for name, level in self._levels.items():
                logging.getLogger(name).setLevel(level)

    @property
    def address(self) -> str:
        """Address of the scheduler."""
        return str(self._scheduler or self._cluster.scheduler_address)

    def submit(self, key: Any, work: Callable[..., Any], *arguments: Any) -> None:
        """Submit a call; equal calls are computed again."""
        try:
            future = self._client.submit(work, *arguments, pure=False)
        except (OSError, RuntimeError) as error:
            raise SchedulerError(self.address, _LOST) from error
        self._key_of[future] = key
        future.add_done_callback(self._done.put)  # a queue: waiting for a list of futures slows down with its length

    def prepare(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Call a function once in every present worker, for instance to fill its caches."""
        for worker in self._client.scheduler_info(n_workers=-1)["workers"]:
            own = {"workers": [worker], "allow_other_workers": True, "pure": False}
            self._prepared.append(self._client.submit(work, *arguments, **own))

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield key and result of each task in order of completion; tasks may be submitted meanwhile.

        Raises the error of a task, and SchedulerError if the scheduler is lost or has no workers.
        """
        last_seen_s = monotonic()  # when a worker was last seen
        while self._key_of:
            try:
                future = self._done.get(timeout=LOOK_S)
            except Empty:
                last_seen_s = self._check_workers(last_seen_s)
                continue
            last_seen_s = monotonic()
            yield self._key_of.pop(future), self._result(future)

    def _check_workers(self, last_seen_s: float) -> float:
        """Return when a worker was last seen; raises if the scheduler is lost or without workers for too long."""
        if self._client.status != "running":
            raise SchedulerError(self.address, _LOST)
        if self._client.scheduler_info(n_workers=-1)["workers"]:
            return monotonic()
        if monotonic() - last_seen_s > PATIENCE_S:
            raise SchedulerError(self.address, f"has had no workers for {PATIENCE_S:.0f} s; start some and try again.")
        return last_seen_s

    def _result(self, future: Any) -> Any:
        if future.status in ("cancelled", "lost"):
            raise SchedulerError(self.address, _LOST)
        try:
            return future.result(timeout=CONNECT_S)
        except (OSError, TimeoutError, *_CANCELLED) as error:
            raise SchedulerError(self.address, _LOST) from error


def check_reachable(scheduler: str | None) -> None:
    """Raise MissingExtraError without Dask, and SchedulerError if a scheduler does not answer."""
    if scheduler is None:
        installed_dask()
        return
    with TaskFarm(scheduler=scheduler):
        pass
