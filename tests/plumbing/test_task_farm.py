"""The task farm over a stand-in for Dask, which answers at once, does not answer, or is lost."""

import gc
import logging
import weakref
from types import SimpleNamespace

import pytest

from strut.errors import MissingExtraError, SchedulerError
from strut.plumbing import task_farm
from strut.plumbing.task_farm import TaskFarm, check_reachable


class Future:
    """A task that ends when a test ends it."""

    def __init__(self, work, arguments):
        self.status = "pending"
        self.call = (work, arguments)
        self.callbacks = []

    def add_done_callback(self, callback):
        self.callbacks.append(callback)

    def end(self, status="finished"):
        self.status = status
        for callback in self.callbacks:
            callback(self)

    def result(self, timeout):
        assert timeout == 5.0
        work, arguments = self.call
        return work(*arguments)


class Client:
    """Takes tasks and has two workers; fails if `lost`."""

    def __init__(self, place, timeout, set_as_default):
        self.place = place
        self.timeout = timeout
        self.default = set_as_default
        self.status = "running"
        self.tasks = []
        self.workers = {"tcp://a": {}, "tcp://b": {}}
        self.closed = []
        self.lost = False

    def submit(self, work, *arguments, **own):
        if self.lost:
            raise OSError("gone")
        self.tasks.append((Future(work, arguments), own))
        return self.tasks[-1][0]

    def scheduler_info(self, n_workers):
        assert n_workers == -1
        return {"workers": self.workers}

    def close(self, timeout):
        self.closed.append(timeout)


class Cluster(SimpleNamespace):
    """Keeps the arguments that it was made with."""

    scheduler_address = "tcp://here:1"

    def close(self, timeout):
        self.closed = timeout


@pytest.fixture
def dask(monkeypatch):
    """A stand-in for Dask, which keeps the client and the cluster that the farm makes."""
    fake = SimpleNamespace(client=None, cluster=None)

    def make_client(*arguments, **options):
        fake.client = Client(*arguments, **options)
        return fake.client

    def make_cluster(**options):
        fake.cluster = Cluster(**options)
        return fake.cluster

    fake.LocalCluster = make_cluster
    fake.Client = make_client
    monkeypatch.setattr(task_farm, "installed_dask", lambda: fake)
    monkeypatch.setattr(task_farm, "LOOK_S", 0.01)
    return fake


def test_a_local_farm_has_the_requested_workers_and_closes_them(dask):
    logging.getLogger("distributed").setLevel(logging.WARNING)
    with TaskFarm(workers=3) as farm:
        assert (dask.cluster.n_workers, dask.cluster.threads_per_worker, dask.cluster.memory_limit) == (3, 1, 0)
        assert (dask.client.place, dask.client.timeout, dask.client.default) == (dask.cluster, 5.0, False)
        assert farm.address == "tcp://here:1"
        assert logging.getLogger("distributed").level == logging.CRITICAL
    assert dask.client.closed == [5.0]
    assert dask.cluster.closed == 5.0
    assert logging.getLogger("distributed").level == logging.WARNING


@pytest.mark.parametrize(("cores", "workers"), [(6, 6), (None, 1)])
def test_by_default_there_is_one_worker_per_core(dask, monkeypatch, cores, workers):
    monkeypatch.setattr(task_farm.os, "cpu_count", lambda: cores)
    with TaskFarm():
        assert dask.cluster.n_workers == workers


def test_results_come_in_order_of_completion_with_their_keys(dask):
    with TaskFarm(scheduler="tcp://there:2") as farm:
        assert dask.cluster is None
        assert (farm.address, dask.client.place) == ("tcp://there:2", "tcp://there:2")
        for key in (2, 3):
            farm.submit(key, pow, key, 2)
        (first, options), (second, _) = dask.client.tasks
        assert options == {"pure": False}
        second.end()
        results = farm.results()
        assert next(results) == (3, 9)
        first.end()
        assert list(results) == [(2, 4)]


def test_every_worker_prepares_once(dask):
    with TaskFarm(workers=2) as farm:
        farm.prepare(pow, 2, 3)
        assert [options for _, options in dask.client.tasks] == [
            {"workers": [name], "allow_other_workers": True, "pure": False} for name in ("tcp://a", "tcp://b")
        ]


def test_prepared_tasks_are_kept_alive(dask):
    """Dask cancels a task to which no reference is left."""
    with TaskFarm(workers=2) as farm:
        farm.prepare(pow, 2, 3)
        tasks = [weakref.ref(task) for task, _ in dask.client.tasks]
        dask.client.tasks.clear()
        gc.collect()
        assert all(task() is not None for task in tasks)


@pytest.mark.parametrize("status", ["cancelled", "lost"])
def test_a_lost_task_is_an_error(dask, status):
    with TaskFarm(workers=1) as farm:
        farm.submit("a", pow, 2, 3)
        dask.client.tasks[0][0].end(status)
        with pytest.raises(SchedulerError, match="was lost"):
            list(farm.results())


def test_a_lost_scheduler_is_an_error_at_submission_and_while_waiting(dask):
    with TaskFarm(workers=1) as farm:
        farm.submit("a", pow, 2, 3)
        dask.client.status = "closed"
        with pytest.raises(SchedulerError, match="was lost"):
            list(farm.results())
        dask.client.lost = True
        with pytest.raises(SchedulerError, match="was lost"):
            farm.submit("b", pow, 2, 3)


def test_no_worker_for_two_minutes_is_an_error(dask, monkeypatch):
    """The two minutes count from when a worker was last seen."""
    now_s = 1000.0
    waits = []

    def clock():
        return now_s

    def workers(n_workers):
        nonlocal now_s
        assert n_workers == -1
        waits.append(now_s)
        now_s += 50.0
        return {"workers": {"tcp://a": {}} if len(waits) == 2 else {}}

    monkeypatch.setattr(task_farm, "monotonic", clock)
    with TaskFarm(workers=1) as farm:
        farm.submit("a", pow, 2, 3)
        dask.client.scheduler_info = workers
        with pytest.raises(SchedulerError, match="no workers for 120 s"):
            list(farm.results())
    assert waits == [1000.0, 1050.0, 1100.0, 1150.0, 1200.0]  # seen at 1050, noted at 1100, given up after 1220


def test_a_scheduler_that_does_not_answer_is_an_error(monkeypatch):
    def no_answer(*_, **__):
        raise OSError("refused")

    monkeypatch.setattr(task_farm, "installed_dask", lambda: SimpleNamespace(Client=no_answer))
    with pytest.raises(SchedulerError, match="cannot be reached"):
        check_reachable("tcp://nowhere:1")


def test_without_dask_the_error_names_the_extra(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(task_farm, "import_module", missing)
    with pytest.raises(MissingExtraError, match="cluster"):
        check_reachable(None)
