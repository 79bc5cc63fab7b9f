"""A pytest plugin for mutation.py: records which lines each test runs and how long it takes, and selects tests by name.

With LINES_TO it writes `{test: {"seconds": s, "lines": {file: [line, …]}}}` for the tests of a run. A file is a path
inside the folder LINES_OF. What a fixture or a cache makes once for several tests is credited to the first of them.
With TESTS_FROM it runs only the tests that are named in that file, in its order; after
PROCESSOR_SECONDS of processor time, SIGXCPU ends it.
"""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import coverage
import pytest

FOLDER = Path(os.environ.get("LINES_OF", ".")).resolve()
RECORD = (
    coverage.Coverage(data_file=None, source=[str(FOLDER)], config_file=False) if "LINES_TO" in os.environ else None
)
SECONDS: dict[str, float] = {}
if RECORD is not None:
    RECORD.start()
if "PROCESSOR_SECONDS" in os.environ:
    resource.setrlimit(resource.RLIMIT_CPU, (int(os.environ["PROCESSOR_SECONDS"]), resource.RLIM_INFINITY))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Credit lines and seconds to the test that runs now."""
    if RECORD is not None:
        RECORD.switch_context(item.nodeid)
    started = perf_counter()
    yield
    SECONDS[item.nodeid] = perf_counter() - started


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests that are asked for, in the order in which they are asked for."""
    if "TESTS_FROM" in os.environ:
        names = json.loads(Path(os.environ["TESTS_FROM"]).read_text("utf-8"))
        place = {name: index for index, name in enumerate(names)}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


def pytest_sessionfinish() -> None:
    """Write the record."""
    if RECORD is None:
        return
    RECORD.stop()
    data = RECORD.get_data()
    tests: dict[str, dict[str, object]] = {}
    for test, seconds in SECONDS.items():
        tests[test] = {"seconds": seconds, "lines": {}}
    for file in data.measured_files():
        module = Path(file).resolve().relative_to(FOLDER).as_posix()
        for line, names in data.contexts_by_lineno(file).items():
            for name in names:
                if name in tests:
                    tests[name]["lines"].setdefault(module, []).append(line)
    Path(os.environ["LINES_TO"]).write_text(json.dumps(tests), "utf-8")
