"""Dask as a farm of workers: functions in, results out as they come, on this machine or on a cluster.

A worker that dies is replaced and its task given to another; a scheduler that dies ends the farm with SchedulerError.
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

CONNECT_S = 5.0
LOOK_S = 2.0
PATIENCE_S = 120.0  # how often the farm looks who works, and how long nobody may
_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)  # Dask has errors of both families
# Of our own cluster: Dask's watching of itself takes a tenth of a core, which two workers on two cores do not have.
_UNWATCHED = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.profile.enabled": False,
}
_LOGGERS = ("distributed", "distributed.worker", "distributed.nanny", "distributed.scheduler")
_LOST = "was lost; what is finished is kept, run the same command again to go on."


def installed_dask() -> Any:
    """Return Dask's package for workers, an optional extra without types; raises MissingExtraError."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise MissingExtraError("cluster", "distributed") from error


class TaskFarm:
    """Workers that compute one task each at a time.

    Args:
        workers: Processes on this machine; as many as it has cores if None.
        scheduler: Address of a running Dask scheduler, whose workers are used instead.

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
        self._done: SimpleQueue[Any] = SimpleQueue()  # futures, as they end
        self._levels: dict[str, int] = {}  # of Dask's loggers before the farm
        self._prepared: list[Any] = []  # futures; Dask drops those that nobody holds

    def __enter__(self) -> Self:
        self._dask = installed_dask()
        with ExitStack() as on_failure:
            on_failure.callback(self._close)
            self._levels = {name: logging.getLogger(name).level for name in _LOGGERS}
            for name in _LOGGERS:
                logging.getLogger(name).setLevel(logging.CRITICAL)  # workers that die are told by the farm
            self._connect()
            on_failure.pop_all()
        return self

    def _connect(self) -> None:
        """Start workers, or find the scheduler."""
        if self._scheduler is None:
            with import_module("dask").config.set(_UNWATCHED):
                self._cluster = self._dask.LocalCluster(
                    n_workers=self._workers or os.cpu_count() or 1,
                    threads_per_worker=1,
                    memory_limit=0,  # none, so nobody watches it
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
        """Of the scheduler."""
        return str(self._scheduler or self._cluster.scheduler_address)

    def submit(self, key: Any, work: Callable[..., Any], *arguments: Any) -> None:
        """Let some worker compute; the same function of the same arguments is computed again."""
        try:
            future = self._client.submit(work, *arguments, pure=False)
        except (OSError, RuntimeError) as error:
            raise SchedulerError(self.address, _LOST) from error
        self._key_of[future] = key
        future.add_done_callback(self._done.put)  # waiting for a list of futures costs the more the longer it is

    def prepare(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Let every worker that is there compute something once, of which it keeps what later tasks need."""
        for worker in self._client.scheduler_info(n_workers=-1)["workers"]:
            own = {"workers": [worker], "allow_other_workers": True, "pure": False}
            self._prepared.append(self._client.submit(work, *arguments, **own))

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield key and result as they come, until nothing is left; tasks may be submitted meanwhile.

        Raises what a task raised, and SchedulerError if the scheduler is gone or nobody works for it.
        """
        worked_s = monotonic()
        while self._key_of:
            try:
                future = self._done.get(timeout=LOOK_S)
            except Empty:
                worked_s = self._look(worked_s)
                continue
            worked_s = monotonic()
            yield self._key_of.pop(future), self._result(future)

    def _look(self, worked_s: float) -> float:
        """Return when somebody was last seen at work; raises if the scheduler is gone or nobody has been for long."""
        if self._client.status != "running":
            raise SchedulerError(self.address, _LOST)
        if self._client.scheduler_info(n_workers=-1)["workers"]:
            return monotonic()
        if monotonic() - worked_s > PATIENCE_S:
            raise SchedulerError(self.address, f"has had no workers for {PATIENCE_S:.0f} s; start some, and go on.")
        return worked_s

    def _result(self, future: Any) -> Any:
        if future.status in ("cancelled", "lost"):
            raise SchedulerError(self.address, _LOST)
        try:
            return future.result(timeout=CONNECT_S)
        except (OSError, TimeoutError, *_CANCELLED) as error:
            raise SchedulerError(self.address, _LOST) from error


def check_reachable(scheduler: str | None) -> None:
    """Raise MissingExtraError without Dask, and SchedulerError if nobody answers at the address of a scheduler."""
    if scheduler is None:
        installed_dask()
        return
    with TaskFarm(scheduler=scheduler):
        pass
