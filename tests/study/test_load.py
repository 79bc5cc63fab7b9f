"""Many participants at once on a real server: no error, nothing lost, nothing twice. How quick: benchmarks."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from strut.study.study_folder import open_study
from tests.study.load import many_participants

PEOPLE = 10
TRIALS = 2


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_many_participants_at_once_lose_nothing(kind, study_of, served, request):
    short = f"blocks = 2 => blocks = 1\npractice = 1 => practice = 0\nper_participant = 0 => per_participant = {TRIALS}"
    folder = study_of("forced-choice", short)
    url = request.getfixturevalue("empty_postgres") if kind == "postgresql" else None
    server = served(folder, "--requests-per-minute", "60000", *(["--database", url] if url else []))
    with ThreadPoolExecutor(1) as own_thread:  # the browser of other tests keeps a loop running in this one
        people = own_thread.submit(lambda: asyncio.run(many_participants(server.url, PEOPLE, TRIALS, pause_s=0.5)))
        _, statuses = people.result()
    server.kill()
    assert set(statuses) <= {200, 303}
    opened = open_study(folder, url)
    rows = opened.database.rows()
    opened.database.close()
    assert len(rows) == len({(row["code"], row["trial"]) for row in rows}) == PEOPLE * TRIALS
    assert all(re.fullmatch(r"[a-z ]+", row["reply"]["perceived"]) for row in rows)
