"""The farm without workers: a stand-in for Dask answers at once, is silent, or is gone."""

import logging
from types import SimpleNamespace

import pytest

from strut.errors import MissingExtraError, SchedulerError
from strut.pilot.gait_library import task_farm
from strut.pilot.gait_library.task_farm import TaskFarm, check_reachable


class Future:
    """A task that ends when it is told to."""

    def __init__(self, work, arguments):
        self.status = "pending"
        self._value = (work, arguments)
        self._heard = []

    def add_done_callback(self, heard):
        self._heard.append(heard)

    def end(self, status="finished"):
        self.status = status
        for heard in self._heard:
            heard(self)

    def result(self, timeout):
        assert timeout == 5.0
        work, arguments = self._value
        return work(*arguments)


class Client:
    """Takes tasks and hands out workers; `lose` makes it fail."""

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
    """Says what it was made with."""

    scheduler_address = "tcp://here:1"

    def close(self, timeout):
        self.closed = timeout


@pytest.fixture
def dask(monkeypatch):
    made = SimpleNamespace(LocalCluster=Cluster, Client=Client)
    monkeypatch.setattr(task_farm, "installed_dask", lambda: made)
    monkeypatch.setattr(task_farm, "LOOK_S", 0.01)
    return made


def test_a_farm_on_this_machine_has_the_workers_asked_for_and_closes_them(dask):
    logging.getLogger("distributed").setLevel(logging.WARNING)
    with TaskFarm(workers=3) as farm:
        cluster = farm._cluster
        assert (cluster.n_workers, cluster.threads_per_worker, cluster.memory_limit) == (3, 1, 0)
        assert (farm._client.place, farm._client.timeout, farm._client.default) == (farm._cluster, 5.0, False)
        assert farm.address == "tcp://here:1"
        assert logging.getLogger("distributed").level == logging.CRITICAL
    assert farm._client.closed == [5.0]
    assert farm._cluster.closed == 5.0
    assert logging.getLogger("distributed").level == logging.WARNING


def test_without_a_number_there_is_a_worker_for_every_core(dask, monkeypatch):
    monkeypatch.setattr(task_farm.os, "cpu_count", lambda: 6)
    with TaskFarm() as farm:
        assert farm._cluster.n_workers == 6
    monkeypatch.setattr(task_farm.os, "cpu_count", lambda: None)
    with TaskFarm() as farm:
        assert farm._cluster.n_workers == 1


def test_results_come_as_they_end_with_their_keys(dask):
    with TaskFarm(scheduler="tcp://there:2") as farm:
        assert farm._cluster is None
        assert (farm.address, farm._client.place) == ("tcp://there:2", "tcp://there:2")
        for key in (2, 3):
            farm.submit(key, pow, key, 2)
        (first, own), (second, _) = farm._client.tasks
        assert own == {"pure": False}
        second.end()
        results = farm.results()
        assert next(results) == (3, 9)
        first.end()
        assert list(results) == [(2, 4)]


def test_every_worker_prepares_once(dask):
    with TaskFarm(workers=2) as farm:
        farm.prepare(pow, 2, 3)
        assert [own for _, own in farm._client.tasks] == [
            {"workers": [name], "allow_other_workers": True, "pure": False} for name in ("tcp://a", "tcp://b")
        ]
        assert len(farm._prepared) == 2


@pytest.mark.parametrize("status", ["cancelled", "lost"])
def test_a_task_that_is_lost_says_so(dask, status):
    with TaskFarm(workers=1) as farm:
        farm.submit("a", pow, 2, 3)
        farm._client.tasks[0][0].end(status)
        with pytest.raises(SchedulerError, match="was lost"):
            list(farm.results())


def test_a_scheduler_that_is_gone_says_so_when_asked_and_while_waiting(dask):
    with TaskFarm(workers=1) as farm:
        farm.submit("a", pow, 2, 3)
        farm._client.status = "closed"
        with pytest.raises(SchedulerError, match="was lost"):
            list(farm.results())
        farm._client.lost = True
        with pytest.raises(SchedulerError, match="was lost"):
            farm.submit("b", pow, 2, 3)


def test_nobody_at_work_is_told_after_two_minutes_and_not_before(dask, monkeypatch):
    with TaskFarm(workers=1) as farm:
        monkeypatch.setattr(task_farm, "monotonic", lambda: 1000.0)
        assert farm._check_workers(500.0) == 1000.0  # workers are there
        farm._client.workers = {}
        assert farm._check_workers(881.0) == 881.0
        with pytest.raises(SchedulerError, match="no workers for 120 s"):
            farm._check_workers(879.0)


def test_an_address_at_which_nobody_answers_is_refused(monkeypatch):
    def nobody(*_, **__):
        raise OSError("refused")

    made = SimpleNamespace(Client=nobody)
    monkeypatch.setattr(task_farm, "installed_dask", lambda: made)
    with pytest.raises(SchedulerError, match="cannot be reached"):
        check_reachable("tcp://nowhere:1")


def test_without_dask_the_extra_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(task_farm, "import_module", missing)
    with pytest.raises(MissingExtraError, match="cluster"):
        check_reachable(None)
