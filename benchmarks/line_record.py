"""Which test runs which lines, and how long it takes: a pytest plugin for mutation.py, which also picks tests by it.

With LINES_TO it writes `{test: {"seconds": s, "lines": {file: [line, …]}}}` for the tests of a run. What a fixture or
a cache made once for several tests is credited to the first of them. With TESTS_FROM it runs the tests named in that
file, in its order, and no others.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import coverage
import pytest

FOLDER = os.environ.get("LINES_OF", ".")
RECORD = coverage.Coverage(data_file=None, source=[FOLDER], config_file=False) if "LINES_TO" in os.environ else None
SECONDS: dict[str, float] = {}
if RECORD is not None:
    RECORD.start()


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
        place = {
            name: index for index, name in enumerate(json.loads(Path(os.environ["TESTS_FROM"]).read_text("utf-8")))
        }
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


def pytest_sessionfinish() -> None:
    """Write what was seen."""
    if RECORD is None:
        return
    RECORD.stop()
    data = RECORD.get_data()
    found = {test: {"seconds": seconds, "lines": {}} for test, seconds in SECONDS.items()}
    for file in data.measured_files():
        for line, tests in data.contexts_by_lineno(file).items():
            for test in tests:
                if test in found:
                    found[test]["lines"].setdefault(Path(file).name, []).append(line)
    Path(os.environ["LINES_TO"]).write_text(json.dumps(found), "utf-8")
