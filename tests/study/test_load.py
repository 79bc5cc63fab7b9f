"""Fifty participants at once on a real server: no error, nothing lost, nothing twice, and quick enough."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import pytest

from strut.study.opened_study import open_study
from tests.study.load import fifty_participants

PEOPLE, TRIALS, ROUNDS = 50, 5, 3


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_fifty_participants_at_once_lose_nothing_and_wait_little(kind, study_of, served, request):
    folder = study_of("forced-choice", "blocks = 2 => blocks = 1\npractice = 1 => practice = 0")
    url = request.getfixturevalue("empty_postgres") if kind == "postgresql" else None
    server = served(folder, "--requests-per-minute", "60000", *(["--database", url] if url else []))
    medians_s = []
    while len(medians_s) < ROUNDS and min(medians_s, default=1.0) >= 0.050:  # other programs may be busy meanwhile
        with ThreadPoolExecutor(1) as own_thread:  # the browser of other tests keeps a loop running in this one
            people = own_thread.submit(lambda: asyncio.run(fifty_participants(server.url, PEOPLE, TRIALS, pause_s=1.5)))
            taken_s, statuses = people.result()
        assert set(statuses) <= {200, 303}
        medians_s.append(median(taken_s))
    server.kill()
    opened = open_study(folder, url)
    rows = opened.database.rows()
    opened.database.close()
    assert len(rows) == len({(row["code"], row["trial"]) for row in rows}) == len(medians_s) * PEOPLE * TRIALS
    assert all(re.fullmatch(r"[a-z ]+", row["reply"]["perceived"]) for row in rows)
    assert min(medians_s) < 0.050
